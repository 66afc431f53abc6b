"""Lines that are equal for behaviours that are alike, and what several changes add up to."""

from __future__ import annotations

import pytest

from pytest_llmfaults._contract.alike import lines_of, pieces
from pytest_llmfaults._contract.observation import Behaviour

LONG = ", longer than 60 s in all"


@pytest.mark.parametrize(
    ("sentence", "line"),
    [
        ("1 attempt, raises KeyError", "1 attempt, raises KeyError"),
        ("1 attempt, waited 30 s, same as ok", "1 attempt, same as ok"),
        ("1 attempt, waited 400 s, same as ok", f"1 attempt, same as ok{LONG}"),
        ("3 attempts, waits 30 30 s, raises X", "3 attempts, waits 30 30 s, raises X"),
        ("3 attempts, waits 40 40 s, raises X", f"3 attempts, waits 40 40 s, raises X{LONG}"),
        ("2 attempts, waits 0 s, request changed, raises X", "2 attempts, waits 0 s, request changed, raises X"),
        ("1 attempt, raises X, then 1 row stored", "1 attempt, raises X, then 1 row stored"),
        ("1 attempt, waits for ever", "1 attempt, waits for ever"),
    ],
)
def test_what_was_signed_is_reduced_to_its_line(sentence: str, line: str) -> None:
    assert lines_of(Behaviour(sentence, sentence)) == Behaviour(line, line)


@pytest.mark.parametrize(
    "what",
    [
        Behaviour("1 attempt, returns 'x'", "1 attempt, raises X"),
        Behaviour("2 attempts, waits 1 s, raises X", "2 attempts, waits 1 s, returns 'x'"),
        Behaviour("1 attempt, raises X, or returns 3 after 2 attempts by chance", "1 attempt, raises X"),
    ],
)
def test_a_value_has_to_be_seen_again(what: Behaviour) -> None:
    assert lines_of(what) is None


@pytest.mark.parametrize(
    ("line", "rest", "added"),
    [
        ("1 attempt, raises X", "1 attempt, raises X", set()),
        (f"1 attempt, raises X{LONG}", "1 attempt, raises X", {LONG}),
        ("1 attempt, returns dict(id=None, …)", "1 attempt, returns dict()", {"id=None", "…"}),
        (f"1 attempt, returns dict(no id){LONG}", "1 attempt, returns dict()", {"no id", LONG}),
        ("1 attempt, returns X(a=1), then 1 row", "1 attempt, returns X(), then 1 row", {"a=1"}),
        ("1 attempt, returns '…'", "1 attempt, returns '…'", set()),
    ],
)
def test_a_line_is_taken_apart(line: str, rest: str, added: set[str]) -> None:
    assert pieces(line) == (rest, frozenset(added))
