"""What a person asked to audit, checked and imported."""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import json
from typing import Any

from pytest_llmfaults._contract.campaign import DRAWN, SECONDS, Limits
from pytest_llmfaults.errors import InvalidUse

__all__ = ["Request", "check", "load"]


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a person asked to audit.

    Attributes:
        subject: ``PKG.MOD:CALLABLE``.
        faults: names and globs.
        arguments: positional arguments of the callable.
        answer: what the healthy model says.
        data: the structured data that it says.
        json_path: where to write all that was observed.
        discover: whether variants are drawn, instead of the faults named.
        seconds: true time that a discovery may take.
        seed: decides what it draws.
        examples: how many variants it draws.
    """

    subject: str
    faults: tuple[str, ...]
    arguments: list[Any]
    answer: str | None
    data: Any
    json_path: str | None
    discover: bool = False
    seconds: float = SECONDS
    seed: int = 0
    examples: int = DRAWN

    @property
    def limits(self) -> Limits:
        """How far a discovery goes.

        Raises:
            InvalidUse: one of them is none.
        """
        families = None if self.faults == ("all",) else self.faults
        return Limits(families=families, examples=self.examples, seed=self.seed, seconds=self.seconds)

    def to_json(self) -> str:
        """Write it on one line, for the processes that observe."""
        return json.dumps(dataclasses.asdict(self))

    @classmethod
    def from_json(cls, text: str) -> Request:
        """Read what :meth:`to_json` wrote."""
        values = json.loads(text)
        return cls(**{**values, "faults": tuple(values["faults"])})


def check(request: Request) -> None:
    """Refuse a request whose limits are none, or whose subject does not read ``PKG.MOD:CALLABLE``.

    Raises:
        InvalidUse: the text says what is allowed.
    """
    Limits(examples=request.examples, seed=request.seed, seconds=request.seconds)
    module, colon, name = request.subject.partition(":")
    if not (module and colon and name):
        msg = f"{request.subject!r} does not read PKG.MOD:CALLABLE, such as bot:ask or app.chat:Bot.ask."
        raise InvalidUse(msg)
    if request.answer is not None and request.data is not None:
        msg = "--answer and --data exclude each other: the healthy model says a text or data."
        raise InvalidUse(msg)


def load(request: Request) -> functools.partial[Any]:
    """Import the subject and bind its arguments.

    Raises:
        InvalidUse: there is no such module or callable, or it needs other arguments.
    """
    module_name, _, path = request.subject.partition(":")
    try:
        value: Any = importlib.import_module(module_name)
    except ModuleNotFoundError as error:
        msg = f"{request.subject}: no module named {error.name!r}. Run the command in the folder that holds it."
        raise InvalidUse(msg) from error
    for name in path.split("."):
        if not hasattr(value, name):
            msg = f"{request.subject}: {getattr(value, '__name__', value)!s} has no {name!r}."
            raise InvalidUse(msg)
        value = getattr(value, name)
    if not callable(value):
        msg = f"{request.subject} is {value!r}, which cannot be called."
        raise InvalidUse(msg)
    try:
        inspect.signature(value).bind(*request.arguments)
    except TypeError as error:
        msg = f"{request.subject}{inspect.signature(value)}: {error}. Give its arguments as JSON: --args '[\"hello\"]'."
        raise InvalidUse(msg) from None
    return functools.partial(value, *request.arguments)
