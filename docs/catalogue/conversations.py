"""For each rule and each wire that has it, a conversation that breaks it and its neighbour that keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final, NamedTuple

__all__ = ["BLOCKS", "CONVERSATIONS", "OF_MISTRAL", "Conversation"]

Messages = list[dict[str, Any]]


class Conversation(NamedTuple):
    """What breaks a rule, and what keeps it: the difference is the rule.

    Attributes:
        broken: the messages of a request that breaks it.
        kept: the messages of one that does not.
        at: the message that breaks it, from 0; None where it is the request as a whole.
        asks: further fields of both requests.
    """

    broken: Messages
    kept: Messages
    at: int | None
    asks: Mapping[str, Any] = MappingProxyType({})


def call(call_id: Any = "call_1", arguments: Any = '{"about": "home"}', **more: Any) -> dict[str, Any]:
    """Return a tool call of an assistant turn."""
    return {"id": call_id, "type": "function", "function": {"name": "recall", "arguments": arguments}, **more}


def calling(*calls: dict[str, Any], **more: Any) -> dict[str, Any]:
    """Return an assistant turn that calls tools."""
    return {"role": "assistant", "content": None, "tool_calls": list(calls), **more}


def result(call_id: Any = "call_1", text: str = "Oslo") -> dict[str, Any]:
    """Return the result of a call."""
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def says(role: str, content: Any) -> dict[str, Any]:
    """Return a turn that speaks."""
    return {"role": role, "content": content}


ASKED: Final = says("user", "Where do I live?")
SIGNED: Final = {"extra_content": {"google": {"thought_signature": "c2lnbmVk"}}}

CONVERSATIONS: Final[Mapping[str, Conversation]] = {
    "turn.user_after_tool": Conversation(
        broken=[ASKED, calling(call()), result(), says("user", "Please answer.")],
        kept=[ASKED, calling(call()), result(), says("assistant", "In Oslo."), says("user", "Since when?")],
        at=3,
    ),
    "turn.alternating": Conversation(
        broken=[says("system", "Be brief."), ASKED, says("user", "Please answer.")],
        kept=[says("system", "Be brief."), ASKED, says("assistant", "In Oslo."), says("user", "Since when?")],
        at=2,
    ),
    "turn.last_not_assistant": Conversation(
        broken=[ASKED, says("assistant", "In ")],
        kept=[ASKED, says("assistant", "In Oslo."), says("user", "Since when?")],
        at=1,
    ),
    "turn.context_limit": Conversation(
        broken=[says("user", "x" * 1_000_001)],
        kept=[says("user", "x" * 999_000)],
        at=None,
    ),
    "turn.tool_results_complete": Conversation(
        broken=[ASKED, calling(call("call_1"), call("call_2")), result("call_1")],
        kept=[ASKED, calling(call("call_1"), call("call_2")), result("call_2"), result("call_1")],
        at=1,
    ),
    "turn.tool_result_known": Conversation(
        broken=[ASKED, calling(call("call_1")), result("call_1"), result("")],
        kept=[ASKED, calling(call("call_1")), result("call_1")],
        at=3,
    ),
    "turn.tool_call_id_text": Conversation(
        broken=[ASKED, calling(call(None)), result(None)],
        kept=[ASKED, calling(call()), result()],
        at=1,
    ),
    "turn.tool_call_id_unique": Conversation(
        broken=[ASKED, calling(call("call_1"), call("call_1")), result("call_1")],
        kept=[ASKED, calling(call("call_1")), result("call_1"), calling(call("call_1")), result("call_1")],
        at=1,
    ),
    "turn.arguments_json": Conversation(
        broken=[ASKED, calling(call(arguments='{"about": "ho')), result()],
        kept=[ASKED, calling(call(arguments="{}")), result()],
        at=1,
    ),
    "turn.thought_signature_required": Conversation(
        broken=[ASKED, calling(call("call_1"), call("call_2")), result("call_1"), result("call_2")],
        kept=[ASKED, calling(call("call_1", **SIGNED), call("call_2")), result("call_1"), result("call_2")],
        at=1,
    ),
    "turn.content_non_empty": Conversation(
        broken=[ASKED, says("assistant", ""), says("user", "Hello?")],
        kept=[ASKED, calling(call()), result(), says("assistant", "In Oslo."), says("user", "Since when?")],
        at=1,
    ),
    "turn.text_part_non_empty": Conversation(
        broken=[says("user", [{"type": "text", "text": "Where do I live?"}, {"type": "text", "text": ""}])],
        kept=[says("user", [{"type": "text", "text": "Where do I live?"}])],
        at=0,
    ),
    "turn.reasoning_required": Conversation(
        broken=[ASKED, calling(call()), result()],
        kept=[ASKED, calling(call(), reasoning_content=""), result()],
        at=1,
    ),
    "turn.reasoning_non_empty": Conversation(
        broken=[ASKED, calling(call(), reasoning_content=""), result()],
        kept=[ASKED, calling(call(), reasoning_content=" "), result()],
        at=1,
    ),
    "turn.reasoning_forbidden": Conversation(
        broken=[ASKED, {**says("assistant", "In Oslo."), "reasoning_content": "Home."}, says("user", "Since when?")],
        kept=[ASKED, says("assistant", "In Oslo."), says("user", "Since when?")],
        at=1,
    ),
}


def using(*calls: str, thought: bool = False) -> dict[str, Any]:
    """Return an assistant turn whose blocks call tools, perhaps behind a thought."""
    thoughts = [{"type": "thinking", "thinking": "Home.", "signature": "c2lnbmVk"}] if thought else []
    uses = [{"type": "tool_use", "id": one, "name": "recall", "input": {"about": "home"}} for one in calls]
    return says("assistant", [*thoughts, *uses])


def results(*calls: str) -> dict[str, Any]:
    """Return a user turn with the results of these calls."""
    return says("user", [{"type": "tool_result", "tool_use_id": one, "content": "Oslo"} for one in calls])


BLOCKS: Final[Mapping[str, Conversation]] = {
    **{name: CONVERSATIONS[name] for name in ("turn.context_limit", "turn.text_part_non_empty")},
    "turn.tool_results_complete": Conversation(
        broken=[ASKED, using("toolu_1", "toolu_2"), results("toolu_1")],
        kept=[ASKED, using("toolu_1", "toolu_2"), results("toolu_2", "toolu_1")],
        at=1,
    ),
    "turn.tool_result_known": Conversation(
        broken=[ASKED, using("toolu_1"), results("toolu_1", "toolu_2")],
        kept=[ASKED, using("toolu_1"), results("toolu_1")],
        at=2,
    ),
    "turn.tool_call_id_unique": Conversation(
        broken=[ASKED, using("toolu_1", "toolu_1"), results("toolu_1")],
        kept=[ASKED, using("toolu_1"), results("toolu_1"), using("toolu_1"), results("toolu_1")],
        at=1,
    ),
    "turn.content_non_empty": Conversation(
        broken=[ASKED, says("assistant", []), says("user", "Hello?")],
        kept=[ASKED, using("toolu_1"), results("toolu_1"), says("assistant", "In Oslo."), says("user", "Since when?")],
        at=1,
    ),
    "turn.thinking_required": Conversation(
        broken=[ASKED, using("toolu_1"), results("toolu_1")],
        kept=[ASKED, using("toolu_1", thought=True), results("toolu_1")],
        at=1,
        asks={"thinking": {"type": "enabled", "budget_tokens": 1024}},
    ),
}
"""The same on anthropic.messages, where a conversation is made of blocks."""

OF_MISTRAL: Final[Mapping[str, Conversation]] = {
    name: CONVERSATIONS[name]
    for name in (
        "turn.user_after_tool",
        "turn.last_not_assistant",
        "turn.context_limit",
        "turn.tool_results_complete",
        "turn.tool_result_known",
        "turn.tool_call_id_text",
        "turn.tool_call_id_unique",
        "turn.arguments_json",
        "turn.content_non_empty",
    )
}
"""The same on the wire mistral.chat, which has the same turns."""
