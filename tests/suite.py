"""A suite of one test module, run inside a test."""

from __future__ import annotations

import textwrap

import hypothesis  # noqa: F401 - imported here, it is not imported anew by each inner run
import openai  # noqa: F401
import pytest

CLIENT = '''
import pytest, requests, time
from pytest_llmfaults import Answer, Fault, Reply, Refused, ToolCall, fault, inject

URL = "https://gateway.example.com/v1/chat/completions"

def ask(url=URL, model="gpt-5", attempts=3, seconds=1.0, **more):
    """A client of the plainest kind: retries what requests raises and 5xx, with a doubling wait."""
    for attempt in range(attempts):
        try:
            reply = requests.post(url, json={"model": model, "messages": [], **more}, timeout=(3, 20))
            if reply.status_code < 500:
                return reply.json()["choices"][0]["message"]["content"]
        except requests.RequestException as error:
            if attempt == attempts - 1:
                raise
        time.sleep(seconds * 2**attempt)
    return "gave up"
'''


INI = """
[pytest]
addopts = -p no:cacheprovider -p no:pytest-responses
filterwarnings = error
asyncio_default_fixture_loop_scope = function
"""


class Suite:
    """Runs test code with the client above it, in this process."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        pytester.makeini(INI)

    def run(self, code: str, *arguments: str, conftest: str = "") -> pytest.RunResult:
        """Run ``code`` as a test module with these command line arguments."""
        if conftest:
            self.pytester.makeconftest(textwrap.dedent(conftest))
        self.pytester.makepyfile(test_suite=CLIENT + textwrap.dedent(code))
        return self.pytester.runpytest_inprocess(*arguments)
