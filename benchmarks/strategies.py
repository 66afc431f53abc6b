"""How many examples a second each strategy draws, beside ``st.integers()`` in the same run.

Rounds alternate, so that all meet the same weather. hypothesis-jsonschema is measured where it is installed; it does
not belong to this project's environment, and its version 0.23.1 does not work with the newest Hypothesis:

    python -m venv there && there/bin/pip install . openai hypothesis-jsonschema "hypothesis<6.149"
    there/bin/python benchmarks/strategies.py
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import statistics
import time
from collections.abc import Mapping
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from pytest_llmfaults import strategies

WIRE = "openai.chat"
SLOW = 30
"""So many examples of hypothesis-jsonschema are enough: it takes seconds for a few."""
SCHEMA = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
    "required": ["query"],
}
JSON: SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


def rate(strategy: SearchStrategy[Any], examples: int, number: int) -> float:
    """Return examples a second of processor time, which other work on the machine leaves alone."""
    count = 0

    @seed(number)
    @settings(
        max_examples=examples,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),  # for the strategies that are measured beside ours
    )
    @given(strategy)
    def test(_value: Any) -> None:
        nonlocal count
        count += 1

    start = time.process_time()
    test()
    return count / (time.process_time() - start)


def measured() -> Mapping[str, SearchStrategy[Any] | None]:
    """Return what is measured, by name."""
    found: dict[str, SearchStrategy[Any] | None] = {
        "st.integers()": st.integers(),
        "envelopes": strategies.envelopes(WIRE),
        "faults": strategies.faults(WIRE),
        "bodies": strategies.bodies(WIRE),
        "variants": strategies.variants(WIRE),
        "answers": strategies.answers(),
        "tool_arguments": strategies.tool_arguments(SCHEMA),
        "structured_text": strategies.structured_text(SCHEMA),
        "sequences": strategies.sequences(strategies.faults(WIRE)),
        "recursive JSON": JSON,
        "hypothesis-jsonschema": None,
    }
    if importlib.util.find_spec("hypothesis_jsonschema") is not None:
        from openai.types.chat import ChatCompletion

        from_schema = importlib.import_module("hypothesis_jsonschema").from_schema
        found["hypothesis-jsonschema"] = from_schema(ChatCompletion.model_json_schema())
    return found


def main() -> None:
    """Print a line for each strategy."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=7)
    arguments = parser.parse_args()
    start = time.perf_counter()
    found = measured()
    print(f"made in {time.perf_counter() - start:.2f} s")
    rates: dict[str, list[float]] = {name: [] for name in found}
    for number in range(arguments.rounds):
        for name, strategy in found.items():
            if strategy is not None:
                examples = min(arguments.examples, SLOW) if name == "hypothesis-jsonschema" else arguments.examples
                rates[name].append(rate(strategy, examples, number))
    base = rates["st.integers()"]
    print(f"{'':22} examples/s   of st.integers(): median (lowest)")
    for name, each in rates.items():
        if not each:
            print(f"{name:22} not installed")
            continue
        shares = [one / other for one, other in zip(each, base, strict=True)]
        print(f"{name:22} {statistics.median(each):10.0f}   {statistics.median(shares):6.2f} ({min(shares):.2f})")


if __name__ == "__main__":
    main()
