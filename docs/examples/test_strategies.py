"""What Hypothesis finds in the trading client, and what it does not."""

import json
from contextlib import suppress
from typing import Any

from hypothesis import example, given
from trader import Decision, EnvelopeError, GatewayError, content_of, decide, post, readable

from pytest_llmfaults import Answer, Fault, LLMFaults, strategies
from pytest_llmfaults.strategies import Variant, fault, remove, variant

WIRE = "openai.chat"
HEALTHY = Decision(("BUY ACME 2", "SELL INIT 1"))
ACTION = {
    "type": "object",
    "properties": {
        "action": {"type": "string", "enum": ["BUY", "SELL"]},
        "ticker": {"type": "string"},
        "quantity": {"type": "integer", "minimum": 1},
    },
    "required": ["action", "ticker", "quantity"],
}


@given(strategies.envelopes(WIRE))
@example(variant(WIRE, remove("choices", 0, "message")).value)  # pasted from an earlier failure
def test_no_envelope_breaks_the_parser(envelope: Any) -> None:
    with suppress(EnvelopeError):
        assert isinstance(content_of(envelope), str)


def first_line(body: bytes) -> str:
    """Say in one line what came, for the log."""
    return body.decode("utf-8", errors="replace").strip().partition("\n")[0][:80]


@given(strategies.bodies(WIRE))
def test_any_body_can_be_logged(body: bytes) -> None:
    assert "\n" not in first_line(body)


@given(fault=strategies.faults(WIRE, ["content", "finish", "status.5*", "transport"]))
@example(fault=fault("transport.latency", seconds=61.0))
def test_only_its_own_errors(llmfaults: LLMFaults, fault: Fault) -> None:
    with llmfaults.inject(fault), suppress(GatewayError, EnvelopeError):
        assert isinstance(decide(), Decision)


@given(steps=strategies.sequences(strategies.faults(WIRE, "status.50?", draw="fresh"), max_size=3))
def test_three_gateway_errors_in_a_row_are_survived(llmfaults: LLMFaults, steps: tuple[Any, ...]) -> None:
    retried = [step for step in steps[:-1] if step.name != "status.500"]
    with llmfaults.inject(*retried, "ok") as seen:
        assert decide() == HEALTHY
    assert seen.waits == [1.0, 2.0, 4.0][: len(retried)]


@given(variant=strategies.variants(WIRE, families=["envelope", "content"]))
def test_whatever_comes_it_is_asked_four_times_at_most(llmfaults: LLMFaults, variant: Variant) -> None:
    with llmfaults.inject(variant) as seen, suppress(GatewayError, EnvelopeError):
        content_of(post("What should I do?"))
    assert 1 <= seen.attempts <= 4


@given(answer=strategies.answers())
def test_a_text_comes_through_unharmed(llmfaults: LLMFaults, answer: Answer) -> None:
    with llmfaults.inject(answer):
        text = content_of(post("What should I do?"))
    if answer.text is not None:
        assert text == answer.text


@given(strategies.structured_text(ACTION))
def test_an_action_is_readable_or_dropped(text: str) -> None:
    try:
        item = json.loads(text)
    except ValueError:
        return
    action = readable(item)
    assert action is None or action.startswith(("BUY ", "SELL "))


def limit_of(arguments: str) -> int:
    """Read one argument of a tool call; what cannot be read counts as not given."""
    try:
        found = json.loads(arguments)
    except ValueError:
        return 10
    limit = found.get("limit") if isinstance(found, dict) else None
    return limit if type(limit) is int and 0 < limit <= 100 else 10


@given(strategies.tool_arguments({"type": "object", "properties": {"limit": {"type": "integer"}}}))
def test_a_limit_is_always_sensible(arguments: str) -> None:
    assert 0 < limit_of(arguments) <= 100
