"""What a contract costs: the demo client under the whole catalogue, both ways of each fault, in one process.

Prints seconds of CPU and of wall time of the observed calls alone and of the whole run of pytest, and how many times
faster that is than waiting in truth: the virtual seconds of all observed calls by the wall time. ``--profile`` says
where the time goes.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import pstats
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

EXAMPLES = Path(__file__).parents[1] / "docs" / "examples"
sys.path.insert(0, str(EXAMPLES))

from conftest import ACTIONS  # noqa: E402 - of the examples
from trader import decide  # noqa: E402

from pytest_llmfaults import Answer, faults  # noqa: E402
from pytest_llmfaults._contract.call import Subject  # noqa: E402
from pytest_llmfaults._contract.study import Study, drive, observing_baseline, studying  # noqa: E402
from pytest_llmfaults._run import Settings  # noqa: E402

LIMIT_SECONDS = 5.0
LIMIT_FASTER = 100
COMMAND = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "test_trader_contract.py")


def observe() -> Study:
    """Observe the demo client as its contract does."""
    answer = Answer(data={"actions": ACTIONS})
    subject = Subject(call=decide, settings=Settings(answer=lambda: answer), describe=str)
    baseline = drive(observing_baseline(subject))
    return drive(studying(subject, faults("all"), baseline))


def run_pytest() -> None:
    """Run the demo's contract in a process of its own."""
    subprocess.run([sys.executable, *COMMAND], cwd=EXAMPLES, check=True, stdout=subprocess.DEVNULL)


def cpu_seconds(who: int) -> float:
    """Return the CPU that this process, or its children, have used."""
    used = resource.getrusage(who)
    return used.ru_utime + used.ru_stime


def measure(call: Callable[[], object], who: int, rounds: int) -> tuple[float, float]:
    """Return median seconds of CPU and of wall time."""
    cpu: list[float] = []
    wall: list[float] = []
    for _ in range(rounds):
        start_cpu, start = cpu_seconds(who), time.perf_counter()
        call()
        cpu.append(cpu_seconds(who) - start_cpu)
        wall.append(time.perf_counter() - start)
    return statistics.median(cpu), statistics.median(wall)


def virtual_seconds(study: Study) -> float:
    """Add up the virtual time of all observed calls: recorded waits, and stalls and latency inside attempts."""
    seen = [case.persists for case in study.cases]
    seen += [case.once for case in study.cases if case.once is not case.persists]
    return sum(one.called.elapsed_seconds for one in seen if one is not None)


def profile() -> None:
    """Print the functions that take most time."""
    profiler = cProfile.Profile()
    profiler.runcall(observe)
    pstats.Stats(profiler).sort_stats("tottime").print_stats(35)


def main() -> int:
    """Print one line a measurement, JSON with ``--json``; fail when a limit is not kept."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--profile", action="store_true")
    given = parser.parse_args()
    study = observe()  # warms up, too
    if given.profile:
        profile()
        return 0
    calls = measure(observe, resource.RUSAGE_SELF, given.rounds)
    whole = measure(run_pytest, resource.RUSAGE_CHILDREN, given.rounds)
    waited = virtual_seconds(study)
    result = {
        "faults": len(study.cases),
        "calls_cpu_seconds": round(calls[0], 2),
        "calls_wall_seconds": round(calls[1], 2),
        "pytest_cpu_seconds": round(whole[0], 2),
        "pytest_wall_seconds": round(whole[1], 2),
        "limit_seconds": LIMIT_SECONDS,
        "virtual_seconds": round(waited),
        "times_faster": round(waited / whole[1]),
        "limit_times_faster": LIMIT_FASTER,
        "cores": os.cpu_count(),
    }
    if given.json:
        print(json.dumps(result, indent=2))
    else:
        print("\n".join(f"{name:20} {value}" for name, value in result.items()))
    return int(whole[1] > LIMIT_SECONDS or waited / whole[1] < LIMIT_FASTER)


if __name__ == "__main__":
    sys.exit(main())
