"""The direction of imports: each room knows only those before it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "pytest_llmfaults"
ROOMS = (
    ("errors", "_edition", "_registry", "_secrets"),
    ("_reply", "_request", "_turns", "_answer", "_pattern", "_schema", "_telemetry", "_recorded", "_clock", "_dial"),
    ("_settings",),
    ("_wires",),
    ("_faults",),
    ("_rules", "_quota", "_filter", "extending"),
    ("_consumed",),
    ("_ledger", "_injection", "_standing"),
    ("_strategies", "strategies"),
    ("_texts", "_run"),
    ("_current", "_placeholders"),
    ("_views", "_verdict", "_inject", "_strict"),
    ("_transports",),
    ("_contract",),
    ("_pytest",),
    ("hookspecs",),
    ("plugin", "__main__"),
)
RANK = {name: rank for rank, names in enumerate(ROOMS) for name in names}
LAZY = {
    ("_ledger", "_faults"),  # types only
    ("_current", "_transports"),  # asked to stand in place when a run begins, and imported no earlier
}
CLIENTS = {"requests", "urllib3", "http", "httpx", "httpx2", "httpcore", "httpcore2", "aiohttp", "responses", "respx"}
CLIENT_SUBMODULES = {"http.client"}


def imports(path: Path) -> set[str]:
    """Return the dotted names that a file imports, at the top or inside functions."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def room_of(path: Path) -> str:
    """Return the room that a file is in."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


FILES = sorted(path for path in PACKAGE.rglob("*.py") if path != PACKAGE / "__init__.py")


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(PACKAGE)) for path in FILES])
def test_a_room_imports_only_rooms_before_it(path: Path) -> None:
    here = room_of(path)
    assert here in RANK, f"{here} has no place in the order of rooms"
    for name in imports(path):
        parts = name.split(".")
        if parts[0] != "pytest_llmfaults" or len(parts) < 2 or parts[1] not in RANK:
            continue
        there = parts[1]
        assert RANK[there] <= RANK[here] or (here, there) in LAZY, f"{path.name} imports {name}"


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(PACKAGE)) for path in FILES])
def test_only_transports_import_clients_and_only_the_surface_imports_pytest(path: Path) -> None:
    here = room_of(path)
    found = {name.split(".")[0] for name in imports(path)}
    if here not in {"_pytest", "hookspecs", "plugin"}:
        assert not found & {"pytest", "_pytest"}
    if here != "_transports":
        assert not found & (CLIENTS - {"http"})
        assert not imports(path) & CLIENT_SUBMODULES
    if here not in {"strategies", "_strategies"}:
        assert "hypothesis" not in found


@pytest.mark.parametrize("path", FILES, ids=[str(path.relative_to(PACKAGE)) for path in FILES])
def test_a_module_stays_small_enough_to_be_one_thing(path: Path) -> None:
    tree = ast.parse(path.read_text())
    assert len(path.read_text().splitlines()) <= 320
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            start = node.body[1].lineno if ast.get_docstring(node) and len(node.body) > 1 else node.lineno
            assert (node.end_lineno or start) - start <= 45, f"{node.name} in {path.name}"
