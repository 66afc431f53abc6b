"""The audited clients, in person. Nothing here runs without the dependency group ``audit``: ``make audit``."""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

CATALOGUE_DOCS = Path(__file__).parent.parent.parent / "docs" / "catalogue"
PACKAGES = ("litellm", "langchain_anthropic", "langchain_openai", "instructor", "pydantic_ai")
MISSING = [name for name in PACKAGES if importlib.util.find_spec(name) is None]


ROOM = Path(__file__).parent


def pytest_configure(config: pytest.Config) -> None:
    """Refuse a run of this room that would pass by skipping everything.

    Raises:
        pytest.UsageError: the room was asked for, and packages are missing.
    """
    given = [(config.invocation_params.dir / arg.partition("::")[0]).resolve() for arg in config.args]
    if MISSING and any(path == ROOM.resolve() or ROOM.resolve() in path.parents for path in given):
        msg = (
            f"tests/audit was asked for, and the clients to audit are not installed: {', '.join(MISSING)}. "
            "Install them with `pip install --group audit`, or let `make test-audit` do it."
        )
        raise pytest.UsageError(msg)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """In a run of the whole suite, say which packages are missing, by name, rather than pass in silence."""
    if not MISSING:
        return
    reason = f"the clients to audit are not installed: {', '.join(MISSING)}. Run make audit."
    for item in items:
        if ROOM in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=reason))


@pytest.fixture(scope="module")
def audit() -> Iterator[Any]:
    """Return the audited clients by name, and what observes them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(CATALOGUE_DOCS))
        import asks
        import clients
        import observe
        import subjects
        import tables

        with subjects.quiet():
            by_name = {one.name: one for one in subjects.subjects()}
            yield SimpleNamespace(
                asks=asks,
                clients=clients,
                observe=observe.observe,
                compared=observe.compared,
                by_name=by_name,
                tables={one.name: one for one in tables.tables()},
            )


@pytest.fixture(scope="module")
def offline() -> Iterator[None]:
    """Let no framework fetch prices, send traces or write to the terminal."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(CATALOGUE_DOCS))
        import subjects

        with subjects.quiet():
            yield
