"""Edits of JSON text by its tokens, for text that is almost JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection
from typing import Final, NamedTuple

from pytest_llmfaults._faults._data import lacks

__all__ = ["change", "every", "trailing_commas"]

_TOKEN: Final = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s"{}\[\],:]+|\s+')


class _Token(NamedTuple):
    """A piece of JSON text and what it is: ``key``, ``text``, ``comma of an object``, or the piece itself."""

    role: str
    text: str


def _tokens(text: str) -> list[_Token]:
    pieces = _TOKEN.findall(text)
    found: list[_Token] = []
    open_brackets: list[str] = []
    for index, piece in enumerate(pieces):
        role = piece
        if piece in "{[":
            open_brackets.append(piece)
        elif piece in "}]":
            open_brackets.pop()
        elif piece == "," and open_brackets[-1:] == ["{"]:
            role = "comma of an object"
        elif piece.startswith('"'):
            role = "key" if "".join(pieces[index + 1 : index + 3]).lstrip().startswith(":") else "text"
        found.append(_Token(role, piece))
    return found


def change(role: str, edit: Callable[[str], str], *, last: bool = False) -> Callable[[str], str]:
    """Make a change of the first token of this role, or of the last one."""

    def changed(text: str) -> str:
        tokens = _tokens(text)
        indexes = [index for index, token in enumerate(tokens) if token.role == role]
        if not indexes:
            raise lacks({"{": "an object", "]": "a list"}.get(role, f"a {role}"))
        chosen = indexes[-1 if last else 0]
        return "".join(edit(token.text) if index == chosen else token.text for index, token in enumerate(tokens))

    return changed


def every(roles: Collection[str], edit: Callable[[str], str], words: str) -> Callable[[str], str]:
    """Make a change of every token of these roles; ``words`` say what is missing where there is none."""

    def changed(text: str) -> str:
        tokens = _tokens(text)
        if not any(token.role in roles for token in tokens):
            raise lacks(words)
        return "".join(edit(token.text) if token.role in roles else token.text for token in tokens)

    return changed


def trailing_commas(text: str) -> str:
    """Put a comma before each closing bracket that has something before it."""
    parts: list[str] = []
    for token in _tokens(text):
        before = "".join(parts).rstrip()
        parts.append(f",{token.text}" if token.role in {"}", "]"} and before[-1] not in "{[" else token.text)
    changed = "".join(parts)
    if changed == text:
        words = "an object or list with something in it"
        raise lacks(words)
    return changed
