"""Healthy envelopes with more, fewer or other fields: a client that breaks on them, or repairs them, is wrong."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import put, raw, reshape, rewrite
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._faults.body import newlines
from pytest_llmfaults._faults.usage import usage_of
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]

_COUNTS: Final = ("usage_prompt", "usage_completion", "usage_total")
_EXTRA: Final[Mapping[str, Mapping[str, Any]]] = {
    "": {
        "system_fingerprint": "fp_1",
        "service_tier": "default",
        "provider": "upstream",
        "x_extra": {"a": [1]},
    },
    "choice": {"stop_reason": None, "matched_stop": 1},
    "message": {"annotations": [], "x_extra": True},
    "block": {"x_extra": True},
    "usage": {"queue_time": 0.01, "cost": 0.0001},
}
"""Keys that nobody knows, by the slot that gets them; ``""`` is the envelope."""


def _merged(base: Healthy, keys: Mapping[str, Mapping[str, Any]]) -> Reply:
    """Give keys to each level of the envelope that takes further ones; a thought that is there already stays."""
    thought = base.path("reasoning") if base.value("reasoning") is not None else None
    thought = None if thought is None else thought[-1:]
    envelope = {**base.envelope(), **keys.get("", {})}
    for slot in ("choice", "message", "block", "usage"):
        if slot in keys and slot in base.wire.slots and slot not in base.wire.unions:
            held = base.slot(slot).get(envelope)
            kept = {key: value for key, value in (held or {}).items() if (key,) == thought}
            envelope = base.put(envelope, slot, {**held, **keys[slot], **kept}) if held else envelope
    return base.with_envelope(envelope)


def _with_nulls(base: Healthy) -> Reply:
    return _merged(base, {slot: dict.fromkeys(keys) for slot, keys in base.wire.optional.items()})


def _counts(base: Healthy) -> Reply:
    """Leave the counts in the usage, and nothing else."""
    held = {slot: base.held(slot) for slot in _COUNTS if slot in base.wire.slots}
    return put("usage", usage_of(base, held))(base)


def _led_by_newlines(base: Healthy, lines: int, seconds: float) -> Reply:
    return dataclasses.replace(base.reply, framing="chunked", chunks=newlines(lines, seconds) + base.reply.chunks)


def _indented(body: bytes) -> bytes:
    return json.dumps(json.loads(body), indent=2, ensure_ascii=False).encode()


def _reversed(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _reversed(value[key]) for key in reversed(value)}
    return [_reversed(item) for item in value] if isinstance(value, list) else value


ROWS: Final = (
    Fault(
        name="control.extra_fields",
        play=lambda base: _merged(base, _EXTRA),
        meaning="The good reply has fields that nobody knows, at each level.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=(
            "https://github.com/pydantic/pydantic-ai/issues/3581",
            "https://github.com/OpenRouterTeam/python-sdk/issues/44",
        ),
    ),
    Fault(
        name="control.null_fields",
        play=_with_nulls,
        meaning="The optional fields of the good reply are there and null.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=(
            "https://github.com/pydantic/pydantic-ai/issues/3581",
            "https://github.com/opentiny/tiny-robot/pull/330",
        ),
    ),
    Fault(
        name="control.native_finish_reason_null",
        play=rewrite("choice", lambda choice: {**choice, "native_finish_reason": None}),
        meaning="A vendor field for the reason is null.",
        touches=("choice",),
        slot="finish",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/pydantic/pydantic-ai/issues/3581",),
    ),
    Fault(
        name="control.error_null",
        play=put("error", None),
        meaning="The good reply has an error that is null.",
        slot="error",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/BerriAI/litellm/pull/18419",),
    ),
    Fault(
        name="control.error_empty_object",
        play=put("error", {}),
        meaning="The good reply has an error that is empty.",
        slot="error",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/BerriAI/litellm/pull/18419",),
    ),
    Fault(
        name="control.model_other",
        play=rewrite("model", lambda model: f"{model}-2026-01-01"),
        meaning="The good reply names another model than the request.",
        slot="model",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://platform.openai.com/docs/api-reference/chat/object",),
    ),
    Fault(
        name="control.id_foreign",
        play=put("id", "0195c0de-0000-7000-8000-000000000001"),
        meaning="The id of the good reply has another form.",
        slot="id",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://platform.openai.com/docs/api-reference/chat/object",),
    ),
    Fault(
        name="control.usage_plain",
        play=_counts,
        meaning="The usage has the three counts and no details.",
        slot="usage",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://platform.openai.com/docs/api-reference/chat/object",),
    ),
    Fault(
        name="control.logprobs_empty",
        play=put("logprobs", {"content": [], "refusal": None}),
        meaning="The log probabilities are there and empty.",
        slot="logprobs",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/sgl-project/sglang/issues/5984",),
    ),
    Fault(
        name="control.leading_whitespace",
        play=_led_by_newlines,
        meaning="White space stands before the good JSON, to keep the connection alive.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/sgl-project/sglang/pull/3689",),
        parameters=(
            Parameter("lines", 4, minimum=1, maximum=1000),
            Parameter("seconds", 0.0, minimum=0.0, maximum=120.0),
        ),
        streamed="bytes",
    ),
    Fault(
        name="control.trailing_whitespace",
        play=raw(lambda body: body + b"\n\n  \n"),
        meaning="White space stands after the good JSON.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/sgl-project/sglang/pull/3689",),
        streamed="bytes",
    ),
    Fault(
        name="control.pretty_printed",
        play=raw(_indented),
        meaning="The good JSON is indented.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://github.com/BerriAI/litellm/issues/14747",),
        streamed="never",
    ),
    Fault(
        name="control.key_order",
        play=reshape(_reversed),
        meaning="The keys of the good JSON come in reverse order.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.LOOKALIKE,
        sources=("https://www.rfc-editor.org/rfc/rfc8259#section-4",),
    ),
)
