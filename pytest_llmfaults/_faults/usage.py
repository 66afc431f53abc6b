"""Token counts that are not there, not numbers, or not true."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import ABSENT, Play, put, rewrite
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS", "numbers", "uncounted", "usage_of"]

_FRACTION: Final = 0.92
_THOUGHTS: Final = 405
_NO_USAGE: Final = {"usage_prompt": None, "usage_completion": None, "usage_total": 0}


def usage_of(base: Healthy, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a usage that has these values in these slots, of those that the wire has, and nothing else."""
    usage: dict[str, Any] = {}
    whole = base.path("usage") or ()
    for slot in (name for name in values if name in base.wire.slots):
        *outer, last = (base.path(slot) or ())[len(whole) :]
        inner = usage
        for key in outer:
            inner = inner.setdefault(str(key), {})
        inner[str(last)] = values[slot]
    return usage


def uncounted(base: Healthy) -> Any:
    """Return a usage whose counts are null and whose total, where the wire has one, is zero."""
    return usage_of(base, _NO_USAGE)


def numbers(change: Callable[[int], Any]) -> Play:
    """Make a fault that changes each number of the usage, details included."""

    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: changed(inner) for key, inner in value.items()}
        return change(value) if isinstance(value, int) else value

    return rewrite("usage", changed)


def _fractions(base: Healthy) -> Reply:
    slots = [slot for slot in ("usage_completion", "usage_total") if slot in base.wire.slots]
    envelope = base.envelope()
    for slot in slots:
        envelope = base.put(envelope, slot, round(base.held(slot) + _FRACTION, 2))
    return base.with_envelope(envelope)


def _cached_null(usage: Any) -> Any:
    return {
        key: {**part, "cached_tokens": None} if isinstance(part, dict) and "cached_tokens" in part else part
        for key, part in usage.items()
    }


ROWS: Final = (
    Fault(
        name="usage.absent",
        play=put("usage", ABSENT),
        meaning="Nothing is said about usage.",
        slot="usage",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/microsoft/autogen/issues/1579",),
    ),
    Fault(
        name="usage.null",
        play=put("usage", None),
        meaning="The usage is null.",
        slot="usage",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.INDEXED,
        sources=(
            "https://github.com/pydantic/pydantic-ai/pull/6901",
            "https://github.com/microsoft/autogen/issues/1579",
        ),
    ),
    Fault(
        name="usage.empty",
        play=put("usage", {}),
        meaning="The usage is an empty object.",
        slot="usage",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/BerriAI/litellm/issues/4270",),
    ),
    Fault(
        name="usage.list",
        play=put("usage", []),
        meaning="The usage is a list.",
        slot="usage",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/microsoft/autogen/issues/1579",),
    ),
    Fault(
        name="usage.zeros",
        play=numbers(lambda _number: 0),
        meaning="All counts are zero beside a good text.",
        slot="usage",
        draw="same",
        scope="partial",
        wish="survive",
        sources=(
            "https://github.com/BerriAI/litellm/issues/38199",
            "https://github.com/router-for-me/CLIProxyAPI/pull/3077",
        ),
    ),
    Fault(
        name="usage.prompt_null",
        play=put("usage_prompt", None),
        meaning="The count of the prompt is null.",
        slot="usage",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/maximhq/bifrost/issues/5425",),
    ),
    Fault(
        name="usage.completion_null",
        play=put("usage_completion", None),
        meaning="The count of the completion is null.",
        slot="usage",
        draw="same",
        scope="partial",
        wish="survive",
        sources=(
            "https://github.com/microsoft/autogen/issues/6352",
            "https://github.com/567-labs/instructor/issues/358",
        ),
    ),
    Fault(
        name="usage.completion_absent",
        play=put("usage_completion", ABSENT),
        meaning="The count of the completion is absent.",
        slot="usage",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.INDEXED,
        sources=("https://github.com/BerriAI/litellm/issues/4270",),
    ),
    Fault(
        name="usage.prompt_absent",
        play=put("usage_prompt", ABSENT),
        meaning="The count of the prompt is absent.",
        slot="usage",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.INDEXED,
        sources=("https://github.com/BerriAI/litellm/issues/4270",),
    ),
    Fault(
        name="usage.total_absent",
        play=put("usage_total", ABSENT),
        meaning="The total is absent.",
        slot="usage",
        touches=("usage_total",),
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/BerriAI/litellm/issues/4270",),
    ),
    Fault(
        name="usage.all_null",
        play=lambda base: put("usage", uncounted(base))(base),
        meaning="The counts are null and the total is zero.",
        touches=("usage_total",),
        slot="usage",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/maximhq/bifrost/issues/5425",),
    ),
    Fault(
        name="usage.cached_null",
        play=rewrite("usage", _cached_null),
        meaning="The count of cached tokens is null, among details that are there.",
        wires=("openai.chat", "openai.responses"),
        slot="usage",
        draw="same",
        scope="partial",
        wish="survive",
        stays="Code that adds up what was cached fails on null, though it takes an absent field for zero.",
        sources=(
            "https://github.com/xtekky/gpt4free/issues/2763",
            "https://github.com/OpenHands/OpenHands/pull/7679",
        ),
    ),
    Fault(
        name="usage.total_larger",
        play=rewrite("usage_total", lambda total: total + _THOUGHTS),
        meaning="The total is larger than its two parts, because thoughts count in it alone.",
        touches=("usage_total",),
        slot="usage",
        draw="same",
        scope="partial",
        wish="survive",
        sources=(
            "https://github.com/mozilla-ai/any-llm/issues/1290",
            "https://github.com/Clarifai/clarifai-python/pull/978",
        ),
    ),
    Fault(
        name="usage.float",
        play=_fractions,
        meaning="The counts have fractions.",
        slot="usage",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/BerriAI/litellm/issues/28023",),
    ),
    Fault(
        name="usage.string",
        play=numbers(str),
        meaning="The counts are texts.",
        slot="usage",
        draw="same",
        scope="partial",
        wish="survive",
        stays="Code that adds the counts up without the SDK's models joins texts.",
        sources=("https://github.com/BerriAI/litellm/issues/28023",),
    ),
    Fault(
        name="usage.negative",
        play=numbers(lambda _number: -1),
        meaning="The counts are minus one.",
        slot="usage",
        draw="same",
        scope="partial",
        wish="survive",
        sources=(
            "https://learn.microsoft.com/en-us/answers/questions/5625878/azure-openai-responses-api-x-ratelimit-headers-val",
        ),
    ),
)
