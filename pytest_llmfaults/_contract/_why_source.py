"""Find the clause of the source that caught an exception."""

from __future__ import annotations

import ast
import dataclasses
import functools
import linecache
from collections.abc import Iterable, Iterator, Sequence
from types import FrameType
from typing import Any, Final

__all__ = ["Clause", "Guard", "bases_of", "clauses", "guards", "value_of"]

_TRIES: Final = (ast.Try, getattr(ast, "TryStar", ast.Try))
_WITHS: Final = (ast.With, ast.AsyncWith)
_SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)
_HARMLESS: Final = (ast.Name, ast.Attribute, ast.Tuple, ast.Starred, ast.BinOp, ast.Add, ast.expr_context)
_UNSEEN: Final = object()


@dataclasses.dataclass(frozen=True, slots=True)
class Guard:
    """A ``try`` or ``with`` statement.

    Attributes:
        node: the statement.
        body: the lines that it guards.
        whole: all its lines.
    """

    node: Any
    body: range
    whole: range

    @property
    def leaves(self) -> bool:
        """Whether what it guards ends the loop or the function when nothing is raised."""
        good = [*self.node.body, *getattr(self.node, "orelse", ())]
        return any(isinstance(node, (ast.Return, ast.Break)) for node in _inside(good))


@dataclasses.dataclass(frozen=True, slots=True)
class Clause:
    """What may have caught an exception.

    Attributes:
        text: its source on one line.
        line: where it begins.
        guard: the statement that it is a part of.
        body: the lines of its handler; empty for ``with``.
        bases: the classes it names that the exception is an instance of.
        certain: whether it matches the exception for sure.
        manager: the context manager of a ``with``, where a name says it.
    """

    text: str
    line: int
    guard: Guard
    body: range
    bases: tuple[type[BaseException], ...]
    certain: bool
    manager: object = None

    def entered(self, lines: Sequence[int]) -> bool:
        """Tell from the lines that ran next whether it took the exception."""
        if self.body:
            return any(line in self.body for line in lines)
        return self.certain or any(line not in self.guard.whole for line in lines)


@functools.lru_cache(maxsize=64)
def _tree(filename: str, source: str) -> ast.Module | None:
    try:
        return ast.parse(source, filename)
    except (SyntaxError, ValueError, RecursionError):
        return None


def _source(frame: FrameType) -> str:
    return "".join(linecache.getlines(frame.f_code.co_filename, frame.f_globals))


def guards(frame: FrameType, line: int) -> list[Guard] | None:
    """Return the statements around a line of a frame that could catch what is raised there, inner first.

    None where the source cannot be read.
    """
    code = frame.f_code
    found = _in_scope(code.co_filename, _source(frame), code.co_name, code.co_firstlineno)
    return None if found is None else [guard for guard in found if line in guard.body]


@functools.lru_cache(maxsize=512)
def _in_scope(filename: str, source: str, name: str, first: int) -> tuple[Guard, ...] | None:
    tree = _tree(filename, source)
    scope = None if tree is None else _scope(tree, name, first)
    if scope is None:
        return None
    found = [_guard(node) for node in _inside(scope.body) if isinstance(node, (*_TRIES, *_WITHS))]
    return tuple(sorted(found, key=lambda guard: len(guard.whole)))


def _guard(node: Any) -> Guard:
    return Guard(node, _lines(node.body), range(node.lineno, (node.end_lineno or node.lineno) + 1))


def _lines(body: Sequence[Any]) -> range:
    return range(body[0].lineno, (body[-1].end_lineno or body[-1].lineno) + 1)


def _scope(tree: ast.Module, name: str, first: int) -> Any:
    """Return the function or class whose code has this name and first line; decorators come before it."""
    if name == "<module>":
        return tree
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) and node.name == name:
            begins = min([node.lineno, *(one.lineno for one in node.decorator_list)])
            if first in {begins, node.lineno}:
                return node
    return None


