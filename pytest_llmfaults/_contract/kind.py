"""What kind of value a call returned, whatever text of the reply it carries.

Of a value counts: its type, the types of what is in it one level down, what is absent, empty or null, and the words
that are the client's own. Words that stand in the reply do not count: a client that passes a text on returns another
one for each reply, and does the same each time. A word is the client's own once it came where neither this reply nor
the healthy one had it.
"""

from __future__ import annotations

import contextlib
import enum
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any, Final

from pytest_llmfaults._contract.call import Called
from pytest_llmfaults._reply import Reply

__all__ = ["CARRIED", "Kinds"]

CARRIED: Final = "…"
"""Stands for words that the reply has, too."""

_WORD: Final = re.compile(r"\w+")
_PLAIN: Final = (None, str, repr)
"""What a describe= may be that decides nothing about what of a value matters."""


class Kinds:
    """Names the kinds of values, beside the one of the healthy call."""

    def __init__(self, ok: Called, describe: Callable[[Any], str] | None) -> None:
        """Know what the healthy call returned.

        Args:
            ok: the healthy call.
            describe: what a person says about values; its text is what counts then.
        """
        self._describe = None if describe in _PLAIN else describe
        self._ok = ok
        self._own: set[str] = set()
        self._usual = _words_of(ok)
        self._words: dict[int, tuple[Called, frozenset[str]]] = {}
        self.learn(ok)

    @property
    def known(self) -> int:
        """How many words are known to be the client's own: kinds that were named before may be out of date."""
        return len(self._own)

    def learn(self, called: Called) -> None:
        """Learn which words are the client's own."""
        if called.error is None and all(map(_is_plain_text, called.view.replies)):
            replied = self._replied(called)
            for text in self._texts(called.value):
                words = _words(text)
                places = range(len(words) - _is_cut(words, replied))
                self._own |= {words[place] for place in places if words[place] not in replied}

    @property
    def healthy(self) -> str:
        """The kind of what the healthy call returns."""
        return self.of(self._ok)

    def of(self, called: Called) -> str:
        """Name the kind of what a call returned."""
        value, replied = called.value, self._replied(called) - self._own
        name = type(value).__name__
        if self._describe is not None:
            return _text(self._describe(value), replied)
        if _is_plain(value):
            return _leaf(value, replied)
        if _is_sequence(value):
            return f"{name}[{', '.join(sorted({_leaf(item, replied) for item in value}))}]"
        return f"{name}({', '.join(self._differing(value, replied))})"

    def _differing(self, value: Any, replied: frozenset[str]) -> Iterator[str]:
        """Yield what is in an object and is not as in the healthy one; fields that only this one has are not told."""
        healthy, fields = _fields(self._ok.value), _fields(value)
        before = self._replied(self._ok) - self._own
        alike = type(value) is type(self._ok.value)
        for key in sorted(healthy):
            if key not in fields:
                yield f"no {key}"
            elif not alike or _leaf(healthy[key], before) != _leaf(fields[key], replied):
                yield f"{key}={_leaf(fields[key], replied)}"
        if set(fields) - set(healthy):
            yield CARRIED

    def _replied(self, called: Called) -> frozenset[str]:
        """Return the words of the healthy reply and of all replies of a call, and their statuses."""
        if id(called) not in self._words:
            self._words[id(called)] = called, self._usual | _words_of(called)
        return self._words[id(called)][1]

    def _texts(self, value: Any) -> Iterator[str]:
        """Yield the texts that count in a value."""
        if self._describe is not None:
            yield self._describe(value)
        elif isinstance(value, str):
            yield value
        elif not _is_plain(value):
            inside = value if _is_sequence(value) else _fields(value).values()
            yield from (inner for inner in inside if isinstance(inner, str))


def _is_plain_text(reply: Reply) -> bool:
    """Tell whether the words of a reply stand in its bytes: it is neither compressed nor in another encoding."""
    try:
        return reply.header("content-encoding") is None and "\0" not in reply.body.decode()
    except UnicodeDecodeError:
        return False


def _words_of(called: Called) -> frozenset[str]:
    found: set[str] = set()
    for reply in called.view.replies:
        text = reply.body.decode(errors="replace")
        found |= {*_words(text), str(reply.status)}
        if not reply.body.isascii():
            found.update(_words(reply.body.decode("latin-1")))
        if "\\" in text:
            found.update(_words(_unescaped(text)))
        for piece in _joined(text):
            found.update(_words(piece))
    return frozenset(found)


def _joined(text: str) -> Iterable[str]:
    """Return the texts of a stream: of all its chunks together those that stand at the same place."""
    texts: dict[tuple[object, ...], str] = {}
    for line in text.splitlines() if text.startswith("data:") else ():
        with contextlib.suppress(ValueError, RecursionError):
            for path, piece in _leaves(json.loads(line.removeprefix("data:"))):
                texts[path] = texts.get(path, "") + piece
    return texts.values()


def _leaves(value: Any, path: tuple[object, ...] = ()) -> Iterator[tuple[tuple[object, ...], str]]:
    if isinstance(value, str):
        yield path, value
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in members:
        yield from _leaves(inner, (*path, key))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _unescaped(text: str) -> str:
    """Return the texts in a JSON text as they are read: no n of a line break is glued to the next word."""
    with contextlib.suppress(ValueError, RecursionError):
        text = json.dumps(json.loads(text), ensure_ascii=False)
    return re.sub(r"\\[a-z]?", " ", text)


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, (str, bytes, bytearray, int, float, complex, enum.Enum))


def _is_sequence(value: Any) -> bool:
    return isinstance(value, Collection) and not isinstance(value, Mapping) and not hasattr(value, "_fields")


def _leaf(value: Any, replied: frozenset[str]) -> str:
    """Name the kind of something that is not looked into."""
    name = type(value).__name__
    if isinstance(value, enum.Enum):
        return f"{name}.{value.name}"
    if value is None or isinstance(value, bool):
        return str(value)
    if isinstance(value, str):
        return _text(value, replied)
    if isinstance(value, (bytes, bytearray)):
        return f"{name} {_text(value.decode(errors='replace'), replied)}"
    if isinstance(value, (int, float)):
        return f"{name} 0" if value == 0 else f"-{name}" if value < 0 else name
    return f"empty {name}" if hasattr(value, "__len__") and not len(value) else name


def _text(text: str, replied: frozenset[str]) -> str:
    """Return a text without the words that the reply has."""
    if not text.strip():
        return "blank" if text else "''"
    words = _words(text)
    kept = [CARRIED if word in replied else word for word in words] or [CARRIED]
    if _is_cut(words, replied):
        kept[-1] = CARRIED
    short = [word for place, word in enumerate(kept) if word != CARRIED or place == 0 or kept[place - 1] != CARRIED]
    return f"'{' '.join(short)}'"


def _is_cut(words: list[str], replied: frozenset[str]) -> bool:
    """Tell whether a text ends within a word of the reply."""
    return len(words) > 1 and words[-2] in replied and any(word.startswith(words[-1]) for word in replied)


def _fields(value: Any) -> dict[str, Any]:
    """Return what an object holds, by name; nothing of a plain value."""
    if _is_plain(value) or _is_sequence(value):
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
