"""Each rule: what breaks it, what keeps it, and in which words it is refused."""

from __future__ import annotations

import json
from typing import Any

import pytest
import requests
from bedrock_conversations import BLOCK_UNIONS
from contents import CONTENTS
from conversations import BLOCKS, CONVERSATIONS, OF_MISTRAL, Conversation
from item_conversations import ITEMS
from plan_conversations import PLANS
from typed import TYPED

from pytest_llmfaults import inject, strict
from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import EDITION, fault, healthy
from pytest_llmfaults._rules import RULES, Breach, rules
from pytest_llmfaults._wires import WIRES
from tests.turns.kit import call, calling, request, result, says

WIRE = WIRES["openai.chat"]


def broken(name: str, *messages: Any) -> int | str | None:
    """Return the index of the message that breaks a rule; the text where it is the request; None when it is kept."""
    breach = RULES[f"turn.{name}"].asked(request(*messages))
    if breach is None:
        return None
    return breach.what if breach.index is None else breach.index


TABLES = {
    "openai.chat": CONVERSATIONS,
    "anthropic.messages": BLOCKS,
    "openai.responses": ITEMS,
    "gemini": CONTENTS,
    "bedrock.converse": BLOCK_UNIONS,
    "ollama.chat": TYPED,
    "cohere.chat": PLANS,
    "mistral.chat": OF_MISTRAL,
}
PLAYED = [(wire, name, one) for wire, table in TABLES.items() for name, one in table.items()]


@pytest.mark.parametrize(("wire", "name", "one"), PLAYED)
def test_a_rule_tells_two_neighbours_apart(wire: str, name: str, one: Conversation) -> None:
    breach = RULES[name].asked(request(*one.broken, wire=wire, **one.asks))
    assert breach is not None
    assert breach.index == one.at
    assert breach.what.startswith("the request has " if one.at is None else f"messages[{one.at}]")
    assert RULES[name].asked(request(*one.kept, wire=wire, **one.asks)) is None


def test_each_rule_has_a_conversation_on_each_of_its_wires() -> None:
    for wire, table in TABLES.items():
        assert set(table) == {name for name, rule in RULES.items() if wire in rule.wires}


def test_thinking_is_asked_for_in_the_open_turn_and_while_it_is_on() -> None:
    def rule(*messages: Any, **more: Any) -> Any:
        asks = {"thinking": {"type": "adaptive"}, **more}
        return RULES["turn.thinking_required"].asked(request(*messages, wire="anthropic.messages", **asks))

    broken = BLOCKS["turn.thinking_required"].broken
    assert rule(*broken).index == 1
    assert rule(*broken, thinking={"type": "disabled"}) is None
    assert rule(*broken, says("assistant"), says("user")) is None
    redacted = {"type": "redacted_thinking", "data": "x"}
    first, calling_turn, last = broken
    assert rule(first, {**calling_turn, "content": [redacted, *calling_turn["content"]]}, last) is None


def test_the_results_of_blocks_are_read() -> None:
    asked = request(*BLOCKS["turn.tool_results_complete"].kept, wire="anthropic.messages")
    assert [one["id"] for one in asked.tool_calls] == ["toolu_1", "toolu_2"]
    assert asked.tool_results == [("toolu_2", "recall", "Oslo"), ("toolu_1", "recall", "Oslo")]


def test_a_refusal_is_in_the_words_and_the_form_of_the_wire() -> None:
    reply = RULES["turn.tool_results_complete"].refusal(WIRES["anthropic.messages"], Breach("", 1))
    assert json.loads(reply.body)["error"] == {
        "type": "invalid_request_error",
        "message": "messages.1: each tool_use block needs a tool_result block in the next message.",
    }


def test_a_text_where_ollama_reads_an_object_is_refused_in_its_words() -> None:
    asked = {"model": "qwen3", "messages": TYPED["turn.arguments_object"].broken, "stream": False}
    with inject("ok"), strict("turn.*"):
        refused = requests.post("http://127.0.0.1:11434/api/chat", json=asked, timeout=5)
    assert refused.status_code == 400
    assert refused.json()["error"].startswith("json: cannot unmarshal string into Go struct field")


def test_parts_of_calls_and_their_results_are_read() -> None:
    call = {"functionCall": {"id": "a", "name": "recall", "args": {}}}
    result = {"functionResponse": {"id": "a", "response": {"result": "Oslo"}}}
    asked = request({"role": "model", "parts": [call]}, {"role": "user", "parts": [result]}, wire="gemini")
    assert asked.tool_calls == [call["functionCall"]]
    assert asked.tool_results == [("a", "recall", '{"result": "Oslo"}')]


