"""An edition keeps its bytes; and no two rows are the same fault under two names."""

from __future__ import annotations

import contextlib
import dataclasses
import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import CATALOGUE, EDITION, healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults.errors import DoesNotApply
from tests.faults import editions

HELP = {
    True: "That is closed. Give the row back its bytes; a mended or new row has since={}.",
    False: "That is open. If it was meant: python -m tests.faults.editions",
}


@pytest.mark.parametrize("edition", range(1, EDITION + 1))
def test_an_edition_keeps_its_bytes(edition: int) -> None:
    found = editions.differences(edition)
    closed = any(editions.is_closed(line, edition) for line in found)
    assert not found, "\n".join([*found, HELP[closed].format(edition + 1)])


def test_every_row_belongs_to_an_edition() -> None:
    assert {row.since for row in CATALOGUE.values()} <= set(range(1, EDITION + 1))
    assert set(editions.CLOSED) <= set(WIRES)
    assert set(editions.CLOSED.values()) <= set(range(1, EDITION + 1))
    assert [line.name for line in sorted(editions.HERE.glob("edition_*.txt"))] == [
        editions.path(edition).name for edition in range(1, EDITION + 1)
    ]


def test_a_changed_row_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    row = CATALOGUE["body.empty"]
    changed = dataclasses.replace(row, play=lambda _base: Reply.text(""))
    rows = {**CATALOGUE, "body.empty": changed}
    del rows["body.html_page"]
    rows["body.new"] = dataclasses.replace(row, name="body.new")
    monkeypatch.setattr(editions, "CATALOGUE", MappingProxyType(rows))
    assert editions.differences(1) == [
        f"{wire} {stream}body.{words}"
        for words in ("empty changed its bytes", "html_page is gone", "new is not in the file")
        for wire in (sorted(WIRES) if "gone" in words else tuple(WIRES))
        for stream in (("", "stream ") if WIRES[wire].stream is not None else ("",))
    ]


def test_what_is_closed_is_never_rewritten(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(editions, "HERE", tmp_path)
    monkeypatch.setattr(editions, "CLOSED", {})
    editions.main()
    count = len(editions.computed(1))
    assert capsys.readouterr().out.splitlines()[0] == f"edition_1.txt: 0 hashes kept, {count} written"
    assert editions.stored(1) == editions.computed(1)
    once = {**editions.stored(1), "openai.chat body.empty": "0123456789abcdef"}
    editions.path(1).write_text(editions.written(once), encoding="utf-8")
    monkeypatch.setattr(editions, "CLOSED", {"openai.chat": 1})
    editions.main()
    assert editions.stored(1) == once
    assert editions.differences(1) == ["openai.chat body.empty changed its bytes"]
    monkeypatch.setattr(editions, "CLOSED", {"anthropic.messages": 1})
    editions.main()
    assert editions.differences(1) == []


@pytest.mark.parametrize(
    ("status", "phrase"),
    [
        (413, b"Content Too Large"),
        (414, b"URI Too Long"),
        (416, b"Range Not Satisfiable"),
        (422, b"Unprocessable Content"),
        (429, b"Too Many Requests"),
        (529, b""),
    ],
)
def test_a_status_has_the_same_phrase_on_every_python(status: int, phrase: bytes) -> None:
    assert Reply(status=status).head().startswith(b"HTTP/1.1 %d %s\r\n" % (status, phrase))


WIRE = WIRES["openai.chat"]
ACTIONS = [
    {"action": "BUY", "ticker": "ACME", "quantity": 2},
    {"action": "SELL", "ticker": "INIT", "quantity": 1},
]
CASES: dict[str, tuple[dict[str, Any], Answer]] = {
    "demo": ({}, Answer(data={"actions": ACTIONS})),
    "demo with more": ({}, Answer(data={"actions": ACTIONS, "reasons": ["cheap", "late"], "final": True})),
    "tools": (dict(editions.FIXED["tools"][0]), editions.CALLS),
}


def replies(case: str, *, stream: bool) -> Iterator[tuple[str, Reply]]:
    """Yield what each row makes of a healthy reply, and that reply first; rows that do not apply are left out."""
    more, answer = CASES[case]
    more = {**more, "stream": True, "stream_options": {"include_usage": True}} if stream else more
    body = json.dumps({"model": "gpt-5", "messages": [{"role": "user", "content": "What should I do?"}], **more})
    headers = (("Accept-Encoding", "gzip, deflate"),)
    request = Request("POST", "https://gateway.example.com/v1/chat/completions", headers, body.encode(), wire=WIRE.name)
    yield "healthy", healthy(WIRE, request, answer).as_asked().reply
    for row in CATALOGUE.values():
        if case == "tools" and row.family == "content":
            continue  # a call without a text beside it is healthy
        with contextlib.suppress(DoesNotApply):
            yield row.name, row.reply(healthy(WIRE, request, answer, needs=row.needs, fault=row.name))


def test_no_two_rows_are_alike_on_the_demos_reply() -> None:
    """The demo gets data and offers no tools; rows that corrupt calls meet the fixed calls."""
    played: set[str] = set()
    for case, stream in itertools.product(CASES, (False, True)):
        seen: dict[str, str] = {}
        for name, reply in replies(case, stream=stream):
            assert seen.setdefault(editions.hashed(reply), name) == name
        played |= set(seen.values())
    own = {name for name, row in CATALOGUE.items() if row.applies_to(WIRE)}
    assert own - played == {
        "structured.schema_echo",  # it needs a schema, which the demo does not give
        "control.stream_usage_chunk",  # it comes only where no usage is asked for
        "control.stream_choices_interleaved",  # the demo asks for one choice
    }
