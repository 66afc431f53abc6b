"""What the model says, free of any wire."""

from __future__ import annotations

import dataclasses
import json
import math
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from pytest_llmfaults.errors import InvalidUse

if TYPE_CHECKING:
    from pytest_llmfaults._recorded import Record

__all__ = ["Answer", "ToolCall", "Usage"]


@dataclasses.dataclass(frozen=True, slots=True)
class ToolCall:
    """One call of a tool.

    Attributes:
        name: the tool's name.
        arguments: the arguments as a JSON object.
        id: the call's id; None lets the wire choose one.
        signature: what the provider wants back with the call, put where Gemini puts it on this wire; None lets the wire
            choose: on gemini the first call of an answer is signed, elsewhere none.
    """

    name: str
    arguments: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    id: str | None = None
    signature: str | None = None

    def __post_init__(self) -> None:
        """Refuse arguments that JSON cannot say, and what is no text where one belongs."""
        _check_text("ToolCall", "name", self.name)
        _check_json("arguments", self.arguments)
        for name in ("id", "signature"):
            _check_text("ToolCall", name, getattr(self, name), or_none=True)


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

    def __post_init__(self) -> None:
        """Refuse what is no number of tokens."""
        for name in ("prompt", "completion", "reasoning"):
            value = getattr(self, name)
            if not isinstance(value, int) or isinstance(value, bool) or value < 0:
                msg = f"Usage({name}={value!r}) is not allowed: it is a number of tokens, an integer from 0."
                raise InvalidUse(msg)


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
        embeddings: vectors by the text that has them, for replies of embeddings, which say nothing else of the above
            but the tokens. A text that is not among them has the vector of its words, of as many numbers.
        record: a recorded reply that stands for all of these; :meth:`recorded` makes it.
    """

    text: str | None = None
    _: dataclasses.KW_ONLY
    data: Any = None
    reasoning: str | None = None
    tool_calls: tuple[ToolCall, ...] | Literal["offered"] = ()
    finish: str | None = None
    usage: Usage = dataclasses.field(default_factory=Usage)
    embeddings: Mapping[str, Sequence[float]] = dataclasses.field(default_factory=dict, hash=False)
    record: Record | None = dataclasses.field(default=None, repr=False)

    @classmethod
    def recorded(cls, path: str | os.PathLike[str], index: int = 0) -> Answer:
        """Return a reply that was recorded, as the healthy one: status, headers and body are the file's.

        ``inject("content.empty", answer=Answer.recorded("cassettes/chat.yaml"))`` corrupts what a real model once
        said. What belongs to the way the bytes crossed the wire that time (codings, chunks) is taken off.

        Args:
            path: a cassette of vcrpy or pytest-recording (YAML or JSON), or a ``.json`` file that holds the body of
                one reply. A relative one counts from the current directory, as with ``open``.
            index: which of the recorded replies that are on the wire of the request, in the file's order.

        Raises:
            InvalidUse: there is no such file, or it is neither.
        """
        from pytest_llmfaults import _recorded

        return cls(record=_recorded.read(path, index))

    def __post_init__(self) -> None:
        """Refuse answers that contradict themselves."""
        if self.text is not None and not isinstance(self.text, str):
            msg = f"Answer(text) is a string; got {self.text!r}. Structured data goes in data=."
            raise InvalidUse(msg)
        if self.text is not None and self.data is not None:
            msg = f"An answer is text or data, not both; got text={self.text!r} and data={self.data!r}."
            raise InvalidUse(msg)
        _check_json("data", self.data)
        for name in ("reasoning", "finish"):
            _check_text("Answer", name, getattr(self, name), or_none=True)
        if not isinstance(self.usage, Usage):
            msg = f"usage={self.usage!r} is no Usage, such as Usage(prompt=24, completion=17)."
            raise InvalidUse(msg)
        object.__setattr__(self, "embeddings", _checked_vectors(self.embeddings))
        if self.tool_calls != "offered":
            object.__setattr__(self, "tool_calls", _checked_calls(self.tool_calls))

    def __repr__(self) -> str:
        """Print as the call that makes this answer, without what is as usual."""
        usual = Answer()
        parts = [] if self.text is None else [repr(self.text)]
        for field in dataclasses.fields(self)[1:]:
            value = getattr(self, field.name)
            if value != getattr(usual, field.name):
                parts.append(f"{field.name}={value!r}")
        return f"Answer({', '.join(parts)})"

    def _repr_pretty_(self, printer: Any, _cycle: bool) -> None:
        printer.text(repr(self))


def _checked_vectors(vectors: Any) -> dict[str, tuple[float, ...]]:
    """Return vectors as tuples of floats.

    Raises:
        InvalidUse: they are no texts with numbers, or of several lengths.
    """
    try:
        made = {text: tuple(map(_checked_number, numbers)) for text, numbers in vectors.items()}
    except (AttributeError, TypeError):
        made = {"": ()}
    good = all(isinstance(text, str) and numbers for text, numbers in made.items())
    if not good or len(set(map(len, made.values()))) > 1:
        msg = (
            f"embeddings={vectors!r} are no vectors of one length by their texts, such as "
            "{'cat': [1.0, 0.0], 'dog': [0.6, 0.8]}."
        )
        raise InvalidUse(msg)
    return made


def _checked_number(value: Any) -> float:
    """Return a number of a vector.

    Raises:
        TypeError: it is none.
    """
    if isinstance(value, str) or not math.isfinite(value):
        raise TypeError
    return float(value)


def _checked_calls(calls: Any) -> tuple[ToolCall, ...]:
    """Return calls as a tuple.

    Raises:
        InvalidUse: they are no list of calls.
    """
    if not isinstance(calls, (tuple, list)) or not all(isinstance(call, ToolCall) for call in calls):
        one = f" One call is a list of one: [{calls!r}]." * isinstance(calls, ToolCall)
        msg = f"tool_calls={calls!r} is neither a list of ToolCalls nor 'offered'.{one} None at all is ()."
        raise InvalidUse(msg)
    return tuple(calls)


def _check_text(of: str, name: str, value: Any, *, or_none: bool = False) -> None:
    """Refuse what is no text, and not None where that is allowed."""
    if not isinstance(value, str) and not (or_none and value is None):
        msg = f"{of}({name}={value!r}) is not allowed: it is a string{', or None' * or_none}."
        raise InvalidUse(msg)


def _check_json(name: str, value: Any) -> None:
    """Refuse a value that JSON cannot say."""
    try:
        json.dumps(value)
    except (TypeError, ValueError) as error:
        msg = f"{name}={value!r} is not JSON ({error}): it is made of dict, list, str, int, float, bool and None."
        raise InvalidUse(msg) from None