def test_blocks_of_bedrock_are_read() -> None:
    asked = request(*BLOCK_UNIONS["turn.tool_results_complete"].kept, wire="bedrock.converse")
    assert [one["toolUseId"] for one in asked.tool_calls] == ["a", "b"]
    assert asked.tool_results == [("b", "recall", "Oslo"), ("a", "recall", "Oslo")]
    held = {"toolResult": {"toolUseId": "a", "content": [{"json": {"city": "Oslo"}}, {"text": "!"}, None]}}
    odd = request({"role": "user", "content": [held, {"toolResult": {"content": 7}}]}, wire="bedrock.converse")
    assert odd.tool_results == [("a", None, '{"city": "Oslo"}!'), (None, None, "")]


def test_results_need_not_name_their_calls_on_gemini() -> None:
    for one in CONTENTS.values():
        assert all(result.tool_call_id is None for result in request(*one.kept, wire="gemini").tool_results)


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_refused_with_400_and_json(name: str) -> None:
    reply = RULES[name].refusal(WIRE, Breach("what", 5))
    assert reply.status == 400
    assert reply.header("content-type") == "application/json"
    assert json.loads(reply.body)
    assert b"{index}" not in reply.body


@pytest.mark.parametrize("name", RULES)
def test_a_rule_says_what_it_is(name: str) -> None:
    rule = RULES[name]
    assert rule.name == name
    assert rule.family == "turn"
    assert rule.meaning.endswith(".")
    assert rule.sources
    assert all(url.startswith("https://") for url in rule.sources)
    assert 1 <= rule.since <= EDITION
    assert set(rule.wires) <= set(WIRES)
    assert repr(rule) == f"<rule {name}>"


@pytest.mark.parametrize(("name", "one"), [(name, one) for _, name, one in PLAYED])
def test_a_rule_is_asked_on_its_wires_only(name: str, one: Conversation) -> None:
    for other in (None, "mistral", *(set(WIRES) - set(RULES[name].wires))):
        assert RULES[name].asked(request(*one.broken, wire=other, **one.asks)) is None


@pytest.mark.parametrize("messages", [[], ["text", None], [{}], [{"role": None, "content": None}]])
@pytest.mark.parametrize("name", RULES)
def test_a_rule_takes_whatever_comes(name: str, messages: list[Any]) -> None:
    breach = RULES[name].asked(request(*messages))
    assert breach is None or name == "turn.content_non_empty"


def test_the_words_name_the_message() -> None:
    assert json.loads(RULES["turn.reasoning_required"].refusal(WIRE, Breach("", 4)).body)["error"] == {
        "message": "Missing reasoning_content field in the assistant message at message index 4.",
        "type": "invalid_request_error",
        "param": None,
        "code": "invalid_request_error",
    }


def test_mistral_and_gemini_have_forms_of_their_own() -> None:
    flat = json.loads(RULES["turn.user_after_tool"].refusal(WIRE, Breach("", 1)).body)
    assert (flat["object"], flat["type"]) == ("error", "invalid_request_message_order")
    [listed] = json.loads(RULES["turn.thought_signature_required"].refusal(WIRE, Breach("", 1)).body)
    assert listed["error"]["status"] == "INVALID_ARGUMENT"


def test_too_long_is_answered_as_the_fault_of_that_name() -> None:
    row = fault("status.400_context_length")
    reply = row.reply(healthy(WIRE, request(says("user")), Answer("x")))
    assert RULES["turn.context_limit"].refusal(WIRE, Breach("")) == reply


def test_the_limit_counts_characters_not_bytes_nor_escapes() -> None:
    rule = RULES["turn.context_limit"].with_values({"characters": 200})
    assert rule.label == "turn.context_limit(characters=200)"
    assert rule.asked(request(says("user", "ä" * 120))) is None  # 720 characters as escapes
    breach = rule.asked(request(says("user", "ä" * 200)))
    assert breach is not None
    assert breach.what == "the request has 259 characters, 200 are allowed"


def test_order() -> None:
    assert broken("user_after_tool", says("tool"), says("system"), says("user")) is None
    assert broken("alternating", says("system"), says("system"), says("tool"), says("tool")) is None
    assert broken("alternating", says("user"), calling(call()), says("assistant")) == 2
    assert broken("last_not_assistant", says("user"), calling(call()), result()) is None


