"""What a person reads about a request that was refused."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_llmfaults._injection import Injection
from pytest_llmfaults._request import Request
from pytest_llmfaults._standing import Standing
from pytest_llmfaults._wires import WIRES, Wire

__all__ = ["endless_text", "pending_text", "uncovered_text", "unstreamed_text"]


def uncovered_text(
    request: Request, foreign: str | None, misses: Sequence[tuple[Injection, str | None]], notes: Sequence[str]
) -> str:
    """Say that no injection covers a request.

    Args:
        request: the request.
        foreign: the wire that this version cannot speak and whose route it is, or None.
        misses: the injections in force, and why each does not cover it.
        notes: what was noticed on the way of the request.
    """
    if request.wire is None and foreign is not None:
        return (
            f"{request.short} is on the wire {foreign}, which this version cannot speak yet; it was refused "
            f"before it left the machine. Known wires: {', '.join(WIRES)}."
        )
    lines = [f"{request.short} ({request.library}) was refused before it left the machine: no injection covers it."]
    lines += [f"  {one} at {one.where}: {reason}{one.covers.meant(request)}" for one, reason in misses]
    if not misses:
        lines.append("  Nothing is injected. Write llmfaults.inject('ok') for a healthy reply.")
    lines += [f"  {note}" for note in notes]
    return "\n".join(lines)


def pending_text(one: Injection | Standing) -> str:
    """Say what is wrong with an injection, or rules, that wait for a ``with``."""
    return (
        f"{one} at {one.where} is a bare statement inside a Hypothesis example, where it would leak into "
        f"the next example. Write: with llmfaults.{one.verb}(...) as seen:"
    )


def endless_text(one: Injection | Standing, limit: int) -> str:
    """Say that an injection, or rules, were asked more often than a retry loop with an end would."""
    return (
        f"{one} at {one.where} answered {limit} attempts and is asked for more: the code under test "
        "retries without an end. Give it a limit, or set the ini llmfaults_attempt_limit if so many are meant."
    )


def unstreamed_text(request: Request, wire: Wire) -> str | None:
    """Say why a request for a stream cannot have it, or return None where it can."""
    if wire.stream is None:
        return (
            f"{request.short} asks for a stream (stream=true), and this version plays {wire.name} only without. "
            "Call it without stream=True in this test."
        )
    other = wire.stream.other_form(request)
    return other and (
        f"{request.short} asks for a stream {other}, and this version plays {wire.name} only as "
        f"{wire.stream.encoding.name}. Let it ask for those in this test."
    )
