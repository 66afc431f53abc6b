"""The catalogue: a module or several for each family, data; the functions that choose from it."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable
from typing import Any, Final

from pytest_llmfaults import _edition
from pytest_llmfaults._answer import Answer
from pytest_llmfaults._edition import Editions
from pytest_llmfaults._faults._fault import Draw, Fault, Healthy, Parameter, Scope, healthy
from pytest_llmfaults._faults._modules import MODULES
from pytest_llmfaults._faults._unknown import check_filter, no_row, unknown
from pytest_llmfaults._registry import Registry
from pytest_llmfaults._wires import wire as wire_called
from pytest_llmfaults.errors import InvalidUse, UnknownFault

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
    "newest",
]

EDITION: Final = 1
"""The newest edition of the catalogue that this version of the package brings."""

DEFAULT_EDITION: Final = 1
"""The edition that patterns mean where nobody chose one: the same for all versions with the same major number."""

CATALOGUE: Final[Registry[Fault]] = Registry("faults", {row.name: row for module in MODULES for row in module.ROWS})
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
        raise UnknownFault(no_row(name, [row.name for row in CATALOGUE.values() if _matches(row, name)], CATALOGUE))
    chosen = row.with_values(parameters)
    return chosen if answer is None else chosen.corrupting(answer)


def newest() -> Editions:
    """Return the newest edition of everything that is installed."""
    families: dict[str, int] = {}
    for loan in CATALOGUE.lent.values():
        families[loan.value.family] = max(loan.value.since, families.get(loan.value.family, 1))
    return Editions(EDITION, families)


def faults(
    *patterns: str,
    draw: str | None = None,
    slot: str | None = None,
    scope: str | None = None,
    stream: bool | None = None,
    wire: str | None = None,
    edition: int | Editions | None = None,
) -> tuple[Fault, ...]:
    """Choose rows, in the catalogue's order, each once.

    A row that another package brings is chosen by its name, its family, or a glob that spells the family out
    (``acme.*``), and by nothing else: without a pattern, by ``all``, ``*`` and filters only rows of this package are.

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
            edition of the installed major version; a newer row is then still found by its own name. Of families of
            other packages the ini ``llmfaults_editions`` says the edition.

    Raises:
        UnknownFault: a pattern matches nothing.
        InvalidUse: a filter has a value that no row has, or all filters together leave nothing.
    """
    check_filter("draw", draw, _DRAWS)
    check_filter("scope", scope, _SCOPES)
    check_filter("slot", slot, sorted({row.slot for row in CATALOGUE.values() if row.slot}))
    latest = _latest(edition)
    own = patterns if edition is None else ()
    fits = _fitting(stream, wire)
    rows = [row for row in CATALOGUE.values() if row.since <= latest(row) or row.name in own]
    names: set[str] = set()
    for pattern in patterns:
        found = {
            row.name for row in rows if pattern == row.name or (row.since <= latest(row) and _matches(row, pattern))
        }
        if not found:
            raise UnknownFault(_newer(pattern, latest) or unknown(pattern, CATALOGUE, _families()))
        names |= {name for name in found if fits(CATALOGUE[name])} or found
    chosen = tuple(
        row
        for row in rows
        if (row.name in names if patterns else row.name not in CATALOGUE.lent and fits(row))
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


def _latest(edition: int | Editions | None) -> Callable[[Fault], int]:
    """Return the function that says up to which edition a row is meant."""
    if isinstance(edition, Editions):
        catalogue, families = edition.catalogue, edition.families

        def of_family(family: str) -> int:
            return families.get(family, 1)
    else:
        catalogue = edition if edition is not None else _edition.chosen() or DEFAULT_EDITION
        of_family = _edition.of_family
    return lambda row: of_family(row.family) if row.name in CATALOGUE.lent else catalogue


def _fitting(stream: bool | None, wire: str | None) -> Callable[[Fault], bool]:
    """Make the test of what a kind of request on a wire can carry."""
    unfit = None if stream is None else "never" if stream else "only"
    on = None if wire is None else wire_called(wire)
    return lambda row: row.streamed != unfit and (on is None or row.applies_to(on))


def _matches(row: Fault, pattern: str) -> bool:
    if row.name in CATALOGUE.lent and pattern.partition(".")[0] != row.family:
        return False
    if pattern == "all":
        return True
    if pattern == "core":
        return row.name in CORE
    return pattern == row.family or fnmatch.fnmatchcase(row.name, pattern)


def _families() -> tuple[str, ...]:
    return (*FAMILIES, *dict.fromkeys(loan.value.family for loan in CATALOGUE.lent.values()))


def _newer(pattern: str, latest: Callable[[Fault], int]) -> str | None:
    """Say that only rows match which are newer than what patterns mean."""
    rows = [row for row in CATALOGUE.values() if _matches(row, pattern)]
    if not rows:
        return None
    first = min(rows, key=lambda row: row.since)
    lent = first.name in CATALOGUE.lent
    of = first.family if lent else "the catalogue"
    ini = f"llmfaults_editions = {first.family} = {first.since}" if lent else f"llmfaults_catalogue = {first.since}"
    return (
        f"{pattern!r} matches no fault of edition {latest(first)} of {of}, which patterns mean here, and some of "
        f"edition {first.since}. Name one in full, or set the ini {ini}."
    )
