"""Refactors of ``docs/examples/trader.py`` that change nothing which its callers or its gateway could notice."""

from __future__ import annotations

import ast
import dataclasses
from collections.abc import Mapping
from typing import Final

from tests.contract.mutants import edited

__all__ = ["REFACTORS", "Refactor", "refactored"]

_POST: Final = "requests.post(URL, json=body, headers=headers, timeout=TIMEOUT_SECONDS, allow_redirects=False)"
_REQUEST: Final = """
    body = {"model": "gpt-5", "messages": [{"role": "user", "content": prompt}]}
    headers = {"Authorization": f"Bearer {os.environ.get('GATEWAY_KEY', '')}"}
"""
_ONCE: Final = f"""
def once(prompt):{_REQUEST}
    reply = {_POST}
    if reply.status_code in RETRIED:
        reply.raise_for_status()
    if not reply.ok:
        raise GatewayError(f"the gateway answered {{reply.status_code}}")
    return reply.json()
"""


@dataclasses.dataclass(frozen=True)
class Refactor:
    """One refactor.

    Attributes:
        name: what was done.
        edits: pieces of the source and what stands there instead.
        functions: names of functions or classes with the code that stands there instead.
        imports: lines to add.
    """

    name: str
    edits: tuple[tuple[str, str], ...] = ()
    functions: Mapping[str, str] = dataclasses.field(default_factory=dict)
    imports: str = ""


def refactored(source: str, refactor: Refactor) -> str:
    """Return the source after a refactor."""
    for name, code in refactor.functions.items():
        (node,) = (one for one in ast.parse(source).body if getattr(one, "name", None) == name)
        assert isinstance(node, (ast.FunctionDef, ast.ClassDef))
        first = min([node.lineno, *(one.lineno for one in node.decorator_list)])
        lines = source.splitlines(keepends=True)
        source = "".join([*lines[: first - 1], code.strip(), "\n", *lines[node.end_lineno :]])
    if refactor.imports:
        source = source.replace("import requests\n", f"{refactor.imports}\nimport requests\n", 1)
    return edited(source, refactor.edits)


