from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_llmfaults._answer import Answer
from tests.faults import kit

PLAIN: dict[str, Any] = {"role": "assistant", "refusal": None, "annotations": []}
THOUGHT = "First I look at the question."
HARMONY = "<|channel|>analysis<|message|>First I look.<|end|><|start|>assistant<|channel|>final<|message|>"
DETAIL = {"type": "reasoning.text", "text": kit.TEXT, "format": "unknown", "index": 0}


def thinking(*texts: str) -> Any:
    return {"type": "thinking", "thinking": [{"type": "text", "text": text} for text in texts]}


@pytest.mark.parametrize(
    ("name", "changed"),
    [
        ("only_reasoning", {"content": "", "reasoning_content": kit.TEXT}),
        ("only_reasoning_null", {"content": None, "reasoning_content": kit.TEXT, "tool_calls": []}),
        ("only_reasoning_absent", {"reasoning_content": kit.TEXT}),
        ("only_reasoning_newline", {"content": "\n", "reasoning_content": kit.TEXT}),
        ("only_thoughts", {"content": "", "reasoning_content": THOUGHT}),
        ("only_in_reasoning", {"content": None, "reasoning_content": None, "reasoning": kit.TEXT}),
        ("only_in_details", {"content": "", "reasoning_details": [DETAIL]}),
        ("only_in_both", {"content": "", "reasoning_content": kit.TEXT, "reasoning": kit.TEXT}),
        ("only_in_thinking", {"content": "", "thinking": kit.TEXT}),
        ("ate_budget", {"content": "", "reasoning_content": THOUGHT}),
        ("ate_budget_hidden", {"content": ""}),
        ("hidden_then_empty", {"content": ""}),
        ("object", {"content": kit.TEXT, "reasoning_content": {"text": "First I look."}}),
        ("list", {"content": kit.TEXT, "reasoning_content": ["First I look."]}),
        (
            "details_without_text",
            {
                "content": kit.TEXT,
                "reasoning_details": [{"type": "reasoning.text", "format": "anthropic-claude-v1", "index": 0}],
            },
        ),
    ],
)
def test_fields(name: str, changed: dict[str, Any]) -> None:
    assert kit.message(f"reasoning.{name}", "text") == {**PLAIN, **changed}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("only_in_tags", f"<think>{kit.TEXT}</think>"),
        ("think_tag", f"<think>{THOUGHT}</think>\n\n{kit.TEXT}"),
        ("think_brackets", f"[THINK]{THOUGHT}[/THINK]{kit.TEXT}"),
        ("think_empty", f"<think>\n\n</think>\n\n{kit.TEXT}"),
        ("think_unclosed", "<think>First I look at the"),
        ("think_close_only", f"{THOUGHT}</think>\n\n{kit.TEXT}"),
        ("think_nested", f"<thinking><thinking>First I look.</thinking>{kit.TEXT}"),
        ("prose", f"THOUGHT: {THOUGHT}\n\n{kit.TEXT}"),
        ("harmony_words", f"analysis{THOUGHT}assistantfinal{kit.TEXT}"),
        ("harmony_tokens", HARMONY + kit.TEXT),
        ("parts", [thinking("First I look."), {"type": "text", "text": kit.TEXT}]),
        (
            "parts_interleaved",
            [
                thinking("First I look."),
                {"type": "text", "text": "Hold the "},
                thinking(),
                {"type": "text", "text": "position."},
            ],
        ),
    ],
)
def test_texts(name: str, content: Any) -> None:
    assert kit.message(f"reasoning.{name}", "text") == {**PLAIN, "content": content}


def test_the_tag_has_four_names() -> None:
    assert kit.message("reasoning.think_tag", "text", tag="thought")["content"].startswith("<thought>First")


def test_what_the_thoughts_cost() -> None:
    assert kit.ending("reasoning.only_reasoning", "text") == ("stop", 17, 0)
    assert kit.ending("reasoning.ate_budget", "text", max_completion_tokens=80) == ("length", 80, 80)
    assert kit.ending("reasoning.ate_budget_hidden", "text") == ("length", 4096, 4096)
    assert kit.ending("reasoning.hidden_then_empty", "text") == ("stop", 24, 24)


def test_data_and_arguments_can_be_lost_in_the_reasoning_too() -> None:
    assert kit.message("reasoning.only_reasoning", "data")["reasoning_content"] == json.dumps(kit.DATA)
    message = kit.message("reasoning.only_reasoning", "calls")
    assert message["reasoning_content"] == json.dumps(kit.ARGUMENTS)
    assert "tool_calls" not in message


def test_reasoning_of_a_wrong_type_stands_beside_a_call() -> None:
    message = kit.message("reasoning.object", "calls")
    assert message["tool_calls"][0]["function"]["name"] == "search"


def test_a_healthy_answer_may_have_thoughts_of_its_own() -> None:
    answer = Answer("Hold.", reasoning="Hm.")
    message = kit.played("reasoning.only_reasoning", kit.request(), answer)["choices"][0]["message"]
    assert (message["content"], message["reasoning_content"]) == ("", "Hold.")
