"""What one looks at first: five kinds, a line each."""

from __future__ import annotations

from typing import Any

from pytest_llmfaults._contract.observation import DOES_NOT_APPLY, Observation, Span
from pytest_llmfaults._contract.rank import Finding, Observed, ranked
from pytest_llmfaults._faults import Fault
from pytest_llmfaults._reply import Reply

OWN = ("trader", "requests")


def row(name: str, **fields: Any) -> Fault:
    def play(_base: object) -> Reply:
        raise NotImplementedError

    return Fault(name=name, play=play, meaning="It is odd.", **{"draw": "depends", **fields})


def seen(outcome: str, attempts: int = 1, elapsed: float = 0, module: str | None = None) -> Observation:
    gaps = (Span(0, 0),) * (attempts - 1)
    whole = Span(elapsed, elapsed)
    return Observation(attempts=attempts, waits=gaps, elapsed=whole, outcome=outcome, module=module)


def kinds(*cases: Observed, **options: Any) -> dict[str, Finding]:
    return {finding.kind: finding for finding in ranked(cases, own=OWN, **options)}


def test_nothing_to_say_is_no_line() -> None:
    assert ranked([Observed(row("body.x", draw="fresh"), seen("raises E", 4), seen("same as ok", 2))], own=OWN) == ()


def test_garbage_that_ends_like_a_success() -> None:
    found = kinds(
        Observed(row("body.returned"), seen("returns a page")),
        Observed(row("body.same"), seen("same as ok")),
        Observed(row("body.partial", scope="partial"), seen("same as ok")),
        Observed(row("content.other"), seen("same as ok")),
        Observed(row("body.raised"), seen("raises E")),
    )
    assert found["garbage"].faults == ("body.same", "body.returned")
    assert found["garbage"].text == (
        "2 faults garbage in, success out (1 the same as ok). body.same: same as ok: It is odd. "
        "Check status, type and schema of a reply before its content is used."
    )


def test_data_that_breaks_its_schema_is_garbage_and_other_data_is_not() -> None:
    found = kinds(
        Observed(row("structured.unfit", scope="partial"), seen("returns {}"), unfit=True),
        Observed(row("structured.raised"), seen("raises E"), unfit=False),
        Observed(row("structured.unknown"), seen("returns []")),
        Observed(row("body.returned"), seen("returns a page")),
    )
    assert found["garbage"].faults == ("body.returned", "structured.unfit")
    assert found["garbage"].names == "body.returned, structured.unfit"


def test_a_retry_that_met_the_healthy_reply_explains_a_success() -> None:
    assert kinds(Observed(row("body.x"), seen("same as ok", 2))) == {}
    assert kinds(Observed(row("body.x"), seen("raises E", 4), seen("same as ok", 2))) == {}
    assert "garbage" in kinds(Observed(row("body.x"), seen("raises E"), seen("same as ok", 1)))
    assert "garbage" in kinds(Observed(row("body.x"), seen("returns a page", 4)))
    assert "garbage" in kinds(Observed(row("body.x"), seen("same as ok", 2)), usual=2)


def test_exceptions_of_neither_the_client_nor_its_sdk() -> None:
    found = kinds(
        Observed(row("content.a"), seen("raises KeyError", module="builtins")),
        Observed(row("content.b"), seen("raises JSONDecodeError", module="json.decoder")),
        Observed(row("content.c"), seen("raises EnvelopeError", module="trader")),
        Observed(row("content.d"), seen("raises JSONDecodeError", module="requests.exceptions")),
        Observed(row("content.e"), seen("raises X", module="requests_toolbelt")),
        Observed(row("content.f"), seen("raises Own", module="trader"), seen("raises TypeError", module="builtins")),
        Observed(row("content.g"), seen("raises Unknown")),
    )
    assert found["escapes"].faults == ("content.a", "content.b", "content.e", "content.f")
    assert found["escapes"].text.startswith(
        "4 faults an exception that is neither the client's nor the SDK's. content.a: raises KeyError. Catch it"
    )


def test_the_longest_waits_and_for_ever() -> None:
    found = kinds(
        Observed(row("content.long"), seen("raises E", 3, elapsed=1800)),
        Observed(row("content.short"), seen("raises E", 3, elapsed=60)),
        Observed(row("content.ever"), seen("waits for ever", elapsed=5)),
    )
    assert found["waits"].faults == ("content.ever", "content.long")
    assert "2 faults longer than 60 s (1 for ever). content.ever: waits for ever." in found["waits"].text
    alone = kinds(Observed(row("content.long"), seen("raises E", 3, elapsed=1800)))
    assert "1 fault longer than 60 s. content.long: 1800 s in 3 attempts." in alone["waits"].text


def test_retried_although_the_next_draw_is_the_same() -> None:
    found = kinds(
        Observed(row("content.a", draw="same"), seen("raises E", 2)),
        Observed(row("content.b", draw="same"), seen("raises E", 4)),
        Observed(row("content.c", draw="same"), seen("raises E", 1)),
        Observed(row("content.d", draw="depends"), seen("raises E", 4)),
    )
    assert found["retried"].faults == ("content.b", "content.a")
    assert "content.b: 4 attempts: It is odd." in found["retried"].text


def test_not_retried_although_the_next_draw_is_fresh() -> None:
    found = kinds(
        Observed(row("content.a", draw="fresh"), seen("raises E")),
        Observed(row("content.b", draw="fresh", sources=("https://example.com",)), seen("returns HOLD")),
        Observed(row("content.late", draw="fresh"), seen("same as ok")),
        Observed(row("content.c", draw="fresh"), seen("raises E", 2)),
        Observed(row("content.d", draw="same"), seen("raises E")),
    )
    assert found["not retried"].faults == ("content.b", "content.a")


def test_a_client_that_always_asks_twice_has_not_retried() -> None:
    case = Observed(row("content.a", draw="same"), seen("raises E", 2))
    assert kinds(case, usual=2) == {}
    assert "not retried" in kinds(Observed(row("content.a", draw="fresh"), seen("raises E", 2)), usual=2)


def test_a_fault_that_does_not_apply_says_nothing() -> None:
    assert kinds(Observed(row("content.a", draw="fresh"), seen(DOES_NOT_APPLY, 0))) == {}


def test_the_order_of_kinds_is_fixed() -> None:
    everything = [
        Observed(row("content.a", draw="fresh"), seen("raises E")),
        Observed(row("content.b", draw="same"), seen("raises E", 3, elapsed=90)),
        Observed(row("content.c"), seen("raises KeyError", module="builtins")),
        Observed(row("body.d"), seen("same as ok")),
    ]
    findings = ranked(everything, own=OWN)
    assert [finding.kind for finding in findings] == ["garbage", "escapes", "waits", "retried", "not retried"]
    assert [finding.count for finding in findings] == [1, 1, 1, 1, 1]
    assert ranked(reversed(everything), own=OWN) == findings
