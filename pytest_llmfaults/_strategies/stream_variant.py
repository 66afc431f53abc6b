"""A stream with one or two changes, as data that prints as the call that makes it."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Mapping

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults import Fault, Healthy
from pytest_llmfaults._reply import Pause, Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._strategies.bases import Asked, bases
from pytest_llmfaults._strategies.changes import Change, spelled
from pytest_llmfaults._strategies.edits import Edit
from pytest_llmfaults._strategies.events import streaming, written
from pytest_llmfaults._strategies.table import Context
from pytest_llmfaults._strategies.variant import Variant, slot_of
from pytest_llmfaults._wires import Path
from pytest_llmfaults.errors import InvalidUse, nearest

__all__ = ["StreamContext", "StreamVariant", "stream", "stream_bases"]


@dataclasses.dataclass(frozen=True, repr=False, eq=False)
class StreamVariant(Variant):
    """A healthy stream with one or two changes, or with none.

    It is a step of ``inject``, for requests with ``stream=true``: there it streams what the model says here, so that
    the numbers of events mean the same. Its other attributes are those of a :class:`Variant`.
    """

    @property
    def packets(self) -> tuple[bytes, ...]:
        """The bytes of the body, one item for each packet that a reader gets; pauses are left out."""
        return tuple(chunk for chunk in self.reply.chunks if not isinstance(chunk, Pause))

    @property
    def events(self) -> list[str]:
        """The data of each complete event, as a reader by the book finds them in the body, the end mark included."""
        stream = self._healthy.wire.stream
        return [] if stream is None else stream.encoding.read(self.body)

    @property
    def path(self) -> Path | None:
        """Where the first change is, from the list of events; empty is the whole, None is healthy."""
        first = self.changes[0] if self.changes else None
        return None if first is None else first.path if isinstance(first, Edit) else ()

    def __call__(self, _request: Request) -> Fault | Answer | str:
        """Return what ``inject`` plays: a fault that makes the changes, or what the healthy model says."""
        answer = self._healthy.answer
        return answer if self.is_healthy else (self.fault or _row(self.changes)).corrupting(answer)

    def __repr__(self) -> str:
        """Print as the call that makes this stream."""
        return super().__repr__().replace("variant(", "stream(", 1)


def _row(changes: tuple[Change, ...]) -> Fault:
    """Make a row without a place in the catalogue; its name is how its changes are spelled."""
    return Fault(
        name=spelled(changes),
        play=functools.partial(_play, changes=changes),
        meaning="A variant of the healthy stream.",
        draw="depends",
        scope="partial",
        needs=next((change.needs for change in changes if isinstance(change, Fault)), None),
        streamed="only",
    )


def _play(base: Healthy, *, changes: tuple[Change, ...]) -> Reply:
    return written(base, changes)


def stream_bases(wire: str, request: Asked | None, answer: Answer | None) -> Mapping[str, Healthy]:
    """Return the healthy streams by kind, the simplest first.

    Raises:
        InvalidUse: an argument is not what it may be, or the wire does not stream.
    """
    found = bases(wire, request, answer)
    if any(base.wire.stream is None for base in found.values()):
        msg = f"wire={wire!r} has no stream."
        raise InvalidUse(msg)
    return {kind: streaming(base) for kind, base in found.items()}


@dataclasses.dataclass(frozen=True, slots=True)
class StreamContext(Context):
    """What a stream is made of besides its changes."""

    def variant(self, changes: tuple[Change, ...], reply: Reply | None = None) -> StreamVariant:
        """Make a variant; ``reply`` is what is known to come of it."""
        base = self.base
        reply = written(base, changes) if reply is None else reply
        slot = slot_of(base, changes[0]) if changes and isinstance(changes[0], Fault) else None
        return StreamVariant(base.wire.name, changes, self.of, self.request, self.answer, slot, reply, base)


def stream(
    wire: str,
    *changes: Change,
    of: str | None = None,
    request: Asked | None = None,
    answer: Answer | None = None,
) -> StreamVariant:
    """Make the stream that was printed.

    Args:
        wire: the wire's name.
        *changes: edits and faults. Paths begin with the number of an event: ``remove(2)``, ``put(2, value=None)``,
            ``put(2, "choices", value=[])``; ``-1`` is the end mark.
        of: which healthy stream is changed; None is the first that fits the request.
        request: the JSON body of the request that is answered.
        answer: what the model says.

    Raises:
        InvalidUse: an argument is not what it may be.
        DoesNotApply: the healthy stream has no such place.

    Example:
        >>> stream("openai.chat", packets(size=1)).packets[:3]
        (b'd', b'a', b't')
    """
    known = stream_bases(wire, request, answer)
    kind = next(iter(known)) if of is None else of
    if kind not in known:
        msg = f"of={of!r} is no healthy reply to this request.{nearest(kind, known)} There is {', '.join(known)}."
        raise InvalidUse(msg)
    for change in changes:
        if not isinstance(change, (Edit, Fault)):
            msg = f"{change!r} is not a change: give remove(...), packets(...) and the like, or fault(...)."
            raise InvalidUse(msg)
    return StreamContext(known[kind], kind, request, answer).variant(changes)
