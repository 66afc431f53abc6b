"""Thirty small parsers with one seeded bug each.

Chosen by rule, before the strategies were written: the public reports on ``openai.chat`` with a reply, in
the families body, envelope, content, finish, usage, reasoning, structured and tools, in the order of the SHA-256 of
their URL; the first thirty whose bug is in a client and shows in one whole reply. ``LEFT_OUT`` names those passed over.
Everything but the bug is total: any other exception than the one named is a mistake here.
"""

from __future__ import annotations

import dataclasses
import enum
import json
import re
from collections.abc import Callable, Mapping
from typing import Any, Final, Literal

from tests.strategies.clients import (
    Unreadable,
    actions_in,
    arguments_of,
    choice_of,
    finish_of,
    leading_object,
    loaded,
    message_of,
    text_of,
)

Client = Callable[[Any], Any]
Asks = Literal["text", "data", "tools"]

LEFT_OUT: Final[Mapping[str, str]] = {
    "https://github.com/LibreChat-AI/agents/pull/40": "pieces of a stream",
    "https://github.com/microsoft/autogen/issues/7136": "shows in the next request",
    "https://github.com/open-webui/open-webui/issues/23343": "pieces of a stream",
    "https://github.com/opentiny/tiny-robot/pull/330": "pieces of a stream",
    "https://github.com/ollama/ollama/issues/4357": "pieces of a stream",
    "https://github.com/strands-agents/harness-sdk/issues/1259": "shows in the next request",
    "https://github.com/vllm-project/vllm/issues/57082": "pieces of a stream",
}


@dataclasses.dataclass(frozen=True)
class Bug:
    """A client with one bug: ``url`` reports it, ``asks`` is what its request asks for, ``reads`` what it is given."""

    url: str
    client: Client
    asks: Asks
    raises: type[Exception] | None = None
    wrong: Callable[[Any, Any], bool] | None = None
    reads: Literal["envelope", "bytes"] = "envelope"

    @property
    def name(self) -> str:
        return self.client.__name__

    def shows(self, value: Any) -> bool:
        """Run the client, and tell whether its bug shows."""
        try:
            result = self.client(value)
        except Unreadable:
            return False
        except Exception as error:
            if self.raises is None or type(error) is not self.raises:
                raise
            return True
        return self.wrong is not None and self.wrong(value, result)


BUGS: Final[list[Bug]] = []


def bug(
    url: str,
    asks: Asks,
    *,
    raises: type[Exception] | None = None,
    wrong: Callable[[Any, Any], bool] | None = None,
    reads: Literal["envelope", "bytes"] = "envelope",
) -> Callable[[Client], Client]:
    def added(client: Client) -> Client:
        BUGS.append(Bug(f"https://github.com/{url}", client, asks, raises, wrong, reads))
        return client

    return added


def readable(text: Any) -> bool:
    try:
        return bool(actions_in(text)) or True
    except (Unreadable, TypeError):
        return False


@bug("run-llama/llama_index/issues/11921", "tools", raises=json.JSONDecodeError)
def loads_any_arguments(envelope: Any) -> Any:
    return [json.loads(text) for text in arguments_of(envelope)]


@bug(
    "librefang/librefang/pull/2995",
    "tools",
    wrong=lambda _envelope, calls: any(call is None and leading_object(text) is not None for text, call in calls),
)
def drops_arguments_with_something_behind(envelope: Any) -> Any:
    def read(text: str) -> Any:
        try:
            return loaded(text)
        except Unreadable:
            return None

    return [(text, read(text)) for text in arguments_of(envelope)]


@bug("openai-php/client/issues/198", "text", raises=KeyError)
def content_is_always_there(envelope: Any) -> Any:
    return message_of(envelope)["content"]


@bug("vectorize-io/hindsight/issues/1656", "data", raises=json.JSONDecodeError)
def something_behind_the_first_value(envelope: Any) -> Any:
    try:
        return json.loads(text_of(envelope))
    except json.JSONDecodeError as error:
        if error.msg == "Extra data":
            raise
        raise Unreadable from error


@bug(
    "plastic-labs/honcho/issues/716",
    "data",
    wrong=lambda envelope, found: found == [] and not readable(text_of(envelope)),
)
def unreadable_means_nothing_found(envelope: Any) -> Any:
    text = text_of(envelope)
    try:
        return actions_in(text)
    except Unreadable:
        return []


