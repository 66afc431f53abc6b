"""Faults and wires that a conftest.py or another package brings: known in its session, and nowhere else."""

from __future__ import annotations

import textwrap

import pytest

from pytest_llmfaults._faults import CATALOGUE, faults
from pytest_llmfaults._pytest import sign
from pytest_llmfaults._wires import WIRES
from tests.suite import INI, Suite

ACME = """
    from pytest_llmfaults.extending import Fault, Wire, put, rewrite

    SAMPLE = {"result": [{"text": "Hold."}], "stop": "END"}
    ASK = Wire.from_sample(
        SAMPLE, {"content": ("result", 0, "text"), "finish": ("stop",)}, name="acme.ask", route="/v2/ask"
    )

    def row(name, since=1, **more):
        fields = {"play": put("content", "..."), "meaning": "Dots.", "draw": "fresh", "slot": "content", **more}
        return Fault(name=name, since=since, **fields)

    def pytest_llmfaults_wires():
        return [ASK]

    def pytest_llmfaults_faults(config):
        return [row("acme.dots"), row("acme.dots_later", since=2, play=put("content", "later"))]
"""
ASK = """
    def ask_acme():
        return requests.post("https://llm.acme.example/v2/ask", json={"q": "What now?"}).json()["result"][0]["text"]
"""


def refusal(suite: Suite, conftest: str) -> str:
    """Return the one line by which a session is refused."""
    result = suite.run("def test_it(): pass", conftest=conftest)
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    lines = [line for line in result.errlines if line.strip()]
    assert len(lines) == 1
    assert WIRES.lent == CATALOGUE.lent == {}
    return lines[0]


def test_a_wire_and_its_faults_are_like_any_other(suite: Suite) -> None:
    code = (
        ASK
        + """
    def test_healthy(llmfaults):
        llmfaults.inject("ok")
        assert ask_acme() == "Hold."
        assert llmfaults.requests[0].wire == "acme.ask"

    def test_own_fault(llmfaults):
        llmfaults.inject("acme.dots", Answer("Sell."), wire="acme.ask")
        assert [ask_acme(), ask_acme()] == ["...", "Sell."]

    @pytest.mark.llmfaults("acme.*")
    def test_glob(llmfaults):
        assert ask_acme() == "..."

    @pytest.mark.llmfaults("content.empty", "envelope.choices_null")
    def test_shared_fault(llmfaults):
        assert ask_acme() == ""

    def test_stream(llmfaults):
        llmfaults.inject("ok")
        with pytest.raises(Refused, match="plays acme.ask only without"):
            requests.post("https://llm.acme.example/v2/ask", json={"stream": True})

    def test_uncovered(llmfaults):
        with pytest.raises(Refused, match="no injection covers it"):
            ask_acme()

    def test_own_fault_elsewhere(llmfaults):
        llmfaults.inject("acme.dots")
        assert ask() == "..."
    """
    )
    result = suite.run(code, conftest=ACME)
    result.assert_outcomes(passed=5, failed=3)  # a refusal fails the test, whatever became of it
    names = ["test_shared_fault*envelope.choices_null*", "test_stream*", "test_uncovered*"]
    result.stdout.fnmatch_lines([f"FAILED test_suite.py::{name}" for name in names])
    result.stdout.fnmatch_lines(["*envelope.choices_null does not apply to the wire acme.ask, which has no choices.*"])


def test_what_is_brought_is_gone_after_the_session(suite: Suite) -> None:
    suite.run("def test_it(): pass", conftest=ACME).assert_outcomes(passed=1)
    assert "acme.dots" not in CATALOGUE
    assert "acme.ask" not in WIRES


WIDE = """
    from pytest_llmfaults import faults

    @pytest.mark.llmfaults("*", "content", "core")
    def test_globs(llmfaults): pass

    @pytest.mark.llmfaults("c*")
    def test_a_glob_of_families(llmfaults): pass

    @pytest.mark.llmfaults(draw="fresh")
    def test_filter(llmfaults): pass

    @pytest.mark.parametrize("row", faults(slot="content") + faults("all"), ids=lambda row: row.name)
    def test_own(row): pass
"""


