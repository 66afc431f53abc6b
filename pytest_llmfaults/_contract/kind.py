"""What kind of value a call returned, whatever text of the reply it carries.

Of a value counts: its type, the types of what is in it one level down, what is absent, empty or null, and the words
that are the client's own. Words that stand in the reply do not count: a client that passes a text on returns another
one for each reply, and does the same each time.
"""

from __future__ import annotations

import enum
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any, Final

from pytest_llmfaults._contract.call import Called

__all__ = ["CARRIED", "Kinds", "words_of"]

CARRIED: Final = "…"
"""Stands for words that the reply has, too."""

_WORD: Final = re.compile(r"\w+")
_PLAIN: Final = (str, repr)
"""What a describe= may be that decides nothing about what of a value matters."""


def words_of(called: Called) -> frozenset[str]:
    """Return the words of all replies of a call, and their statuses."""
    found: set[str] = set()
    for reply in called.view.replies:
        text = reply.body.decode(errors="replace")
        found |= _words(text) | {str(reply.status)}
        if "\\" in text:
            found |= _words(_unescaped(text))
    return frozenset(found)


def _words(text: str) -> set[str]:
    return {word.casefold() for word in _WORD.findall(text)}


def _unescaped(text: str) -> str:
    """Return the texts in a JSON text as they are read: no n of a line break is glued to the next word."""
    try:
        return str(json.dumps(json.loads(text), ensure_ascii=False)).replace("\\n", " ").replace("\\", " ")
    except (ValueError, RecursionError):
        return text.replace("\\n", " ").replace("\\", " ")


class Kinds:
    """Names the kinds of values, beside the one of the healthy call."""

    def __init__(self, ok: Called, describe: Callable[[Any], str] | None) -> None:
        """Know what the healthy call returned.

        Args:
            ok: the healthy call.
            describe: what a person says about values; its text is what counts then.
        """
        self._describe = None if describe in _PLAIN else describe
        self._vocabulary = words_of(ok)
        self._type = type(ok.value)
        self._leaves = {name: _leaf(inner, self._vocabulary) for name, inner in _fields(ok.value).items()}
        self.healthy = self.of(ok)

    def of(self, called: Called) -> str:
        """Name the kind of what a call returned."""
        known = self._vocabulary | words_of(called)
        if self._describe is not None:
            return _text(" ".join(self._describe(called.value).split()), known)
        return self._kind(called.value, known)

    def _kind(self, value: Any, words: frozenset[str]) -> str:
        name = type(value).__name__
        if _is_plain(value):
            return _leaf(value, words)
        if isinstance(value, Collection) and not isinstance(value, Mapping) and not hasattr(value, "_fields"):
            return f"{name}[{', '.join(sorted({_leaf(item, words) for item in value}))}]"
        return f"{name}({', '.join(self._differing(value, words))})"

    def _differing(self, value: Any, words: frozenset[str]) -> Iterator[str]:
        """Yield what is in an object and is not as in the healthy one; fields that only this one has are not told."""
        leaves = {key: _leaf(inner, words) for key, inner in _fields(value).items()}
        usual = self._leaves if type(value) is self._type else {}
        for key in sorted(self._leaves):
            if leaves.get(key) != usual.get(key):
                yield f"{key}={leaves[key]}" if key in leaves else f"no {key}"
        if set(leaves) - set(self._leaves):
            yield CARRIED


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (str, bytes, bytearray, int, float, complex, enum.Enum))


def _leaf(value: Any, words: frozenset[str]) -> str:
    """Name the kind of something that is not looked into."""
    name = type(value).__name__
    if isinstance(value, enum.Enum):
        return f"{name}.{value.name}"
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return _text(value, words)
    if isinstance(value, (bytes, bytearray)):
        return f"{name} {_text(value.decode(errors='replace'), words)}"
    if isinstance(value, (int, float)):
        return f"{name} 0" if value == 0 else f"-{name}" if value < 0 else name
    return f"{name} empty" if hasattr(value, "__len__") and not len(value) else name


def _text(text: str, words: frozenset[str]) -> str:
    """Return a text without the words that the reply has."""
    if not text.strip():
        return "blank" if text else "''"
    found = _WORD.findall(text)
    if not found:
        return f"'{CARRIED}'"
    kept = [CARRIED if _is_carried(word, words) else word for word in found]
    if len(kept) > 1 and kept[-2] == CARRIED and any(word.startswith(found[-1].casefold()) for word in words):
        kept[-1] = CARRIED  # the text was cut within a word
    short = [word for place, word in enumerate(kept) if word != CARRIED or place == 0 or kept[place - 1] != CARRIED]
    return f"'{' '.join(short)}'"


def _is_carried(word: str, words: frozenset[str]) -> bool:
    return word.casefold() in words


def _fields(value: Any) -> dict[str, Any]:
    """Return what an object holds, by name; nothing of a plain value."""
    if _is_plain(value):
        return {}
    if isinstance(value, Mapping):
        return {str(key): inner for key, inner in value.items()}
    if isinstance(value, tuple):
        return dict(zip(getattr(value, "_fields", ()), value, strict=False))
    slots = getattr(type(value), "__slots__", ())
    names = [slots] if isinstance(slots, str) else slots
    held = {name: getattr(value, name) for name in names if hasattr(value, name)}
    held.update(getattr(value, "__dict__", {}))
    held.update(getattr(value, "__pydantic_extra__", None) or {})
    return {name: inner for name, inner in held.items() if not name.startswith("_")}
