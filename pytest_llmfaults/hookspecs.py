"""Hooks for other packages and for the conftest.py of a suite. What they are made of is in ``extending``.

Each is asked once, when a session starts, in every process of it (also in each worker of xdist, for
``pytest --llmfaults-list`` and for ``python -m pytest_llmfaults``). What they return is known until the session ends.
A package is found by its entry point ``pytest11``, a conftest.py where pytest loads it at the start: in the root
directory, or in one that is named on the command line.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from pytest_llmfaults._dial import Transport
    from pytest_llmfaults._faults import Fault
    from pytest_llmfaults._wires import Dialect, Wire

__all__ = [
    "pytest_llmfaults_dialects",
    "pytest_llmfaults_faults",
    "pytest_llmfaults_transports",
    "pytest_llmfaults_wires",
]


def pytest_llmfaults_wires(config: pytest.Config) -> Iterable[Wire]:  # type: ignore[empty-body]
    """Return further wires.

    Each has a name of its own, ``company.format``, and routes that no other wire has: of two path endings that fit a
    request the longer one counts, and two that are equal are refused.

    Args:
        config: of the session.

    Returns:
        The wires; :meth:`Wire.from_sample` makes one from a recorded reply.
    """


def pytest_llmfaults_dialects(config: pytest.Config) -> Iterable[Dialect]:  # type: ignore[empty-body]
    """Return further dialects: how hosts speak wires.

    Each has a name of its own, one word, and hosts that no other dialect of its wire has; without hosts it is spoken
    where ``dialect=`` or the ini ``llmfaults_dialect`` says so.

    Args:
        config: of the session.

    Returns:
        The dialects.
    """


def pytest_llmfaults_transports(config: pytest.Config) -> Iterable[Transport]:  # type: ignore[empty-body]
    """Return further places where a library opens connections.

    Each is about a library that has one blocking function which returns a connected socket, and none of those that this
    package knows beneath it. What it patches is patched while a run is active, and put back after it.

    Args:
        config: of the session.

    Returns:
        The transports.
    """


def pytest_llmfaults_faults(config: pytest.Config) -> Iterable[Fault]:  # type: ignore[empty-body]
    """Return further rows of the catalogue.

    Their family, the part of the name before the dot, is one that nobody else has. They are chosen by their names, by
    their family, and by globs that spell the family out (``acme.*``): never by ``*``, ``all``, or a filter alone.
    ``since`` counts the family's own editions from 1. Patterns mean edition 1 until the suite's ini
    ``llmfaults_editions`` says ``acme = 2``; a contract keeps the edition that it was signed with. Rows of an edition
    that was released do not change: what is new or mended is a row of the next one.

    Args:
        config: of the session.

    Returns:
        The rows, in the order in which they are listed and played.
    """
