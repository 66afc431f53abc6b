"""What ordinary code reads of what a client hands to it, by the kind of object: whole replies, and lists of events."""

from __future__ import annotations

import functools
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

__all__ = [
    "BEDROCK_EVENTS",
    "BEDROCK_REPLY",
    "CLAUDE_EVENTS",
    "CLAUDE_MESSAGE",
    "COHERE_EVENTS",
    "COHERE_REPLY",
    "EMBEDDINGS_REPLY",
    "GEMINI_EVENTS",
    "GEMINI_REPLY",
    "GENERATED_EVENTS",
    "GENERATED_REPLY",
    "MISTRAL_EVENTS",
    "MISTRAL_REPLY",
    "OLLAMA_EVENTS",
    "OLLAMA_REPLY",
    "RESPONSES_EVENTS",
    "RESPONSES_REPLY",
    "Parts",
    "Reader",
    "added",
    "chunks",
    "completion",
    "joined",
    "message",
    "raised",
]

Parts: TypeAlias = "dict[str, Any]"
"""What a caller reads of a result, by name."""

Reader: TypeAlias = "Callable[[Any], Parts]"

_MADE_UP: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
"""An id that a client draws at random where the reply has none."""

_UNREADABLE: Final = (AttributeError, TypeError, KeyError, IndexError, ValueError)


def raised(error: Exception) -> Parts:
    """Return what code branches on: the class, and the provider's code where the exception has one."""
    kind, code = type(error), getattr(error, "code", None)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
    return {"raises": name} if code is None else {"raises": name, "code": code}


def _by_part(parts: Mapping[str, Callable[[Any], Any]]) -> Reader:
    """Read each part; of one that cannot be read, the error that its reader meets is what it gets."""
    return lambda value: {name: _part(read, value) for name, read in parts.items()}


def _part(read: Callable[[Any], Any], value: Any) -> Any:
    try:
        return read(value)
    except _UNREADABLE as error:
        return f"raises {type(error).__name__}"


def _field(value: Any, name: str) -> Any:
    return value.get(name) if isinstance(value, Mapping) else getattr(value, name, None)


def _fields(*names: str) -> Callable[[Any], Any]:
    """Return a reader of some fields as a plain mapping, of None where there is no object."""
    return lambda value: None if value is None else {name: _field(value, name) for name in names}


def completion(value: Any) -> Parts:
    """Return what a caller reads of a chat completion; of anything else, what it is."""
    if not hasattr(value, "choices"):
        return {"returns": type(value).__name__, "value": repr(value)}
    choices, usage = value.choices, _field(value, "usage")
    tokens = {name: _field(usage, f"{name}_tokens") for name in ("prompt", "completion", "total")}
    parts: Parts = {"usage": tokens}
    if not isinstance(choices, list) or not choices:
        return {**parts, "choices": repr(choices)}
    said = _field(choices[0], "message")
    if said is None:
        return {**parts, "message": None}
    calls = _field(said, "tool_calls")
    thought = _field(said, "reasoning_content")
    return {
        **parts,
        "choices": len(choices),
        "text": _field(said, "content"),
        "calls": [_call(one) for one in calls] if isinstance(calls, list) else calls,
        "finish": _field(choices[0], "finish_reason"),
        "refusal": _field(said, "refusal"),
        "reasoning": thought if thought is not None else _field(said, "reasoning"),
    }


def _call(one: Any) -> Parts:
    function, one_id = _field(one, "function"), _field(one, "id")
    return {
        "name": _field(function, "name"),
        "arguments": _field(function, "arguments"),
        "id": _drawn(one_id),
        "type": _field(one, "type"),
    }


def _drawn(one_id: Any) -> Any:
    return _MADE_UP.sub("made up by the client", one_id) if isinstance(one_id, str) else one_id


def message(value: Any) -> Parts:
    """Return what a caller reads of a message of langchain."""
    usage = value.usage_metadata or {}
    told = value.response_metadata
    return {
        "text": value.content if isinstance(value.content, str) else str(value.text),
        "calls": [{"name": one["name"], "arguments": one["args"]} for one in value.tool_calls],
        "bad calls": [{"name": one["name"], "arguments": one["args"]} for one in value.invalid_tool_calls],
        "finish": told.get("finish_reason", told.get("stop_reason", told.get("status"))),
        "refusal": value.additional_kwargs.get("refusal"),
        "usage": {name: usage.get(f"{name}_tokens") for name in ("input", "output", "total")},
    }