def test_results_stand_directly_behind_their_calls() -> None:
    assert broken("tool_results_complete", calling(call("a")), says("user"), result("a")) == 0
    assert broken("tool_results_complete", says("user"), calling(call("a"))) == 1
    assert broken("tool_results_complete", calling(call("a")), result("a"), calling(call("b")), result("a")) == 2


def test_a_result_needs_a_call_before_it() -> None:
    assert broken("tool_result_known", result("a"), calling(call("a"))) == 0
    assert broken("tool_result_known", calling(call(None)), result(None)) == 1
    assert broken("tool_result_known", calling(call("a")), says("user"), result("a")) is None


@pytest.mark.parametrize("bad", [None, "", 7])
def test_ids_are_texts(bad: Any) -> None:
    assert broken("tool_call_id_text", calling(call("a"), call(bad)), result("a")) == 0
    assert broken("tool_call_id_text", calling(call("a")), result("a"), result(bad)) == 2


@pytest.mark.parametrize("bad", ["", "null", "[1]", '"{}"', '{"a": 1', None, {"a": 1}])
def test_arguments_are_the_text_of_an_object(bad: Any) -> None:
    assert broken("arguments_json", calling(call("a"), call("b", bad))) == 0
    assert broken("arguments_json", calling(call("a", '{"a": 1}'))) is None


def test_long_arguments_are_not_told_in_full() -> None:
    breach = RULES["turn.arguments_json"].asked(request(calling(call("a", "x" * 9000))))
    assert breach is not None
    assert len(breach.what) < 150


@pytest.mark.parametrize("empty", [None, "", [], [{"type": "text", "text": ""}]])
@pytest.mark.parametrize("role", ["user", "assistant", "tool", "system"])
def test_no_turn_is_empty(role: str, empty: Any) -> None:
    assert broken("content_non_empty", says("user"), says(role, empty)) == 1


@pytest.mark.parametrize(
    "message",
    [
        says("assistant", None, tool_calls=[call()]),
        says("assistant", None, function_call={"name": "look", "arguments": "{}"}),
        says("assistant", None, refusal="No."),
        says("assistant", None, audio={"id": "audio_1"}),
        says("user", [{"type": "image_url", "image_url": {"url": "https://example.com/1.png"}}]),
        says("user", " "),
    ],
)
def test_a_turn_without_text_may_hold_something_else(message: Any) -> None:
    assert broken("content_non_empty", message) is None


def test_an_empty_turn_with_calls_of_a_user_is_empty() -> None:
    assert broken("content_non_empty", says("user", "", tool_calls=[call()])) == 0


def test_reasoning() -> None:
    plain, thought = calling(call()), calling(call(), reasoning_content="Hm.")
    assert broken("reasoning_required", says("assistant"), thought, result(), plain) == 3
    assert broken("reasoning_required", calling(call(), reasoning_content=None)) == 0
    assert broken("reasoning_non_empty", plain) == 0
    assert broken("reasoning_forbidden", thought) == 0
    assert broken("reasoning_forbidden", calling(call(), reasoning_content=None)) == 0


def test_only_the_open_turn_needs_signatures() -> None:
    old = [says("user"), calling(call()), result(), says("assistant")]
    assert broken("thought_signature_required", *old, says("user")) is None
    assert broken("thought_signature_required", *old, says("user"), calling(call())) == 5
    assert broken("thought_signature_required", calling(call())) == 0


def test_a_model_can_sign_its_calls() -> None:
    from pytest_llmfaults import ToolCall

    answer = Answer(tool_calls=(ToolCall("look", {}, signature="c2ln"), ToolCall("look", {})))
    message = WIRE.envelope(request(says("user")), answer)["choices"][0]["message"]
    first, second = message["tool_calls"]
    assert first["extra_content"] == {"google": {"thought_signature": "c2ln"}}
    assert "extra_content" not in second
    told = request(says("user"), message, result(first["id"]), result(second["id"]))
    assert RULES["turn.thought_signature_required"].asked(told) is None


def test_a_conversation_that_keeps_one_rule_keeps_all_that_globs_mean() -> None:
    for wire, name, one in PLAYED:
        asked = request(*one.kept, wire=wire, **one.asks)
        assert [rule.name for rule in rules("turn.*") if rule.asked(asked)] == [], name
