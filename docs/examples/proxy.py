"""An endpoint that passes a model's stream on to a browser, and says that it is alive while the model thinks."""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator
from typing import Any

import openai
from fastapi import FastAPI, Request
from fastapi.responses import StreamingResponse

MODEL = "gpt-5"
QUIET_SECONDS = 5.0


@contextlib.asynccontextmanager
async def _client(_app: FastAPI) -> AsyncIterator[dict[str, Any]]:
    async with openai.AsyncOpenAI(max_retries=0) as client:
        yield {"client": client}


app = FastAPI(lifespan=_client)


@app.get("/chat")
async def chat(request: Request, question: str) -> StreamingResponse:
    """Answer in events: words, comments while there are none, then ``end`` or ``error``."""
    events = alive(answer(request.state.client, question), QUIET_SECONDS)
    return StreamingResponse(events, media_type="text/event-stream")


async def answer(client: openai.AsyncOpenAI, question: str) -> AsyncGenerator[str, None]:
    """Yield an event for each piece of the answer, and one that says how it ended."""
    finished = False
    try:
        messages: Any = [{"role": "user", "content": question}]
        async with await client.chat.completions.create(model=MODEL, messages=messages, stream=True) as stream:
            async for chunk in stream:
                for choice in chunk.choices:
                    finished = finished or bool(choice.finish_reason)
                    if choice.delta.content:
                        yield f"data: {json.dumps(choice.delta.content)}\n\n"
    except (openai.APIError, ValueError):
        finished = False
    yield "event: end\ndata:\n\n" if finished else "event: error\ndata: The answer broke off.\n\n"


async def alive(events: AsyncGenerator[str, None], quiet_seconds: float) -> AsyncGenerator[str, None]:
    """Yield the events, and a comment whenever none came for so long; whoever leaves takes their source along."""
    coming = asyncio.ensure_future(anext(events, None))
    try:
        while True:
            if not (await asyncio.wait({coming}, timeout=quiet_seconds))[0]:
                yield ": still there\n\n"
                continue
            event = coming.result()
            if event is None:
                return
            coming = asyncio.ensure_future(anext(events, None))  # the next one is on its way while this one is sent
            yield event
    finally:
        coming.cancel()  # raised where the model is waited for, and so closes the stream
