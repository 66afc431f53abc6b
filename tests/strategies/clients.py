"""Small correct clients: total functions that raise nothing but their own error, and the pieces they are made of."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

ACTIONS: Final = [
    {"action": "BUY", "ticker": "ACME", "quantity": 2},
    {"action": "SELL", "ticker": "INIT", "quantity": 1},
]
"""What the structured clients ask for."""

SEARCH: Final = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
    "required": ["query"],
}
TOOLS: Final = [
    {"type": "function", "function": {"name": "search", "parameters": SEARCH}},
    {"type": "function", "function": {"name": "store", "parameters": SEARCH}},
]
"""What the clients with tools offer."""

MARKS: Final = re.compile(r"<\|[a-z_]+\|>|</?think(ing)?>")


class Unreadable(Exception):
    """What these clients raise when a reply makes no sense."""


def choice_of(envelope: Any) -> dict[str, Any]:
    choices = envelope.get("choices") if isinstance(envelope, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise Unreadable
    return choices[0]


def message_of(envelope: Any) -> dict[str, Any]:
    message = choice_of(envelope).get("message")
    if not isinstance(message, dict):
        raise Unreadable
    return message


def text_of(envelope: Any) -> str:
    content = message_of(envelope).get("content")
    if content is not None and not isinstance(content, str):
        raise Unreadable
    return content or ""


def finish_of(envelope: Any) -> str:
    finish = choice_of(envelope).get("finish_reason")
    if not isinstance(finish, str):
        raise Unreadable
    return finish


def functions_of(envelope: Any) -> Iterator[dict[str, Any]]:
    calls = message_of(envelope).get("tool_calls")
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict):
            yield function


def arguments_of(envelope: Any) -> list[str]:
    """Return the arguments of the calls, where they are text."""
    found = [function.get("arguments") for function in functions_of(envelope)]
    return [text for text in found if isinstance(text, str)]


def loaded(text: str | bytes) -> Any:
    """Return what a JSON text holds."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        raise Unreadable from None


def leading_object(text: str) -> dict[str, Any] | None:
    """Return the object that a text starts with, or None."""
    try:
        value = json.JSONDecoder().raw_decode(text.lstrip())[0]
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def actions_in(text: str) -> list[Any]:
    value = loaded(text)
    actions = value.get("actions") if isinstance(value, dict) else None
    if not isinstance(actions, list):
        raise Unreadable
    return actions


# From here on the clients.


def shown_text(envelope: Any) -> str:
    """Show the text, or say that there is none."""
    return text_of(envelope).strip() or "(no text)"


def plain_text(envelope: Any) -> str:
    """Show the text without any mark-up."""
    return MARKS.sub("", text_of(envelope))


def thought(envelope: Any) -> str:
    """Return the reasoning, wherever it is."""
    message = message_of(envelope)
    found = (message.get(key) for key in ("reasoning_content", "reasoning", "thinking"))
    return next((text for text in found if isinstance(text, str) and text), "")


def ending(envelope: Any) -> str:
    """Map the finish reason."""
    known = {"stop": "done", "length": "cut", "tool_calls": "tools", "content_filter": "filtered"}
    return known.get(finish_of(envelope), "other")


def tokens(envelope: Any) -> int:
    """Count the tokens; usage that makes no sense counts as none."""
    usage = envelope.get("usage") if isinstance(envelope, dict) else None
    counts = [usage.get(key) for key in ("prompt_tokens", "completion_tokens")] if isinstance(usage, dict) else []
    return sum(count for count in counts if isinstance(count, int) and not isinstance(count, bool) and count > 0)


def calls(envelope: Any) -> list[tuple[str, dict[str, Any]]]:
    """Return the calls that can be read; the others are dropped."""
    good: list[tuple[str, dict[str, Any]]] = []
    for function in functions_of(envelope):
        name, arguments = function.get("name"), function.get("arguments")
        read = (
            arguments
            if isinstance(arguments, dict)
            else leading_object(arguments if isinstance(arguments, str) else "")
        )
        if isinstance(name, str) and name and read is not None:
            good.append((name, read))
    return good


def decisions(envelope: Any) -> list[str]:
    """Return the actions that make sense; the others are dropped."""
    good: list[str] = []
    for item in actions_in(text_of(envelope)):
        match item:
            case {"action": "BUY" | "SELL" as action, "ticker": str(ticker), "quantity": int(quantity)} if quantity > 0:
                good.append(f"{action} {ticker} {quantity}")
    return good


def refusal(envelope: Any) -> str | None:
    """Return the message of an error in a reply of status 200, or None."""
    error = envelope.get("error") if isinstance(envelope, dict) else None
    if isinstance(error, dict):
        error = error.get("message") or error.get("code")
    return str(error) if error else None


def identity(envelope: Any) -> tuple[str, str]:
    """Return id and model as texts."""
    if not isinstance(envelope, dict):
        raise Unreadable
    return str(envelope.get("id") or ""), str(envelope.get("model") or "")


def decoded(body: bytes) -> str:
    """Read a whole body."""
    return shown_text(loaded(body))


CORRECT: Final[Mapping[str, Callable[[Any], object]]] = {
    client.__name__: client
    for client in (shown_text, plain_text, thought, ending, tokens, calls, decisions, refusal, identity, decoded)
}
"""Ten clients in which nothing is to be found; ``decoded`` reads bytes, the others an envelope."""
