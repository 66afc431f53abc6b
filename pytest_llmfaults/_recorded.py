"""A reply that was recorded: in a cassette of vcrpy, or as plain JSON in a file."""

from __future__ import annotations

import base64
import dataclasses
import gzip
import json
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from pytest_llmfaults._reply import Reply
from pytest_llmfaults.errors import InvalidUse

__all__ = ["Record", "read"]

_FRAMING: Final = frozenset({"content-length", "transfer-encoding", "content-encoding", "connection"})
"""Headers that belong to how the bytes crossed the wire that time."""


@dataclasses.dataclass(frozen=True, slots=True)
class Interaction:
    """One recorded exchange.

    Attributes:
        method: of its request.
        host: of its request.
        path: of its request; empty where only the reply is known, which then fits every request.
        reply: the reply, whole and without codings.
    """

    method: str
    host: str
    path: str
    reply: Reply


@dataclasses.dataclass(frozen=True, slots=True, repr=False)
class Record:
    """Some recorded exchanges and which of them is meant.

    Attributes:
        where: the file, as it was named.
        interactions: all of them, in the file's order.
        index: which of those on the wire of a request.
    """

    where: str
    interactions: tuple[Interaction, ...]
    index: int

    def __repr__(self) -> str:
        """Name the file; what is in it would fill a page."""
        return f"<{self.where}, index={self.index}>"

    def reply(self, wire: str, fits: Callable[[str], bool]) -> Reply:
        """Return the reply that is meant for a request.

        Args:
            wire: name of the wire, for the message.
            fits: whether a path is a route of it.

        Raises:
            InvalidUse: none is recorded, or not so many.
        """
        found = [one for one in self.interactions if not one.path or (one.method == "POST" and fits(one.path))]
        try:
            return found[self.index].reply
        except IndexError:
            pass
        if found:
            msg = f"{self.where} holds {len(found)} replies on the wire {wire}, and none has index={self.index}."
            raise InvalidUse(msg)
        seen = ", ".join(f"{one.method} {one.host}{one.path}" for one in self.interactions) or "nothing"
        msg = f"{self.where} holds no reply on the wire {wire}. It holds: {seen}."
        raise InvalidUse(msg)


def read(path: str | os.PathLike[str], index: int) -> Record:
    """Read a cassette, or a file whose JSON is the body of a reply.

    Raises:
        InvalidUse: there is no such file, or it is neither.
    """
    where = os.fspath(path)
    try:
        raw = Path(path).read_bytes()
    except OSError as error:
        msg = f"{where} cannot be read ({error.strerror}); a relative path counts from {Path.cwd()}."
        raise InvalidUse(msg) from error
    content = _parsed(where, raw)
    if isinstance(content, dict) and isinstance(content.get("interactions"), list):
        return Record(where, tuple(_interactions(where, content["interactions"])), index)
    if not where.endswith(".json"):
        msg = f"{where} is no cassette: it has no interactions. A file with the body of one reply ends in .json."
        raise InvalidUse(msg)
    return Record(where, (Interaction("POST", "", "", Reply.bytes(raw, content_type="application/json")),), index)


def _parsed(where: str, raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError as error:
        if where.endswith(".json"):
            msg = f"{where} is not JSON: {error}."
            raise InvalidUse(msg) from error
    try:
        import yaml  # type: ignore[import-untyped, unused-ignore]
    except ImportError as error:
        msg = f"{where} is YAML, and PyYAML is not installed (vcrpy brings it)."
        raise InvalidUse(msg) from error
    try:
        return yaml.safe_load(raw)
    except (yaml.YAMLError, ValueError) as error:
        msg = f"{where} is not YAML: {error}."
        raise InvalidUse(msg) from error


def _interactions(where: str, found: list[Any]) -> Iterator[Interaction]:
    for number, one in enumerate(found):
        try:
            url = urlsplit(one["request"]["uri"])
            method = one["request"]["method"].upper()
            reply = _reply(one["response"])
        except (KeyError, TypeError, ValueError, AttributeError, EOFError, zlib.error, OSError) as error:
            msg = f"{where}: interaction {number} cannot be read ({error!r})."
            raise InvalidUse(msg) from error
        yield Interaction(method, url.hostname or "", url.path, reply)


def _reply(response: dict[str, Any]) -> Reply:
    headers = tuple(
        (name, value)
        for name, values in (response.get("headers") or {}).items()
        for value in ([values] if isinstance(values, str) else values)
    )
    body = response["body"] if "body" in response else {"string": response.get("content", "")}
    content = base64.b64decode(body["base64_string"]) if "base64_string" in body else body.get("string", "")
    content = content.encode() if isinstance(content, str) else bytes(content or b"")
    for coding in reversed([value.lower() for name, value in headers if name.lower() == "content-encoding"]):
        content = _decoded(content, coding.strip())
    status = response["status"]["code"] if "status" in response else response["status_code"]
    kept = tuple((name, value) for name, value in headers if name.lower() not in _FRAMING)
    return Reply(status=status, headers=kept, chunks=(content,) if content else ())


def _decoded(content: bytes, coding: str) -> bytes:
    """Take a coding off; what was recorded after it was taken off stays as it is."""
    if coding in {"gzip", "x-gzip"}:
        return gzip.decompress(content) if content.startswith(b"\x1f\x8b") else content
    if coding == "deflate" and content.lstrip()[:1] not in {b"{", b"["}:
        try:
            return zlib.decompress(content)
        except zlib.error:
            return zlib.decompress(content, -zlib.MAX_WBITS)
    if coding not in {"identity", "deflate"}:
        try:
            content.decode()
        except UnicodeDecodeError as error:
            msg = f"its body has the coding {coding}: record it with decode_compressed_response=True"
            raise ValueError(msg) from error
    return content
