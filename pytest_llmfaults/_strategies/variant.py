"""A variant: a healthy reply with one or two changes, as data that prints as the call that makes it."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import Fault, Healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._strategies.bases import Asked, bases
from pytest_llmfaults._strategies.changes import Change, applied, row
from pytest_llmfaults._strategies.edits import Edit
from pytest_llmfaults._strategies.slots import slot_paths
from pytest_llmfaults._wires import Path
from pytest_llmfaults.errors import InvalidUse, nearest

__all__ = ["Variant", "variant"]


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class Variant:
    """A healthy reply with one or two changes, or with none.

    It is a step of ``inject``: there it changes the healthy reply to the request that came.

    Attributes:
        wire: the wire's name.
        changes: what was done to the healthy reply, in order.
        of: which healthy reply it was: ``text``, ``calls``, ``data``, ``reasoning``, ...
        request: the JSON body of the request that is answered, or None for a plain one.
        answer: what the model says, or None for what fits.
        slot: the slot that was changed first, or None when it is none that the wire names.
        reply: what crosses the wire.
    """

    wire: str
    changes: tuple[Change, ...]
    of: str
    request: Asked | None
    answer: Answer | None
    slot: str | None
    reply: Reply
    _healthy: Healthy

    @property
    def fault(self) -> Fault | None:
        """The fault of the catalogue that this is, or None: healthy, no named fault, or more than one change."""
        only = self.changes[0] if len(self.changes) == 1 else None
        return only if isinstance(only, Fault) else None

    @property
    def path(self) -> Path | None:
        """Where the first change is, from the top of the envelope; empty is the whole, None is healthy."""
        if not self.changes:
            return None
        first = self.changes[0]
        return first.path if isinstance(first, Edit) else slot_paths(self._healthy).get(self.slot or "", ())

    @property
    def is_healthy(self) -> bool:
        """Whether nothing was changed."""
        return not self.changes

    @property
    def body(self) -> bytes:
        """The bytes of the body."""
        return self.reply.body

    @property
    def is_json(self) -> bool:
        """Whether the body is JSON in UTF-8 that Python can read."""
        try:
            json.loads(self.body.decode())
        except (ValueError, RecursionError):
            return False
        return True

    @property
    def value(self) -> Any:
        """The body as JSON, a fresh copy; None when it is not JSON (and when it is ``null``)."""
        return json.loads(self.body) if self.is_json else None

    def __call__(self, _request: Request) -> Fault | Answer | str:
        """Return what ``inject`` plays: a fault that makes the changes, or what the healthy model says.

        Changes of a text are made to what the suite's healthy model says.
        """
        answer = None if self.of == "text" and self.answer is None else self._healthy.answer
        if self.is_healthy:
            return "ok" if answer is None else answer
        played = self.fault or row(self.changes)
        return played if answer is None else played.corrupting(answer)

    def __repr__(self) -> str:
        """Print as the call that makes this variant."""
        parts = [repr(self.wire), *map(repr, self.changes)]
        given = {"of": self.of, "request": self.request, "answer": self.answer}
        if self.of == next(iter(bases(self.wire, self.request, self.answer))):
            del given["of"]
        parts += [f"{name}={value!r}" for name, value in given.items() if value is not None]
        return f"variant({', '.join(parts)})"

    def __deepcopy__(self, _memo: object) -> Variant:
        """Return itself: nothing in it changes."""
        return self

    @property
    def __name__(self) -> str:
        """What a report calls this step."""
        return repr(self)

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(repr(self))

    def __eq__(self, other: object) -> bool:
        """Tell whether the other one prints the same."""
        return isinstance(other, Variant) and repr(self) == repr(other)

    def __hash__(self) -> int:
        """Hash what it prints."""
        return hash(repr(self))


def variant(
    wire: str,
    *changes: Change,
    of: str | None = None,
    request: Asked | None = None,
    answer: Answer | None = None,
) -> Variant:
    """Make the variant that was printed.

    Args:
        wire: the wire's name.
        *changes: edits (``remove("choices")``) and faults (``fault("content.empty")``), done in this order.
        of: which healthy reply is changed; None is the first that fits the request.
        request: the JSON body of the request that is answered.
        answer: what the model says.

    Raises:
        InvalidUse: an argument is not what it may be.
        DoesNotApply: the healthy reply has no such place.

    Example:
        >>> variant("openai.chat", remove("choices", 0, "message")).value["choices"][0].get("message")
    """
    known = bases(wire, request, answer)
    kind = next(iter(known)) if of is None else of
    if kind not in known:
        msg = f"of={of!r} is no healthy reply to this request.{nearest(kind, known)} There is {', '.join(known)}."
        raise InvalidUse(msg)
    for change in changes:
        if not isinstance(change, (Edit, Fault)):
            msg = f"{change!r} is not a change: give remove(...), put(...) and the like, or fault(...)."
            raise InvalidUse(msg)
    return made(known[kind], changes, applied(known[kind], changes), kind, request, answer)


def made(
    base: Healthy, changes: tuple[Change, ...], reply: Reply, of: str, request: Asked | None, answer: Answer | None
) -> Variant:
    """Make a variant of checked arguments."""
    slot = slot_of(base, changes[0]) if changes else None
    return Variant(base.wire.name, changes, of, request, answer, slot, reply, base)


def slot_of(base: Healthy, change: Change) -> str | None:
    """Name the slot that a change is in: the innermost that its path leads through."""
    if isinstance(change, Fault):
        return base.wire.data_slot(base.request) if change.slot == "structured" else change.slot
    for length in range(len(change.path), 0, -1):
        for name, path in slot_paths(base).items():
            if path == change.path[:length]:
                return name
    return None
