"""The line that spells changes of a healthy reply, read again: what a contract's file holds of a variant.

``remove('choices', 0, 'message')``, ``fault('content.null'), put('usage', value={}), of='calls'``: the arguments of
``variant``, without what the test knows by itself. Reading runs nothing of it: only names of edits and plain values
are known.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from typing import Any, Final

from pytest_llmfaults._faults import fault
from pytest_llmfaults._strategies import edits
from pytest_llmfaults._strategies.changes import Change
from pytest_llmfaults._strategies.edits import PARSED
from pytest_llmfaults.errors import InvalidUse, nearest

__all__ = ["read"]

_MAKERS: Final[Mapping[str, Callable[..., Change]]] = {
    "fault": fault,
    **{name: getattr(edits, name) for name in edits.__all__ if name not in {"PARSED", "Edit"}},
}
_SAMPLE: Final = "remove('choices', 0, 'message')"


def read(text: str) -> tuple[tuple[Change, ...], str | None]:
    """Read a line: the changes, and which healthy reply is changed.

    Raises:
        UnknownFault: a fault is none of the catalogue.
        InvalidUse: it cannot be read; the text says how it should look.
    """
    try:
        call = ast.parse(f"variant({text})", mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        raise _unreadable(text, "it is cut, or was edited by hand") from None
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or not call.args:
        raise _unreadable(text, "it names no change")
    named = {keyword.arg: _value(text, keyword.value) for keyword in call.keywords}
    if set(named) - {"of"} or not isinstance(named.get("of", ""), str):
        raise _unreadable(text, "beside changes, only of='...' is known")
    return tuple(_change(text, node) for node in call.args), named.get("of")


def _change(text: str, node: ast.expr) -> Change:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise _unreadable(text, f"{ast.unparse(node)} is not a change")
    name = node.func.id
    if name not in _MAKERS:
        raise _unreadable(text, f"{name} is not a change.{nearest(name, _MAKERS)} There is {', '.join(_MAKERS)}")
    path = [_value(text, one) for one in node.args]
    details = {keyword.arg: _value(text, keyword.value) for keyword in node.keywords if keyword.arg is not None}
    try:
        return _MAKERS[name](*path, **details)
    except TypeError:
        raise _unreadable(text, f"{ast.unparse(node)} has other arguments than {name}() takes") from None


def _value(text: str, node: ast.expr) -> Any:
    """Return a plain value: JSON, PARSED, or a float that is no number."""
    match node:
        case ast.Constant(value=str() | int() | float() | None as value):
            return value
        case ast.Name(id="PARSED"):
            return PARSED
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.List(elts=items):
            return [_value(text, item) for item in items]
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return {_value(text, key): _value(text, value) for key, value in pairs if key is not None}
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value="nan" | "inf" | "-inf" as value)]):
            return float(value)
    raise _unreadable(text, f"{ast.unparse(node)} is not a plain value")


def _unreadable(text: str, why: str) -> InvalidUse:
    return InvalidUse(f"{text!r} is not a variant: {why}. One reads {_SAMPLE!r}.")
