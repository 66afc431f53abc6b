"""``python -m pytest_llmfaults``, as a person runs it: in a process of its own, in the folder of the code."""

from __future__ import annotations

import fnmatch
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from pytest_llmfaults._faults import CATALOGUE

BOT = """
import json
import os
import requests
from openai import AsyncOpenAI, OpenAI

client = OpenAI()
other = AsyncOpenAI()
QUESTION = [{"role": "user", "content": "Hello?"}]


def ask(question="Hello?"):
    print("loud")
    reply = client.chat.completions.create(model="gpt-5", messages=QUESTION)
    return reply.choices[0].message.content


async def aask():
    reply = await other.chat.completions.create(model="gpt-5", messages=QUESTION)
    return reply.choices[0].message.content


def retry():
    for _ in range(2):
        try:
            return ask()
        except TypeError:
            pass


async def aretry():
    for _ in range(2):
        try:
            return await aask()
        except TypeError:
            pass


def needs(question):
    return question


def silent():
    return "no request"


def keyless():
    try:
        os.environ["LLM_KEY_OF_MY_OWN"]
    except KeyError as error:
        raise RuntimeError("cannot start.") from error


def orders():
    kinds = {"id": {"type": "integer"}, "n": {"type": "integer"}}
    item = {"type": "object", "properties": kinds, "required": ["id", "n"]}
    schema = {"type": "object", "properties": {"orders": {"type": "array", "items": item}}}
    asked = {"type": "json_schema", "json_schema": {"name": "orders", "schema": schema}}
    reply = client.chat.completions.create(model="gpt-5", messages=QUESTION, response_format=asked)
    return json.loads(reply.choices[0].message.content)


def elsewhere():
    return requests.post("https://gateway.example.com/v1/images/generations", json={}).text


NOT_A_FUNCTION = 3
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with a small bot in it."""
    (tmp_path / "bot.py").write_text(BOT)
    return tmp_path


def run(folder: Path, *arguments: str, traced: bool = True) -> subprocess.CompletedProcess[str]:
    """Run the command; ``traced=False`` leaves a tracer off, such as coverage's, where none can be beside it."""
    environment = {name: value for name, value in os.environ.items() if name != "OPENAI_API_KEY"}
    if not traced and sys.version_info < (3, 12):
        environment = {name: value for name, value in environment.items() if not name.startswith("COVERAGE_")}
    return subprocess.run(
        [sys.executable, "-m", "pytest_llmfaults", *arguments],
        cwd=folder,
        env={**environment, "COLUMNS": "80"},
        capture_output=True,
        text=True,
        check=False,
    )


OTHERS = """
import boto3
from google import genai


def gemini():
    with genai.Client() as client:
        return client.models.generate_content(model="gemini-3.8-flash", contents="x").text


def bedrock():
    asked = [{"role": "user", "content": [{"text": "x"}]}]
    reply = boto3.client("bedrock-runtime").converse(modelId="m", messages=asked)
    return reply["output"]["message"]["content"][0]["text"]
"""


@pytest.mark.parametrize("subject", ["others:gemini", "others:bedrock"])
def test_an_sdks_own_exception_is_no_escape(tmp_path: Path, subject: str) -> None:
    (tmp_path / "others.py").write_text(OTHERS)
    result = run(tmp_path, "audit", subject, "--faults", "status.400,status.503")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "raises" in result.stdout
    assert "neither the client's nor the SDK's" not in result.stdout


@pytest.mark.parametrize("subject", ["bot:ask", "bot:aask"])
def test_ranked_lines_then_behaviours(folder: Path, subject: str) -> None:
    result = run(folder, "audit", subject, "--faults", "body.empty,envelope.choices_null,status.503,status.429_quota")
    assert result.returncode == 0, result.stdout + result.stderr
    text = result.stdout
    assert "healthy: 1 attempt, returns 'Hello from a healthy model.'" in text
    assert text.index("neither the client's nor the SDK's") < text.index("1 attempt, raises JSONDecodeError")
    assert "3 attempts, waits 0.375..0.5 0.75..1 s, raises InternalServerError" in text
    assert "retried although the next draw is the same. status.429_quota" in text
    assert max(map(len, text.splitlines())) <= 80


@pytest.mark.parametrize("more", [(), ("-v",)])
def test_data_that_breaks_its_schema_is_counted_and_named(folder: Path, more: tuple[str, ...]) -> None:
    names = ["structured.missing_key", "structured.top_null"]
    faults = [*names, "structured.integer_off_by_one", "structured.extra_key", "structured.fenced"]
    result = run(folder, "audit", "bot:orders", "--faults", ",".join(faults), "--json", "out.json", *more)
    assert result.returncode == 0, result.stdout + result.stderr
    said = result.stdout.partition("healthy: ")[2]
    assert "2 faults garbage in, success out." in said
    assert (", ".join(names) in said or ", ".join(reversed(names)) in said) == bool(more)
    (garbage,) = (one for one in json.loads((folder / "out.json").read_text())["findings"] if one["kind"] == "garbage")
    assert sorted(garbage["faults"]) == names


