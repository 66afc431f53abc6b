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


def test_the_pages_are_current(module: Any) -> None:
    pages = module.pages()
    assert {file.name for file in pages if file.read_text(encoding="utf-8") != pages[file]} == set(), "make wires"
    kept = {file.name for file in (module.PAGE.parent / "wires").iterdir()}
    assert kept == {f"{name}.md" for name in WIRES}
    cells = module.table()
    assert list(cells) == list(CATALOGUE)
    on_some = {name for name, said in cells.items() if any(not one.startswith("no") for one in said)}
    assert on_some == set(CATALOGUE)


def test_a_page_says_what_each_fault_is_and_where_it_was_seen(module: Any) -> None:
    text = module.rows_page.FILE.read_text(encoding="utf-8")
    for row in CATALOGUE.values():
        (line,) = (line for line in text.splitlines() if line.startswith(f"| `{row.name}` |"))
        assert all(url in line for url in row.sources)


def test_the_page_of_a_wire_says_what_it_answers(module: Any) -> None:
    text = module.wire_page.file_of(WIRES["anthropic.messages"]).read_text(encoding="utf-8")
    for words in ("`/v1/messages`", "`ANTHROPIC_API_KEY`", '"stop_reason": "end_turn"', "event: message_stop"):
        assert words in text
    assert "| `finish.pause_turn` |" in text
    assert "- **no choices**: envelope: `" in text


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
