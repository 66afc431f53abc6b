"""The ini ``llmfaults_catalogue``: an upgrade of this plugin adds no case to a suite that did not ask for it."""

from __future__ import annotations

import dataclasses

import pytest

from pytest_llmfaults import _edition, _faults
from pytest_llmfaults._faults import CATALOGUE, EDITION, faults
from pytest_llmfaults._registry import Registry
from pytest_llmfaults.errors import UnknownFault
from tests.suite import Suite

LATER = EDITION + 1
NUMBERS = "1" if EDITION == 1 else f"a number from 1 to {EDITION}"
CASES = """
    import pytest
    from pytest_llmfaults import faults

    @pytest.mark.llmfaults("body.*", then="ok")
    def test_glob(llmfaults):
        ask()

    @pytest.mark.llmfaults("body", "core", then="ok")
    def test_family_and_preset(llmfaults):
        ask()

    @pytest.mark.llmfaults(slot="usage")
    def test_filter(llmfaults):
        ask()

    @pytest.mark.parametrize("row", faults("body"), ids=lambda row: row.name)
    def test_own_parameter(row):
        pass
"""


@pytest.fixture
def upgraded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Install a catalogue that a later version might bring."""
    newer = {
        "body.newer": dataclasses.replace(CATALOGUE["body.empty"], name="body.newer", since=LATER),
        "usage.newer": dataclasses.replace(CATALOGUE["usage.absent"], name="usage.newer", since=LATER),
        "brand.newer": dataclasses.replace(CATALOGUE["body.empty"], name="brand.newer", since=LATER),
    }
    monkeypatch.setattr(_faults, "CATALOGUE", Registry("faults", {**CATALOGUE, **newer}))
    monkeypatch.setattr(_faults, "CORE", (*_faults.CORE, "body.newer"))
    monkeypatch.setattr(_faults, "EDITION", LATER)


def collected(suite: Suite, ini: str = "") -> list[str]:
    """Return the ids of the cases."""
    suite.pytester.makeini(
        f"[pytest]\naddopts = -p no:cacheprovider\nasyncio_default_fixture_loop_scope = function\n{ini}\n"
    )
    result = suite.run(CASES, "--collect-only", "-q")
    assert result.ret == 0
    return [line for line in result.outlines if "::" in line]


def test_an_upgrade_adds_no_case(suite: Suite, request: pytest.FixtureRequest) -> None:
    before = collected(suite)
    assert len(before) > 100
    request.getfixturevalue("upgraded")
    assert collected(suite) == before
    assert collected(suite, "llmfaults_catalogue = 1") == before


@pytest.mark.usefixtures("upgraded")
@pytest.mark.parametrize("value", [str(LATER), "latest", " latest "])
def test_a_suite_that_asks_gets_the_newer_rows(suite: Suite, value: str) -> None:
    found = collected(suite, f"llmfaults_catalogue = {value}")
    newer = sorted(line.partition("::")[2] for line in found if "newer" in line)
    assert newer == [
        "test_family_and_preset[body.newer]",
        "test_filter[usage.newer]",
        "test_glob[body.newer]",
        "test_own_parameter[body.newer]",
    ]


@pytest.mark.usefixtures("upgraded")
def test_a_newer_row_is_found_by_its_own_name(suite: Suite) -> None:
    result = suite.run("""
        @pytest.mark.llmfaults("body.newer", then="ok")
        def test_marker(llmfaults):
            ask()
            assert llmfaults.attempts == 2

        def test_statement(llmfaults):
            llmfaults.inject("body.newer", "ok")
            ask()
    """)
    result.assert_outcomes(passed=2)


@pytest.mark.usefixtures("upgraded")
def test_a_glob_that_means_newer_rows_only_says_so(suite: Suite) -> None:
    result = suite.run("""
        @pytest.mark.llmfaults("brand.*")
        def test_marker(llmfaults):
            ask()
    """)
    assert result.ret != 0
    result.stdout.fnmatch_lines([f"*'brand.[*]' matches no fault of edition 1 of *llmfaults_catalogue = {LATER}.*"])


@pytest.mark.usefixtures("upgraded")
def test_an_edition_that_is_given_counts_for_names_too() -> None:
    assert [row.name for row in faults("body.newer", edition=LATER)] == ["body.newer"]
    with pytest.raises(UnknownFault, match="matches no fault of edition 1"):
        faults("body.newer", edition=1)


@pytest.mark.usefixtures("upgraded")
def test_the_list_names_the_edition_of_a_newer_row(pytester: pytest.Pytester) -> None:
    result = pytester.runpytest_inprocess("--llmfaults-list", "body.newer")
    result.stdout.fnmatch_lines([f"body.newer  [[]draw fresh, total, core, edition {LATER}]"])


@pytest.mark.parametrize("value", ["0", str(LATER), "-1", "1.0", "newest", "1 2"])
def test_a_bad_value_is_one_clear_line(pytester: pytest.Pytester, value: str) -> None:
    pytester.makeini(f"[pytest]\nllmfaults_catalogue = {value}\nasyncio_default_fixture_loop_scope = function\n")
    result = pytester.runpytest_inprocess()
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    lines = [line for line in result.errlines if line.strip()]
    expected = (
        f"llmfaults_catalogue: '{value}' is not an edition of the installed catalogue: write {NUMBERS}, or latest."
    )
    assert lines == [f"ERROR: {expected}"]


def test_the_choice_ends_with_the_run(pytester: pytest.Pytester) -> None:
    with _edition.using(1):
        pytester.makeini("[pytest]\nllmfaults_catalogue = latest\nasyncio_default_fixture_loop_scope = function\n")
        pytester.runpytest_inprocess("--co")
        assert _edition.chosen() == 1
    assert _edition.chosen() is None
