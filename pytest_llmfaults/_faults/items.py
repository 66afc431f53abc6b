"""Answers that are a list of items: an output of the wrong shape, items beside the message, and how a reply stands."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import ABSENT, UNSAID, Play, chain, error, put, rewrite
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._faults._message import only
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]

_OBJECT: Final = "https://platform.openai.com/docs/api-reference/responses/object"
_BACKGROUND: Final = "https://platform.openai.com/docs/guides/background"
_NULL: Final = "https://github.com/openai/openai-python/pull/3404"
_PHASES: Final = "https://github.com/langchain4j/langchain4j/pull/6403"
_HIDDEN: Final = {
    "id": "rs_000000000000000000000009",
    "type": "reasoning",
    "summary": [],
    "encrypted_content": "ZW5jcnlwdGVk",
}
_SEARCH: Final = {
    "id": "ws_000000000000000000000001",
    "type": "web_search_call",
    "status": "completed",
    "action": {"type": "search", "query": "weather today"},
}
_UNKNOWN: Final = {"id": "my_000000000000000000000001", "type": "mystery", "data": "AAAA"}


def _before(item: dict[str, Any]) -> Play:
    """Make a fault that puts an item before all others."""
    return rewrite("output_items", lambda output: [item, *output])


def _commented(base: Healthy) -> Reply:
    """Say a word before the answer, each under the name of its phase."""
    answer = base.held("message_item")
    part = {"type": "output_text", "text": "Let me look.", "annotations": [], "logprobs": []}
    before = {**answer, "id": "msg_000000000000000000000009", "content": [part], "phase": "commentary"}
    after = {**answer, "phase": "final_answer"}
    items = [after if item == answer else item for item in base.held("output_items")]
    return put("output_items", [before, *items])(base)


def _standing(status: str, **more: Any) -> Play:
    """Make a fault whose reply has this status, and nothing is said in it yet."""
    slots = (("usage", None), ("completed_at", None), *more.items())
    return put("output_items", [], ("status", status), *slots)


_shape = functools.partial(Fault, slot="output_items", draw="same", wish="once", sources=(_OBJECT,))
_silent = functools.partial(Fault, slot="output_items", draw="depends", wish="reask")
_state = functools.partial(Fault, slot="output_items", touches=("status",), wish="surface")
_good = functools.partial(Fault, slot="output_items", draw="same", scope="partial", wish="survive")


def _item(change: Callable[[dict[str, Any]], Any]) -> Play:
    """Make a fault that changes the first item."""
    return rewrite("output_item", change)


ROWS: Final = (
    _shape(
        name="envelope.output_absent",
        play=put("output_items", ABSENT),
        meaning="The reply has no output.",
    ),
    _shape(
        name="envelope.output_null",
        play=put("output_items", None),
        meaning="The output is null.",
        sources=(_NULL, "https://github.com/openai/openai-python/issues/3321"),
    ),
    _shape(
        name="envelope.output_string",
        play=put("output_items", "ok"),
        meaning="The output is a string.",
    ),
    _shape(
        name="envelope.output_object",
        play=lambda base: put("output_items", base.held("output_item"))(base),
        meaning="The output is one item in place of a list of them.",
    ),
    _shape(
        name="envelope.output_null_item",
        play=put("output_items", [None]),
        meaning="The only item is null.",
    ),
    _shape(
        name="envelope.item_type_absent",
        play=_item(lambda item: {key: value for key, value in item.items() if key != "type"}),
        meaning="The item with the answer has no type.",
    ),
    _silent(
        name="envelope.output_empty",
        play=put("output_items", []),
        meaning="The reply is complete and its output is empty.",
        sources=("https://github.com/QuantumNous/new-api/issues/4362",),
    ),
    _silent(
        name="envelope.item_only_unknown",
        play=put("output_items", [_UNKNOWN]),
        meaning="The only item has a type that nobody knows.",
        sources=(_OBJECT,),
    ),
    _silent(
        name="reasoning.only_item",
        play=chain(only(UNSAID, tokens=64, thought=64), _before(_HIDDEN)),
        meaning="There is an item of hidden thoughts and no answer.",
        sources=("https://github.com/openai/openai-agents-python/issues/1611", _OBJECT),
    ),
    _state(
        name="finish.queued",
        play=_standing("queued", background=True),
        touches=("status", "background", "completed_at"),
        draw="same",
        meaning="The reply waits in the background: it has to be asked for later.",
        sources=(_BACKGROUND,),
    ),
    _state(
        name="finish.in_progress",
        play=_standing("in_progress", background=True),
        touches=("status", "background", "completed_at"),
        draw="same",
        meaning="The reply is being made in the background: it has to be asked for later.",
        sources=(_BACKGROUND,),
    ),
    _state(
        name="finish.cancelled",
        play=_standing("cancelled"),
        touches=("status", "completed_at"),
        draw="depends",
        meaning="Somebody cancelled the reply, and nothing is said.",
        sources=(_BACKGROUND,),
    ),
    _state(
        name="finish.failed_limit",
        play=_standing("failed", error={"code": "rate_limit_exceeded", "message": "Rate limit reached."}),
        touches=("status", "error", "completed_at"),
        draw="fresh",
        wish="retry",
        meaning="The rate limit is reached, which only the status inside of a successful reply says.",
        sources=("https://github.com/BerriAI/litellm/issues/29223", _OBJECT),
    ),
    _state(
        name="finish.incomplete_unexplained",
        play=put("finish", "length", ("incomplete_details", None)),
        touches=("incomplete_details",),
        slot="finish",
        draw="depends",
        scope="partial",
        meaning="The status says that the reply is not complete, and nothing says why.",
        sources=("https://github.com/jundot/omlx/pull/2817",),
    ),
    Fault(
        name="status.400_previous_response",
        play=error(400, "Previous response with id 'resp_1' not found.", "previous_response_not_found"),
        slot="error",
        touches=("output_items",),
        draw="same",
        wish="surface",
        meaning="The reply that the request goes on from is not known.",
        stays=_stays.WORDS,
        sources=("https://github.com/maximhq/bifrost/issues/2441",),
    ),
    Fault(
        name="status.404_item",
        play=error(404, "Item with id 'rs_1' not found.", fields={"param": "input"}),
        slot="error",
        touches=("output_items",),
        draw="same",
        wish="surface",
        meaning="An item that the request sends back is not known.",
        stays=_stays.WORDS,
        sources=("https://github.com/openai/openai-agents-python/issues/2020",),
    ),
    _good(
        name="control.reasoning_item_empty",
        play=_before({key: value for key, value in _HIDDEN.items() if key != "encrypted_content"}),
        meaning="An item of thoughts without any text stands before the good answer.",
        sources=(_OBJECT, "https://github.com/openai/openai-agents-python/issues/2020"),
    ),
    _good(
        name="control.item_built_in",
        play=_before(_SEARCH),
        meaning="A call of a tool that the provider runs stands before the good answer.",
        sources=("https://platform.openai.com/docs/guides/tools-web-search",),
    ),
    _good(
        name="control.item_unknown",
        play=_before(_UNKNOWN),
        meaning="An item of a type that nobody knows stands before the good answer.",
        sources=(_OBJECT,),
    ),
    _good(
        name="control.message_commentary",
        play=_commented,
        touches=("message_item",),
        meaning="A message of the phase commentary stands before the one with the good answer.",
        sources=(_PHASES, _OBJECT),
    ),
)
