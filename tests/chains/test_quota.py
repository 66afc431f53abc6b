"""The quota: what it lets pass, what its refusals say, and how it refills, per run and per thread."""

from __future__ import annotations

import asyncio
import dataclasses
import functools
import threading
import time
from collections import Counter
from typing import Any

import anthropic
import httpx2
import openai
import pytest
from google import genai
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_llmfaults import (
    Answer,
    InvalidUse,
    LLMFaults,
    NeverFired,
    Quota,
    Refused,
    Unsupported,
    Usage,
    as_callback,
    as_side_effect,
    inject,
    quota,
)
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults._wires._limits import duration, instant

OPENAI = "https://api.openai.com/v1/chat/completions"
CLAUDE = "https://api.anthropic.com/v1/messages"
_KEPT = quota(requests=1, per_seconds=60)
ASKED: Any = {"model": "gpt-5", "messages": [{"role": "user", "content": "x"}]}


@functools.cache
def _client() -> httpx2.Client:
    return httpx2.Client()


def post(url: str = OPENAI, **more: Any) -> httpx2.Response:
    return _client().post(url, json={**ASKED, **more})


def told(reply: httpx2.Response, prefix: str) -> dict[str, str]:
    return {name: value for name, value in reply.headers.items() if name.startswith(prefix) or name == "retry-after"}


def test_each_reply_says_what_is_left(llmfaults: LLMFaults) -> None:
    llmfaults.inject(quota(requests=2, per_seconds=60, tokens=100))
    first, second, third = (post() for _ in range(3))
    limits = {"x-ratelimit-limit-requests": "2", "x-ratelimit-limit-tokens": "100"}
    assert told(first, "x-ratelimit-") == {
        **limits,
        "x-ratelimit-remaining-requests": "1",
        "x-ratelimit-reset-requests": "30s",
        "x-ratelimit-remaining-tokens": "59",
        "x-ratelimit-reset-tokens": "24.6s",
    }
    assert told(second, "x-ratelimit-")["x-ratelimit-reset-requests"] == "1m0s"
    assert told(third, "x-ratelimit-") == {
        **limits,
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-requests": "1m0s",
        "x-ratelimit-remaining-tokens": "18",
        "x-ratelimit-reset-tokens": "49.2s",
        "retry-after": "30",
    }
    assert (third.status_code, third.json()["error"]["code"]) == (429, "rate_limit_exceeded")
    assert third.json()["error"]["type"] == "requests"


def test_anthropic_says_when_it_is_full_again(llmfaults: LLMFaults) -> None:
    llmfaults.inject(quota(requests=1, per_seconds=90), host="api.anthropic.com")
    before = time.time()
    good, refused = post(CLAUDE), post(CLAUDE)
    after = time.time()
    for reply in (good, refused):
        reset = reply.headers["anthropic-ratelimit-requests-reset"]
        assert instant(before + 90) <= reset <= instant(after + 90)
        assert reply.headers["anthropic-ratelimit-requests-limit"] == "1"
        assert reply.headers["anthropic-ratelimit-requests-remaining"] == "0"
    assert "retry-after" not in good.headers
    assert (refused.status_code, refused.headers["retry-after"]) == (429, "90")
    assert refused.json()["error"]["type"] == "rate_limit_error"


def test_gemini_tells_of_its_limit_in_the_body_of_the_refusal(llmfaults: LLMFaults) -> None:
    llmfaults.inject(quota(requests=2, per_seconds=60), wire="gemini")
    with genai.Client() as client:
        asked = functools.partial(client.models.generate_content, model="gemini-3.8-flash", contents="x")
        assert [asked().text is not None for _ in range(2)] == [True, True]
        with pytest.raises(genai.errors.ClientError) as refusal:
            asked()
    assert (refusal.value.code, refusal.value.status) == (429, "RESOURCE_EXHAUSTED")
    failure, retry = refusal.value.details["error"]["details"]
    (violation,) = failure["violations"]
    assert violation["quotaDimensions"] == {"location": "global", "model": "gemini-3.8-flash"}
    assert (violation["quotaValue"], violation["quotaId"][:25]) == ("2", "GenerateRequestsPerMinute")
    assert retry["retryDelay"] == "30s"
    time.sleep(30)
    raw = post("https://generativelanguage.googleapis.com/v1beta/models/gemini-3.8-flash:generateContent", contents=[])
    assert (raw.status_code, told(raw, "x-ratelimit-")) == (200, {})


