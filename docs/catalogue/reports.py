"""Name public reports by faults, play each, and print what is named and what is not: ``reports.tsv`` is the table.

A report about what the next request says is named by a rule, too, which is played by two requests: one that breaks it
and one that keeps it.

Exit status 1 when a fault of the table does not exist, takes free text, does not fire, or changes nothing, and when a
rule does not tell the two requests apart.
"""

from __future__ import annotations

import contextlib
import csv
import dataclasses
import functools
import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from asked_bedrock import asked_of_bedrock
from asked_cohere import asked_of_cohere
from asked_gemini import asked_of_gemini
from asked_ollama import asked_of_ollama
from asks import ANSWERS, ASKS, CLAUDE, EMBEDDINGS, MESSAGES, MODEL, QUESTION, SCHEMA, TOOLS, Kind, kind_for
from bedrock_conversations import BLOCK_UNIONS
from contents import CONTENTS
from conversations import BLOCKS, CONVERSATIONS, Conversation
from item_conversations import ITEMS

from pytest_llmfaults import (
    Answer,
    Fault,
    InvalidUse,
    LLMFaultsError,
    Refused,
    Rule,
    UnknownFault,
    fault,
    faults,
    inject,
    rules,
    strict,
)
from pytest_llmfaults._faults import EDITION

TABLE: Final = Path(__file__).resolve().parent / "reports.tsv"
REASONS: Final[Mapping[str, str]] = {
    "other_wire": "its reply exists on another wire only",
    "client_only": "the client broke it; every reply was good",
    "no_reply": "the report shows no reply",
}
OWN_WIRES: Final = frozenset(
    {
        "openai.chat",
        "any",
        "anthropic.messages",
        "openai.responses",
        "gemini",
        "bedrock.converse",
        "ollama.chat",
        "ollama.generate",
        "cohere.chat",
        "openai.embeddings",
        "mistral.chat",
    }
)
"""Wires whose replies are played as they are: those, and reports that hold on every wire."""

_NAMED: Final = re.compile(r"([a-z]+\.[a-z0-9_]+)(?:\(([^()]*)\))?")


@dataclasses.dataclass(frozen=True, slots=True)
class Report:
    """A public report.

    Attributes:
        url: where it is.
        wire: the provider's format.
        streamed: whether the request asked for a stream.
        family: the family that it is filed under.
        faults: what names it: names with parameters, ``body.empty``, ``status.error_html(status=503)``, and rules.
        reason: why none does, or ``-``.
    """

    url: str
    wire: str
    streamed: bool
    family: str
    faults: tuple[str, ...]
    reason: str


def reports(path: Path = TABLE) -> tuple[Report, ...]:
    """Read the table.

    Raises:
        ValueError: a line contradicts itself.
    """
    with path.open(encoding="utf-8", newline="") as file:
        lines = csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, strict=True)
        return tuple(_report(**line) for line in lines)


def _report(url: str, wire: str, streamed: str, family: str, faults: str, reason: str) -> Report:
    named = () if faults == "-" else tuple(faults.split(" "))
    if (reason == "-") != bool(named) or reason not in {"-", *REASONS} or streamed not in {"yes", "no"}:
        msg = f"{url}: a report has faults, or one of the reasons {', '.join(REASONS)}; got {faults!r} and {reason!r}."
        raise ValueError(msg)
    return Report(url, wire, streamed == "yes", family, named, reason)


def chosen(text: str) -> Fault | Rule:
    """Return the fault or the rule that a table names.

    Raises:
        InvalidUse: it does not exist, or has a parameter that it does not take, or a free one.
    """
    match = _NAMED.fullmatch(text)
    if match is None:
        msg = f"{text!r} is not a fault's name with values, such as 'status.error_html(status=503)'."
        raise InvalidUse(msg)
    row = rules(match[1])[0] if match[1].startswith("turn.") else fault(match[1])
    kinds: dict[str, Callable[[str], Any]] = {one.name: type(one.default) for one in row.parameters}
    for one in row.parameters:
        if isinstance(one.default, str) and not one.choices:
            msg = f"{row.name} takes free text as {one.name}."
            raise InvalidUse(msg)
    pairs = [pair.partition("=") for pair in (match[2] or "").split(",") if pair]
    return row.with_values({name: kinds.get(name, str)(value) for name, _, value in pairs})


