"""Bodies that are JSON in an unusual form: streamed, encoded twice, huge, deep, with numbers JSON does not have."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import Play, put, raw
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._reply import Reply
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["ROWS"]

_MEGABYTE_BYTES: Final = 1_048_576
_LINE_ENDS: Final = {"lf": b"\n", "crlf": b"\r\n", "cr": b"\r"}
_NOT_A_NUMBER: Final = {
    "content": [
        {
            "token": "a",
            "logprob": math.nan,
            "bytes": None,
            "top_logprobs": [{"token": "b", "logprob": -math.inf, "bytes": None}],
        }
    ],
    "refusal": None,
}


def _with_member(name: str, value: Callable[..., bytes]) -> Play:
    """Make a fault that adds a key at the end of the envelope, its value given as bytes."""
    start = f', "{name}": '.encode()
    return raw(lambda body, **values: body[:-1] + start + value(**values) + b"}")


def _streamed(content_type: str | None = None) -> Play:
    """Make a fault that answers with the stream that nobody asked for; None is the type of such a stream."""

    def play(base: Healthy, line_end: str = "lf") -> Reply:
        if base.wire.stream is None:
            msg = f"the wire {base.wire.name} has no stream."
            raise DoesNotApply(msg)
        stream = base.wire.streamed(base.request, base.envelope())
        ended = stream.body.replace(b"\n", _LINE_ENDS[line_end])
        return base.reply.with_body(ended, content_type=content_type or stream.header("content-type"))

    return play


ROWS: Final = (
    Fault(
        name="body.double_encoded",
        play=raw(lambda body: json.dumps(body.decode(), ensure_ascii=False).encode()),
        meaning="The body is a JSON string that holds the JSON.",
        draw="same",
        wish="surface",
        sources=("https://github.com/TheR1D/shell_gpt/issues/353",),
        instead=("stream.event_double_encoded",),
    ),
    Fault(
        name="body.sse",
        play=_streamed(),
        meaning="A stream arrives where one object was asked.",
        draw="same",
        scope="partial",
        wish="surface",
        sources=(
            "https://github.com/BerriAI/litellm/issues/25766",
            "https://github.com/NEKOparapa/AiNiee/pull/920",
            "https://github.com/unslothai/unsloth/issues/6570",
        ),
        instead=("stream.json_whole",),
    ),
    Fault(
        name="body.sse_as_json",
        play=_streamed("text/json"),
        meaning="A stream arrives where one object was asked, with the type of JSON.",
        draw="same",
        scope="partial",
        wish="surface",
        stays=_stays.SAVED,
        sources=("https://github.com/NEKOparapa/AiNiee/pull/920", "https://github.com/BerriAI/litellm/issues/25766"),
        parameters=(Parameter("line_end", "lf", choices=("lf", "crlf", "cr")),),
        instead=("stream.json_whole",),
    ),
    Fault(
        name="body.nan",
        play=put("logprobs", _NOT_A_NUMBER),
        meaning="The JSON holds numbers that JSON does not have.",
        slot="logprobs",
        draw="same",
        scope="partial",
        wish="survive",
        stays="A strict JSON parser refuses it; Python's does not.",
        sources=("https://github.com/sgl-project/sglang/issues/5984",),
        streamed="answer",
    ),
    Fault(
        name="body.huge_integer",
        play=_with_member("seed", lambda: b"9" * 5000),
        meaning="The JSON holds an integer of five thousand digits.",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://www.rfc-editor.org/rfc/rfc8259#section-6",),
    ),
    Fault(
        name="body.huge",
        play=_with_member("padding", lambda megabytes: b'"%s"' % (b"x" * (megabytes * _MEGABYTE_BYTES))),
        meaning="The JSON is very large.",
        draw="same",
        scope="partial",
        wish="survive",
        stays="A client with a limit on the size of a body refuses it.",
        sources=("https://www.rfc-editor.org/rfc/rfc8259#section-9",),
        parameters=(Parameter("megabytes", 8, minimum=1, maximum=64),),
    ),
    Fault(
        name="body.deep",
        play=_with_member("extra", lambda depth: b"[" * depth + b"]" * depth),
        meaning="The JSON is nested deeper than a parser can go.",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://www.rfc-editor.org/rfc/rfc8259#section-9",),
        parameters=(Parameter("depth", 100000, minimum=100, maximum=200000),),
    ),
)
