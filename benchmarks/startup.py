"""What this plugin adds to an empty pytest run, in milliseconds of CPU, on top of its dependencies' own plugins.

A whole process varies by more than what is looked for, so what is added is measured in one process: runs with and
without the plugin by turns, with the plugin imported anew each time.
"""

from __future__ import annotations

import argparse
import contextlib
import gc
import io
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

DEPENDENCIES = ("_hypothesis_pytestplugin", "respx.plugin", "anyio.pytest_plugin", "time_machine")
OURS = "pytest_llmfaults.plugin"


def options(plugins: tuple[str, ...]) -> list[str]:
    """Return the options of a run with these plugins."""
    return ["-q", "-p", "no:cacheprovider", *(item for plugin in plugins for item in ("-p", plugin))]


def added_milliseconds(folder: Path) -> float:
    """Run one empty test with and without the plugin, and return the CPU time between them."""
    spent = []
    for plugins in (DEPENDENCIES, (*DEPENDENCIES, OURS)):
        for name in [name for name in sys.modules if name.partition(".")[0] in {"pytest_llmfaults", "test_empty"}]:
            del sys.modules[name]
        gc.collect()
        with contextlib.redirect_stdout(io.StringIO()):
            start = time.process_time()
            status = pytest.main([*options(plugins), str(folder)])
            spent.append((time.process_time() - start) * 1000)
        if status != pytest.ExitCode.OK:
            msg = f"the empty run ended with {status!r}"
            raise RuntimeError(msg)
    without, with_plugin = spent
    return with_plugin - without


def cpu_milliseconds(folder: Path, plugins: tuple[str, ...]) -> float:
    """Run one empty test with exactly these plugins and return the CPU time of the process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    environment = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    subprocess.run(
        [sys.executable, "-m", "pytest", *options(plugins)],
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
        os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
        added = [added_milliseconds(folder) for _ in range(rounds + 1)][1:]
    for kind, values in times.items():
        print(f"{kind:40} {statistics.median(values):6.0f} ms CPU")
    print(f"{'added by pytest-llmfaults':40} {statistics.median(added):6.1f} ms CPU")


if __name__ == "__main__":
    main()
