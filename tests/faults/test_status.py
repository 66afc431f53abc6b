"""Statuses: the exact headers of a wait, the bodies of errors, and redirects."""

from __future__ import annotations

import dataclasses
import json
from email.utils import parsedate_to_datetime
from typing import Any

import pytest

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import CATALOGUE
from pytest_llmfaults._injection import Filter, Injection, checked_steps
from pytest_llmfaults._request import Request
from pytest_llmfaults._run import Run
from pytest_llmfaults.errors import DoesNotApply, InvalidUse
from tests.faults.replies import ON_WIRE, URL, base, reply, request

LIMITED = {"message": "Rate limit reached.", "type": "requests", "param": None, "code": "rate_limit_exceeded"}


@pytest.mark.parametrize(
    ("name", "values", "header"),
    [
        ("status.429_retry_after_seconds", {}, "7"),
        ("status.429_retry_after_seconds", {"seconds": 600}, "600"),
        ("status.429_retry_after_date", {}, "Thu, 28 May 2026 20:26:47 GMT"),
        ("status.429_retry_after_date", {"seconds": 60}, "Thu, 28 May 2026 20:27:40 GMT"),
        ("status.429_retry_after_date_past", {}, "Thu, 28 May 2026 20:25:40 GMT"),
        ("status.429_retry_after_date_bad", {}, "Wed, 21 Oct 99999 07:28:00 GMT"),
        ("status.429_retry_after_fraction", {}, "0.493"),
        ("status.429_retry_after_zero", {}, "0"),
        ("status.429_retry_after_negative", {}, "-1"),
        ("status.429_retry_after_junk", {}, "soon"),
        ("status.429_retry_after_empty", {}, ""),
        ("status.429_retry_after_nan", {}, "nan"),
        ("status.429_retry_after_infinite", {}, "inf"),
        ("status.429_retry_after_huge", {}, "86400"),
        ("status.429_rate", {}, None),
        ("status.429_retry_after_ms", {}, None),
        ("status.429_retry_after_ms_zero", {}, None),
        ("status.429_ratelimit_headers", {}, None),
    ],
)
def test_retry_after(name: str, values: dict[str, Any], header: str | None) -> None:
    one = reply(name, **values)
    assert one.status == 429
    assert one.header("retry-after") == header
    assert json.loads(one.body) == {"error": LIMITED}


@pytest.mark.parametrize(
    ("name", "values", "headers"),
    [
        ("status.429_retry_after_ms", {}, {"retry-after-ms": "4321"}),
        ("status.429_retry_after_ms", {"milliseconds": 1}, {"retry-after-ms": "1"}),
        ("status.429_retry_after_ms_zero", {}, {"retry-after-ms": "0"}),
        (
            "status.429_ratelimit_headers",
            {},
            {"x-ratelimit-remaining-requests": "0", "x-ratelimit-reset-requests": "7s"},
        ),
        ("status.429_ratelimit_headers", {"seconds": 90}, {"x-ratelimit-reset-requests": "1m30s"}),
        ("status.429_should_not_retry", {}, {"x-should-retry": "false"}),
        ("status.429_quota_retry_after", {}, {"retry-after": "30"}),
        ("status.429_spend_limit", {}, {"retry-after": None}),
        ("status.429_spend_limit_retry_after", {}, {"retry-after": "600"}),
        ("status.400_should_retry", {}, {"x-should-retry": "true"}),
        ("status.500_should_not_retry", {}, {"x-should-retry": "false"}),
        ("status.503_retry_after", {"seconds": 9}, {"retry-after": "9"}),
        ("status.405", {}, {"allow": "GET"}),
        ("status.502_html", {}, {"server": "nginx", "content-type": "text/html"}),
        ("envelope.choice_error_retry_after", {}, {"retry-after": "7"}),
        ("control.retry_after_on_success", {}, {"retry-after": "7"}),
    ],
)
def test_other_headers(name: str, values: dict[str, Any], headers: dict[str, str | None]) -> None:
    one = reply(name, **values)
    assert {key: one.header(key) for key in headers} == headers


@pytest.mark.parametrize("fraction", [0.0, 0.001, 0.5, 0.999])
def test_a_date_is_never_too_early(fraction: float) -> None:
    healthy = dataclasses.replace(base(), now=1_790_000_000 + fraction)
    header = reply("status.429_retry_after_date", healthy, seconds=5).header("retry-after")
    ahead = parsedate_to_datetime(header or "").timestamp() - healthy.now
    assert 5 <= ahead < 6


@pytest.mark.parametrize(
    ("name", "values", "found"),
    [
        ("status.429_retry_after_body", {"seconds": 3}, {"error": {**LIMITED, "retry_after": 3}}),
        ("status.429_retry_info", {}, "45.8s"),
        ("status.429_retry_info", {"seconds": 2}, "2s"),
        ("status.429_retry_after_prose", {}, "Try again in 50 seconds."),
        ("status.429_retry_after_prose_ms", {}, "Please try again in 94ms."),
        ("status.503_loading", {}, [{"error": "The model is currently loading", "estimated_time": 20.0}]),
        ("status.429_quota", {}, "insufficient_quota"),
        ("status.429_credit_balance", {}, "billing_error"),
    ],
)
def test_a_wait_in_the_body(name: str, values: dict[str, Any], found: Any) -> None:
    one = reply(name, **values)
    assert one.header("retry-after") is None
    if isinstance(found, str):
        assert found in one.body.decode()
    else:
        assert json.loads(one.body) == found


@pytest.mark.parametrize("name", [name for name in CATALOGUE if name.startswith("status.error_")])
@pytest.mark.parametrize("status", [400, 503])
def test_an_error_body_takes_a_status(name: str, status: int) -> None:
    one = reply(name, status=status)
    assert one.status == status
    assert reply(name).status == 400


