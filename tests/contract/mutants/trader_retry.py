"""Refactors of the retry loop of ``docs/examples/trader.py``."""

from __future__ import annotations

from typing import Final

from tests.contract.mutants import Mutant

_EXCEPT: Final = "except requests.RequestException as error:"
_SLEEP: Final = "            time.sleep(2.0**attempt)\n"
_PARSE: Final = "            return reply.json()\n"
_LAST: Final = "            if attempt == ATTEMPTS - 1:\n"
_LOOP: Final = "    for attempt in range(ATTEMPTS):\n"


def _caught(classes: str) -> tuple[tuple[str, str], ...]:
    return ((_EXCEPT, f"except {classes} as error:"),)


def _waits(code: str) -> tuple[tuple[str, str], ...]:
    return ((_SLEEP, f"            {code}\n"),)


def _parsed(code: str) -> tuple[tuple[str, str], ...]:
    return ((_PARSE, "".join(f"            {line}\n" for line in code.splitlines())),)


def _mounted(retry: str) -> tuple[tuple[str, str], ...]:
    """Send with a session whose adapter retries by itself."""
    adapter = f"requests.adapters.HTTPAdapter(max_retries={retry})"
    session = f"SESSION = requests.Session()\nSESSION.mount('https://', {adapter})\n\n\n"
    return (
        ("import requests\n", "import requests\nimport requests.adapters\nimport urllib3\n"),
        ("def post(", f"{session}def post("),
        ("requests.post(", "SESSION.post("),
    )


CAUGHT: Final = (
    Mutant(
        "except clause narrowed to connection, timeout and status",
        _caught("(requests.ConnectionError, requests.Timeout, requests.HTTPError)"),
        "body.truncated_json",
        "no longer retried: 4 → 1 attempt; raises requests.JSONDecodeError",
    ),
    Mutant(
        "except clause narrowed to what a connection raises",
        _caught("(requests.ConnectionError, requests.Timeout, ValueError)"),
        "status.503",
        "no longer retried: 4 → 1 attempt; raises HTTPError",
    ),
    Mutant(
        "timeouts are no longer caught",
        _caught("(requests.ConnectionError, requests.HTTPError, requests.JSONDecodeError)"),
        "transport.timeout",
        "no longer retried: 4 → 1 attempt; raises ReadTimeout",
    ),
    Mutant(
        "connections that fail are no longer caught",
        _caught("(requests.Timeout, requests.HTTPError, requests.JSONDecodeError)"),
        "transport.refused",
        "no longer retried: 4 → 1 attempt; raises requests.ConnectionError",
    ),
    Mutant(
        "bodies that are cut on the wire are no longer caught",
        _caught("(requests.ConnectionError, requests.Timeout, requests.HTTPError, requests.JSONDecodeError)"),
        "transport.closed_in_body",
        "no longer retried: 4 → 1 attempt; raises ChunkedEncodingError",
    ),
    Mutant("everything is caught, own errors too", _caught("Exception"), "status.400", "now retried: 1 → 4 attempts"),
    Mutant(
        "interrupts are caught",
        _caught("BaseException"),
        "an interrupt",
        "returns what the healthy call returns instead of raising KeyboardInterrupt",
    ),
    Mutant(
        "the last error is raised as it is",
        (
            (
                "            if attempt == ATTEMPTS - 1:\n",
                "            if attempt == ATTEMPTS - 1:\n                raise\n",
            ),
        ),
        "transport.refused",
        "raises requests.ConnectionError instead of GatewayError",
    ),
    Mutant(
        "no answer is returned as nothing",
        (("raise GatewayError(message) from error", "return {}"),),
        "transport.refused",
        "raises EnvelopeError instead of GatewayError",
    ),
)

