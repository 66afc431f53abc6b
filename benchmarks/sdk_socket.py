"""What the openai SDK that is installed does under each fault on a real socket: ``python sdk_socket.py OUT.json``.

The judge of ``sdk_upgrade.py``. The SDK's own waits are skipped. Rows that no server can play (a connection that is
refused) are left out, as are those that make no sense for the request.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

import openai

from pytest_llmfaults import Answer, Fault, Reply, Request, faults
from pytest_llmfaults._faults import healthy
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults.errors import DoesNotApply
from tests.gateway import Gateway

WIRE = WIRES["openai.chat"]
MESSAGES = [{"role": "user", "content": "x"}]
TIMEOUT_SECONDS = 0.5


def replies(row: Fault) -> Callable[[Request, int], Reply]:
    """Return what a gateway with this fault answers."""

    def reply_to(request: Request, _index: int) -> Reply:
        return row.reply(healthy(WIRE, request, Answer(), needs=row.needs, fault=row.name, now=time.time()))

    return reply_to


def can_be_played(row: Fault) -> bool:
    """Tell whether a server can play it, as an answer to this request."""
    body = json.dumps({"model": "m", "messages": MESSAGES}).encode()
    request = Request("POST", "http://127.0.0.1/v1/chat/completions", (("Accept-Encoding", "gzip, deflate"),), body)
    try:
        return replies(row)(request.on_wire(WIRE.name), 0).connection == "accepted"
    except DoesNotApply:
        return False


def observed(row: Fault) -> tuple[int, str]:
    """Return how many attempts there were, and how it ended."""
    with Gateway(replies(row)) as gateway:
        url = f"http://127.0.0.1:{gateway.port}/v1"
        with openai.OpenAI(api_key="k", base_url=url, timeout=TIMEOUT_SECONDS) as client:
            try:
                reply = client.chat.completions.create(model="m", messages=MESSAGES)  # type: ignore[arg-type]
                said = f"returns {reply.choices[0].message.content!r}"
            except Exception as error:  # noqa: BLE001 - whatever it is, it is what is compared
                said = f"raises {type(error).__name__}"
        return len(gateway.requests), said


def skip_waits_of_the_sdk() -> None:
    """Let the SDK's own sleeps return at once; everybody else sleeps as ever."""
    true_sleep = time.sleep

    def sleep(seconds: Any) -> None:
        if not str(sys._getframe(1).f_globals.get("__name__")).startswith("openai."):  # noqa: SLF001 - who asks decides
            true_sleep(seconds)

    time.sleep = sleep


def main() -> None:
    """Write what was observed, by the fault's name."""
    skip_waits_of_the_sdk()
    seen = {row.name: observed(row) for row in faults("all") if can_be_played(row)}
    Path(sys.argv[1]).write_text(json.dumps(seen), encoding="utf-8")


if __name__ == "__main__":
    main()
