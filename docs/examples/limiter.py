"""Three ways to live with a quota: the SDK's own, a wait that the refusal names, and not to reach it."""

import re
import time

import openai
import tenacity

_UNITS = {"h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}


def ask(client: openai.OpenAI) -> str:
    """Ask once."""
    reply = client.chat.completions.create(model="gpt-5", messages=[{"role": "user", "content": "x"}])
    return reply.choices[0].message.content or ""


def _told(state: tenacity.RetryCallState) -> float:
    error = state.outcome.exception() if state.outcome else None
    return float(error.response.headers["retry-after"]) if isinstance(error, openai.RateLimitError) else 1.0


@tenacity.retry(retry=tenacity.retry_if_exception_type(openai.RateLimitError), wait=_told)
def ask_patiently() -> str:
    """Ask until there is an answer; wait as long as a refusal says."""
    with openai.OpenAI(max_retries=0) as client:
        return ask(client)


def ask_carefully() -> str:
    """Ask once, and wait where nothing is left, until all is there again."""
    with openai.OpenAI(max_retries=0) as client:
        raw = client.chat.completions.with_raw_response.create(
            model="gpt-5", messages=[{"role": "user", "content": "x"}]
        )
    if raw.headers["x-ratelimit-remaining-requests"] == "0":
        time.sleep(_seconds(raw.headers["x-ratelimit-reset-requests"]))
    return raw.parse().choices[0].message.content or ""


def _seconds(duration: str) -> float:
    return sum(float(number) * _UNITS[unit] for number, unit in re.findall(r"([\d.]+)(ms|h|m|s)", duration))
