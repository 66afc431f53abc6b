"""Values for parameters: what is taken and what is refused, in which words."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import CATALOGUE, fault
from pytest_llmfaults.errors import InvalidUse, UnknownFault


def test_a_value_shows_in_the_label() -> None:
    row = fault("transport.latency", seconds=5)
    assert row.label == "transport.latency(seconds=5)"
    assert row.given == {"seconds": 5}
    assert CATALOGUE["transport.latency"].label == "transport.latency"


def test_an_answer_goes_with_it() -> None:
    assert fault("finish.length", answer=Answer("one two")).answer == Answer("one two")


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        (
            "transport.latency",
            {"secs": 5},
            "transport.latency has no parameter 'secs'. Did you mean 'seconds'? It has seconds.",
        ),
        ("status.401", {"seconds": 5}, "status.401 has no parameter 'seconds'. It has none."),
        (
            "transport.latency",
            {"seconds": 0},
            "transport.latency: seconds=0 is not allowed: seconds is a number from 0.001 to 3600.",
        ),
        (
            "transport.latency",
            {"seconds": "5"},
            "transport.latency: seconds='5' is not allowed: seconds is a number from 0.001 to 3600.",
        ),
        (
            "status.429_retry_after_seconds",
            {"seconds": 1.5},
            "status.429_retry_after_seconds: seconds=1.5 is not allowed: seconds is an integer from 1 to 600.",
        ),
        (
            "status.429_retry_after_seconds",
            {"seconds": True},
            "status.429_retry_after_seconds: seconds=True is not allowed: seconds is an integer from 1 to 600.",
        ),
        (
            "status.error_string",
            {"status": 401},
            "status.error_string: status=401 is not allowed: status is one of 400, 404, 422, 429, 500, 503.",
        ),
        (
            "body.concatenated",
            {"separator": "\n"},
            "body.concatenated: separator='\\n' is not allowed: separator is one of 'none', 'newline'.",
        ),
        (
            "body.truncated_json",
            {"at": float("nan")},
            "body.truncated_json: at=nan is not allowed: at is a number from 0.05 to 0.95.",
        ),
    ],
)
def test_refused(name: str, values: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidUse) as caught:
        fault(name, **values)
    assert str(caught.value) == message


@pytest.mark.parametrize(("name", "value"), [("transport.latency", 3600), ("transport.latency", 0.001)])
def test_ends_are_inside(name: str, value: float) -> None:
    assert fault(name, seconds=value).given == {"seconds": value}


def test_an_unknown_name_offers_the_nearest() -> None:
    with pytest.raises(UnknownFault) as caught:
        fault("body.html_pge")
    assert "Did you mean 'body.html_page'" in str(caught.value)
    with pytest.raises(UnknownFault) as caught:
        fault("zzz")
    assert str(caught.value) == "'zzz' is not a fault. See: pytest --llmfaults-list"
