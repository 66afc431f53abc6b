"""Hypothesis strategies: replies of a gateway that are valid, nearly valid and broken.

They are made by changing healthy replies, at the slots that a wire names and everywhere else, and by playing the
faults of the catalogue. What comes up often follows public reports. What is drawn is shown as one line that can be
pasted into a test, and shrinks to one change, the plainest that still shows.

Example:
    >>> from hypothesis import given
    >>> from pytest_llmfaults import strategies
    >>> @given(strategies.envelopes("openai.chat"))
    ... def test_my_parser_is_total(envelope): ...
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeVar

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import Fault, fault
from pytest_llmfaults._injection import Step, checked_step
from pytest_llmfaults._strategies import answering, draw, stream_table, table, texts, values
from pytest_llmfaults._strategies.bases import Asked
from pytest_llmfaults._strategies.edits import (
    PARSED,
    Edit,
    content_type,
    cut,
    duplicate,
    encode,
    foreign,
    nest,
    put,
    remove,
    rename,
    retype,
    reverse,
)
from pytest_llmfaults._strategies.events import framed, insert, packets, swap
from pytest_llmfaults._strategies.families import Families, check_each, named, patterns
from pytest_llmfaults._strategies.parameters import degrees
from pytest_llmfaults._strategies.stream_variant import StreamVariant, stream
from pytest_llmfaults._strategies.table import View
from pytest_llmfaults._strategies.variant import Variant, variant
from pytest_llmfaults._wires import wire as wire_called
from pytest_llmfaults.errors import InvalidUse

__all__ = [
    "PARSED",
    "Edit",
    "StreamVariant",
    "Variant",
    "answers",
    "bodies",
    "content_type",
    "cut",
    "duplicate",
    "encode",
    "envelopes",
    "fault",
    "faults",
    "foreign",
    "framed",
    "insert",
    "nest",
    "packets",
    "put",
    "remove",
    "rename",
    "retype",
    "reverse",
    "sequences",
    "stream",
    "streams",
    "structured_text",
    "swap",
    "tool_arguments",
    "variant",
    "variants",
]

T = TypeVar("T")
_MOST_STEPS: Final = 16


def envelopes(
    wire: str, *, families: Families = None, request: Asked | None = None, answer: Answer | None = None
) -> SearchStrategy[Any]:
    """Draw envelopes: the JSON of a reply of status 200, as ``response.json()`` returns it.

    Args:
        wire: the wire's name.
        families: the faults that may be among the changes: families, names, globs or presets; None is all, and
            an empty list is none, which leaves edits.
        request: the JSON body of the request that is answered, so that tools and schemas fit; None is a plain one,
            and replies with calls and data are drawn as well.
        answer: what the healthy model says; None is what fits the request.

    Raises:
        InvalidUse: an argument is not what it may be, or of one of the families nothing can come.

    Example:
        >>> @given(strategies.envelopes("openai.chat"))
        ... def test_my_parser_is_total(envelope):
        ...     try:
        ...         my_parser(envelope)
        ...     except MyError:
        ...         pass
    """
    return _drawn(wire, "envelope", families, request, answer, values.envelope)


def bodies(
    wire: str, *, families: Families = None, request: Asked | None = None, answer: Answer | None = None
) -> SearchStrategy[bytes]:
    """Draw bodies: the bytes of a reply of status 200, JSON or not.

    See :func:`envelopes` for the arguments and what is raised.
    """
    return _drawn(wire, "body", families, request, answer, values.body)


def variants(
    wire: str, *, families: Families = None, request: Asked | None = None, answer: Answer | None = None
) -> SearchStrategy[Variant]:
    """Draw variants: whole replies with what was done to them; each is a step of ``inject``.

    See :func:`envelopes` for the arguments and what is raised.

    Example:
        >>> @given(variant=strategies.variants("openai.chat"))
        ... def test_only_my_own_errors(llmfaults, variant):
        ...     with llmfaults.inject(variant):
        ...         ask()
    """
    return _drawn(wire, "reply", families, request, answer, values.whole)


def streams(
    wire: str, *, families: Families = None, request: Asked | None = None, answer: Answer | None = None
) -> SearchStrategy[StreamVariant]:
    """Draw streams: events removed, twice, in another order, null, foreign, changed inside; framing, packets, bytes.

    ``packets`` is what a reader reads; each is a step of ``inject``, too, for requests with ``stream=true``.
    See :func:`envelopes` for the arguments and what is raised; ``request`` need not say ``stream``.

    Raises:
        InvalidUse: an argument is not what it may be, or the wire does not stream.

    Example:
        >>> @given(strategies.streams("openai.chat"))
        ... def test_packet_boundaries_say_nothing(stream):
        ...     assert told(stream.packets) == told([stream.body])
    """
    chosen = patterns(families)
    found = stream_table.tables(_text("wire", wire), named(chosen, stream=True), request, answer)
    check_each(chosen, stream=True, shows=lambda row: stream_table.shows(found, row), where=f"a stream of {wire}")
    return draw.drawn_from(found, stream_table.drawn_stream)


def faults(wire: str, families: Families = None, draw: str | None = None) -> SearchStrategy[Fault]:
    """Draw faults of the catalogue, with values for their parameters.

    Args:
        wire: the wire's name.
        families: families, names, globs or presets, one at least. None is every fault that any reply can carry; those
            that need a tool call or structured data come only when they are named, since the request has to ask for
            these.
        draw: only faults whose next draw is this: ``fresh``, ``same`` or ``depends``.

    Raises:
        InvalidUse: an argument is not what it may be, or no fault is named or left.

    Example:
        >>> @given(fault=strategies.faults("openai.chat", draw="fresh"))
        ... def test_the_next_attempt_heals(llmfaults, fault):
        ...     with llmfaults.inject(fault, "ok"):
        ...         assert ask() == "Hello from a healthy model."
    """
    known = wire_called(_text("wire", wire))
    chosen = patterns(families)
    if chosen == ():
        msg = f"families={families!r} names no fault. Leave it out for every fault that any reply can carry."
        raise InvalidUse(msg)
    rows = [row for row in named(chosen, stream=False, draw=draw) if row.applies_to(known)]
    if chosen is None:
        rows = [row for row in rows if answering.fits_any_reply(row, known.name)]
    if not rows:
        msg = f"families={families!r} leaves no fault for the wire {known.name}."
        raise InvalidUse(msg)
    return degrees(rows, known.name)


def answers() -> SearchStrategy[Answer]:
    """Draw what a healthy model may say: texts, reasoning, data and calls, all of them valid.

    Example:
        >>> @given(answer=strategies.answers())
        ... def test_text_comes_through(llmfaults, answer):
        ...     with llmfaults.inject(answer):
        ...         assert ask() == (answer.text or "")
    """
    return answering.answers()


def tool_arguments(schema: Any) -> SearchStrategy[str]:
    """Draw the arguments of a tool call, as the text on the wire: valid, nearly valid and broken.

    Args:
        schema: the JSON schema of the tool's parameters, or the whole tool as a request lists it.

    Raises:
        InvalidUse: it is no schema of an object, or no valid value of it could be made; the text names what is
            in the way.
    """
    return texts.tool_arguments(schema)


def structured_text(schema: Any) -> SearchStrategy[str]:
    """Draw the text of an answer that was asked for as JSON: valid, nearly valid and broken.

    Args:
        schema: the JSON schema that the request named, or its whole ``response_format``.

    Raises:
        InvalidUse: it is no schema, or no valid value of it could be made; the text names what is in the way.
    """
    return texts.structured_text(schema)


def sequences(
    steps: SearchStrategy[Any], *, max_size: int = 3, then: Step | None = "ok"
) -> SearchStrategy[tuple[Step, ...]]:
    """Draw what happens to one attempt after the other: ``inject(*steps)``.

    Args:
        steps: what may happen to an attempt: ``faults(...)``, ``variants(...)``, ``answers()``, or one of your own.
        max_size: the greatest number of them.
        then: the last step, which repeats; None leaves the last of the drawn ones to repeat.

    Raises:
        InvalidUse: an argument is not what it may be.

    Example:
        >>> fresh = strategies.faults("openai.chat", draw="fresh")
        >>> @given(steps=strategies.sequences(fresh, max_size=2))
        ... def test_two_retries(llmfaults, steps):
        ...     with llmfaults.inject(*steps):
        ...         assert ask() == "Hello from a healthy model."
    """
    if not isinstance(steps, SearchStrategy):
        msg = f"steps={steps!r} is not a strategy, such as strategies.faults('openai.chat')."
        raise InvalidUse(msg)
    if not isinstance(max_size, int) or isinstance(max_size, bool) or not 1 <= max_size <= _MOST_STEPS:
        msg = f"max_size={max_size!r} is not allowed: it is an integer from 1 to {_MOST_STEPS}."
        raise InvalidUse(msg)
    if then is None:
        return st.lists(steps, min_size=1, max_size=max_size).map(values.Steps)
    checked_step(then)
    return st.lists(steps, max_size=max_size).map(lambda drawn: values.Steps((*drawn, then)))


def _drawn(
    wire: str,
    view: View,
    families: Families,
    request: Asked | None,
    answer: Answer | None,
    finish: Callable[[values.Drawn], T],
) -> SearchStrategy[T]:
    chosen = patterns(families)
    found = draw.tables(_text("wire", wire), view, named(chosen, stream=False), request, answer)
    bases = tuple(one.context.base for one in found)
    article = "an" if view == "envelope" else "a"
    where = f"{article} {view} of {wire}"
    check_each(chosen, stream=False, shows=lambda row: table.shows(bases, view, row), where=where)
    return draw.drawn_from(found, finish)


def _text(name: str, value: Any) -> str:
    if not isinstance(value, str):
        msg = f"{name}={value!r} is not a name."
        raise InvalidUse(msg)
    return value
