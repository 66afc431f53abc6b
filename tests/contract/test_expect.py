"""expect: a wish in code, held whatever is signed, before check and after it."""

from __future__ import annotations

import pytest

from .conftest import SigningSuite

CODE = """
    def test_it(llmfaults_contract):
        {before}
        llmfaults_contract.check(ask, faults=FEW)
        {after}
"""

MET = [
    '"status.503", attempts=3',
    '"status.503", retried=True, waits=[1, 2]',
    '"status.503", returns="gave up"',
    '["body.html_page", "status.503"], attempts=3, retried=True',
    '"body.html_page", raises=requests.RequestException',
    '"envelope.choices_null", raises=(KeyError, TypeError), attempts=1',
    '"content.empty", returns="", retried=False, waits=()',
]
UNMET = [
    ('"status.503", attempts=4', "status.503: attempts=3, wished 4"),
    ('"status.*", retried=False', "status.503: retried (3 attempts), wished retried=False"),
    ('"status.503", waits=[1, 3]', "status.503: waits=[[]1.0, 2.0[]] s, wished [[]1, 3[]]"),
    ('"body.html_page", raises=TypeError', "body.html_page: raises requests.JSONDecodeError, wished raises TypeError"),
    ('"content.empty", returns=None', "content.empty: returns '', wished returns None"),
    ('"content.null", attempts=1', "content.null: none of them was observed; widen faults= of check()."),
]


@pytest.fixture
def signed(suite: SigningSuite) -> SigningSuite:
    """Return a suite whose contract is signed."""
    suite.sign(CODE.format(before="", after=""))
    return suite


def test_wishes_that_are_met(signed: SigningSuite) -> None:
    calls = "; ".join(f"llmfaults_contract.expect({wish})" for wish in MET)
    signed.run(CODE.format(before=calls, after="")).assert_outcomes(passed=1)
    signed.run(CODE.format(before="", after=calls)).assert_outcomes(passed=1)


@pytest.mark.parametrize(("wish", "line"), UNMET)
def test_a_wish_that_is_not_met(signed: SigningSuite, wish: str, line: str) -> None:
    call = f"llmfaults_contract.expect({wish})"
    for places in ({"before": call, "after": ""}, {"before": "", "after": call}):
        result = signed.run(CODE.format(**places))
        result.assert_outcomes(failed=1)
        result.stdout.fnmatch_lines(["*ContractBroken: A wish was not met:", f"*  {line}"])


def test_what_is_wished_is_held_although_it_is_signed_otherwise(suite: SigningSuite) -> None:
    code = CODE.format(before='llmfaults_contract.expect("status.503", attempts=1)', after="")
    result = suite.sign(code)
    result.assert_outcomes(failed=1)
    assert not (suite.pytester.path / "llmfaults").exists()


def test_each_case_of_a_marker_meets_its_own_wishes(signed: SigningSuite) -> None:
    code = """
        @pytest.mark.llmfaults(*FEW)
        def test_it(llmfaults_contract):
            llmfaults_contract.expect("status.503", attempts=4)
            llmfaults_contract.check(ask)
    """
    signed.run(code).assert_outcomes(passed=3, failed=1)


@pytest.mark.parametrize(
    ("wish", "line"),
    [
        ('"status.503"', "*expect(status.503) wishes nothing: give attempts=*"),
        ('"status.503", attempts=-1', "*attempts=-1 is not a number of requests*"),
        ('"status.503", raises=ValueError, returns=1', "*a call raises or returns*"),
        ('"status.5O3", attempts=1', "*UnknownFault: 'status.5O3' is not a fault. Did you mean *'status.503'*"),
    ],
)
def test_a_wish_that_is_none(signed: SigningSuite, wish: str, line: str) -> None:
    result = signed.run(CODE.format(before=f"llmfaults_contract.expect({wish})", after=""))
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([line])