@bug("oobabooga/textgen/issues/7374", "text", wrong=lambda _envelope, text: "assistantfinal" in text)
def channels_are_told_by_markers(envelope: Any) -> Any:
    return re.sub(r"<\|channel\|>analysis.*?<\|channel\|>final<\|message\|>", "", text_of(envelope), flags=re.DOTALL)


@bug("GD4AI/obsidian-llm-wiki/issues/682", "data", raises=json.JSONDecodeError)
def braces_at_both_ends_mean_json(envelope: Any) -> Any:
    text = text_of(envelope).strip()
    if not (text.startswith("{") and text.endswith("}")):
        raise Unreadable
    return json.loads(text)


@bug(
    "vybestack/llxprt-code/pull/750",
    "tools",
    wrong=lambda _envelope, shown: any("<|tool_call" in text for text in shown),
)
def calls_are_only_in_their_field(envelope: Any) -> Any:
    thought = message_of(envelope).get("reasoning_content")
    return [text_of(envelope), thought if isinstance(thought, str) else ""]


@bug("microsoft/autogen/pull/5223", "tools", raises=AssertionError)
def a_list_of_calls_is_not_empty(envelope: Any) -> Any:
    calls = message_of(envelope).get("tool_calls")
    if calls is None:
        return []
    assert calls
    return calls


@bug("bytedance/deer-flow/pull/3218", "text", wrong=lambda _envelope, text: "<think>" in text)
def every_thought_is_closed(envelope: Any) -> Any:
    return re.sub("<think>.*?</think>", "", text_of(envelope), flags=re.DOTALL)


class Finish(enum.Enum):
    STOP = "stop"
    LENGTH = "length"
    TOOLS = "tool_calls"
    FILTER = "content_filter"


@bug("pydantic/pydantic-ai/issues/7678", "text", raises=ValueError)
def finish_is_one_of_four(envelope: Any) -> Any:
    return Finish(finish_of(envelope))


def _nested_answer(envelope: Any, found: Any) -> bool:
    inner = envelope.values() if isinstance(envelope, dict) and found is None else ()
    return any(isinstance(value, dict) and value.get("choices") for value in inner)


@bug("pydantic/pydantic-ai/issues/3994", "text", wrong=_nested_answer)
def the_answer_is_at_the_top(envelope: Any) -> Any:
    try:
        return text_of(envelope)
    except Unreadable:
        return None


def _lost_good_calls(envelope: Any, calls: Any) -> bool:
    texts = arguments_of(envelope)
    return len(texts) > 1 and not calls and any(leading_object(text) is not None for text in texts)


@bug("mozilla-ai/clawbolt/issues/169", "tools", wrong=_lost_good_calls)
def one_bad_call_stops_the_rest(envelope: Any) -> Any:
    texts = arguments_of(envelope)
    try:
        return [loaded(text) for text in texts]
    except Unreadable:
        return []


@bug("FoundationAgents/OpenManus/pull/1369", "text", raises=AttributeError)
def message_is_an_object(envelope: Any) -> Any:
    choice = choice_of(envelope)
    if "message" not in choice or not choice["message"].get("content"):
        raise Unreadable
    return choice["message"]["content"]


@bug("ducroo/SICTIC-AI/pull/37", "data", raises=json.JSONDecodeError)
def a_bulk_stops_at_bad_json(envelope: Any) -> Any:
    return json.loads(text_of(envelope) or "{}")


@bug("vectorize-io/hindsight/pull/3137", "data", raises=KeyError)
def every_item_is_whole(envelope: Any) -> Any:
    return [item["ticker"] for item in actions_in(text_of(envelope)) if isinstance(item, dict)]


@bug("typeclaw/typeclaw/pull/344", "tools", wrong=lambda _envelope, text: "<|tool_call" in text)
def sections_of_calls_are_whole(envelope: Any) -> Any:
    section = r"<\|tool_calls_section_begin\|>.*?<\|tool_calls_section_end\|>"
    return re.sub(section, "", text_of(envelope), flags=re.DOTALL)


@bug("Tongyi-MAI/MobileWorld/pull/61", "text", raises=AttributeError)
def content_is_not_null(envelope: Any) -> Any:
    content = message_of(envelope).get("content", "")
    if isinstance(content, (str, type(None))):
        return content.strip()  # type: ignore[union-attr]
    raise Unreadable


