"""The bytes of every fault and of every rule's refusal, pinned by edition.

``python -m tests.faults.editions`` rewrites what is open. What is closed, an edition on a wire, is never rewritten:
mending a row of it is a new edition of that row.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from pytest_llmfaults._answer import Answer, ToolCall
from pytest_llmfaults._faults import CATALOGUE, EDITION, Fault, Healthy, healthy
from pytest_llmfaults._reply import Act, End, Pause, Reply
from pytest_llmfaults._rules import RULES, Breach
from pytest_llmfaults._wires import WIRES, Wire
from pytest_llmfaults.errors import DoesNotApply

CLOSED: Final[Mapping[str, int]] = {"openai.chat": 1}
"""The last edition that is closed, by wire: its lines never change again. A wire that is not here is open."""

HERE: Final = Path(__file__).parent
SCHEMA: Final = {
    "type": "object",
    "properties": {
        "orders": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "side": {"type": "string", "enum": ["BUY", "SELL"]},
                    "count": {"type": "integer"},
                    "note": {"type": "string"},
                },
                "required": ["side", "count", "note"],
            },
        },
        "tags": {"type": "array", "items": {"type": "string"}},
        "final": {"type": "boolean"},
    },
    "required": ["orders", "tags", "final"],
}
DATA: Final = {
    "orders": [{"side": "BUY", "count": 2, "note": "first"}, {"side": "SELL", "count": 1, "note": "second"}],
    "tags": ["one day", "two days"],
    "final": True,
}
TOOLS: Final = [{"type": "function", "function": {"name": name, "parameters": SCHEMA}} for name in ("place", "check")]
FORMAT: Final = {"type": "json_schema", "json_schema": {"name": "plan", "schema": SCHEMA}}
CALLS: Final = Answer(tool_calls=(ToolCall("place", DATA), ToolCall("check", DATA)))
FIXED: Final[Mapping[str, tuple[Mapping[str, Any], Answer]]] = {
    "text": ({}, Answer("Hold the position.")),
    "data": ({"response_format": FORMAT}, Answer(data=DATA)),
    "tools": ({"tools": TOOLS, "tool_choice": "required"}, CALLS),
}
"""The fixed requests and answers. They belong to the hashes: never change them."""

SAME_ASKS: Final[Mapping[str, Mapping[str, Mapping[str, Any]]]] = {
    "openai.chat": {kind: body for kind, (body, _) in FIXED.items()},
    "anthropic.messages": {
        "text": {},
        "data": {"output_config": {"format": {"type": "json_schema", "schema": SCHEMA}}},
        "tools": {
            "tools": [{"name": name, "input_schema": SCHEMA} for name in ("place", "check")],
            "tool_choice": {"type": "any"},
        },
    },
    "openai.responses": {
        "text": {},
        "data": {"text": {"format": {"type": "json_schema", "name": "plan", "strict": True, "schema": SCHEMA}}},
        "tools": {
            "tools": [{"type": "function", "name": name, "parameters": SCHEMA} for name in ("place", "check")],
            "tool_choice": "required",
        },
    },
    "gemini": {
        "text": {},
        "data": {"generationConfig": {"responseMimeType": "application/json", "responseJsonSchema": SCHEMA}},
        "tools": {
            "tools": [
                {
                    "functionDeclarations": [
                        {"name": name, "parametersJsonSchema": SCHEMA} for name in ("place", "check")
                    ]
                }
            ],
            "toolConfig": {"functionCallingConfig": {"mode": "ANY"}},
        },
    },
    "ollama.chat": {"text": {}, "data": {"format": SCHEMA}, "tools": {"tools": TOOLS}},
    "ollama.generate": {"text": {}, "data": {"format": SCHEMA}, "tools": {}},
}
"""The fixed requests as each wire writes them: of one kind, they ask for the same. They belong to the hashes."""

_LEAST: Final[Mapping[str, Mapping[str, Any]]] = {
    "openai.chat": {"model": "gpt-5"},
    "anthropic.messages": {"model": "claude-sonnet-5-5", "max_tokens": 1024},
    "openai.responses": {"model": "gpt-5"},
    "gemini": {"contents": [{"role": "user", "parts": [{"text": "What now?"}]}]},
    "ollama.chat": {"model": "qwen3", "stream": False},
    "ollama.generate": {"model": "qwen3", "prompt": "What now?", "stream": False},
}
_STREAM: Final[Mapping[str, Any]] = {"stream_options": {"include_usage": True}}
_STREAMS: Final[Mapping[str, Mapping[str, Any]]] = {
    "control.stream_usage_chunk": {},
    "control.stream_choices_interleaved": {**_STREAM, "n": 2},
}
"""How the fixed requests ask for a stream. This belongs to the hashes, too."""

_NEEDED: Final = {"tool_calls": "tools", "data": "data", "items": "data"}
_FORCING: Final = "tools.forced_ignored"


def path(edition: int) -> Path:
    """Return the file of an edition."""
    return HERE / f"edition_{edition}.txt"


def computed(edition: int) -> dict[str, str]:
    """Return the hashes of the faults and the rules' refusals that an edition brought.

    They go by ``wire name``, and where the request asks for a stream by ``wire stream name``.
    """
    rows = [row for row in CATALOGUE.values() if row.since == edition]
    refusals = {
        f"{wire.name} {rule.name}": hashed(rule.refusal(wire, Breach("what", 1)))
        for wire in WIRES.values()
        for rule in RULES.values()
        if rule.since == edition and wire.name in rule.wires
    }
    return refusals | {
        f"{wire.name} {'stream ' * stream}{fault.label}": hashed(reply)
        for wire in WIRES.values()
        for row in rows
        for stream in (False, True)
        for fault in degrees(row)
        if (reply := carried(wire, fault, stream=stream)) is not None
    }


def carried(wire: Wire, fault: Fault, *, stream: bool) -> Reply | None:
    """Return what a fault makes of the fixed reply, or None where the wire cannot carry it: docs/wires.md says why."""
    try:
        return reply_to(wire, fault, stream=stream)
    except DoesNotApply:
        return None


def degrees(row: Fault) -> Iterator[Fault]:
    """Yield a row on its defaults, then with every other choice, or the least number, of each parameter."""
    yield row
    for parameter in row.parameters:
        least = type(parameter.default)(parameter.minimum) if not parameter.choices else None
        for value in parameter.choices or (least,):
            if value != parameter.default:
                yield row.with_values({parameter.name: value})


def reply_to(wire: Wire, fault: Fault, *, stream: bool = False) -> Reply:
    """Return what crosses the wire when a fault corrupts the fixed reply.

    Raises:
        DoesNotApply: the wire, or this kind of request, cannot carry it.
    """
    kind = kind_of(fault)
    return fault.reply(healthy_for(wire, fault, kind, FIXED[kind][1], stream=stream))


def kind_of(fault: Fault) -> str:
    """Return which of the fixed requests a fault corrupts the reply to."""
    return "tools" if fault.name == _FORCING else _NEEDED.get(fault.needs or "", "text")


def healthy_for(wire: Wire, fault: Fault, kind: str, answer: Answer, *, stream: bool) -> Healthy:
    """Return the healthy reply to a fixed request, with this answer, for a fault to corrupt.

    Raises:
        DoesNotApply: the fault needs what this kind of request does not ask for.
    """
    body = SAME_ASKS[wire.name][kind]
    streams = _STREAMS if wire.stream is not None and wire.stream.asks else {}
    asked = streams.get(fault.name, _STREAM if streams else {}) if stream else {}
    messages = [{"role": "user", "content": "What now?"}]
    content = {"messages": messages, **_LEAST[wire.name], **body, **asked}
    headers = (("Accept-Encoding", "gzip, deflate"),)
    request = wire.request(content, origin="https://api.example.com", headers=headers, stream=stream)
    return healthy(wire, request, answer, needs=fault.needs, fault=fault.name)


def hashed(reply: Reply) -> str:
    """Return the hash of a reply's script."""
    parts = [reply.connection.encode(), *map(_written, reply.script())]
    state = hashlib.blake2b(digest_size=8)
    for part in parts:
        state.update(b"%d:%s" % (len(part), part))
    return state.hexdigest()