def _inside(body: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield the nodes of a body, but not those of the functions and classes in it."""
    waiting = list(body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, _SCOPES):
            waiting.extend(ast.iter_child_nodes(node))


def clauses(guard: Guard, error: BaseException, frame: FrameType) -> Iterator[Clause]:
    """Yield the clauses of a statement that may have caught an exception, up to the first that certainly did."""
    if isinstance(guard.node, _WITHS):
        yield from _of_with(guard, error, frame)
        return
    grouped = not isinstance(guard.node, ast.Try)
    for handler in guard.node.handlers:
        named = BaseException if handler.type is None else value_of(handler.type, frame)
        bases = bases_of(error, named, grouped=grouped)
        if bases == ():
            continue
        text = _except_text(handler, "*" if grouped else "")
        yield Clause(text, handler.lineno, guard, _body(handler), bases or (), certain=bases is not None)
        if bases is not None:
            return
    final = guard.node.finalbody
    if any(isinstance(node, (ast.Return, ast.Break, ast.Continue)) for node in _inside(final)):
        line = _line_of_finally(guard)
        yield Clause("finally:", line, guard, _lines(final), (), certain=True)


def _line_of_finally(guard: Guard) -> int:
    """Return the line of the keyword, which stands nowhere in the tree: after what comes before, above its body."""
    return int(guard.node.finalbody[0].lineno) - 1


def _body(handler: ast.ExceptHandler) -> range:
    """Return the lines that run only in the handler; of a handler on one line that is the line of its clause."""
    clause_end = handler.lineno if handler.type is None else (handler.type.end_lineno or handler.lineno)
    lines = _lines(handler.body)
    return lines if lines.start > clause_end else range(handler.lineno, lines.stop)


def _of_with(guard: Guard, error: BaseException, frame: FrameType) -> Iterator[Clause]:
    for item in reversed(guard.node.items):
        expression = item.context_expr
        called = isinstance(expression, ast.Call) and _flat(expression.func).rpartition(".")[2] == "suppress"
        bases: tuple[type[BaseException], ...] | None = None
        if called:
            bases = bases_of(error, tuple(value_of(one, frame) for one in expression.args))
            if bases == ():
                continue
        start = "async with" if isinstance(guard.node, ast.AsyncWith) else "with"
        manager = None if isinstance(expression, ast.Call) else value_of(expression, frame)
        text = f"{start} {_flat(expression)}"
        yield Clause(text, guard.node.lineno, guard, range(0), bases or (), certain=bool(bases), manager=manager)


def _except_text(handler: ast.ExceptHandler, star: str) -> str:
    what = "" if handler.type is None else f" {_flat(handler.type)}"
    return f"except{star}{what}" + (f" as {handler.name}:" if handler.name else ":")


def _flat(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 120 else f"{text[:119]}…"


def value_of(node: ast.expr, frame: FrameType) -> object:
    """Return the value of an expression of names, attributes and tuples in a frame; others are left alone."""
    if not all(isinstance(one, _HARMLESS) for one in ast.walk(node)):
        return _UNSEEN
    try:
        code = compile(ast.Expression(node), "<clause>", "eval")
        return eval(code, frame.f_globals, dict(frame.f_locals))  # noqa: S307 - the program's own expression
    except Exception:  # noqa: BLE001 - a name that is gone, a property that raises
        return _UNSEEN


def bases_of(error: BaseException, classes: object, *, grouped: bool = False) -> tuple[type[BaseException], ...] | None:
    """Return those of the classes that an exception is an instance of; None where nobody can tell.

    Args:
        error: the exception.
        classes: a class, or a tuple of classes that may be nested.
        grouped: whether a group counts as what is in it, as it does for ``except*``.
    """
    flat = list(_flattened(classes))
    known = [one for one in flat if isinstance(one, type) and issubclass(one, BaseException)]
    found = tuple(one for one in known if _is(error, one, grouped))
    if not found and len(known) < len(flat):
        return None
    return found


def _flattened(classes: object) -> Iterator[object]:
    if isinstance(classes, (tuple, list, set, frozenset)):
        for one in classes:
            yield from _flattened(one)
    else:
        yield classes


def _is(error: BaseException, kind: type[BaseException], grouped: bool) -> bool:
    inside = getattr(error, "exceptions", ()) if grouped else ()
    return kind in type(error).__mro__ or any(_is(one, kind, grouped) for one in inside)
