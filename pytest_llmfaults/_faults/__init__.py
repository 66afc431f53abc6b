"""The catalogue: a module or several for each family, data; the functions that choose from it."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._edition import chosen as chosen_edition
from pytest_llmfaults._faults import (
    _own,
    body,
    body_coding,
    body_json,
    content,
    control,
    control_answer,
    control_data,
    control_http,
    control_stream,
    control_stream_answer,
    envelope,
    envelope_error,
    envelope_fields,
    envelope_message,
    finish,
    finish_error,
    finish_stream,
    finish_value,
    reasoning,
    reasoning_stream,
    status,
    status_error_body,
    status_limit,
    status_retry_after,
    status_server,
    status_success,
    stream,
    stream_chunk,
    stream_error,
    stream_event,
    structured,
    structured_items,
    structured_schema,
    structured_syntax,
    tools,
    tools_arguments,
    tools_one,
    tools_schema,
    tools_stream,
    tools_text,
    transport,
    transport_body,
    usage,
    usage_stream,
)
from pytest_llmfaults._faults._fault import Draw, Fault, Healthy, Parameter, Scope, healthy
from pytest_llmfaults._wires import wire as wire_called
from pytest_llmfaults.errors import InvalidUse, UnknownFault, nearest

__all__ = [
    "CATALOGUE",
    "CORE",
    "DEFAULT_EDITION",
    "EDITION",
    "FAMILIES",
    "Draw",
    "Fault",
    "Healthy",
    "Parameter",
    "Scope",
    "fault",
    "faults",
    "healthy",
]

EDITION: Final = 1
"""The newest edition of the catalogue that this version of the package brings."""

DEFAULT_EDITION: Final = 1
"""The edition that patterns mean where nobody chose one: the same for all versions with the same major number."""

_MODULES: Final = (
    transport,
    transport_body,
    status_success,
    status,
    status_limit,
    status_retry_after,
    status_server,
    status_error_body,
    body,
    body_coding,
    body_json,
    envelope,
    envelope_message,
    envelope_fields,
    envelope_error,
    content,
    reasoning,
    reasoning_stream,
    finish,
    finish_error,
    finish_value,
    finish_stream,
    usage,
    usage_stream,
    structured,
    structured_syntax,
    structured_schema,
    structured_items,
    tools,
    tools_one,
    tools_arguments,
    tools_schema,
    tools_text,
    tools_stream,
    stream,
    stream_error,
    stream_event,
    stream_chunk,
    control,
    control_answer,
    control_data,
    control_http,
    control_stream,
    control_stream_answer,
    *_own.MODULES,
)
CATALOGUE: Final[Mapping[str, Fault]] = MappingProxyType({row.name: row for module in _MODULES for row in module.ROWS})
FAMILIES: Final = tuple(dict.fromkeys(row.family for row in CATALOGUE.values()))

CORE: Final = (
    "transport.refused",
    "transport.reset_peer",
    "transport.reset_peer_in_body",
    "transport.timeout",
    "transport.latency",
    "status.401",
    "status.429_rate",
    "status.429_quota",
    "status.500",
    "status.502_html",
    "status.503",
    "body.html_page",
    "body.empty",
    "body.truncated_json",
    "envelope.choices_absent",
    "envelope.choices_null",
    "envelope.choices_empty",
    "envelope.choices_object",
    "envelope.error_429",
    "content.empty",
    "content.null",
    "reasoning.only_reasoning",
    "finish.length",
    "finish.content_filter",
    "usage.absent",
    "structured.fenced",
    "structured.truncated",
    "structured.one_item_bad",
    "tools.arguments_truncated",
    "control.extra_fields",
    "control.leading_whitespace",
)
"""The names of the preset ``core``: the rows that best tell clients apart."""

_DRAWS: Final = ("fresh", "same", "depends")
_SCOPES: Final = ("total", "partial")


def fault(name: str, *, answer: Answer | None = None, **parameters: Any) -> Fault:
    """Return the row called ``name`` with values for its parameters, as a step for ``inject``.

    Args:
        name: name of a row, ``transport.latency``.
        answer: the answer that it corrupts; None is the suite's own (``llmfaults_answer``).
        **parameters: values; each row says its own (``pytest --llmfaults-list``).

    Raises:
        UnknownFault: there is no such row; the text offers the nearest names.
        InvalidUse: a parameter that the row does not have, or a value outside its domain.
    """
    row = CATALOGUE.get(name)
    if row is None:
        raise UnknownFault(_no_row(name))
    chosen = row.with_values(parameters)
    return chosen if answer is None else chosen.corrupting(answer)


def faults(
    *patterns: str,
    draw: str | None = None,
    slot: str | None = None,
    scope: str | None = None,
    stream: bool | None = None,
    wire: str | None = None,
    edition: int | None = None,
) -> tuple[Fault, ...]:
    """Choose rows, in the catalogue's order, each once.

    Args:
        *patterns: names, globs (``envelope.choices_*``), families (``body``), or the presets ``core`` and ``all``;
            none is all.
        draw: only rows whose next draw is this.
        slot: only rows that corrupt this slot.
        scope: only rows of this scope.
        stream: True leaves out what a request for a stream cannot carry, False what only such a request can; a pattern
            that matches nothing else keeps its rows. None leaves nothing out.
        wire: leaves out what this wire cannot carry, in the same way. None leaves nothing out.
        edition: only rows of this edition or older. None is what the ini ``llmfaults_catalogue`` says, else the
            edition of the installed major version; a newer row is then still found by its own name.

    Raises:
        UnknownFault: a pattern matches nothing.
        InvalidUse: a filter has a value that no row has, or all filters together leave nothing.
    """
    _check("draw", draw, _DRAWS)
    _check("scope", scope, _SCOPES)
    _check("slot", slot, sorted({row.slot for row in CATALOGUE.values() if row.slot}))
    latest = edition if edition is not None else chosen_edition() or DEFAULT_EDITION
    own = patterns if edition is None else ()
    fits = _fitting(stream, wire)
    rows = [row for row in CATALOGUE.values() if row.since <= latest or row.name in own]
    names: set[str] = set()
    for pattern in patterns:
        found = {row.name for row in rows if pattern == row.name or (row.since <= latest and _matches(row, pattern))}
        if not found:
            raise UnknownFault(_newer(pattern, latest) or _unknown(pattern))
        names |= {name for name in found if fits(CATALOGUE[name])} or found
    chosen = tuple(
        row
        for row in rows
        if (row.name in names if patterns else fits(row))
        and draw in {None, row.draw}
        and slot in {None, row.slot}
        and scope in {None, row.scope}
    )
    if not chosen:
        given = {"draw": draw, "slot": slot, "scope": scope}
        words = ", ".join(f"{key}={value!r}" for key, value in given.items() if value is not None)
        msg = f"No fault among {', '.join(patterns) or 'all'} has {words}. Loosen one of them."
        raise InvalidUse(msg)
    return chosen


def _fitting(stream: bool | None, wire: str | None) -> Callable[[Fault], bool]:
    """Make the test of what a kind of request on a wire can carry."""
    unfit = None if stream is None else "never" if stream else "only"
    on = None if wire is None else wire_called(wire)
    return lambda row: row.streamed != unfit and (on is None or row.applies_to(on))


def _matches(row: Fault, pattern: str) -> bool:
    if pattern == "all":
        return True
    if pattern == "core":
        return row.name in CORE
    return pattern == row.family or fnmatch.fnmatchcase(row.name, pattern)


def _newer(pattern: str, latest: int) -> str | None:
    """Say that only rows match which are newer than what patterns mean."""
    editions = [row.since for row in CATALOGUE.values() if _matches(row, pattern)]
    if not editions:
        return None
    return (
        f"{pattern!r} matches no fault of edition {latest} of the catalogue, which patterns mean here, and some of "
        f"edition {min(editions)}. Name one in full, or set the ini llmfaults_catalogue = {min(editions)}."
    )


def _check(name: str, value: str | None, allowed: Iterable[str]) -> None:
    known = tuple(allowed)
    if value is not None and value not in known:
        msg = f"{name}={value!r} is not allowed:{nearest(value, known)} It is one of {', '.join(known)}."
        raise InvalidUse(msg)


def _no_row(name: str) -> str:
    """Say why ``name`` is not one row: it is a rule, or many, or none."""
    if _is_rule(name):
        return _rule(name)
    many = [row.name for row in CATALOGUE.values() if _matches(row, name)]
    if many:
        return (
            f"{name!r} is {len(many)} faults, and a step is one, such as {many[0]!r}. Several are cases: give them to "
            "the marker, or loop over faults()."
        )
    hint = nearest(name, CATALOGUE) or " Is it a text of the model? That is Answer('...')." * (" " in name)
    return f"{name!r} is not a fault.{hint} See: pytest --llmfaults-list"


def _is_rule(name: str) -> bool:
    return name.partition(".")[0] == "turn"


def _rule(name: str) -> str:
    return (
        f"{name!r} is not a fault in a reply: turn.* are rules on requests. Hold the code to one with "
        f"llmfaults.strict({name!r}). See: pytest --llmfaults-list turn"
    )


def _unknown(name: str) -> str:
    if _is_rule(name):
        return _rule(name)
    known = (*CATALOGUE, *FAMILIES, "core", "all")
    hint = nearest(name, known) or f" Families: {', '.join(FAMILIES)}."
    return f"{name!r} is not a fault.{hint} See: pytest --llmfaults-list"
