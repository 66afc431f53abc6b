from __future__ import annotations

from typing import Any

import pytest

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import CATALOGUE
from tests.faults import kit

PLAIN: dict[str, Any] = {"role": "assistant", "refusal": None, "annotations": []}
SORRY = "I am sorry, I cannot help with that."


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("content.empty", ""),
        ("content.null", None),
        ("content.whitespace", " " * 8),
        ("content.placeholder", "Working on it."),
        ("content.refusal_text", SORRY),
        ("content.parts", [{"type": "text", "text": "Hold the "}, {"type": "text", "text": "position."}]),
        ("content.parts_empty", []),
        ("content.parts_strings", ["Hold the ", "position."]),
        ("content.object", {"text": kit.TEXT}),
        ("content.number", 42),
        ("content.boolean", False),
        ("content.lone_surrogate", kit.TEXT + "\ud83d"),
        ("content.nul_character", kit.TEXT + "\0"),
        ("content.truncated", "Hold the posi"),
        ("content.repetition_length", kit.TEXT + " and" * 500),
        ("content.end_marker", kit.TEXT + "<|im_end|>"),
        ("content.replacement_characters", kit.TEXT + " \ufffd\ufffd"),
        ("content.error_text", "Error: insufficient balance. Please top up your account."),
    ],
)
def test_content(name: str, content: Any) -> None:
    assert kit.message(name, "text") == {**PLAIN, "content": content}


@pytest.mark.parametrize("name", ["content.absent", "content.absent_length"])
def test_no_content(name: str) -> None:
    assert kit.message(name, "text") == PLAIN


def test_refusals() -> None:
    refusal = "I cannot help with that."
    assert kit.message("content.refusal", "text") == {**PLAIN, "content": None, "refusal": refusal}
    assert kit.message("content.refusal_beside_text", "text") == {**PLAIN, "content": SORRY, "refusal": refusal}


def test_whitespace_has_a_kind_and_a_length() -> None:
    assert kit.message("content.whitespace", "text", character="newline", count=3)["content"] == "\n\n\n"
    assert kit.message("content.whitespace", "text", character="tab")["content"] == "\t" * 8


def test_a_text_that_is_no_good_answer_has_degrees() -> None:
    assert kit.message("content.truncated", "text", at=0.05)["content"] == "H"
    assert kit.message("content.end_marker", "text", marker="</s>")["content"] == kit.TEXT + "</s>"
    assert kit.message("content.repetition_length", "text", count=10)["content"] == kit.TEXT + " and" * 10
    assert kit.ending("content.truncated", "text") == ("stop", 17, 0)
    assert kit.ending("content.repetition_length", "text", max_tokens=77) == ("length", 77, 0)


@pytest.mark.parametrize("name", ["content.empty", "content.null", "content.absent", "content.parts_empty"])
def test_silence_costs_tokens(name: str) -> None:
    assert kit.ending(name, "text") == ("stop", 24, 0)
    assert kit.ending(name, "calls") == ("stop", 24, 0)


@pytest.mark.parametrize("name", ["content.empty_length", "content.null_length", "content.absent_length"])
def test_a_used_up_budget_is_that_of_the_request(name: str) -> None:
    assert kit.ending(name, "text") == ("length", 4096, 0)
    assert kit.ending(name, "text", max_tokens=50) == ("length", 50, 0)
    assert kit.ending(name, "text", max_tokens=50, max_completion_tokens=60) == ("length", 60, 0)


def test_nothing_was_counted() -> None:
    usage = kit.played("content.empty_zero_usage", *kit.CASES["text"])["usage"]
    numbers = [usage[key] for key in ("prompt_tokens", "completion_tokens", "total_tokens")]
    assert numbers == [0, 0, 0]
    assert set(usage["prompt_tokens_details"].values()) == {0}


def test_odd_characters_cross_the_wire_as_escapes() -> None:
    for name, escape in (
        ("content.lone_surrogate", rb"position.\ud83d"),
        ("content.nul_character", rb"position.\u0000"),
    ):
        row = CATALOGUE[name]
        body = row.reply(kit.base(row, kit.request(), Answer("Gr\u00fc\u00dfe. " + kit.TEXT))).body
        assert escape in body
        assert "Gr\u00fc\u00dfe".encode() in body
