"""What only a wire with a plan of its calls has: the plan alone, counts that are told twice, keys that are on trial."""

from __future__ import annotations

import functools
from typing import Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import ABSENT, error, put
from pytest_llmfaults._faults._fault import Fault
from pytest_llmfaults._faults.finish import cut

__all__ = ["ROWS"]

_CHAT: Final = "https://docs.cohere.com/reference/chat"
_LIMITS: Final = "https://docs.cohere.com/docs/rate-limits"
_RECORDED: Final = (
    "https://github.com/langchain-ai/langchain-cohere/tree/main/libs/cohere/tests/integration_tests/cassettes"
)
_TRIAL: Final = "You use a trial key, which is limited to {calls} API calls / {time}."

_own = functools.partial(Fault, wires=("cohere.chat",))

ROWS: Final = (
    _own(
        name="finish.timeout",
        play=cut("TIMEOUT"),
        slot="finish",
        draw="fresh",
        scope="partial",
        wish="retry",
        meaning="The text is cut because the provider's own time was up.",
        sources=(_CHAT, "https://github.com/mozilla-ai/any-llm/pull/1301"),
    ),
    _own(
        name="tools.plan_without_calls",
        play=put("tool_calls", ABSENT, ("finish", "tool_calls")),
        slot="tool_plan",
        needs="tool_calls",
        draw="fresh",
        wish="reask",
        meaning="There is a plan to call tools, and no call.",
        sources=(
            "https://github.com/mozilla-ai/any-llm/pull/1301",
            "https://github.com/langchain-ai/langchain-cohere/issues/38",
        ),
    ),
    _own(
        name="control.plan_absent",
        play=put("tool_plan", ABSENT),
        slot="tool_plan",
        needs="tool_calls",
        draw="same",
        scope="partial",
        wish="survive",
        meaning="The good calls come without a plan, as models that think make them.",
        stays=_stays.LOOKALIKE,
        sources=(_RECORDED,),
    ),
    _own(
        name="usage.tokens_absent",
        play=put("tokens", ABSENT),
        slot="tokens",
        draw="same",
        scope="partial",
        wish="survive",
        meaning="The usage has what is billed, and not what was counted.",
        sources=(
            "https://github.com/pydantic/genai-prices/pull/453",
            "https://github.com/pydantic/pydantic-ai/pull/6329",
        ),
    ),
    _own(
        name="usage.billed_absent",
        play=put("billed_units", ABSENT),
        slot="billed_units",
        draw="same",
        scope="partial",
        wish="survive",
        meaning="The usage has what was counted, and not what is billed.",
        sources=("https://github.com/cohere-ai/cohere-python/issues/531",),
    ),
    _own(
        name="status.429_trial_minute",
        play=error(
            429,
            _TRIAL.format(calls=20, time="minute"),
            x_trial_endpoint_call_limit="20",
            x_trial_endpoint_call_remaining="0",
        ),
        slot="error",
        draw="fresh",
        wish="retry",
        meaning="The trial key's calls of this minute are used up; no header says when there are more.",
        sources=(_LIMITS, "https://github.com/cohere-ai/cohere-python/issues/325"),
    ),
    _own(
        name="status.429_trial_month",
        play=error(429, _TRIAL.format(calls=1000, time="month"), x_endpoint_monthly_call_limit="1000"),
        slot="error",
        draw="same",
        wish="once",
        meaning="The trial key's calls of this month are used up, which the text alone says.",
        stays=_stays.WORDS,
        sources=(_LIMITS, "https://github.com/cohere-ai/cohere-developer-experience/pull/199"),
    ),
    _own(
        name="status.498",
        play=error(498, "The request or the answer holds a token that is not allowed."),
        slot="error",
        draw="same",
        wish="once",
        meaning="A filter of tokens refuses, with a status that no standard has.",
        stays=_stays.STATUS,
        sources=(_CHAT,),
    ),
)
