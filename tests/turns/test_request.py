"""What the next request says: messages, calls, results."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_llmfaults._request import Request
from pytest_llmfaults._turns import ToolResult
from tests.turns.kit import call, calling, request, result, says


def test_results_carry_the_name_of_their_call() -> None:
    asked = request(
        says("user"),
        calling(call("a", name="look"), call("b", name="count")),
        result("b", "2"),
        result("a", "found"),
    )
    assert asked.tool_results == [("b", "count", "2"), ("a", "look", "found")]
    assert asked.tool_results[0].tool_call_id == "b"


def test_a_result_that_names_its_tool_is_believed() -> None:
    asked = request(calling(call("a", name="look")), result("a", name="other"))
    assert asked.tool_results == [ToolResult("a", "other", "found")]


def test_a_result_of_nothing_has_no_name() -> None:
    asked = request(
        calling(call(None)), result(None), result("zzz", [{"type": "text", "text": "in"}, {"text": " parts"}])
    )
    assert asked.tool_results == [(None, None, "found"), ("zzz", None, "in parts")]


def test_calls_are_those_of_the_last_assistant_turn() -> None:
    first, second = call("a"), call("b", '{"x": 1}')
    assert request(calling(first), result("a"), calling(second), result("b")).tool_calls == [second]
    assert request(calling(first), result("a"), says("assistant")).tool_calls == []
    assert request(says("user")).tool_calls == []


@pytest.mark.parametrize(
    "messages",
    [
        ["text", None, 1, []],
        [{"role": "tool"}, {"role": ["tool"]}],
        [{"role": "assistant", "tool_calls": "none"}, {"role": "assistant", "tool_calls": [None, "x"]}],
        [{"role": "assistant", "tool_calls": [{"id": 7, "function": "look"}]}, {"role": "tool", "content": 5}],
    ],
)
def test_whatever_a_client_sends_can_be_read(messages: list[Any]) -> None:
    asked = request(*messages)
    assert asked.messages == messages
    assert all(name is None and text == "" for _, name, text in asked.tool_results)
    assert all(isinstance(one, dict) for one in asked.tool_calls)


def test_a_request_without_a_conversation_has_none() -> None:
    empty = Request("POST", "https://gateway.example.com/", body=b"no json")
    assert (empty.messages, empty.tool_calls, empty.tool_results) == ([], [], [])
