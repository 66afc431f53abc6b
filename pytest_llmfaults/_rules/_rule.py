"""What a rule is: a standing condition of a strict provider on requests, and what it answers when one breaks it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from pytest_llmfaults._faults import Parameter
from pytest_llmfaults._faults._fault import Value, Wish, checked_values
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import Wire

__all__ = ["BEDROCK", "GEMINI", "MISTRAL", "ON_BOTH", "RESPONSES", "Breach", "Refusal", "Rule", "refuses"]

MISTRAL: Final = "mistral.chat"
ON_BOTH: Final = ("openai.chat", "anthropic.messages")
"""The wires whose conversations have the same parts: texts, calls, and results of calls."""

RESPONSES: Final = "openai.responses"
"""The wire whose conversations are made of items."""
GEMINI: Final = "gemini"
BEDROCK: Final = "bedrock.converse"


@dataclasses.dataclass(frozen=True, slots=True)
class Breach:
    """What in a request breaks a rule.

    Attributes:
        what: for a person: ``messages[3] has the role user, directly after a tool``.
        index: the message that breaks it, from 0; None when it is the request as a whole.
    """

    what: str
    index: int | None = None


Refusal = Callable[[Wire, Breach], Reply]
"""Makes the reply to a request that breaks a rule."""


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Rule:
    """A rule of a strict provider, with values for its parameters.

    Attributes:
        name: ``turn.slot_shape``.
        broken: says what in a request breaks it, or None; takes the request and the parameters' values.
        refusal: makes the reply to such a request.
        meaning: the rule, one sentence.
        slot: the part of the conversation that it is about.
        by_name: whether only its full name chooses it. It is about a field that some models send and others reject:
            in a glob it would refuse conversations that nobody can mend, and contradict its neighbours.
        wish: what a client should do with the reply: ``once`` (the same request is refused again).
        sources: URLs of public reports, or of the page that says so.
        since: the edition of the catalogue that brought it.
        parameters: its degrees.
        wires: names of the wires whose requests it is asked about.
        given: values of parameters that differ from the default.
    """

    name: str
    broken: Callable[..., Breach | None]
    refusal: Refusal
    meaning: str
    slot: str
    by_name: bool = False
    wish: Wish = "once"
    sources: tuple[str, ...] = ()
    since: int = 1
    parameters: tuple[Parameter, ...] = ()
    wires: tuple[str, ...] = ("openai.chat",)
    given: Mapping[str, Value] = dataclasses.field(default_factory=lambda: MappingProxyType({}))

    @property
    def family(self) -> str:
        """The part of the name before the dot: ``turn``."""
        return self.name.partition(".")[0]

    @property
    def label(self) -> str:
        """The name with the values given, ``turn.context_limit(characters=5000)``."""
        values = ", ".join(f"{name}={value!r}" for name, value in self.given.items())
        return f"{self.name}({values})" if values else self.name

    def __repr__(self) -> str:
        """Name it, with the values given."""
        return f"<rule {self.label}>"

    def with_values(self, values: Mapping[str, Any]) -> Rule:
        """Return this rule with values for its parameters.

        Raises:
            InvalidUse: there is no such parameter, or the value is not in its domain.
        """
        checked = checked_values(self.name, self.parameters, values)
        return dataclasses.replace(self, given=MappingProxyType({**self.given, **checked}))

    def asked(self, request: Request) -> Breach | None:
        """Say what in ``request`` breaks this rule; None when it keeps it, or is on a wire that does not have it."""
        if request.wire not in self.wires:
            return None
        values = {one.name: self.given.get(one.name, one.default) for one in self.parameters}
        return self.broken(request, **values)


def refuses(message: str, code: str | None = None, words: Mapping[str, str] | None = None) -> Refusal:
    """Make a refusal with status 400 and the wire's own error body.

    Args:
        message: the text; ``{index}`` in it is the message's index.
        code: the code of the error.
        words: the text on a wire that says it in another way, by the wire's name.
    """

    def refusal(wire: Wire, breach: Breach) -> Reply:
        text = (words or {}).get(wire.name, message)
        return wire.failed(400, wire.error(400, text.format(index=breach.index), code))

    return refusal
