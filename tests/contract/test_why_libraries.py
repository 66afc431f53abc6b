"""Retries of libraries and SDKs are told by what they were told; loops of async code as those of plain code."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import stamina
import tenacity

from pytest_llmfaults._contract import why as why_module
from pytest_llmfaults._contract._why_choose import reason_of
from pytest_llmfaults._contract._why_reason import Reason, told
from pytest_llmfaults._contract.why import Why, explain, explain_async
from tests.contract import why_libraries as libraries
from tests.contract import why_subjects as subjects
from tests.contract.test_why import CLAUSES, line_of
from tests.contract.why_kit import job, lifted

pytestmark = pytest.mark.usefixtures("imported", "_stamina")

HTML, BUSY, RESET, EMPTY = "body.html_page", "status.503", "transport.reset_peer", "content.empty"


@pytest.fixture
def _stamina() -> Iterator[None]:
    active = stamina.is_active()
    stamina.set_active(True)
    yield
    stamina.set_active(active)


def explained(subject: Callable[[], Any], fault: str) -> Why:
    with lifted():
        if inspect.iscoroutinefunction(subject):
            return asyncio.run(explain_async(job(subject, fault)))
        return explain(job(subject, fault))


BY_TYPE = "tenacity: retry_if_exception_type(RequestException), after {} (a RequestException)"
SDK_BY_TYPE = "tenacity: retry_if_exception_type(APIError), after {} (an APIError)"
MESSAGE = tenacity.retry_if_exception_message(match="503 .*")
# Before tenacity 9.2 the object keeps a function and forgets the text that it was made of.
MATCH = "match='503 .*'" if hasattr(MESSAGE, "match") else "match_fnc"
EITHER = f"retry_if_exception_type((KeyError, ValueError)) | retry_if_exception_message({MATCH})"
PREDICATES = [
    ("by_type", HTML, BY_TYPE.format("JSONDecodeError")),
    ("by_default", HTML, "tenacity: retry_if_exception_type(Exception), after JSONDecodeError"),
    ("by_types", HTML, f"tenacity: {EITHER}, after JSONDecodeError (a ValueError)"),
    ("by_function", RESET, "tenacity: retry_if_exception(is_requests_error), after ConnectionError"),
    ("by_result", BUSY, "tenacity: retry_if_result(is_server_error)"),
    ("by_lambda", BUSY, "tenacity: retry_if_result(a lambda at why_libraries.py:{by_lambda})"),
    ("in_a_block", BUSY, BY_TYPE.format("HTTPError")),
    ("result_of_a_block", BUSY, "tenacity: retry_if_result(is_server_error)"),
    ("async_tenacity", BUSY, SDK_BY_TYPE.format("InternalServerError")),
    ("async_block", RESET, SDK_BY_TYPE.format("APIConnectionError")),
    ("stamina_decorated", HTML, "stamina: on=RequestException, after JSONDecodeError (a RequestException)"),
    ("stamina_with_hook", HTML, "stamina: on=is_requests_error, after JSONDecodeError"),
    ("stamina_block", HTML, "stamina: on=(RequestException, KeyError), after JSONDecodeError (a RequestException)"),
    ("async_stamina_decorated", BUSY, "stamina: on=APIError, after InternalServerError (an APIError)"),
    (
        "backoff_on_exception",
        HTML,
        "backoff: on_exception(RequestException), after JSONDecodeError (a RequestException)",
    ),
    ("backoff_on_predicate", BUSY, "backoff: on_predicate(is_server_error)"),
    ("async_backoff", RESET, "backoff: on_exception(APIError), after APIConnectionError (an APIError)"),
    ("mounted", BUSY, "urllib3 Retry: status_forcelist (503)"),
    ("mounted", "status.429_quota_retry_after", "urllib3 Retry: respect_retry_after_header (429)"),
    ("mounted", RESET, "urllib3 Retry: read errors, after ConnectionResetError"),
    ("plain_urllib3", BUSY, "urllib3 Retry: status_forcelist (503)"),
    ("sdk", BUSY, "openai: its own retry (max_retries=2), after HTTPStatusError"),
    ("sdk", RESET, "openai: its own retry (max_retries=2), after ReadError"),
    ("sdk_async", BUSY, "openai: its own retry (max_retries=2), after HTTPStatusError"),
]


@pytest.mark.parametrize(("name", "fault", "text"), PREDICATES, ids=[f"{one[0]}-{one[1]}" for one in PREDICATES])
def test_a_library_is_told_by_its_predicate(name: str, fault: str, text: str) -> None:
    why = explained(getattr(libraries, name), fault)
    assert why.text == text.format(by_lambda=libraries.LAMBDA_LINE)
    reason = why.reasons[0]
    assert (reason.kind, reason.library) == ("predicate", text.partition(":")[0])
    assert reason.exception is None or reason.exception in text


def test_a_loop_around_an_sdk_is_told_apart_from_the_sdk() -> None:
    why = explained(libraries.around_the_sdk, BUSY)
    assert [(reason.library, reason.exception) for reason in why.reasons] == [
        ("openai", "HTTPStatusError"),
        (None, "InternalServerError"),
        ("openai", "HTTPStatusError"),
    ]
    assert why.reasons[1].bases == ("OpenAIError",)


@pytest.mark.parametrize(
    ("name", "exception", "base", "clause"),
    [
        ("loop_async", "InternalServerError", "APIStatusError", "except openai.APIStatusError as error:"),
        (
            "with_a_deadline",
            "InternalServerError",
            "APIStatusError",
            "except (openai.APIStatusError, asyncio.TimeoutError):",
        ),
        ("in_threads", "HTTPError", "RequestException", "except requests.RequestException:"),
        ("loop_per_attempt", "InternalServerError", "APIError", "except openai.APIError:"),
        ("with_aiohttp", "ClientResponseError", "ClientError", "except aiohttp.ClientError:"),
        ("with_trio", "HTTPStatusError", "HTTPError", "except httpx.HTTPError:"),
    ],
)
def test_an_async_loop(name: str, exception: str, base: str, clause: str) -> None:
    subject = getattr(libraries, name)
    why = explained(subject, BUSY)
    if name == "with_trio":
        subject = libraries.ask_on_trio
    assert why.text == (
        f"{exception} ({'an' if base[0] == 'A' else 'a'} {base}) caught by `{clause}` "
        f"why_libraries.py:{line_of(subject, clause)}"
    )


def test_an_async_loop_that_looks_at_the_reply() -> None:
    assert explained(libraries.status_async, EMPTY).text == "no exception: the client looked at the reply"


def test_loops_side_by_side_are_told_apart_or_unknown() -> None:
    why = explained(libraries.side_by_side, BUSY)
    lines = {line_of(one, "except ") for one in (libraries.loop_async, libraries.with_a_deadline)}
    for reason in why.reasons:
        assert reason.kind in {"clause", "unknown"} or reason.library == "openai"
        assert reason.line in {None, *lines}
    assert {reason.library for reason in why.reasons} >= {None, "openai"}


def test_httpx_retries() -> None:
    httpx_retries = pytest.importorskip("httpx_retries")
    import httpx

    retry = httpx_retries.Retry(total=2, allowed_methods=["POST"])

    def post() -> int:
        with httpx.Client(transport=httpx_retries.RetryTransport(retry=retry)) as client:
            return client.post(subjects.URL, json=subjects.BODY).status_code

    assert explained(post, BUSY).text == "httpx-retries: status_forcelist (503)"
    assert explained(post, RESET).text == (
        "httpx-retries: retry_on_exceptions (TimeoutException, NetworkError, RemoteProtocolError), "
        "after ReadError (a NetworkError)"
    )


LATER = [(one[0].__name__, one[0], one[1]) for one in CLAUSES]
LATER += [(name, getattr(libraries, name), fault) for name, fault, _ in PREDICATES]


@pytest.mark.parametrize(
    ("subject", "fault"), [one[1:] for one in LATER], ids=[f"{name}-{fault}" for name, _, fault in LATER]
)
def test_a_choice_made_when_all_is_over_is_the_same(
    subject: Callable[[], Any], fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is chosen comes from what was seen, and from nothing that the call does meanwhile."""
    seen: list[tuple[Any, ...]] = []

    def note(before: Any, after: Any, catches: Any, trails: Any) -> Reason:
        trails = {key: list(trail) for key, trail in trails.items()}
        seen.append((before, after, list(catches), trails))
        return reason_of(before, after, catches, trails)

    monkeypatch.setattr(why_module, "reason_of", note)
    why = explained(subject, fault)
    again = tuple(reason_of(*one) for one in seen)
    assert again == why.reasons
    assert told(again) == why.text
