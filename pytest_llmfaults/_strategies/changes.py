"""Changes of a healthy reply, done in order; and as a row, so that whatever plays a fault plays them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Sequence
from typing import Final

from pytest_llmfaults._faults import Fault, Healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._strategies.bases import bases
from pytest_llmfaults._strategies.edits import Edit
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["Change", "applied", "row", "spelled"]

Change = Edit | Fault
"""What a variant is made of: an edit, or a fault of the catalogue."""

_BROKEN: Final = (LookupError, TypeError, ValueError, AttributeError)
"""What a row raises on a reply that an earlier change has taken its place from."""


def applied(base: Healthy, changes: Sequence[Change]) -> Reply:
    """Return the reply after all changes. Where a stream is asked for, what edits the answer comes before it is one.

    Raises:
        DoesNotApply: one of them finds no place.
    """
    whole = base.request.stream and base.whole is None
    for change in changes:
        if whole and (isinstance(change, Fault) or change.crosses):
            base = base if isinstance(change, Fault) else base.as_asked()
            whole = False
        base = dataclasses.replace(base, reply=_changed(base, change))
    return base.as_asked().reply if whole else base.reply


def spelled(changes: Sequence[Change], of: str | None = None) -> str:
    """Write changes on one line, as the arguments of ``variant``.

    Args:
        changes: edits and faults, in order.
        of: which healthy reply is changed; None is the one that is due.
    """
    parts = [repr(change) for change in changes]
    return ", ".join([*parts, *([] if of is None else [f"of={of!r}"])])


def row(changes: Sequence[Change], of: str | None = None) -> Fault:
    """Make a row without a place in the catalogue; its name is how its changes are spelled.

    Args:
        changes: edits and faults, in order.
        of: which healthy reply to the request is changed; None is the one that is due.
    """
    only = changes[0] if len(changes) == 1 else None
    named = only if isinstance(only, Fault) else None
    needs = next((change.needs for change in changes if isinstance(change, Fault)), None)
    return Fault(
        name=spelled(changes, of),
        play=functools.partial(_play, changes=tuple(changes), of=of),
        meaning=named.meaning if named is not None else "A variant of the healthy reply.",
        draw=named.draw if named is not None else "depends",
        scope=named.scope if named is not None else "partial",
        needs=needs if of is None else None,
        streamed="same",  # what is streamed, and when, is said by each change
    )


def _play(base: Healthy, *, changes: tuple[Change, ...], of: str | None) -> Reply:
    return applied(base if of is None else _of_kind(base, of), changes)


def _of_kind(base: Healthy, of: str) -> Healthy:
    """Return another healthy reply to the same request."""
    found = bases(base.wire, base.request.json or {}, None)
    if of not in found:
        msg = f"there is no healthy reply {of!r} to this request, only {', '.join(found)}."
        raise DoesNotApply(msg)
    return dataclasses.replace(base, reply=found[of].reply, answer=found[of].answer)


def _changed(base: Healthy, change: Change) -> Reply:
    try:
        return change.reply(base)
    except DoesNotApply:
        raise
    except _BROKEN as error:
        msg = f"{change!r} does not apply after what was done before."
        raise DoesNotApply(msg) from error
