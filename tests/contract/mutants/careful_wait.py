"""Refactors of how ``docs/examples/careful.py`` sends, waits and asks again."""

from __future__ import annotations

from typing import Final

from tests.contract.mutants import Mutant

_TOLD: Final = 'told = retry_after(reply.headers.get("Retry-After", ""))'
_MILLISECONDS: Final = """told = milliseconds(reply.headers.get("Retry-After-Ms"))
            if told is None:
                told = retry_after(reply.headers.get("Retry-After", ""))"""
_SLEEP: Final = "time.sleep(pause(attempt) if told is None else told)"
_WAIT: Final = "return 2.0**attempt * random.uniform(1, 1.5)"
_SANE: Final = "return min(seconds, LONGEST_SECONDS) if math.isfinite(seconds) and seconds >= 0 else None"
_DATE: Final = "seconds = email.utils.parsedate_to_datetime(text).timestamp() - time.time()"
_EXCEPT: Final = "except requests.RequestException:"
_PROMPTS: Final = 'PROMPTS = ("What should I do?", "What should I do? Answer with calls of the tool.")'


def _one(old: str, new: str) -> tuple[tuple[str, str], ...]:
    return ((old, new),)


RETRY_AFTER: Final = (
    Mutant("Retry-After is ignored", _one(_TOLD, "told = None"), "status.429_retry_after_seconds", "waits"),
    Mutant(
        "Retry-After is no longer capped",
        _one(_SANE, _SANE.replace("min(seconds, LONGEST_SECONDS)", "seconds")),
        "status.429_retry_after_huge",
        "waits longer: 60 60 60 → 86400 86400 86400 s",
    ),
    Mutant(
        "Retry-After is capped at a second",
        _one("LONGEST_SECONDS = 60.0", "LONGEST_SECONDS = 1.0"),
        "status.429_retry_after_seconds",
        "waits capped at 1 s: 7 7 7 → 1 1 1 s",
    ),
    Mutant(
        "what is too long is ignored instead of capped",
        _one(_SANE, "return seconds if 0 <= seconds <= LONGEST_SECONDS else None"),
        "status.429_retry_after_huge",
        "60 60 60 → 1..1.5 2..3 4..6 s",
    ),
    Mutant(
        "Retry-After is an integer",
        _one("seconds = float(text)", "seconds = float(int(text))"),
        "status.429_retry_after_fraction",
        "0.493 0.493 0.493 → 1..1.5 2..3 4..6 s",
    ),
    Mutant(
        "a fraction of Retry-After is cut off",
        _one("seconds = float(text)", "seconds = float(int(float(text)))"),
        "status.429_retry_after_fraction",
        "waits gone",
    ),
    Mutant("Retry-After is no date", _one(_DATE, "return None"), "status.429_retry_after_date", "7 7 7 → 1..1.5"),
    Mutant(
        "the date of Retry-After is taken for seconds",
        _one(_DATE, _DATE.removesuffix(" - time.time()")),
        "status.429_retry_after_date",
        "waits longer: 7 7 7 → 60 60 60 s",
    ),
    Mutant(
        "a Retry-After below zero is slept",
        _one(_SANE, _SANE.replace(" and seconds >= 0", "")),
        "status.429_retry_after_negative",
        "raises ValueError instead of GatewayError",
    ),
    Mutant(
        "a Retry-After that is no number is slept",
        _one(_SANE, "return None if seconds < 0 else min(seconds, LONGEST_SECONDS)"),
        "status.429_retry_after_nan",
        "raises ValueError instead of GatewayError",
    ),
    Mutant(
        "a Retry-After that makes no sense raises",
        _one(
            "        except ValueError:\n            return None\n    return min",
            "        finally:\n            pass\n    return min",
        ),
        "status.429_quota",
        "raises ValueError instead of GatewayError",
    ),
    Mutant(
        "a Retry-After of zero is none",
        _one("if told is None else told", "if not told else told"),
        "status.429_retry_after_zero",
        "0 0 0 → 1..1.5 2..3 4..6 s",
    ),
    Mutant(
        "Retry-After counts for rate limits only",
        _one(_TOLD, f"{_TOLD} if reply.status_code == 429 else None"),
        "status.503_retry_after",
        "7 7 7 → 1..1.5 2..3 4..6 s",
    ),
    Mutant(
        "Retry-After comes on top",
        _one(_SLEEP, "time.sleep(pause(attempt) + (told or 0))"),
        "status.429_retry_after_seconds",
        "7 7 7 → 8..8.5 9..10 11..13 s",
    ),
    Mutant(
        "Retry-After is the least",
        _one(_SLEEP, "time.sleep(max(pause(attempt), told or 0))"),
        "status.429_retry_after_zero",
        "0 0 0 → 1..1.5 2..3 4..6 s",
    ),
    Mutant(
        "Retry-After has jitter",
        _one(_SLEEP, "time.sleep(pause(attempt) if told is None else told * random.uniform(1, 1.25))"),
        "status.429_retry_after_seconds",
        "waits with jitter: 7 7 7 → 7..8.75 7..8.75 7..8.75 s",
    ),
    Mutant(
        "the milliseconds of Retry-After are read",
        (
            (_TOLD, _MILLISECONDS),
            (
                "def pause(",
                "def milliseconds(text):\n    return None if text is None else float(text) / 1000\n\n\ndef pause(",
            ),
        ),
        "status.429_retry_after_ms",
        "waits without jitter: 1..1.5 2..3 4..6 → 4.32 4.32 4.32 s",
    ),
)

