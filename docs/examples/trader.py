"""A small trading client. Every evening it asks a model once what to do, and does what it says."""

from __future__ import annotations

import dataclasses
import json
import os
import time
from typing import Any

import requests

URL = "https://gateway.example.com/v1/chat/completions"
RETRIED = {429, 502, 503, 504}
ATTEMPTS = 4
TIMEOUT_SECONDS = (5, 60)


class GatewayError(RuntimeError):
    """The gateway gave no answer, however often it was asked."""


class EnvelopeError(RuntimeError):
    """The gateway spoke, and not in the format that was agreed. Asking again brings the same."""


@dataclasses.dataclass(frozen=True)
class Decision:
    """What to do this evening. With no action everything is held, and ``error`` says why."""

    actions: tuple[str, ...] = ()
    error: str | None = None


def decide(prompt: str = "What should I do?") -> Decision:
    """Ask the model and read its actions; an action that makes no sense is dropped, the others stand."""
    text = content_of(post(prompt))
    if not text.strip():
        return Decision(error="empty answer")
    try:
        answer = json.loads(text)
    except ValueError:
        answer = None
    match answer:
        case {"actions": [*items]}:
            return Decision(tuple(action for item in items if (action := readable(item))))
    return Decision(error="unreadable answer")


def post(prompt: str) -> Any:
    """Send one question. Retries rate limits, gateway errors and everything that ``requests`` raises."""
    body = {"model": "gpt-5", "messages": [{"role": "user", "content": prompt}]}
    headers = {"Authorization": f"Bearer {os.environ.get('GATEWAY_KEY', '')}"}
    for attempt in range(ATTEMPTS):
        try:
            reply = requests.post(URL, json=body, headers=headers, timeout=TIMEOUT_SECONDS, allow_redirects=False)
            if reply.status_code in RETRIED:
                reply.raise_for_status()
            if not reply.ok:
                message = f"the gateway answered {reply.status_code}"
                raise GatewayError(message)
            return reply.json()
        except requests.RequestException as error:
            if attempt == ATTEMPTS - 1:
                message = f"no answer in {ATTEMPTS} attempts"
                raise GatewayError(message) from error
            time.sleep(2.0**attempt)
    raise AssertionError


def content_of(envelope: Any) -> str:
    """Find the model's text, in ``reasoning_content`` where one model puts it."""
    match envelope:
        case {"choices": [{"message": {**said}}, *_]}:
            text = said.get("content") or said.get("reasoning_content") or ""
            return text if isinstance(text, str) else json.dumps(text)
    message = f"not a chat completion: {str(envelope)[:80]}"
    raise EnvelopeError(message)


def readable(item: Any) -> str | None:
    """Return an action as text, or None when it makes no sense."""
    match item:
        case {"action": "BUY" | "SELL" as action, "ticker": str(ticker), "quantity": int(quantity)} if quantity > 0:
            return f"{action} {ticker} {quantity}"
    return None