@bug("codecoradev/cora-code/pull/537", "data", raises=json.JSONDecodeError)
def an_empty_text_is_parsed(envelope: Any) -> Any:
    text = text_of(envelope)
    return loaded(text) if text else json.loads(text)


@bug("xoai/sage-wiki/issues/114", "text", raises=json.JSONDecodeError, reads="bytes")
def a_body_that_begins_well_ends_well(body: bytes) -> Any:
    try:
        text = body.decode()
    except UnicodeDecodeError:
        raise Unreadable from None
    if not text.startswith("{"):
        raise Unreadable
    try:
        return json.loads(text)
    except json.JSONDecodeError:
        raise
    except (ValueError, RecursionError):
        raise Unreadable from None


@bug("NousResearch/hermes-agent/pull/1440", "tools", raises=AttributeError)
def arguments_are_text(envelope: Any) -> Any:
    calls = message_of(envelope).get("tool_calls")
    found = []
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and function.get("arguments") is not None:
            found.append(function["arguments"].strip())
    return found


@bug("openai/openai-agents-js/pull/887", "tools", raises=json.JSONDecodeError)
def an_opened_object_is_json(envelope: Any) -> Any:
    return [json.loads(text) for text in arguments_of(envelope) if text.startswith("{")]


def _thought_elsewhere(envelope: Any, thought: Any) -> bool:
    other = message_of(envelope).get("reasoning")
    return not thought and isinstance(other, str) and other != ""


@bug("NVIDIA/NemoClaw/issues/8878", "text", wrong=_thought_elsewhere)
def reasoning_has_one_name(envelope: Any) -> Any:
    return message_of(envelope).get("reasoning_content")


def _fenced_and_lost(envelope: Any, found: Any) -> bool:
    fenced = re.fullmatch(r"```\w*\n(.*)\n```", text_of(envelope).strip(), flags=re.DOTALL)
    return found is None and fenced is not None and readable(fenced[1])


@bug("crewAIInc/crewAI/pull/4641", "data", wrong=_fenced_and_lost)
def no_fence_around_json(envelope: Any) -> Any:
    text = text_of(envelope)
    try:
        return actions_in(text)
    except Unreadable:
        return None


def _thought_and_lost(envelope: Any, found: Any) -> bool:
    rest = re.sub("<think>.*?</think>", "", text_of(envelope), flags=re.DOTALL).strip()
    return found == [] and "<think>" in text_of(envelope) and readable(rest.removeprefix("```json").removesuffix("```"))


@bug("plastic-labs/honcho/issues/771", "data", wrong=_thought_and_lost)
def no_thought_before_the_fence(envelope: Any) -> Any:
    text = text_of(envelope).strip()
    try:
        return actions_in(text.removeprefix("```json").removesuffix("```"))
    except Unreadable:
        return []


@bug("BerriAI/litellm/issues/23273", "text", raises=KeyError)
def finish_has_a_translation(envelope: Any) -> Any:
    known = {"stop": 0, "length": 1, "tool_calls": 2, "function_call": 2, "content_filter": 3, "": 0}
    return known[finish_of(envelope).lower()]


@bug("BerriAI/litellm/pull/20732", "text", raises=IndexError)
def finish_has_a_first_word(envelope: Any) -> Any:
    return finish_of(envelope).split()[0]


@bug(
    "plastic-labs/honcho/issues/743",
    "data",
    wrong=lambda envelope, found: found == {} and text_of(envelope).strip() != "" and "{" not in text_of(envelope),
)
def prose_means_an_empty_result(envelope: Any) -> Any:
    text = text_of(envelope)
    inner = text[text.find("{") : text.rfind("}") + 1]
    return loaded(inner) if inner else {}


@bug("open-webui/open-webui/issues/1549", "text", raises=TypeError)
def choices_can_be_walked(envelope: Any) -> Any:
    choices = envelope.get("choices", []) if isinstance(envelope, dict) else []
    return [choice.get("index") for choice in choices if isinstance(choice, dict)]


@bug("1Panel-dev/MaxKB/issues/63", "text", raises=AttributeError, reads="bytes")
def the_body_is_an_object(body: bytes) -> Any:
    try:
        value = loaded(body)
    except Unreadable:
        value = body.decode(errors="replace")
    if isinstance(value, (dict, str)):
        return value.get("choices")  # type: ignore[union-attr]
    raise Unreadable
