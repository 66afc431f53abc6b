"""The two examples as a suite of their own, with the client's source edited, and what their contract says of it."""

from __future__ import annotations

import concurrent.futures
import contextlib
import dataclasses
import fnmatch
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import backoff  # noqa: F401 - imported here, these are not imported anew by each inner run
import httpx  # noqa: F401
import pytest
import requests  # noqa: F401
import stamina  # noqa: F401
import tenacity  # noqa: F401
import time_machine  # noqa: F401
import tomlkit  # noqa: F401
import uvloop  # noqa: F401

import pytest_llmfaults._clock._loop
import pytest_llmfaults._clock._uvloop_early
import pytest_llmfaults._contract.why
import pytest_llmfaults._pytest.cases
import pytest_llmfaults._pytest.contract
import pytest_llmfaults._pytest.marks
import pytest_llmfaults._pytest.report
import pytest_llmfaults._pytest.session
import pytest_llmfaults._pytest.sign
import pytest_llmfaults._pytest.state
import pytest_llmfaults._verdict  # noqa: F401

__all__ = ["CLIENTS", "Client", "Verdict", "is_named", "verdict"]

_EXAMPLES: Final = Path(__file__).parents[3] / "docs" / "examples"
_INI: Final = """
[pytest]
addopts = -p no:cacheprovider
asyncio_default_fixture_loop_scope = function
filterwarnings = default
"""
_NEEDED: Final = frozenset({"HOME", "LANG", "PATH", "SYSTEMROOT", "TEMP", "TMP", "TMPDIR", "USERPROFILE"})
_ALL: Final = 'faults="all"'
_BROKEN: Final = "pytest_llmfaults.errors.ContractBroken: "


@dataclasses.dataclass(frozen=True)
class Client:
    """A client of the examples, and the one test that holds it to its contract.

    Attributes:
        name: its module.
        test: the module of the test.
        signed: the signed file.
    """

    name: str
    test: str
    signed: str

    @property
    def source(self) -> str:
        """The source of the client."""
        return (_EXAMPLES / f"{self.name}.py").read_text("utf-8")


CLIENTS: Final = {
    "trader": Client("trader", "test_trader_contract", "test_trader_contract.test_retry_contract.toml"),
    "careful": Client("careful", "test_careful_contract", "test_careful_contract.test_careful_contract.toml"),
}


@dataclasses.dataclass(frozen=True)
class Verdict:
    """What the contract said of a client.

    Attributes:
        text: why it is broken; empty where it holds.
    """

    text: str

    @property
    def first_lines(self) -> list[str]:
        """What one reads before the table."""
        return self.text.partition("\n\n")[0].splitlines()


def verdict(pytester: pytest.Pytester, client: Client, source: str, *faults: str) -> Verdict:
    """Run the example's own test with this source of the client.

    Args:
        pytester: runs it in a folder of its own, to which the signed file is copied.
        client: which one.
        source: what stands in the client's module.
        faults: what is observed; none is what the example observes, the whole catalogue.
    """
    test = (_EXAMPLES / f"{client.test}.py").read_text("utf-8")
    assert test.count(_ALL) == 1
    if faults:
        test = test.replace(_ALL, f"faults={faults!r}")
    signed = (_EXAMPLES / "llmfaults" / client.signed).read_text("utf-8")
    pytester.makeini(_INI)
    folder = pytester.mkdir("examples")
    (folder / "llmfaults").mkdir()
    for name, text in (
        (f"{client.name}.py", source),
        (f"{client.test}.py", test),
        ("conftest.py", (_EXAMPLES / "conftest.py").read_text("utf-8")),
        (f"llmfaults/{client.signed}", signed),
    ):
        (folder / name).write_text(text, "utf-8")
    with pytest.MonkeyPatch.context() as patch, _hidden(client.name, client.test, "conftest"):
        for name in set(os.environ) - _NEEDED:  # of no use here, and requests reads all of them for each request
            patch.delenv(name)
        # On the deep stack of the outer test, Python 3.11 would map and unmap memory at each call: half as long again.
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            run = pool.submit(pytester.inline_run, folder).result()
    assert (folder / "llmfaults" / client.signed).read_text("utf-8") == signed
    reports = [report for report in run.getreports("pytest_runtest_logreport") if report.when == "call"]
    run.calls.clear()  # the modules of the inner run outlive it, and hold on to this with all that was observed
    return Verdict(_said(reports))


@contextlib.contextmanager
def _hidden(*names: str) -> Iterator[None]:
    """Forget modules of these names meanwhile: the examples are tests of this suite, too."""
    before = {name: sys.modules.pop(name) for name in names if name in sys.modules}
    try:
        yield
    finally:
        for name in names:
            sys.modules.pop(name, None)
        sys.modules.update(before)


def _said(reports: list[pytest.TestReport]) -> str:
    """Return the text of the broken contract; differences that are also reported one by one come before it."""
    last = reports[-1]
    if last.passed:
        return ""
    message: str = last.longrepr.reprcrash.message  # type: ignore[union-attr]
    assert message.startswith(_BROKEN), message
    return message.removeprefix(_BROKEN)


def is_named(fault: str, line: str) -> bool:
    """Tell whether a line before the table names a fault, by its name or by a pattern that it falls under."""
    label = line.partition(": ")[0].partition(" (")[0].strip()
    return any(fnmatch.fnmatchcase(fault, part) for group in label.split(", ") for part in group.split(" and "))
