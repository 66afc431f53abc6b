"""How soon strategies find the seeded bugs of ``tests/strategies/bugs.py``, and what they shrink to.

For each bug: in how many seeds it was found within the examples, the median example that found it, and how many of the
shrunk replies differ from a healthy one in one place. Beside it recursive JSON, and hypothesis-jsonschema on the SDK's
own model where it is installed (``benchmarks/strategies.py`` says how). At the end the clients without a bug.
"""

from __future__ import annotations

import argparse
import contextlib
import dataclasses
import importlib
import importlib.util
import json
import statistics
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

sys.path.insert(0, str(Path(__file__).parent.parent))

from pytest_llmfaults import strategies
from tests.strategies.bugs import BUGS, Bug
from tests.strategies.clients import CORRECT, Unreadable
from tests.strategies.finding import mine, one_slot

PHASES = (Phase.generate, Phase.shrink)
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


def find(bug: Bug, strategy: SearchStrategy[Any], number: int, examples: int) -> Found:
    """Look for a bug with one seed."""
    found = Found(None, None)
    count = 0

    @seed(number)
    @settings(max_examples=examples, database=None, deadline=None, phases=PHASES)
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


def ours(bug: Bug, seeds: range, examples: int) -> str:
    """Return the figures of our strategy for one bug."""
    strategy = mine(bug)
    runs = [find(bug, strategy, number, examples) for number in seeds]
    hits = [run for run in runs if run.after is not None]
    small = [run for run in hits if one_slot(bug, run.value)]
    odd = {run.value.line for run in hits if run not in small}
    return f"{counted([run.after for run in runs])} one={len(small)}/{len(hits)}{''.join(f' {one}' for one in odd)}"


def counted(after: list[int | None]) -> str:
    """Say in how many seeds a bug was found, and after how many examples in the median."""
    hits = [one for one in after if one is not None]
    return f"{len(hits)}/{len(after)} {statistics.median(hits):.0f}" if hits else f"0/{len(after)} -"


def pool(strategy: SearchStrategy[Any], number: int, examples: int) -> list[Any]:
    """Return what a strategy draws with one seed; it is the same for every bug."""
    found: list[Any] = []

    @seed(number)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),  # for the strategies that are measured beside ours
    )
    @given(strategy)
    def test(value: Any) -> None:
        found.append(value)

    test()
    return found


def theirs(bug: Bug, pools: list[list[Any]]) -> str:
    """Return the figures of another strategy for one bug."""
    found = [[index + 1 for index, value in enumerate(values) if showing(bug, value)] for values in pools]
    return counted([indexes[0] if indexes else None for indexes in found])


def showing(bug: Bug, value: Any) -> bool:
    """Tell whether a bug shows on a value that is any JSON at all."""
    try:
        return bug.shows(value if bug.reads == "envelope" else json.dumps(value).encode())
    except (ValueError, RecursionError):
        return False


def clean(name: str, client: Callable[[Any], object], number: int, examples: int) -> str:
    """Return what a correct client raised."""
    drawn = strategies.bodies("openai.chat") if name == "decoded" else strategies.envelopes("openai.chat")
    values = pool(drawn, number, examples)
    raised = {text for text in (raises(client, value) for value in values) if text}
    return f"{len(values)} examples, {', '.join(sorted(raised)) or 'nothing found'}"


def raises(client: Callable[[Any], object], value: Any) -> str | None:
    """Return what a client raises besides its own error."""
    try:
        client(value)
    except Unreadable:
        return None
    except Exception as error:  # noqa: BLE001 - that is what is looked for
        return repr(error)
    return None


def main() -> None:
    """Print a line for each bug, and one for each correct client."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100, help="seeds of our strategies; 0 leaves them out")
    parser.add_argument("--first", type=int, default=0, help="the first seed; the weights were tuned by 0 to 99")
    parser.add_argument("--others", type=int, default=5, help="seeds of recursive JSON; 0 leaves it out")
    parser.add_argument("--jsonschema", type=int, default=1, help="seeds of hypothesis-jsonschema, which is slow")
    parser.add_argument("--correct", type=int, default=5000, help="examples for each correct client")
    parser.add_argument("--examples", type=int, default=500)
    parser.add_argument("--only", default="", help="part of the name of a bug")
    arguments = parser.parse_args()
    pools: dict[str, list[list[Any]]] = {}
    for name, strategy, seeds in (
        ("recursive", JSON, arguments.others),
        ("jsonschema", json_schema(), arguments.jsonschema),
    ):
        if strategy is None:
            print(f"{name}: not installed")
        elif seeds:
            numbers = range(arguments.first, arguments.first + seeds)
            pools[name] = [pool(strategy, number, arguments.examples) for number in numbers]
    numbers = range(arguments.first, arguments.first + arguments.seeds)
    for bug in (bug for bug in BUGS if arguments.only in bug.name):
        texts = [ours(bug, numbers, arguments.examples)] if arguments.seeds else []
        texts += [f"{name} {theirs(bug, values)}" for name, values in pools.items()]
        print(f"{bug.name:40} {' | '.join(texts)}", flush=True)
    for name, client in CORRECT.items() if arguments.correct else ():
        print(f"{name:40} {clean(name, client, arguments.first, arguments.correct)}", flush=True)


if __name__ == "__main__":
    main()
