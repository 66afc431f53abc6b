"""discover: variants grouped by what the client does, each group with its smallest example; printed, and signable."""

from __future__ import annotations

import re
import textwrap

import pytest

from .conftest import SigningSuite

CLIENT = """
class Bad(Exception):
    pass

class Odd(Exception):
    pass

def post():
    return requests.post(URL, json={"model": "m", "messages": []}, timeout=5).json()

def client():
    try:
        value = post()
        text = value["choices"][0]["message"]["content"]
    except (LookupError, TypeError, ValueError, requests.RequestException) as error:
        raise Bad from error
    if "id" not in value:
        raise Odd
    return text if isinstance(text, str) else None

def two():
    try:
        value = post()
        choice = value["choices"][0]
        head = [value.get(name) for name in ("id", "model", "object")]
        said = [choice.get("finish_reason"), choice["message"].get("content"), choice["message"].get("role")]
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise Bad from error
    if not all(isinstance(one, str) for one in head) and not all(isinstance(one, str) for one in said):
        raise Odd
    return "text"

def fields():
    value = post()
    return {name: value.get(name) for name in ("id", "model", "object")}
"""
TEST = """
def test_it(llmfaults_contract):
    found = llmfaults_contract.discover({call}, max_examples={examples}, {more})
    print("found", len(found.groups), found.complete)
    for group in found.groups:
        print("group", len(group.smallest.variant.changes), group.smallest.name, "->", group.lines.persists)
"""


def run(suite: SigningSuite, call: str, *arguments: str, more: str = "families=()", examples: int = 100) -> list[str]:
    """Run a discovery, and return the lines that it or the test printed."""
    code = CLIENT + TEST.format(call=call, more=more, examples=examples)
    return [line.removeprefix("E  ").strip() for line in suite.run(code, "-s", *arguments).outlines]


def groups(lines: list[str]) -> dict[str, str]:
    """Return the smallest example of each behaviour."""
    pairs = (line.split(" ", 2)[2].split(" -> ") for line in lines if line.startswith("group "))
    return {behaviour: smallest for smallest, behaviour in pairs}


def test_groups_with_their_smallest_examples_are_shown_and_fail_until_they_are_signed(suite: SigningSuite) -> None:
    lines = run(suite, "client")
    start = next(number for number, line in enumerate(lines) if "ContractBroken" in line)
    first = lines[start : lines.index("", start)]
    assert len(first) <= 8
    assert "ContractBroken: 5 kinds of behaviour that nobody signed, in " in first[0]
    assert "put('choices', 0, 'message', 'content', value=None): 1 attempt, returns None" in first
    assert "remove('id'): 1 attempt, raises Odd" in first
    order = [lines.index(f"{kind}:") for kind in ("returns something else than the healthy call", "raises")]
    assert order == sorted(order)
    assert "ends like the healthy call:\n1 attempt, same as ok  (" in "\n".join(lines)
    assert "pytest test_suite.py::test_it --llmfaults-sign=new" in lines
    assert not (suite.pytester.path / "llmfaults").exists()


def test_signed_they_are_held_from_then_on(suite: SigningSuite) -> None:
    lines = run(suite, "client", "--llmfaults-sign")
    assert groups(lines) == {
        "1 attempt, raises Odd": "remove('id')",
        "1 attempt, raises Bad": "remove('choices', 0, 'message', 'content')",
        "1 attempt, returns None": "put('choices', 0, 'message', 'content', value=None)",
        "1 attempt, returns ''": "put('choices', 0, 'message', 'content', value='')",
        "1 attempt, returns blank": "put('choices', 0, 'message', 'content', value=' ')",
        "1 attempt, same as ok": "put('id', value=None)",
    }
    for behaviour, smallest in groups(lines).items():
        assert "same as ok" in behaviour or f'variants = ["{smallest}"]' in suite.signed
    before = suite.signed
    again = run(suite, "client")
    assert "found 6 True" in again
    assert any("1 attempt, raises Odd  (" in line and line.endswith("signed)") for line in again)
    assert suite.signed == before
    code = CLIENT + "\ndef test_it(llmfaults_contract):\n    llmfaults_contract.check(client, faults='body.empty')\n"
    suite.run(code).stdout.fnmatch_lines(["*body.empty: observed, never signed: 1 attempt, raises Bad"])
    suite.run(code.replace("raise Odd", "raise Bad")).stdout.fnmatch_lines(["*remove('id'): raises Bad instead of Odd"])