def chunks(events: Iterable[Any]) -> Parts:
    """Return what a caller reads of the objects that an SDK makes of chunks of a chat completion."""
    return joined(event.model_dump() for event in events)


def added(chunks: Sequence[Any]) -> Parts:
    """Return what a caller reads of chunks of langchain, which one adds."""
    return message(functools.reduce(operator.add, chunks)) if chunks else {"chunks": 0}


def joined(chunks: Iterable[Any]) -> Parts:
    """Put chunks of a chat completion together as ordinary code does: text by text, calls by their index.

    What came before an error belongs to what a caller got: it may have been shown already.
    """
    parts: Parts = {"text": "", "thoughts": "", "reasons": [], "usages": [], "calls": []}
    try:
        _join(parts, chunks)
    except Exception as error:  # noqa: BLE001 - whatever escapes is what is observed
        return {**raised(error), **parts}
    return parts


def _join(parts: Parts, chunks: Iterable[Any]) -> None:
    calls: dict[Any, dict[str, str]] = {}
    for chunk in chunks:
        if chunk.get("usage"):
            parts["usages"].append(chunk["usage"])
        if not chunk["choices"]:
            continue
        choice = chunk["choices"][0]
        delta = choice["delta"]
        parts["text"] += delta.get("content") or ""
        parts["thoughts"] += delta.get("reasoning_content") or delta.get("reasoning") or ""
        if choice.get("finish_reason") is not None:
            parts["reasons"].append(choice["finish_reason"])
        for call in delta.get("tool_calls") or ():
            one = calls.setdefault(call["index"], {"id": "", "name": "", "arguments": ""})
            parts["calls"] = list(calls.values())
            one["id"] = _drawn(call.get("id") or one["id"])
            one["name"] += call["function"].get("name") or ""
            one["arguments"] += call["function"].get("arguments") or ""


def _of(kind: str, values: Any) -> list[Any]:
    """Return those of a list whose ``type`` is this."""
    return [one for one in values if _field(one, "type") == kind]


def _text(values: Iterable[Any]) -> str:
    return "".join(one or "" for one in values)


def _last(values: Iterable[Any]) -> Any:
    return next((one for one in reversed(list(values)) if one is not None), None)


CLAUDE_MESSAGE: Final = _by_part(
    {
        "text": lambda one: _text(block.text for block in _of("text", one.content)),
        "calls": lambda one: [_fields("id", "name", "input")(block) for block in _of("tool_use", one.content)],
        "finish": lambda one: one.stop_reason,
        "usage": lambda one: _fields("input_tokens", "output_tokens")(one.usage),
        "reasoning": lambda one: _text(block.thinking for block in _of("thinking", one.content)),
    }
)
CLAUDE_EVENTS: Final = _by_part(
    {
        "text": lambda events: _text(_field(one.delta, "text") for one in _of("content_block_delta", events)),
        "calls": lambda events: [
            _fields("id", "name")(block)
            for block in _of("tool_use", [one.content_block for one in _of("content_block_start", events)])
        ],
        "inputs": lambda events: _text(_field(one.delta, "partial_json") for one in _of("content_block_delta", events)),
        "finish": lambda events: _last(one.delta.stop_reason for one in _of("message_delta", events)),
        "usage": lambda events: _last(
            _fields("input_tokens", "output_tokens")(one.usage) for one in _of("message_delta", events)
        ),
        "reasoning": lambda events: _text(_field(one.delta, "thinking") for one in _of("content_block_delta", events)),
    }
)

RESPONSES_REPLY: Final = _by_part(
    {
        "text": lambda one: one.output_text,
        "calls": lambda one: [
            _fields("call_id", "name", "arguments")(item) for item in _of("function_call", one.output)
        ],
        "status": lambda one: one.status,
        "incomplete": lambda one: _field(one.incomplete_details, "reason"),
        "error": lambda one: _field(one.error, "code"),
        "refusal": lambda one: [
            part.refusal for item in _of("message", one.output) for part in _of("refusal", item.content)
        ],
        "usage": lambda one: _fields("input_tokens", "output_tokens", "total_tokens")(one.usage),
        "reasoning": lambda one: _text(
            part.text for item in _of("reasoning", one.output) for part in (*item.summary, *(item.content or ()))
        ),
    }
)
_ENDS: Final = ("response.completed", "response.incomplete", "response.failed")
RESPONSES_EVENTS: Final = _by_part(
    {
        "text": lambda events: _text(one.delta for one in _of("response.output_text.delta", events)),
        "calls": lambda events: [
            _fields("call_id", "name", "arguments")(item)
            for item in _of("function_call", [one.item for one in _of("response.output_item.done", events)])
        ],
        "status": lambda events: _last(one.response.status for kind in _ENDS for one in _of(kind, events)),
        "incomplete": lambda events: _last(
            _field(one.response.incomplete_details, "reason") for one in _of("response.incomplete", events)
        ),
        "refusal": lambda events: _text(one.delta for one in _of("response.refusal.delta", events)),
        "usage": lambda events: _last(
            _fields("input_tokens", "output_tokens", "total_tokens")(one.response.usage)
            for kind in _ENDS
            for one in _of(kind, events)
        ),
        "reasoning": lambda events: _text(
            one.delta
            for kind in ("response.reasoning_summary_text.delta", "response.reasoning_text.delta")
            for one in _of(kind, events)
        ),
    }
)


