"""Choosing rules, and what is said where a name is none."""

from __future__ import annotations

import dataclasses
from types import MappingProxyType

import pytest

from pytest_llmfaults import _rules, fault, faults, rules
from pytest_llmfaults._edition import using
from pytest_llmfaults._faults import EDITION
from pytest_llmfaults._rules import RULES
from pytest_llmfaults.errors import InvalidUse, UnknownFault

ALONE = [name for name, rule in RULES.items() if rule.by_name]


def names(*patterns: str) -> list[str]:
    return [rule.name for rule in rules(*patterns)]


def test_none_is_all() -> None:
    assert names() == list(RULES)


@pytest.mark.parametrize("pattern", ["turn", "turn.*", "*"])
def test_a_glob_and_the_family_leave_out_what_only_its_full_name_chooses(pattern: str) -> None:
    assert names(pattern) == [name for name in RULES if name not in ALONE]
    assert ALONE == [
        "turn.thought_signature_required",
        "turn.reasoning_required",
        "turn.reasoning_non_empty",
        "turn.reasoning_forbidden",
    ]


def test_names_and_globs_together_in_order_each_once() -> None:
    assert names("turn.reasoning_required", "turn.user_*", "turn.user_after_tool") == [
        "turn.user_after_tool",
        "turn.reasoning_required",
    ]


@pytest.mark.parametrize(
    ("pattern", "message"),
    [
        (
            "turn.user_afer_tool",
            "is not a rule. Did you mean 'turn.user_after_tool'? See: pytest --llmfaults-list",
        ),
        ("turn.thought_*", "matches only rules that have to be named in full: turn.thought_signature_required."),
        ("body.empty", "is a fault in a reply, not a rule on requests: llmfaults.inject('body.empty')."),
        ("body", "is a fault in a reply, not a rule on requests: llmfaults.inject('body')."),
        (
            "envelope.choices_*",
            "is a fault in a reply, not a rule on requests: llmfaults.inject('envelope.",
        ),
    ],
)
def test_a_name_that_is_no_rule(pattern: str, message: str) -> None:
    with pytest.raises(UnknownFault) as caught:
        names(pattern)
    assert str(caught.value).startswith(f"{pattern!r} {message}")


@pytest.mark.parametrize("name", ["turn.user_after_tool", "turn.*", "turn"])
def test_a_rule_is_no_fault(name: str) -> None:
    message = (
        f"{name!r} is not a fault in a reply: turn.* are rules on requests. Hold the code to one with "
        f"llmfaults.strict({name!r}). See: pytest --llmfaults-list turn"
    )
    for choose in (fault, faults):
        with pytest.raises(UnknownFault) as caught:
            choose(name)
        assert str(caught.value) == message


def test_an_upgrade_adds_no_rule_to_a_glob(monkeypatch: pytest.MonkeyPatch) -> None:
    newer = dataclasses.replace(RULES["turn.alternating"], name="turn.newer", since=EDITION + 1)
    monkeypatch.setattr(_rules, "RULES", MappingProxyType({**RULES, newer.name: newer}))
    assert "turn.newer" not in names("turn.*")
    assert names("turn.newer") == ["turn.newer"]
    with using(EDITION + 1):
        assert "turn.newer" in names("turn.*")


def test_values_are_checked() -> None:
    with pytest.raises(InvalidUse, match=r"turn.context_limit: characters=5 is not allowed"):
        RULES["turn.context_limit"].with_values({"characters": 5})
    with pytest.raises(InvalidUse, match=r"turn.alternating has no parameter 'characters'. It has none."):
        RULES["turn.alternating"].with_values({"characters": 500})
