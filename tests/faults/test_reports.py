"""The table of public reports: every report that this version can name is named, and every name plays."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from pytest_llmfaults._faults import CATALOGUE
from pytest_llmfaults._rules import RULES, Breach

CATALOGUE_DOCS = Path(__file__).parent.parent.parent / "docs" / "catalogue"
FAMILIES = {
    "body",
    "envelope",
    "status",
    "content",
    "reasoning",
    "finish",
    "structured",
    "tools",
    "transport",
    "retry",
    "stream",
}
NO_REPLY = {"no_reply", "client_only"}


@pytest.fixture
def module(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(CATALOGUE_DOCS))
    import reports

    return reports


def test_every_report_with_a_reply_on_this_wire_is_named(module: Any) -> None:
    table = module.reports()
    assert len(table) == len({report.url for report in table}) == 499
    mine = [report for report in table if report.family in FAMILIES and report.wire in module.OWN_WIRES]
    assert len(mine) > 240
    assert sum(report.streamed for report in mine) > 60
    assert [report.url for report in mine if not report.faults and report.reason not in NO_REPLY] == []


def test_the_table_holds_addresses_and_names_and_nothing_else(module: Any) -> None:
    lines = module.TABLE.read_text().splitlines()
    assert lines[0] == "url\twire\tstreamed\tfamily\tfaults\treason"
    assert lines[1:] == sorted(lines[1:], key=lambda line: line.split("\t")[0].lower())
    for report in module.reports():
        assert re.fullmatch(r"https://\S+", report.url)
        assert report.reason == "-" or report.reason in module.REASONS


def test_every_fault_of_the_table_fires(module: Any) -> None:
    assert module.broken(module.reports()) == []


def test_the_summary_counts(module: Any) -> None:
    lines = module.summary(module.reports())
    assert re.match(r"\d+ of 499 reports are named", lines[0])
    text = "\n".join(lines)
    named = {name.partition("(")[0] for report in module.reports() for name in report.faults}
    rows = len(CATALOGUE) + len(RULES)
    assert f"{rows - len(named)} of {rows} rows name no report" in text


def test_a_rule_that_does_not_tell_its_two_requests_apart_is_broken(module: Any) -> None:
    rule = RULES["turn.user_after_tool"]
    never = dataclasses.replace(rule, broken=lambda _request: None)
    always = dataclasses.replace(rule, broken=lambda _request: Breach("it is a request"))
    assert module.played(rule) is None
    assert module.played(never) == "refused 0 requests, not the one that breaks it"
    assert module.played(always) == "refused 2 requests, not the one that breaks it"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("body.nonsense", "is not a fault"),
        ("turn.nonsense", "is not a rule"),
        ("body.empty(x=1)", "has no parameter"),
        ("status.error_html(status=418)", "is not allowed"),
        ("body empty", "is not a fault's name with values"),
    ],
)
def test_a_bad_name_breaks_the_command(
    module: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], text: str, words: str
) -> None:
    bad = module.Report("https://example.com/1", "openai.chat", False, "body", (text,), "-")
    monkeypatch.setattr(module, "reports", lambda: (bad,))
    assert module.main() == 1
    assert words in capsys.readouterr().out


def test_a_line_that_contradicts_itself_is_refused(module: Any, tmp_path: Path) -> None:
    path = tmp_path / "reports.tsv"
    path.write_text("url\twire\tstreamed\tfamily\tfaults\treason\nhttps://example.com\tany\tno\tbody\t-\t-\n")
    with pytest.raises(ValueError, match="a report has faults, or one of the reasons"):
        module.reports(path)
