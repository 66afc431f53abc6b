"""Frameworks on their defaults get the data where they look for it, and ``structured.*`` breaks it there."""

from __future__ import annotations

import contextlib
from typing import Any

import pytest

from pytest_llmfaults import Answer, Fault, Request, faults, inject
from pytest_llmfaults._faults import CATALOGUE, Healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._wires import WIRES
from tests import no_escape

pytestmark = pytest.mark.filterwarnings("ignore")

STRUCTURED = ("langchain structured", "instructor", "pydantic-ai")
FORCED = ("instructor", "pydantic-ai")
WIRE = WIRES["openai.chat"]
COERCED = {"structured.number_as_text", "structured.boolean_as_text", "structured.boolean_as_word"}
"""What pydantic reads as if nothing were wrong, unless it is told to be strict, as instructor tells it."""
ROWS = [row for row in CATALOGUE.values() if row.family == "structured"]


def text_where_it_looks(request: Request, reply: Reply) -> Any:
    return Healthy(WIRE, request, Answer(), reply).value("structured")


def played(audit: Any, client: str, step: Fault | str) -> Any:
    """Let a client meet a step; return the text where its request wants the data."""
    answer = audit.asks.ANSWERS["data"]
    with inject(step, answer=answer) as seen, contextlib.suppress(Exception):  # what the client makes of it
        audit.by_name[client].call("data")
    return text_where_it_looks(seen.requests[0], seen.replies[0])


@pytest.mark.parametrize("client", STRUCTURED)
def test_the_data_is_where_the_client_looks(audit: Any, client: str) -> None:
    seen = audit.observe(audit.by_name[client], None, "data")
    assert seen.attempts == 1
    assert seen.parts["data"] == audit.asks.DATA


@pytest.mark.parametrize("client", STRUCTURED)
def test_the_client_asks_on_its_defaults(audit: Any, client: str) -> None:
    with inject("ok", answer=audit.asks.ANSWERS["data"]) as seen:
        audit.by_name[client].call("data")
    assert WIRE.data_slot(seen.requests[0]) == ("arguments" if client in FORCED else "content")


@pytest.mark.parametrize("client", STRUCTURED)
def test_every_row_of_structured_changes_what_is_there(audit: Any, client: str) -> None:
    good = played(audit, client, "ok")
    assert isinstance(good, str)
    assert [row.name for row in ROWS if played(audit, client, row) == good] == []


@pytest.mark.parametrize("client", STRUCTURED)
def test_no_client_takes_lost_data_for_good(audit: Any, client: str) -> None:
    healthy = audit.observe(audit.by_name[client], None, "data").parts
    lost = [row for row in ROWS if row.scope == "total"]
    assert len(lost) > 30
    taken = {row.name for row in lost if audit.observe(audit.by_name[client], row, "data").parts == healthy}
    assert taken == (set() if client == "instructor" else COERCED)


def test_tools_are_called_and_their_results_come_back(audit: Any) -> None:
    seen = audit.observe(audit.by_name["pydantic-ai tools"], None, "tools")
    assert seen.attempts == 2
    assert seen.parts["text"] == "Done."
    assert [call["name"] for call in seen.parts["ran"]] == ["count", "search"]


def test_an_observation_is_the_same_each_time(audit: Any) -> None:
    clients = audit.by_name.values()
    first, second = (audit.clients.observed(clients, faults("core")) for _ in range(2))
    assert first == second
    assert len(first) == len(faults("core")) + 1


def test_nothing_left_the_machine() -> None:
    assert no_escape.lines() == []
