"""A memory service answers questions with a tool loop. On its cheapest tier the loop may run once."""

from __future__ import annotations

import json
from typing import Any

import openai

MODEL = "gpt-5-mini"
SEARCH = {
    "name": "search",
    "description": "Search what the user once said.",
    "parameters": {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]},
}
TOOLS = [{"type": "function", "function": SEARCH}]
REMINDER = {"role": "user", "content": "Please answer the question."}


def answer(question: str, *, iterations: int) -> str | None:
    """Answer as the service did at first: an empty reply is asked for once more, unless it is the last iteration."""
    messages: list[Any] = [{"role": "user", "content": question}]
    reminded = False
    for iteration in range(iterations):
        said = complete(messages, tools=TOOLS)
        if said.tool_calls:
            messages += called(said)
        elif said.content:
            return str(said.content)
        elif not reminded and iteration < iterations - 1:  # for one iteration this is 0 < 0
            messages.append(REMINDER)
            reminded = True
        else:
            return None  # and the synthesis below is never reached
    return synthesis(messages)


def answer_mended(question: str, *, iterations: int) -> str | None:
    """Answer as it does now: an empty reply uses up an iteration, and the synthesis has the last word."""
    messages: list[Any] = [{"role": "user", "content": question}]
    for _ in range(iterations):
        said = complete(messages, tools=TOOLS)
        if said.tool_calls:
            messages += called(said)
        elif said.content:
            return str(said.content)
    return synthesis(messages) or "I have no information about that."


def synthesis(messages: list[Any]) -> str | None:
    """Make the model answer from what it knows by now: no tools are offered."""
    text: str | None = complete(messages).content
    return text


def complete(messages: list[Any], **more: Any) -> Any:
    """Ask the model, and return its message."""
    client = openai.OpenAI(base_url="https://gateway.example.com/v1")
    return client.chat.completions.create(model=MODEL, messages=messages, **more).choices[0].message


def called(said: Any) -> list[dict[str, Any]]:
    """Do what the model calls for: return its turn, and a result for each call."""
    turns = [said.model_dump(exclude_none=True)]
    for call in said.tool_calls:
        text = search(**json.loads(call.function.arguments))
        turns.append({"role": "tool", "tool_call_id": call.id, "content": text})
    return turns


def search(query: str) -> str:
    """Look something up."""
    return f"Nothing is known about {query!r}, but that the user moved to Oslo."
