"""The text of a broken contract: eight lines, a table of 80 columns, a command."""

from __future__ import annotations

import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from pytest_llmfaults._contract.compare import compare
from pytest_llmfaults._contract.contract import Contract
from pytest_llmfaults._contract.observation import Behaviour
from pytest_llmfaults._contract.sentence import sentence
from pytest_llmfaults._contract.show import FIRST_LINES, failure, newer_line, summary, versions_line
from tests.contract.cases import AS_OK, FAILS, NODEID, RETRIED, ROWS, SINCE, contract, observations, patient

GONE = Behaviour("4 attempts, waits 0 0 0 s, raises GatewayError", "2 attempts, waits 0 s, same as ok")
BODY = [name for name in ROWS if name.startswith("body.")]
STATUS = [name for name in ROWS if name.startswith("status.")]


def shown(observed: Contract, signed: Contract | None = None, **options: object) -> list[str]:
    signed = signed or contract()
    changes = compare(signed, observed, since=SINCE)
    text = failure(changes, nodeid=NODEID, since=SINCE, signed=signed, observed=observed, **options)  # type: ignore[arg-type]
    return text.splitlines()


def having(**changes: Behaviour) -> Contract:
    behaviours = dict(contract().behaviours)
    for name, what in changes.items():
        behaviours[name.replace("__", ".")] = what
    return contract(behaviours=behaviours)


def test_one_changed_fault_in_full() -> None:
    assert shown(having(body__html_null=FAILS)) == [
        "Not as signed: 47 held, 1 changed",
        "  body.html_null: no longer retried: 4 → 1 attempt; raises EnvelopeError instead of GatewayError",
        "",
        "changed: body.html_null",
        "  signed         4 attempts, waits 1 2 4 s, raises GatewayError",
        "  observed       1 attempt, raises EnvelopeError",
        "  signed, once   2 attempts, waits 1 s, same as ok",
        "  observed, once 1 attempt, raises EnvelopeError",
        "",
        f"pytest {NODEID} --llmfaults-sign=changed",
    ]


def test_what_happens_once_is_left_out_where_it_did_not_change() -> None:
    lines = shown(having(body__html_null=Behaviour("1 attempt, raises GatewayError", RETRIED.once)))
    assert not any("once" in line for line in lines)


def test_faults_that_changed_alike_share_a_line() -> None:
    lines = shown(contract(behaviours={**contract().behaviours, **dict.fromkeys(BODY, GONE)}))
    assert lines[1] == "  body.* (16 faults): waits gone: 1 2 4 → 0 0 0 s"
    assert all(any(name in line for line in lines) for name in BODY)


def test_among_many_the_rows_that_one_knows_are_named_one_of_each_family_in_turn() -> None:
    names = ("body.bom", "body.empty", "body.html_page", "control.gzip", "status.408", "status.503", "usage.null")
    signed = contract(behaviours=dict.fromkeys(names, RETRIED))
    changes = compare(signed, contract(behaviours=dict.fromkeys(names, GONE)), since=dict.fromkeys(names, 1))
    since = dict.fromkeys((*names, "body.other", "status.other"), 1)
    text = failure(changes, nodeid=NODEID, since=since, signed=signed, observed=signed)
    assert text.splitlines()[1].startswith("  body.empty, status.503, body.html_page, ... (7 faults): waits gone")


def test_faults_that_changed_alike_from_different_beginnings_share_a_line() -> None:
    other = Behaviour("4 attempts, waits 1 2 4 s, raises Other", RETRIED.once)
    signed = contract(behaviours={BODY[0]: RETRIED, BODY[1]: other})
    observed = contract(
        behaviours={
            BODY[0]: Behaviour("1 attempt, raises GatewayError", RETRIED.once),
            BODY[1]: Behaviour("1 attempt, raises Other", RETRIED.once),
        }
    )
    assert (
        shown(observed, signed)[1] == "  body.html_absent, body.html_null (2 faults): no longer retried: 4 → 1 attempt"
    )


def test_the_worst_comes_first_and_then_the_most_numerous() -> None:
    lines = shown(
        contract(
            behaviours={
                **contract().behaviours,
                **dict.fromkeys(BODY[:2], Behaviour("4 attempts, waits 1 2 2 s, raises GatewayError", RETRIED.once)),
                **dict.fromkeys(BODY[2:5], GONE),
                STATUS[0]: AS_OK,
            }
        )
    )
    assert [line.split(":")[0].strip() for line in lines[1:4]] == [
        STATUS[0],
        "body.choices_absent, body.html_empty, body.html_wrong_type_of_thing (3 faults)",
        "body.html_absent, body.html_null (2 faults)",
    ]


