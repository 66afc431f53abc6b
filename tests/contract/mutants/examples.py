"""The two examples as a suite of their own, with the client's source edited, and what their contract says of it."""

from __future__ import annotations

import contextlib
import dataclasses
import fnmatch
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

__all__ = ["CLIENTS", "Client", "Verdict", "is_named", "verdict"]

_EXAMPLES: Final = Path(__file__).parents[3] / "docs" / "examples"
_INI: Final = """
[pytest]
addopts = -p no:cacheprovider
asyncio_default_fixture_loop_scope = function
filterwarnings = default
"""
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
    with _hidden(client.name, client.test, "conftest"):
        run = pytester.inline_run(folder)
    assert (folder / "llmfaults" / client.signed).read_text("utf-8") == signed
    return Verdict(_said([report for report in run.getreports("pytest_runtest_logreport") if report.when == "call"]))


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
