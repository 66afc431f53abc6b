"""The dialect ``openrouter`` of ``openai.chat``: who answered, in whose words it ended, and thoughts twice.

Usage comes unasked, with its cost. A comment stands before the first event. An error has a number as its code, and what
the provider behind it said as metadata; in a stream it comes in a chunk with a choice.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from pytest_llmfaults._request import Request
from pytest_llmfaults._wires._dialect import Dialect
from pytest_llmfaults._wires._encoding import Event, plain_event
from pytest_llmfaults._wires._slot import ABSENT, Slot, value_at, with_value
from pytest_llmfaults._wires.openai_chat_parts import CHOICE, MESSAGE, delta_of, with_choices
from pytest_llmfaults._wires.openai_chat_stream import said

__all__ = ["OPENROUTER"]

_PROVIDER: Final = "Example"
_FINISH: Final = (*CHOICE, "finish_reason")
_NATIVE: Final = "native_finish_reason"
_DETAILS: Final = "reasoning_details"
_IDENTITY: Final = {"id": "gen-1780000000-00000000000000000001", "object": "chat.completion.chunk"}


def _detail(text: str) -> list[Any]:
    return [{"type": "reasoning.text", "text": text, "format": "unknown", "index": 0}]


def _write_reasoning(envelope: Any, value: Any) -> Any:
    """Write thoughts where both of their fields are; the details hold nothing but text."""
    changed = with_value(envelope, (*MESSAGE, "reasoning"), value)
    return with_value(changed, (*MESSAGE, _DETAILS), _detail(value) if isinstance(value, str) else ABSENT)


def _write_finish(envelope: Any, value: Any) -> Any:
    """Write a reason, and in the provider's own words the same."""
    changed = with_value(envelope, _FINISH, value)
    return with_value(changed, (*CHOICE, _NATIVE), value) if isinstance(value, str) else changed


def _beside(choice: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give a piece of thoughts both of its fields."""
    delta = delta_of(choice)
    piece = delta.get("reasoning")
    return {**choice, "delta": {**delta, _DETAILS: _detail(piece)}} if isinstance(piece, str) and piece else choice


def _native(choice: Mapping[str, Any]) -> Mapping[str, Any]:
    """Give a choice that goes on a reason of the provider's that is null."""
    return choice if _NATIVE in choice else {**choice, _NATIVE: None}


def _chunks(envelope: Any, _request: Request) -> list[Any]:
    thought, told = value_at(envelope, (*MESSAGE, "reasoning")), envelope
    twice = isinstance(thought, str) and value_at(envelope, (*MESSAGE, _DETAILS)) == _detail(thought)
    if twice:
        told = with_value(envelope, (*MESSAGE, _DETAILS), ABSENT)
    chunks = said(told, usage=True)
    if twice:
        chunks = [with_choices(chunk, _beside) for chunk in chunks]
    known = isinstance(value_at(envelope, CHOICE), dict) and _NATIVE in envelope["choices"][0]
    return [with_choices(chunk, _native) for chunk in chunks] if known else chunks


def _error(status: int, message: str, code: str | None) -> Any:
    upstream = {"error": {"message": message, "code": code}}
    behind = {} if code is None else {"metadata": {"raw": json.dumps(upstream), "provider_name": _PROVIDER}}
    return {"error": {"message": message, "code": status, **behind}}


def _stream_error(status: int, message: str) -> Event:
    choice = {"index": 0, "delta": {"content": ""}, "finish_reason": "error", _NATIVE: "error"}
    failed = {"code": status, "message": message}
    return plain_event(
        {**_IDENTITY, "created": 1_780_000_000, "provider": _PROVIDER, "error": failed, "choices": [choice]}
    )


OPENROUTER: Final = Dialect(
    name="openrouter",
    source="https://openrouter.ai/docs/api-reference/streaming",
    hosts=("openrouter.ai",),
    fields={
        "": {"id": _IDENTITY["id"], "provider": _PROVIDER, "system_fingerprint": None},
        "choice": {_NATIVE: None},
        "message": {"annotations": ABSENT, "reasoning": None},
        "usage": {"cost": 0.0001, "is_byok": False, "cost_details": {"upstream_inference_cost": 0.0001}},
    },
    slots={
        "reasoning": Slot(lambda _envelope: (*MESSAGE, "reasoning"), write=_write_reasoning),
        "finish": Slot(lambda _envelope: _FINISH, write=_write_finish),
    },
    chunks=_chunks,
    opening=(Event.comment("OPENROUTER PROCESSING"),),
    asks={},
    error=_error,
    stream_error=_stream_error,
    headers=(("x-generation-id", str(_IDENTITY["id"])),),
    optional={"message": ("reasoning",), "choice": (_NATIVE,)},
    environment={"OPENROUTER_API_KEY": "placeholder-key"},
)
