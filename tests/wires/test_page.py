"""The page of which fault applies to which wire: it is current, and says what is so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pytest_llmfaults._faults import CATALOGUE
from pytest_llmfaults._wires import WIRES

CATALOGUE_DOCS = Path(__file__).parent.parent.parent / "docs" / "catalogue"


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(CATALOGUE_DOCS))
    import wires

    return wires


def test_the_page_is_current(module: Any) -> None:
    cells = module.table()
    assert module.PAGE.read_text() == module.page(cells), "make wires"
    assert list(cells) == list(CATALOGUE)
    on_some = {name for name, said in cells.items() if any(not one.startswith("no") for one in said)}
    assert on_some == set(CATALOGUE)


def test_what_a_cell_says(module: Any) -> None:
    anthropic = WIRES["anthropic.messages"]

    def cell(name: str) -> str:
        said: str = module.cell(anthropic, CATALOGUE[name])
        return said

    assert cell("content.empty") == cell("stream.stall") == cell("body.empty") == "yes"
    assert cell("tools.arguments_truncated") == "stream"
    assert cell("envelope.choices_null") == "no: no choices"
    assert cell("tools.finish_tool_call") == "no: openai.chat, mistral.chat only"
    assert cell("tools.arguments_object") == "no: changes nothing"
