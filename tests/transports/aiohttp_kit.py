"""Short ways to ask with aiohttp under an injection."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine
from typing import Any, Final, TypeAlias

import aiohttp

from pytest_llmfaults._injection import Filter, Injection, Step, checked_steps
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._run import Run

URL: Final = "https://gateway.example.com/v1/chat/completions"
BODY: Final = {"model": "gpt-test", "messages": [{"role": "user", "content": "hello"}]}
NO_LIMITS: Final = aiohttp.ClientTimeout(total=None)
STALLED: Final = Reply(head_bytes=0, ending="stalled")

Runner: TypeAlias = "Callable[[Coroutine[Any, Any, Any]], Any]"


def injected(*steps: Step) -> Run:
    run = Run(name="aiohttp")
    played = checked_steps(steps, of=None)
    run.add(Injection(played, covers=Filter(), times=None, per_request=False, answer=None, where="here"))
    return run


async def ask(limits: aiohttp.ClientTimeout = NO_LIMITS, url: str = URL, **options: Any) -> Any:
    options = {"json": BODY, **options}
    async with aiohttp.ClientSession(timeout=limits) as session, session.post(url, **options) as response:
        return await response.json()


async def pieces() -> AsyncIterator[bytes]:
    yield b'{"model": "gpt-test", '
    await asyncio.sleep(0)
    yield b'"messages": []}'
