"""Bodies at status 200 that are no JSON, or not all of it."""

from __future__ import annotations

import dataclasses
from typing import Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._edit import Play, page, raw
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._faults._said import resaid
from pytest_llmfaults._faults.transport_body import AT, cut_at
from pytest_llmfaults._reply import Chunk, Pause, Reply

__all__ = ["ROWS", "newlines"]

_MARK: Final = "\ue000"
"""A character that no answer holds: where it lands, the bytes are exchanged."""
_SEPARATORS: Final = {"none": b"", "newline": b"\n"}


def newlines(lines: int, seconds: float) -> tuple[Chunk, ...]:
    """Return ``lines`` line feeds with a pause before each."""
    return ((Pause(seconds), b"\n") if seconds else (b"\n",)) * lines


def _only_newlines(base: Healthy, lines: int, seconds: float) -> Reply:
    return dataclasses.replace(base.reply, framing="chunked", chunks=newlines(lines, seconds))


def _bytes_in_text(data: bytes, *, cut: bool = False) -> Play:
    """Make a fault that puts raw bytes in front of the text, and ends the body there if ``cut``."""

    def play(base: Healthy) -> Reply:
        marked = base.with_envelope(resaid(base, lambda text: _MARK + text))
        exchanged: list[Chunk] = []
        for chunk in marked.chunks:
            if isinstance(chunk, Pause) or _MARK.encode() not in chunk:
                exchanged.append(chunk)
                continue
            before, _, after = chunk.partition(_MARK.encode())
            exchanged.append(before + data + (b"" if cut else after))
            if cut:
                break
        return dataclasses.replace(marked, chunks=tuple(exchanged))

    return play


ROWS: Final = (
    Fault(
        name="body.html_page",
        play=raw(lambda _body: page("Gateway").encode(), content_type="text/html; charset=utf-8"),
        meaning="A page of a proxy or a portal arrives with the status of success.",
        draw="fresh",
        wish="retry",
        sources=("https://github.com/OpenHands/OpenHands/issues/1551", "https://github.com/1Panel-dev/MaxKB/issues/63"),
        streamed="same",
    ),
    Fault(
        name="body.html_as_json",
        play=raw(lambda _body: page("Gateway").encode()),
        meaning="A page arrives with the status and the type of a good reply.",
        draw="fresh",
        wish="retry",
        sources=("https://github.com/1Panel-dev/MaxKB/issues/63",),
        streamed="same",
    ),
    Fault(
        name="body.text",
        play=raw(
            lambda _body: b"The service is busy, please try again later.", content_type="text/plain; charset=utf-8"
        ),
        meaning="A sentence arrives where JSON belongs.",
        draw="fresh",
        wish="retry",
        sources=("https://github.com/NEKOparapa/AiNiee/issues/151",),
        streamed="same",
    ),
    Fault(
        name="body.text_as_json",
        play=raw(lambda _body: b"upstream connect error or disconnect/reset before headers"),
        meaning="A sentence arrives with the type of JSON.",
        draw="fresh",
        wish="retry",
        stays=_stays.SAVED,
        sources=("https://github.com/NEKOparapa/AiNiee/issues/151",),
        streamed="same",
    ),
    Fault(
        name="body.empty",
        play=raw(lambda _body: b""),
        meaning="The reply has no body.",
        draw="fresh",
        wish="retry",
        stays=_stays.SAVED,
        sources=(
            "https://github.com/deepseek-ai/DeepSeek-R1/issues/314",
            "https://github.com/qualixar/superlocalmemory/issues/62",
            "https://github.com/NousResearch/hermes-agent/pull/80649",
        ),
        streamed="same",
    ),
    Fault(
        name="body.whitespace_only",
        play=_only_newlines,
        meaning="The body is only line ends, sent to keep the connection alive.",
        draw="fresh",
        wish="retry",
        sources=(
            "https://github.com/Aider-AI/aider/issues/3034",
            "https://github.com/deepseek-ai/DeepSeek-R1/issues/91",
            "https://github.com/bolna-ai/bolna/issues/464",
        ),
        parameters=(
            Parameter("lines", 5, minimum=1, maximum=16384),
            Parameter("seconds", 60.0, minimum=0.0, maximum=120.0),
        ),
        streamed="same",
    ),
    Fault(
        name="body.truncated_json",
        play=raw(cut_at),
        meaning="The JSON ends early, in a body that is whole for HTTP.",
        draw="fresh",
        wish="retry",
        stays=_stays.SAVED,
        sources=(
            "https://github.com/xoai/sage-wiki/issues/114",
            "https://github.com/deepseek-ai/DeepSeek-R1/issues/91",
        ),
        parameters=(AT,),
        instead=("transport.chunked_cut", "stream.eof_mid_event"),
    ),
    Fault(
        name="body.truncated_last_byte",
        play=raw(lambda body: body[:-1]),
        meaning="The JSON lacks its last brace only.",
        draw="fresh",
        wish="retry",
        stays=_stays.SAVED,
        sources=("https://github.com/xoai/sage-wiki/issues/114",),
        instead=("stream.eof_mid_event",),
    ),
    Fault(
        name="body.truncated_in_character",
        play=_bytes_in_text("\u00e9".encode()[:1], cut=True),
        meaning="The JSON is cut inside a character of several bytes.",
        draw="fresh",
        wish="retry",
        sources=("https://github.com/xoai/sage-wiki/issues/114", "https://github.com/vllm-project/vllm/pull/38732"),
        streamed="bytes",
    ),
    Fault(
        name="body.broken_utf8",
        play=_bytes_in_text(b"\xff"),
        meaning="The JSON holds a byte that is not UTF-8.",
        draw="fresh",
        wish="retry",
        sources=("https://github.com/Anionex/agent-vision-toolkit/pull/36",),
        streamed="bytes",
    ),
    Fault(
        name="body.raw_control_characters",
        play=_bytes_in_text(b"a\nb\t"),
        meaning="A string of the JSON holds a raw line end.",
        draw="same",
        scope="partial",
        wish="surface",
        stays=_stays.SAVED,
        sources=("https://github.com/livekit/agents/pull/4196",),
        streamed="bytes",
    ),
    Fault(
        name="body.leading_text",
        play=raw(lambda body: b"Warning: upstream is slow\n" + body),
        meaning="A line of text stands before the good JSON.",
        draw="same",
        scope="partial",
        wish="surface",
        stays=_stays.SAVED,
        sources=("https://www.rfc-editor.org/rfc/rfc8259#section-2",),
    ),
    Fault(
        name="body.trailing_text",
        play=raw(lambda body: body + b"\nOK"),
        meaning="A line of text stands after the good JSON.",
        draw="same",
        scope="partial",
        wish="surface",
        stays=_stays.SAVED,
        sources=("https://github.com/decolua/9router/issues/3492",),
    ),
    Fault(
        name="body.concatenated",
        play=raw(lambda body, separator: body + _SEPARATORS[separator] + body),
        meaning="Two whole objects arrive where one is expected.",
        draw="same",
        wish="surface",
        stays=_stays.SAVED,
        sources=(
            "https://github.com/openai/openai-python/issues/663",
            "https://github.com/deepset-ai/haystack-core-integrations/issues/886",
        ),
        parameters=(Parameter("separator", "none", choices=("none", "newline")),),
        instead=("stream.event_concatenated",),
    ),
)
