"""Sign two contracts with openai 2, read them with openai 3: what differs is what really became different.

One is the SDK alone; the other is code that looks into the cause of an error, which is another HTTP library's by then.

Each version gets an environment of its own in a temporary folder: ``python benchmarks/sdk_upgrade.py``. The judge is a
real socket: under each fault that a server can play, both versions are run against one, and the faults under which they
differ there must be those that the contract of the SDK alone names.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]
SUITE = """
import httpx
import openai

CLIENT = openai.OpenAI(api_key="k", base_url="https://gateway.example.com/v1")

def ask():
    reply = CLIENT.chat.completions.create(model="m", messages=[{"role": "user", "content": "x"}])
    return reply.choices[0].message.content

def ask_or_time_out():
    try:
        return ask()
    except openai.APIConnectionError as error:
        if isinstance(error.__cause__, httpx.TimeoutException):
            return "timed out"
        raise

def test_plain(llmfaults_contract):
    llmfaults_contract.check(ask, faults="all")

def test_cause(llmfaults_contract):
    llmfaults_contract.check(ask_or_time_out, faults=["transport", "status"])
"""


def run(python: Path, folder: Path, *arguments: str) -> str:
    """Run the suite with one environment, and return what it said."""
    environment = {name: value for name, value in os.environ.items() if name not in {"CI", "GITHUB_ACTIONS"}}
    command = [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_upgrade.py", *arguments]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    return done.stdout + done.stderr


def environment_with(folder: Path, *requirements: str) -> Path:
    """Make an environment with this package and what is required, and return its interpreter."""
    venv.create(folder, with_pip=True)
    python = folder / ("Scripts" if os.name == "nt" else "bin") / "python"
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", str(ROOT), *requirements], check=True)
    return python


def on_a_socket(python: Path, folder: Path) -> dict[str, object]:
    """Return what the SDK of one environment does under each fault on a real socket."""
    out = folder / "seen.json"
    subprocess.run([str(python), str(ROOT / "benchmarks" / "sdk_socket.py"), str(out)], check=True)
    seen: dict[str, object] = json.loads(out.read_text(encoding="utf-8"))
    return seen


def named_by_the_contract(lines: list[str]) -> set[str]:
    """Return the faults that the contract of the SDK alone says have changed."""
    alone = "\n".join(lines).partition("::test_plain ")[0]
    return {
        name
        for block in re.findall(r"^changed: (.*?)\nsigned", alone, re.DOTALL | re.MULTILINE)
        for name in re.findall(r"\w+\.\w+", block)
    }


def main() -> int:
    """Sign with one, read with the other, and print the difference."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "test_upgrade.py").write_text(SUITE, encoding="utf-8")
        old = environment_with(folder / "old", "openai==2.0.0", "httpx")
        new = environment_with(folder / "new", "openai>=3,<4", "httpx")
        print(run(old, folder, "--llmfaults-sign"))
        again, said = run(old, folder), run(new, folder)
        lines = [line.removeprefix("E").strip() for line in said.splitlines() if line.startswith("E ")]
        print("\n".join(lines) or said)
        before, after = on_a_socket(old, folder), on_a_socket(new, folder)
    differ = {name for name in before if before[name] != after[name]}
    named = named_by_the_contract(lines) & set(before)
    print(f"on a real socket {len(differ)} of {len(before)} faults differ: {', '.join(sorted(differ))}")
    print(f"the contract names {'the same' if named == differ else sorted(named)}")
    return 0 if "2 passed" in again and "openai 2.0.0, now 3." in said and named == differ else 1


if __name__ == "__main__":
    sys.exit(main())
