"""Who bound a function of `time` before it was replaced.

`from time import sleep` does, and so does `def retry(call, sleep=time.sleep)`.

All modules of a process hold a hundred thousand names and a suite has thousands of tests, so each module is
looked through once. Found are names of modules and of their classes, and defaults of parameters; not found
is what an object took along when it was made before the clock started.
"""

from __future__ import annotations

import sys
import weakref
from types import FunctionType, ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import TypeAlias

    Functions: TypeAlias = Mapping[int, Callable[..., Any]]
    Site: TypeAlias = "_Item | _Attribute | _Defaults"


def modules_mark() -> object:
    """Something that differs once a module was imported: cheap enough to be asked at each request."""
    last = next(reversed(sys.modules))
    return len(sys.modules), last, sys.modules.get(last)


class _Item:
    """A value in a dictionary: a module's name, or the default of a keyword."""

    __slots__ = ("_holder", "_name")

    def __init__(self, holder: dict[str, Any], name: str) -> None:
        self._holder = holder
        self._name = name

    def replace(self, by: Functions) -> None:
        new = by.get(id(self._holder.get(self._name)))
        if new is not None:
            self._holder[self._name] = new


class _Attribute:
    """A name of a class, bare or as a static method."""

    __slots__ = ("_holder", "_name")

    def __init__(self, holder: type, name: str) -> None:
        self._holder = holder
        self._name = name

    def replace(self, by: Functions) -> None:
        value = self._holder.__dict__.get(self._name)
        static = isinstance(value, staticmethod)
        new = by.get(id(value.__func__ if isinstance(value, staticmethod) else value))
        if new is not None:
            type.__setattr__(self._holder, self._name, staticmethod(new) if static else new)


class _Defaults:
    """Defaults of positional parameters."""

    __slots__ = ("_holder",)

    def __init__(self, holder: FunctionType) -> None:
        self._holder = holder

    def replace(self, by: Functions) -> None:
        values = self._holder.__defaults__ or ()
        if any(id(value) in by for value in values):
            self._holder.__defaults__ = tuple(by.get(id(value), value) for value in values)


class EarlyBound:
    """The places that hold one of our functions, or one of those that they replace."""

    def __init__(self, ids: frozenset[int], is_user: Callable[[str], bool]) -> None:
        """Know what to look for.

        Args:
            ids: identities of all functions to find.
            is_user: whether the module of this name is code under test.
        """
        self._ids = ids
        self._is_user = is_user
        self._known: dict[str, weakref.ref[ModuleType]] = {}
        self._sites: dict[str, list[Site]] = {}
        self._replaced: list[Site] = []
        self._mark: object = None

    def replace(self, by: Functions) -> None:
        """Put other functions in all places."""
        self._look()
        for sites in self._sites.values():
            self._replaced += sites
        for site in self._replaced:
            site.replace(by)

    def restore(self, by: Functions) -> None:
        """The same at the end; modules that were taken out of `sys.modules` meanwhile are not forgotten."""
        if self._replaced:
            self.replace(by)
        self._replaced = []

    def _look(self) -> None:
        """Look through the modules that are new."""
        mark = modules_mark()
        if mark == self._mark:
            return
        self._mark = mark
        modules = dict(sys.modules)
        for key in self._known.keys() - modules.keys():
            del self._known[key]
            self._sites.pop(key, None)
        for key, module in modules.items():
            known = self._known.get(key)
            if known is not None and known() is module:
                continue
            if not issubclass(type(module), ModuleType):  # isinstance() believes the libraries of cffi, which are none
                continue
            self._known[key] = weakref.ref(module)
            self._sites.pop(key, None)
            if self._is_user(key) and (sites := list(self._in_module(module))):
                self._sites[key] = sites

    def _in_module(self, module: ModuleType) -> Iterator[Site]:
        namespace = vars(module)
        for name, value in list(namespace.items()):  # by type(): isinstance() asks a lazy proxy, which may import
            if id(value) in self._ids:
                yield _Item(namespace, name)
            elif type(value) is FunctionType:
                yield from self._in_function(value)
            elif issubclass(type(value), type) and vars(value).get("__module__") == module.__name__:
                yield from self._in_class(value)

    def _in_class(self, kind: type) -> Iterator[Site]:
        for name, value in list(vars(kind).items()):
            function = value.__func__ if isinstance(value, staticmethod | classmethod) else value
            if id(function) in self._ids:
                yield _Attribute(kind, name)
            elif type(function) is FunctionType:
                yield from self._in_function(function)

    def _in_function(self, function: FunctionType) -> Iterator[Site]:
        if function.__defaults__ and any(id(value) in self._ids for value in function.__defaults__):
            yield _Defaults(function)
        keywords: dict[str, Any] = function.__kwdefaults__ or {}
        for name, value in keywords.items():
            if id(value) in self._ids:
                yield _Item(keywords, name)
