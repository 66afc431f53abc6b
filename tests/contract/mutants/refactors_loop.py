"""Refactors of the retry loop of ``docs/examples/trader.py`` that change nothing which anybody could notice."""

from __future__ import annotations

from typing import Final

from tests.contract.mutants.refactor import Refactor

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
)
