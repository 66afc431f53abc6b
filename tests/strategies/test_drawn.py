"""What strategies draw: each for its purpose, with lines to paste, everything reachable, and small when shrunk."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from typing import Any, Final

import pytest
from hypothesis import Phase, find, given, settings
from hypothesis import strategies as st
from hypothesis.errors import NoSuchExample
from hypothesis.strategies import SearchStrategy
from hypothesis.vendor import pretty

from pytest_llmfaults import Answer, Fault, Reply, strategies
from pytest_llmfaults._faults import CATALOGUE
from pytest_llmfaults._strategies import draw
from pytest_llmfaults._strategies.parameters import ladder
from pytest_llmfaults._strategies.table import View
from pytest_llmfaults._wires import wire
from pytest_llmfaults.errors import InvalidUse, UnknownFault
from pytest_llmfaults.strategies import Variant, put, remove, variant
from tests.strategies.finding import pasted

WIRE: Final = "openai.chat"
SCHEMA: Final = {
    "type": "object",
    "properties": {
        "query": {"type": "string"},
        "kind": {"type": "string", "enum": ["news", "web"]},
        "good": {"type": "boolean"},
        "limit": {"type": "integer"},
        "tags": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["query", "kind"],
}
QUICK: Final = settings(max_examples=150, database=None, derandomize=True, deadline=None)


def smallest(strategy: SearchStrategy[Any], wanted: Callable[[Any], bool], most: int = 4000) -> Any:
    return find(strategy, wanted, settings=settings(QUICK, max_examples=most, phases=[Phase.generate, Phase.shrink]))


def rows_in(view: View, request: Any = None) -> set[str]:
    """Return the names of the faults that can come."""
    found = draw.tables(WIRE, view, tuple(CATALOGUE.values()), request, None)
    changes = [entry.changes for table in found for place in table.places for entry in place.entries]
    return {change.name for one in changes for change in one if isinstance(change, Fault)}


@QUICK
@given(strategies.envelopes(WIRE))
def test_an_envelope_is_json_and_prints_as_what_makes_it(envelope: Any) -> None:
    line = pretty.pretty(envelope)
    assert "\n" not in line
    made = pasted(line)
    assert made == envelope
    assert json.loads(json.dumps(envelope)) == envelope


@QUICK
@given(strategies.bodies(WIRE))
def test_a_body_is_bytes_and_prints_as_what_makes_it(body: bytes) -> None:
    assert pasted(pretty.pretty(body)) == body
    assert isinstance(body, bytes)


@QUICK
@given(strategies.variants(WIRE))
def test_a_variant_has_few_changes_and_prints_as_what_makes_it(one: Variant) -> None:
    assert len(one.changes) <= 2
    assert pasted(pretty.pretty(one)).reply == one.reply
    assert one.fault is None or one.fault.reply is not None
    assert one.is_healthy == (one.reply == variant(WIRE, of=one.of).reply)
    assert isinstance(one.reply, Reply)


@QUICK
@given(strategies.faults(WIRE))
def test_a_fault_prints_as_what_makes_it(fault: Fault) -> None:
    again = pasted(pretty.pretty(fault))
    assert (again.name, again.given) == (fault.name, fault.given)
    for parameter in fault.parameters:
        parameter.checked(fault.given.get(parameter.name, parameter.default))


@QUICK
@given(strategies.answers())
def test_an_answer_is_healthy_and_prints_as_what_makes_it(answer: Answer) -> None:
    assert pasted(pretty.pretty(answer)) == answer
    message = variant(WIRE, answer=answer).value["choices"][0]["message"]
    assert message["content"] == answer.text or answer.data is not None or answer.text is None


def _is_data(text: str) -> bool:
    try:
        data = json.loads(text)
    except ValueError:
        return False
    return isinstance(data, dict) and isinstance(data.get("query"), str) and data.get("kind") in {"news", "web"}


@pytest.mark.parametrize("make", [strategies.tool_arguments, strategies.structured_text])
def test_texts_are_good_nearly_good_and_broken(make: Callable[[Any], SearchStrategy[str]]) -> None:
    good: set[str] = set()
    nearly: set[str] = set()
    broken: set[str] = set()

    @QUICK
    @given(make(SCHEMA))
    def look(text: str) -> None:
        assert ast.literal_eval(pretty.pretty(text)) == text
        try:
            json.loads(text)
        except ValueError:
            broken.add(text)
        else:
            (good if _is_data(text) else nearly).add(text)

    look()
    assert len(good) > 2
    assert len(nearly) > 5
    assert len(broken) > 10
    assert _is_data(smallest(make(SCHEMA), lambda _text: True))


@QUICK
@given(strategies.sequences(strategies.faults(WIRE, "status"), max_size=3))
def test_a_sequence_ends_well(steps: tuple[Any, ...]) -> None:
    assert steps[-1] == "ok"
    assert len(steps) <= 4
    assert all(isinstance(step, Fault) for step in steps[:-1])


@pytest.mark.parametrize("then", ["ok", None, Answer("done"), strategies.fault("status.500")], ids=str)
def test_a_sequence_prints_as_what_makes_it(then: Any) -> None:
    @QUICK
    @given(strategies.sequences(strategies.faults(WIRE, "status.50?"), max_size=2, then=then))
    def look(steps: tuple[Any, ...]) -> None:
        assert eval(pretty.pretty(steps), {"fault": strategies.fault, "Answer": Answer}) == steps  # noqa: S307 - pasted

    look()


@QUICK
@given(strategies.sequences(st.sampled_from(["status.503", "content.empty"]), max_size=2, then=None))
def test_a_sequence_without_an_end_has_a_step(steps: tuple[Any, ...]) -> None:
    assert 1 <= len(steps) <= 2


def test_healthy_is_the_simplest_of_all() -> None:
    assert smallest(strategies.variants(WIRE), lambda _: True).is_healthy
    assert smallest(strategies.envelopes(WIRE), lambda _: True) == variant(WIRE).value
    assert smallest(strategies.bodies(WIRE), lambda _: True) == variant(WIRE).body
    assert smallest(strategies.sequences(strategies.faults(WIRE)), lambda _: True) == ("ok",)
    assert smallest(strategies.answers(), lambda _: True) == Answer("Hello.")


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (lambda one: one.is_json and "choices" not in one.body.decode(), 1),
        (lambda one: not one.is_json, 1),
        (lambda one: one.is_json and isinstance(one.value, dict) and one.value.get("usage", 1) is None, 1),
        (lambda one: len(one.changes) == 2 and one.slot == "usage", 2),
    ],
    ids=["no choices", "no JSON", "usage null", "two"],
)
def test_a_variant_shrinks_to_the_fewest_changes(wanted: Callable[[Variant], bool], expected: int) -> None:
    assert len(smallest(strategies.variants(WIRE), wanted).changes) == expected


def test_a_part_of_a_fault_is_enough() -> None:
    found = smallest(
        strategies.variants(WIRE, families=["finish.content_filter_content_absent"]),
        lambda one: one.is_json and one.slot == "content" and "content" not in one.value["choices"][0]["message"],
    )
    assert found.changes == (remove("choices", 0, "message", "content"),)


def test_every_fault_can_come() -> None:
    listed = {"type": "object", "properties": {"items": {"type": "array", "items": SCHEMA}}, "required": ["items"]}
    given = {"search": SCHEMA, "store": listed}
    tools = [{"type": "function", "function": {"name": name, "parameters": one}} for name, one in given.items()]
    forced = {"tools": tools, "tool_choice": {"type": "function", "function": {"name": "search"}}}
    plain = rows_in("reply")
    every = plain | rows_in("reply", forced)
    every |= rows_in("reply", {"tools": tools}) | rows_in("reply", {"tools": tools[::-1]})
    wanted = {name for name, row in CATALOGUE.items() if row.streamed != "only" and row.applies_to(wire(WIRE))}
    assert len(plain) > 0.95 * len(wanted)
    assert wanted - every == set()
    assert rows_in("envelope") < plain
    assert rows_in("body") < plain
    assert not any(name.startswith(("status.", "transport.")) for name in rows_in("envelope"))


def test_every_kind_of_edit_can_come() -> None:
    found = draw.tables(WIRE, "body", (), None, None)
    changes = [entry.changes for table in found for place in table.places for entry in place.entries]
    kinds = {change.kind for one in changes for change in one if isinstance(change, strategies.Edit)}
    assert kinds == {"remove", "put", "retype", "duplicate", "reverse", "nest", "rename", "cut", "encode", "foreign"}


def test_families_narrow_what_is_drawn() -> None:
    @QUICK
    @given(strategies.variants(WIRE, families="content"), strategies.variants(WIRE, families=()))
    def look(one: Variant, other: Variant) -> None:
        assert all(change.family == "content" for change in one.changes if isinstance(change, Fault))
        assert not any(isinstance(change, Fault) for change in other.changes)

    look()


def test_faults_that_need_something_come_when_named() -> None:
    names: set[str] = set()

    @QUICK
    @given(strategies.faults(WIRE), strategies.faults(WIRE, "tools"), strategies.faults(WIRE, draw="fresh"))
    def look(fault: Fault, named: Fault, fresh: Fault) -> None:
        assert fault.needs is None
        assert named.family == "tools"
        assert fresh.draw == "fresh"
        names.add(named.needs or "")

    look()
    assert "tool_calls" in names


def test_values_of_parameters() -> None:
    latency = CATALOGUE["transport.latency"].parameters[0]
    values = ladder(latency)
    assert values[0] == latency.default
    assert {0.001, 3600.0, 3.0} <= set(values)
    assert all(latency.minimum <= value <= latency.maximum for value in values)
    assert ladder(CATALOGUE["body.concatenated"].parameters[0]) == ("none", "newline")
    assert ladder(CATALOGUE["body.huge"].parameters[0]) == (1,)
    assert 0.35 in ladder(CATALOGUE["body.truncated_json"].parameters[0])
    found = smallest(strategies.faults(WIRE, "transport.latency"), lambda fault: fault.given.get("seconds", 0) >= 3)
    assert repr(found) == "fault('transport.latency', seconds=3.0)"
    assert repr(smallest(strategies.faults(WIRE, "transport.latency"), lambda _: True)) == "fault('transport.latency')"


def test_drawn_values_may_be_changed_by_the_code_under_test() -> None:
    @QUICK
    @given(strategies.envelopes(WIRE, families=()))
    def spoil(envelope: Any) -> None:
        if isinstance(envelope, dict):
            assert envelope.pop("spoilt", None) is None
            envelope["spoilt"] = True

    spoil()


def test_no_health_check_fails_on_a_cold_start() -> None:
    draw._kept.clear()

    @settings(max_examples=20, database=None, suppress_health_check=())
    @given(strategies.envelopes(WIRE, answer=Answer("cold")))
    def look(envelope: Any) -> None:
        assert envelope is not ...

    look()


MISTAKES: Final[list[tuple[Callable[[], Any], type[Exception], str]]] = [
    (lambda: strategies.envelopes("openai"), InvalidUse, "wire='openai' is not a wire."),
    (lambda: strategies.envelopes(None), InvalidUse, "wire=None is not a name."),  # type: ignore[arg-type]
    (lambda: strategies.bodies(WIRE, families="bdy"), UnknownFault, "'bdy' is not a fault."),
    (lambda: strategies.bodies(WIRE, families=[1]), InvalidUse, "families=1 is not a name of a family or fault"),  # type: ignore[list-item]
    (lambda: strategies.variants(WIRE, answer="x"), InvalidUse, "answer='x' is not an Answer"),  # type: ignore[arg-type]
    (lambda: strategies.variants(WIRE, request=[1]), InvalidUse, "request=[1] is not the JSON body"),  # type: ignore[arg-type]
    (lambda: strategies.variants(WIRE, request={"a": {1}}), InvalidUse, "request= is not JSON"),
    (lambda: strategies.faults(WIRE, draw="soon"), InvalidUse, "draw='soon' is not allowed"),
    (lambda: strategies.faults(WIRE, "content", draw="never"), InvalidUse, "draw='never' is not allowed"),
    (lambda: strategies.faults("claude"), InvalidUse, "wire='claude' is not a wire."),
    (lambda: strategies.tool_arguments("x"), InvalidUse, "schema='x' is not a JSON schema"),
    (lambda: strategies.structured_text(None), InvalidUse, "schema=None is not a JSON schema"),
    (lambda: strategies.sequences([]), InvalidUse, "steps=[] is not a strategy"),  # type: ignore[arg-type]
    (lambda: strategies.sequences(st.just("ok"), max_size=0), InvalidUse, "max_size=0 is not allowed"),
    (lambda: strategies.sequences(st.just("ok"), then="okay"), UnknownFault, "'okay' is not a fault"),
]


@pytest.mark.parametrize(("call", "kind", "message"), MISTAKES, ids=range(len(MISTAKES)))
def test_bad_arguments_are_refused_at_once(call: Callable[[], Any], kind: type[Exception], message: str) -> None:
    with pytest.raises(kind) as caught:
        call()
    assert message in str(caught.value)


def test_a_step_makes_the_same_change_to_the_reply_that_is_due() -> None:
    from pytest_llmfaults._faults import healthy
    from pytest_llmfaults._wires import WIRES
    from tests.faults.kit import request

    asked = request(model="mine")
    step = variant(WIRE, put("choices", 0, "finish_reason", value="odd"))
    made = step(asked)
    assert isinstance(made, Fault)
    reply = made.reply(healthy(WIRES[WIRE], asked, Answer("due")))
    choice = json.loads(reply.body)["choices"][0]
    assert (choice["message"]["content"], choice["finish_reason"]) == ("due", "odd")
    assert json.loads(reply.body)["model"] == "mine"
    assert step.__name__ == repr(step)
    assert variant(WIRE)(asked) == "ok"
    assert variant(WIRE, answer=Answer("other"))(asked) == Answer("other")
    named = variant(WIRE, strategies.fault("content.null"))(asked)
    assert isinstance(named, Fault)
    assert named.name == "content.null"


def test_nothing_is_found_where_nothing_can_be() -> None:
    with pytest.raises(NoSuchExample):
        smallest(strategies.variants(WIRE, families=()), lambda one: one.reply.status != 200, most=300)


def test_a_drawn_envelope_can_be_copied() -> None:
    import copy

    drawn = smallest(strategies.envelopes(WIRE), lambda value: isinstance(value, dict) and "error" in value)
    copied = copy.deepcopy(drawn)
    assert copied == drawn
    assert pretty.pretty(copied) == pretty.pretty(drawn)
    assert copied["error"] is drawn["error"] is None or copied["error"] is not drawn["error"] or drawn["error"] == ""