def _written(act: Act) -> bytes:
    if isinstance(act, End):
        return f"end {act.kind}".encode()
    if isinstance(act, Pause):
        return f"pause {'for ever' if act.seconds is None else repr(float(act.seconds))}".encode()
    return b"bytes " + act


def stored(edition: int) -> dict[str, str]:
    """Return the hashes in the file of an edition."""
    lines = path(edition).read_text(encoding="utf-8").splitlines()
    return {name: value for value, _, name in (line.partition(" ") for line in lines)}


def written(hashes: dict[str, str]) -> str:
    """Return hashes as the text of a file."""
    return "".join(f"{value} {name}\n" for name, value in sorted(hashes.items()))


def differences(edition: int) -> list[str]:
    """Say which rows of an edition are not what its file says."""
    now, then = computed(edition), stored(edition)
    words = {
        "changed its bytes": [name for name in now if name in then and now[name] != then[name]],
        "is gone": [name for name in then if name not in now],
        "is not in the file": [name for name in now if name not in then],
    }
    return [f"{name} {word}" for word, names in words.items() for name in names]


def is_closed(name: str, edition: int) -> bool:
    """Tell whether the hash that goes by this name must stay as it is."""
    return edition <= CLOSED.get(name.partition(" ")[0], 0)


def main() -> None:
    """Rewrite what is open in the files of the editions."""
    for edition in range(1, EDITION + 1):
        then = stored(edition) if path(edition).exists() else {}
        kept = {name: value for name, value in then.items() if is_closed(name, edition)}
        new = {name: value for name, value in computed(edition).items() if not is_closed(name, edition)}
        path(edition).write_text(written({**kept, **new}), encoding="utf-8")
        sys.stdout.write(f"{path(edition).name}: {len(kept)} hashes kept, {len(new)} written\n")


if __name__ == "__main__":
    main()