DECODED: Final = (
    Mutant(
        "json.loads instead of the library's own",
        _parsed("return json.loads(reply.text)"),
        "body.truncated_json",
        "no longer retried: 4 → 1 attempt; raises JSONDecodeError",
    ),
    Mutant(
        "a decode error is a wrong envelope",
        _parsed(
            'try:\n    return reply.json()\nexcept ValueError as error:\n    raise EnvelopeError("not JSON") from error'
        ),
        "body.html_page",
        "no longer retried: 4 → 1 attempt; raises EnvelopeError",
    ),
    Mutant(
        "a decode error is final",
        _parsed(
            'try:\n    return reply.json()\nexcept ValueError as error:\n    raise GatewayError("not JSON") from error'
        ),
        "body.html_page",
        "no longer retried: 4 → 1 attempt",
    ),
    Mutant(
        "a decode error is an empty answer",
        _parsed(
            'try:\n    return reply.json()\nexcept ValueError:\n    return {"choices": [{"message": {"content": ""}}]}'
        ),
        "body.truncated_json",
        "no longer retried: 4 → 1 attempt; returns Decision(actions=(), error='empty answer')",
    ),
    Mutant(
        "a body that is no JSON is the model's text",
        _parsed(
            "try:\n    return reply.json()\nexcept ValueError:\n"
            '    return {"choices": [{"message": {"content": reply.text}}]}'
        ),
        "body.html_page",
        "no longer retried: 4 → 1 attempt; returns Decision(actions=(), error='unreadable answer')",
    ),
    Mutant(
        "parsed outside of the try",
        ((_PARSE, "            break\n"), ("    raise AssertionError\n", "    return reply.json()\n")),
        "body.truncated_json",
        "no longer retried: 4 → 1 attempt; raises requests.JSONDecodeError",
    ),
    Mutant(
        "only replies labelled as JSON are read",
        _parsed(
            'if "json" not in reply.headers.get("Content-Type", ""):\n    raise GatewayError("not JSON")\n'
            "return reply.json()"
        ),
        "body.json_as_text",
        "raises GatewayError instead of returning what the healthy call returns",
    ),
    Mutant(
        "an error object in a good status is an error of the gateway",
        _parsed(
            'answer = reply.json()\nif isinstance(answer, dict) and "error" in answer:\n'
            '    raise GatewayError("an error")\nreturn answer'
        ),
        "envelope.error_400",
        "raises GatewayError instead of EnvelopeError",
    ),
    Mutant(
        "an error object in a good status is retried",
        _parsed(
            'answer = reply.json()\nif isinstance(answer, dict) and answer.get("error"):\n'
            '    raise requests.HTTPError("an error")\nreturn answer'
        ),
        "envelope.error_400",
        "now retried: 1 → 4 attempts",
    ),
    Mutant(
        "a wrong envelope is retried",
        (
            (
                _PARSE,
                "            envelope = reply.json()\n            content_of(envelope)\n            return envelope\n",
            ),
            (_EXCEPT, "except (requests.RequestException, EnvelopeError) as error:"),
        ),
        "envelope.choices_null",
        "now retried: 1 → 4 attempts",
    ),
)

