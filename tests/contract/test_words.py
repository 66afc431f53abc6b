"""What is different, in words that a person would use."""

from __future__ import annotations

import pytest
from hypothesis import given

from pytest_llmfaults._contract.observation import Behaviour, Observation
from pytest_llmfaults._contract.sentence import sentence
from pytest_llmfaults._contract.words import difference
from tests.contract.cases import observations, patient

W = "4 attempts, waits {} s, raises E"
ONE = "1 attempt, {}"


def said(signed: str, observed: str) -> str:
    return difference(Behaviour(signed, signed), Behaviour(observed, observed)).words


@pytest.mark.parametrize(
    ("signed", "observed", "words"),
    [
        (W.format("1 2 4"), ONE.format("raises E"), "no longer retried: 4 → 1 attempt"),
        (ONE.format("raises E"), W.format("1 2 4"), "now retried: 1 → 4 attempts"),
        (W.format("1 2 4"), "3 attempts, waits 1 2 s, raises E", "retried less: 4 → 3 attempts"),
        (W.format("1 2 4"), "5 attempts, waits 1 2 4 8 s, raises E", "retried more: 4 → 5 attempts"),
        (ONE.format("raises E"), "0 attempts, raises E", "no longer asked: 1 → 0 attempts"),
        ("0 attempts, raises E", ONE.format("raises E"), "asked all the same: 0 → 1 attempt"),
        (W.format("1 2 4"), W.format("0 0 0"), "waits gone: 1 2 4 → 0 0 0 s"),
        (W.format("0 0 0"), W.format("1 2 4"), "waits where there were none: 0 0 0 → 1 2 4 s"),
        (W.format("1 2 4"), W.format("0.5 1 2"), "waits halved: 1 2 4 → 0.5 1 2 s"),
        (W.format("1..2 2 4"), W.format("2..4 4 8"), "waits doubled: 1..2 2 4 → 2..4 4 8 s"),
        (W.format("1..2 2..4 4..8"), W.format("1 2 4"), "waits without jitter: 1..2 2..4 4..8 → 1 2 4 s"),
        (W.format("1 2 4"), W.format("1..2 2..4 4..8"), "waits with jitter: 1 2 4 → 1..2 2..4 4..8 s"),
        (W.format("1..2 2..4 4..8"), W.format("0..2 0..4 0..8"), "waits with jitter down to 0: 1..2 2..4 4..8"),
        (W.format("1 2 4"), W.format("1 2 2"), "waits capped at 2 s: 1 2 4 → 1 2 2 s"),
        (W.format("1 2 4"), W.format("3 3 3"), "waits constant: 1 2 4 → 3 3 3 s"),
        (W.format("1 2 4"), W.format("1 1 1"), "waits constant: 1 2 4 → 1 1 1 s"),
        (W.format("1 2 4"), W.format("1 2 3"), "waits growing by the same step: 1 2 4 → 1 2 3 s"),
        (W.format("1 2 4"), W.format("1 3 9"), "waits longer: 1 2 4 → 1 3 9 s"),
        (W.format("1 3 9"), W.format("1 2 4"), "waits shorter: 1 3 9 → 1 2 4 s"),
        (W.format("1 3 9"), W.format("2 3 8"), "waits other: 1 3 9 → 2 3 8 s"),
        (W.format("30 30 30"), W.format("1 2 4"), "waits shorter: 30 30 30 → 1 2 4 s"),
        (
            "4 attempts, waits 1 2 4 s, raises E",
            "4 attempts, waits 1 2 4 s, waited 15 s, raises E",
            "takes 15 s instead of 7 s",
        ),
        (
            "2 attempts, waits 0 s, raises E",
            "2 attempts, waits 0 s, request changed, raises E",
            "the request changes between attempts",
        ),
        (
            "2 attempts, waits 0 s, request changed, raises E",
            "2 attempts, waits 0 s, raises E",
            "the request no longer changes",
        ),
        (ONE.format("raises EnvelopeError"), ONE.format("raises KeyError"), "raises KeyError instead of EnvelopeError"),
        (
            ONE.format("raises E from Timeout"),
            ONE.format("raises E from ConnectionError"),
            "raises E from ConnectionError instead of from Timeout",
        ),
        (ONE.format("raises E from Timeout"), ONE.format("raises E"), "raises E without its cause Timeout"),
        (ONE.format("raises E"), ONE.format("raises E from X"), "raises E from X instead of without a cause"),
        (
            ONE.format("raises E"),
            ONE.format("same as ok"),
            "returns what the healthy call returns instead of raising E",
        ),
        (
            ONE.format("same as ok"),
            ONE.format("raises E"),
            "raises E instead of returning what the healthy call returns",
        ),
        (ONE.format("raises E"), ONE.format("returns HOLD"), "returns HOLD instead of raising E"),
        (ONE.format("returns HOLD"), ONE.format("returns SELL"), "returns SELL instead of HOLD"),
        (ONE.format("same as ok"), ONE.format("returns X"), "returns X instead of returning what the healthy call"),
        (ONE.format("raises E"), ONE.format("waits for ever"), "waits for ever instead of raising E"),
        (ONE.format("waits for ever"), ONE.format("raises E"), "raises E instead of waiting for ever"),
        (
            ONE.format("waited 600 s, raises E"),
            ONE.format("waits for ever"),
            "waits for ever instead of raising E",
        ),
        (
            ONE.format("same as ok, then 1 order"),
            ONE.format("same as ok, then 2 orders"),
            "side effect: 2 orders instead of 1 order",
        ),
        (ONE.format("same as ok"), ONE.format("same as ok, then 2 orders"), "side effect: 2 orders instead of none"),
        (ONE.format("raises E"), "does not apply", "does not apply any more: 1 attempt, raises E"),
        ("does not apply", ONE.format("raises E"), "applies now: 1 attempt, raises E"),
    ],
)
def test_the_words(signed: str, observed: str, words: str) -> None:
    assert said(signed, observed).startswith(words)


