"""The signed file: canonical, readable, and never believed when it is not whole."""

from __future__ import annotations

from pathlib import Path

import pytest
import tomlkit
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmfaults._contract.contract import Contract
from pytest_llmfaults._contract.observation import Behaviour
from pytest_llmfaults._contract.sentence import sentence
from pytest_llmfaults._contract.store import command, dumps, load, loads, removed_text, store
from pytest_llmfaults.errors import ContractError
from tests.contract.cases import AS_OK, FAILS, NODEID, RETRIED, ROWS, SINCE, contract, observations, patient

sentences = observations().map(sentence)
VARIANTS = (
    "remove('choices', 0, 'message')",
    "put('usage', value={'a': [None, \"it's\"]}), cut(at=0.5)",
    "fault('content.empty'), of='calls'",
    "put('choices', 0, 'message', 'content', value='\\\\ \\n')",
)


def text_of(signed: Contract) -> str:
    return dumps(signed, nodeid=NODEID, since=SINCE)


def read(text: str, edition: int = 1) -> Contract:
    return loads(text, since=SINCE, edition=edition)


def test_the_file_in_full() -> None:
    signed = contract(
        behaviours={name: RETRIED if name.startswith("body") else FAILS for name in ROWS if name[:3] in {"bod", "sta"}},
        versions={"urllib3": "2.8.0", "requests": "2.34.2"},
    )
    since = {name: 1 for name in ROWS if name[:3] in {"bod", "sta"}}
    assert (
        dumps(signed, nodeid=NODEID, since=since)
        == f"""\
# What {NODEID} did under each fault, as signed by a person.
# 'family.*' is every fault of the family in this edition that no other line names, 'family.prefix_*' likewise.
# Accept changes: pytest {NODEID} --llmfaults-sign=changed
# signed with requests 2.34.2, urllib3 2.8.0 (for the reader, never compared)
format = 1
catalogue = 1  # edition; newer faults are not held until signed

ok = "1 attempt, returns BUY ACME 2"
interrupt = "1 attempt, raises KeyboardInterrupt"

[["1 attempt, raises EnvelopeError"]]
faults = ["status.*"]
[["4 attempts, waits 1 2 4 s, raises GatewayError"]]
once = "2 attempts, waits 1 s, same as ok"
faults = ["body.*"]

# end of the contract
"""
    )


@patient
@given(
    st.builds(
        Contract,
        catalogue=st.just(1),
        ok=sentences,
        interrupt=st.none() | sentences,
        behaviours=st.dictionaries(
            st.sampled_from((*ROWS, *VARIANTS)), st.builds(Behaviour, sentences, sentences), max_size=8
        ),
        removed=st.dictionaries(
            st.sampled_from(["body.gone", "gone.*", "body.gone_*", "fault('body.gone')"]),
            st.builds(Behaviour, sentences, sentences),
        ),
        versions=st.dictionaries(st.sampled_from(["openai", "httpx2"]), st.sampled_from(["1.0", "3.0b1"])),
    )
)
def test_what_is_written_is_read_again_and_written_the_same(signed: Contract) -> None:
    text = text_of(signed)
    assert read(text) == signed
    assert text_of(read(text)) == text
    assert text.endswith("\n")
    assert "\r" not in text
    assert read(text.replace("\n", "\r\n")) == signed


def test_variants_stand_beside_faults() -> None:
    signed = contract(
        behaviours={
            "body.html_null": RETRIED,
            "remove('choices')": FAILS,
            "put('choices', value=[])": FAILS,
            "cut(at=-1)": RETRIED,
        }
    )
    text = text_of(signed)
    assert "# A variant is a healthy reply with a change, in the words of pytest_llmfaults.strategies.\n" in text
    assert (
        text.partition("interrupt = ")[2].partition("\n\n")[2]
        == """\
[["1 attempt, raises EnvelopeError"]]
variants = [
  "put('choices', value=[])",
  "remove('choices')",
]
[["4 attempts, waits 1 2 4 s, raises GatewayError"]]
once = "2 attempts, waits 1 s, same as ok"
faults = ["body.html_null"]
variants = ["cut(at=-1)"]

# end of the contract
"""
    )
    assert read(text) == signed
    assert "variant" not in text_of(contract())


def test_a_variant_is_read_in_any_way_of_writing_it_and_written_in_one() -> None:
    text = text_of(contract(behaviours={"remove('choices')": FAILS}))
    other = text.replace("\"remove('choices')\"", "'remove( \"choices\" )'")
    assert other != text
    assert text_of(read(other)) == text


