"""The healthy reply that a fault corrupts: made by the wire, or recorded."""

from __future__ import annotations

import dataclasses
import functools
import json
import pickle
from collections.abc import Callable, Hashable, Mapping
from typing import Any, Final, Generic, TypeAlias, TypeVar

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._recorded import Record
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._schema import example
from pytest_llmfaults._wires import ABSENT, Need, Path, Slot, Wire
from pytest_llmfaults.errors import DoesNotApply, OtherWire

__all__ = ["NOW", "Healthy", "find_items", "healthy"]

NOW: Final = 1_780_000_000.0
"""The moment that a healthy reply names when nobody says what time it is."""


@dataclasses.dataclass(frozen=True, slots=True)
class Healthy:
    """The reply that would have come, and what is known about it.

    Attributes:
        wire: the wire it is on.
        request: the request it answers.
        answer: what the model says in it.
        reply: its bytes.
        now: the client's wall clock in Unix seconds, for faults that name a moment; the default is fixed, so that
            bytes can be pinned.
        followed: whether the request follows a redirect that this same fault sent.
        recorded: the file or sample that the reply comes from; empty when it was made.
        whole: the same answer without a stream, where ``reply`` is one.
    """

    wire: Wire
    request: Request
    answer: Answer
    reply: Reply
    now: float = NOW
    followed: bool = False
    recorded: str = ""
    whole: Reply | None = None

    def as_asked(self) -> Healthy:
        """Return it with the reply that the request asks for: a stream, or as it is.

        A recorded stream is played as it was recorded.
        """
        if not self.request.stream or self.whole is not None or self._is_stream:
            return self
        return dataclasses.replace(self, reply=_streamed(self), whole=self.reply)

    @property
    def _is_stream(self) -> bool:
        stream, kind = self.wire.stream, self.reply.header("content-type") or ""
        return stream is not None and kind.lower().startswith(stream.encoding.content_type)

    def envelope(self) -> Any:
        """Return the body as JSON, a fresh copy that the caller may change; of a stream, what it says as one.

        Raises:
            DoesNotApply: it was recorded, and is none.
        """
        reply = self.whole or self.reply
        try:
            return json.loads(reply.body)
        except ValueError as error:
            kind = reply.header("content-type") or "no content type"
            msg = f"it edits JSON, and the reply in {self.recorded} is none ({kind}, {len(reply.body)} bytes)."
            raise DoesNotApply(msg) from error

    def chunks(self) -> list[Any]:
        """Return the JSON of each chunk of the stream, fresh copies that the caller may change."""
        stream = self.wire.stream
        return [] if stream is None else stream.chunks(self.envelope(), self.request)

    def with_envelope(self, envelope: Any) -> Reply:
        """Return the reply with another JSON body, or the stream of it; half a surrogate pair becomes its escape."""
        if self.whole is not None:
            return self.wire.streamed(self.request, envelope)
        return self.reply.with_body(json.dumps(envelope, ensure_ascii=False).encode(errors="backslashreplace"))

    def slot(self, name: str) -> Slot:
        """Return a slot of the wire; ``structured`` is where the request wants its data.

        Raises:
            DoesNotApply: the wire has no such slot.
        """
        name = self.wire.data_slot(self.request) if name == "structured" else name
        if name not in self.wire.slots:
            msg = f"the wire {self.wire.name} has no {name}."
            raise DoesNotApply(msg)
        return self.wire.slots[name]

    def _knows(self, slot: str) -> bool:
        return slot == "structured" or slot in self.wire.slots

    def path(self, slot: str) -> Path | None:
        """Return where ``slot`` is in the envelope, or None when it has no place of its own there.

        Raises:
            DoesNotApply: the wire has no such slot.
        """
        return self.slot(slot).find(self.envelope())

    def value(self, slot: str) -> Any:
        """Return what is in ``slot``, or None when the reply does not have it, or no reply on this wire has."""
        return self.slot(slot).get(self.envelope()) if self._knows(slot) else None

    def held(self, slot: str) -> Any:
        """Return what is in ``slot``.

        Raises:
            DoesNotApply: the healthy reply does not have it.
            KeyError, IndexError, TypeError: the recorded reply does not.
        """
        try:
            return self.slot(slot).held(self.envelope())
        except (KeyError, IndexError, TypeError) as error:
            if self.recorded:
                raise
            msg = f"it changes the {slot}, and the healthy reply has none. Give an answer= that has one."
            raise DoesNotApply(msg) from error

    def put(self, envelope: Any, slot: str, value: Any) -> Any:
        """Return a copy of an envelope with another value in ``slot``; see :meth:`Slot.put`.

        Taking away what this wire does not have changes nothing.

        Raises:
            DoesNotApply: the wire has no such slot, or the envelope no place for the value.
        """
        if value is ABSENT and not self._knows(slot):
            return envelope
        return self.slot(slot).put(envelope, value, stream=self.request.stream)


