"""What one looks at first in a study: the ranked lines, with the project's own exceptions told from escapes."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from pytest_llmfaults._contract.rank import ranked
from pytest_llmfaults._contract.study import Study
from pytest_llmfaults._contract.versions import versions_of

__all__ = ["of", "own_modules"]


def of(study: Study, root: Path) -> list[str]:
    """Rank what was observed: a line each, and below it the names where there are several."""
    usual = study.baseline.ok.observation.attempts
    return [
        finding.text if finding.count == 1 else f"{finding.text}\n    {finding.names}"
        for finding in ranked(study.ranked_input(), own=own_modules(study, root), usual=usual)
    ]


_BUILT_ON: Final = frozenset(
    {
        *("aiohttp", "anyio", "h11", "h2", "httpcore", "httpcore2", "httpx", "httpx2", "requests", "trio", "urllib3"),
        *("attr", "jiter", "jsonschema", "msgspec", "orjson", "pydantic", "pydantic_core", "simplejson"),
        *("backoff", "stamina", "tenacity"),
        *("_pytest", "pytest", "pytest_llmfaults"),
    }
)
"""What clients are built on: HTTP, parsers and validators, retry loops, and what observes. Its exceptions come through
a client by accident, unless it sent the request itself; those of any other package are that package's decision."""


def own_modules(study: Study, root: Path) -> list[str]:
    """Name the modules whose exceptions are no escapes: those of the project under ``root``, and of its SDKs."""
    own = {name.replace("-", "_") for name in versions_of(study.baseline.ok.called.view.requests)}
    seen = [one for case in study.cases for one in (case.persists, case.once) if one is not None]
    raised = {one.called.module for one in seen if one.called.module is not None}
    return sorted(own | {module for module in raised if _is_local(module, root) or _is_decided(module)})


def _is_decided(module: str) -> bool:
    package = module.partition(".")[0]
    return package not in _BUILT_ON and package != "builtins" and package not in sys.stdlib_module_names


def _is_local(module: str, root: Path) -> bool:
    file = getattr(sys.modules.get(module), "__file__", None)
    return file is not None and Path(file).is_relative_to(root) and "site-packages" not in Path(file).parts
