"""The family ``acme``: what only this gateway does wrong."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults.extending import Fault, answers, put

__all__ = ["FAULTS"]

FAULTS: Final = (
    Fault(
        name="acme.verdict_unknown",
        play=put("verdict", "deferred"),
        slot="verdict",
        meaning="The verdict is a word that its documentation does not have.",
        draw="same",
        scope="partial",
        wish="surface",
    ),
    Fault(
        name="acme.queued",
        play=answers(202, {"request_id": "8f0c51d2", "queued": True}, retry_after="2"),
        meaning="The gateway is full and says so with status 202: there is no result yet.",
        draw="fresh",
        wish="retry_after",
        wires=("acme.ask",),
    ),
)