def test_installed_and_unused_it_changes_nothing(suite: Suite) -> None:
    without = suite.run(WIDE, "--collect-only", "-q").outlines
    brought = suite.run(WIDE, "--collect-only", "-q", conftest=ACME.replace("acme.", "content_acme.")).outlines
    assert [line for line in brought if "::" in line] == [line for line in without if "::" in line]
    assert len(without) > 500


def test_a_session_inside_a_session_has_its_own(suite: Suite) -> None:
    code = f"""
    pytest_plugins = "pytester"

    def test_outside(llmfaults, pytester):
        pytester.makeini({INI!r})
        pytester.makepyfile("def test_inside(llmfaults): llmfaults.inject('acme.dots')")
        inner = pytester.runpytest_inprocess()
        inner.assert_outcomes(failed=1)
        inner.stdout.fnmatch_lines(["*'acme.dots' is not a fault.*"])
        assert pytest.importorskip("pytest_llmfaults").fault("acme.dots").name == "acme.dots"
    """
    suite.run(code, "-p", "pytester", conftest=ACME).assert_outcomes(passed=1)


def test_patterns_mean_the_first_edition_until_the_suite_says_more(suite: Suite) -> None:
    code = """
    @pytest.mark.llmfaults("acme")
    def test_family(llmfaults): pass

    @pytest.mark.llmfaults("acme.dots_later")
    def test_name(llmfaults): pass
    """
    assert _cases(suite, code) == ["test_family[acme.dots]", "test_name"]
    suite.pytester.makeini(f"{INI}llmfaults_editions =\n    other = 3\n    acme = 2\n")
    assert _cases(suite, code) == ["test_family[acme.dots]", "test_family[acme.dots_later]", "test_name"]


def _cases(suite: Suite, code: str) -> list[str]:
    lines = suite.run(code, "--collect-only", "-q", conftest=ACME).outlines
    return [line.partition("::")[2] for line in lines if "::" in line]


def test_a_glob_that_means_later_rows_only_names_the_ini(suite: Suite) -> None:
    result = suite.run('@pytest.mark.llmfaults("acme.dots_*")\ndef test_it(llmfaults): pass', conftest=ACME)
    result.stdout.fnmatch_lines(["*no fault of edition 1 of acme, *set the ini llmfaults_editions = acme = 2.*"])


@pytest.mark.parametrize("line", ["acme", "acme = two", "acme = 0", "= 2"])
def test_a_bad_edition_is_one_clear_line(suite: Suite, line: str) -> None:
    suite.pytester.makeini(f"{INI}llmfaults_editions = {line}\n")
    assert refusal(suite, "") == (
        f"ERROR: llmfaults_editions: {line!r} does not read 'family = number', such as 'acme = 2'."
    )


def test_the_list_says_who_brings_a_fault(suite: Suite) -> None:
    result = suite.run("", "--llmfaults-list", "dots", conftest=ACME)
    result.stdout.fnmatch_lines(
        [
            "acme.dots  [[]draw fresh, total, from conftest.py]",
            "acme.dots_later  [[]draw fresh, total, edition 2, from conftest.py]",
            "2 of * faults, 0 of * rules.",
        ]
    )


def test_of_two_routes_the_longer_counts(suite: Suite) -> None:
    code = """
    def test_it(llmfaults):
        llmfaults.inject("ok")
        requests.post("https://x.example/acme/chat/completions", json={})
        requests.post("https://x.example/v1/chat/completions", json={})
        assert [one.wire for one in llmfaults.requests] == ["acme.ask", "openai.chat"]
    """
    suite.run(code, conftest=ACME.replace("/v2/ask", "/acme/chat/completions")).assert_outcomes(passed=1)


