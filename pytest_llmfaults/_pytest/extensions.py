"""Asking the hooks: what other packages and the conftest.py of a suite lend to a session."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import pytest

from pytest_llmfaults import _registry

if TYPE_CHECKING:
    from pluggy import HookImpl

    from pytest_llmfaults._registry import Kind, Loan, Loans

__all__ = ["EDITIONS", "Late", "begin", "editions", "lent"]

EDITIONS: Final = "llmfaults_editions"
_HOOKS: Final[dict[Kind, str]] = {
    "wires": "pytest_llmfaults_wires",
    "dialects": "pytest_llmfaults_dialects",
    "faults": "pytest_llmfaults_faults",
    "transports": "pytest_llmfaults_transports",
}
"""The hooks, in the order in which they are asked: a dialect is one of a wire, and a fault may be about a wire."""


@contextlib.contextmanager
def lent(config: pytest.Config) -> Iterator[None]:
    """Ask the hooks, and know what they return until the block ends; nothing is imported where nobody answers.

    Raises:
        pytest.UsageError: what one returns cannot be used; the text says whose, why, and what is allowed.
    """
    loans: Loans = {}
    for kind in _HOOKS:
        loans = {**loans, kind: _asked(config, kind, loans)}
    with _registry.lending(loans):
        yield


def begin(config: pytest.Config, stack: contextlib.ExitStack) -> None:
    """Do what ``lent`` does until the session ends, and refuse a conftest.py that comes too late to be asked."""
    stack.enter_context(lent(config))
    late = Late(config)
    config.pluginmanager.register(late, "llmfaults-late")


class Late:
    """Refuses hooks that are registered when the session has begun: nobody would ask them."""

    def __init__(self, config: pytest.Config) -> None:
        """Know who was asked."""
        self._config = config
        self._asked = [impl.plugin for kind in _HOOKS for impl in _answers(config, kind)]

    @pytest.hookimpl
    def pytest_plugin_registered(self, plugin: object) -> None:
        """Look at a plugin that is registered.

        Raises:
            pytest.UsageError: it has a hook of ours.
        """
        if any(plugin is one for one in self._asked):
            return
        for kind, hook in _HOOKS.items():
            for impl in _answers(self._config, kind):
                if impl.plugin is plugin:
                    msg = (
                        f"{_origin(self._config, impl)} has the hook {hook} and is loaded too late to be asked. Put it "
                        "into the conftest.py of the root directory, or into a plugin."
                    )
                    raise pytest.UsageError(msg)


def _answers(config: pytest.Config, kind: Kind) -> list[HookImpl]:
    return list(getattr(config.hook, _HOOKS[kind]).get_hookimpls())


def _asked(config: pytest.Config, kind: Kind, loans: Loans) -> dict[str, Loan]:
    """Ask one hook of everybody, and check what comes."""
    found: dict[str, Loan] = {}
    for origin, impl in sorted(
        ((_origin(config, impl), impl) for impl in _answers(config, kind)), key=lambda one: one[0]
    ):
        from pytest_llmfaults._pytest.extension_checks import CHECKS
        from pytest_llmfaults.errors import InvalidUse

        problem = ""
        for value in _returned(config, impl, f"{_HOOKS[kind]} of {origin}"):
            try:
                with _registry.lending({**loans, kind: found}):
                    CHECKS[kind](value, origin)
            except InvalidUse as error:
                problem = f"{_HOOKS[kind]} of {origin}: {error}"
            if problem:  # outside of the handler: one clear line
                raise pytest.UsageError(problem)
            found[value.name] = _registry.Loan(value, origin)
    return found


def _returned(config: pytest.Config, impl: HookImpl, whose: str) -> list[Any]:
    """Call one implementation, and say whose it is where it fails."""
    if impl.wrapper or impl.hookwrapper:
        msg = f"{whose} is a wrapper. It returns what it brings, and has nothing to wrap: take wrapper=True away."
        raise pytest.UsageError(msg)
    given: dict[str, object] = {"config": config}
    try:
        values: Any = impl.function(*[given[name] for name in impl.argnames])
        if isinstance(values, Iterable) and not isinstance(values, (str, bytes, Mapping)):
            return list(values)
    except Exception as error:
        msg = f"{whose} raised {error!r}."
        raise pytest.UsageError(msg) from error
    msg = f"{whose} returned {values!r}; it returns a list, also where it brings one thing or none."
    raise pytest.UsageError(msg)


def _origin(config: pytest.Config, impl: HookImpl) -> str:
    """Say whose hook it is: a distribution, a conftest.py, or a module."""
    for plugin, distribution in config.pluginmanager.list_plugin_distinfo():
        if plugin is impl.plugin:
            return f"{distribution.project_name} {distribution.version}"
    file = getattr(impl.plugin, "__file__", None)
    if file is not None and Path(file).name == "conftest.py":
        return os.path.relpath(file, config.rootpath)
    return str(impl.plugin_name)


def editions(config: pytest.Config) -> dict[str, int]:
    """Return the edition of each family of another package that the suite chose.

    Raises:
        pytest.UsageError: a line cannot be read; the text says how it should look. A family that nobody brings is no
            error: the package may be missing where the suite is run in part.
    """
    found = {}
    for line in config.getini(EDITIONS):
        family, equals, number = (part.strip() for part in line.partition("="))
        if not (family and equals and number.isdecimal() and int(number)):
            msg = f"{EDITIONS}: {line!r} does not read 'family = number', such as 'acme = 2'."
            raise pytest.UsageError(msg)
        found[family] = int(number)
    return found
