"""What a fault is: one row of the catalogue, and the healthy reply that it corrupts."""

from __future__ import annotations

import copy
import dataclasses
import json
import math
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, Literal, TypeAlias

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._faults._healthy import HELD_IN, NOW, Healthy, healthy
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._wires import Need, Wire
from pytest_llmfaults.errors import DoesNotApply, InvalidUse, OtherWire, nearest

__all__ = [
    "NOW",
    "Draw",
    "Fault",
    "Healthy",
    "Parameter",
    "Scope",
    "Streamed",
    "Value",
    "Wish",
    "checked_values",
    "healthy",
]

Draw: TypeAlias = Literal["fresh", "same", "depends"]
Scope: TypeAlias = Literal["total", "partial"]
Wish: TypeAlias = Literal["retry", "once", "retry_after", "reask", "surface", "drop_item", "survive", ""]
Value: TypeAlias = "str | int | float"
Streamed: TypeAlias = Literal["answer", "bytes", "same", "never", "only"]

_STREAMED: Final[Mapping[str, Streamed]] = MappingProxyType(
    {"transport": "bytes", "status": "same", "body": "never", "stream": "only"}
)
"""How the rows of a family meet a request for a stream, where they do not say it; all others edit the answer."""


@dataclasses.dataclass(frozen=True, slots=True)
class Parameter:
    """A degree of a fault.

    Attributes:
        name: keyword, with its unit (``after_bytes``, ``seconds``).
        default: the value when none is given.
        choices: the values allowed, or empty when it is a number.
        minimum: least number allowed.
        maximum: greatest number allowed.
    """

    name: str
    default: Value
    choices: tuple[Value, ...] = ()
    minimum: float = -math.inf
    maximum: float = math.inf

    @property
    def allowed(self) -> str:
        """Say in words which values are allowed."""
        if self.choices:
            return f"one of {', '.join(map(repr, self.choices))}"
        kind = "an integer" if isinstance(self.default, int) else "a number"
        return f"{kind} from {self.minimum:g} to {self.maximum:g}"

    def checked(self, value: Any) -> Value:
        """Return ``value`` if it is allowed.

        Raises:
            InvalidUse: it is not; the text says what is.
        """
        if self.choices:
            good = any(value == choice and type(value) is type(choice) for choice in self.choices)
        else:
            kinds = (int,) if isinstance(self.default, int) else (int, float)
            good = isinstance(value, kinds) and not isinstance(value, bool)
            good = good and self.minimum <= value <= self.maximum
        if not good:
            msg = f"{self.name}={value!r} is not allowed: {self.name} is {self.allowed}."
            raise InvalidUse(msg)
        return value  # type: ignore[no-any-return]


