"""Retry libraries and SDKs with a loop of their own, as rows of data: where the loop is, and what it was told."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Mapping
from types import FrameType
from typing import Any, Final

from pytest_llmfaults._contract._why_trace import top

__all__ = ["ROWS", "Predicate", "Row", "manages", "predicate_of", "row_of"]


@dataclasses.dataclass(frozen=True, slots=True)
class Predicate:
    """What a library was told about when to retry.

    Attributes:
        text: in the library's own words.
        classes: the exception classes it names: a class, a tuple of them, or None.
    """

    text: str
    classes: object = None


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A library that retries.

    Attributes:
        module: the package that its loop is in.
        name: what it is called.
        read: reads the predicate from the local variables of the loop; may raise anything.
        manager: reads it from the context manager that the library gave to a loop in user code, or None.
    """

    module: str
    name: str
    read: Callable[[Mapping[str, Any]], Predicate]
    manager: Callable[[Any], Predicate] | None = None


def function_name(function: Any) -> str:
    """Name a function; a lambda by its place."""
    while isinstance(function, functools.partial):
        function = function.func
    name = str(getattr(function, "__name__", type(function).__name__))
    if name != "<lambda>":
        return name
    code = function.__code__
    file = code.co_filename.replace("\\", "/").rpartition("/")[2]
    return f"a lambda at {file}:{code.co_firstlineno}"


def class_names(classes: Any) -> str:
    """Write a class, or a tuple of classes, as a person would have."""
    if isinstance(classes, (tuple, list)):
        return f"({', '.join(map(class_names, classes))})"
    if isinstance(classes, (set, frozenset)):
        return f"({', '.join(sorted(map(class_names, classes)))})"
    return str(getattr(classes, "__name__", classes))


def _tenacity(retry: Any) -> Predicate:
    name = type(retry).__name__.lstrip("_")
    parts = getattr(retry, "retries", None)
    if parts is not None:
        predicates = [_tenacity(part) for part in parts]
        sign = " & " if name == "retry_all" else " | "
        return Predicate(sign.join(one.text for one in predicates), tuple(one.classes for one in predicates))
    classes = getattr(retry, "exception_types", getattr(retry, "exception_cause_types", None))
    if classes is not None:
        return Predicate(f"{name}({class_names(classes)})", classes)
    for key in ("message", "match"):
        value = getattr(retry, key, None)
        if value is not None:
            return Predicate(f"{name}({key}={getattr(value, 'pattern', value)!r})")
    inner = getattr(retry, "predicate", None)
    if inner is not None:
        return Predicate(f"{name}({function_name(inner)})")
    return Predicate(name if name.startswith("retry") else function_name(retry))


def _stamina(attempt: Any) -> Predicate:
    retry = attempt._t_attempt.retry_state.retry_object.retry  # noqa: SLF001 - there is no public way
    hook = getattr(retry, "_backoff_hook", None)
    if hook is not None:
        return Predicate(f"on={function_name(hook)}")
    return Predicate(f"on={class_names(retry.exception_types)}", retry.exception_types)


def _backoff(names: Mapping[str, Any]) -> Predicate:
    if "predicate" in names:
        return Predicate(f"on_predicate({function_name(names['predicate'])})")
    return Predicate(f"on_exception({class_names(names['exception'])})", names["exception"])


def _urllib3(names: Mapping[str, Any]) -> Predicate:
    retry = names["retries"]
    last = retry.history[-1]
    if last.error is None:
        forced = last.status in (retry.status_forcelist or ())
        return Predicate(f"{'status_forcelist' if forced else 'respect_retry_after_header'} ({last.status})")
    kinds = (("connect", retry._is_connection_error), ("read", retry._is_read_error))  # noqa: SLF001 - see above
    kind = next((kind for kind, is_kind in kinds if is_kind(last.error)), "other")
    return Predicate(f"{kind} errors")


def _httpx_retries(names: Mapping[str, Any]) -> Predicate:
    retry, reply = names["retry"], names["response"]
    if isinstance(reply, Exception):
        classes = tuple(retry.retryable_exceptions)
        return Predicate(f"retry_on_exceptions {class_names(classes)}", classes)
    forced = reply.status_code in retry.status_forcelist
    return Predicate(f"status_forcelist ({reply.status_code})" if forced else "validate_response")


def _sdk(names: Mapping[str, Any]) -> Predicate:
    return Predicate(f"its own retry (max_retries={names['max_retries']})")


ROWS: Final = (
    Row(
        module="tenacity",
        name="tenacity",
        read=lambda names: _tenacity(names["self"].retry),
        manager=lambda attempt: _tenacity(attempt.retry_state.retry_object.retry),
    ),
    Row(module="stamina", name="stamina", read=lambda names: _stamina(names["attempt"]), manager=_stamina),
    Row(module="backoff", name="backoff", read=_backoff),
    Row(module="urllib3", name="urllib3 Retry", read=_urllib3),
    Row(module="httpx_retries", name="httpx-retries", read=_httpx_retries),
    Row(module="openai", name="openai", read=_sdk),
    Row(module="anthropic", name="anthropic", read=_sdk),
    Row(module="groq", name="groq", read=_sdk),
)
_BY_MODULE: Final = {row.module: row for row in ROWS}


def row_of(frame: FrameType) -> Row | None:
    """Return the row of the library that a frame's code is in."""
    return _BY_MODULE.get(top(frame))


def predicate_of(frame: FrameType) -> tuple[Row, Predicate] | None:
    """Return what a library was told whose loop runs in this frame; None for a frame that is no such loop."""
    row = row_of(frame)
    return None if row is None else _read(row, row.read, frame.f_locals)


def manages(manager: object) -> tuple[Row, Predicate] | None:
    """Return what a library was told that gave out this context manager, or None."""
    row = _BY_MODULE.get(type(manager).__module__.partition(".")[0])
    return None if row is None or row.manager is None else _read(row, row.manager, manager)


def _read(row: Row, read: Callable[[Any], Predicate], source: Any) -> tuple[Row, Predicate] | None:
    try:
        return row, read(source)
    except Exception:  # noqa: BLE001 - another version of the library, or not its loop
        return None
