"""Refactors that a person would call a change, and that the contract does not see. Each is a known limit."""

from __future__ import annotations

from typing import Final

from tests.contract.mutants import Mutant

BLIND: Final[tuple[tuple[str, Mutant, str], ...]] = (
    (
        "careful",
        Mutant(
            "the last Retry-After is kept",
            (("        told = None\n", ""), ("    for attempt", "    told = None\n    for attempt")),
            "status.429_retry_after_seconds",
            "waits",
        ),
        "two different faults in one call are not observed",
    ),
    (
        "careful",
        Mutant(
            "another model is asked the second time",
            (
                ("post(session, prompt)", "post(session, prompt, model)"),
                ("for prompt in PROMPTS:", 'for prompt, model in zip(PROMPTS, ("gpt-5", "gpt-6")):'),
                ("session: requests.Session, prompt: str)", "session: requests.Session, prompt: str, model: str)"),
                ('"model": "gpt-5"', '"model": model'),
            ),
            "content.empty",
            "request",
        ),
        "that the request changes is held, and not what changes in it",
    ),
    (
        "trader",
        Mutant(
            "what the last attempt brings is thrown away",
            (
                (
                    "            return reply.json()\n",
                    "            envelope = reply.json()\n            if attempt < ATTEMPTS - 1:\n                return envelope\n"
                    "            raise requests.RequestException\n",
                ),
            ),
            "status.503",
            "raises GatewayError",
        ),
        "a fault happens once or persists; a success of the last attempt is not observed",
    ),
    (
        "trader",
        Mutant(
            "a header is another when it is asked again",
            (
                (
                    "        try:\n            reply",
                    '        headers["Idempotency-Key"] = str(attempt)\n        try:\n            reply',
                ),
            ),
            "status.503",
            "request",
        ),
        "headers are not compared: SDKs count attempts in them",
    ),
)