def test_the_row_at_anthropics_limit_names_a_moment_to_come(llmfaults: LLMFaults) -> None:
    llmfaults.inject("status.429_ratelimit_reset", wire="anthropic.messages")
    before = time.time()
    reset = post(CLAUDE).headers["anthropic-ratelimit-requests-reset"]
    assert instant(before + 40) <= reset <= instant(time.time() + 40)


def test_the_wall_clock_of_a_reset_is_virtual(llmfaults: LLMFaults) -> None:
    llmfaults.inject(quota(requests=1, per_seconds=60), host="api.anthropic.com")
    first = post(CLAUDE).headers["anthropic-ratelimit-requests-reset"]
    time.sleep(100_000)
    assert post(CLAUDE).headers["anthropic-ratelimit-requests-reset"][:10] > first[:10]


def test_it_refills_evenly_and_not_beyond_its_limit(llmfaults: LLMFaults) -> None:
    llmfaults.inject(quota(requests=3, per_seconds=60))
    statuses = []
    for seconds in (0, 0, 0, 19.999, 0.001, 0, 40, 0, 0, 1000, 0, 0, 0):
        time.sleep(seconds)
        statuses.append(post().status_code)
    assert statuses == [200, 200, 200, 429, 200, 429, 200, 200, 429, 200, 200, 200, 429]


def test_parts_of_a_second_do_not_add_up_to_an_error(llmfaults: LLMFaults) -> None:
    llmfaults.inject(quota(requests=7, per_seconds=1))
    assert [post().status_code for _ in range(7)] == [200] * 7
    for _ in range(49):
        time.sleep(1 / 7 + 1e-9)
        assert post().headers["x-ratelimit-remaining-requests"] == "0"
    assert post().status_code == 429


def test_a_refusal_uses_up_nothing_and_its_wait_is_enough(llmfaults: LLMFaults) -> None:
    llmfaults.inject(quota(requests=50, per_seconds=60))
    assert [post().status_code for _ in range(50)] == [200] * 50
    refused = [post() for _ in range(5)]
    assert {reply.headers["retry-after"] for reply in refused} == {"2"}
    time.sleep(2)
    assert [post().status_code for _ in range(2)] == [200, 429]


def test_tokens_are_those_that_the_answer_used(llmfaults: LLMFaults) -> None:
    answer = Answer("x", usage=Usage(prompt=600, completion=300))
    llmfaults.inject(quota(requests=100, per_seconds=60, tokens=1000), answer=answer)
    good, refused = post(), post()
    assert good.headers["x-ratelimit-remaining-tokens"] == "100"
    assert (refused.json()["error"]["type"], refused.headers["retry-after"]) == ("tokens", "48")
    assert refused.headers["x-ratelimit-remaining-requests"] == "99"


def test_an_answer_that_could_never_pass_is_refused_by_name() -> None:
    lean = inject(quota(requests=1, per_seconds=1, tokens=40))
    with pytest.raises(Refused, match=r"this answer takes 41 tokens\. Raise tokens="), lean:
        post()


def test_a_stream_has_the_headers_and_a_refusal_is_json(llmfaults: LLMFaults) -> None:
    llmfaults.inject(quota(requests=1, per_seconds=60))
    good, refused = post(stream=True), post(stream=True)
    assert good.headers["content-type"].startswith("text/event-stream")
    assert good.headers["x-ratelimit-remaining-requests"] == "0"
    assert (refused.status_code, refused.headers["content-type"]) == (429, "application/json")


def test_one_quota_is_shared_by_all_that_it_is_injected_for(llmfaults: LLMFaults) -> None:
    shared = llmfaults.quota(requests=2, per_seconds=60)
    llmfaults.inject(shared, model="gpt-5")
    llmfaults.inject(shared, model="gpt-5-mini")
    assert [post(model=model).status_code for model in ("gpt-5", "gpt-5-mini", "gpt-5")] == [200, 200, 429]