WAITS: Final = (
    Mutant("the wait is constant", _waits("time.sleep(1.0)"), "transport.refused", "waits constant: 1 2 4 → 1 1 1 s"),
    Mutant("the wait is linear", _waits("time.sleep(1.0 + attempt)"), "transport.refused", "growing by the same step"),
    Mutant("the wait is gone", _waits("pass"), "transport.refused", "waits gone: 1 2 4 → 0 0 0 s"),
    Mutant("the wait is halved", _waits("time.sleep(0.5 * 2.0**attempt)"), "transport.refused", "waits halved"),
    Mutant(
        "the wait triples", _waits("time.sleep(3.0**attempt)"), "transport.refused", "waits longer: 1 2 4 → 1 3 9 s"
    ),
    Mutant(
        "the wait is capped",
        _waits("time.sleep(min(2.0**attempt, 3.0))"),
        "transport.refused",
        "waits growing by the same step: 1 2 4 → 1 2 3 s",
    ),
    Mutant("the power is a product", _waits("time.sleep(2.0 * attempt)"), "transport.refused", "1 2 4 → 0 2 4 s"),
    Mutant("the power is an exclusive or", _waits("time.sleep(2 ^ attempt)"), "transport.refused", "1 2 4 → 2 3 0 s"),
    Mutant("milliseconds for seconds", _waits("time.sleep(2.0**attempt / 1000)"), "transport.refused", "waits shorter"),
    Mutant(
        "the wait has jitter",
        (*_waits("time.sleep(2.0**attempt + random.random())"), ("import os\n", "import os\nimport random\n")),
        "transport.refused",
        "waits with jitter: 1 2 4 → 1..2 2..3 4..5 s",
    ),
    Mutant(
        "it waits after the last attempt too",
        ((_LAST, f"{_SLEEP}{_LAST}"), (f"from error\n{_SLEEP}", "from error\n")),
        "transport.refused",
        "takes 15 s instead of 7 s",
    ),
    Mutant(
        "it waits before it asks", ((_LOOP, f"{_LOOP}        time.sleep(0.5)\n"),), "the healthy call", "takes 0.5 s"
    ),
    Mutant(
        "only what the gateway says is waited for, not the network",
        _waits("if isinstance(error, requests.HTTPError):\n                time.sleep(2.0**attempt)"),
        "transport.refused",
        "waits gone",
    ),
)

ATTEMPTS: Final = (
    Mutant(
        "one attempt too few", (("ATTEMPTS = 4", "ATTEMPTS = 3"),), "transport.refused", "retried less: 4 → 3 attempts"
    ),
    Mutant(
        "one attempt too many", (("ATTEMPTS = 4", "ATTEMPTS = 5"),), "transport.refused", "retried more: 4 → 5 attempts"
    ),
    Mutant(
        "a single attempt", (("ATTEMPTS = 4", "ATTEMPTS = 1"),), "transport.refused", "no longer retried: 4 → 1 attempt"
    ),
    Mutant(
        "the last attempt is not known as the last",
        ((_LAST, _LAST.replace("ATTEMPTS - 1", "ATTEMPTS")),),
        "transport.refused",
        "raises AssertionError instead of GatewayError",
    ),
    Mutant(
        "it counts from one and stops early",
        ((_LOOP, _LOOP.replace("(ATTEMPTS)", "(1, ATTEMPTS)")),),
        "transport.refused",
        "retried less: 4 → 3 attempts",
    ),
    Mutant(
        "it gives up before the last attempt is made",
        ((_LAST, _LAST.replace("== ATTEMPTS - 1", ">= ATTEMPTS - 2")),),
        "transport.refused",
        "retried less: 4 → 3 attempts",
    ),
    Mutant(
        "it asks for ever",
        (
            (_LOOP, "    for attempt in itertools.count():\n"),
            (_LAST, "            if attempt < 0:\n"),
            ("            time.sleep(2.0**attempt)", "            time.sleep(2.0 ** min(attempt, 5))"),
            ("import json\n", "import itertools\nimport json\n"),
        ),
        "transport.refused",
        "asks more than 200 times",
    ),
    Mutant(
        "the adapter below retries too",
        _mounted("urllib3.Retry(2, backoff_factor=0.5, allowed_methods=None)"),
        "transport.refused",
        "retried more: 4 → 12 attempts",
    ),
    Mutant(
        "the adapter below retries statuses",
        _mounted(
            "urllib3.Retry(None, status=1, connect=0, read=0, status_forcelist=RETRIED, allowed_methods=None, raise_on_status=False)"
        ),
        "status.429_rate",
        "retried more: 4 → 8 attempts",
    ),
    Mutant(
        "the adapter below does all the retries",
        (
            *_mounted("urllib3.Retry(3, backoff_factor=1, status_forcelist=RETRIED, allowed_methods=None)"),
            ("ATTEMPTS = 4", "ATTEMPTS = 1"),
        ),
        "body.empty",
        "no longer retried: 4 → 1 attempt",
    ),
)

MUTANTS: Final = (*CAUGHT, *DECODED, *WAITS, *ATTEMPTS)