def test_a_variant_with_a_fault_that_is_gone_warns_and_stays_in_the_file() -> None:
    text = text_of(contract(behaviours={"remove('choices')": FAILS}))
    text = text.replace("remove('choices')", "fault('body.gone')")
    signed = read(text)
    assert signed.removed == {"fault('body.gone')": FAILS}
    assert text_of(signed) == text
    assert str(removed_text(signed)).startswith("fault('body.gone'): not in this catalogue")


def test_a_healthy_call_and_an_interrupt_that_was_not_observed() -> None:
    signed = contract(interrupt=None)
    assert "interrupt" not in text_of(signed)
    assert read(text_of(signed)) == signed


def test_quotes_and_backslashes_stay_readable() -> None:
    text = text_of(contract(ok='1 attempt, returns {"a": "b\\n"}'))
    assert """ok = '1 attempt, returns {"a": "b\\n"}'""" in text


def test_blocks_may_share_what_happens_while_the_fault_persists() -> None:
    other = Behaviour(RETRIED.persists, "2 attempts, waits 9 s, same as ok")
    signed = contract(behaviours={"body.html_null": RETRIED, "body.html_empty": other})
    assert text_of(signed).count(f'[["{RETRIED.persists}"]]') == 2
    assert read(text_of(signed)) == signed


def test_the_command_can_be_pasted() -> None:
    assert command("t.py::test_it[a b]", "new", "stale") == "pytest 't.py::test_it[a b]' --llmfaults-sign=new,stale"


def families(count: int) -> dict[str, int]:
    slots = [f"slot{number}" for number in range(count)]
    shapes = ("absent", "null", "empty", "string", "number", "object", "list_item")
    return {
        f"{family}.{slot}_{shape}": 1
        for family in ("transport", "status", "body", "envelope", "content", "reasoning", "finish", "usage", "tools")
        for slot in slots
        for shape in shapes
    }


def test_five_hundred_rows_and_twenty_behaviours_stay_under_ninety_lines() -> None:
    since = families(8)
    assert len(since) > 500
    what = {}
    for number, name in enumerate(since):
        odd = number % 11 == 0
        what[name] = Behaviour(f"1 attempt, returns {number % 20}", AS_OK.persists) if odd else RETRIED
    text = dumps(contract(behaviours=what), nodeid=NODEID, since=since)
    assert len(text.splitlines()) < 90
    assert loads(text, since=since, edition=1).behaviours == what


def test_later_rows_change_nothing_in_a_file_of_an_earlier_edition() -> None:
    text = text_of(contract())
    later = {**SINCE, "body.later": 2, "later.row": 2}
    signed = loads(text, since=later, edition=2)
    assert signed == contract()
    assert dumps(signed, nodeid=NODEID, since=later) == text


def test_removed_rows_warn_and_stay_in_the_file() -> None:
    text = text_of(contract()).replace('["body.*"]', '["body.*", "body.gone", "gone.*"]')
    signed = read(text)
    assert signed.removed == {"body.gone": RETRIED, "gone.*": RETRIED}
    assert text_of(signed) == text
    said = removed_text(signed)
    assert said is not None
    assert said.startswith("body.gone, gone.*: not in this catalogue")
    assert removed_text(contract()) is None


def test_no_file_is_none(tmp_path: Path) -> None:
    assert load(tmp_path / "a.toml", since=SINCE, edition=1) is None


def test_a_file_goes_to_the_disk_and_comes_back(tmp_path: Path) -> None:
    path = tmp_path / "llmfaults" / "a.toml"
    assert store(path, contract(), nodeid=NODEID, since=SINCE)
    assert load(path, since=SINCE, edition=1) == contract()
    assert not store(path, contract(), nodeid=NODEID, since=SINCE)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert load(path, since=SINCE, edition=1) == contract()