class Asked(NamedTuple):
    """A request that a real client makes, and the answer that its healthy reply holds."""

    call: Callable[[], object]
    answer: Answer


def requests_for(row: Fault, wire: str, *, streamed: bool) -> Iterable[Asked]:
    """Make the requests that may carry a fault, the likeliest first; ``streamed`` ones are for a stream."""
    return _REQUESTS.get(wire, _of_openai)(row, streamed=streamed)


def _of_anthropic(row: Fault, *, streamed: bool) -> Iterable[Asked]:
    import anthropic

    client = anthropic.Anthropic(api_key="placeholder-key", base_url="https://api.anthropic.com")
    kind = kind_for(row)
    asks = ASKS["anthropic.messages"]
    offered = {"tools": asks["tools"]["tools"]}
    for more in (offered, asks[kind]) if kind == "tools" else (asks[kind],):

        def ask(body: Mapping[str, Any] = more) -> object:
            made: Any = client.messages.create(
                model=CLAUDE, max_tokens=1024, messages=MESSAGES, stream=streamed, **body
            )
            return list(made) if streamed else made

        yield Asked(ask, ANSWERS[kind])


def _of_responses(row: Fault, *, streamed: bool) -> Iterable[Asked]:
    import openai

    client = openai.OpenAI(api_key="placeholder-key", base_url="https://api.openai.com/v1")
    kind = kind_for(row)

    def ask() -> object:
        asks: Any = ASKS["openai.responses"][kind]
        made: Any = client.responses.create(model=MODEL, input=MESSAGES, stream=streamed, **asks)
        return list(made) if streamed else made

    yield Asked(ask, ANSWERS[kind])


def _of_gemini(row: Fault, *, streamed: bool) -> Iterable[Asked]:
    kind = kind_for(row)
    asks = ASKS["gemini"]
    offered = {"tools": asks["tools"]["tools"]}
    for more in (offered, asks[kind]) if kind == "tools" else (asks[kind],):

        def ask(body: Mapping[str, Any] = more) -> object:
            return asked_of_gemini([{"role": "user", "parts": [{"text": QUESTION}]}], streamed=streamed, **body)

        yield Asked(ask, ANSWERS[kind])


def _of_bedrock(row: Fault, *, streamed: bool) -> Iterable[Asked]:
    kind = kind_for(row)
    asks = ASKS["bedrock.converse"]
    offered = {"toolConfig": {"tools": asks["tools"]["toolConfig"]["tools"]}}
    for more in (offered, asks[kind]) if kind == "tools" else (asks[kind],):

        def ask(body: Mapping[str, Any] = more) -> object:
            return asked_of_bedrock([{"role": "user", "content": [{"text": QUESTION}]}], streamed=streamed, **body)

        yield Asked(ask, ANSWERS[kind])


def _of_openai(row: Fault, *, streamed: bool) -> Iterable[Asked]:
    import openai

    client = openai.OpenAI(api_key="placeholder-key", base_url="https://api.openai.com/v1")
    decide = _demo()
    formatted = {"type": "json_schema", "json_schema": {"name": "plan", "schema": SCHEMA}}
    more: Mapping[Kind, Mapping[str, Any]] = {
        "text": {},
        "data": {"response_format": formatted},
        "tools": {"tools": TOOLS},
    }

    def ask(**body: Any) -> Callable[[], object]:
        return lambda: client.chat.completions.create(model=MODEL, messages=MESSAGES, **body)

    def read(**body: Any) -> Callable[[], object]:
        return lambda: list(client.chat.completions.create(model=MODEL, messages=MESSAGES, stream=True, **body))

    kind = kind_for(row)
    if streamed:
        usage = {"stream_options": {"include_usage": True}}
        for asks in (usage, {}, {"n": 2}):
            yield Asked(read(**more[kind], **asks), ANSWERS[kind])
        yield Asked(read(tools=TOOLS, tool_choice="required"), ANSWERS["tools"])
        return
    if kind != "tools":
        yield Asked(decide, ANSWERS["data"])
    yield Asked(ask(**more[kind]), ANSWERS[kind])
    yield Asked(ask(tools=TOOLS, tool_choice="required"), ANSWERS["tools"])


