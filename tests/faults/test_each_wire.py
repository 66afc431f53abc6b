"""What holds for every row on every wire: it plays, or says why it does not, and never breaks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

import pytest

from pytest_llmfaults import Answer
from pytest_llmfaults._faults import CATALOGUE, Fault
from pytest_llmfaults._wires import WIRES, Wire
from pytest_llmfaults.errors import DoesNotApply, OtherWire
from tests.faults import editions
from tests.faults.editions import carried, healthy_for, kind_of, reply_to

_OLLAMA: Final = {
    "control.usage_plain",
    "envelope.created_iso",
    "finish.content_filter",
    "finish.content_filter_empty",
    "finish.content_filter_partial",
    "finish.tool_calls_with_text",
    "status.400_unsupported_parameter",
    "status.413_tokens_per_minute",
    "status.429_spend_limit",
    "status.429_spend_limit_retry_after",
    "usage.empty",
    "usage.list",
    "usage.null",
}

NEVER: Final[Mapping[str, set[str]]] = {
    "openai.chat": set(),
    "anthropic.messages": {"tools.arguments_object"},
    "openai.responses": {
        "control.error_null",
        "finish.tool_calls_with_text",
        "finish.tool_calls_without_calls",
        "tools.arguments_truncated_stop",
        "tools.calls_empty",
        "tools.finish_stop",
    },
    "gemini": {
        "finish.stop_upper",
        "finish.tool_calls_with_text",
        "finish.tool_calls_without_calls",
        "tools.arguments_object",
        "tools.calls_empty",
        "tools.finish_stop",
    },
    "ollama.chat": {
        *_OLLAMA,
        "control.tool_calls_content_empty",
        "reasoning.only_in_thinking",
        "tools.arguments_object",
        "tools.finish_stop",
        "tools.forced_ignored",
    },
    "ollama.generate": _OLLAMA,
}
"""Rows that a wire has the parts for, and of which the fixed requests and answers make nothing: they are healthy there,
or the wire cannot say them. Each refuses by name."""

ANSWERS: Final[Mapping[str, Answer]] = {
    "nothing": Answer(""),
    "text": Answer("Hold."),
    "thoughts": Answer("Hold.", reasoning="Hm."),
    "data": editions.FIXED["data"][1],
    "calls": editions.CALLS,
    "offered calls": Answer(tool_calls="offered"),
}

each_wire = pytest.mark.parametrize("wire", WIRES.values(), ids=lambda wire: wire.name)
plain_and_streamed = pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])


def rows(wire: Wire) -> list[Fault]:
    return [row for row in CATALOGUE.values() if row.applies_to(wire)]


@plain_and_streamed
@each_wire
def test_a_row_plays_or_says_why_not_and_is_pure(wire: Wire, stream: bool) -> None:
    where = re.escape(f"{'' if wire.path else wire.routes[0]}")
    for row in rows(wire):
        first, second = (carried(wire, row, stream=stream) for _ in range(2))
        assert first == second, row.name
        if first is None:
            words = rf"^{row.name} does not apply to POST api\.example\.com[^ ]*{where}: .+\.$"
            with pytest.raises(DoesNotApply, match=words) as refusal:
                reply_to(wire, row, stream=stream)
            assert not isinstance(refusal.value, OtherWire), row.name


@each_wire
def test_rows_that_are_never_played(wire: Wire) -> None:
    never = {row.name for row in rows(wire) if not any(carried(wire, row, stream=stream) for stream in (False, True))}
    assert never == NEVER[wire.name]


@each_wire
def test_a_row_of_another_wire_is_refused_by_name(wire: Wire) -> None:
    for row in CATALOGUE.values():
        if not row.applies_to(wire):
            words = rf"^{row.name} does not apply to the wire {re.escape(wire.name)}, which .+\.$"
            with pytest.raises(OtherWire, match=words.replace("which", "(which|it)")):
                reply_to(wire, row)


@plain_and_streamed
@each_wire
def test_no_two_rows_are_the_same(wire: Wire, stream: bool) -> None:
    seen: dict[Any, str] = {}
    for row in rows(wire):
        made = carried(wire, row, stream=stream)
        if made is not None:
            key = (kind_of(row), made.connection, made.script())
            assert seen.setdefault(key, row.name) == row.name


@plain_and_streamed
@each_wire
def test_no_row_breaks_on_an_answer_that_lacks_its_part(wire: Wire, stream: bool) -> None:
    def played(row: Fault) -> Iterator[bool]:
        for kind in editions.FIXED:
            for answer in ANSWERS.values():
                try:
                    row.reply(healthy_for(wire, row, kind, answer, stream=stream))
                except DoesNotApply:
                    yield False
                else:
                    yield True

    made = [one for row in rows(wire) for one in played(row)]
    assert made.count(True) > len(made) / 3