def _reason(one: Any) -> Any:
    reason = one.candidates[0].finish_reason
    return getattr(reason, "value", reason)


_TOKENS: Final = _fields("prompt_token_count", "candidates_token_count", "total_token_count")


def _thoughts(one: Any) -> str:
    return _text(part.text for part in one.candidates[0].content.parts if part.thought)


GEMINI_REPLY: Final = _by_part(
    {
        "text": lambda one: one.text,
        "calls": lambda one: [_fields("name", "args")(call) for call in one.function_calls or ()],
        "finish": _reason,
        "blocked": lambda one: _field(one.prompt_feedback, "block_reason"),
        "usage": lambda one: _TOKENS(one.usage_metadata),
        "reasoning": _thoughts,
    }
)
GEMINI_EVENTS: Final = _by_part(
    {
        "text": lambda events: _text(one.text for one in events),
        "calls": lambda events: [_fields("name", "args")(call) for one in events for call in one.function_calls or ()],
        "finish": lambda events: _last(map(_reason, events)),
        "blocked": lambda events: _last(_field(one.prompt_feedback, "block_reason") for one in events),
        "usage": lambda events: _last(_TOKENS(one.usage_metadata) for one in events),
        "reasoning": lambda events: _text(map(_thoughts, events)),
    }
)

_COUNTS: Final = _fields("prompt_eval_count", "eval_count")
OLLAMA_REPLY: Final = _by_part(
    {
        "text": lambda one: one.message.content,
        "calls": lambda one: [_fields("name", "arguments")(call.function) for call in one.message.tool_calls or ()],
        "finish": lambda one: one.done_reason,
        "done": lambda one: one.done,
        "usage": _COUNTS,
        "reasoning": lambda one: one.message.thinking,
    }
)
OLLAMA_EVENTS: Final = _by_part(
    {
        "text": lambda events: _text(one.message.content for one in events),
        "calls": lambda events: [
            _fields("name", "arguments")(call.function) for one in events for call in one.message.tool_calls or ()
        ],
        "finish": lambda events: _last(one.done_reason for one in events),
        "done": lambda events: _last(one.done for one in events),
        "usage": lambda events: _COUNTS(events[-1]),
        "reasoning": lambda events: _text(one.message.thinking for one in events),
    }
)

GENERATED_REPLY: Final = _by_part(
    {
        "text": lambda one: one.response,
        "finish": lambda one: one.done_reason,
        "done": lambda one: one.done,
        "usage": _COUNTS,
        "reasoning": lambda one: one.thinking,
    }
)
GENERATED_EVENTS: Final = _by_part(
    {
        "text": lambda events: _text(one.response for one in events),
        "finish": lambda events: _last(one.done_reason for one in events),
        "done": lambda events: _last(one.done for one in events),
        "usage": lambda events: _COUNTS(events[-1]),
        "reasoning": lambda events: _text(one.thinking for one in events),
    }
)


def _members(name: str, values: Iterable[Mapping[str, Any]]) -> list[Any]:
    """Return what is in the members of unions that are called so."""
    return [one[name] for one in values if name in one]


_USED: Final = _fields("inputTokens", "outputTokens", "totalTokens")
BEDROCK_REPLY: Final = _by_part(
    {
        "text": lambda one: _text(_members("text", one["output"]["message"]["content"])),
        "calls": lambda one: [
            _fields("toolUseId", "name", "input")(call)
            for call in _members("toolUse", one["output"]["message"]["content"])
        ],
        "finish": lambda one: one["stopReason"],
        "usage": lambda one: _USED(one["usage"]),
        "reasoning": lambda one: _text(
            block["reasoningText"]["text"]
            for block in _members("reasoningContent", one["output"]["message"]["content"])
        ),
    }
)


