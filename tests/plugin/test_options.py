"""Options, and what the plugin costs a suite that does not use it."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest


def test_listing_all(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("--llmfaults-list")
    assert result.ret == 0
    result.stdout.fnmatch_lines(["content.empty  *", "turn.user_after_tool  *", "* faults, * rules."])
    assert max(map(len, result.outlines)) <= 80


def test_listing_by_words(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("--llmfaults-list", "latency", "fresh")
    result.stdout.fnmatch_lines(["transport.latency*", "*seconds=*", "* of * faults, 0 of * rules."])
    result.stdout.no_fnmatch_line("content.empty*")


def test_listing_rules(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("--llmfaults-list", "turn")
    result.stdout.fnmatch_lines(
        [
            "turn.user_after_tool  [[]rule[]]",
            "turn.context_limit  [[]rule[]]",
            "    characters=1000000: an integer from 100 to 1e+07",
            "turn.reasoning_required  [[]rule, only by its full name[]]",
            "* faults, 23 of 23 rules.",
        ]
    )
    assert max(map(len, result.outlines)) <= 80


def test_the_marker_is_registered_with_its_signature(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest("--markers")
    result.stdout.fnmatch_lines(["@pytest.mark.llmfaults(*faults, draw=None*"])


def test_an_empty_run_imports_no_client_and_no_hypothesis(pytester: pytest.Pytester) -> None:
    pytester.makepyfile("def test_it():\n    pass\n")
    pytester.makeconftest("""
        import json, sys

        def pytest_unconfigure(config):
            open("modules.json", "w").write(json.dumps(sorted(sys.modules)))
    """)
    environment_free = ["-p", "no:anyio", "-p", "no:hypothesispytest", "-p", "no:respx", "-p", "no:recording"]
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", *environment_free, "-p", "pytest_llmfaults.plugin"],
        cwd=pytester.path,
        env={"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PATH": ""},
        check=True,
        capture_output=True,
    )
    modules = set(json.loads((pytester.path / "modules.json").read_text()))
    heavy = {"requests", "httpx", "httpx2", "aiohttp", "urllib3", "hypothesis", "respx", "responses", "asyncio"}
    assert not heavy & modules
    assert not {"pytest_llmfaults._run", "pytest_llmfaults._clock", "pytest_llmfaults._faults"} & modules
