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
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._schema import example
from pytest_llmfaults._wires import Need, Path, Wire
from pytest_llmfaults.errors import DoesNotApply, InvalidUse, nearest

__all__ = ["NOW", "Draw", "Fault", "Healthy", "Parameter", "Scope", "Wish", "healthy"]

Draw: TypeAlias = Literal["fresh", "same", "depends"]
Scope: TypeAlias = Literal["total", "partial"]
Wish: TypeAlias = Literal["retry", "once", "retry_after", "reask", "surface", "drop_item", "survive", ""]
Value: TypeAlias = "str | int | float"

NOW: Final = 1_780_000_000.0
"""The moment that a healthy reply names when nobody says what time it is."""


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
    """

    wire: Wire
    request: Request
    answer: Answer
    reply: Reply
    now: float = NOW
    followed: bool = False

    def envelope(self) -> Any:
        """Return the body as JSON, a fresh copy that the caller may change."""
        return json.loads(self.reply.body)

    def with_envelope(self, envelope: Any) -> Reply:
        """Return the reply with another JSON body; half a surrogate pair becomes its escape."""
        return self.reply.with_body(json.dumps(envelope, ensure_ascii=False).encode(errors="backslashreplace"))

    def path(self, slot: str) -> Path:
        """Return where ``slot`` is in the envelope; ``structured`` is where the request wants its data.

        Raises:
            DoesNotApply: the wire has no such slot.
        """
        name = self.wire.data_slot(self.request) if slot == "structured" else slot
        if name not in self.wire.slots:
            msg = f"the wire {self.wire.name} has no {name}."
            raise DoesNotApply(msg)
        return self.wire.slots[name]

    def value(self, slot: str) -> Any:
        """Return what is in ``slot``, or None when the reply does not have it."""
        value = self.envelope()
        try:
            for key in self.path(slot):
                value = value[key]
        except (KeyError, IndexError, TypeError):
            return None
        return value


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
        wires: names of the wires it belongs to; empty is every wire that has the slot.
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
    wires: tuple[str, ...] = ()
    given: Mapping[str, Value] = dataclasses.field(default_factory=lambda: MappingProxyType({}))
    answer: Answer | None = None

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
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in values:
            if name not in known:
                has = f"It has {', '.join(known)}." if known else "It has none."
                msg = f"{self.name} has no parameter {name!r}.{nearest(name, known)} {has}"
                raise InvalidUse(msg)
        try:
            checked = {name: known[name].checked(value) for name, value in values.items()}
        except InvalidUse as error:
            msg = f"{self.name}: {error}"
            raise InvalidUse(msg) from None
        return dataclasses.replace(self, given=MappingProxyType({**self.given, **checked}))

    def corrupting(self, answer: Answer) -> Fault:
        """Return this fault on another healthy answer."""
        return dataclasses.replace(self, answer=answer)

    def applies_to(self, wire: Wire) -> bool:
        """Tell whether this fault makes sense on ``wire``."""
        if self.wires:
            return wire.name in self.wires
        return self.slot is None or self.slot == "structured" or self.slot in wire.slots

    def reply(self, base: Healthy) -> Reply:
        """Corrupt a healthy reply.

        Raises:
            DoesNotApply: the fault makes no sense on this wire or for this request.
        """
        if not self.applies_to(base.wire):
            msg = f"{self.name} does not apply to the wire {base.wire.name}, which has no {self.slot or self.name}."
            raise DoesNotApply(msg)
        values = {parameter.name: self.given.get(parameter.name, parameter.default) for parameter in self.parameters}
        try:
            reply = self.play(base, **values)
        except DoesNotApply as error:
            msg = f"{self.name} does not apply to {base.request.short}: {error}"
            raise DoesNotApply(msg) from None
        if reply == base.reply and not base.followed:
            msg = f"{self.name} does not apply to {base.request.short}: it changes nothing in this reply. Give answer=."
            raise DoesNotApply(msg)
        return reply


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
    """
    answer = _fitted(wire, request, answer, needs)
    lacking = _lacking(wire, request, answer, needs)
    if lacking:
        msg = f"{fault} does not apply to {request.short}: it corrupts {lacking}"
        raise DoesNotApply(msg)
    base = Healthy(wire, request, answer, wire.healthy(request, answer), now)
    if needs == "tool_calls" and not base.value("tool_calls"):
        msg = (
            f"{fault} does not apply to {request.short}: it corrupts tool_calls, and the reply calls none. Offer tools."
        )
        raise DoesNotApply(msg)
    return base


def _fitted(wire: Wire, request: Request, answer: Answer, needs: Need | None) -> Answer:
    """Fill in what the request asks for and the answer leaves open."""
    says_nothing = answer.text is None and answer.data is None and not answer.tool_calls
    in_a_call = answer.data is not None and wire.data_slot(request) != "content"
    if needs == "tool_calls" and not answer.tool_calls and not in_a_call and wire.offered(request):
        return dataclasses.replace(answer, text=None, data=None, tool_calls="offered")
    schema = wire.wants_data(request, None)
    if says_nothing and schema is not None:
        return dataclasses.replace(answer, data=example(schema, items=2 if needs == "items" else 1))
    return dataclasses.replace(answer, text="Hello from a healthy model.") if says_nothing else answer


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


def copied(value: Any) -> Any:
    """Return a deep copy, so that a pure function can change it."""
    return copy.deepcopy(value)