@pytest.mark.parametrize("call", ["client", "fields"])
def test_another_seed_finds_the_same_where_there_is_time(suite: SigningSuite, call: str) -> None:
    one, other = (groups(run(suite, call, "--llmfaults-sign", more=f"families=(), seed={seed}")) for seed in (1, 2))
    assert len(one) > 3
    assert one == other


def test_each_group_has_one_changed_slot(suite: SigningSuite) -> None:
    lines = run(suite, "client", "--llmfaults-sign", more="")
    assert {line.split()[1] for line in lines if line.startswith("group ")} == {"1"}


def test_what_takes_two_changes_is_found_and_made_small(suite: SigningSuite) -> None:
    found = groups(run(suite, "two", "--llmfaults-sign", examples=1500, more="families=(), seed=3"))
    one, other = found["1 attempt, raises Odd"].split("), ")
    assert {one, other} <= SMALL
    assert set(found) == {"1 attempt, raises Odd", "1 attempt, raises Bad", "1 attempt, same as ok"}


SMALL = {
    *(f"remove('{name}'" for name in ("id", "model", "object")),
    *(f"remove('{name}')" for name in ("id", "model", "object")),
    *(f"remove('choices', 0, {place}" for place in ("'finish_reason'", "'message', 'content'", "'message', 'role'")),
    *(f"remove('choices', 0, {place})" for place in ("'finish_reason'", "'message', 'content'", "'message', 'role'")),
}
"""The plainest change of each place that takes part; of the first of two without its bracket."""


def test_two_changes_that_add_up_are_no_group(suite: SigningSuite) -> None:
    lines = run(suite, "fields", "--llmfaults-sign", examples=400)
    assert groups(lines)["1 attempt, returns dict(id=None)"] == "remove('id')"
    assert {line.split()[1] for line in lines if line.startswith("group ")} == {"1"}


def test_time_is_a_bound(suite: SigningSuite) -> None:
    lines = run(suite, "client", "--llmfaults-sign", "-W", "default::pytest.PytestWarning", more="seconds=0.001")
    assert any(line.startswith("found ") and line.endswith("False") for line in lines)
    assert "Time was up before all was tried: give more seconds." in lines
    assert any(re.fullmatch(r"Looked at \d+ variants?\.", line) for line in lines)
    warned = r"discover\(seconds=0\.001\) looked at \d+ variants?, and time was up before all was tried: with fewer"
    assert any(re.search(warned, line) for line in lines)


def test_the_first_to_meet_is_one_that_nobody_signed(suite: SigningSuite) -> None:
    run(suite, "client", "--llmfaults-sign")
    odd = """[["1 attempt, raises Odd"]]\nvariants = ["remove('id')"]\n"""
    assert odd in suite.signed
    suite.path.write_text(suite.signed.replace(odd, ""))
    lines = run(suite, "client")
    assert "To meet the first that is new in a test: llmfaults.inject(variant('openai.chat', remove('id')))" in lines


def test_what_is_signed_already_is_no_news(suite: SigningSuite) -> None:
    code = """
        def test_it(llmfaults_contract):
            llmfaults_contract.check(client, faults=["body.empty", "content"])
            llmfaults_contract.discover(client, families=(), max_examples=50)
    """
    suite.run(CLIENT + textwrap.dedent(code), "--llmfaults-sign").assert_outcomes(passed=1)
    assert suite.signed.count("variants = ") == 1
    assert "variants = [\"remove('id')\"]" in suite.signed
    suite.run(CLIENT + textwrap.dedent(code)).assert_outcomes(passed=1)


