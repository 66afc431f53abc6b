"""Play every fault on every wire, for a request with and without a stream, and write ``docs/wires.md``.

No key, no network, no client: what a fault makes of one healthy reply is a pure function.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Final

from asks import ANSWERS, ASKS, kind_for

from pytest_llmfaults import DoesNotApply, Fault, faults
from pytest_llmfaults._faults import EDITION, healthy
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import WIRES, Wire

PAGE: Final = Path(__file__).resolve().parent.parent / "wires.md"
_HEADERS: Final = (("Accept-Encoding", "gzip, deflate"),)
_HEAD: Final = """# Which fault applies to which wire

`make wires` plays every fault on every wire, for a request with and without a stream, and writes this page.

One name means the same on every wire. Where a wire has no place for what a fault corrupts, the fault is refused by
name. The cells:

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


def page(cells: Mapping[str, tuple[str, ...]]) -> str:
    """Write the page."""
    lines = [_HEAD + "| wire | faults | of them only in a stream |", "|---|---|---|"]
    for index, wire in enumerate(WIRES.values()):
        column = [one[index] for one in cells.values()]
        some = sum(not one.startswith("no") for one in column)
        lines.append(f"| [`{wire.name}`]({wire.source}) | {some} | {column.count('stream')} |")
    family = ""
    for name, said in cells.items():
        if name.partition(".")[0] != family:
            family = name.partition(".")[0]
            heads = " | ".join(f"`{wire}`" for wire in WIRES)
            lines += ["", f"## {family}", "", f"| fault | {heads} |", "|---" * (len(WIRES) + 1) + "|"]
        lines.append(f"| `{name}` | {' | '.join(said)} |")
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the page."""
    PAGE.write_text(page(table()), encoding="utf-8")
    print(f"Wrote {PAGE.name}.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
