"""From requests to httpx: exactly the rows that are listed differ, and they differ on real sockets too."""

from __future__ import annotations

import importlib.util
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from pytest_llmfaults._faults import CATALOGUE, fault
from tests.contract.mutants import edited
from tests.contract.mutants.examples import CLIENTS, verdict
from tests.contract.mutants.httpx_port import EDITS, ROWS
from tests.judge import Client, Outcome, class_name, judge

TRADER: Final = CLIENTS["trader"]
PORT: Final = edited(TRADER.source, EDITS)
NAMES: Final = tuple(name for names in ROWS.values() for name in names)
QUICK: Final = (("time.sleep(2.0**attempt)", "time.sleep(0.001)"), ("(5, 60)", "0.2"))
QUICK_PORT: Final = (QUICK[0], ("httpx.Timeout(60, connect=5)", "0.2"))


def test_exactly_the_listed_rows_differ(pytester: pytest.Pytester) -> None:
    table = verdict(pytester, TRADER, PORT).text.partition("\n\n")[2]
    assert set(re.findall(r"[a-z]+\.\w+", table)) & set(CATALOGUE) == set(NAMES)
    for sentence in ROWS:
        assert f"observed       {sentence}\n" in table


@pytest.fixture
def clients(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Client, Client]]:
    """Both clients, with short waits and timeouts, and a URL of the judge's."""
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    made = []
    for name, source in (("by_requests", edited(TRADER.source, QUICK)), ("by_httpx", edited(PORT, QUICK_PORT))):
        path = tmp_path / f"{name}.py"
        path.write_text(source, "utf-8")
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        monkeypatch.setitem(sys.modules, name, module)
        spec.loader.exec_module(module)
        made.append(_client(module))
    yield made[0], made[1]
    sys.modules["by_httpx"].CLIENT.close()


def _client(module: Any) -> Client:
    def call(url: str, _body: dict[str, Any], calls: int) -> list[Outcome]:
        module.URL = url
        return [_outcome(module.decide) for _ in range(calls)]

    return call


def _outcome(decide: Callable[[], object]) -> Outcome:
    try:
        return "value", str(decide())
    except Exception as error:  # noqa: BLE001 - its class is the outcome
        return "raised", class_name(error).rpartition(".")[2]


@pytest.mark.parametrize("name", NAMES)
def test_a_listed_row_differs_on_a_real_socket(clients: tuple[Client, Client], name: str) -> None:
    (memory, sockets), (port_memory, port_sockets) = (judge(client, fault(name)) for client in clients)
    assert memory == sockets
    assert port_memory == port_sockets
    assert sockets != port_sockets
    assert port_sockets.attempts == 1