def test_a_subject_that_keeps_state_is_refused(suite: SigningSuite) -> None:
    code = """
        class Breaker:
            def __init__(self):
                self.failures = 0

            def __call__(self):
                if self.failures > 3:
                    return "open"
                try:
                    return client()
                except Bad:
                    self.failures += 1
                    raise

        def test_state(llmfaults_contract):
            llmfaults_contract.discover(Breaker(), families=())

        def test_setup(llmfaults_contract):
            breaker = Breaker()
            llmfaults_contract.discover(breaker, families=(), setup=breaker.__init__)
    """
    result = suite.run(CLIENT + textwrap.dedent(code), "--llmfaults-sign")
    result.assert_outcomes(failed=1, passed=1)
    result.stdout.fnmatch_lines(["*The subject keeps state: *Make what it keeps anew in setup=*"])


ASYNC = """
import httpx

async def aclient():
    async with httpx.AsyncClient(verify=False) as it:
        value = (await it.post(URL, json={"model": "m", "messages": []})).json()
    if "id" not in value:
        raise Odd
    return "text"

@pytest.mark.MARK
async def test_it(llmfaults_contract):
    found = await llmfaults_contract.adiscover(aclient, families=(), max_examples=50)
    print("found", len(found.groups))

@pytest.fixture
def anyio_backend():
    return "trio"
"""


@pytest.mark.parametrize("mark", ["asyncio", "anyio"])
def test_in_a_loop_that_runs(suite: SigningSuite, mark: str) -> None:
    code = CLIENT + ASYNC.replace("MARK", mark)
    result = suite.run(code, "-s", "--llmfaults-sign")
    result.assert_outcomes(passed=1)
    assert "variants = [\"remove('id')\"]" in suite.signed
    suite.run(code).assert_outcomes(passed=1)


STREAM = """
import json

def stream():
    body = {"model": "m", "messages": [], "stream": True}
    text, ended = "", False
    for line in requests.post(URL, json=body, timeout=5).text.splitlines():
        data = line.removeprefix("data: ")
        if data == "[DONE]":
            ended = True
        elif line.startswith("data: "):
            chunk = json.loads(data)
            if "model" not in chunk:
                raise Odd
            for choice in chunk["choices"]:
                text += choice["delta"].get("content") or ""
    if not ended:
        raise Bad
    return text

def test_it(llmfaults_contract):
    found = llmfaults_contract.discover(stream, families=["stream.closed", "content"], max_examples=50)
    for group in found.groups:
        print("group", len(group.smallest.variant.changes), group.smallest.name, "->", group.lines.persists)
"""


def test_a_stream_is_varied_before_it_is_one_and_on_its_way(suite: SigningSuite) -> None:
    result = suite.run(CLIENT + STREAM, "-s", "--llmfaults-sign")
    result.assert_outcomes(passed=1)
    found = groups(result.outlines)
    assert found["1 attempt, raises Odd"] == "remove('model')"
    assert found["1 attempt, raises Bad"].startswith(("cut(at=", "nest(", "put(", "fault('stream.closed'"))
    assert found["1 attempt, returns ''"].startswith(("remove(", "put("))
    assert "'hello" not in "".join(found), "the words of a text count as the reply's, however it was cut into chunks"
    suite.run(CLIENT + STREAM).assert_outcomes(passed=1)


def test_progress_is_shown_on_a_terminal_and_taken_away(suite: SigningSuite) -> None:
    conftest = """
        import pytest

        @pytest.hookimpl(trylast=True)
        def pytest_configure(config):
            shown = {shown}
            config.pluginmanager.get_plugin("terminalreporter").isatty = type(
                "Known", (), {{"__bool__": lambda _: shown, "__call__": lambda _: shown}}
            )()
    """
    code = CLIENT + TEST.format(call="client", more="families=()", examples=20)
    shown = suite.run(code, "--llmfaults-sign", conftest=conftest.format(shown=True))
    text = "\n".join(shown.outlines)
    assert "drawing variants: " in text
    assert "trying every single change: " in text
    hidden = suite.run(code, "--llmfaults-sign", conftest=conftest.format(shown=False))
    assert "drawing variants: " not in "\n".join(hidden.outlines)


def test_with_workers(suite: SigningSuite) -> None:
    code = CLIENT + TEST.format(call="client", more="families=()", examples=20)
    suite.run(code, "-n", "2", "-p", "xdist", "--llmfaults-sign").assert_outcomes(passed=1)
    assert "variants = [\"remove('id')\"]" in suite.signed
