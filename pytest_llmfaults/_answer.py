"""What the model says, free of any wire."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Literal

from pytest_llmfaults.errors import InvalidUse

__all__ = ["Answer", "ToolCall", "Usage"]


@dataclasses.dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool.

    Attributes:
        name: the tool's name.
        arguments: the arguments as a JSON object.
        id: the call's id; None lets the wire choose one.
    """

    name: str
    arguments: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    id: str | None = None


@dataclasses.dataclass(frozen=True, slots=True)
class Usage:
    """Tokens.

    Attributes:
        prompt: tokens of the request.
        completion: tokens of the answer, reasoning included.
        reasoning: tokens of the reasoning.
    """

    prompt: int = 24
    completion: int = 17
    reasoning: int = 0


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """What a healthy model says.

    Attributes:
        text: the visible text.
        data: structured data; it goes where the request asks for it: the forced tool, the response format, else
            the text.
        reasoning: what the model thought, put where the wire puts it.
        tool_calls: calls to make, or ``"offered"``: one valid call of each tool that the request offers.
        finish: the finish reason in the wire's own words; None is the one that fits.
        usage: tokens.
    """

    text: str | None = None
    _: dataclasses.KW_ONLY
    data: Any = None
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] | Literal["offered"] = ()
    finish: str | None = None
    usage: Usage = dataclasses.field(default_factory=Usage)

    def __post_init__(self) -> None:
        """Refuse answers that contradict themselves."""
        if self.text is not None and not isinstance(self.text, str):
            msg = f"Answer(text) is a string; got {self.text!r}. Structured data goes in data=."
            raise InvalidUse(msg)
        if self.text is not None and self.data is not None:
            msg = f"An answer is text or data, not both; got text={self.text!r} and data={self.data!r}."
            raise InvalidUse(msg)
        if isinstance(self.tool_calls, str) and self.tool_calls != "offered":
            msg = f"tool_calls={self.tool_calls!r} is neither ToolCalls nor 'offered'."
            raise InvalidUse(msg)
        if not isinstance(self.tool_calls, str):
            object.__setattr__(self, "tool_calls", tuple(self.tool_calls))

    def __repr__(self) -> str:
        """Print as the call that makes this answer, without what is as usual."""
        named = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)[1:]}
        usual = {"data": None, "reasoning": None, "tool_calls": (), "finish": None, "usage": Usage()}
        parts = [] if self.text is None else [repr(self.text)]
        parts += [f"{name}={value!r}" for name, value in named.items() if value != usual[name]]
        return f"Answer({', '.join(parts)})"

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(repr(self))
