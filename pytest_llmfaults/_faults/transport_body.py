"""What happens to the connection in the body, and how the body's end is told."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable
from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._reply import Chunk, Ending, Pause, Reply

__all__ = ["AT", "ROWS", "cut_at", "first_bytes"]

_PIECES: Final = 20
AT: Final = Parameter("at", 0.5, minimum=0.05, maximum=0.95)
"""How much of the body comes, as a share of its bytes."""


def cut_at(body: bytes, at: float) -> bytes:
    """Return the first part of ``body``, ``at`` of its bytes."""
    return body[: int(at * len(body))]


def first_bytes(chunks: Iterable[Chunk], count: int) -> tuple[Chunk, ...]:
    """Return the chunks up to a number of bytes, the last one cut there."""
    found: list[Chunk] = []
    for chunk in chunks:
        if count <= 0:
            break
        part = chunk if isinstance(chunk, Pause) else chunk[:count]
        found.append(part)
        count -= 0 if isinstance(part, Pause) else len(part)
    return tuple(found)


def _part(reply: Reply, at: float) -> tuple[Chunk, ...]:
    return first_bytes(reply.chunks, int(at * len(reply.body)))


def _declared(reply: Reply, length: int | None = None) -> Reply:
    """Declare a length, the whole one by default; a body that comes in chunks has none."""
    if reply.framing != "length":
        return reply
    return reply.with_headers(content_length=str(len(reply.body) if length is None else length))


def _stops(ending: Ending) -> Play:
    """Make a fault that declares the whole length, sends a part of the body and then only ``ending``."""

    def play(base: Healthy, at: float) -> Reply:
        return dataclasses.replace(_declared(base.reply), chunks=_part(base.reply, at), ending=ending)

    return play


def _chunked(chunks: Callable[..., tuple[Chunk, ...]]) -> Play:
    """Make a fault with a chunked body whose last chunk never comes."""

    def play(base: Healthy, **values: Any) -> Reply:
        body = chunks(base.reply, **values)
        return dataclasses.replace(base.reply, framing="chunked", ending="cut", chunks=body)

    return play


def _dripped(base: Healthy, seconds: float) -> Reply:
    body = base.reply.body
    size = -(-len(body) // _PIECES)
    pieces = [body[start : start + size] for start in range(0, len(body), size)]
    chunks = tuple(part for piece in pieces for part in (Pause(float(seconds)), piece))
    return dataclasses.replace(_declared(base.reply), chunks=chunks)


def _badly_framed(base: Healthy) -> Reply:
    reply = base.reply.with_headers(transfer_encoding="chunked")
    return dataclasses.replace(reply, framing="length", ending="cut")


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
        streamed="never",
        instead=("transport.chunked_cut",),
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
        play=lambda base: dataclasses.replace(_declared(base.reply, len(base.reply.body) + 16), ending="cut"),
        meaning="The declared length is larger than the whole body, and the peer then closes.",
        draw="fresh",
        wish="retry",
        stays="The JSON is whole: a client that keeps what it has read has the answer.",
        sources=("https://github.com/huggingface/huggingface_hub/pull/3437",),
        streamed="never",
        instead=("transport.chunked_cut",),
    ),
    Fault(
        name="transport.content_length_too_short",
        play=lambda base: _declared(base.reply, len(base.reply.body) - 16).with_headers(connection="keep-alive"),
        meaning="The declared length is smaller than the body, so that the client sees a cut one.",
        draw="fresh",
        wish="retry",
        sources=(
            "https://github.com/xoai/sage-wiki/issues/114",
            "https://github.com/huggingface/huggingface_hub/pull/3437",
        ),
        streamed="never",
        instead=("transport.chunked_cut",),
    ),
    Fault(
        name="transport.chunked_cut",
        play=_chunked(_part),
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
        play=_chunked(lambda reply: reply.chunks),
        meaning="A chunked body is whole, but its last chunk is missing.",
        draw="fresh",
        scope="partial",
        wish="retry",
        stays="The JSON is whole: a client that keeps what it has read has the answer.",
        sources=("https://github.com/openai/openai-python/issues/2065",),
    ),
    Fault(
        name="transport.chunked_empty",
        play=_chunked(lambda _reply: ()),
        meaning="A chunked body is announced and the peer closes without one chunk.",
        draw="fresh",
        wish="retry",
        stays="Nothing was sent: a client that keeps what it has read has nothing.",
        sources=("https://github.com/urllib3/urllib3/issues/1352",),
    ),
    Fault(
        name="transport.chunked_bad_frame",
        play=_badly_framed,
        meaning="The body is announced as chunked and is not framed so.",
        draw="fresh",
        wish="retry",
        stays=_stays.LIBRARY,
        sources=("https://github.com/urllib3/urllib3/issues/1352",),
    ),
)
