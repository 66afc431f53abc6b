"""What happens to the connection in the body, and how the body's end is told."""

from __future__ import annotations

import dataclasses
from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._reply import Ending, Pause, Reply

__all__ = ["AT", "ROWS", "cut_at"]

_PIECES: Final = 20
AT: Final = Parameter("at", 0.5, minimum=0.05, maximum=0.95)
"""How much of the body comes, as a share of its bytes."""


def cut_at(body: bytes, at: float) -> bytes:
    """Return the first part of ``body``, ``at`` of its bytes."""
    return body[: int(at * len(body))]


def _declared(base: Healthy, length: int) -> Reply:
    return base.reply.with_headers(content_length=str(length))


def _stops(ending: Ending) -> Play:
    """Make a fault that declares the whole length, sends a part of the body and then only ``ending``."""

    def play(base: Healthy, at: float) -> Reply:
        body = base.reply.body
        return dataclasses.replace(_declared(base, len(body)), chunks=(cut_at(body, at),), ending=ending)

    return play


def _chunked(chunks: Any = None, **changes: Any) -> Play:
    """Make a fault with a chunked body whose last chunk never comes."""

    def play(base: Healthy, **values: Any) -> Reply:
        body = base.reply.chunks if chunks is None else chunks(base.reply.body, **values)
        return dataclasses.replace(base.reply, framing="chunked", ending="cut", chunks=body, **changes)

    return play


def _dripped(base: Healthy, seconds: float) -> Reply:
    body = base.reply.body
    size = -(-len(body) // _PIECES)
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    chunks = tuple(part for piece in pieces for part in (Pause(float(seconds)), piece))
    return dataclasses.replace(_declared(base, len(body)), chunks=chunks)


ROWS: Final = (
    Fault(
        name="transport.reset_peer_in_body",
        play=_stops("reset"),
        meaning="The peer resets the connection in the midst of the body.",
        draw="fresh",
        wish="retry",
        stays=_stays.LIBRARY,
        sources=(
            "https://github.com/vercel/ai/pull/17628",
            "https://github.com/PostHog/posthog/pull/50795",
            "https://github.com/replikativ/dvergr/issues/59",
        ),
        parameters=(AT,),
    ),
    Fault(
        name="transport.closed_in_body",
        play=_stops("cut"),
        meaning="The peer closes the connection before the declared length is reached.",
        draw="fresh",
        wish="retry",
        stays=_stays.LIBRARY,
        sources=("https://github.com/huggingface/huggingface_hub/pull/3437", "https://github.com/vercel/ai/pull/17628"),
        parameters=(AT,),
    ),
    Fault(
        name="transport.timeout_in_body",
        play=_stops("stalled"),
        meaning="The body starts and then stalls for ever.",
        draw="fresh",
        wish="retry",
        stays=_stays.LIBRARY,
        sources=(
            "https://github.com/anthropics/anthropic-sdk-typescript/issues/867",
            "https://github.com/anthropics/anthropic-sdk-python/issues/1919",
            "https://github.com/replikativ/dvergr/issues/59",
        ),
        parameters=(AT,),
    ),
    Fault(
        name="transport.slow_drip",
        play=_dripped,
        meaning="The healthy reply arrives in small pieces with a long pause before each.",
        draw="fresh",
        scope="partial",
        wish="survive",
        sources=("https://github.com/Daily-Nerd/daimon/pull/302",),
        parameters=(Parameter("seconds", 20.0, minimum=0.001, maximum=600.0),),
    ),
    Fault(
        name="transport.content_length_too_long",
        play=lambda base: dataclasses.replace(_declared(base, len(base.reply.body) + 16), ending="cut"),
        meaning="The declared length is larger than the whole body, and the peer then closes.",
        draw="fresh",
        wish="retry",
        stays="The JSON is whole: a client that keeps what it has read has the answer.",
        sources=("https://github.com/huggingface/huggingface_hub/pull/3437",),
    ),
    Fault(
        name="transport.content_length_too_short",
        play=lambda base: _declared(base, len(base.reply.body) - 16).with_headers(connection="keep-alive"),
        meaning="The declared length is smaller than the body, so that the client sees a cut one.",
        draw="fresh",
        wish="retry",
        sources=(
            "https://github.com/xoai/sage-wiki/issues/114",
            "https://github.com/huggingface/huggingface_hub/pull/3437",
        ),
    ),
    Fault(
        name="transport.chunked_cut",
        play=_chunked(lambda body, at: (cut_at(body, at),)),
        meaning="A chunked body ends early, without its last chunk.",
        draw="fresh",
        wish="retry",
        stays=_stays.LIBRARY,
        sources=(
            "https://github.com/openai/openai-python/issues/2065",
            "https://github.com/lsdefine/GenericAgent/pull/648",
            "https://github.com/edly-io/sparkth/issues/189",
        ),
        parameters=(AT,),
    ),
    Fault(
        name="transport.chunked_unterminated",
        play=_chunked(),
        meaning="A chunked body is whole, but its last chunk is missing.",
        draw="fresh",
        scope="partial",
        wish="retry",
        stays="The JSON is whole: a client that keeps what it has read has the answer.",
        sources=("https://github.com/openai/openai-python/issues/2065",),
    ),
    Fault(
        name="transport.chunked_empty",
        play=_chunked(lambda _body: ()),
        meaning="A chunked body is announced and the peer closes without one chunk.",
        draw="fresh",
        wish="retry",
        stays="Nothing was sent: a client that keeps what it has read has nothing.",
        sources=("https://github.com/urllib3/urllib3/issues/1352",),
    ),
    Fault(
        name="transport.chunked_bad_frame",
        play=lambda base: dataclasses.replace(base.reply.with_headers(transfer_encoding="chunked"), ending="cut"),
        meaning="The body is announced as chunked and is not framed so.",
        draw="fresh",
        wish="retry",
        stays=_stays.LIBRARY,
        sources=("https://github.com/urllib3/urllib3/issues/1352",),
    ),
)
