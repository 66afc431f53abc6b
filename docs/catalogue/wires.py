"""Play every fault on every wire, with and without a stream, and write the pages of wires and faults.

``docs/wires.md`` is the table, ``docs/wires/`` has a page for each wire, ``docs/faults.md`` says what each fault is.

No key, no network, no client: what a fault makes of one healthy reply is a pure function.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

import rows_page
import wire_page
from asks import ANSWERS, ASKS, kind_for

from pytest_llmfaults import Answer, DoesNotApply, Fault, faults
from pytest_llmfaults._faults import EDITION, healthy
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import DIALECTS, WIRES, Dialect, Wire, in_dialect

PAGE: Final = Path(__file__).resolve().parent.parent / "wires.md"
_HEADERS: Final = (("Accept-Encoding", "gzip, deflate"),)
_HEAD: Final = """# Which fault applies to which wire

`make wires` plays every fault on every wire, for a request with and without a stream, and writes this page.

One name means the same on every wire. Where a wire has no place for what a fault corrupts, the fault is refused by
name. [What each fault is](faults.md). The cells:

- **yes**: for each kind of request that the fault is about;
- **stream**: only for a request for a stream, as this wire holds parsed JSON in a plain reply and text in a stream;
- **no**: never; what the wire does not have stands beside it: a slot, the end mark of streams, arguments as text or
  in pieces, or events that are written so.

"""


def plays(wire: Wire, row: Fault, *, stream: bool) -> str | None:
    """Play a fault; return why the wire cannot carry it, or None."""
    refusals = []
    for asked in _asked(wire, row, stream=stream):
        try:
            row.reply(healthy(wire, asked, ANSWERS[kind_for(row)], needs=row.needs, fault=row.name))
        except DoesNotApply as refusal:
            refusals.append(str(refusal))
        else:
            return None
    return refusals[0]


def _asked(wire: Wire, row: Fault, *, stream: bool) -> Iterable[Request]:
    asks: Iterable[Mapping[str, Any]] = ({}, {"n": 2}) if stream else ({},)
    if stream and wire.stream is not None and wire.stream.asks:
        asks = ({"stream_options": {"include_usage": True}}, *asks)
    for more in asks:
        scheme = "https" if row.name == "transport.tls_verify" else "http"
        body = {**wire.example, **ASKS[wire.name][kind_for(row)], **more}
        yield wire.request(body, origin=f"{scheme}://example.com", headers=_HEADERS, stream=stream)


def cell(wire: Wire, row: Fault) -> str:
    """Say how a fault applies to a wire."""
    if not row.applies_to(wire):
        lacking = row.lacking(wire)
        return f"no: no {lacking}" if lacking else f"no: {', '.join(row.wires)} only"
    plain = None if row.streamed == "only" else plays(wire, row, stream=False)
    streamed = None if row.streamed == "never" else plays(wire, row, stream=True)
    if plain is None and streamed is None:
        return "yes"
    if plain is not None and streamed is None and row.streamed != "only":
        return "stream"
    only_plain = streamed is not None and plain is None and row.streamed != "only"
    return "plain" if only_plain else f"no: {_said(plain, streamed)}"


def _said(*refusals: str | None) -> str:
    """Return why, the first clause of what a refusal says."""
    refusal = next(filter(None, refusals), "")
    reason = refusal.partition(": ")[2].removeprefix("it ")
    return reason.partition(",")[0].partition(".")[0].removesuffix(" in this reply")


def table() -> Mapping[str, tuple[str, ...]]:
    """Return the cells of each fault, in the order of the catalogue and of the wires."""
    return {row.name: tuple(cell(wire, row) for wire in WIRES.values()) for row in faults(edition=EDITION)}


_DIALECTS: Final = """
## Dialects

How a host speaks a wire. It is found by the host's name, or said: `inject(..., dialect="vllm")`, in the marker, in
`check(...)`, by a line of the ini `llmfaults_dialect`: `vllm = llm.example.com`. What a fault corrupts is where it
is on that host. Here is what a healthy reply has beside the wire's, what has moved, and what the host has no place for.

