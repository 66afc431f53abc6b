"""Good streams whose events are written, or sent, in an unusual way."""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Callable, Iterator
from typing import Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._faults._said import resaid
from pytest_llmfaults._faults._streams import done_of, events, framed, of_sse, packed, parts
from pytest_llmfaults._faults.control_http import pieces
from pytest_llmfaults._reply import Pause, Reply
from pytest_llmfaults._wires._encoding import Event, Part
from pytest_llmfaults._wires._sse import Framing
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["ROWS"]

_CHARACTERS: Final = "\u00e9\u2713\U0001f600"
_COMMENT: Final = Event.comment("OPENROUTER PROCESSING")
_BEFORE_LAST_LF: Final = re.compile(rb"(?<=\r\n\r)(?=\n)")


def _commented(base: Healthy, count: int, seconds: float) -> list[Part]:
    beat: list[Part] = [Pause(float(seconds)), _COMMENT] if seconds else [_COMMENT]
    return [*(beat * count), *parts(base)]


def _each(change: Callable[[Event, int], tuple[Part, ...]]) -> Play:
    """Make a fault that sends ``change(event, number)`` for each event; numbers count from 1."""

    def sent(base: Healthy) -> Iterator[Part]:
        for number, part in enumerate(parts(base), 1):
            yield from change(part, number) if isinstance(part, Event) else (part,)

    return events(sent)


def _field(name: str, value: Callable[[int], str]) -> Play:
    """Make a fault that puts a line above the data of each event."""
    return _each(lambda event, number: (Event(((name, value(number)), *event.lines)),))


def _two_lines(event: Event, _number: int) -> tuple[Part, ...]:
    text = event.text or ""
    if not text.startswith("{"):
        return (event,)
    return (Event((*event.with_text("{").lines, ("data", text[1:]))),)


def _id_then_comment(base: Healthy) -> list[Part]:
    first, *rest = parts(base)
    lines = first.lines if isinstance(first, Event) else ()
    return [Event((("id", "1"), *lines)), Event.comment("ping"), *rest]


def _in_character(slot: str) -> Play:
    """Make a fault whose writes end inside characters that were put into a text of the answer."""

    def play(base: Healthy) -> Reply:
        reply = base.with_envelope(resaid(base, lambda text: text + _CHARACTERS, slot))
        if _CHARACTERS.encode() not in reply.body:
            msg = "it strikes in characters of one piece, and the text is cut between them. Give a longer answer=."
            raise DoesNotApply(msg)
        return dataclasses.replace(reply, chunks=_cut(reply.body))

    return play


def _cut(body: bytes) -> tuple[bytes, ...]:
    """Cut a body after the first byte of each of the characters."""
    start = body.index(_CHARACTERS.encode())
    widths = [len(character.encode()) for character in _CHARACTERS]
    bounds = [0, *(start + sum(widths[:index]) + 1 for index in range(len(widths))), len(body)]
    return tuple(body[one:other] for one, other in zip(bounds, bounds[1:], strict=False))


def _in_bytes(base: Healthy, bytes: int) -> Reply:  # noqa: A002 - the parameter's name
    return dataclasses.replace(base.reply, chunks=pieces(base.reply.body, bytes))


def _spaced_done(base: Healthy) -> list[Part]:
    done = done_of(base)
    return [*parts(base, done=False), done.with_text(f" {done.text} ")]


_good = functools.partial(Fault, draw="same", scope="partial", wish="survive", streamed="only")

