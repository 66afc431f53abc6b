"""Rules on who may speak after whom, and on how much."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Final

from pytest_llmfaults._faults import Parameter
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._rules._rule import BEDROCK, GEMINI, MISTRAL, ON_BOTH, RESPONSES, Breach, Rule, refuses
from pytest_llmfaults._turns import role_of
from pytest_llmfaults._wires import Wire

__all__ = ["ROWS"]


def _neighbours(request: Request) -> Iterator[tuple[int, str | None, str | None]]:
    """Yield the index of each message but the first, the role before it, and its own."""
    roles = [role_of(message) for message in request.messages]
    return ((index, roles[index - 1], roles[index]) for index in range(1, len(roles)))


def _user_after_tool(request: Request) -> Breach | None:
    for index, before, role in _neighbours(request):
        if (before, role) == ("tool", "user"):
            return Breach(f"messages[{index}] has the role user, directly after a tool", index)
    return None


def _side_by_side(request: Request) -> Breach | None:
    for index, before, role in _neighbours(request):
        if before == role and role in {"user", "assistant"}:
            return Breach(f"messages[{index}] has the role {role}, and so has the one before it", index)
    return None


def _ends_with_assistant(request: Request) -> Breach | None:
    last = len(request.messages) - 1
    if last >= 0 and role_of(request.messages[last]) == "assistant":
        return Breach(f"messages[{last}] is the last and has the role assistant", last)
    return None


def _too_long(request: Request, *, characters: int) -> Breach | None:
    """Count the body as compact JSON, so that a client's spaces and escapes do not matter."""
    size = len(json.dumps(request.json, ensure_ascii=False, separators=(",", ":")))
    return Breach(f"the request has {size} characters, {characters} are allowed") if size > characters else None


def _order_refused(_wire: Wire, _breach: Breach) -> Reply:
    """Answer in Mistral's form: its error is not wrapped."""
    body = {
        "object": "error",
        "message": "Unexpected role 'user' after role 'tool'",
        "type": "invalid_request_message_order",
        "param": None,
        "code": "3230",
    }
    return Reply.json(body, status=400)


ROWS: Final = (
    Rule(
        name="turn.user_after_tool",
        broken=_user_after_tool,
        refusal=_order_refused,
        wires=("openai.chat", MISTRAL),
        meaning="A user turn does not follow a tool turn directly.",
        slot="message",
        sources=(
            "https://github.com/NousResearch/hermes-agent/issues/20154",
            "https://github.com/mistralai/mistral-vibe/issues/578",
            "https://github.com/avante-corp/avante.nvim/issues/2562",
        ),
    ),
    Rule(
        name="turn.alternating",
        broken=_side_by_side,
        refusal=refuses(
            "Roles must alternate between user and assistant.",
            words={BEDROCK: "A conversation must alternate between user and assistant roles."},
        ),
        wires=("openai.chat", BEDROCK),
        meaning="User and assistant turns alternate: no two of one kind stand side by side.",
        slot="message",
        sources=(
            "https://github.com/posit-dev/chatlas/pull/429",
            "https://github.com/FoundationAgents/OpenManus/issues/580",
            "https://github.com/simular-ai/Agent-S/issues/70",
            "https://github.com/langchain-ai/langchain-aws/issues/192",
        ),
    ),
    Rule(
        name="turn.last_not_assistant",
        broken=_ends_with_assistant,
        refusal=refuses("The conversation must end with a user message."),
        wires=("openai.chat", GEMINI, MISTRAL),
        meaning="The last turn is not one of the assistant.",
        slot="message",
        sources=(
            "https://github.com/failoverbench/failoverbench",
            "https://github.com/0xPlaygrounds/rig/issues/708",
            "https://github.com/crewAIInc/crewAI/pull/6973",
        ),
    ),
    Rule(
        name="turn.context_limit",
        broken=_too_long,
        refusal=refuses("The messages are longer than the context window of this model.", "context_length_exceeded"),
        wires=(*ON_BOTH, GEMINI, RESPONSES, BEDROCK, MISTRAL),
        meaning="The request fits into the model's window, counted in characters of compact JSON.",
        slot="message",
        parameters=(Parameter("characters", 1_000_000, minimum=100, maximum=10_000_000),),
        sources=(
            "https://github.com/SWE-agent/mini-swe-agent/issues/921",
            "https://github.com/BerriAI/litellm/pull/22697",
            "https://github.com/PostHog/code/pull/3793",
        ),
    ),
)
