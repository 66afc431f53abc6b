"""Refactors of ``docs/examples/trader.py`` that change nothing which its callers or its gateway could notice."""

from __future__ import annotations

from typing import Final

from tests.contract.mutants import refactors_loop
from tests.contract.mutants.refactor import Refactor

REFACTORS: Final = (
    *refactors_loop.REFACTORS,
    Refactor(
        "if in place of match, for an action",
        functions={
            "readable": """
def readable(item):
    if not isinstance(item, dict):
        return None
    action, ticker, quantity = item.get("action"), item.get("ticker"), item.get("quantity")
    if action not in ("BUY", "SELL") or not isinstance(ticker, str):
        return None
    if not isinstance(quantity, int) or quantity <= 0:
        return None
    return f"{action} {ticker} {quantity}"
"""
        },
    ),
    Refactor(
        "if in place of match, for the envelope",
        functions={
            "content_of": """
def content_of(envelope):
    choices = envelope.get("choices") if isinstance(envelope, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    said = first.get("message") if isinstance(first, dict) else None
    if not isinstance(said, dict):
        raise EnvelopeError(f"not a chat completion: {str(envelope)[:80]}")
    text = said.get("content") or said.get("reasoning_content") or ""
    return text if isinstance(text, str) else json.dumps(text)
"""
        },
    ),
    Refactor(
        "what it does is logged",
        (
            (
                "            time.sleep(2.0**attempt)",
                '            LOG.warning("again", exc_info=error)\n            time.sleep(2.0**attempt)',
            ),
            ("RETRIED = {", "LOG = logging.getLogger(__name__)\nRETRIED = {"),
            (
                "            return reply.json()",
                '            LOG.debug("%s: %s", reply.status_code, reply.text[:80])\n            return reply.json()',
            ),
        ),
        imports="import logging",
    ),
    Refactor(
        "the decision is a NamedTuple",
        functions={
            "Decision": "class Decision(typing.NamedTuple):\n    actions: tuple[str, ...] = ()\n    error: str | None = None\n"
        },
        imports="import typing",
    ),
    Refactor(
        "constants have names of the library",
        (
            (
                "RETRIED = {429, 502, 503, 504}",
                'RETRIED = frozenset(requests.codes[name] for name in ("too_many", "bad_gateway", "unavailable", "gateway_timeout"))',
            ),
        ),
    ),
    Refactor(
        "sleep is imported by its name", (("time.sleep(", "sleep("), ("import time\n", "from time import sleep\n"))
    ),
    Refactor(
        "the body is written by the client",
        (
            ("json=body", "data=json.dumps(body).encode()"),
            ('headers = {"Auth', 'headers = {"Content-Type": "application/json", "Auth'),
        ),
    ),
    Refactor(
        "errors of the library are listed",
        (
            (
                "except requests.RequestException as error",
                "except (requests.ConnectionError, requests.Timeout, requests.HTTPError, requests.JSONDecodeError,\n"
                "                requests.exceptions.ChunkedEncodingError, requests.exceptions.ContentDecodingError) as error",
            ),
        ),
    ),
    Refactor(
        "texts of errors are others",
        (('f"no answer in {ATTEMPTS} attempts"', '"nobody answers"'), (") from error", ") from None")),
    ),
)