| dialect | hosts | fields of its own | moved | refused |
|---|---|---|---|---|"""


def dialects() -> list[str]:
    """Write the section of the dialects."""
    return [_DIALECTS, *(_line(one) for one in DIALECTS.own.values()), *_errors()]


def _line(dialect: Dialect) -> str:
    wire = WIRES[dialect.wire]
    here = in_dialect(wire, dialect)
    known, own = _paths(wire), _paths(here)
    moved = [f"{name} in `{slot.find({})[-1]}`" for name, slot in _moved(wire, dialect) if slot.find({})]
    fields = ", ".join(f"`{path}`" for path in own if path not in known)
    refused = ", ".join(f"`{row}`" for row in _refused(wire, here))
    hosts = ", ".join(f"`{host}`" for host in dialect.hosts) or "where you say so"
    return f"| [`{dialect.name}`]({dialect.source}) | {hosts} | {fields} | {', '.join(moved)} | {refused} |"


def _moved(wire: Wire, dialect: Dialect) -> Iterable[tuple[str, Any]]:
    for name, slot in dialect.slots.items():
        if slot is not None and slot.find({}) != wire.slots[name].find({}):
            yield name, slot


def _paths(wire: Wire) -> list[str]:
    """Return the keys of a healthy envelope that its stream or plain reply has, outermost first."""
    asked = wire.request({**wire.example}, origin="https://example.com")
    envelope = healthy(wire, asked, Answer("Hold.", reasoning="Hm.")).envelope()
    return list(dict.fromkeys(_keys(envelope)))


def _keys(value: Any) -> Iterable[str]:
    """Yield the keys of an envelope, of its first choice, the message and the usage."""
    for level in (value, value["choices"][0], value["choices"][0]["message"], value["usage"]):
        yield from level


def _refused(wire: Wire, here: Wire) -> list[str]:
    rows = (row for row in faults(edition=EDITION) if not cell(wire, row).startswith("no"))
    return [row.name for row in rows if cell(here, row).startswith("no")]


def _errors() -> list[str]:
    """Write what each dialect answers to a wrong key, a limit and a failure of its own."""
    lines = ["", "Their error bodies, at status 401, 429 and 500:", ""]
    for dialect in DIALECTS.own.values():
        here = in_dialect(WIRES[dialect.wire], dialect)
        bodies = (
            here.error(*said)
            for said in ((401, "No.", None), (429, "Slower.", "rate_limit_exceeded"), (500, "Oh.", None))
        )
        lines.append(f"- `{dialect.name}`: {', '.join(f'`{json.dumps(body)}`' for body in bodies)}")
    return lines


def page(cells: Mapping[str, tuple[str, ...]]) -> str:
    """Write the page."""
    lines = [_HEAD + "| wire | faults | of them only in a stream |", "|---|---|---|"]
    for index, wire in enumerate(WIRES.values()):
        column = [one[index] for one in cells.values()]
        some = sum(not one.startswith("no") for one in column)
        lines.append(f"| [`{wire.name}`](wires/{wire.name}.md) | {some} | {column.count('stream')} |")
    lines += dialects()
    heads = " | ".join(f"`{wire}`" for wire in WIRES.own)
    for family, rows in rows_page.by_family(faults(edition=EDITION)):
        lines += ["", f"## {family}", "", f"| fault | {heads} |", "|---" * (len(WIRES) + 1) + "|"]
        lines += [f"| `{row.name}` | {' | '.join(cells[row.name])} |" for row in rows]
    return "\n".join(lines) + "\n"


def pages() -> dict[Path, str]:
    """Write every page, by its file."""
    cells = table()
    of_wires = {
        wire_page.file_of(wire): wire_page.page(wire, {name: said[index] for name, said in cells.items()})
        for index, wire in enumerate(WIRES.values())
    }
    return {PAGE: page(cells), rows_page.FILE: rows_page.page(), **of_wires}


def main() -> int:
    """Write the pages into their files."""
    wire_page.FOLDER.mkdir(exist_ok=True)
    for file, text in pages().items():
        file.write_text(text, encoding="utf-8")
        print(f"Wrote {file.relative_to(PAGE.parent)}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