GOOD = text_of(contract())
CUT = "the file is cut"
BAD = [
    ("", "The file is empty"),
    ("  \n", "The file is empty"),
    (
        GOOD.replace("format = 1", "format = 2"),
        r"format = 2 is newer than the format that is installed \(1\)\. Upgrade",
    ),
    (GOOD.replace("catalogue = 1", "catalogue = 7"), r"catalogue = 7 is newer than the edition .* \(1\)\. Upgrade"),
    (GOOD.replace("format = 1\n", ""), "format is missing"),
    (GOOD.replace("format = 1", "format = true"), "format = True is not a number"),
    (GOOD.replace("catalogue = 1", "catalogue = 0"), "catalogue = 0 is not a number"),
    (GOOD.replace("catalogue = 1", "catalogue = '1'"), "catalogue = '1' is not a number"),
    (GOOD.replace("ok = ", "okk = "), "unknown key 'okk'.* Did you mean 'ok'"),
    (GOOD.replace("once = ", "one = "), "unknown key 'one'.* Did you mean 'once'"),
    (GOOD.replace("faults = ", "fault = ", 1), "unknown key 'fault'.* Did you mean 'faults'"),
    (GOOD.replace("\nok = ", "\n# "), "The file has no ok"),
    (GOOD.replace("\nok = ", "\nok = 3 #"), "ok = 3, not a sentence"),
    (GOOD.replace("1 attempt, raises Env", "it raises Env"), "'it raises EnvelopeError' is not the sentence"),
    (GOOD.replace('once = "2 attempts', 'once = "some attempts'), "once: 'some attempts.* is not the sentence"),
    (GOOD.replace('faults = ["body.*"]\n', ""), "has no faults; a list of names"),
    (GOOD.replace('faults = ["body.*"]', "faults = []"), r"has faults = \[\]; a list of names"),
    (GOOD.replace('faults = ["body.*"]', 'faults = "body.*"'), "has faults = 'body.*'; a list of names"),
    (GOOD.replace('["body.*"]', '["body.*", 3]'), "; a list of names"),
    (GOOD.replace('["body.*"]', '["body.*", "b*y.x"]'), r"'b\*y\.x' is not a fault"),
    (GOOD.replace('["body.*"]', '["body.*", "status.*"]'), r"'status\.\*' has two behaviours|'envelope_like"),
    (GOOD.replace('["body.*"]', '["body.*", "body.*"]'), r"'body\.\*' is named twice"),
    (GOOD.replace("\nok", "\n<<<<<<< HEAD\nok"), "Line 8 is a mark of a merge conflict"),
    (GOOD.replace("\nok", "\n=======\nok"), "Line 8 is a mark of a merge conflict"),
    (GOOD.replace("\nok", "\n>>>>>>> branch\nok"), "Line 8 is a mark of a merge conflict"),
    (GOOD.replace("ok = ", "ok "), r"It is not TOML \(.*line 8"),
    (GOOD.replace("[[", "[", 1).replace("]]", "]", 1), "unknown key '1 attempt, raises EnvelopeError'"),
    (GOOD + "format = 3\n", "The last line is not|not TOML|unknown key"),
    (GOOD.replace('faults = ["body.*"]', "variants = []"), r"has variants = \[\]; a list of names"),
    (GOOD.replace('faults = ["body.*"]', 'variants = "cut(at=-1)"'), "has variants = .*; a list of names"),
    (GOOD.replace('faults = ["body.*"]', 'variants = ["body.html_null"]'), "'body.html_null' is not a variant"),
    (GOOD.replace('faults = ["body.*"]', 'variants = ["cut(at=-1"]'), "is not a variant: it is cut"),
    (GOOD.replace('faults = ["body.*"]', 'variants = ["cut(at=-1)", "cut( at=-1)"]'), "is named twice"),
    (GOOD.replace('faults = ["body.*"]', 'varaints = ["cut(at=-1)"]'), "unknown key 'varaints'.* 'variants'"),
]


@pytest.mark.parametrize(("text", "message"), BAD, ids=[str(number) for number in range(len(BAD))])
def test_what_is_not_a_whole_contract_is_refused_and_left_alone(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "a.toml"
    path.write_text(text)
    with pytest.raises(ContractError, match=message) as caught:
        load(path, since=SINCE, edition=1)
    assert str(caught.value).startswith(f"{path}: ")
    assert "The file was not touched." in str(caught.value)
    assert path.read_text() == text


def test_a_file_that_was_cut_anywhere_is_refused() -> None:
    for length in range(len(GOOD.rstrip())):
        with pytest.raises(ContractError):
            read(GOOD[:length])


def test_a_newer_file_is_not_called_broken() -> None:
    with pytest.raises(ContractError) as caught:
        read(GOOD.replace("format = 1", "format = 2"))
    assert "Mend" not in str(caught.value)


def test_what_is_no_text_or_no_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    path.write_bytes(b"format = 1\n\xff")
    with pytest.raises(ContractError, match="byte 11 is not UTF-8"):
        load(path, since=SINCE, edition=1)
    with pytest.raises(ContractError, match="cannot be read"):
        load(tmp_path, since=SINCE, edition=1)


def test_other_readers_of_toml_see_the_same() -> None:
    data = tomlkit.parse(GOOD).unwrap()
    assert data["1 attempt, raises EnvelopeError"] == [{"faults": ["envelope_like.*", "status.*"]}]