def test_two_quotas_are_apart(llmfaults: LLMFaults) -> None:
    for model in ("gpt-5", "gpt-5-mini"):
        llmfaults.inject(quota(requests=1, per_seconds=60), model=model)
    assert [post(model=model).status_code for model in ("gpt-5", "gpt-5-mini", "gpt-5")] == [200, 200, 429]


def test_the_same_quota_is_full_in_each_run() -> None:
    kept = quota(requests=1, per_seconds=60)
    for _ in range(2):
        with inject(kept):
            assert [post().status_code, post().status_code] == [200, 429]


@given(drawn=st.sampled_from(["gpt-5", "gpt-6"]))
@settings(database=None, max_examples=2, deadline=None)
def test_the_same_quota_is_full_in_each_example(llmfaults: LLMFaults, drawn: str) -> None:
    with llmfaults.inject(_KEPT):
        assert [post(model=drawn).status_code for _ in range(2)] == [200, 429]


def test_a_block_that_ends_leaves_a_shared_quota_as_it_is(llmfaults: LLMFaults) -> None:
    llmfaults.inject(_KEPT, model="gpt-5")
    with llmfaults.inject(_KEPT, model="gpt-6"):
        assert post(model="gpt-6").status_code == 200
    assert post(model="gpt-5").status_code == 429


@pytest.mark.llmfaults("status.503", then=quota(requests=1, per_seconds=60))
def test_a_marker_takes_one_as_what_comes_then() -> None:
    assert [post().status_code for _ in range(3)] == [503, 200, 429]


def test_distinct_requests_share_it(llmfaults: LLMFaults) -> None:
    llmfaults.inject("status.503", quota(requests=1, per_seconds=60), per_request=True)
    asked = ("gpt-5", "gpt-6", "gpt-5", "gpt-6")
    assert [post(model=model).status_code for model in asked] == [503, 503, 200, 429]


def test_a_wire_without_limits_refuses_it_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    silent = dataclasses.replace(WIRES["openai.chat"], limits=None)
    monkeypatch.setattr("pytest_llmfaults._run.WIRES", {**WIRES, silent.name: silent})
    blind = inject(quota(requests=1, per_seconds=60))
    with pytest.raises(Refused, match=r"does not apply to the wire openai\.chat, which has no limits"), blind:
        post()
    assert quota(requests=1, per_seconds=60).misfit(silent)


def test_steps_before_it_use_up_nothing(llmfaults: LLMFaults) -> None:
    llmfaults.inject("status.503", quota(requests=1, per_seconds=60), answer=Answer("hi"))
    replies = [post() for _ in range(3)]
    assert [reply.status_code for reply in replies] == [503, 200, 429]
    assert replies[1].json()["choices"][0]["message"]["content"] == "hi"


def test_the_story_says_what_was_left(llmfaults: LLMFaults) -> None:
    llmfaults.inject(quota(requests=1, per_seconds=60))
    post(), post()
    first, second = str(llmfaults).splitlines()
    assert "-> quota, 0 of 1 requests left [read]" in first
    assert "-> quota, refused for 60 s [read]" in second


@pytest.mark.asyncio
async def test_tasks_that_all_wait_as_told_come_back_together(llmfaults: LLMFaults) -> None:
    llmfaults.inject(quota(requests=3, per_seconds=60))
    async with openai.AsyncOpenAI() as client:
        asked = (client.chat.completions.create(**ASKED) for _ in range(10))
        came = await asyncio.gather(*asked, return_exceptions=True)
    assert Counter(map(type, came))[openai.RateLimitError] == 5
    started = Counter(reply.status for reply in llmfaults.replies)
    assert started == {200: 5, 429: 7 + 6 + 5}
    assert llmfaults.elapsed_seconds == 40


