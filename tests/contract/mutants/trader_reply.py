"""Refactors of what ``docs/examples/trader.py`` makes of a reply."""

from __future__ import annotations

from typing import Final

from tests.contract.mutants import Mutant

_CASE: Final = 'case {"choices": [{"message": {**said}}, *_]}:'
_TEXT: Final = 'text = said.get("content") or said.get("reasoning_content") or ""'
_EMPTY: Final = 'return Decision(error="empty answer")'
_READ: Final = "return Decision(tuple(action for item in items if (action := readable(item))))"
_BY_KEYS: Final = "' '.join(map(str, (item['action'], item['ticker'], item['quantity'])))"
_QUANTITY: Final = '"quantity": int(quantity)} if quantity > 0:'


def _text(expression: str) -> tuple[tuple[str, str], ...]:
    return ((_TEXT, f"text = {expression}"),)


ENVELOPE: Final = (
    Mutant(
        "choices are reached by index",
        ((_CASE, "case {**reply} if (said := reply['choices'][0]['message']) is not None:"),),
        "envelope.choices_absent",
        "raises KeyError instead of EnvelopeError",
    ),
    Mutant(
        "a single choice only",
        (("{**said}}, *_]}:", "{**said}}]}:"),),
        "envelope.choices_two",
        "raises EnvelopeError",
    ),
    Mutant(
        "a reply without choices is empty",
        (("    raise EnvelopeError(message)", '    return ""'),),
        "envelope.choices_absent",
        "returns Decision(actions=(), error='empty answer') instead of raising EnvelopeError",
    ),
    Mutant(
        "the choice must be the first",
        ((_CASE, 'case {"choices": [{"index": 0, "message": {**said}}, *_]}:'),),
        "envelope.index_absent",
        "raises EnvelopeError instead of returning what the healthy call returns",
    ),
    Mutant(
        "the message must be the assistant's",
        ((_CASE, 'case {"choices": [{"message": {"role": "assistant", **said}}, *_]}:'),),
        "envelope.role_absent",
        "raises EnvelopeError instead of returning what the healthy call returns",
    ),
    Mutant(
        "a choice that was cut is refused",
        ((_CASE, 'case {"choices": [{"message": {**said}, "finish_reason": "stop"}, *_]}:'),),
        "finish.length",
        "raises EnvelopeError",
    ),
    Mutant(
        "a list of envelopes is unwrapped",
        (("    match envelope:", "    match envelope[0] if isinstance(envelope, list) and envelope else envelope:"),),
        "envelope.top_list",
        "returns what the healthy call returns instead of raising EnvelopeError",
    ),
    Mutant(
        "the text of a delta will do",
        ((_CASE, f'case {{"choices": [{{"delta": {{**said}}}}, *_]}} | {_CASE[5:]}'),),
        "envelope.message_as_delta",
        "returns what the healthy call returns instead of raising EnvelopeError",
    ),
    Mutant(
        "usage must be there",
        ((_CASE, 'case {"choices": [{"message": {**said}}, *_], "usage": {"total_tokens": int()}}:'),),
        "usage.absent",
        "raises EnvelopeError",
    ),
    Mutant(
        "the model must be the one that was asked",
        ((_CASE, 'case {"choices": [{"message": {**said}}, *_], "model": "gpt-5"}:'),),
        "control.model_other",
        "raises EnvelopeError",
    ),
)

