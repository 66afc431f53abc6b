"""How long to wait: in headers, in the body, in prose, and in forms that mean nothing."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from email.utils import formatdate
from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import Play
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._wires import Allowance, openai_limits

__all__ = ["ROWS"]

_row: Final = functools.partial(Fault, slot="error", draw="fresh")
"""What all rows here have in common."""

_SECONDS: Final = Parameter("seconds", 7, minimum=1, maximum=600)


def _limited(**headers: str | Callable[..., str]) -> Play:
    """Make a fault that answers 429 with headers; a function makes one from the healthy reply and the parameters."""

    def play(base: Healthy, **values: Any) -> Reply:
        made = {name: value if isinstance(value, str) else value(base, **values) for name, value in headers.items()}
        body = base.wire.error(429, "Rate limit reached.", "rate_limit_exceeded")
        return base.wire.failed(429, body).with_headers(**made)

    return play


def _told(body: Callable[..., Any], status: int = 429) -> Play:
    """Make a fault whose body is made from the parameters, on every wire the same."""
    return lambda _base, **values: Reply.json(body(**values), status=status)


def _date(moment: float) -> str:
    """Write a moment as an HTTP date, which has whole seconds: rounded up, never too early."""
    return formatdate(math.ceil(moment), usegmt=True)


def _prose_ms(base: Healthy, milliseconds: int) -> Reply:
    message = f"Rate limit reached. Please try again in {milliseconds}ms."
    return base.wire.failed(429, base.wire.error(429, message, "rate_limit_exceeded"))


def _at_limit(base: Healthy, seconds: int) -> Reply:
    spent = Allowance(counts="requests", limit=60, remaining=0, reset_seconds=seconds)
    return _limited(**dict(openai_limits.headers((spent,), base.now)))(base)


def _overloaded(base: Healthy, seconds: int) -> Reply:
    body = base.wire.error(503, "The engine is currently overloaded.", "overloaded")
    return base.wire.failed(503, body).with_headers(retry_after=str(seconds))


def _resource_exhausted(seconds: float) -> Any:
    detail = {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": f"{seconds:g}s"}
    error = {"code": 429, "message": "Resource exhausted.", "status": "RESOURCE_EXHAUSTED", "details": [detail]}
    return {"error": error}


def _limit_body(**more: Any) -> Any:
    error = {"message": "Rate limit reached.", "type": "requests", "param": None, "code": "rate_limit_exceeded"}
    return {"error": {**error, **more}}


ROWS: Final = (
    _row(
        name="status.429_retry_after_seconds",
        play=_limited(retry_after=lambda _base, seconds: str(seconds)),
        meaning="The rate limit is reached, with a wait in seconds.",
        wish="retry_after",
        sources=(
            "https://github.com/Aider-AI/aider/issues/5165",
            "https://github.com/failoverbench/failoverbench",
            "https://github.com/openai/openai-python/issues/1102",
        ),
        parameters=(_SECONDS,),
    ),
    _row(
        name="status.429_retry_after_date",
        play=_limited(retry_after=lambda base, seconds: _date(base.now + seconds)),
        meaning="The rate limit is reached, with a wait as an HTTP date.",
        wish="retry_after",
        sources=(
            "https://github.com/interviewstreet/hiring-agent/issues/386",
            "https://github.com/IBM/mcp-context-forge/issues/5674",
        ),
        parameters=(_SECONDS,),
    ),
    _row(
        name="status.429_retry_after_date_past",
        play=_limited(retry_after=lambda base: _date(base.now - 60)),
        meaning="The wait is an HTTP date that is already over.",
        wish="retry",
        stays=_stays.NOT_TAKEN,
        sources=("https://github.com/interviewstreet/hiring-agent/issues/386",),
    ),
    _row(
        name="status.429_retry_after_date_bad",
        play=_limited(retry_after="Wed, 21 Oct 99999 07:28:00 GMT"),
        meaning="The wait looks like an HTTP date and cannot be converted.",
        wish="retry",
        sources=("https://github.com/anthropics/anthropic-sdk-python/pull/1827",),
    ),
    _row(
        name="status.429_retry_after_fraction",
        play=_limited(retry_after="0.493"),
        meaning="The wait is a fraction of a second.",
        wish="retry_after",
        sources=("https://github.com/SpaceTradersAPI/api-docs/issues/24",),
    ),
    _row(
        name="status.429_retry_after_zero",
        play=_limited(retry_after="0"),
        meaning="The wait is zero.",
        wish="retry",
        stays=_stays.NOT_TAKEN,
        sources=(
            "https://github.com/openai/openai-node/pull/1924",
            "https://github.com/openai/openai-python/pull/3555",
        ),
    ),
    _row(
        name="status.429_retry_after_negative",
        play=_limited(retry_after="-1"),
        meaning="The wait is negative.",
        wish="retry",
        stays=_stays.NOT_TAKEN,
        sources=("https://github.com/openai/openai-python/pull/3555",),
    ),
    _row(
        name="status.429_retry_after_junk",
        play=_limited(retry_after="soon"),
        meaning="The wait is a word.",
        wish="retry",
        stays=_stays.NOT_TAKEN,
        sources=("https://github.com/openai/openai-python/pull/3555",),
    ),
    _row(
        name="status.429_retry_after_empty",
        play=_limited(retry_after=""),
        meaning="The header of the wait has no value.",
        wish="retry",
        stays=_stays.NOT_TAKEN,
        sources=("https://github.com/openai/openai-python/pull/3555",),
    ),
    _row(
        name="status.429_retry_after_nan",
        play=_limited(retry_after="nan"),
        meaning="The wait is not a number that can be compared.",
        wish="retry",
        stays=_stays.NOT_TAKEN,
        sources=("https://github.com/openai/openai-python/pull/3555",),
    ),
    _row(
        name="status.429_retry_after_infinite",
        play=_limited(retry_after="inf"),
        meaning="The wait is infinite.",
        wish="retry",
        stays=_stays.NOT_TAKEN,
        sources=("https://github.com/openai/openai-python/pull/3555",),
    ),
    _row(
        name="status.429_retry_after_huge",
        play=_limited(retry_after="86400"),
        meaning="The wait is a whole day.",
        wish="surface",
        sources=(
            "https://github.com/openai/openai-python/pull/3555",
            "https://github.com/openai/openai-node/issues/1840",
        ),
    ),
    _row(
        name="status.429_retry_after_ms",
        play=_limited(retry_after_ms=lambda _base, milliseconds: str(milliseconds)),
        meaning="The wait is in the milliseconds header only.",
        wish="retry_after",
        sources=(
            "https://www.developersdigest.tech/errors/api/azure-openai/429-rate-limit-exceeded",
            "https://github.com/openai/openai-python/issues/1102",
        ),
        parameters=(Parameter("milliseconds", 4321, minimum=1, maximum=120000),),
    ),
    _row(
        name="status.429_retry_after_ms_zero",
        play=_limited(retry_after_ms="0"),
        meaning="The milliseconds header is zero.",
        wish="retry",
        stays=_stays.NOT_TAKEN,
        sources=("https://github.com/openai/openai-node/pull/1924",),
    ),
    _row(
        name="status.429_retry_after_body",
        play=_told(lambda seconds: _limit_body(retry_after=seconds)),
        meaning="The wait is a field of the JSON error.",
        wish="retry_after",
        stays=_stays.NOT_READ,
        sources=("https://github.com/Tracer-Cloud/opensre/issues/3171",),
        parameters=(_SECONDS,),
    ),
    _row(
        name="status.429_retry_info",
        play=_told(_resource_exhausted),
        meaning="The wait is a duration in the details of a Google error.",
        wish="retry_after",
        sources=(
            "https://github.com/langchain-ai/langchain-google/pull/946",
            "https://github.com/Tracer-Cloud/opensre/issues/3171",
        ),
        parameters=(Parameter("seconds", 45.8, minimum=0.1, maximum=600.0),),
    ),
    _row(
        name="status.429_retry_after_prose",
        play=_told(
            lambda seconds: {
                "error": {"code": "429", "message": f"Rate limit is exceeded. Try again in {seconds} seconds."}
            }
        ),
        meaning="The wait in seconds is in the prose of the message only.",
        wish="retry_after",
        stays=_stays.NOT_READ,
        sources=("https://github.com/Azure-Samples/graphrag-accelerator/issues/129",),
        parameters=(Parameter("seconds", 50, minimum=1, maximum=600),),
    ),
    _row(
        name="status.429_retry_after_prose_ms",
        play=_prose_ms,
        meaning="The wait in milliseconds is in the prose of the message only.",
        wish="retry_after",
        stays=_stays.NOT_READ,
        sources=("https://github.com/Tracer-Cloud/opensre/issues/3171",),
        parameters=(Parameter("milliseconds", 94, minimum=1, maximum=999),),
    ),
    _row(
        name="status.429_ratelimit_headers",
        play=_at_limit,
        meaning="The wait is in the rate limit headers only.",
        wish="retry_after",
        stays=_stays.NOT_READ,
        sources=(
            "https://learn.microsoft.com/en-us/answers/questions/5625878/azure-openai-responses-api-x-ratelimit-headers-val",
            "https://github.com/Tracer-Cloud/opensre/issues/3171",
        ),
        parameters=(_SECONDS,),
    ),
    _row(
        name="status.503_retry_after",
        play=_overloaded,
        meaning="The server is overloaded and says for how long.",
        wish="retry_after",
        sources=("https://github.com/replikativ/dvergr/issues/59",),
        parameters=(_SECONDS,),
    ),
    _row(
        name="status.503_loading",
        play=_told(lambda seconds: [{"error": "The model is currently loading", "estimated_time": seconds}], 503),
        meaning="The model is being loaded, in a list with an estimate.",
        wish="retry_after",
        sources=("https://github.com/BerriAI/litellm/issues/1242",),
        parameters=(Parameter("seconds", 20.0, minimum=1.0, maximum=600.0),),
    ),
)
