"""``python -m pytest_llmfaults audit --discover``, as a person runs it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from .test_audit import folder, run

__all__ = ["folder"]

STATE = """
from bot import ask

calls = []

def breaker():
    calls.append(0)
    return ask() if len(calls) < 20 else "open"
"""


@pytest.mark.parametrize("subject", ["bot:ask", "bot:aask"])
def test_groups_ranked_each_with_its_smallest_example(folder: Path, subject: str) -> None:
    result = run(folder, "audit", subject, "--discover", "--faults", "content,envelope", "--max-examples", "100")
    assert result.returncode == 0, result.stdout + result.stderr
    text = result.stdout
    assert "kinds of behaviour in" in text
    assert "healthy: 1 attempt, returns 'Hello from a healthy model.'" in text
    assert text.index("an exception that is neither") < text.index("returns something else than the healthy call:")
    assert "1 attempt, returns None  (" in text
    assert "    remove('choices', 0, 'message', 'content')\n" in text
    assert "To meet the first in a test: llmfaults.inject(variant('openai.chat', " in text
    assert "signed" not in text
    assert "drawing variants" not in text, "no terminal, no progress"


def test_the_same_seed_writes_the_same_file(folder: Path) -> None:
    limits = ("--faults", "content", "--max-examples", "50", "--seed", "3", "--seconds", "50")
    for name in ("one.json", "two.json"):
        assert run(folder, "audit", "bot:ask", "--discover", *limits, "--json", name).returncode == 0
    one, two = ((folder / name).read_text(encoding="utf-8") for name in ("one.json", "two.json"))
    assert one == two
    read = json.loads(one)
    assert (read["format"], read["subject"], read["complete"]) == (1, "bot:ask", True)
    group = next(group for group in read["groups"] if group["persists"] == "1 attempt, returns None")
    assert group["smallest"] == "remove('choices', 0, 'message', 'content')"
    assert group["inject"] == f"llmfaults.inject(variant('openai.chat', {group['smallest']}))"
    assert group["kind"] == "returns something else than the healthy call"
    assert group["variants"] > 1
    assert sum(group["variants"] for group in read["groups"]) <= read["variants"]


def test_time_is_a_bound(folder: Path) -> None:
    result = run(folder, "audit", "bot:ask", "--discover", "--seconds", "0.01")
    assert result.returncode == 0
    assert "Time was up before all was tried: give more seconds." in result.stdout


def test_a_subject_that_keeps_state_fails_in_one_line(folder: Path) -> None:
    (folder / "state.py").write_text(STATE)
    result = run(folder, "audit", "state:breaker", "--discover", "--faults", "content")
    assert result.returncode == 1
    assert "The subject keeps state" in result.stdout
    assert "in discovering" not in result.stdout
    assert "pytest_llmfaults/" not in result.stdout


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["--seconds", "3"], "--seconds says how far a discovery goes: give --discover, too."),
        (["--max-examples", "3"], "--max-examples says how far a discovery goes: give --discover, too."),
        (["--discover", "--seconds", "0"], "seconds=0.0 is not allowed: it is a number above 0, such as 60."),
        (["--discover", "--seconds", "soon"], "argument --seconds: invalid float value: 'soon'"),
        (["--discover", "--seed", "-1"], "seed=-1 is not allowed: it is an integer from 0."),
        (["--discover", "--max-examples", "0"], "max_examples=0 is not allowed: it is an integer from 1."),
        (["--discover", "--faults", "contnt"], "'contnt' is not a fault."),
    ],
)
def test_wrong_usage_is_one_line(folder: Path, arguments: list[str], line: str) -> None:
    result = run(folder, "audit", "bot:ask", *arguments)
    assert result.returncode in {2, 4}
    assert line in result.stderr
    assert "Traceback" not in result.stderr + result.stdout
