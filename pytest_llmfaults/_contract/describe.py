"""What a call returned or raised, in a few words that are the same from run to run."""

from __future__ import annotations

import builtins
import hashlib
import re
import sys
from collections.abc import Callable
from types import AsyncGeneratorType, GeneratorType
from typing import Any, Final

from pytest_llmfaults.errors import InvalidUse

__all__ = ["Describe", "caused", "innermost", "raised", "returned"]

Describe = Callable[[Any], str]

_LONGEST: Final = 72
_LINE_END: Final = re.compile(r"\s*[\r\n]\s*")
"""A line end with the indentation around it. Spaces inside a line are part of a value and stay."""
_READ: Final = "Read it in the call: check(lambda: list(chat())); with acheck, in a function that reads it and returns."
_ADDRESS: Final = re.compile(r" at 0x[0-9a-fA-F]{6,}")


def returned(value: Any, describe: Describe | None) -> str:
    """Describe what a call returned, on one line.

    A long text is cut, and a digest of the whole stands behind it: two values that differ look different.

    Raises:
        InvalidUse: the text would differ from run to run, or ``describe`` returned no text.
    """
    if describe is None and isinstance(value, (GeneratorType, AsyncGeneratorType)):
        msg = f"The call returned the {type(value).__name__} {value.__name__}, and nobody read it. {_READ}"
        raise InvalidUse(msg)
    text = repr(value) if describe is None else describe(value)
    if not isinstance(text, str):
        msg = f"describe= returned {text!r} for {type(value).__name__}; it returns a short text."
        raise InvalidUse(msg)
    found = _ADDRESS.search(text)
    if found:
        msg = (
            f"{type(value).__name__} prints as {text[:80]!r}, which holds an address ({found.group().strip()}) and "
            "differs from run to run. Give describe=, a function that returns a short text."
        )
        raise InvalidUse(msg)
    line = _LINE_END.sub(" ", text.strip())
    if len(line) <= _LONGEST:
        return line
    digest = hashlib.blake2b(text.encode(errors="surrogatepass"), digest_size=3).hexdigest()
    return f"{line[:_LONGEST].rstrip()}… #{digest}"


def raised(error: BaseException) -> str:
    """Name the class that was raised; text, cause and line may change without anybody noticing, and stay out.

    Where the bare name is also that of a builtin or of a class it inherits from, its package stands before it: code
    that catches ``ConnectionError`` does not catch ``requests.ConnectionError``.
    """
    kind = type(error)
    package = kind.__module__.partition(".")[0]
    namesakes = [base for base in kind.__mro__[1:] if base.__name__ == kind.__name__]
    # asyncio's own TimeoutError became the builtin in 3.11: the standard library has bare names everywhere.
    ambiguous = (namesakes or hasattr(builtins, kind.__name__)) and package not in sys.stdlib_module_names
    return f"{package}.{kind.__name__}" if ambiguous else kind.__name__


def innermost(error: BaseException) -> BaseException:
    """Return the exception that an exception goes back to; it may be itself. Shown, never signed."""
    seen = [error]
    while True:
        last = seen[-1]
        cause = last.__cause__ if last.__cause__ is not None or last.__suppress_context__ else last.__context__
        if cause is None or cause in seen:
            return last
        seen.append(cause)


def caused(error: BaseException) -> str | None:
    """Name the class of what caused an exception, or None. Shown, never signed."""
    cause = error.__cause__
    if cause is None and not error.__suppress_context__:
        cause = error.__context__
    return type(cause).__name__ if cause is not None else None
