"""Refactors of what ``docs/examples/careful.py`` makes of the calls in a reply."""

from __future__ import annotations

from typing import Final

from tests.contract.mutants import Mutant

_DECISION: Final = "return Decision(actions, dropped=read.count(None))"
_CALLS: Final = 'calls = said.get("tool_calls") or []'
_ARGUMENTS: Final = "arguments = json.loads(text)"
_NUMBER: Final = '"quantity": int(number)} if number > 0:'
_CALL: Final = 'case {"function": {"name": "trade", "arguments": str(text)}}:'


def _one(old: str, new: str) -> tuple[tuple[str, str], ...]:
    return ((old, new),)


CALLS: Final = (
    Mutant(
        "a bad call is dropped silently", _one(_DECISION, "return Decision(actions)"), "tools.one_call_bad", "dropped=0"
    ),
    Mutant(
        "one bad call voids all",
        _one(_DECISION, f"{_DECISION} if None not in read else Decision(error='a bad call')"),
        "tools.one_call_bad",
        "error='a bad call'",
    ),
    Mutant(
        "a bad call raises",
        _one(
            "            except ValueError:\n                return None\n            match",
            "            finally:\n                pass\n            match",
        ),
        "tools.one_call_bad",
        "raises JSONDecodeError",
    ),
    Mutant(
        "a bad call is kept",
        _one(_DECISION, "return Decision(tuple(map(str, read)))"),
        "tools.one_call_bad",
        "returns Decision(actions=('BUY ACME 2', 'None'), dropped=0",
    ),
    Mutant(
        "only the first call counts",
        _one("for call in calls]", "for call in calls[:1]]"),
        "the healthy call",
        "returns Decision(actions=('BUY ACME 2',), dropped=0, error=None) instead of",
    ),
    Mutant(
        "only a single call is taken",
        _one("            if calls:", "            if len(calls) == 1:"),
        "the healthy call",
        "no call",
    ),
    Mutant("calls must be there", _one(_CALLS, 'calls = said["tool_calls"]'), "content.empty", "raises KeyError"),
    Mutant(
        "calls that are no list are none",
        _one("                return calls\n", "                return calls\n            return []\n"),
        "tools.calls_object",
        "now retried: 1 → 2 attempts",
    ),
    Mutant(
        "the old field of a call is read",
        _one(_CALLS, f'{_CALLS[:-3]} [{{"function": call}} for call in [said.get("function_call")] if call]'),
        "tools.function_call",
        "returns Decision(actions=('BUY ACME 2',), dropped=0, error=None)",
    ),
    Mutant(
        "the reason of the end must announce calls",
        _one(
            'case {"choices": [{"message": {**said}}, *_]}:',
            'case {"choices": [{"message": {**said}, "finish_reason": "tool_calls"}, *_]}:',
        ),
        "tools.finish_stop",
        "raises EnvelopeError",
    ),
    Mutant(
        "a call needs an id",
        _one(_CALL, _CALL.replace('{"function"', '{"id": str(), "function"')),
        "tools.id_absent",
        "returns Decision(actions=('SELL INIT 1',), dropped=1",
    ),
    Mutant(
        "a call needs a type",
        _one(_CALL, _CALL.replace('{"function"', '{"type": "function", "function"')),
        "tools.type_absent",
        "returns Decision(actions=('SELL INIT 1',), dropped=1",
    ),
    Mutant(
        "any tool will do",
        _one('"name": "trade", "arg', '"name": str(), "arg'),
        "tools.name_case",
        "returns what the healthy call returns",
    ),
    Mutant(
        "a tool without a name will do",
        _one('"name": "trade", "arg', '"arg'),
        "tools.name_absent",
        "returns what the healthy call returns",
    ),
)

ARGUMENTS: Final = (
    Mutant(
        "arguments may be an object",
        (
            (_CALL, _CALL.replace("str(text)", "text")),
            (_ARGUMENTS, "arguments = text if isinstance(text, dict) else json.loads(text or '')"),
        ),
        "tools.arguments_object",
        "returns what the healthy call returns",
    ),
    Mutant(
        "arguments may be encoded twice",
        _one(
            _ARGUMENTS,
            f"{_ARGUMENTS}\n                arguments = json.loads(arguments) if isinstance(arguments, str) else arguments",
        ),
        "tools.arguments_double_encoded",
        "returns what the healthy call returns",
    ),
    Mutant(
        "what follows the arguments is ignored",
        _one("json.loads(text)", "json.JSONDecoder().raw_decode(text)[0]"),
        "tools.arguments_trailing_text",
        "returns what the healthy call returns",
    ),
    Mutant(
        "a Python literal will do",
        (
            (_ARGUMENTS, "arguments = ast.literal_eval(text)"),
            ("import dataclasses\n", "import ast\nimport dataclasses\n"),
        ),
        "tools.arguments_python_literal",
        "returns what the healthy call returns",
    ),
    Mutant(
        "a quantity is optional",
        _one(', "quantity": int(number)} if number > 0:', '} if (number := arguments.get("quantity", 1)):'),
        "tools.arguments_incomplete_length",
        "returns Decision(actions=('BUY ACME 1', 'SELL INIT 1')",
    ),
    Mutant(
        "any side will do",
        _one('"BUY" | "SELL" as side', "str(side)"),
        "tools.arguments_enum_unknown",
        "returns Decision(actions=('other ACME 2', 'SELL INIT 1')",
    ),
    Mutant(
        "control characters are let in",
        _one("json.loads(text)", "json.loads(text, strict=False)"),
        "tools.arguments_raw_control_characters",
        "returns Decision(actions=('BUY ACME",
    ),
    Mutant(
        "any quantity will do",
        _one(_NUMBER, '"quantity": number}:'),
        "tools.arguments_number_as_text",
        "returns what the healthy call",
    ),
    Mutant(
        "a ticker must be short",
        _one("if number > 0:", "if number > 0 and len(ticker) < 9:"),
        "control.non_ascii",
        "returns Decision(actions=('SELL INIT 1',), dropped=1",
    ),
    Mutant(
        "a ticker must be ASCII",
        _one("if number > 0:", "if number > 0 and ticker.isascii():"),
        "control.non_ascii",
        "returns Decision(actions=('SELL INIT 1',), dropped=1",
    ),
    Mutant(
        "no unknown key is allowed",
        _one(_NUMBER, '"quantity": int(number), **rest} if number > 0 and not rest:'),
        "tools.arguments_extra_key",
        "returns Decision(actions=('SELL INIT 1',), dropped=1",
    ),
    Mutant(
        "the body is read as UTF-8 whatever is declared",
        _one("return reply.json()", "reply.encoding = 'utf-8'\n                return reply.json()"),
        "body.latin1",
        "returns Decision(actions=('BUY � ACME 2', 'SELL INIT 1')",
    ),
)

MUTANTS: Final = (*CALLS, *ARGUMENTS)
