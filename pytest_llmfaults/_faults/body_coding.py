"""Good JSON in another encoding, compression or type than the client counts on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._codings import gzipped, zstandard
from pytest_llmfaults._faults._edit import Play, raw
from pytest_llmfaults._faults._fault import Fault, Healthy
from pytest_llmfaults._faults._said import resaid
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]

_BROTLI_GARBAGE: Final = bytes.fromhex("ffffffff0001020304050607")


def _accented(encoding: str) -> Play:
    """Make a fault with an accent in the text that is declared as Latin-1 and encoded in ``encoding``."""

    def play(base: Healthy) -> Reply:
        text = base.with_envelope(resaid(base, lambda said: f"\u00e9 {said}")).body.decode()
        body = text.encode(encoding, errors="replace")
        return base.reply.with_body(body, content_type="application/json; charset=iso-8859-1")

    return play


def _typed(content_type: str | None, change: Callable[[bytes], bytes] = bytes) -> Play:
    """Make a fault that gives the good body another type, or none."""
    return lambda base: base.reply.with_body(change(base.reply.body)).with_headers(content_type=content_type)


ROWS: Final = (
    Fault(
        name="body.bom",
        play=raw(lambda body: b"\xef\xbb\xbf" + body),
        meaning="The JSON starts with a byte order mark.",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://www.rfc-editor.org/rfc/rfc8259#section-8.1",),
        instead=("control.stream_bom",),
    ),
    Fault(
        name="body.utf16",
        play=raw(lambda body: b"\xff\xfe" + body.decode().encode("utf-16-le")),
        meaning="The JSON is in UTF-16 and nothing says so.",
        draw="same",
        wish="surface",
        stays="A client that decodes as UTF-8 can skip a byte order mark, and cannot read this.",
        sources=("https://www.rfc-editor.org/rfc/rfc8259#section-8.1",),
    ),
    Fault(
        name="body.latin1",
        play=_accented("latin-1"),
        meaning="The JSON is in Latin-1, as declared.",
        draw="same",
        scope="partial",
        wish="survive",
        stays="A client that obeys the declared charset reads it, as aiohttp does.",
        sources=("https://github.com/google/adk-python/issues/7206",),
    ),
    Fault(
        name="body.charset_lie",
        play=_accented("utf-8"),
        meaning="The JSON is in UTF-8 and declared as Latin-1.",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/databrickslabs/coding-agents-databricks-apps/issues/97",),
    ),
    Fault(
        name="body.gzip_lie",
        play=raw(bytes, content_encoding="gzip"),
        meaning="The body claims to be compressed and is plain.",
        draw="fresh",
        wish="retry",
        sources=(
            "https://github.com/qualixar/superlocalmemory/pull/79",
            "https://github.com/diegosouzapw/OmniRoute/issues/2561",
        ),
        streamed="bytes",
    ),
    Fault(
        name="body.gzip_unlabelled",
        play=raw(gzipped),
        meaning="The body is compressed and nothing says so.",
        draw="fresh",
        wish="retry",
        stays="A client that looks at the first bytes can decompress it.",
        sources=("https://github.com/Anionex/agent-vision-toolkit/pull/36",),
        streamed="bytes",
    ),
    Fault(
        name="body.gzip_unasked",
        play=raw(gzipped, content_encoding="gzip"),
        meaning="The body is compressed and labelled, whether or not that was asked.",
        draw="same",
        scope="partial",
        wish="survive",
        stays="A client without a decoder, such as http.client, hands out compressed bytes.",
        sources=("https://github.com/Anionex/agent-vision-toolkit/pull/36",),
        streamed="bytes",
    ),
    Fault(
        name="body.gzip_truncated",
        play=raw(lambda body: gzipped(body)[: len(gzipped(body)) // 2], content_encoding="gzip"),
        meaning="The compressed body is cut.",
        draw="fresh",
        wish="retry",
        stays=_stays.SAVED,
        sources=("https://github.com/LuthienResearch/luthien_control/issues/1",),
        streamed="bytes",
    ),
    Fault(
        name="body.brotli_garbage",
        play=raw(lambda _body: _BROTLI_GARBAGE, content_encoding="br"),
        meaning="The body claims an encoding and does not decode.",
        draw="fresh",
        wish="retry",
        stays="A client with a Brotli decoder refuses it; without one the bytes are read as they are.",
        sources=("https://github.com/LuthienResearch/luthien_control/issues/1",),
        streamed="bytes",
    ),
    Fault(
        name="body.zstd",
        play=raw(zstandard, content_encoding="zstd"),
        meaning="The body has an encoding that many clients cannot decode.",
        draw="same",
        wish="surface",
        sources=("https://github.com/musistudio/claude-code-router/issues/1746",),
        streamed="bytes",
    ),
    Fault(
        name="body.json_as_text",
        play=_typed("text/plain; charset=utf-8"),
        meaning="The good JSON is labelled as text.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.TYPE,
        sources=("https://github.com/open-webui/docs/issues/712",),
        instead=("stream.sse_as_json",),
    ),
    Fault(
        name="body.json_no_type",
        play=_typed(None),
        meaning="The good JSON has no label.",
        draw="same",
        scope="partial",
        wish="survive",
        stays=_stays.TYPE,
        sources=("https://github.com/open-webui/docs/issues/712",),
        instead=("stream.sse_no_type",),
    ),
    Fault(
        name="body.done_appended",
        play=_typed("text/event-stream", lambda body: body + b"\n\ndata: [DONE]\n\n"),
        meaning="The good JSON is followed by the end mark of a stream.",
        draw="same",
        scope="partial",
        wish="survive",
        sources=("https://github.com/decolua/9router/issues/3492",),
    ),
)
