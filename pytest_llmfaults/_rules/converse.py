"""Rules of Bedrock on conversations: who begins, and what has to be offered as long as calls stand in them."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults._request import Request
from pytest_llmfaults._rules._rule import BEDROCK, Breach, Rule, refuses
from pytest_llmfaults._turns import calls_of, results_of, role_of, turns

__all__ = ["ROWS"]


def _begins_otherwise(request: Request) -> Breach | None:
    first = request.messages[0] if request.messages else {"role": "user"}
    if role_of(first) == "user":
        return None
    return Breach(f"messages[0] has the role {role_of(first)}, and a conversation starts with a user", 0)


def _no_tools(request: Request) -> Breach | None:
    if request.tools:
        return None
    for index, message in turns(request.messages):
        if calls_of(message) or results_of(message):
            return Breach(f"messages[{index}] holds a call or a result, and the request offers no tools", index)
    return None


ROWS: Final = (
    Rule(
        name="turn.first_user",
        broken=_begins_otherwise,
        refusal=refuses("A conversation must start with a user message."),
        wires=(BEDROCK,),
        meaning="The first turn is one of the user.",
        slot="message",
        sources=(
            "https://docs.aws.amazon.com/bedrock/latest/userguide/conversation-inference-call.html",
            "https://github.com/langchain-ai/langchainjs/issues/6724",
        ),
    ),
    Rule(
        name="turn.tools_offered",
        broken=_no_tools,
        refusal=refuses("The toolConfig field must be defined when using toolUse and toolResult content blocks."),
        wires=(BEDROCK,),
        meaning="A conversation that holds calls or results offers tools, too.",
        slot="tool_calls",
        sources=("https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use.html",),
    ),
)
