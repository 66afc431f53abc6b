"""Two providers in a chain: where the first cannot answer, the second is asked."""

import asyncio

import anthropic
import openai

DEADLINE_SECONDS = 10


class NobodyAnswers(Exception):
    """Each provider failed; ``args`` holds what each of them raised."""


class SaidNothing(Exception):
    """The model's answer is empty."""


def ask(question: str) -> str:
    """Return the first answer that there is.

    Raises:
        NobodyAnswers: there is none.
    """
    failed: list[Exception] = []
    for one in (ask_openai, ask_claude):
        try:
            return one(question)
        except (openai.APIError, anthropic.APIError, SaidNothing) as error:
            failed.append(error)
    raise NobodyAnswers(*failed)


async def ask_in_time(question: str) -> str:
    """Do the same in a loop, and give the first provider ten seconds, its retries included."""
    try:
        async with openai.AsyncOpenAI() as client:
            asked = client.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": question}])
            reply = await asyncio.wait_for(asked, DEADLINE_SECONDS)
        return _said(reply.choices[0].message.content)
    except (asyncio.TimeoutError, openai.APIError, SaidNothing):
        return await asyncio.to_thread(ask_claude, question)


def ask_openai(question: str) -> str:
    """Ask the first provider, through its SDK on its defaults."""
    with openai.OpenAI() as client:
        reply = client.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": question}])
    return _said(reply.choices[0].message.content)


def ask_claude(question: str) -> str:
    """Ask the second provider, through its SDK on its defaults."""
    messages: list[anthropic.types.MessageParam] = [{"role": "user", "content": question}]
    with anthropic.Anthropic() as client:
        reply = client.messages.create(model="claude-sonnet-5-5", max_tokens=1024, messages=messages)
    return _said("".join(block.text for block in reply.content if block.type == "text"))


def _said(text: str | None) -> str:
    if text is None or not text.strip():
        raise SaidNothing
    return text