SILENCE: Final = (
    Mutant(
        "the reasoning is preferred",
        _text('said.get("reasoning_content") or said.get("content") or ""'),
        "control.reasoning_content",
        "returns Decision(actions=(), error='unreadable answer') instead of",
    ),
    Mutant(
        "the reasoning is no longer read",
        _text('said.get("content") or ""'),
        "reasoning.only_reasoning",
        "returns Decision(actions=(), error='empty answer') instead of returning what",
    ),
    Mutant(
        "the reasoning is read where the content is null only",
        _text('said["content"] if said.get("content") is not None else said.get("reasoning_content") or ""'),
        "reasoning.only_reasoning",
        "returns Decision(actions=(), error='empty answer') instead of returning what",
    ),
    Mutant(
        "another field of the reasoning is read",
        _text('said.get("content") or said.get("reasoning") or ""'),
        "reasoning.only_reasoning",
        "returns Decision(actions=(), error='empty answer') instead of returning what",
    ),
    Mutant(
        "the content must be there",
        _text('said["content"] or said.get("reasoning_content") or ""'),
        "content.absent",
        "raises KeyError",
    ),
    Mutant(
        "null is a text",
        _text('str(said.get("content"))'),
        "content.null",
        "returns Decision(actions=(), error='unreadable answer') instead of",
    ),
    Mutant(
        "parts are no text",
        (("return text if isinstance(text, str) else json.dumps(text)", "return text"),),
        "content.number",
        "raises AttributeError",
    ),
    Mutant(
        "parts are joined",
        (
            (
                "return text if isinstance(text, str) else json.dumps(text)",
                "return text if isinstance(text, str) else ''.join(part['text'] for part in text)",
            ),
        ),
        "content.parts",
        "returns what the healthy call returns",
    ),
    Mutant("empty is None", ((_EMPTY, "return None"),), "content.empty", "returns None instead of"),
    Mutant("empty raises", ((_EMPTY, 'raise EnvelopeError("empty answer")'),), "content.empty", "raises EnvelopeError"),
    Mutant("empty is an IndexError", ((_EMPTY, "return text.splitlines()[0]"),), "content.empty", "raises IndexError"),
    Mutant(
        "empty is asked again",
        (
            (
                "    if not text.strip():",
                "    if not text.strip():\n        text = content_of(post(prompt))\n    if not text.strip():",
            ),
        ),
        "content.empty",
        "now retried: 1 → 2 attempts",
    ),
    Mutant("empty loses its flag", ((_EMPTY, "return Decision()"),), "content.empty", "error=None"),
    Mutant(
        "white space is not empty",
        (("if not text.strip():", "if not text:"),),
        "content.whitespace",
        "unreadable answer",
    ),
    Mutant(
        "unreadable loses its flag",
        (('return Decision(error="unreadable answer")', "return Decision()"),),
        "structured.fenced",
        "error=None",
    ),
    Mutant(
        "an answer that is no JSON raises",
        (("        answer = None\n", "        raise\n"),),
        "structured.fenced",
        "raises JSONDecodeError",
    ),
)

