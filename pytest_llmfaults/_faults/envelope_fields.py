"""The fields beside the answer: id, model, object, created, tier."""

from __future__ import annotations

from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import ABSENT, put, reshape
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._reply import Reply
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["ROWS"]


def _in_tier(envelope: Any, tier: str) -> Any:
    return {**envelope, "service_tier": tier}


def _as_date(base: Healthy) -> Reply:
    if isinstance(base.held("created"), str):
        msg = f"it writes the time as a text, and on the wire {base.wire.name} it is one."
        raise DoesNotApply(msg)
    return put("created", "2026-01-01T00:00:00Z")(base)


ROWS: Final = (
    Fault(
        name="envelope.id_absent",
        play=put("id", ABSENT),
        meaning="The reply has no id.",
        slot="id",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.FIELD,
        sources=("https://github.com/pydantic/pydantic-ai/pull/6901",),
    ),
    Fault(
        name="envelope.id_null",
        play=put("id", None),
        meaning="The id of the reply is null.",
        slot="id",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.INDEXED,
        sources=("https://github.com/pydantic/pydantic-ai/pull/6901",),
    ),
    Fault(
        name="envelope.id_empty",
        play=put("id", ""),
        meaning="The id is empty.",
        slot="id",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.FIELD,
        sources=("https://github.com/pydantic/pydantic-ai/pull/6901",),
    ),
    Fault(
        name="envelope.id_integer",
        play=put("id", 7),
        meaning="The id is a number.",
        slot="id",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.FIELD,
        sources=("https://github.com/pydantic/pydantic-ai/pull/6901",),
    ),
    Fault(
        name="envelope.model_absent",
        play=put("model", ABSENT),
        meaning="The reply has no model.",
        slot="model",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.FIELD,
        sources=("https://github.com/pydantic/pydantic-ai/pull/6901",),
    ),
    Fault(
        name="envelope.model_null",
        play=put("model", None),
        meaning="The model of the reply is null.",
        slot="model",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.INDEXED,
        sources=("https://github.com/pydantic/pydantic-ai/pull/6901",),
    ),
    Fault(
        name="envelope.model_empty",
        play=put("model", ""),
        meaning="The model is empty.",
        slot="model",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.FIELD,
        sources=("https://github.com/pydantic/pydantic-ai/pull/6901",),
    ),
    Fault(
        name="envelope.object_absent",
        play=put("object", ABSENT),
        meaning="The reply has no object.",
        slot="object",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.FIELD,
        sources=("https://github.com/pydantic/pydantic-ai/pull/6901",),
    ),
    Fault(
        name="envelope.object_null",
        play=put("object", None),
        meaning="The object of the reply is null.",
        slot="object",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.INDEXED,
        sources=("https://github.com/pydantic/pydantic-ai/pull/6901",),
    ),
    Fault(
        name="envelope.object_other",
        play=put("object", "list"),
        meaning="The object says something else.",
        slot="object",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.FIELD,
        sources=("https://github.com/pydantic/pydantic-ai/pull/6901",),
    ),
    Fault(
        name="envelope.created_absent",
        play=put("created", ABSENT),
        meaning="The reply has no created.",
        slot="created",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.FIELD,
        sources=(
            "https://github.com/mlcommons/modelbench/issues/1287",
            "https://github.com/pydantic/pydantic-ai/issues/527",
        ),
    ),
    Fault(
        name="envelope.created_null",
        play=put("created", None),
        meaning="The created of the reply is null.",
        slot="created",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.INDEXED,
        sources=(
            "https://github.com/mlcommons/modelbench/issues/1287",
            "https://github.com/pydantic/pydantic-ai/issues/527",
        ),
    ),
    Fault(
        name="envelope.created_float",
        play=put("created", 1757876416.57),
        meaning="The time has a fraction.",
        slot="created",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.FIELD,
        sources=(
            "https://github.com/mlcommons/modelbench/issues/1287",
            "https://github.com/pydantic/pydantic-ai/issues/527",
        ),
    ),
    Fault(
        name="envelope.created_iso",
        play=_as_date,
        meaning="The time is a date in text.",
        slot="created",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.FIELD,
        sources=("https://github.com/openai/openai-python/issues/663",),
    ),
    Fault(
        name="envelope.created_milliseconds",
        play=put("created", 1_780_000_000_000),
        meaning="The time is in milliseconds.",
        slot="created",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.FIELD,
        sources=(
            "https://github.com/pydantic/pydantic-ai/issues/1877",
            "https://github.com/mlc-ai/web-llm/issues/829",
            "https://github.com/openai/openai-dotnet/issues/752",
        ),
    ),
    Fault(
        name="envelope.created_zero",
        play=put("created", 0),
        meaning="The time is zero.",
        slot="created",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.FIELD,
        sources=(
            "https://github.com/mlcommons/modelbench/issues/1287",
            "https://github.com/pydantic/pydantic-ai/issues/527",
        ),
    ),
    Fault(
        name="envelope.service_tier_other",
        play=reshape(_in_tier),
        meaning="The tier is one that the first provider does not have.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.FIELD,
        wires=("openai.chat",),
        parameters=(Parameter("tier", "standard", choices=("standard", "on_demand", "provisioned")),),
        sources=(
            "https://github.com/pydantic/pydantic-ai/issues/2499",
            "https://github.com/microsoft/graphrag/pull/2390",
            "https://github.com/PrimeIntellect-ai/verifiers/pull/1986",
        ),
    ),
)