def _of_mistral(row: Fault, *, streamed: bool) -> Iterable[Asked]:
    kind = kind_for(row)

    def ask() -> object:
        from mistralai.client import Mistral

        asks: Any = {"model": "mistral-large-latest", "messages": MESSAGES, **ASKS["mistral.chat"][kind]}
        with Mistral(api_key="placeholder-key") as client:
            return list(client.chat.stream(**asks)) if streamed else client.chat.complete(**asks)

    yield Asked(ask, ANSWERS[kind])


def _of_ollama(row: Fault, *, streamed: bool, wire: str) -> Iterable[Asked]:
    kind = kind_for(row)
    yield Asked(lambda: asked_of_ollama(wire, streamed=streamed, **ASKS[wire][kind]), ANSWERS[kind])


def _of_cohere(row: Fault, *, streamed: bool) -> Iterable[Asked]:
    kind = kind_for(row)
    yield Asked(lambda: asked_of_cohere(streamed=streamed, **ASKS["cohere.chat"][kind]), ANSWERS[kind])


def _of_embeddings(_row: Fault, *, streamed: bool) -> Iterable[Asked]:
    import openai

    client = openai.OpenAI(api_key="placeholder-key", base_url="https://api.openai.com/v1")
    if not streamed:
        yield Asked(lambda: client.embeddings.create(model=EMBEDDINGS, input=[QUESTION, "Why?"]), ANSWERS["text"])


_REQUESTS: Final[Mapping[str, Callable[..., Iterable[Asked]]]] = {
    "anthropic.messages": _of_anthropic,
    "openai.responses": _of_responses,
    "gemini": _of_gemini,
    "bedrock.converse": _of_bedrock,
    "cohere.chat": _of_cohere,
    "openai.embeddings": _of_embeddings,
    "mistral.chat": _of_mistral,
    **{wire: functools.partial(_of_ollama, wire=wire) for wire in ("ollama.chat", "ollama.generate")},
}


def _demo() -> Callable[[], object]:
    examples = str(TABLE.parent.parent / "examples")
    if examples not in sys.path:
        sys.path.append(examples)
    from trader import decide

    return decide


def played(row: Fault | Rule, wire: str = "openai.chat", *, streamed: bool = False) -> str | None:
    """Play a fault against a real client; return what is wrong, or None when it fired and changed the reply."""
    if isinstance(row, Rule):
        return _tells_apart(row, wire)
    refusals = []
    for asked in requests_for(row, wire, streamed=streamed):
        try:
            faulty, healthy = _replies(row, asked), _replies("ok", asked)
        except Refused as refusal:
            refusals.append(str(refusal))
            continue
        if not faulty:
            return "did not fire"
        return "its reply is the healthy one" if faulty[0] == healthy[0] else None
    return refusals[0]


def _tells_apart(rule: Rule, wire: str) -> str | None:
    """Send what breaks a rule, then what keeps it; return what is wrong, or None."""
    import anthropic
    import openai
    from botocore.exceptions import ClientError
    from google.genai import errors

    one, ask = _ASKED[wire](rule)
    with inject("ok"), strict(rule) as held:
        for messages in (one.broken, one.kept):
            with contextlib.suppress(
                openai.BadRequestError, anthropic.BadRequestError, errors.ClientError, ClientError
            ):
                ask(messages)
    refused = [request.messages for request in held.requests]
    return None if refused == [one.broken] else f"refused {len(refused)} requests, not the one that breaks it"


def _ask_openai(rule: Rule) -> tuple[Conversation, Callable[[Any], object]]:
    import openai

    one = CONVERSATIONS[rule.name]
    ask = openai.OpenAI(api_key="placeholder-key", base_url="https://api.openai.com/v1").chat.completions.create
    return one, lambda messages: ask(model=MODEL, messages=messages, **one.asks)


def _ask_anthropic(rule: Rule) -> tuple[Conversation, Callable[[Any], object]]:
    import anthropic

    one = BLOCKS[rule.name]
    ask: Any = anthropic.Anthropic(api_key="placeholder-key", base_url="https://api.anthropic.com").messages.create
    return one, lambda messages: ask(model=CLAUDE, max_tokens=2048, messages=messages, **one.asks)