ACTIONS: Final = (
    Mutant(
        "one bad action voids all",
        (
            (
                _READ,
                f"{_READ} if all(map(readable, items)) else Decision(error='bad action')",
            ),
        ),
        "structured.one_item_bad",
        "error='bad action'",
    ),
    Mutant(
        "a bad action is not dropped",
        ((_READ, "return Decision(tuple(readable(item) or str(item) for item in items))"),),
        "structured.one_item_bad",
        "returns Decision(actions=(",
    ),
    Mutant(
        "a bad action is None among the others",
        ((_READ, "return Decision(tuple(map(readable, items)))"),),
        "structured.one_item_bad",
        "None",
    ),
    Mutant(
        "a bad action ends the list",
        (
            (_READ, "return Decision(tuple(itertools.takewhile(bool, map(readable, items))))"),
            ("import json\n", "import itertools\nimport json\n"),
        ),
        "structured.enum_case",
        "returns Decision(actions=(), error=None) instead of Decision(actions=('SELL INIT 1',)",
    ),
    Mutant(
        "an action is read by its keys",
        (
            (
                "    match item:\n",
                f"    if isinstance(item, dict):\n        return {_BY_KEYS}\n    match item:\n",
            ),
        ),
        "structured.missing_key",
        "raises KeyError",
    ),
    Mutant(
        "NaN is a quantity",
        ((_QUANTITY, '"quantity": int(quantity) | float(quantity)} if not quantity <= 0:'),),
        "structured.nan",
        "returns Decision(actions=('BUY ACME nan', 'SELL INIT 1')",
    ),
    Mutant(
        "a fraction is a quantity",
        ((_QUANTITY, '"quantity": int(quantity) | float(quantity)} if quantity > 0:'),),
        "structured.float_for_integer",
        "returns Decision(actions=('BUY ACME 2.5', 'SELL INIT 1')",
    ),
    Mutant(
        "text is a quantity",
        ((_QUANTITY, '"quantity": quantity} if int(quantity) > 0:'),),
        "structured.number_as_text",
        "returns what the healthy call returns",
    ),
    Mutant(
        "a quantity may be zero",
        ((_QUANTITY, '"quantity": int(quantity)} if quantity >= 0:'),),
        "structured.number_zero",
        "returns Decision(actions=('BUY ACME 0', 'SELL INIT 1')",
    ),
    Mutant(
        "true is no quantity",
        ((_QUANTITY, '"quantity": int(quantity)} if quantity > 0 and quantity is not True:'),),
        "structured.true_for_number",
        "returns Decision(actions=('SELL INIT 1',)",
    ),
    Mutant(
        "a whole float is a quantity",
        ((_QUANTITY, '"quantity": int(quantity) | float(quantity)} if quantity > 0 and quantity % 1 == 0:'),),
        "structured.float_whole",
        "returns Decision(actions=('BUY ACME 2.0', 'SELL INIT 1')",
    ),
    Mutant(
        "a ticker loses its white space",
        (('return f"{action} {ticker} {quantity}"', 'return f"{action} {ticker.strip()} {quantity}"'),),
        "structured.name_padded",
        "returns what the healthy call",
    ),
    Mutant(
        "no unknown key is allowed in an action",
        ((_QUANTITY, '"quantity": int(quantity), **rest} if quantity > 0 and not rest:'),),
        "structured.one_item_extra_key",
        "returns Decision(actions=('BUY ACME 2',)",
    ),
    Mutant(
        "ten actions are enough",
        (("for item in items if", "for item in items[:10] if"),),
        "structured.list_too_long",
        "instead of ...ME 2', 'SELL INIT",
    ),
    Mutant(
        "any quantity will do",
        ((_QUANTITY, '"quantity": int(quantity)}:'),),
        "structured.number_out_of_range",
        "returns Decision(actions=('BUY ACME -999999999', 'SELL INIT 1')",
    ),
    Mutant(
        "any action will do",
        (('"BUY" | "SELL" as action', "str(action)"),),
        "structured.enum_case",
        "returns Decision(actions=(",
    ),
    Mutant(
        "the case of an action does not matter",
        (
            ('"BUY" | "SELL" as action', "str(action)"),
            (
                'if quantity > 0:\n            return f"{action}',
                "if quantity > 0 and action.upper() in {'BUY', 'SELL'}:\n            return f\"{action.upper()}",
            ),
        ),
        "structured.enum_case",
        "returns what the healthy call returns",
    ),
    Mutant(
        "the same action twice is one",
        ((_READ, "return Decision(tuple(dict.fromkeys(action for item in items if (action := readable(item)))))"),),
        "structured.one_item_twice",
        "returns what the healthy call returns",
    ),
    Mutant(
        "no action is an error",
        (
            (
                _READ,
                _READ.replace("return", "decision =")
                + "\n            return decision if decision.actions else Decision(error='no action')",
            ),
        ),
        "structured.empty_list",
        "no action",
    ),
    Mutant(
        "the list may stand alone",
        (('case {"actions": [*items]}:', 'case {"actions": [*items]} | [*items]:'),),
        "structured.unwrapped_list",
        "returns what the healthy call",
    ),
    Mutant(
        "a fence is taken away",
        (("json.loads(text)", "json.loads(text.strip().removeprefix('```json').removesuffix('```'))"),),
        "structured.fenced",
        "returns what the healthy call",
    ),
    Mutant(
        "the data is cut out of the text",
        (("json.loads(text)", "json.loads(text[text.index('{') : text.rindex('}') + 1])"),),
        "structured.fenced",
        "returns what the healthy call",
    ),
    Mutant(
        "no unknown key is allowed",
        (('case {"actions": [*items]}:', 'case {"actions": [*items], **rest} if not rest:'),),
        "structured.extra_key",
        "returns Decision(actions=(), error='unreadable answer') instead of",
    ),
)

MUTANTS: Final = (*ENVELOPE, *SILENCE, *ACTIONS)