def checked_values(name: str, parameters: tuple[Parameter, ...], values: Mapping[str, Any]) -> dict[str, Value]:
    """Return values for the parameters of the row called ``name``.

    Raises:
        InvalidUse: there is no such parameter, or the value is not in its domain.
    """
    known = {parameter.name: parameter for parameter in parameters}
    for given in values:
        if given not in known:
            has = f"It has {', '.join(known)}." if known else "It has none."
            msg = f"{name} has no parameter {given!r}.{nearest(given, known)} {has}"
            raise InvalidUse(msg)
    try:
        return {given: known[given].checked(value) for given, value in values.items()}
    except InvalidUse as error:
        msg = f"{name}: {error}"
        raise InvalidUse(msg) from None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Fault:
    """A row of the catalogue, with values for its parameters.

    Attributes:
        name: ``family.slot_shape``.
        play: makes the faulty reply from the healthy one and the parameters' values.
        meaning: what the client gets, one sentence.
        slot: the part of the reply that is wrong, or None when it is the whole.
        draw: what the next draw would bring: ``fresh``, ``same`` or ``depends``.
        scope: ``total`` (nothing usable is left) or ``partial`` (one bad part among good ones).
        wish: what most public reports want a client to do: ``retry``, ``once`` (one attempt, a loud error),
            ``retry_after`` (the wait that the reply names), ``reask``, ``surface`` (say it to the caller),
            ``drop_item`` (and keep the rest), ``survive`` (as if nothing were wrong). It never fails a test.
        stays: why a row stays although no audited client tells it from its neighbour.
        sources: URLs of public reports, or of the page that says how it ought to be.
        since: the edition of the catalogue that brought it.
        parameters: its degrees.
        needs: what the healthy reply must hold for it to make sense: ``tool_calls``, ``data``, or ``items`` (data
            with a list of two or more in it).
        touches: further slots that it needs; a wire without one of them refuses it.
        wires: names of the wires it belongs to; empty is every wire that has the slots.
        streamed: what it does to a request for a stream: ``answer`` (it edits the answer, which is then streamed),
            ``bytes`` (it changes how the stream crosses the wire), ``same`` (the same bytes for both kinds of
            request), ``never`` (it is refused), or ``only`` (it is refused for a request without a stream). None is
            what the family says.
        instead: names of the rows that do the like to the other kind of request, for the message of a refusal.
        given: values of parameters that differ from the default.
        answer: the answer that it corrupts; None is the suite's own.
    """

    name: str
    play: Callable[..., Reply]
    meaning: str
    draw: Draw
    slot: str | None = None
    scope: Scope = "total"
    wish: Wish = ""
    stays: str = ""
    sources: tuple[str, ...] = ()
    since: int = 1
    parameters: tuple[Parameter, ...] = ()
    needs: Need | None = None
    touches: tuple[str, ...] = ()
    wires: tuple[str, ...] = ()
    streamed: Streamed | None = None
    instead: tuple[str, ...] = ()
    given: Mapping[str, Value] = dataclasses.field(default_factory=lambda: MappingProxyType({}))
    answer: Answer | None = None

    def __post_init__(self) -> None:
        """Say how it meets a request for a stream."""
        if self.streamed is None:
            object.__setattr__(self, "streamed", _STREAMED.get(self.family, "answer"))

    @property
    def family(self) -> str:
        """The part of the name before the dot."""
        return self.name.partition(".")[0]

    @property
    def label(self) -> str:
        """The name with the values given, as a person would write it in a test."""
        values = ", ".join(f"{name}={value!r}" for name, value in self.given.items())
        return f"{self.name}({values})" if values else self.name

    def __repr__(self) -> str:
        """Print as the call that makes this fault."""
        values = [f"{name}={value!r}" for name, value in self.given.items()]
        answer = [] if self.answer is None else [f"answer={self.answer!r}"]
        return f"fault({', '.join([repr(self.name), *answer, *values])})"

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(repr(self))

    def with_values(self, values: Mapping[str, Any]) -> Fault:
        """Return this row with values for its parameters.

        Raises:
            InvalidUse: there is no such parameter, or the value is not in its domain.
        """
        checked = checked_values(self.name, self.parameters, values)
        return dataclasses.replace(self, given=MappingProxyType({**self.given, **checked}))

    def corrupting(self, answer: Answer) -> Fault:
        """Return this fault on another healthy answer."""
        return dataclasses.replace(self, answer=answer)

    def applies_to(self, wire: Wire) -> bool:
        """Tell whether this fault makes sense on ``wire``."""
        return (not self.wires or wire.name in self.wires) and self.lacking(wire) is None

    def lacking(self, wire: Wire) -> str | None:
        """Name what it needs and a wire does not have, a slot, another part or a stream, or None."""
        held = () if self.needs is None else (HELD_IN[self.needs],)
        needed = (*((self.slot,) if self.slot is not None else ()), *self.touches, *held)
        lacking = next((name for name in needed if not wire.has(name)), None)
        return "stream" if lacking is None and self.streamed == "only" and wire.stream is None else lacking

    def misfit(self, wire: Wire) -> str:
        """Say why it makes no sense on a wire."""
        lacking = self.lacking(wire)
        why = f"which has no {lacking}" if lacking else f"it belongs to {', '.join(self.wires)}"
        return f"{self.name} does not apply to the wire {wire.spoken}, {why}."

    def reply(self, base: Healthy) -> Reply:
        """Corrupt a healthy reply.

        Raises:
            OtherWire: the fault makes no sense on this wire.
            DoesNotApply: it makes no sense for this request.
        """
        if not self.applies_to(base.wire):
            raise OtherWire(self.misfit(base.wire))
        self._refuse_kind(base)
        asked = base.as_asked()
        reply = self._made(base, asked)
        if reply == asked.reply and not base.followed:
            msg = f"{self.name} does not apply to {base.request.short}: {self._idle(base)}"
            raise DoesNotApply(msg)
        return reply

    def _made(self, base: Healthy, asked: Healthy) -> Reply:
        start = asked if base.request.stream and self.streamed not in {"answer", "same"} else base
        values = {parameter.name: self.given.get(parameter.name, parameter.default) for parameter in self.parameters}
        try:
            made = self.play(start, **values)
            return _rendered(made, base, asked) if asked.whole is not None and self.streamed == "answer" else made
        except DoesNotApply as error:
            msg = f"{self.name} does not apply to {base.request.short}: {error}"
            raise DoesNotApply(msg) from None
        except (KeyError, IndexError, TypeError) as error:
            if not base.recorded:
                raise
            msg = f"{self.name} does not apply to {base.request.short}: the reply in {base.recorded} has no such part."
            raise DoesNotApply(msg) from error

    def _refuse_kind(self, base: Healthy) -> None:
        """Refuse a request for a stream, or one for none.

        Raises:
            DoesNotApply: this row makes no sense for it; the text names a row that does.
        """
        words = _KINDS.get((self.streamed, base.request.stream))
        if words is None:
            return
        more = f" Take {' or '.join(self.instead)}." if self.instead else ""
        msg = f"{self.name} does not apply to {base.request.short}: {words.format(how=base.wire.asks.how)}{more}"
        raise DoesNotApply(msg)

    def _idle(self, base: Healthy) -> str:
        """Say why it changes nothing."""
        asks = base.wire.stream.asks if base.wire.stream is not None and base.request.stream else {}
        slot = self.slot or ""
        how = next((how for name, how in asks.items() if slot == name or slot.startswith(f"{name}_")), None)
        if how is None:
            return "it changes nothing in this reply. Give answer=."
        return f"it corrupts the {slot}, which this stream does not hold. Let the request ask for it: {how}."


_KINDS: Final[Mapping[tuple[Streamed | None, bool], str]] = MappingProxyType(
    {
        ("never", True): "it corrupts one JSON object, and the request asks for a stream ({how}).",
        ("only", False): "it corrupts a stream, and the request asks for none. Let it say {how}.",
    }
)
"""Why a row is refused, by what it does to streams and by whether the request asks for one."""


def _rendered(made: Reply, base: Healthy, asked: Healthy) -> Reply:
    """Stream what a corrupted reply says, under the headers that it has more than the healthy one."""
    reply = asked.with_envelope(json.loads(made.body))
    more = tuple(header for header in made.headers if header not in base.reply.headers)
    return dataclasses.replace(reply, headers=(*reply.headers, *more))


def copied(value: Any) -> Any:
    """Return a deep copy, so that a pure function can change it."""
    return copy.deepcopy(value)