REFUSED = {
    "[row('content.dots')]": "content.dots is in the family 'content' of pytest-llmfaults itself, whose globs would "
    "mean your row. Take a family of your own, such as acme.dots.",
    "[row('turn.dots')]": "turn.dots is in the family 'turn' of pytest-llmfaults itself,",
    "[row('content.empty')]": "the fault content.empty is there already, from pytest-llmfaults itself.",
    "[row('acme.one'), row('acme.one')]": "the fault acme.one is there already, from conftest.py. Take another name.",
    "[row('dots')]": "name='dots' does not read family.slot_shape: two words of lower-case letters, digits and _,",
    "[row('acme.Dots')]": "name='acme.Dots' does not read family.slot_shape:",
    "[row('acme.dots.more')]": "name='acme.dots.more' does not read family.slot_shape:",
    "['acme.dots']": "'acme.dots' is no Fault. Each is a pytest_llmfaults.Fault(...).",
    "row('acme.dots')": "returned fault('acme.dots'); it returns a list, also where it brings one thing or none.",
    "'acme.dots'": "returned 'acme.dots'; it returns a list,",
    "None": "returned None; it returns a list,",
    "1 / 0": "raised ZeroDivisionError('division by zero').",
    "[row('acme.dots', draw='never')]": "acme.dots has draw='never'; it is one of 'fresh', 'same', 'depends'.",
    "[row('acme.dots', scope='')]": "acme.dots has scope=''; it is one of 'total', 'partial'.",
    "[row('acme.dots', needs='tools')]": "acme.dots has needs='tools'; it is one of 'tool_calls', 'data', 'items', No",
    "[row('acme.dots', play='...')]": "acme.dots has play='...'; it is a function (healthy, **values) -> Reply.",
    "[row('acme.dots', since=0)]": "acme.dots has since=0; it is the edition of the family that brought it, from 1.",
    "[row('acme.dots', meaning=' ')]": "acme.dots has meaning=' '; it says in one sentence what the client gets.",
    "[row('acme.dots', parameters=['seconds'])]": "acme.dots has parameters=['seconds']; it is a tuple of Parameter(",
    "[row('acme.dots', wires=('acme.asks',))]": "acme.dots has wires=('acme.asks',), and 'acme.asks' is no wire. Did "
    "you mean 'acme.ask'? Known wires: ",
    "[row('acme.dots', slot='contents')]": "acme.dots is about the slot 'contents', which no wire has. Did you mean "
    "'content'",
}


@pytest.mark.parametrize(("given", "text"), REFUSED.items(), ids=list(REFUSED))
def test_a_fault_that_does_not_fit_is_refused(suite: Suite, given: str, text: str) -> None:
    before = ACME[: ACME.index("    def pytest_llmfaults_faults")]
    line = refusal(suite, f"{before}\n    def pytest_llmfaults_faults(): return {given}")
    assert line.startswith(f"ERROR: pytest_llmfaults_faults of conftest.py{' ' if text[0] == 'r' else ': '}{text}")


REFUSED_WIRES = {
    "[ASK, ASK]": "the wire acme.ask is there already, from conftest.py. Take another name.",
    "[wire(name='openai.chat')]": "the wire openai.chat is there already, from pytest-llmfaults itself.",
    "[wire(name='acme')]": "name='acme' does not read company.format:",
    "[ASK, wire(name='acme.two')]": "the route /v2/ask of acme.two is taken by acme.ask, from conftest.py. Name a "
    "longer ending of your path.",
    "[wire(routes=('/chat/completions',))]": "the route /chat/completions of acme.ask is taken by openai.chat, from",
    "[wire(routes=('/completions',))]": "the route /completions of acme.ask is that of openai.completions, which a",
    "[wire(routes=('v2/ask',))]": "acme.ask has the route 'v2/ask'; it is a path ending that begins with /,",
    "[wire(routes=('/v2/ask/',))]": "acme.ask has the route '/v2/ask/'; it is a path ending",
    "[wire(routes=())]": "acme.ask has routes=(); a tuple of path endings is needed, such as ('/llm/ask',).",
    "[wire(slots={'content': ('result',)})]": "acme.ask has slots={'content': ('result',)}; a Slot is needed,",
    "[SAMPLE]": "{'result': [{'text': 'Hold.'}], 'stop': 'END'} is no Wire. Each is a pytest_llmfaults.Wire(...).",
}


REFUSED_DIALECTS = {
    "[one(name='vllm')]": "the dialect vllm is there already, from pytest-llmfaults itself. Take another name.",
    "[one(), one()]": "the dialect acme is there already, from conftest.py. Take another name.",
    "[one(name='Acme chat')]": "name='Acme chat' is not one word of lower-case letters, digits and _, such as 'acme'.",
    "[one(wire='openai.chats')]": "acme has wire='openai.chats', which is no wire. Did you mean 'openai.chat'",
    "[one(hosts='a.example')]": "acme has hosts='a.example'; a tuple of host names is needed,",
    "[one(hosts=('https://a.example',))]": "acme has hosts=('https://a.example',); a tuple of host names is needed,",
    "[one(hosts=('api.groq.com',))]": "the host api.groq.com of acme is taken by the dialect groq, from pytest-llm",
    "[one(slots={'reasoning': ('x',)})]": "acme has slots={'reasoning': ('x',)}; a Slot is needed,",
    "[one(fields={'mesage': {'a': 1}})]": "acme has fields={'mesage': ...}, which is no part of openai.chat. Did you",
    "['acme']": "'acme' is no Dialect. Each is a pytest_llmfaults.Dialect(...).",
}


