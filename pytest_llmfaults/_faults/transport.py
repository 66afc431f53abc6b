"""What happens to the connection before any byte of the body."""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._reply import Ending, Reply
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["ROWS", "connection"]


def connection(**changes: Any) -> Play:
    """Make a fault that changes how the reply crosses the wire."""
    return lambda base: dataclasses.replace(base.reply, **changes)


def _untrusted(base: Healthy) -> Reply:
    if base.request.scheme != "https":
        msg = "the URL is http, and a certificate belongs to https. Give the client a base URL with https."
        raise DoesNotApply(msg)
    return dataclasses.replace(base.reply, connection="untrusted")


def _after_head(ending: Ending) -> Play:
    """Make a fault that sends the whole head, and then only ``ending``."""
    return lambda base: dataclasses.replace(base.reply, head_bytes=len(base.reply.head()), ending=ending)


_HALF_A_HEAD: Final = b"HTTP/1.1 200 OK\r\nContent-Type: appl"

ROWS: Final = (
    Fault(
        name="transport.refused",
        play=connection(connection="refused"),
        meaning="The peer refuses the TCP connection.",
        draw="fresh",
        wish="retry",
        sources=(
            "https://www.mintlify.com/openai/openai-python/concepts/retries",
            "https://github.com/googleapis/python-genai/issues/2337",
        ),
    ),
    Fault(
        name="transport.dns_failure",
        play=connection(connection="unresolved"),
        meaning="The name of the host does not resolve.",
        draw="fresh",
        wish="retry",
        stays=_stays.LIBRARY,
        sources=("https://www.mintlify.com/openai/openai-python/concepts/retries",),
    ),
    Fault(
        name="transport.connect_timeout",
        play=connection(connection="timed_out"),
        meaning="The TCP connection is never accepted, until the client gives up.",
        draw="fresh",
        wish="retry",
        sources=("https://github.com/googleapis/python-genai/issues/2337",),
    ),
    Fault(
        name="transport.tls_verify",
        play=_untrusted,
        meaning="The TLS handshake fails because the certificate cannot be verified.",
        draw="same",
        wish="once",
        stays=_stays.LIBRARY,
        sources=("https://github.com/syrizelink/OpenFic/issues/403", "https://github.com/Aider-AI/aider/issues/2175"),
    ),
    Fault(
        name="transport.reset_peer",
        play=connection(head_bytes=0, ending="reset"),
        meaning="The peer resets the connection before any byte of the reply.",
        draw="fresh",
        wish="retry",
        stays=_stays.LIBRARY,
        sources=(
            "https://github.com/anthropics/claude-code/issues/89608",
            "https://github.com/failoverbench/failoverbench",
            "https://github.com/jordigilh/kubernaut/issues/565",
        ),
    ),
    Fault(
        name="transport.closed",
        play=connection(head_bytes=0, ending="cut"),
        meaning="The peer closes the connection cleanly before any byte of the reply.",
        draw="fresh",
        wish="retry",
        stays=_stays.LIBRARY,
        sources=("https://github.com/anthropics/claude-code/issues/89608", "https://github.com/vercel/ai/pull/17628"),
    ),
    Fault(
        name="transport.closed_in_headers",
        play=connection(raw_head=_HALF_A_HEAD, chunks=(), ending="cut"),
        meaning="The peer closes the connection cleanly inside the header block.",
        draw="fresh",
        wish="retry",
        stays=_stays.LIBRARY,
        sources=("https://www.rfc-editor.org/rfc/rfc9112#section-8",),
    ),
    Fault(
        name="transport.reset_peer_after_headers",
        play=_after_head("reset"),
        meaning="The peer resets the connection between the headers and the body.",
        draw="fresh",
        wish="retry",
        stays=_stays.LIBRARY,
        sources=("https://github.com/vercel/ai/pull/17628",),
    ),
    Fault(
        name="transport.stale_keep_alive",
        play=lambda base: dataclasses.replace(base.reply.with_headers(connection="keep-alive"), ending="stale"),
        meaning="A kept-alive connection is dead when the next request is written to it.",
        draw="fresh",
        scope="partial",
        wish="retry",
        sources=(
            "https://github.com/anthropics/claude-code/issues/89608",
            "https://github.com/anthropics/claude-code/issues/78966",
            "https://github.com/anthropics/claude-code/issues/23081",
        ),
    ),
    Fault(
        name="transport.timeout",
        play=connection(head_bytes=0, ending="stalled"),
        meaning="The connection is accepted and nothing is ever sent.",
        draw="fresh",
        wish="retry",
        sources=(
            "https://github.com/openai/openai-python/issues/3828",
            "https://github.com/bolnet/attestor/pull/117",
            "https://github.com/failoverbench/failoverbench",
        ),
    ),
    Fault(
        name="transport.timeout_after_headers",
        play=_after_head("stalled"),
        meaning="The headers arrive and the body never starts.",
        draw="fresh",
        wish="retry",
        stays=_stays.LIBRARY,
        sources=(
            "https://github.com/earendil-works/pi/issues/7954",
            "https://github.com/anthropics/claude-code/issues/78966",
        ),
    ),
    Fault(
        name="transport.latency",
        play=lambda base, seconds: dataclasses.replace(base.reply, first_byte_seconds=float(seconds)),
        meaning="The healthy reply arrives late.",
        draw="fresh",
        scope="partial",
        wish="survive",
        sources=(
            "https://github.com/failoverbench/failoverbench",
            "https://github.com/csernazs/pytest-httpserver/issues/290",
        ),
        parameters=(Parameter("seconds", 30.0, minimum=0.001, maximum=3600.0),),
    ),
    Fault(
        name="transport.not_http",
        play=connection(raw_head=b"SSH-2.0-OpenSSH_9.6\r\n", chunks=(), ending="cut"),
        meaning="The bytes of the reply are not HTTP.",
        draw="fresh",
        wish="retry",
        stays=_stays.LIBRARY,
        sources=("https://www.rfc-editor.org/rfc/rfc9112#section-4",),
    ),
)
