"""A wire from one recorded reply of somebody's own gateway."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path as File
from typing import Any, Final

from pytest_llmfaults._answer import Answer, Usage
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires._slot import ABSENT, UNSAID, Path, Slot, at, said, with_value
from pytest_llmfaults._wires._wire import Wire
from pytest_llmfaults.errors import DoesNotApply, InvalidUse, nearest

__all__ = ["made"]

_OF_CALLS: Final = ("call", "function", "arguments")
"""What the names of slots of calls hold: which calls a model makes depends on the request, not on a sample."""

_REASONS: Final = ("stop", "length", "content_filter", "tool_calls", "function_call", "stop_sequence", "error")
"""What most faults call the reasons for which an answer ends."""

_COUNTS: Final = ("usage_prompt", "usage_completion", "usage_total")


def made(
    sample: Any,
    slots: Mapping[str, Path],
    *,
    cls: type[Wire],
    name: str,
    routes: tuple[str, ...],
    own_slots: Mapping[str, Path],
    finish_words: Mapping[str, str],
    error: Callable[[int, str, str | None], Any] | None,
    **more: Any,
) -> Wire:
    """Make the wire; see :meth:`Wire.from_sample`."""
    envelope = _parsed(sample)
    _check_names(name, slots, own_slots)
    _check_words(name, slots, finish_words)
    paths = {slot: _checked(envelope, slot, path) for slot, path in {**slots, **own_slots}.items()}
    places = {slot: _slot(slot, path, envelope, finish_words, name) for slot, path in paths.items()}
    places["error"] = at("error")
    usual = _usual(places, envelope)
    return cls(
        name=name,
        routes=routes,
        recognises=lambda _request: False,
        slots=places,
        envelope=_envelope_of(name, envelope, places, usual),
        data_slot=lambda _request: "content",
        wants_data=lambda _request, _data: None,
        offered=lambda _request: {},
        error=error or _error,
        optional={},
        source="",
        usual=usual,
        **more,
    )


def _error(_status: int, message: str, code: str | None) -> Any:
    return {"error": {"message": message, "code": code}}


def _parsed(sample: Any) -> Any:
    """Return the JSON of a sample."""
    text, where = sample, "The sample"
    if isinstance(sample, os.PathLike):
        where = f"The sample {os.fspath(sample)}"
        try:
            text = File(sample).read_bytes()
        except OSError as error:
            msg = f"{where} cannot be read: {error.strerror or error}."
            raise InvalidUse(msg) from None
    try:
        value = json.loads(text) if isinstance(text, (str, bytes)) else json.loads(json.dumps(text))
    except (TypeError, ValueError) as error:
        msg = f"{where} is not JSON ({error}): give the body of one reply, without status and headers."
        raise InvalidUse(msg) from None
    if not isinstance(value, (dict, list)):
        msg = f"{where} is {value!r}, and has no parts: give a JSON object or list. A file is given as a pathlib.Path."
        raise InvalidUse(msg)
    return value


def _check_names(name: str, slots: Mapping[str, Path], own_slots: Mapping[str, Path]) -> None:
    """Refuse slots that no fault knows, those of calls, and own ones that faults know."""
    from pytest_llmfaults._wires import WIRES  # the words are those of the wires that this package brings

    known = {slot for wire in WIRES.own.values() for slot in wire.slots} - {"error"}
    calls = {slot for slot in known if any(word in slot for word in _OF_CALLS)}
    for slot in slots:
        if slot == "error":
            msg = f"{name}: slots='error' is in no sample of success: give the function error=."
            raise InvalidUse(msg)
        if slot in calls:
            msg = f"{name}: slots={slot!r} is a part of a call, and a wire from a sample makes no calls. Leave it out."
            raise InvalidUse(msg)
        if slot not in known:
            msg = (
                f"{name}: slots={slot!r} is no part that a fault knows.{nearest(slot, known)} Known: "
                f"{', '.join(sorted(known - calls))}. What only faults of your own know goes into own_slots=."
            )
            raise InvalidUse(msg)
    for slot in own_slots:
        if slot in known or slot == "structured":
            msg = f"{name}: own_slots={slot!r} is a part that faults know: give it in slots=, or another name."
            raise InvalidUse(msg)


def _check_words(name: str, slots: Mapping[str, Path], finish_words: Mapping[str, str]) -> None:
    """Refuse words that there is no place for, and reasons that are misspelt: there are others than the usual ones."""
    if finish_words and "finish" not in slots:
        msg = f"{name}: finish_words= are words for the slot 'finish', and slots= has none. Say where the reason is."
        raise InvalidUse(msg)
    for word in finish_words:
        meant = "" if word in _REASONS else nearest(word, _REASONS)
        if meant:
            msg = f"{name}: finish_words={word!r} is no reason that a fault knows.{meant} Usual: {', '.join(_REASONS)}."
            raise InvalidUse(msg)


def _checked(envelope: Any, slot: str, path: Path) -> Path:
    """Return a path that is in the sample, as a tuple."""
    if isinstance(path, str) or not path or not all(isinstance(key, (str, int)) for key in path):
        msg = f"The path of {slot}, {path!r}, is not keys and indexes from the top, such as ('result', 0, 'text')."
        raise InvalidUse(msg)
    value, at_path = envelope, tuple(path)
    for depth, key in enumerate(at_path):
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            where = f"at {at_path[:depth]!r}" if depth else "at the top"
            there = f"{where} there is no {key!r}, but {_has(value)}"
            msg = f"The path of {slot}, {at_path!r}, is not in the sample: {there}."
            raise InvalidUse(msg) from None
    return at_path


def _has(value: Any) -> str:
    if isinstance(value, dict):
        return f"an object with {', '.join(map(repr, value)) or 'nothing'}"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    return f"{value!r}"


def _slot(slot: str, path: Path, envelope: Any, finish_words: Mapping[str, str], name: str) -> Slot:
    if slot == "finish":
        return at(*path, words={UNSAID: None, **finish_words})
    plain = at(*path, words={UNSAID: None})
    if slot != "content" or not isinstance(plain.held(envelope), (dict, list)):
        return plain

    def write(whole: Any, value: Any) -> Any:
        return with_value(whole, path, _as_parsed(said({UNSAID: None}, value), name))

    return Slot(plain.find, lambda whole: json.dumps(plain.held(whole), ensure_ascii=False), write)


def _as_parsed(value: Any, name: str) -> Any:
    """Return what a text says, where the gateway hands out its data parsed."""
    if value is ABSENT or not isinstance(value, str):
        return value
    try:
        return json.loads(value)
    except ValueError:
        msg = f"it writes a text that is no JSON, and the content of {name} is parsed JSON."
        raise DoesNotApply(msg) from None


def _usual(places: Mapping[str, Slot], envelope: Any) -> Answer:
    """Return what the sample says, as data where it is some."""
    text = places["content"].get(envelope) if "content" in places else None
    if not isinstance(text, str):
        return Answer()
    try:
        data = json.loads(text)
    except ValueError:
        data = None
    return Answer(data=data) if isinstance(data, (dict, list)) else Answer(text)


def _envelope_of(name: str, sample: Any, places: Mapping[str, Slot], usual: Answer) -> Callable[[Request, Answer], Any]:
    """Make the function that says an answer in the sample."""

    def envelope(_request: Request, answer: Answer) -> Any:
        if answer.tool_calls:
            msg = f"{name} is made from a sample and makes no calls; the answer has tool_calls={answer.tool_calls!r}."
            raise DoesNotApply(msg)
        made = copy.deepcopy(sample)
        for slot, value in _said(answer, usual).items():
            if slot not in places:
                msg = f"{name} has no place for the {slot} of the answer: give its path in slots=, or another answer."
                raise DoesNotApply(msg)
            made = places[slot].put(made, value, stream=False)
        return _counted(made, places, answer.usage)

    return envelope


def _said(answer: Answer, usual: Answer) -> dict[str, Any]:
    """Return what an answer says that the sample does not, by slot."""
    found: dict[str, Any] = {}
    if answer.data is not None and answer.data != usual.data:
        found["content"] = json.dumps(answer.data, ensure_ascii=False)
    elif answer.text is not None and answer.text != usual.text:
        found["content"] = answer.text
    if answer.reasoning is not None:
        found["reasoning"] = answer.reasoning
    if answer.finish is not None:
        found["finish"] = answer.finish
    return found


def _counted(envelope: Any, places: Mapping[str, Slot], usage: Usage) -> Any:
    """Write the counts that somebody gave, where the sample has them."""
    if usage == Usage():
        return envelope
    values = (usage.prompt, usage.completion, usage.prompt + usage.completion)
    for slot, value in zip(_COUNTS, values, strict=True):
        if slot in places:
            envelope = places[slot].put(envelope, value, stream=False)
    return envelope
