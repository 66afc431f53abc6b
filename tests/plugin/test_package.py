"""The example of a package, built and installed as pip does it, and used by pytest in a process of its own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.pages import DOCS

PACKAGE = DOCS / "examples" / "gateway_package"
BOT = """
    import requests

    def ask():
        reply = requests.post("https://llm.acme.example/v2/ask", json={"prompt": "What now?"}, timeout=20)
        return reply.json()["result"][0]["text"]
"""


def run(folder: Path, *arguments: str, site: Path | None) -> subprocess.CompletedProcess[str]:
    """Run Python in a folder; ``site`` is where the package is installed, None is nowhere."""
    environment = {**os.environ, "PYTHONPATH": os.fspath(site) if site else ""}
    environment.pop("ACME_LLM_KEY", None)
    command = [sys.executable, "-m", *arguments]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the example's tests, without the package beside them."""
    folder = tmp_path_factory.mktemp("copied")
    shutil.copytree(PACKAGE / "tests", folder / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PACKAGE / "pyproject.toml", folder)
    return folder


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder that the package is installed in, built from a copy: a build leaves things behind."""
    source = tmp_path_factory.mktemp("source") / "gateway_package"
    shutil.copytree(PACKAGE, source, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    folder = tmp_path_factory.mktemp("site")
    options = ["--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check"]
    result = run(source, "pip", "install", *options, "--target", os.fspath(folder), ".", site=None)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder


def test_its_own_tests_pass_where_it_is_installed(copied: Path, site: Path) -> None:
    result = run(copied, "pytest", "-q", "tests", "-p", "no:cacheprovider", site=site)
    assert "12 passed" in result.stdout, result.stdout + result.stderr
    assert "1 contract, " in result.stdout


def test_nothing_of_it_is_known_where_it_is_not(copied: Path) -> None:
    result = run(copied, "pytest", "-q", "tests", "-p", "no:cacheprovider", site=None)
    assert result.returncode != 0
    assert "'acme.verdict_*' is not a fault." in result.stdout


def test_pytest_lists_what_it_brings(tmp_path: Path, site: Path) -> None:
    result = run(tmp_path, "pytest", "--llmfaults-list", "acme", site=site)
    assert "acme.verdict_unknown  [draw same, partial, from acme-llmfaults 1.0.0]" in result.stdout
    assert "acme.queued  [draw fresh, total, from acme-llmfaults 1.0.0]" in result.stdout


def test_so_do_the_commands(tmp_path: Path, site: Path) -> None:
    assert "acme.queued" in run(tmp_path, "pytest_llmfaults", "list", "acme", site=site).stdout
    assert "acme.queued" not in run(tmp_path, "pytest_llmfaults", "list", "acme", site=None).stdout


def test_the_audit_plays_them(tmp_path: Path, site: Path) -> None:
    (tmp_path / "bot.py").write_text("\n".join(line.removeprefix("    ") for line in BOT.splitlines()))
    result = run(tmp_path, "pytest_llmfaults", "audit", "bot:ask", "--faults", "acme,content.empty", site=site)
    assert result.returncode == 0, result.stdout + result.stderr
    assert "bot:ask under 3 faults" in result.stdout
    assert "1 attempt, raises KeyError\n  acme.queued" in result.stdout


def test_the_audit_loads_a_conftest_that_is_named(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("\n".join(line.removeprefix("    ") for line in BOT.splitlines()))
    code = (PACKAGE / "acme_llmfaults" / "gateway.py").read_text()
    (tmp_path / "reply.json").write_text((PACKAGE / "acme_llmfaults" / "reply.json").read_text())
    (tmp_path / "conftest.py").write_text(f"{code}\n\ndef pytest_llmfaults_wires():\n    return [ASK]\n")
    command = ("pytest_llmfaults", "audit", "bot:ask", "--faults", "content.empty")
    assert run(tmp_path, *command, "-p", "conftest", site=None).returncode == 0
    unknown = run(tmp_path, *command, site=None)
    assert unknown.returncode != 0
    assert "its path is not the route of a known wire" in unknown.stdout + unknown.stderr


def test_a_suite_that_does_not_use_it_is_as_before(tmp_path: Path, site: Path) -> None:
    (tmp_path / "test_it.py").write_text(
        "import pytest\n\n@pytest.mark.llmfaults(draw='depends')\ndef test_it(llmfaults): pass\n"
    )
    collect = ("pytest", "--collect-only", "-q", "-p", "no:cacheprovider")
    with_it, without = (run(tmp_path, *collect, site=one).stdout for one in (site, None))
    assert "test_it.py::test_it[" in without
    assert [line for line in with_it.splitlines() if "::" in line] == [
        line for line in without.splitlines() if "::" in line
    ]