@pytest.mark.parametrize(("given", "text"), REFUSED_DIALECTS.items(), ids=list(REFUSED_DIALECTS))
def test_a_dialect_that_does_not_fit_is_refused(suite: Suite, given: str, text: str) -> None:
    conftest = f"""
    from pytest_llmfaults.extending import Dialect

    def one(name="acme", **more): return Dialect(name=name, source="https://a.example", **more)
    def pytest_llmfaults_dialects(): return {given}
    """
    assert refusal(suite, conftest).startswith(f"ERROR: pytest_llmfaults_dialects of conftest.py: {text}")


REFUSED_TRANSPORTS = {
    "[one(), one()]": "the transport acme is there already, from conftest.py. Take another name.",
    "[one(module='no.such')]": "acme has module='no.such', which is not installed. Bring it where it is.",
    "[one(function='Client connect')]": "acme has function='Client connect'; a name is needed,",
    "[one(address=None)]": "acme has address=None; a function of the same arguments is needed.",
    "[one(name='')]": "name='' is no name of a library,",
    "['acme']": "'acme' is no extending.Transport. Each is a pytest_llmfaults.extending.Transport(...).",
}


@pytest.mark.parametrize(("given", "text"), REFUSED_TRANSPORTS.items(), ids=list(REFUSED_TRANSPORTS))
def test_a_transport_that_does_not_fit_is_refused(suite: Suite, given: str, text: str) -> None:
    conftest = f"""
    from pytest_llmfaults.extending import Transport

    def one(name="acme", module="json", function="dumps", address=dict, **more):
        return Transport(name=name, module=module, function=function, address=address, **more)
    def pytest_llmfaults_transports(): return {given}
    """
    assert refusal(suite, conftest).startswith(f"ERROR: pytest_llmfaults_transports of conftest.py: {text}")


def test_a_function_that_is_not_there_is_named(suite: Suite) -> None:
    conftest = """
    from pytest_llmfaults.extending import Transport

    def pytest_llmfaults_transports():
        return [Transport(name="acme", module="json", function="dial", address=dict)]
    """
    suite.pytester.makeconftest(conftest)
    result = suite.run("def test_it(llmfaults): pass")
    result.stdout.fnmatch_lines(["*has no json.dial, where faults are injected*"])


def test_a_dialect_is_known_by_host_and_by_name(suite: Suite) -> None:
    conftest = """
    from pytest_llmfaults.extending import Dialect, Piece, at

    def read(chunk):
        return (chunk["choices"] or [{"delta": {}}])[0]["delta"].get("said")

    def pytest_llmfaults_dialects():
        slots = {"content": at("choices", 0, "message", "said"), "refusal": None}
        text = Piece(read, lambda chunk, text: chunk)
        return [Dialect(name="acme", source="https://a.example", hosts=("*.acme.example",), slots=slots, text=text)]
    """
    code = """
    def said(url):
        return requests.post(url, json={"messages": []}).json()["choices"][0]["message"].get("said")

    @pytest.mark.llmfaults("content.number", then=Answer("Hold."))
    def test_host(llmfaults):
        assert said("https://llm.acme.example/v1/chat/completions") not in (None, "Hold.")
        assert said("https://llm.acme.example/v1/chat/completions") == "Hold."
        assert said("https://api.openai.com/v1/chat/completions") is None

    def test_stream(llmfaults):
        llmfaults.inject(Answer("Hold."))
        requests.post("https://llm.acme.example/v1/chat/completions", json={"messages": [], "stream": True})
        assert llmfaults.streams[0].text == "Hold."

    def test_name(llmfaults):
        llmfaults.inject(Answer("Hold."), dialect="acme")
        assert said("https://api.openai.com/v1/chat/completions") == "Hold."
        with pytest.raises(Exception, match="openai.chat .dialect acme., which has no refusal"):
            llmfaults.inject("content.refusal", dialect="acme")
    """
    suite.run(code, conftest=conftest).assert_outcomes(passed=3)


