"""An observation is one canonical line, and that line can be taken apart again."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmfaults._contract.observation import DOES_NOT_APPLY, Behaviour, Observation, Span
from pytest_llmfaults._contract.sentence import LONGEST, Parts, behaviour, number, parse, plain, sentence, spans
from pytest_llmfaults.errors import ContractError
from tests.contract import cases


def one(*waits: float | tuple[float, float], elapsed: float | tuple[float, float] | None = None, **rest: str) -> str:
    gaps = tuple(Span(*wait) if isinstance(wait, tuple) else Span(wait, wait) for wait in waits)
    if elapsed is None:
        elapsed = (sum(gap.low for gap in gaps), sum(gap.high for gap in gaps))
    whole = Span(*elapsed) if isinstance(elapsed, tuple) else Span(elapsed, elapsed)
    fields = {"outcome": "same as ok", **rest}
    return sentence(Observation(attempts=len(gaps) + 1, waits=gaps, elapsed=whole, **fields))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        (one(), "1 attempt, same as ok"),
        (
            one(outcome="returns HOLD_ALL error='empty completion'"),
            "1 attempt, returns HOLD_ALL error='empty completion'",
        ),
        (
            one((1, 2), (2, 4), (4, 8), elapsed=(247, 254), outcome="raises GatewayError from Timeout"),
            "4 attempts, waits 1..2 2..4 4..8 s, waited 247..254 s, raises GatewayError from Timeout",
        ),
        (one(0, 0), "3 attempts, waits 0 0 s, same as ok"),
        (one((0, 1)), "2 attempts, waits 0..1 s, same as ok"),
        (one((0.5, 0.375)), "2 attempts, waits 0.375..0.5 s, same as ok"),
        (one(1, 2, *[8] * 46), "49 attempts, waits 1 2 8 (46 times) s, same as ok"),
        (one(1, 1, 1), "4 attempts, waits 1 1 1 s, same as ok"),
        (one(1, elapsed=9), "2 attempts, waits 1 s, waited 9 s, same as ok"),
        (one(elapsed=60, outcome="raises Timeout"), "1 attempt, waited 60 s, raises Timeout"),
        (one(0.1, 0.2, elapsed=0.3), "3 attempts, waits 0.1 0.2 s, same as ok"),
        (one(1, after="1 order sent"), "2 attempts, waits 1 s, same as ok, then 1 order sent"),
        (one(outcome="returns a\nb\ud800"), "1 attempt, returns a\\nb\\ud800"),
    ],
)
def test_the_sentence_of_an_observation(said: str, expected: str) -> None:
    assert said == expected


def test_a_changed_request_shows() -> None:
    seen = Observation(attempts=2, waits=(Span(0, 0),), elapsed=Span(0, 0), outcome="same as ok", changed=True)
    assert sentence(seen) == "2 attempts, waits 0 s, request changed, same as ok"


def test_the_module_of_an_exception_is_never_signed() -> None:
    seen = Observation(attempts=1, waits=(), elapsed=Span(0, 0), outcome="raises KeyError", module="builtins")
    assert sentence(seen) == sentence(dataclasses.replace(seen, module=None))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (1e-9, "0"),
        (0.3745, "0.374"),
        (0.375, "0.375"),
        (1.0, "1"),
        (1.005, "1"),
        (9.999, "10"),
        (10.04, "10"),
        (247.3, "247"),
        (1234.5, "1230"),
        (86400, "86400"),
        (0.001234, "0.00123"),
        (float("inf"), "inf"),
    ],
)
def test_numbers_have_three_significant_digits_and_no_exponent(value: float, text: str) -> None:
    assert number(value) == text


@cases.patient
@given(st.floats(0, 1e7))
def test_a_number_that_was_written_is_written_the_same_again(value: float) -> None:
    assert number(float(number(value))) == number(value)


@cases.patient
@given(cases.observations())
def test_a_sentence_can_be_taken_apart_and_put_together(seen: Observation) -> None:
    text = sentence(seen)
    parts = parse(text)
    assert parts.text == text
    assert "\n" not in text
    assert text.isprintable()
    assert (parts.attempts, parts.changed) == (seen.attempts, seen.changed)
    assert spans(parts.waits) == spans(seen.waits)
    assert len(parts.waits) == len(seen.waits)
    assert parts.outcome == plain(seen.outcome).replace(", then ", "; then ")
    assert parts.after == (None if seen.after is None else plain(seen.after))


def test_a_returned_text_is_never_taken_for_a_side_effect() -> None:
    parts = parse(one(outcome="returns buy, then sell", after="2 orders"))
    assert (parts.outcome, parts.after) == ("returns buy; then sell", "2 orders")


def test_the_total_is_what_was_waited_or_the_sum_of_the_waits() -> None:
    assert parse("3 attempts, waits 1 2 s, waited 60 s, same as ok").total == Span(60, 60)
    assert parse("3 attempts, waits 1..2 2 s, same as ok").total == Span(3, 4)


@pytest.mark.parametrize("outcome", ["waits for ever", "spins for ever"])
def test_how_long_an_endless_call_was_watched_is_not_said(outcome: str) -> None:
    assert one(outcome=outcome, elapsed=(6, 16)) == f"1 attempt, {outcome}"


def test_a_fault_that_does_not_apply_is_a_sentence_too() -> None:
    assert parse(DOES_NOT_APPLY) == Parts(attempts=0, outcome=DOES_NOT_APPLY)
    nothing = Observation(attempts=0, waits=(), elapsed=Span(0, 0), outcome=DOES_NOT_APPLY)
    assert sentence(nothing) == DOES_NOT_APPLY


@pytest.mark.parametrize("text", ["", "4 attempts", "once it was", "1 attempt same as ok", "x attempts, same as ok"])
def test_what_is_no_sentence_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ContractError, match=r"is not the sentence of a behaviour.*'1 attempt, same as ok'"):
        parse(text)


def test_a_long_text_is_cut_and_still_tells_apart_what_differs_at_its_end() -> None:
    one_text, other = plain("x" * 5000 + "a"), plain("x" * 5000 + "b")
    assert len(one_text) == LONGEST
    assert "(5001 characters" in one_text
    assert one_text != other


def test_a_behaviour_is_two_sentences() -> None:
    first = Observation(attempts=2, waits=(Span(1, 1),), elapsed=Span(1, 1), outcome="raises X")
    second = dataclasses.replace(first, outcome="same as ok")
    assert behaviour(first, second) == Behaviour("2 attempts, waits 1 s, raises X", "2 attempts, waits 1 s, same as ok")
    assert behaviour(first).once == behaviour(first).persists
