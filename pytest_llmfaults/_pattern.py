"""A short text that a regular expression finds itself in, for the ``pattern`` of a JSON schema."""

from __future__ import annotations

import importlib
import re
import string
import sys
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

__all__ = ["matches", "matching"]

_PARSER: Final = importlib.import_module("re._parser" if sys.version_info >= (3, 11) else "sre_parse")
"""What Python reads expressions with; it has no public name."""
_MOST_MORE: Final = 64
"""How often more than the least a part is repeated, to reach a length."""
_PLAIN: Final = f"aA0_- {string.printable.rstrip()}"
"""Letters that are tried for a class, the plainest first."""
_CATEGORIES: Final[Mapping[str, Callable[[str], bool]]] = {
    "CATEGORY_DIGIT": str.isdigit,
    "CATEGORY_SPACE": str.isspace,
    "CATEGORY_WORD": lambda letter: letter.isalnum() or letter == "_",
}
_Groups = dict[int, str]


def matches(pattern: Any, text: str) -> bool:
    """Tell whether ``pattern`` is found in ``text``; one that Python cannot read is found nowhere."""
    try:
        return re.search(pattern, text) is not None
    except (re.error, TypeError):
        return False


def matching(pattern: Any, shortest: int = 0, longest: float = float("inf")) -> str | None:
    """Return a text in which ``pattern`` is found, or None where none was found out.

    Args:
        pattern: a regular expression as Python reads it; look-around is not heeded, and the text then tried.
        shortest: the least number of characters.
        longest: the greatest.
    """
    try:
        parsed = _PARSER.parse(pattern)
    except (re.error, TypeError):
        return None
    for more in range(_MOST_MORE):
        text = _made(parsed, more, {})
        for padded in (text, text.ljust(shortest, "x"), text.rjust(shortest, "x")):
            if shortest <= len(padded) <= longest and matches(pattern, padded):
                return padded
    return None


def _made(parsed: Iterable[Any], more: int, groups: _Groups) -> str:
    return "".join(_MAKERS[str(kind)](what, more, groups) for kind, what in parsed if str(kind) in _MAKERS)


def _group(what: Any, more: int, groups: _Groups) -> str:
    made = _made(what[-1], more, groups)
    if what[0] is not None:
        groups[what[0]] = made
    return made


def _repeated(what: Any, more: int, groups: _Groups) -> str:
    least, most, inner = what
    return "".join(_made(inner, more, groups) for _ in range(min(least + more, int(most))))


def _one_of(items: Any) -> str:
    """Return the plainest letter of a class."""
    negated = any(str(kind) == "NEGATE" for kind, _ in items)
    own = "".join(chr(what[0] if isinstance(what, tuple) else what) for _, what in items if not _is_named(what))
    return next((one for one in (*_PLAIN, *own) if any(_holds(one, item) for item in items) != negated), "")


def _is_named(what: Any) -> bool:
    return what is None or str(what).startswith("CATEGORY")


def _holds(letter: str, item: Any) -> bool:
    kind, what = item
    match str(kind):
        case "LITERAL":
            return bool(ord(letter) == what)
        case "RANGE":
            return bool(what[0] <= ord(letter) <= what[1])
        case "CATEGORY":
            name = str(what).replace("_NOT_", "_")
            return _CATEGORIES[name](letter) != ("_NOT_" in str(what))
    return False


_MAKERS: Final[Mapping[str, Callable[[Any, int, _Groups], str]]] = {
    "LITERAL": lambda what, _more, _groups: chr(what),
    "NOT_LITERAL": lambda what, _more, _groups: "b" if what == ord("a") else "a",
    "ANY": lambda _what, _more, _groups: "a",
    "IN": lambda what, _more, _groups: _one_of(what),
    "BRANCH": lambda what, more, groups: _made(what[1][0], more, groups),
    "SUBPATTERN": _group,
    "ATOMIC_GROUP": _made,
    "GROUPREF": lambda what, _more, groups: groups.get(what, ""),
    "MAX_REPEAT": _repeated,
    "MIN_REPEAT": _repeated,
    "POSSESSIVE_REPEAT": _repeated,
}