def healthy(
    wire: Wire, request: Request, answer: Answer, *, needs: Need | None = None, fault: str = "", now: float = NOW
) -> Healthy:
    """Build the healthy reply to ``request``, holding what a fault needs.

    Args:
        wire: the wire of the request.
        request: the request.
        answer: what the model says.
        needs: what the reply must hold.
        fault: name of the fault that needs it, for the message.
        now: the client's wall clock in Unix seconds.

    Raises:
        DoesNotApply: the reply cannot hold it; the text says what to do.
        OtherWire: no reply on this wire can.
    """
    request = wire.takes(request)
    if needs == "tool_calls" and needs not in wire.slots:
        msg = f"{fault} does not apply to the wire {wire.name}, which has no {needs}."
        raise OtherWire(msg)
    if answer.record is not None:
        return _of_record(wire, request, answer.record, needs=needs, fault=fault, now=now)

    def make() -> _Said:
        fitted = _fitted(wire, request, answer, needs)
        lacking = _lacking(wire, request, fitted, needs)
        if lacking:
            msg = f"{fault} does not apply to {request.short}: it corrupts {lacking}"
            raise DoesNotApply(msg)
        return fitted, wire.healthy(request, fitted)

    key = _key(wire, request, answer, needs)
    fitted, reply = make() if key is None else _kept(_Asked(key, make))
    base = Healthy(wire, request, fitted, reply, now, recorded=f"the sample of {wire.name}" if wire.usual else "")
    if needs == "tool_calls" and not base.value("tool_calls"):
        msg = (
            f"{fault} does not apply to {request.short}: it corrupts tool_calls, and the reply calls none. Offer tools."
        )
        raise DoesNotApply(msg)
    return base


T = TypeVar("T")
_Said: TypeAlias = "tuple[Answer, Reply]"
_KEPT: Final = 64
_KEPT_STREAMS: Final = 16
_LONGEST_KEPT: Final = 100_000
_LONGEST_KEPT_STREAM: Final = 20_000
"""In bytes of request and reply; a stream repeats the envelope for each word and is some thirty times as long."""


@dataclasses.dataclass(frozen=True, slots=True)
class _Asked(Generic[T]):
    """What makes two healthy replies the same, and how it is made."""

    key: Hashable
    make: Callable[[], T] = dataclasses.field(compare=False)


@functools.lru_cache(maxsize=_KEPT)
def _kept(asked: _Asked[_Said]) -> _Said:
    """Return what the same request was answered before: a contract asks it a thousand times."""
    return asked.make()


@functools.lru_cache(maxsize=_KEPT_STREAMS)
def _kept_stream(asked: _Asked[Reply]) -> Reply:
    """Return the stream that was made of the same reply before."""
    return asked.make()


def _streamed(base: Healthy) -> Reply:
    """Return the stream of a reply, made once."""
    wire, request, reply = base.wire, base.request, base.reply

    def make() -> Reply:
        return wire.streamed(request, base.envelope())

    if len(request.body) + len(reply.body) > _LONGEST_KEPT_STREAM:
        return make()
    return _kept_stream(_Asked((id(wire), request.url, request.body, reply), make))


