"""Conversations that are made of items: what a request says in them, and which rules hold."""

from __future__ import annotations

import json
from typing import Any

import openai
import pytest
from item_conversations import ITEMS

from pytest_llmfaults import Answer, inject, strict
from pytest_llmfaults._request import Request
from pytest_llmfaults._rules import RULES
from pytest_llmfaults._wires import WIRES
from tests.turns.kit import request, says

WIRE = "openai.responses"
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": []}
TOOL: Any = {"type": "function", "name": "search", "parameters": {"type": "object", "properties": {}}, "strict": False}


def called(call_id: str, name: str = "look") -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": "{}"}


def came(call_id: str, output: Any = "found") -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": output}


def names(*items: Any) -> list[str]:
    return [one["name"] for one in request(*items, wire=WIRE).tool_calls]


def test_results_carry_the_name_of_their_call() -> None:
    asked = request(says("user"), called("a"), called("b", "count"), came("b", [{"text": "2"}]), came("a"), wire=WIRE)
    assert asked.tool_results == [("b", "count", "2"), ("a", "look", "found")]


def test_calls_are_those_of_the_last_turn() -> None:
    assert names(THOUGHT, called("a", "one"), called("b", "two"), came("a"), came("b")) == ["one", "two"]
    assert names(called("a", "one"), came("a"), THOUGHT, called("b", "two"), came("b")) == ["two"]
    assert names(called("a", "one"), came("a"), says("assistant")) == []
    assert names(says("assistant"), called("a", "one")) == ["one"]
    assert names(called("a", "one"), came("a"), THOUGHT) == []


def test_an_input_that_is_a_text_is_one_message() -> None:
    asked = Request("POST", "https://gateway.example.com/v1/responses", body=b'{"input": "hello"}')
    asked = WIRES[WIRE].takes(asked)
    assert asked.messages == [{"role": "user", "content": "hello"}]


def test_a_result_may_belong_to_a_call_that_the_provider_remembers() -> None:
    rule = RULES["turn.tool_result_known"]
    assert rule.asked(request(came("a"), wire=WIRE)) is not None
    assert rule.asked(request(came("a"), wire=WIRE, previous_response_id="resp_1")) is None


@pytest.mark.parametrize("name", ITEMS)
def test_the_official_client_meets_the_refusal(name: str) -> None:
    client = openai.OpenAI(api_key="placeholder-key", max_retries=0)
    with inject("ok"), strict(RULES[name]) as held:
        with pytest.raises(openai.BadRequestError):
            client.responses.create(model="gpt-5", input=ITEMS[name].broken)  # type: ignore[arg-type]
        client.responses.create(model="gpt-5", input=ITEMS[name].kept)  # type: ignore[arg-type]
    assert [one.rule for one in held.violations] == [name]


def test_what_the_model_said_comes_back_and_keeps_the_rules() -> None:
    client = openai.OpenAI(api_key="placeholder-key")
    items: list[Any] = [says("user", "Where do I live?")]
    with inject(Answer(reasoning="Hm.", tool_calls="offered"), Answer("In Oslo.")) as seen, strict("turn.*") as held:
        made = client.responses.create(model="gpt-5", input=items, tools=[TOOL])
        items += [json.loads(item.to_json()) for item in made.output]
        items += [came(item.call_id, "Oslo") for item in made.output if item.type == "function_call"]
        assert client.responses.create(model="gpt-5", input=items, tools=[TOOL]).output_text == "In Oslo."
    assert held.violations == []
    assert seen.requests[1].tool_results == [("call_000000000000000000000001", "search", "Oslo")]
