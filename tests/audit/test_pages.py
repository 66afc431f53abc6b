"""The pages of what clients do: every wire with clients, every row, every client, and what counts as what."""

from __future__ import annotations

from typing import Any

import pytest

from pytest_llmfaults import faults
from pytest_llmfaults._wires import WIRES

pytestmark = pytest.mark.filterwarnings("ignore")


def observed(audit: Any, name: str) -> Any:
    """Observe the clients of one table under the core faults."""
    table = audit.tables[name]
    core = {row.name for row in faults("core", wire=table.wire)}
    return table, audit.clients.observed(table.subjects, [row for row in table.rows if row.name in core])


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


def test_a_page_has_every_row_and_every_client(audit: Any) -> None:
    for name in ("openai.chat", "gemini"):
        table, cells = observed(audit, name)
        page = audit.clients.page(table, cells, {"openai": "3"})
        assert page.isascii()
        for row in cells:
            assert row == "healthy" or row.partition(".")[2] in page
        for one in table.subjects:
            assert one.name in page
        assert "Observed with openai 3, Python 3" in page
        assert set(WIRES) >= {one.wire for one in audit.tables.values()}


def test_the_page_of_all_has_each_client_once_with_its_numbers(audit: Any) -> None:
    found = [observed(audit, name) for name in ("openai.chat", "gemini")]
    page = audit.clients.overview(found, {"openai": "3"})
    numbers = page.partition("## In numbers")[2]
    for table, cells in found:
        for one in table.subjects:
            line = next(text for text in numbers.splitlines() if text.startswith(f"| {one.name} ([{table.wire}]"))
            _, _, count, more, own, others, good, ever, longest, _ = (part.strip() for part in line.split("|"))
            met = {row: by_client[one.name] for row, by_client in cells.items() if row != "healthy"}
            met = {row: cell for row, cell in met.items() if cell is not None}
            assert int(count) == len(met)
            assert int(own) + int(others) == sum(cell.outcome.startswith("raises ") for cell in met.values())
            assert int(ever) == sum(cell.outcome == "waits for ever" for cell in met.values())
            usual = int(cells["healthy"][one.name].attempts)
            assert int(more) == sum(int(cell.attempts) > usual for cell in met.values())
            assert longest.partition("`")[2].rstrip("`") in met
            if one.name == "demo":
                assert int(good) == 0
    assert "3 `RateLimitError`" in page
    assert page.isascii()