ROWS: Final = (
    _good(
        name="control.stream_comment",
        play=events(_commented),
        meaning="Comments keep the stream alive before its first event.",
        touches=("server_sent_events",),
        stays=_stays.LOOKALIKE,
        parameters=(
            Parameter("count", 2, minimum=1, maximum=100),
            Parameter("seconds", 0.0, minimum=0.0, maximum=120.0),
        ),
        sources=(
            "https://github.com/brainlid/langchain/pull/569",
            "https://openrouter.ai/docs/api-reference/streaming",
        ),
    ),
    _good(
        name="control.stream_comment_between",
        play=_each(lambda event, _number: (Event.comment("keepalive"), event)),
        meaning="Comments stand between the events.",
        touches=("server_sent_events",),
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/brainlid/langchain/pull/569", "https://github.com/earendil-works/pi/issues/5558"),
    ),
    _good(
        name="control.stream_retry_field",
        play=events(lambda base: (Event((("retry", "3000"),)), *parts(base))),
        meaning="An event has only the time to reconnect.",
        touches=("server_sent_events",),
        sources=("https://github.com/openai/openai-python/issues/2722",),
    ),
    _good(
        name="control.stream_ids",
        play=_field("id", str),
        meaning="Each event has an id.",
        touches=("server_sent_events",),
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/openai/openai-python/issues/2722",),
    ),
    _good(
        name="control.stream_id_then_comment",
        play=events(_id_then_comment),
        meaning="An id is followed by a comment and a blank line.",
        touches=("server_sent_events",),
        sources=("https://github.com/openai/openai-python/issues/2722",),
    ),
    _good(
        name="control.stream_event_field",
        play=_field("event", lambda _number: "message"),
        meaning="Each event has a name.",
        touches=("choices",),
        sources=("https://github.com/vllm-project/agentic-api/issues/168",),
    ),
    _good(
        name="control.stream_multiline_data",
        play=_each(_two_lines),
        meaning="The JSON of an event stands on two data lines.",
        touches=("server_sent_events",),
        sources=("https://github.com/BerriAI/litellm/issues/14747",),
    ),
    _good(
        name="control.stream_no_space",
        play=framed(Framing(space="")),
        meaning="No space stands after the word data.",
        touches=("server_sent_events",),
        sources=(
            "https://github.com/openai/openai-python/issues/498",
            "https://github.com/lidge-jun/opencodex/pull/1188",
        ),
    ),
    _good(
        name="control.stream_no_done_space",
        play=events(_spaced_done),
        meaning="White space stands around the end mark.",
        touches=("end_mark",),
        sources=("https://github.com/lidge-jun/opencodex/pull/1188",),
    ),
    _good(
        name="control.stream_crlf",
        play=framed(Framing(line_end="\r\n")),
        meaning="The lines end in CR LF.",
        touches=("server_sent_events",),
        stays=_stays.LOOKALIKE,
        sources=(
            "https://github.com/Continuum-AI-Corp/OrcaRouter-Lite/pull/98",
            "https://github.com/vercel/ai/pull/6200",
        ),
    ),
    _good(
        name="control.stream_cr",
        play=framed(Framing(line_end="\r")),
        meaning="The lines end in CR.",
        touches=("server_sent_events",),
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/Continuum-AI-Corp/OrcaRouter-Lite/pull/98",),
    ),
    _good(
        name="control.stream_crlf_split",
        play=of_sse(packed(_BEFORE_LAST_LF.split, Framing(line_end="\r\n"))),
        meaning="A CR LF is split between two writes.",
        touches=("server_sent_events",),
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/withastro/flue/pull/215",),
    ),
    _good(
        name="control.stream_bytes",
        play=_in_bytes,
        meaning="The bytes come in writes of a few.",
        stays=_stays.LOOKALIKE,
        parameters=(Parameter("bytes", 1, minimum=1, maximum=4096),),
        sources=(
            "https://github.com/vllm-project/vllm/pull/38732",
            "https://github.com/deeplethe/utopia/pull/764",
            "https://github.com/0xPlaygrounds/rig/issues/1758",
        ),
    ),
    _good(
        name="control.stream_one_write",
        play=packed(lambda body: (body,)),
        meaning="All events come in one write.",
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/sourcegraph/cody/pull/3481",),
    ),
    _good(
        name="control.stream_split_character",
        play=_in_character("content"),
        meaning="A write ends inside a character.",
        slot="content",
        sources=("https://github.com/vllm-project/vllm/pull/38732", "https://github.com/deeplethe/utopia/pull/764"),
    ),
    _good(
        name="control.stream_arguments_non_ascii",
        play=_in_character("arguments"),
        meaning="A write ends inside a character of the arguments.",
        slot="arguments",
        needs="tool_calls",
        sources=("https://github.com/deeplethe/utopia/pull/764",),
    ),
    _good(
        name="control.stream_charset",
        play=of_sse(lambda base: base.reply.with_headers(content_type="text/event-stream; charset=utf-8")),
        meaning="The type of the stream names its charset.",
        touches=("server_sent_events",),
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/databrickslabs/coding-agents-databricks-apps/issues/97",),
    ),
    _good(
        name="control.stream_bom",
        play=of_sse(packed(lambda body: (b"\xef\xbb\xbf" + body,))),
        meaning="A byte order mark stands before the stream.",
        touches=("server_sent_events",),
        stays=_stays.LOOKALIKE,
        sources=("https://html.spec.whatwg.org/multipage/server-sent-events.html#parsing-an-event-stream",),
    ),
)