def test_json_for_programs_and_several_processes(folder: Path) -> None:
    result = run(folder, "audit", "bot:ask", "--faults", "content,usage.absent", "--json", "out.json", "-n", "2")
    assert result.returncode == 0, result.stdout + result.stderr
    data = json.loads((folder / "out.json").read_text())
    assert data["format"] == 1
    assert data["faults"]["content.empty"]["persists"] == "1 attempt, returns ''"
    assert data["faults"]["content.empty"]["observation"]["attempts"] == 1
    assert data["faults"]["usage.absent"]["once"] == "1 attempt, same as ok"


def test_why_stands_below_retries_that_cannot_help(folder: Path) -> None:
    faults = "status.429_quota,status.429_credit_balance,status.503,status.307_moved,body.empty"
    result = run(folder, "audit", "bot:ask", "--faults", faults, "--json", "out.json", traced=False)
    assert result.returncode == 0, result.stdout + result.stderr
    said = " ".join(result.stdout.split())
    why = "openai: its own retry (max_retries=2), after HTTPStatusError"
    assert f"asking again costs time and money. why status.429_quota is retried: {why}" in said
    assert "loud" not in result.stdout
    assert re.findall(r"why (\S+) is retried: ", said) == ["status.429_quota", "status.307_moved"]  # one of each
    assert json.loads((folder / "out.json").read_text())["why"] == {
        "status.429_quota": why,
        "status.503": why,
        "status.307_moved": "it followed a redirect",
    }


@pytest.mark.parametrize("subject", ["bot:aretry", "bot:retry"])
def test_why_in_code_of_ones_own_and_in_a_loop(folder: Path, subject: str) -> None:
    result = run(folder, "audit", subject, "--faults", "envelope.choices_null", "-n", "2", traced=False)
    assert result.returncode == 0, result.stdout + result.stderr
    said = " ".join(result.stdout.split())
    assert "why envelope.choices_null is retried: TypeError caught by `except TypeError:` bot.py:" in said


def test_what_a_glob_stands_for(folder: Path) -> None:
    result = run(folder, "audit", "bot:ask", "--faults", "content,usage")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "those of the family that stand nowhere else" in result.stdout
    for family in ("content", "usage"):
        others = re.search(rf"{family}\.\* \(the other (\d+)\)", result.stdout)
        assert others is not None
        named = re.findall(rf"{family}\.\w+\*?", result.stdout.partition("stand nowhere else")[2])
        rows = [name for name in CATALOGUE if name.startswith(f"{family}.")]
        told = {name for pattern in named for name in fnmatch.filter(rows, pattern)}
        assert int(others[1]) + len(told) == len(rows)
    whole = run(folder, "audit", "bot:ask", "--faults", "usage.absent,stream")
    assert "\n  stream.*\n" in whole.stdout
    assert "nowhere else" not in whole.stdout


def test_arguments_and_answers(folder: Path) -> None:
    result = run(folder, "audit", "bot:ask", "--faults", "usage.absent", "--args", '["x"]', "--answer", "Bonjour")
    assert result.returncode == 0, result.stdout + result.stderr
    assert "healthy: 1 attempt, returns 'Bonjour'" in result.stdout


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        (["audit"], "the following arguments are required: PKG.MOD:CALLABLE"),
        (["audit", "bot"], "'bot' does not read PKG.MOD:CALLABLE"),
        (["audit", "nobot:ask"], "no module named 'nobot'"),
        (["audit", "bot:asks"], "bot has no 'asks'"),
        (["audit", "bot:NOT_A_FUNCTION"], "bot:NOT_A_FUNCTION is 3, which cannot be called"),
        (["audit", "bot:needs"], "missing a required argument: 'question'. Give its arguments as JSON"),
        (["audit", "bot:ask", "--args", "{"], "--args '{' is not JSON"),
        (["audit", "bot:ask", "--args", "3"], "--args '3' is not a JSON list"),
        (["audit", "bot:ask", "--faults", "body.emty"], "'body.emty' is not a fault. Did you mean 'body.empty'"),
        (["audit", "bot:ask", "--answer", "x", "--data", "{}"], "--answer and --data exclude each other"),
    ],
)
def test_wrong_usage_is_one_line(folder: Path, arguments: list[str], line: str) -> None:
    result = run(folder, *arguments)
    assert result.returncode in {2, 4}
    assert line in result.stderr
    assert "Traceback" not in result.stderr + result.stdout


@pytest.mark.parametrize("more", [(), ("-n", "2"), ("--discover",)], ids=["alone", "xdist", "discover"])
@pytest.mark.parametrize(
    ("subject", "line"),
    [
        ("bot:silent", "The subject made no request: it returns 'no request'. *is the answer cached?"),
        ("bot:keyless", "*it raises RuntimeError: cannot start, from KeyError: 'LLM_KEY_OF_MY_OWN'. A contract needs*"),
        ("bot:elsewhere", "POST gateway.example.com/v1/images/generations *"),
    ],
)
def test_a_subject_that_cannot_be_observed_is_one_error(
    folder: Path, subject: str, line: str, more: tuple[str, ...]
) -> None:
    result = run(folder, "audit", subject, *more)
    assert result.returncode == 4
    said = result.stderr.strip().splitlines()
    assert fnmatch.fnmatchcase(said[0], f"ERROR: {line}")
    assert "test_fault" not in result.stdout
    assert "pytest_llmfaults/" not in result.stdout + result.stderr


def test_the_list(folder: Path) -> None:
    result = run(folder, "list", "quota", "429")
    assert result.returncode == 0
    assert "status.429_quota" in result.stdout
    assert "content.empty" not in result.stdout