def test_long_values_are_cut_where_they_differ() -> None:
    words = said(ONE.format(f"returns {'x' * 100}BUY{'y' * 100}"), ONE.format(f"returns {'x' * 100}SELL{'y' * 100}"))
    assert "SELL" in words
    assert "BUY" in words
    assert len(words) < 160


def test_what_differs_only_when_the_fault_happens_once_is_said_so() -> None:
    signed = Behaviour("2 attempts, waits 1 s, raises E", "2 attempts, waits 1 s, same as ok")
    observed = Behaviour("2 attempts, waits 1 s, raises E", "2 attempts, waits 1 s, returns stale")
    assert difference(signed, observed).words == (
        "once: returns stale instead of returning what the healthy call returns"
    )


def test_what_was_said_of_persisting_is_not_repeated() -> None:
    signed = Behaviour("2 attempts, waits 1 s, raises E", "2 attempts, waits 1 s, same as ok")
    observed = Behaviour("1 attempt, raises E", "1 attempt, raises E")
    assert difference(signed, observed).words == (
        "no longer retried: 2 → 1 attempt; once: raises E instead of returning what the healthy call returns"
    )


def weight(signed: str, observed: str) -> int:
    return difference(Behaviour(signed, signed), Behaviour(observed, observed)).weight


def test_the_worst_weighs_least() -> None:
    ranks = [
        weight(ONE.format("raises E"), ONE.format("waits for ever")),
        weight(ONE.format("raises E"), ONE.format("same as ok")),
        weight(ONE.format("raises E"), ONE.format("raises KeyError")),
        weight(W.format("1 2 4"), ONE.format("raises E")),
        weight(ONE.format("raises E"), W.format("1 2 4")),
        weight(W.format("1 2 4"), W.format("1 2 2")),
    ]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) == len(ranks)


@patient
@given(observations(), observations())
def test_there_are_words_for_every_difference(one: Observation, other: Observation) -> None:
    first, second = sentence(one), sentence(other)
    words = said(first, second)
    assert words
    assert "\n" not in words
    assert (words == "the sentence is worded differently") == (first == second)
