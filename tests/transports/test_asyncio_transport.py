"""The transport in memory gives a protocol the same events, in the same order, as a selector transport does."""

from __future__ import annotations

import asyncio
from typing import Any, Final

import pytest

from pytest_llmfaults._current import active
from pytest_llmfaults._injection import Filter, Injection, checked_steps
from pytest_llmfaults._reply import End, Pause, Reply
from pytest_llmfaults._run import Run
from pytest_llmfaults._transports._asyncio_transport import MemoryTransport
from pytest_llmfaults._transports._conversation import Conversation
from tests.gateway import Gateway
from tests.judge import class_name
from tests.judge_cases import PATH
from tests.judge_scripts import FULL, played

REQUEST: Final = f"POST {PATH} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{{}}".encode()
GRACE_SECONDS: Final = 0.05


class Recorder(asyncio.Protocol):
    """Writes one request, does what a test wants at an event, and notes every event."""

    def __init__(self, do: dict[str, str]) -> None:
        self.do = do
        self.events: list[Any] = []
        self.lost = asyncio.get_running_loop().create_future()
        self.transport: Any = None

    def _note(self, event: str, detail: Any = None) -> None:
        if event == "data" and self.events and self.events[-1][0] == "data":
            detail = self.events.pop()[1] + detail  # how bytes are cut is up to the system
        self.events.append((event, detail, self.transport.is_closing()))
        if wanted := self.do.get(event):
            getattr(self.transport, wanted)()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = transport
        self._note("made")
        self.transport.write(REQUEST)

    def data_received(self, data: bytes) -> None:
        self._note("data", data)

    def eof_received(self) -> bool:
        self._note("eof")
        return self.do.get("eof") == "keep"

    def connection_lost(self, exc: Exception | None) -> None:
        self._note("lost", exc and (class_name(exc), exc.errno if isinstance(exc, OSError) else None))
        self.lost.set_result(None)


class Nobody:
    """A client that is never asked for much."""

    def awaits_reply(self) -> bool:
        return False

    def gave_up(self) -> bool:
        return False

    def tell(self, error: BaseException) -> None:
        raise error

    def not_opened(self, transport: MemoryTransport) -> None:
        raise NotImplementedError


async def settled(recorder: Recorder) -> list[Any]:
    await asyncio.wait([recorder.lost], timeout=GRACE_SECONDS)
    kept = not recorder.lost.done()
    if kept:
        recorder.transport.abort()
        await recorder.lost
    return [*recorder.events, kept]


async def in_memory(do: dict[str, str]) -> list[Any]:
    loop = asyncio.get_running_loop()
    recorder = Recorder(do)
    conversation = Conversation("http", "127.0.0.1", 80, "test")
    recorder.connection_made(MemoryTransport(loop, recorder, conversation, Nobody()))
    return await settled(recorder)


async def on_a_socket(port: int, do: dict[str, str]) -> list[Any]:
    loop = asyncio.get_running_loop()
    _, recorder = await loop.create_connection(lambda: Recorder(do), "127.0.0.1", port)
    return await settled(recorder)


REPLIES: Final[dict[str, Reply]] = {
    "keep": played(FULL, End("keep")),
    "fin": played(FULL, End("close")),
    "fin_at_once": played(End("close")),
    "reset": played(FULL, Pause(0.01), End("reset")),
    "stall": played(FULL[:20], End("stall")),
}
WISHES: Final[dict[str, dict[str, str]]] = {
    "reads": {},
    "closes_on_data": {"data": "close"},
    "aborts_on_data": {"data": "abort"},
    "closes_twice": {"data": "close", "lost": "close"},
    "pauses_on_data": {"data": "pause_reading"},
    "pauses_twice": {"made": "pause_reading", "data": "pause_reading"},
    "resumes_unpaused": {"made": "resume_reading"},
}


@pytest.mark.parametrize("wish", WISHES)
@pytest.mark.parametrize("reply", REPLIES)
def test_events(reply: str, wish: str) -> None:
    run = Run(name="events")
    steps = checked_steps([REPLIES[reply]], of=None)
    run.add(Injection(steps, covers=Filter(), times=None, per_request=False, answer=None, where="here"))
    with active(run):
        memory = asyncio.run(in_memory(WISHES[wish]))
    with Gateway(lambda *_: REPLIES[reply]) as gateway:
        sockets = asyncio.run(on_a_socket(gateway.port, WISHES[wish]))
    assert memory == sockets


def test_what_it_says_of_itself() -> None:
    async def look() -> None:
        transport = MemoryTransport(
            asyncio.get_running_loop(), asyncio.Protocol(), Conversation("https", "::1", 443, "test"), Nobody()
        )
        assert transport.get_extra_info("peername") == ("::1", 443, 0, 0)
        assert transport.get_extra_info("sockname")[0] == "127.0.0.1"
        assert transport.get_extra_info("socket") is None
        assert transport.get_extra_info("ssl_object", "none") == "none"
        assert transport.can_write_eof()
        assert transport.get_write_buffer_size() == 0
        transport.write_eof()
        with pytest.raises(RuntimeError, match="write_eof"):
            transport.write(b"x")

    with active(Run()):
        asyncio.run(look())