def _ask_gemini(rule: Rule) -> tuple[Conversation, Callable[[Any], object]]:
    return CONTENTS[rule.name], asked_of_gemini


def _ask_bedrock(rule: Rule) -> tuple[Conversation, Callable[[Any], object]]:
    one = BLOCK_UNIONS[rule.name]
    return one, lambda messages: asked_of_bedrock(messages, **one.asks)


def _ask_responses(rule: Rule) -> tuple[Conversation, Callable[[Any], object]]:
    import openai

    one = ITEMS[rule.name]
    ask = openai.OpenAI(api_key="placeholder-key", base_url="https://api.openai.com/v1").responses.create
    return one, lambda items: ask(model=MODEL, input=items, **one.asks)


_ASKED: Final = {
    "openai.chat": _ask_openai,
    "anthropic.messages": _ask_anthropic,
    "openai.responses": _ask_responses,
    "gemini": _ask_gemini,
    "bedrock.converse": _ask_bedrock,
}


def _replies(step: Fault | str, asked: Asked) -> list[Any]:
    with inject(step, answer=asked.answer) as seen, contextlib.suppress(Exception):  # whatever the client makes of it
        asked.call()
    return seen.replies


def broken(table: Iterable[Report]) -> list[str]:
    """Play every fault of the table once for each wire and kind of request; return what is wrong, one line each."""
    found = []
    named = {(name, _played_on(report), report.streamed) for report in table for name in report.faults}
    for text, wire, streamed in sorted(named):
        try:
            wrong = played(chosen(text), wire, streamed=streamed)
        except (UnknownFault, LLMFaultsError, ValueError) as error:
            wrong = str(error)
        if wrong is not None:
            found.append(f"{text}, on {wire}{', in a stream' * streamed}: {wrong}")
    return found


def _played_on(report: Report) -> str:
    """Return the wire that a report is played on: its own, or openai.chat as long as that one is not known."""
    return report.wire if report.wire in _REQUESTS else "openai.chat"


def summary(table: Iterable[Report]) -> list[str]:
    """Say what is named and what is not."""
    table = tuple(table)
    named = [report for report in table if report.faults]
    own = [report for report in named if report.wire in OWN_WIRES]
    used: Counter[str] = Counter()
    for report in named:
        used.update({name.partition("(")[0] for name in report.faults})
    rows = [*(row.name for row in faults(edition=EDITION)), *(rule.name for rule in rules())]
    first = (
        f"{len(named)} of {len(table)} reports are named ({100 * len(named) / len(table):.1f} %): {len(own)} on "
        f"their own wire, {len(named) - len(own)} on other wires, by the same fault of openai.chat; "
        f"{sum(report.streamed for report in named)} of them are played as streams."
    )
    lines = [
        first,
        "",
        "Left out:",
        *(f"  {count:4d} {reason}: {REASONS[reason]}" for reason, count in _counted(table)),
        "",
        "Reports per row:",
        *(f"  {count:4d} {name}" for name, count in sorted(used.items(), key=lambda pair: (-pair[1], pair[0]))),
        "",
        f"{len(rows) - len(used)} of {len(rows)} rows name no report:",
        *(f"       {name}" for name in rows if name not in used),
    ]
    left = [f"  {report.reason:12}{report.url}" for report in table if not report.faults]
    return [*lines, "", "Reports left out:", *sorted(left)]


def _counted(table: Iterable[Report]) -> list[tuple[str, int]]:
    counts = Counter(report.reason for report in table if not report.faults)
    return [(reason, counts[reason]) for reason in REASONS if counts[reason]]


def main() -> int:
    """Play and print."""
    for name in ("OPENAI_BASE_URL", "ANTHROPIC_BASE_URL", "GOOGLE_GEMINI_BASE_URL", "OLLAMA_HOST", "CO_API_URL"):
        os.environ.pop(name, None)
    table = reports()
    print("\n".join(summary(table)))
    wrong = broken(table)
    print("", *(f"BROKEN {line}" for line in wrong), sep="\n")
    print("Every fault of the table fired and changed the reply." if not wrong else f"{len(wrong)} faults are broken.")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