def test_threads_take_no_more_than_there_is(llmfaults: LLMFaults) -> None:
    llmfaults.inject(quota(requests=5, per_seconds=3600))
    statuses: list[int] = []
    threads = [threading.Thread(target=lambda: statuses.append(post().status_code)) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(statuses) == {200: 5, 429: 7}


def test_a_thread_that_is_behind_is_told_its_own_wait(llmfaults: LLMFaults) -> None:
    llmfaults.inject(quota(requests=1, per_seconds=60))
    waits: list[str] = []
    entered, ahead = threading.Event(), threading.Event()

    def behind() -> None:
        post()
        entered.set()
        ahead.wait()
        waits.append(post().headers["retry-after"])

    thread = threading.Thread(target=behind)
    thread.start()
    entered.wait()
    time.sleep(75)
    assert post().status_code == 200
    ahead.set()
    thread.join()
    assert waits == ["135"]  # the next comes 60 s after the one at 75 s; this thread is still at 0 s


def test_the_responses_of_openai_have_the_same_headers(llmfaults: LLMFaults) -> None:
    llmfaults.inject(quota(requests=3, per_seconds=60), wire="openai.responses")
    with openai.OpenAI() as client:
        for _ in range(5):
            client.responses.create(model="gpt-5", input="x")
    assert llmfaults.waits == [0, 0, 0, 20, 0, 20]
    assert llmfaults.replies[0].header("x-ratelimit-reset-requests") == "20s"
    assert llmfaults.replies[3].header("retry-after") == "20"


def test_anthropics_sdk_gets_through(llmfaults: LLMFaults) -> None:
    llmfaults.inject(quota(requests=3, per_seconds=60), wire="anthropic.messages")
    with anthropic.Anthropic() as client:
        for _ in range(10):
            client.messages.create(max_tokens=9, **ASKED)
    assert llmfaults.waits == [0, 0, 0, *[20, 0] * 6, 20]


def test_one_that_refused_nobody_has_fired_and_one_that_nobody_met_has_not() -> None:
    with inject(quota(requests=10, per_seconds=60)) as seen:
        post()
    assert [reply.status for reply in seen.replies] == [200]
    unmet = inject(quota(requests=1, per_seconds=2))
    with pytest.raises(NeverFired, match=r"quota\(requests=1, per_seconds=2\) never fired"), unmet:
        pass


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ({"requests": 0, "per_seconds": 60}, "requests=0 is not allowed: it is an integer from 1"),
        ({"requests": 1.5, "per_seconds": 60}, "requests=1.5 is not allowed"),
        ({"requests": True, "per_seconds": 60}, "requests=True is not allowed"),
        ({"requests": 1, "per_seconds": 0}, "per_seconds=0 is not allowed: it is a number of seconds above 0"),
        ({"requests": 1, "per_seconds": float("inf")}, "per_seconds=inf is not allowed"),
        ({"requests": 1, "per_seconds": "1m"}, "per_seconds='1m' is not allowed"),
        ({"requests": 1, "per_seconds": 1, "tokens": -3}, "tokens=-3 is not allowed"),
    ],
)
def test_numbers_that_make_no_sense(numbers: dict[str, Any], text: str) -> None:
    with pytest.raises(InvalidUse, match=text.replace(".", r"\.")):
        quota(**numbers)


def test_it_is_the_last_step(llmfaults: LLMFaults) -> None:
    with pytest.raises(InvalidUse, match="stands for one attempt here and could refuse none: let it be the last step"):
        llmfaults.inject(quota(requests=1, per_seconds=60), "ok")


def test_a_function_cannot_return_one() -> None:
    def fresh(_request: object) -> Quota:
        return quota(requests=1, per_seconds=60)

    returned = "returned a quota, which would be a full one for each request"
    with pytest.raises(Refused, match=returned), inject(fresh):
        post()


@pytest.mark.parametrize("route", [as_callback, as_side_effect])
def test_a_route_made_by_hand_has_no_clock_for_it(route: Any) -> None:
    with pytest.raises(Unsupported, match="it has no clock on which a quota could refill"):
        route(quota(requests=1, per_seconds=60))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0s"),
        (0.012, "12ms"),
        (0.0121, "13ms"),
        (1, "1s"),
        (7.5, "7.5s"),
        (59.999, "59.999s"),
        (60, "1m0s"),
        (360, "6m0s"),
        (5011, "1h23m31s"),
    ],
)
def test_a_duration_is_written_as_the_provider_does(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_an_instant_is_never_too_early() -> None:
    assert instant(1_780_000_000) == "2026-05-28T20:26:40Z"
    assert instant(1_780_000_000.01) == "2026-05-28T20:26:41Z"
