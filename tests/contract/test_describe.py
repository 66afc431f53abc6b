"""What was returned, on one line, and what was raised, in a word."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator

import httpx
import pytest
import requests

from pytest_llmfaults._contract.describe import raised, returned
from pytest_llmfaults.errors import InvalidUse


class Timeout(requests.Timeout):
    """Has the name of what it inherits from."""


class GatewayError(RuntimeError):
    """Has a name of its own."""


@pytest.mark.parametrize(
    ("error", "name"),
    [
        (GatewayError(), "GatewayError"),
        (ValueError(), "ValueError"),
        (json.JSONDecodeError("x", "", 0), "JSONDecodeError"),
        (requests.JSONDecodeError("x", "", 0), "requests.JSONDecodeError"),
        (ConnectionError(), "ConnectionError"),
        (requests.ConnectionError(), "requests.ConnectionError"),
        (requests.ReadTimeout(), "ReadTimeout"),
        (httpx.ReadTimeout(""), "ReadTimeout"),
        (Timeout(), "tests.Timeout"),
        (asyncio.TimeoutError(), "TimeoutError"),
        (TimeoutError(), "TimeoutError"),
    ],
)
def test_the_package_stands_before_a_name_that_could_be_another(error: BaseException, name: str) -> None:
    assert raised(error) == name


def test_values_that_differ_in_spaces_look_different() -> None:
    assert returned(("BUY  ACME  2",), None) == "('BUY  ACME  2',)"
    assert returned(" x", None) == "' x'"


def test_what_is_returned_stands_on_one_line() -> None:
    assert returned(None, lambda _value: "  a\n    b\r\n\n  c ") == "a b c"


def test_a_generator_that_nobody_read_is_told() -> None:
    def words() -> Iterator[str]:
        yield "Hold"

    with pytest.raises(
        InvalidUse, match=r"returned the generator words, and nobody read it\. Read it in the call: check\("
    ):
        returned(words(), None)
    assert returned(words(), " ".join) == "Hold"