def test_a_changed_healthy_call_comes_before_everything() -> None:
    observed = dataclasses.replace(
        having(body__html_null=AS_OK), ok="1 attempt, returns X", interrupt="1 attempt, same as ok"
    )
    lines = shown(observed)
    assert lines[1].startswith("  an interrupt: returns what the healthy call returns instead of raising Keyboard")
    assert lines[2] == "  the healthy call: returns X instead of BUY ACME 2"


def test_new_and_stale_have_their_words_and_their_command() -> None:
    signed = contract(behaviours={BODY[0]: RETRIED, BODY[1]: RETRIED})
    observed = contract(behaviours={BODY[0]: RETRIED, BODY[2]: FAILS})
    lines = shown(observed, signed)
    assert lines[:3] == [
        "Not as signed: 1 held, 1 new, 1 stale",
        f"  {BODY[1]}: signed, not observed any more",
        f"  {BODY[2]}: observed, never signed: 1 attempt, raises EnvelopeError",
    ]
    assert lines[-1] == f"pytest {NODEID} --llmfaults-sign=new,stale"


def test_without_a_file_it_says_so() -> None:
    changes = compare(None, contract(), since=SINCE)
    text = failure(changes, nodeid=NODEID, since=SINCE, signed=None, observed=contract())
    assert text.startswith("Nothing is signed yet: 0 held, 50 new")
    assert "body.*" in text
    assert text.endswith(f"pytest {NODEID} --llmfaults-sign=new")


def test_versions_that_differ_are_named() -> None:
    signed = contract(versions={"openai": "3.57.0", "requests": "2.34.2", "gone": "1"})
    observed = dataclasses.replace(having(body__html_null=FAILS), versions={"openai": "3.60.1", "requests": "2.34.2"})
    assert versions_line(signed, observed) == "signed with gone 1, now not used; openai 3.57.0, now 3.60.1"
    assert "signed with gone 1, now not used; openai 3.57.0, now 3.60.1" in shown(observed, signed)
    assert versions_line(signed, signed) is None
    assert versions_line(None, observed) is None


def test_notes_stand_between_the_table_and_the_command() -> None:
    lines = shown(having(body__html_null=FAILS), notes=["why: JSONDecodeError is a RequestException"])
    assert lines[-3:-1] == ["why: JSONDecodeError is a RequestException", ""]


def test_newer_rows_are_one_line() -> None:
    later = {**SINCE, "body.later": 2, "later.row": 2}
    changes = compare(contract(), contract(), since=later)
    assert newer_line(changes, NODEID) == f"2 faults are newer than this contract: pytest {NODEID} --llmfaults-sign=new"
    assert summary(changes) == "48 held, 2 newer than the contract"
    one = compare(contract(), contract(), since={**SINCE, "body.later": 2})
    assert str(newer_line(one, NODEID)).startswith("1 fault is newer")
    assert newer_line(compare(contract(), contract(), since=SINCE), NODEID) is None


behaviours = st.builds(Behaviour, observations().map(sentence), observations().map(sentence))


@patient
@given(st.dictionaries(st.sampled_from(ROWS), behaviours, min_size=1, max_size=20))
def test_at_most_eight_lines_then_eighty_columns_then_the_command(now: dict[str, Behaviour]) -> None:
    lines = shown(contract(behaviours={**contract().behaviours, **now}, versions={"requests": "3"}))
    first = lines[: lines.index("")]
    assert len(first) <= FIRST_LINES
    rest = lines[lines.index("") + 1 : -1]
    assert all(len(line) <= 80 for line in rest)
    assert all(any(name in line for line in rest) for name, what in now.items() if contract().behaviours[name] != what)
    assert lines[-1] == f"pytest {NODEID} --llmfaults-sign=changed"


def test_what_does_not_fit_in_eight_lines_is_counted() -> None:
    now = {name: Behaviour(f"1 attempt, raises E{number}", RETRIED.once) for number, name in enumerate(BODY)}
    lines = shown(contract(behaviours={**contract().behaviours, **now}))
    assert lines[FIRST_LINES - 1] == "  and 10 more, in the table below"


def test_other_values_share_a_line_where_there_are_too_many_lines() -> None:
    values = {name: Behaviour(f"1 attempt, returns {number}", RETRIED.once) for number, name in enumerate(BODY)}
    signed = {**contract().behaviours, **dict.fromkeys(BODY, Behaviour("1 attempt, returns x", RETRIED.once))}
    observed = contract(behaviours={**signed, **values, STATUS[0]: GONE})
    lines = shown(observed, contract(behaviours=signed))
    assert lines[1] == "  body.* (16 faults): returns 8 instead of x; and 15 other values"
    assert lines[2].startswith(f"  {STATUS[0]}: now retried")
    assert lines[3] == ""