JITTER: Final = (
    Mutant(
        "the jitter is gone", _one(_WAIT, "return 2.0**attempt * 1.25"), "transport.refused", "waits without jitter"
    ),
    Mutant(
        "the jitter goes down to zero",
        _one("uniform(1, 1.5)", "uniform(0, 1.5)"),
        "transport.refused",
        "waits with jitter down to 0",
    ),
    Mutant(
        "the jitter is twice as much", _one("uniform(1, 1.5)", "uniform(1, 2)"), "transport.refused", "waits longer"
    ),
    Mutant(
        "the jitter goes both ways", _one("uniform(1, 1.5)", "uniform(0.5, 1.5)"), "transport.refused", "waits shorter"
    ),
    Mutant("the jitter is added", _one("* random", "+ random"), "transport.refused", "→ 2..2.5 3..3.5 5..5.5 s"),
    Mutant(
        "the jitter is drawn as a whole number",
        _one("random.uniform(1, 1.5)", "random.randint(1, 2)"),
        "transport.refused",
        "→ 1..2 2..4 4 s",
    ),
    Mutant("the backoff is constant", _one("2.0**attempt", "2.0"), "transport.refused", "waits constant"),
    Mutant("the backoff is gone", _one(_WAIT, "return 0.0"), "transport.refused", "waits gone"),
    Mutant("the backoff is squared", _one("2.0**attempt", "4.0**attempt"), "transport.refused", "waits longer"),
)

ATTEMPTS: Final = (
    Mutant("one attempt too few", _one("ATTEMPTS = 4", "ATTEMPTS = 3"), "transport.refused", "retried less: 4 → 3"),
    Mutant("one attempt too many", _one("ATTEMPTS = 4", "ATTEMPTS = 5"), "transport.refused", "retried more: 4 → 5"),
    Mutant(
        "it waits after the last attempt",
        _one("if attempt < ATTEMPTS - 1:", "if attempt < ATTEMPTS:"),
        "transport.refused",
        "takes 15..22.5 s instead of 7..10.5 s",
    ),
    Mutant(
        "it does not wait before the last attempt",
        _one("< ATTEMPTS - 1:", "< ATTEMPTS - 2:"),
        "transport.refused",
        "waits",
    ),
    Mutant(
        "a timeout is final",
        _one(_EXCEPT, "except (requests.ConnectionError, ValueError):"),
        "transport.timeout",
        "ReadTimeout",
    ),
    Mutant(
        "a body that is no JSON is final",
        _one(_EXCEPT, "except (requests.ConnectionError, requests.Timeout, requests.exceptions.ChunkedEncodingError):"),
        "body.truncated_json",
        "no longer retried: 4 → 1 attempt; raises requests.JSONDecodeError",
    ),
    Mutant(
        "a spent quota is final",
        _one(
            "if reply.status_code not in RETRIED:",
            'if reply.status_code not in RETRIED or "insufficient_quota" in reply.text:',
        ),
        "status.429_quota",
        "no longer retried: 4 → 1 attempt",
    ),
    Mutant(
        "the gateway's word on retries counts",
        _one(
            "if reply.status_code not in RETRIED:",
            'if reply.status_code not in RETRIED or reply.headers.get("x-should-retry") == "false":',
        ),
        "status.429_should_not_retry",
        "no longer retried: 4 → 1 attempt",
    ),
    Mutant("408 is out", _one("{408, 429,", "{429,"), "status.408", "no longer retried: 4 → 1 attempt"),
    Mutant("529 is out", _one("504, 529}", "504}"), "status.529", "no longer retried: 4 → 1 attempt"),
    Mutant("409 is in", _one("{408, 429,", "{408, 409, 429,"), "status.409", "now retried: 1 → 4 attempts"),
    Mutant(
        "every good status is read",
        _one("if reply.status_code == requests.codes.ok:", "if reply.ok:"),
        "control.status_201",
        "returns what the healthy call returns",
    ),
)

AGAIN: Final = (
    Mutant(
        "silence is final",
        _one(_PROMPTS, 'PROMPTS = ("What should I do?",)'),
        "content.empty",
        "no longer retried: 2 → 1 attempt",
    ),
    Mutant(
        "silence is asked three times",
        _one('tool.")', 'tool.", "Call the tool.")'),
        "content.empty",
        "retried more: 2 → 3 attempts",
    ),
    Mutant(
        "silence is asked again in the same words",
        _one(_PROMPTS, 'PROMPTS = ("What should I do?", "What should I do?")'),
        "content.empty",
        "the request no longer changes",
    ),
    Mutant(
        "it waits before it asks again",
        _one(
            "            if calls:", "            if not calls:\n                time.sleep(1)\n            if calls:"
        ),
        "content.empty",
        "waits where there were none: 0 → 1 s",
    ),
    Mutant(
        "silence loses its flag",
        _one('return Decision(error="no call")', "return Decision()"),
        "content.empty",
        "error=None",
    ),
)

MUTANTS: Final = (*RETRY_AFTER, *JITTER, *ATTEMPTS, *AGAIN)
