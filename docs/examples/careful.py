"""The trading client with more care: a tool, Retry-After, jitter, and a second question after silence."""

from __future__ import annotations

import dataclasses
import email.utils
import json
import math
import random
import time
from typing import Any

import requests

URL = "https://gateway.example.com/v1/chat/completions"
RETRIED = {408, 429, 500, 502, 503, 504, 529}
ATTEMPTS = 4
LONGEST_SECONDS = 60.0
TIMEOUT_SECONDS = (5, 60)
PROMPTS = ("What should I do?", "What should I do? Answer with calls of the tool.")
TOOL = {
    "type": "function",
    "function": {
        "name": "trade",
        "parameters": {
            "type": "object",
            "properties": {
                "side": {"type": "string", "enum": ["BUY", "SELL"]},
                "ticker": {"type": "string"},
                "quantity": {"type": "integer", "minimum": 1},
            },
            "required": ["side", "ticker", "quantity"],
        },
    },
}


class GatewayError(RuntimeError):
    """The gateway gave no answer."""


class EnvelopeError(RuntimeError):
    """The gateway spoke, and not in the format that was agreed."""


@dataclasses.dataclass(frozen=True)
class Decision:
    """What to do this evening, how many calls made no sense, and why nothing is done where nothing is done."""

    actions: tuple[str, ...] = ()
    dropped: int = 0
    error: str | None = None


def decide() -> Decision:
    """Ask the model; after a reply without a call, ask once more in other words."""
    with requests.Session() as session:
        for prompt in PROMPTS:
            calls = calls_of(post(session, prompt))
            if calls:
                read = [action_of(call) for call in calls]
                actions = tuple(action for action in read if action is not None)
                return Decision(actions, dropped=read.count(None))
    return Decision(error="no call")


def post(session: requests.Session, prompt: str) -> Any:
    """Send one question; failures of the network and the gateway are retried, everything else is final."""
    body = {"model": "gpt-5", "messages": [{"role": "user", "content": prompt}], "tools": [TOOL]}
    for attempt in range(ATTEMPTS):
        told = None
        try:
            reply = session.post(URL, json=body, timeout=TIMEOUT_SECONDS, allow_redirects=False)
            if reply.status_code == requests.codes.ok:
                return reply.json()
            if reply.status_code not in RETRIED:
                message = f"the gateway answered {reply.status_code}"
                raise GatewayError(message)
            told = retry_after(reply.headers.get("Retry-After", ""))
        except requests.RequestException:
            pass
        if attempt < ATTEMPTS - 1:
            time.sleep(pause(attempt) if told is None else told)
    message = f"no answer in {ATTEMPTS} attempts"
    raise GatewayError(message)


def pause(attempt: int) -> float:
    """Return the seconds to wait where nobody said how many: they double, and are up to half as long again."""
    return 2.0**attempt * random.uniform(1, 1.5)  # noqa: S311 - nobody's secret


def retry_after(text: str) -> float | None:
    """Read the header: seconds or a date, at most ``LONGEST_SECONDS``; None where it makes no sense."""
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = email.utils.parsedate_to_datetime(text).timestamp() - time.time()
        except ValueError:
            return None
    return min(seconds, LONGEST_SECONDS) if math.isfinite(seconds) and seconds >= 0 else None


def calls_of(envelope: Any) -> list[Any]:
    """Find the calls of the tool."""
    match envelope:
        case {"choices": [{"message": {**said}}, *_]}:
            calls = said.get("tool_calls") or []
            if isinstance(calls, list):
                return calls
    message = f"not a chat completion: {str(envelope)[:80]}"
    raise EnvelopeError(message)


def action_of(call: Any) -> str | None:
    """Return a call as text, or None when it makes no sense."""
    match call:
        case {"function": {"name": "trade", "arguments": str(text)}}:
            try:
                arguments = json.loads(text)
            except ValueError:
                return None
            match arguments:
                case {"side": "BUY" | "SELL" as side, "ticker": str(ticker), "quantity": int(number)} if number > 0:
                    return f"{side} {ticker} {number}"
    return None