def _deltas(name: str, events: Sequence[Mapping[str, Any]]) -> list[Any]:
    return _members(name, [one["delta"] for one in _members("contentBlockDelta", events)])


BEDROCK_EVENTS: Final = _by_part(
    {
        "text": lambda events: _text(_deltas("text", events)),
        "calls": lambda events: [
            _fields("toolUseId", "name")(call)
            for call in _members("toolUse", [one["start"] for one in _members("contentBlockStart", events)])
        ],
        "inputs": lambda events: _text(one["input"] for one in _deltas("toolUse", events)),
        "finish": lambda events: _last(one["stopReason"] for one in _members("messageStop", events)),
        "usage": lambda events: _last(_USED(one["usage"]) for one in _members("metadata", events)),
        "reasoning": lambda events: _text(one.get("text") for one in _deltas("reasoningContent", events)),
    }
)


def _counted(usage: Any) -> Any:
    return None if usage is None else _fields("input_tokens", "output_tokens")(usage.tokens)


COHERE_REPLY: Final = _by_part(
    {
        "text": lambda one: _text(block.text for block in _of("text", one.message.content or ())),
        "calls": lambda one: [_call(call) for call in one.message.tool_calls or ()],
        "plan": lambda one: one.message.tool_plan,
        "finish": lambda one: one.finish_reason,
        "usage": lambda one: _counted(one.usage),
        "reasoning": lambda one: _text(block.thinking for block in _of("thinking", one.message.content or ())),
    }
)
COHERE_EVENTS: Final = _by_part(
    {
        "text": lambda events: _text(_field(one.delta.message.content, "text") for one in _of("content-delta", events)),
        "calls": lambda events: [
            (one.delta.message.tool_calls.id, one.delta.message.tool_calls.function.name)
            for one in _of("tool-call-start", events)
        ],
        "inputs": lambda events: _text(
            one.delta.message.tool_calls.function.arguments for one in _of("tool-call-delta", events)
        ),
        "plan": lambda events: _text(one.delta.message.tool_plan for one in _of("tool-plan-delta", events)),
        "finish": lambda events: _last(one.delta.finish_reason for one in _of("message-end", events)),
        "usage": lambda events: _last(_counted(one.delta.usage) for one in _of("message-end", events)),
        "reasoning": lambda events: _text(
            _field(one.delta.message.content, "thinking") for one in _of("content-delta", events)
        ),
    }
)


def _spoken(content: Any) -> str:
    """Return the text of a content: a text, or what is text in a list of chunks."""
    if not isinstance(content, list):
        return str(content or "")
    return _text(one.text for one in _of("text", content))


def _thought(content: Any) -> str:
    chunks = _of("thinking", content) if isinstance(content, list) else []
    return _text(one.text for chunk in chunks for one in _of("text", chunk.thinking))


_THREE: Final = _fields("prompt_tokens", "completion_tokens", "total_tokens")
MISTRAL_REPLY: Final = _by_part(
    {
        "text": lambda one: _spoken(one.choices[0].message.content),
        "calls": lambda one: [_call(call) for call in one.choices[0].message.tool_calls or ()],
        "finish": lambda one: one.choices[0].finish_reason,
        "usage": lambda one: _THREE(one.usage),
        "reasoning": lambda one: _thought(one.choices[0].message.content),
    }
)


def _pieces(events: Iterable[Any]) -> list[Any]:
    return [one.data.choices[0] for one in events if one.data.choices]


MISTRAL_EVENTS: Final = _by_part(
    {
        "text": lambda events: _text(_spoken(one.delta.content) for one in _pieces(events)),
        "calls": lambda events: [_call(call) for one in _pieces(events) for call in one.delta.tool_calls or ()],
        "finish": lambda events: _last(one.finish_reason for one in _pieces(events)),
        "usage": lambda events: _last(None if one.data.usage is None else _THREE(one.data.usage) for one in events),
        "reasoning": lambda events: _text(_thought(one.delta.content) for one in _pieces(events)),
    }
)

EMBEDDINGS_REPLY: Final = _by_part(
    {
        "vectors": lambda one: len(one.data),
        "order": lambda one: [item.index for item in one.data],
        "lengths": lambda one: [len(item.embedding) for item in one.data],
        "first": lambda one: [round(number, 6) for number in one.data[0].embedding[:2]],
        "usage": lambda one: _fields("prompt_tokens", "total_tokens")(one.usage),
    }
)
