"""The pages of what clients do: every wire with clients, every row, every client, and what counts as what."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_llmfaults import faults
from pytest_llmfaults._wires import WIRES

pytestmark = pytest.mark.filterwarnings("ignore")


SEEN = ("gemini", "ollama.chat")
"""The tables with the fewest clients."""


@pytest.fixture(scope="module")
def found(audit: Any) -> list[tuple[Any, Any]]:
    """Observe the clients of two wires under the core faults."""
    made = []
    for table in map(audit.tables.get, SEEN):
        core = {row.name for row in faults("core", wire=table.wire)}
        made.append((table, audit.clients.observed(table.subjects, [row for row in table.rows if row.name in core])))
    return made


def test_a_healthy_reply_is_read_the_same_by_both_halves_of_a_client(audit: Any) -> None:
    for table in audit.tables.values():
        by_name = {one.name: one for one in table.subjects}
        assert len(by_name) == len(table.subjects)
        for one in table.subjects:
            for kind in one.kinds:
                seen = audit.observe(one, None, kind)
                assert "raises" not in str(seen.parts).replace("raises TypeError", ""), (table.name, one.name, kind)
                if one.like is not None:
                    assert seen == audit.observe(by_name[one.like], None, kind), (table.name, one.name, kind)


def test_what_a_client_read_before_a_stream_broke_is_kept(audit: Any) -> None:
    (row,) = faults("stream.closed")
    for name, column, text in (
        ("openai.chat, streamed", "openai, streamed", "Hold the"),
        ("anthropic.messages", "anthropic, streamed, async", "Hold"),
    ):
        subject = next(one for one in audit.tables[name].subjects if one.name == column)
        seen = audit.observe(subject, row, "text")
        assert (seen.parts["raises"], seen.parts["text"]) == ("httpx2.RemoteProtocolError", text)


def test_a_wait_without_end_is_told_also_where_a_client_makes_a_value_of_it(audit: Any) -> None:
    (row,) = faults("transport.timeout")
    subject = next(one for one in audit.tables["anthropic.messages"].subjects if one.name == "langchain, async")
    assert audit.observe(subject, row, "text").parts == {"waits": "for ever"}


def test_every_wire_with_a_client_has_a_page(audit: Any) -> None:
    assert {one.wire for one in audit.tables.values()} <= set(WIRES)
    assert {"openai.chat", "anthropic.messages", "openai.responses", "gemini", "ollama.chat"} <= set(audit.tables)


def test_a_page_has_every_row_and_every_client(audit: Any, found: list[tuple[Any, Any]]) -> None:
    for table, cells in found:
        page = audit.clients.page(table, cells, {"openai": "3"})
        assert page.isascii()
        assert [row for row in cells if row.partition(".")[2] not in page] == []
        assert [one.name for one in table.subjects if one.name not in page] == []
        assert "Observed with openai 3, Python 3" in page


def test_the_page_of_all_has_each_client_once_with_its_numbers(audit: Any, found: list[tuple[Any, Any]]) -> None:
    page = audit.clients.overview(found, {"openai": "3"})
    assert page.isascii()
    assert "1 `ServerError, code 503`" in page
    numbers = page.partition("## In numbers")[2].splitlines()
    for table, cells in found:
        for one in table.subjects:
            (line,) = (text for text in numbers if text.startswith(f"| {one.name} ([{table.wire}]"))
            _, _, count, more, own, others, good, ever, longest, _ = (part.strip() for part in line.split("|"))
            usual, *met = (by_client[one.name] for by_client in cells.values() if by_client[one.name] is not None)
            assert int(count) == len(met)
            assert int(more) == sum(int(cell.attempts) > int(usual.attempts) for cell in met)
            assert int(own) + int(others) == sum(cell.outcome.startswith("raises ") for cell in met)
            assert int(ever) == sum(cell.outcome == "waits for ever" for cell in met)
            assert int(good) <= len(met) - int(own) - int(others) - int(ever)
            assert longest.partition("`")[2].rstrip("`") in cells


def test_an_exception_of_the_client_is_told_from_somebody_elses(audit: Any) -> None:
    table = audit.tables["gemini"]
    subject = next(one for one in table.subjects if one.name == "google-genai")
    rows = faults("transport.refused", "status.503", "body.empty", "content.empty", wire="gemini")
    cells = audit.clients.observed([subject], rows)
    line = audit.clients.overview([(table._replace(subjects=(subject,)), cells)], {}).strip().splitlines()[-1]
    assert [part.strip() for part in line.split("|")][2:8] == ["4", "0", "1", "1", "0", "0"]
