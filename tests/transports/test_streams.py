"""How much of a stream real clients consume, and how they close it, as the ledger tells it."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import time
from collections.abc import Callable, Coroutine
from typing import Any

import aiohttp
import httpx
import httpx2
import openai
import pytest
import requests

from pytest_llmfaults import Answer, Injected, fault, inject

ANSWER = Answer("one two three four five six.")
BODY: dict[str, Any] = {"model": "gpt-5", "messages": [{"role": "user", "content": "count"}], "stream": True}
URL = "https://gateway.example.com/v1/chat/completions"


def injected(*steps: Any) -> Injected:
    return inject(*steps, answer=ANSWER)


def client() -> openai.OpenAI:
    return openai.OpenAI(api_key="sk-test", base_url="https://gateway.example.com/v1", max_retries=0)


def told(seen: Injected) -> tuple[int, str, str]:
    (one,) = seen.streams
    return one.events, one.text, one.closed


def test_a_stream_that_is_read_to_its_end_is_drained() -> None:
    with injected("ok") as seen:
        for _ in client().chat.completions.create(**BODY):
            pass
    assert told(seen) == (8, "one two three four five six.", "drained")
    assert seen.streams[0].output
    assert seen.outcomes == ["read"]


def test_a_loop_that_is_left_leaks_until_the_stream_is_closed() -> None:
    with injected("ok") as seen:
        stream = client().chat.completions.create(**BODY)
        for chunk in stream:
            if chunk.choices[0].delta.content == " two":
                break
        assert told(seen) == (3, "one two", "leaked")
        stream.close()
        assert told(seen) == (3, "one two", "closed by the client")


def test_what_is_slept_after_a_stream_was_dropped_is_a_wait_whenever_it_is_closed() -> None:
    def ask() -> None:
        for chunk in client().chat.completions.create(**BODY):
            if chunk.choices[0].delta.content == "one":
                raise LookupError

    with injected("ok") as seen:
        for _ in range(3):
            with contextlib.suppress(LookupError):
                ask()
            time.sleep(1.0)
            gc.collect()
        assert seen.waits == [1.0, 1.0]


def test_a_deadline_that_cuts_a_stream_is_time_in_the_attempt() -> None:
    async def ask() -> None:
        async with openai.AsyncOpenAI(api_key="sk-test", base_url="https://gateway.example.com/v1") as api:
            async for _ in await api.chat.completions.create(**BODY):
                pass

    async def twice() -> None:
        for _ in range(2):
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(ask(), 30.0)

    with injected("stream.stall") as seen:
        asyncio.run(twice())
        assert seen.waits == [0.0]


def test_a_generator_that_is_dropped_closes() -> None:
    def texts() -> Any:
        for chunk in client().chat.completions.create(**BODY):
            yield chunk.choices[0].delta.content

    with injected("ok") as seen:
        found = texts()
        assert [next(found), next(found)] == ["", "one"]
        assert told(seen)[2] == "leaked"
        del found
        gc.collect()
        assert told(seen) == (2, "one", "closed by the client")


def test_a_with_that_is_left_by_an_error_closes() -> None:
    with injected("ok") as seen:
        with contextlib.suppress(KeyError), client().chat.completions.create(**BODY) as stream:
            next(iter(stream))
            raise KeyError
        assert told(seen) == (1, "", "closed by the client")
        assert not seen.streams[0].output


def test_a_task_that_is_cancelled_closes() -> None:
    async def run() -> None:
        async with openai.AsyncOpenAI(api_key="sk-test", base_url="https://gateway.example.com/v1") as asking:

            async def read() -> None:
                async for _ in await asking.chat.completions.create(**BODY):
                    pass

            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(read(), 5)  # of virtual time; the client's own timeout is 600 s

    with injected(fault("stream.stall", events=2)) as seen:
        asyncio.run(run())
    assert told(seen) == (2, "one", "closed by the client")


async def read_by_openai() -> None:
    async with openai.AsyncOpenAI(api_key="sk-test", base_url="https://gateway.example.com/v1") as asking:
        async for _ in await asking.chat.completions.create(**BODY):
            pass


async def read_by_aiohttp() -> None:
    async with aiohttp.ClientSession() as session, session.post(URL, json=BODY) as response:
        await response.read()


@pytest.mark.parametrize("read", [read_by_openai, read_by_aiohttp])
def test_a_task_that_is_forgotten_at_a_stall_leaks(read: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        forgotten = asyncio.create_task(read())
        await asyncio.sleep(5)
        assert told(seen) == (2, "one", "leaked")
        forgotten.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await forgotten
        assert told(seen) == (2, "one", "closed by the client")

    with injected(fault("stream.stall", events=2)) as seen:
        asyncio.run(run())


def test_an_asynchronous_stream_is_left_and_closed() -> None:
    async def run() -> None:
        async with openai.AsyncOpenAI(api_key="sk-test", base_url="https://gateway.example.com/v1") as asking:
            stream = await asking.chat.completions.create(**BODY)
            async for chunk in stream:
                if chunk.choices[0].delta.content == "one":
                    break
            assert told(seen) == (2, "one", "leaked")
            await stream.close()
            assert told(seen) == (2, "one", "closed by the client")

    with injected("ok") as seen:
        asyncio.run(run())


@pytest.mark.parametrize(
    ("step", "closed", "text"),
    [
        ("stream.closed", "cut", "one two"),
        ("stream.reset_peer", "reset", "one two"),
        ("stream.stall", "timed out", "one two"),
        ("stream.eof_before_finish", "drained", "one two three"),
        ("stream.empty", "drained", ""),
        ("stream.error_first_429", "closed by the client", ""),
    ],
)
def test_streams_that_end_badly(step: str, closed: str, text: str) -> None:
    with injected(step) as seen:
        try:
            for _ in client().chat.completions.create(**BODY):
                pass
        except openai.APIError:
            assert closed != "drained"
    assert told(seen)[1:] == (text, closed)


@pytest.mark.parametrize("module", [httpx, httpx2])
def test_bytes_that_are_taken_count_and_not_lines_that_are_read(module: Any) -> None:
    with injected("ok") as seen, module.Client() as asking:
        with asking.stream("POST", URL, json=BODY) as response:
            for line in response.iter_lines():
                if " two" in line:
                    break
        assert told(seen) == (3, "one two", "closed by the client")


def test_requests_is_read_line_by_line() -> None:
    with injected("ok") as seen, requests.post(URL, json=BODY, stream=True, timeout=5) as response:
        assert any(b" three" in line for line in response.iter_lines())
        response.close()
        assert told(seen) == (4, "one two three", "closed by the client")


def test_aiohttp_is_left_and_closed() -> None:
    async def run() -> None:
        async with aiohttp.ClientSession() as asking, asking.post(URL, json=BODY) as response:
            async for line in response.content:
                if b" two" in line:
                    break

    with injected("ok") as seen:
        asyncio.run(run())
    assert told(seen) == (3, "one two", "closed by the client")


def test_what_is_no_stream_is_not_told_as_one() -> None:
    with injected("status.503") as seen, pytest.raises(openai.InternalServerError):
        client().chat.completions.create(**BODY)
    assert seen.streams == []
    with injected("transport.refused") as seen, pytest.raises(openai.APIConnectionError):
        client().chat.completions.create(**BODY)
    assert seen.streams == []
    with injected("ok") as seen:
        client().chat.completions.create(**{**BODY, "stream": False})
    assert seen.streams == []


def test_the_same_question_after_output_is_a_retry_after_output() -> None:
    def read(messages: list[dict[str, str]]) -> None:
        try:
            for _ in client().chat.completions.create(**{**BODY, "messages": messages}):
                pass
        except openai.APIError:
            pass

    with injected(fault("stream.closed", events=2), "ok") as seen:
        read(BODY["messages"])
        assert not seen.retried_after_output
        read(BODY["messages"])
        assert seen.retried_after_output
    with injected("stream.reset_peer_before_text", "ok") as seen:  # nothing was said yet
        read(BODY["messages"])
        read(BODY["messages"])
    assert not seen.retried_after_output
    with injected("ok") as seen:  # the next turn of a conversation
        read(BODY["messages"])
        read([*BODY["messages"], {"role": "assistant", "content": "one"}])
    assert not seen.retried_after_output


def test_the_story_of_a_stream() -> None:
    with injected("stream.eof_mid_event") as seen:
        for _ in client().chat.completions.create(**BODY):
            pass
    assert str(seen).splitlines()[-1] == (
        "#1 POST gateway.example.com/v1/chat/completions -> stream.eof_mid_event [4 events, 13 characters, drained]"
    )
    with injected(fault("stream.closed", events=2)) as seen, pytest.raises(openai.APIConnectionError):
        for _ in client().chat.completions.create(**BODY):
            pass
    assert str(seen.streams[0]) == "2 events, 3 characters, cut"


@pytest.mark.parametrize(
    ("step", "text"),
    [
        ("control.gzip", "one two three four five six."),
        ("body.gzip_unasked", "one two three four five six."),
        ("body.gzip_lie", ""),
        ("body.gzip_unlabelled", ""),
        ("body.brotli_garbage", ""),
        ("transport.chunked_bad_frame", ""),
        ("control.http_1_0", "one two three four five six."),
        ("control.stream_cr", "one two three four five six."),
    ],
)
def test_what_cannot_be_read_was_not_consumed(step: str, text: str) -> None:
    with injected(step) as seen, contextlib.suppress(openai.APIError, ValueError):
        for _ in client().chat.completions.create(**BODY):
            pass
    assert [one.text for one in seen.streams] == [text]
    assert seen.streams[0].output == bool(text)


def test_the_same_question_again_after_a_healthy_answer_is_no_retry() -> None:
    with injected("ok", "control.stream_comment", "stream.eof_before_finish", "ok") as seen:
        for expected in (False, False, False, True):
            for _ in client().chat.completions.create(**BODY):
                pass
            assert seen.retried_after_output is expected
