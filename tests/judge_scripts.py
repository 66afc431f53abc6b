"""Raw scripts to compare: what gateways do that no well-formed reply can express."""

from __future__ import annotations

import dataclasses
import gzip
import zlib
from typing import Final

from pytest_llmfaults._injection import Step
from pytest_llmfaults._reply import Act, End, Pause, Reply
from tests.judge import TIMEOUT_SECONDS
from tests.judge_cases import PATH

_KEEP, _CLOSE, _RESET, _STALL = End("keep"), End("close"), End("reset"), End("stall")

BODY: Final = (
    b'{"id": "chatcmpl-judge", "object": "chat.completion", "created": 1, "model": "gpt-judge", "choices": '
    b'[{"index": 0, "message": {"role": "assistant", "content": "hello"}, "finish_reason": "stop"}]}'
)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Script(Reply):
    """A reply whose script is written out."""

    acts: tuple[Act, ...] = ()

    def script(self) -> tuple[Act, ...]:
        """Return what was written."""
        return self.acts


def head(*lines: str, status: str = "HTTP/1.1 200 OK", json: bool = True) -> bytes:
    """Make a head from its lines."""
    kind = ("Content-Type: application/json",) if json else ()
    return "".join(f"{line}\r\n" for line in (status, *kind, *lines, "")).encode("latin-1")


def length(number: int) -> str:
    """Make a Content-Length header."""
    return f"Content-Length: {number}"


def played(*acts: Act) -> Script:
    """Make a reply from its acts."""
    return Script(acts=acts, ending="stale" if acts[-1] == End("stale") else "clean")


def redirect(number: int, status: str = "307 Temporary Redirect") -> Script:
    """Make one hop of a redirect chain that keeps the method."""
    lines = (f"Location: {PATH}?hop={number}", length(0))
    return played(head(*lines, status=f"HTTP/1.1 {status}"), _KEEP)


FULL: Final = head(length(len(BODY))) + BODY
_HALF = len(BODY) // 2
_CHUNKED = "Transfer-Encoding: chunked"
_DRIP = TIMEOUT_SECONDS / 3