REFACTORS: Final = (
    Refactor(
        "the loop is tenacity's",
        functions={
            "post": _ONCE
            + """

def post(prompt):
    asking = tenacity.Retrying(
        stop=tenacity.stop_after_attempt(ATTEMPTS),
        wait=tenacity.wait_exponential(),
        retry=tenacity.retry_if_exception_type(requests.RequestException),
    )
    try:
        return asking(once, prompt)
    except tenacity.RetryError as error:
        raise GatewayError(f"no answer in {ATTEMPTS} attempts") from error
"""
        },
        imports="import tenacity",
    ),
    Refactor(
        "the loop is backoff's",
        functions={
            "post": _ONCE
            + """

@backoff.on_exception(backoff.expo, requests.RequestException, max_tries=ATTEMPTS, jitter=None)
def asking(prompt):
    return once(prompt)


def post(prompt):
    try:
        return asking(prompt)
    except requests.RequestException as error:
        raise GatewayError("no answer") from error
"""
        },
        imports="import backoff",
    ),
    Refactor(
        "the loop is stamina's",
        functions={
            "post": _ONCE
            + """

def post(prompt):
    try:
        for attempt in stamina.retry_context(
            on=requests.RequestException, attempts=ATTEMPTS, timeout=None, wait_initial=1, wait_max=60, wait_jitter=0
        ):
            with attempt:
                return once(prompt)
    except requests.RequestException as error:
        raise GatewayError("no answer") from error
"""
        },
        imports="import stamina",
    ),
    Refactor(
        "helpers have other names",
        (
            ("content_of(post(prompt))", "text_in(ask(prompt))"),
            ("def content_of(", "def text_in("),
            ("def post(", "def ask("),
            ("(action := readable(item))", "(action := action_in(item))"),
            ("def readable(", "def action_in("),
        ),
    ),
    Refactor(
        "a session for each question",
        (
            ("    for attempt in range", "    session = requests.Session()\n    for attempt in range"),
            ("requests.post(", "session.post("),
        ),
    ),
    Refactor(
        "one session for all",
        (("RETRIED = {", "SESSION = requests.Session()\nRETRIED = {"), ("requests.post(", "SESSION.post(")),
    ),
    Refactor("request in place of post", (("requests.post(URL,", 'requests.request("POST", URL,'),)),
    Refactor(
        "a request that is prepared and sent",
        (
            (
                f"reply = {_POST}",
                "with requests.Session() as session:\n"
                '                made = session.prepare_request(requests.Request("POST", URL, headers, json=body))\n'
                "                reply = session.send(made, timeout=TIMEOUT_SECONDS, allow_redirects=False)",
            ),
        ),
    ),
    Refactor(
        "while in place of for",
        (
            (
                "    for attempt in range(ATTEMPTS):\n",
                "    attempt = -1\n    while (attempt := attempt + 1) < ATTEMPTS:\n",
            ),
        ),
    ),
    Refactor(
        "the waits are a list",
        (
            ("for attempt in range(ATTEMPTS):", "for wait in (1.0, 2.0, 4.0, None):"),
            ("if attempt == ATTEMPTS - 1:", "if wait is None:"),
            ("time.sleep(2.0**attempt)", "time.sleep(wait)"),
        ),
    ),
    Refactor(
        "it calls itself in place of a loop",
        functions={
            "post": _ONCE
            + """

def post(prompt, attempt=0):
    try:
        return once(prompt)
    except requests.RequestException as error:
        if attempt + 1 >= ATTEMPTS:
            raise GatewayError("no answer") from error
    time.sleep(2.0**attempt)
    return post(prompt, attempt + 1)
"""
        },
    ),
    Refactor(
        "a decorator retries",
        functions={
            "post": """
def retried(ask):
    @functools.wraps(ask)
    def asking(prompt):
        for left in reversed(range(ATTEMPTS)):
            try:
                return ask(prompt)
            except requests.RequestException as error:
                if not left:
                    raise GatewayError("no answer") from error
                time.sleep(2.0 ** (ATTEMPTS - 1 - left))

    return asking

"""
            + _ONCE.replace("def once", "@retried\ndef once")
            + """

def post(prompt):
    return once(prompt)
"""
        },
        imports="import functools",
    ),
    Refactor(
        "one attempt is a function of its own",
        functions={
            "post": f"{_ONCE}\n\n"
            """
def post(prompt):
    for attempt in range(ATTEMPTS):
        try:
            return once(prompt)
        except requests.RequestException as error:
            if attempt < ATTEMPTS - 1:
                time.sleep(2.0**attempt)
            else:
                raise GatewayError(f"no answer in {ATTEMPTS} attempts") from error
"""
        },
    ),
    Refactor(
        "questions are asked in a thread",
        functions={
            "post": _ONCE.replace("def once", "def _once")
            + """

def once(prompt):
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        return pool.submit(contextvars.copy_context().run, _once, prompt).result()


def post(prompt):
    for attempt in range(ATTEMPTS):
        try:
            return once(prompt)
        except requests.RequestException as error:
            if attempt == ATTEMPTS - 1:
                raise GatewayError("no answer") from error
        time.sleep(2.0**attempt)
"""
        },
        imports="import concurrent.futures\nimport contextvars\n",
    ),
    Refactor(
        "if in place of match, for an action",
        functions={
            "readable": """
def readable(item):
    if not isinstance(item, dict):
        return None
    action, ticker, quantity = item.get("action"), item.get("ticker"), item.get("quantity")
    if action not in ("BUY", "SELL") or not isinstance(ticker, str):
        return None
    if not isinstance(quantity, int) or quantity <= 0:
        return None
    return f"{action} {ticker} {quantity}"
"""
        },
    ),
    Refactor(
        "if in place of match, for the envelope",
        functions={
            "content_of": """
def content_of(envelope):
    choices = envelope.get("choices") if isinstance(envelope, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    said = first.get("message") if isinstance(first, dict) else None
    if not isinstance(said, dict):
        raise EnvelopeError(f"not a chat completion: {str(envelope)[:80]}")
    text = said.get("content") or said.get("reasoning_content") or ""
    return text if isinstance(text, str) else json.dumps(text)
"""
        },
    ),
    Refactor(
        "what it does is logged",
        (
            (
                "            time.sleep(2.0**attempt)",
                '            LOG.warning("again", exc_info=error)\n            time.sleep(2.0**attempt)',
            ),
            ("RETRIED = {", "LOG = logging.getLogger(__name__)\nRETRIED = {"),
            (
                "            return reply.json()",
                '            LOG.debug("%s: %s", reply.status_code, reply.text[:80])\n            return reply.json()',
            ),
        ),
        imports="import logging",
    ),
    Refactor(
        "the decision is a NamedTuple",
        functions={
            "Decision": "class Decision(typing.NamedTuple):\n    actions: tuple[str, ...] = ()\n    error: str | None = None\n"
        },
        imports="import typing",
    ),
    Refactor(
        "constants have names of the library",
        (
            (
                "RETRIED = {429, 502, 503, 504}",
                'RETRIED = frozenset(requests.codes[name] for name in ("too_many", "bad_gateway", "unavailable", "gateway_timeout"))',
            ),
        ),
    ),
    Refactor(
        "sleep is imported by its name", (("time.sleep(", "sleep("), ("import time\n", "from time import sleep\n"))
    ),
    Refactor(
        "the body is written by the client",
        (
            ("json=body", "data=json.dumps(body).encode()"),
            ('headers = {"Auth', 'headers = {"Content-Type": "application/json", "Auth'),
        ),
    ),
    Refactor(
        "errors of the library are listed",
        (
            (
                "except requests.RequestException as error",
                "except (requests.ConnectionError, requests.Timeout, requests.HTTPError, requests.JSONDecodeError,\n"
                "                requests.exceptions.ChunkedEncodingError, requests.exceptions.ContentDecodingError) as error",
            ),
        ),
    ),
    Refactor(
        "texts of errors are others",
        (('f"no answer in {ATTEMPTS} attempts"', '"nobody answers"'), (") from error", ") from None")),
    ),
)
