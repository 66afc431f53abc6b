"""Rules of Gemini on the turns that call functions and on those that answer."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults._request import Request
from pytest_llmfaults._rules._rule import GEMINI, Breach, Rule, refuses
from pytest_llmfaults._turns import calls_of, results_of, role_of, turns

__all__ = ["ROWS"]


def _other_number(request: Request) -> Breach | None:
    """Compare numbers, as results need not name their calls here."""
    found = list(turns(request.messages))
    for (index, message), (_, following) in zip(found, [*found[1:], (0, {})], strict=True):
        calls, results = len(calls_of(message)), len(results_of(following))
        if calls and calls != results:
            return Breach(f"messages[{index}] has {calls} function calls, and the next one {results} responses", index)
    return None


def _calls_too_early(request: Request) -> Breach | None:
    before = None
    for index, message in turns(request.messages):
        if calls_of(message) and (before is None or (role_of(before) != "user" and not results_of(before))):
            return Breach(f"messages[{index}] calls functions, and no user turn or response is before it", index)
        before = message
    return None


ROWS: Final = (
    Rule(
        name="turn.tool_results_counted",
        broken=_other_number,
        refusal=refuses(
            "Please ensure that the number of function response parts is equal to the number of function call parts of "
            "the function call turn."
        ),
        wires=(GEMINI,),
        meaning="A turn with function calls is followed by one with as many responses.",
        slot="tool_calls",
        sources=(
            "https://github.com/google-gemini/gemini-cli/issues/4217",
            "https://github.com/google-gemini/gemini-cli/issues/5443",
        ),
    ),
    Rule(
        name="turn.calls_after_user",
        broken=_calls_too_early,
        refusal=refuses(
            "Please ensure that function call turn comes immediately after a user turn or after a function response "
            "turn."
        ),
        wires=(GEMINI,),
        meaning="A turn with function calls comes right after a user turn or after responses.",
        slot="tool_calls",
        sources=(
            "https://github.com/google-gemini/gemini-cli/issues/11814",
            "https://github.com/lbjlaq/Antigravity-Manager/pull/3396",
        ),
    ),
)