def test_the_number_in_a_name_is_the_status() -> None:
    for name in CATALOGUE:
        number = name.removeprefix("status.")[:3]
        if name.startswith("status.") and number.isdigit() and name in ON_WIRE:
            assert reply(name).status == int(number)


@pytest.mark.parametrize("status", [520, 521, 522, 523, 524])
def test_the_page_of_an_edge_is_long(status: int) -> None:
    one = reply(f"status.{status}")
    assert len(one.body) == 6000
    assert one.header("server") == "cloudflare"
    assert f"<title>{status}: " in one.body.decode()


@pytest.mark.parametrize("name", ["status.4xx", "status.5xx"])
def test_a_status_that_is_seldom_seen(name: str) -> None:
    row = CATALOGUE[name]
    for status in row.parameters[0].choices:
        assert reply(name, status=status).status == status
    assert f"status.{reply(name).status}" not in CATALOGUE
    with pytest.raises(InvalidUse, match=f"{name}: status=400 is not allowed"):
        row.with_values({"status": 400})


def test_an_answer_that_has_to_be_fetched_elsewhere() -> None:
    one = reply("status.202")
    assert (one.status, one.body, one.header("nvcf-reqid")) == (202, b"", "00000000-0000-4000-8000-000000000000")


def test_the_request_is_blamed() -> None:
    def error(name: str) -> Any:
        one = reply(name)
        assert one.status == 400
        return json.loads(one.body)["error"]

    assert json.loads(reply("status.403_quota").body)["code"] == "INSUFFICIENT_BALANCE"
    assert json.loads(reply("status.413_tokens_per_minute").body)["error"]["code"] == "rate_limit_exceeded"
    assert json.loads(reply("status.500_quota_text").body)["error"]["message"] == "insufficient balance (1008)"
    assert error("status.400_unsupported_parameter")["code"] == "unsupported_parameter"
    assert error("status.400_unsupported_parameter")["param"] == "max_tokens"
    assert error("status.400_tool_use_failed")["failed_generation"] == '<function=search{"query": "x"}'
    assert error("status.400_json_validate_failed")["code"] == "json_validate_failed"


def test_no_content_has_neither_body_nor_length() -> None:
    assert reply("status.204").head() == b"HTTP/1.1 204 No Content\r\n\r\n"


@pytest.mark.parametrize(
    ("name", "status", "location"),
    [
        ("status.301_trailing_slash", 301, "/v1/chat/completions/"),
        ("status.302_login", 302, "/login"),
        ("status.302_no_location", 302, None),
        ("status.307_moved", 307, "/v1/chat/completions?moved=1"),
        ("status.307_loop", 307, "/v1/chat/completions"),
    ],
)
def test_redirects(name: str, status: int, location: str | None) -> None:
    one = reply(name)
    assert (one.status, one.header("location"), one.body) == (status, location, b"")


def test_a_slash_goes_before_the_query() -> None:
    healthy = dataclasses.replace(base(), request=request(url=f"{URL}?api-version=1"))
    assert reply("status.301_trailing_slash", healthy).header("location") == "/v1/chat/completions/?api-version=1"


def run_of(*steps: str) -> Run:
    run = Run()
    checked = checked_steps(steps, of=None)
    run.add(Injection(checked, covers=Filter(), times=None, per_request=False, answer=Answer("hi"), where="here"))
    return run


def sent(run: Run, url: str = URL, method: str = "POST") -> tuple[int, bytes]:
    one = Request(method, url, (), request().body if method == "POST" else b"")
    attempt = run.open(one)
    assert attempt is not None
    return attempt.reply.status, attempt.reply.body


def test_what_follows_a_redirect_uses_up_no_step() -> None:
    run = run_of("status.307_moved", "status.500", "ok")
    assert sent(run)[0] == 307
    status, body = sent(run, f"{URL}?moved=1")
    assert (status, json.loads(body)["choices"][0]["message"]["content"]) == (200, "hi")
    assert sent(run)[0] == 500
    assert sent(run)[0] == 200
    assert not run.injections[0].unfired()
    assert [str(entry) for entry in run.ledger.attempts] == [
        "#1 POST api.openai.com/v1/chat/completions -> status.307_moved",
        "#2 POST api.openai.com/v1/chat/completions -> status.307_moved",
        "#3 POST api.openai.com/v1/chat/completions -> status.500",
        "#4 POST api.openai.com/v1/chat/completions -> ok",
    ]


def test_a_method_that_became_get_meets_the_route() -> None:
    run = run_of("status.301_trailing_slash")
    assert sent(run)[0] == 301
    assert sent(run, f"{URL}/", "GET")[0] == 405
    assert sent(run, f"{URL}/")[0] == 200


def test_a_sign_in_page_waits_where_the_redirect_points() -> None:
    run = run_of("status.302_login", "ok")
    assert sent(run)[0] == 302
    status, body = sent(run, "https://api.openai.com/login", "GET")
    assert (status, b"<title>Sign in</title>" in body) == (200, True)
    assert sent(run)[0] == 200


def test_a_loop_uses_up_steps() -> None:
    run = run_of("status.307_loop", "status.307_loop", "ok")
    assert [sent(run)[0] for _ in range(3)] == [307, 307, 200]


def test_the_run_gives_the_wall_clock() -> None:
    import time

    run = run_of("status.429_retry_after_date")
    attempt = run.open(request())
    assert attempt is not None
    ahead = parsedate_to_datetime(attempt.reply.header("retry-after") or "").timestamp() - time.time()
    assert 5 < ahead <= 8


def test_does_not_apply_is_an_invalid_use() -> None:
    assert issubclass(DoesNotApply, InvalidUse)