def test_a_wire_with_a_host_of_its_own_may_share_a_route(suite: Suite) -> None:
    conftest = """
    import dataclasses
    from pytest_llmfaults.extending import Wire

    SLOTS = {"content": ("text",)}
    ONE = Wire.from_sample({"text": "Hold."}, SLOTS, name="acme.chat", route="/chat/completions")

    def pytest_llmfaults_wires():
        return [dataclasses.replace(ONE, hosts=("llm.acme.example",))]
    """
    code = """
    def test_it(llmfaults):
        llmfaults.inject("ok")
        for host, wire in ("llm.acme.example", "acme.chat"), ("api.openai.com", "openai.chat"):
            requests.post(f"https://{host}/v1/chat/completions", json={"messages": []})
            assert llmfaults.requests[-1].wire == wire
    """
    suite.run(code, conftest=conftest).assert_outcomes(passed=1)


@pytest.mark.parametrize(("given", "text"), REFUSED_WIRES.items(), ids=list(REFUSED_WIRES))
def test_a_wire_that_does_not_fit_is_refused(suite: Suite, given: str, text: str) -> None:
    before = ACME[: ACME.index("    def pytest_llmfaults_wires")]
    line = refusal(
        suite,
        f"{before}\n    import dataclasses\n    def wire(**more): return dataclasses.replace(ASK, **more)"
        f"\n    def pytest_llmfaults_wires(): return {given}",
    )
    assert line.startswith(f"ERROR: pytest_llmfaults_wires of conftest.py: {text}")


def test_a_family_has_one_owner(suite: Suite) -> None:
    suite.pytester.syspathinsert()
    suite.pytester.makepyfile(other=textwrap.dedent(ACME).replace("def pytest_llmfaults_wires", "def wires"))
    result = suite.run("", "-p", "other", conftest=ACME.replace("acme.dots", "acme.points"))
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    text = "*of other: acme.dots is in the family 'acme', which conftest.py brings. Take a family of your own."
    result.stderr.fnmatch_lines([text])


def test_a_wrapper_is_refused(suite: Suite) -> None:
    conftest = """
    import pytest

    @pytest.hookimpl(wrapper=True)
    def pytest_llmfaults_wires():
        return (yield)
    """
    assert "is a wrapper. It returns what it brings, and has nothing to wrap" in refusal(suite, conftest)


def test_a_conftest_that_comes_too_late_is_refused(suite: Suite) -> None:
    folder = suite.pytester.mkdir("below")
    (folder / "conftest.py").write_text(textwrap.dedent(ACME))
    (folder / "test_below.py").write_text("def test_it(): pass")
    result = suite.run("def test_it(): pass")
    assert result.ret != 0
    text = (
        "*below/conftest.py has the hook pytest_llmfaults_wires and is loaded too late to be asked. Put it into the *"
    )
    (result.stderr if result.errlines else result.stdout).fnmatch_lines([text])


def test_workers_of_xdist_know_it_too(suite: Suite, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in sign.CI_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    code = (
        ASK
        + """
    @pytest.mark.llmfaults("acme.dots", "content.empty")
    def test_it(llmfaults):
        assert ask_acme() in {"...", ""}

    def test_contract(llmfaults_contract):
        llmfaults_contract.check(ask_acme, faults=["acme", "content"])
    """
    )
    suite.pytester.makeconftest(textwrap.dedent(ACME))
    suite.run(code, conftest=ACME)
    result = suite.pytester.runpytest_subprocess("-n", "2", "--llmfaults-sign")
    result.assert_outcomes(passed=3)
    result.stdout.fnmatch_lines(["*1 contract signed*"])
    signed = next(suite.pytester.path.rglob("*.toml")).read_text()
    assert "editions = { acme = 2 }  # of families" in signed
    assert 'wires = ["acme.ask"]' in signed
    assert '"acme.dots_later"' in signed


def test_the_catalogue_of_this_process_is_as_it_was() -> None:
    assert not CATALOGUE.lent
    assert all(row.name in CATALOGUE.own for row in faults())
