"""Healthy replies that cross the wire in another way than most."""

from __future__ import annotations

import dataclasses
from typing import Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._codings import accepts, gzipped
from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._faults.transport import connection
from pytest_llmfaults._reply import Reply
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["ROWS", "pieces"]

_GZIP_PIECE_BYTES: Final = 1024
_HINTS: Final = b"HTTP/1.1 103 Early Hints\r\nLink: </a>; rel=preload\r\n\r\n"


def _with(**headers: str) -> Play:
    """Make a fault that sets headers of the good reply."""
    return lambda base: base.reply.with_headers(**headers)


def _unphrased(base: Healthy) -> Reply:
    return dataclasses.replace(base.reply, raw_head=base.reply.head().replace(b"200 OK", b"200 ", 1))


def _in_http_1_0(base: Healthy) -> Reply:
    """Return the good reply in a version that knows no chunks: a stream ends with its connection."""
    reply = base.reply if base.reply.framing == "length" else dataclasses.replace(base.reply, framing="close")
    head = reply.head().replace(b"HTTP/1.1", b"HTTP/1.0", 1)
    return dataclasses.replace(base.reply, raw_head=head, framing="close")


def _capitals(base: Healthy) -> Reply:
    """Write the names of all headers in capitals."""
    pairs = (*base.reply.headers, *base.reply.framing_headers())
    return dataclasses.replace(base.reply, headers=tuple((name.upper(), value) for name, value in pairs))


def pieces(body: bytes, size: int) -> tuple[bytes, ...]:
    """Cut a body into pieces of ``size`` bytes."""
    return tuple(body[start : start + size] for start in range(0, len(body), size))


def _in_chunks(base: Healthy, bytes: int) -> Reply:  # noqa: A002 - the parameter's name
    return dataclasses.replace(base.reply, framing="chunked", chunks=pieces(base.reply.body, bytes))


def _compressed(base: Healthy) -> Reply:
    if not accepts(base.request, "gzip"):
        msg = "the request does not accept gzip. Let the client send Accept-Encoding: gzip, or use body.gzip_unasked."
        raise DoesNotApply(msg)
    reply = base.reply.with_headers(content_encoding="gzip")
    body = gzipped(base.reply.body)
    size = min(_GZIP_PIECE_BYTES, len(body) // 2)
    return dataclasses.replace(reply, framing="chunked", chunks=pieces(body, size))


ROWS: Final = (
    Fault(
        name="control.chunked",
        play=_in_chunks,
        meaning="The good body comes in chunks of a few bytes.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/0xPlaygrounds/rig/issues/1758",),
        parameters=(Parameter("bytes", 7, minimum=1, maximum=4096),),
        streamed="never",
        instead=("control.stream_bytes",),
    ),
    Fault(
        name="control.no_length",
        play=connection(framing="close"),
        meaning="The good body ends with the connection.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/huggingface/huggingface_hub/pull/3437",),
        streamed="bytes",
    ),
    Fault(
        name="control.connection_close",
        play=_with(connection="close"),
        meaning="The good reply closes the connection.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/anthropics/claude-code/issues/89608",),
        streamed="bytes",
    ),
    Fault(
        name="control.header_upper",
        play=_capitals,
        meaning="The names of the headers are in capitals.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://www.rfc-editor.org/rfc/rfc9110#section-5.1",),
        streamed="bytes",
    ),
    Fault(
        name="control.content_type_charset",
        play=_with(content_type="application/json; charset=utf-8"),
        meaning="The type names its charset.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1",),
        streamed="never",
        instead=("control.stream_charset",),
    ),
    Fault(
        name="control.content_type_upper",
        play=_with(content_type="Application/JSON"),
        meaning="The type is in capitals.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://www.rfc-editor.org/rfc/rfc9110#section-8.3.1",),
        streamed="never",
    ),
    Fault(
        name="control.content_type_problem",
        play=_with(content_type="application/vnd.api+json"),
        meaning="The type is a kind of JSON.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://www.rfc-editor.org/rfc/rfc6839#section-3.1",),
        streamed="never",
    ),
    Fault(
        name="control.gzip",
        play=_compressed,
        meaning="The good body is compressed because the client takes it.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/Anionex/agent-vision-toolkit/pull/36",),
        streamed="bytes",
    ),
    Fault(
        name="control.early_hints",
        play=lambda base: dataclasses.replace(base.reply, raw_head=_HINTS + base.reply.head()),
        meaning="An interim reply comes before the good one.",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://www.rfc-editor.org/rfc/rfc8297",),
        streamed="bytes",
    ),
    Fault(
        name="control.reason_phrase_empty",
        play=_unphrased,
        meaning="The status line has no phrase.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://www.rfc-editor.org/rfc/rfc9112#section-4",),
        streamed="bytes",
    ),
    Fault(
        name="control.http_1_0",
        play=_in_http_1_0,
        meaning="The good reply is in the older version of HTTP.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://www.rfc-editor.org/rfc/rfc9112#section-2.3",),
        streamed="bytes",
    ),
    Fault(
        name="control.status_201",
        play=connection(status=201),
        meaning="The good reply has the status Created.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://www.rfc-editor.org/rfc/rfc9110#section-15.3.2",),
        streamed="bytes",
    ),
    Fault(
        name="control.ratelimit_sentinel",
        play=_with(x_ratelimit_limit_tokens="-1", x_ratelimit_remaining_tokens="-1", x_ratelimit_reset_tokens="0"),
        meaning="The rate limit headers hold minus one.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=(
            "https://learn.microsoft.com/en-us/answers/questions/5625878/azure-openai-responses-api-x-ratelimit-headers-val",
        ),
        streamed="bytes",
    ),
    Fault(
        name="control.retry_after_on_success",
        play=_with(retry_after="7"),
        meaning="The good reply has a wait.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/promptfoo/promptfoo/pull/9872",),
        streamed="bytes",
    ),
)
