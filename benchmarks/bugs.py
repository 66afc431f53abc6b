"""How soon strategies find the seeded bugs of ``tests/strategies/bugs.py``, and what they shrink to.

For each bug: in how many seeds it was found within the examples, the median example that found it, and how many of the
shrunk replies have one change. Beside it recursive JSON, and hypothesis-jsonschema where it is installed.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import importlib
import importlib.util
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

sys.path.insert(0, str(Path(__file__).parent.parent))

from tests.strategies.bugs import BUGS, Bug
from tests.strategies.finding import bytes_of, mine, one_slot

PHASES = {True: (Phase.generate, Phase.shrink), False: (Phase.generate,)}
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


class Shows(Exception):
    """The bug shows."""


@dataclasses.dataclass
class Found:
    """After how many examples the bug showed, and the smallest value that shows it."""

    after: int | None
    value: Any


def find(bug: Bug, strategy: SearchStrategy[Any], number: int, examples: int, *, shrink: bool) -> Found:
    """Look for a bug with one seed."""
    found = Found(None, None)
    count = 0

    @seed(number)
    @settings(max_examples=examples, database=None, deadline=None, phases=PHASES[shrink])
    @given(strategy)
    def test(value: Any) -> None:
        nonlocal count
        count += 1
        if bug.shows(value):
            found.after = found.after or count
            found.value = value
            raise Shows

    with contextlib.suppress(Shows):
        test()
    return found


def json_schema() -> SearchStrategy[Any] | None:
    """Return the strategy for the SDK's own model, or None."""
    if importlib.util.find_spec("hypothesis_jsonschema") is None:
        return None
    from openai.types.chat import ChatCompletion

    from_schema = importlib.import_module("hypothesis_jsonschema").from_schema
    found: SearchStrategy[Any] = from_schema(ChatCompletion.model_json_schema())
    return found


def line(bug: Bug, strategy: SearchStrategy[Any], arguments: argparse.Namespace, *, ours: bool) -> str:
    """Return the figures of one strategy for one bug."""
    seeds = arguments.seeds if ours else arguments.others
    runs = [find(bug, strategy, number, arguments.examples, shrink=ours) for number in range(seeds)]
    hits = [run.after for run in runs if run.after is not None]
    median = f"{statistics.median(hits):.0f}" if hits else "-"
    text = f"{len(hits)}/{seeds} {median}"
    if ours:
        text += f" one={sum(one_slot(bug, run.value) for run in runs if run.after is not None)}/{len(hits)}"
        odd = {run.value.line for run in runs if run.after is not None and not one_slot(bug, run.value)}
        text += "".join(f"\n    {one}" for one in sorted(odd))
    return text


def main() -> None:
    """Print a line for each bug."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--others", type=int, default=5, help="seeds of the other strategies; 0 leaves them out")
    parser.add_argument("--examples", type=int, default=500)
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    others: dict[str, Callable[[], SearchStrategy[Any] | None]] = {"recursive": lambda: JSON, "jsonschema": json_schema}
    found = {name: make() for name, make in others.items()} if arguments.others else {}
    for name, strategy in found.items():
        if strategy is None:
            print(f"{name}: not installed")
    for bug in BUGS:
        if arguments.only not in bug.name:
            continue
        texts = [line(bug, mine(bug), arguments, ours=True)]
        for name, strategy in found.items():
            if strategy is not None:
                texts.append(f"{name} {line(bug, bytes_of(bug, strategy), arguments, ours=False)}")
        print(f"{bug.name:40} {'  |  '.join(texts)}", flush=True)


if __name__ == "__main__":
    main()