def _chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def _dripped(data: bytes, pieces: int, seconds: float) -> tuple[Act, ...]:
    size = -(-len(data) // pieces)
    acts: list[Act] = []
    for start in range(0, len(data), size):
        acts += [data[start : start + size], Pause(seconds)]
    return tuple(acts[:-1])


_GZIPPED = gzip.compress(BODY, mtime=0)
_DEFLATED = zlib.compress(BODY)


def _encoded(encoding: str, data: bytes, promised: int | None = None, end: End = _KEEP) -> Script:
    lines = (f"Content-Encoding: {encoding}", length(len(data) if promised is None else promised))
    return played(head(*lines) + data, end)


SCRIPTS: Final[dict[str, tuple[Step, ...]]] = {
    "healthy": (played(FULL, _KEEP),),
    "closed_after": (played(FULL, _CLOSE),),
    "connection_close": (played(head(length(len(BODY)), "Connection: close") + BODY, _CLOSE),),
    "length_too_long_fin": (played(head(length(len(BODY) + 10)) + BODY, _CLOSE),),
    "length_too_long_stall": (played(head(length(len(BODY) + 10)) + BODY, _STALL),),
    "length_too_short_keep": (played(head(length(len(BODY) - 10)) + BODY, _KEEP), "ok"),
    "length_duplicate_same": (played(head(length(len(BODY)), length(len(BODY))) + BODY, _KEEP),),
    "length_duplicate_other": (played(head(length(len(BODY)), length(len(BODY) - 1)) + BODY, _KEEP),),
    "length_negative": (played(head(length(-1)) + BODY, _CLOSE),),
    "length_no_number": (played(head("Content-Length: many") + BODY, _CLOSE),),
    "length_and_chunked": (played(head(_CHUNKED, length(5)) + _chunk(BODY) + b"0\r\n\r\n", _KEEP),),
    "chunked": (played(head(_CHUNKED) + _chunk(BODY[:_HALF]), _chunk(BODY[_HALF:]) + b"0\r\n\r\n", _KEEP),),
    "chunked_cut": (played(head(_CHUNKED) + _chunk(BODY[:_HALF]), _CLOSE),),
    "chunked_cut_in_chunk": (played(head(_CHUNKED) + _chunk(BODY)[:-20], _CLOSE),),
    "chunked_no_last": (played(head(_CHUNKED) + _chunk(BODY), _CLOSE),),
    "chunked_stall": (played(head(_CHUNKED) + _chunk(BODY), _STALL),),
    "chunked_reset": (played(head(_CHUNKED) + _chunk(BODY[:_HALF]), Pause(0.02), _RESET),),
    "chunked_bad_size": (played(head(_CHUNKED) + b"zz\r\n" + BODY + b"\r\n0\r\n\r\n", _CLOSE),),
    "chunked_bad_size_later": (played(head(_CHUNKED) + _chunk(BODY) + b"zz\r\n", _CLOSE),),
    "chunked_trailer": (played(head(_CHUNKED) + _chunk(BODY) + b"0\r\nX-After: 1\r\n\r\n", _KEEP),),
    "reset_before_head": (played(_RESET),),
    "reset_in_head": (played(FULL[:20], Pause(0.02), _RESET),),
    "reset_after_head": (played(head(length(len(BODY))), Pause(0.02), _RESET),),
    "reset_in_body": (played(FULL[:-20], Pause(0.02), _RESET),),
    "reset_after_body": (played(FULL, Pause(0.02), _RESET),),
    "fin_before_head": (played(_CLOSE),),
    "fin_in_status": (played(FULL[:7], _CLOSE),),
    "fin_in_head": (played(FULL[:30], _CLOSE),),
    "fin_after_head": (played(head(length(len(BODY))), _CLOSE),),
    "stall_before_head": (played(_STALL),),
    "stall_in_head": (played(FULL[:20], _STALL),),
    "stall_in_body": (played(FULL[:-20], _STALL),),
    "latency_under": (played(Pause(_DRIP), FULL, _KEEP),),
    "latency_over": (played(Pause(TIMEOUT_SECONDS * 2), FULL, _KEEP),),
    "latency_once": (played(Pause(TIMEOUT_SECONDS * 2), FULL, _KEEP), "ok"),
    "drip_under": (played(*_dripped(FULL, 4, _DRIP), _KEEP),),
    "pause_over_in_body": (played(FULL[:-20], Pause(TIMEOUT_SECONDS * 2), FULL[-20:], _KEEP),),
    "gzip": (_encoded("gzip", _GZIPPED),),
    "gzip_lie": (_encoded("gzip", BODY),),
    "gzip_cut_fits": (_encoded("gzip", _GZIPPED[:-20]),),
    "gzip_cut_fin": (_encoded("gzip", _GZIPPED[:-20], len(_GZIPPED), _CLOSE),),
    "gzip_garbage_after": (_encoded("gzip", _GZIPPED + b"garbage"),),
    "deflate": (_encoded("deflate", _DEFLATED),),
    "deflate_lie": (_encoded("deflate", BODY),),
    "encoding_unknown": (_encoded("rot13", BODY),),
    "continue_first": (played(b"HTTP/1.1 100 Continue\r\n\r\n" + FULL, _KEEP),),
    "early_hints_first": (played(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n", Pause(0.02), FULL, _KEEP),),
    "continue_then_fin": (played(b"HTTP/1.1 100 Continue\r\n\r\n", _CLOSE),),
    "http_1_0_close": (played(head(status="HTTP/1.0 200 OK") + BODY, _CLOSE),),
    "http_1_0_cut": (played(head(status="HTTP/1.0 200 OK") + BODY[:_HALF], _CLOSE),),
    "http_1_0_length_keep": (played(head(length(len(BODY)), status="HTTP/1.0 200 OK") + BODY, _KEEP),),
    "until_close_stall": (played(head() + BODY, _STALL),),
    "until_close_reset": (played(head() + BODY, Pause(0.02), _RESET),),
    "garbage": (played(b"upstream connect error\r\n\r\n", _CLOSE),),
    "garbage_keep": (played(b"\x16\x03\x01\x02\x00\r\n\r\n", _STALL),),
    "status_line_bad_code": (played(head(length(2), status="HTTP/1.1 OK OK") + b"{}", _CLOSE),),
    "status_line_no_reason": (played(head(length(len(BODY)), status="HTTP/1.1 200") + BODY, _KEEP),),
    "http_3_0": (played(head(length(len(BODY)), status="HTTP/3.0 200 OK") + BODY, _CLOSE),),
    "header_no_colon": (played(head("no colon here", length(len(BODY))) + BODY, _CLOSE),),
    "header_huge": (played(head(f"X-Huge: {'a' * 70_000}", length(len(BODY))) + BODY, _CLOSE),),
    "header_many": (played(head(*(f"X-{n}: {n}" for n in range(200)), length(len(BODY))) + BODY, _CLOSE),),
    "header_latin_1": (played(head("X-Name: caf\xe9", length(len(BODY))) + BODY, _KEEP),),
    "line_feeds_only": (played(FULL.replace(b"\r\n", b"\n"), _CLOSE),),
    "status_204_with_body": (played(head(length(len(BODY)), status="HTTP/1.1 204 No Content") + BODY, _CLOSE),),
    "status_304_with_length": (played(head(length(len(BODY)), status="HTTP/1.1 304 Not Modified"), _KEEP),),
    "redirect_once": (redirect(1), "ok"),
    "redirect_chain": (redirect(1), redirect(2, "308 Permanent Redirect"), "ok"),
    "redirect_loop": (redirect(1),),
    "redirect_into_fin": (redirect(1), played(_CLOSE)),
    "status_500_once": (Reply.text("upstream failed", status=500), "ok"),
    "fin_once": (played(_CLOSE), "ok"),
    "reset_once": (played(_RESET), "ok"),
    "stall_once": (played(_STALL), "ok"),
    "stale": (played(FULL, End("stale")), "ok"),
    "unresolved": (Reply(connection="unresolved"),),
    "refused": (Reply(connection="refused"),),
    "timed_out": (Reply(connection="timed_out"),),
}

TWO_CALLS: Final = (
    "healthy",
    "closed_after",
    "connection_close",
    "length_too_short_keep",
    "length_too_long_fin",
    "chunked",
    "chunked_trailer",
    "reset_after_body",
    "http_1_0_length_keep",
    "status_204_with_body",
    "gzip_lie",
    "fin_once",
    "stall_once",
    "latency_once",
    "stale",
    "refused",
)
"""Scripts where a second call on the same client could tell memory from a socket."""