def _key(wire: Wire, request: Request, answer: Answer, needs: Need | None) -> Hashable:
    """Return what the healthy reply depends on, by value; None where it is not worth keeping."""
    if len(request.body) > _LONGEST_KEPT:
        return None
    said: Hashable = answer
    if answer.data is not None or (answer.tool_calls and answer.tool_calls != "offered"):
        try:
            said = pickle.dumps(answer)  # data can be changed in place, and a list is not a tuple
        except (pickle.PicklingError, TypeError, AttributeError):
            return None
    return id(wire), request.url, request.body, said, needs  # what is kept keeps the wire alive


def _of_record(wire: Wire, request: Request, record: Record, *, needs: Need | None, fault: str, now: float) -> Healthy:
    """Return the recorded reply, if it holds what a fault needs."""
    reply = record.reply(wire.name, lambda path: path == request.path or wire.matches(path))
    base = Healthy(wire, request, Answer(), reply, now, recorded=record.where)
    lacks = None
    if needs == "tool_calls" and not base.value("tool_calls"):
        lacks = "a tool call"
    elif needs in {"data", "items"}:
        data = _data(base)
        base = dataclasses.replace(base, answer=Answer(data=data))
        if data is None:
            lacks = "structured data"
        elif needs == "items" and find_items(data) is None:
            lacks = "one item of a list of two or more"
    if lacks:
        msg = (
            f"{fault} does not apply to {request.short}: it corrupts {lacks}, and the reply in {record.where} has none."
        )
        raise DoesNotApply(msg)
    return base


def _data(base: Healthy) -> Any:
    """Return the structured data of a reply, or None."""
    try:
        return json.loads(base.value("structured"))
    except (TypeError, ValueError):
        return None


def _fitted(wire: Wire, request: Request, answer: Answer, needs: Need | None) -> Answer:
    """Fill in what the request asks for and the answer leaves open."""
    says_nothing = answer.text is None and answer.data is None and not answer.tool_calls
    in_a_call = answer.data is not None and wire.data_slot(request) != "content"
    if needs == "tool_calls" and not answer.tool_calls and not in_a_call and wire.offered(request):
        return dataclasses.replace(answer, text=None, data=None, tool_calls="offered")
    schema = wire.wants_data(request, None)
    if says_nothing and schema is not None:
        return dataclasses.replace(answer, data=example(schema, items=2 if needs == "items" else 1))
    return _usual(wire, answer) if says_nothing else answer


def _usual(wire: Wire, answer: Answer) -> Answer:
    """Say what this wire's model says where nobody says anything."""
    if wire.usual is None:
        return dataclasses.replace(answer, text="Hello from a healthy model.")
    return dataclasses.replace(answer, text=wire.usual.text, data=wire.usual.data)


def _lacking(wire: Wire, request: Request, answer: Answer, needs: Need | None) -> str | None:
    if needs == "tool_calls" and not (wire.offered(request) or answer.tool_calls):
        return "a tool call, and the request offers no tools. Offer tools, or give answer=Answer(tool_calls=...)."
    if needs in {"data", "items"} and answer.data is None:
        return "structured data, and the answer has none. Give answer=Answer(data=...) or llmfaults_answer."
    if needs == "items" and find_items(answer.data) is None:
        return (
            "one item of a list, and the answer's data holds no list of two or more. "
            "Give answer=Answer(data=...) with one."
        )
    return None


def find_items(data: Any) -> Path | None:
    """Return the path to the first list with two or more items, breadth first, or None."""
    queue: list[tuple[Path, Any]] = [((), data)]
    for path, value in queue:
        if isinstance(value, list) and len(value) > 1:
            return path
        if isinstance(value, (Mapping, list)):
            pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
            queue += [((*path, key), inner) for key, inner in pairs]
    return None
