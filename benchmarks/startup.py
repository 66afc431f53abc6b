"""What this plugin adds to an empty pytest run, in milliseconds of CPU, on top of its dependencies' own plugins."""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

DEPENDENCIES = ("_hypothesis_pytestplugin", "respx.plugin", "anyio.pytest_plugin", "time_machine")
OURS = "pytest_llmfaults.plugin"


def cpu_milliseconds(folder: Path, plugins: tuple[str, ...]) -> float:
    """Run one empty test with exactly these plugins and return the CPU time of the process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    arguments = [item for plugin in plugins for item in ("-p", plugin)]
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments],
        cwd=folder,
        env=environment,
        check=True,
        capture_output=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime) * 1000


def main() -> None:
    """Alternate the kinds of run and print the medians."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=15)
    rounds = parser.parse_args().rounds
    kinds = {
        "pytest alone": (),
        "with the plugins of the dependencies": DEPENDENCIES,
        "with pytest-llmfaults too": (*DEPENDENCIES, OURS),
    }
    times: dict[str, list[float]] = {name: [] for name in kinds}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_empty.py").write_text("def test_empty():\n    pass\n")
        for number in range(rounds + 1):
            for kind, plugins in kinds.items():
                spent = cpu_milliseconds(folder, plugins)
                if number:
                    times[kind].append(spent)
    medians = {kind: statistics.median(values) for kind, values in times.items()}
    for kind, median in medians.items():
        print(f"{kind:40} {median:6.0f} ms CPU")
    pairs = zip(times["with pytest-llmfaults too"], times["with the plugins of the dependencies"], strict=True)
    print(f"{'added by pytest-llmfaults':40} {statistics.median(ours - theirs for ours, theirs in pairs):6.1f} ms CPU")


if __name__ == "__main__":
    main()
