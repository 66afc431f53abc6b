"""What was raised, in a word."""

from __future__ import annotations

import asyncio
import json

import httpx
import pytest
import requests

from pytest_llmfaults._contract.describe import raised


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
