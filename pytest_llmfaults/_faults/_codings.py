"""Content codings, framed by hand without compression: the bytes are the same on every Python and zlib."""

from __future__ import annotations

import struct
import zlib
from typing import Final

from pytest_llmfaults._request import Request

__all__ = ["accepts", "gzipped", "zstandard"]

_GZIP_HEAD: Final = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
_ZSTD_HEAD: Final = b"\x28\xb5\x2f\xfd\xa0"
_GZIP_BLOCK_BYTES: Final = 0xFFFF
_ZSTD_BLOCK_BYTES: Final = 0x20000


def accepts(request: Request, coding: str) -> bool:
    """Tell whether the request names ``coding`` (or ``*``) in Accept-Encoding."""
    offered = [part.partition(";") for part in (request.header("accept-encoding") or "").lower().split(",")]
    refused = {"q=0", "q=0.0", "q=0.00", "q=0.000"}
    return any(name.strip() in {coding, "*"} and weight.strip() not in refused for name, _, weight in offered)


def gzipped(body: bytes) -> bytes:
    """Return ``body`` as one gzip member of stored blocks, without a time."""
    blocks = [
        struct.pack("<BHH", last, len(part), len(part) ^ 0xFFFF) + part
        for last, part in _parts(body, _GZIP_BLOCK_BYTES)
    ]
    return _GZIP_HEAD + b"".join(blocks) + struct.pack("<II", zlib.crc32(body), len(body) & 0xFFFFFFFF)


def zstandard(body: bytes) -> bytes:
    """Return ``body`` as one Zstandard frame of raw blocks, without a checksum."""
    blocks = [struct.pack("<I", len(part) << 3 | last)[:3] + part for last, part in _parts(body, _ZSTD_BLOCK_BYTES)]
    return _ZSTD_HEAD + struct.pack("<I", len(body)) + b"".join(blocks)


def _parts(body: bytes, size: int) -> list[tuple[int, bytes]]:
    """Cut ``body`` into blocks; the last is marked by 1."""
    starts = range(0, max(len(body), 1), size)
    return [(int(start == starts[-1]), body[start : start + size]) for start in starts]
