"""The server's side of one fake connection, free of any library.

A transport hands over what the client writes (:meth:`Conversation.feed`) and asks what the client may read
(:meth:`Conversation.read`). The run is asked when a request is complete: a pooled one plays what is in force by then.
"""

from __future__ import annotations

from collections import deque
from typing import Final, Literal

from pytest_llmfaults._clock import Clock
from pytest_llmfaults._current import find, is_active
from pytest_llmfaults._ledger import Attempt
from pytest_llmfaults._reply import Act, End, Pause
from pytest_llmfaults._request import Request
from pytest_llmfaults._run import Run, is_loopback
from pytest_llmfaults._transports._requests import CONTINUE, TUNNEL, Incoming, library_of, url_of

__all__ = ["CLOSED", "FOREVER", "Conversation"]

CLOSED: Final = End("close")
FOREVER: Final = Pause(None)
_STALE: Final = End("stale")
_LAST_CHUNK: Final = b"0\r\n\r\n"
_INSTANT_SECONDS: Final = 1e-9
"""Less than this is now: a sum of pauses carries rounding."""


class Conversation:
    """What a gateway says on one connection.

    Attributes:
        scheme: ``http`` or ``https``; a transport sets ``https`` when TLS starts.
        host: the origin's; a CONNECT changes it.
        port: the origin's; a CONNECT changes it.
        library: the client library that owns the connection.
        connect_timeout: seconds that the client gives a connection to open, None for ever.
        run: the run that answered last, or None before the first request.
        attempt: the attempt that is being played, or None.
        trusting: whether the client takes any certificate.
        real_address: where a forwarded exchange goes: a proxy of this machine if one was dialled, else the origin.
        forwards: whether the current exchange goes to the real server: what :meth:`feed` returns is written there.
    """

    __slots__ = (
        "_acts",
        "_decided",
        "_due_seconds",
        "_gone",
        "_hung_up",
        "_incoming",
        "_raw",
        "_taken",
        "_waiting",
        "attempt",
        "connect_timeout",
        "forwards",
        "host",
        "library",
        "port",
        "real_address",
        "run",
        "scheme",
        "trusting",
    )

    def __init__(self, scheme: str, host: str, port: int, library: str, connect_timeout: float | None = None) -> None:
        """Accept a connection; the attributes say what the arguments are, as the client dialled."""
        self.scheme = scheme
        self.host = host
        self.port = port
        self.library = library
        self.connect_timeout = connect_timeout
        self.run: Run | None = None
        self.attempt: Attempt | None = None
        self.forwards = self.trusting = False
        self.real_address = (host, port)
        self._acts: deque[Act] = deque()
        self._taken = 0  # bytes of the first act: what is left of a long one is not copied for each read
        self._due_seconds: float | None = None
        self._incoming = Incoming()
        self._decided: list[Attempt | None] = []
        self._gone = self._hung_up = self._raw = self._waiting = False

    def feed(self, data: bytes | bytearray) -> bytes:
        """Take bytes that the client wrote.

        Returns:
            Bytes that have to go to the real server now (``forwards`` is true then), else nothing.

        Raises:
            Refused: the request was complete and must not leave the machine.
        """
        if self._raw or not data:
            return bytes(data)
        if self._hung_up and self._acts and self._acts[-1] == _STALE:
            # The connection was dead already; the request that finds out never reached anybody.
            self._acts, self._taken, self.attempt = deque([End("reset")]), 0, None
        onward = b""
        self._incoming.add(data)
        while not (self._gone or self._hung_up) and (request := self._next_request()) is not None:
            onward += self._decide(*request)
        return onward

    def _next_request(self) -> tuple[Request, bytes] | None:
        incoming = self._incoming
        try:
            complete = incoming.complete()
        except ValueError as error:
            raise self._not_http(error) from error
        if complete is None:
            if incoming.take_expectation() and not self.forwards:
                self._acts.append(CONTINUE)
            return None
        method, target, headers, body, raw = complete
        library = library_of(self.library, headers)
        return Request(method, self.url(method, target), headers, body, library, trusting=self.trusting), raw

    def _not_http(self, error: ValueError) -> BaseException:
        """Make the refusal of bytes that nobody here understands: SOCKS, HTTP/2 without negotiation, TLS in TLS."""
        self._gone = True
        reason = f"{self.library} wrote to {self.host}:{self.port} what is no HTTP/1.1 request ({error})."
        run = find()
        return run.refusal(reason) if run is not None else ConnectionAbortedError(reason)

    def url(self, method: str, target: str) -> str:
        """Return the absolute URL of a request target: a plain proxy is sent one, an origin a path."""
        return url_of(self.scheme, self.host, self.port, method, target)

    def _decide(self, request: Request, raw: bytes) -> bytes:
        run = find()
        if run is None:
            # The test is over. Say nothing and hang up, so that the pool dials truly.
            self._gone = not self.forwards
            self._raw = self.forwards
            return raw if self.forwards else b""
        self.run = run
        if request.method == "CONNECT":
            self._tunnel(request.url)
            return b""
        attempt = self._decided.pop() if self._decided else run.open(request)
        self.attempt = attempt
        self.forwards = attempt is None
        if attempt is None:
            self._raw = request.header("upgrade") is not None
            if request.url.startswith(self.url("", "")) or is_loopback(self.host):
                self.real_address = (self.host, self.port)
            else:  # a plain proxy that is not on this machine
                self.real_address = (request.host, request.port)
            return raw
        if attempt.reply.connection == "accepted":
            self._play(attempt.reply.script())
        else:
            self._gone = True
        return b""

    def _tunnel(self, target: str) -> None:
        host, _, port = target.rpartition(":")
        self.scheme, self.host, self.port = "http", host.strip("[]"), int(port)
        self._play((TUNNEL, End("keep")))

    def _play(self, script: tuple[Act, ...]) -> None:
        # Bytes beyond a Content-Length that lies short were sent long ago: they stay in front, as on a socket.
        while self._acts and not isinstance(self._acts[-1], bytes):
            self._acts.pop()
        self._acts.extend(script)
        self._due_seconds = None
        end = script[-1]
        self._hung_up = isinstance(end, End) and end.kind != "keep"

    def decided(self, attempt: Attempt | None) -> None:
        """Take the decision for the first request, made when the connection was dialled."""
        self._decided.append(attempt)

    @property
    def failure(self) -> Literal["refused", "timed_out", "unresolved", "untrusted"] | None:
        """How the connection of the current attempt fails to open, or None.

        A transport looks at it after :meth:`feed`, and raises what its library raises when it dials.
        """
        connection = self.attempt.reply.connection if self.attempt is not None else "accepted"
        return None if connection == "accepted" else connection

    @property
    def clock(self) -> Clock:
        """The clock of the run that answers, or would."""
        run = self.run or find()
        if run is None:
            raise LookupError
        return run.clock

    @property
    def over(self) -> bool:
        """Whether the peer has hung up because its run is over."""
        return self._gone or not is_active(self.run)

    @property
    def readable(self) -> bool:
        """Whether a read would return at once, the peer's closing included. A pool drops such an idle connection."""
        if self.over:
            return True
        act = self._peek()
        return isinstance(act, bytes) or (isinstance(act, End) and act.kind in {"close", "reset"})

    def _peek(self) -> Act:
        """Return bytes or an end that is there by now, or the pause before it."""
        acts = self._acts
        while acts:
            act = acts[0]
            if isinstance(act, Pause):
                if act.seconds is None:
                    return act
                if self._due_seconds is None:
                    self._due_seconds = self.attempt.started_seconds if self.attempt is not None else self.clock.seconds
                self._due_seconds += act.seconds
                acts.popleft()
                continue
            if self._due_seconds is not None:
                left = self._due_seconds - self.clock.seconds
                if left > _INSTANT_SECONDS:
                    return Pause(left)
            return act
        return FOREVER

    def read(self, max_bytes: int) -> bytes | Pause | End:
        """Return what the client sees now.

        Returns:
            Bytes; or how long it stays silent (``None`` for ever); or an :class:`End` of kind ``close`` or ``reset``.
        """
        if self.over:
            return CLOSED
        act = self._peek()
        self._waiting = isinstance(act, Pause)
        if isinstance(act, bytes):
            return self._take(act, max_bytes)
        if isinstance(act, Pause):
            return act
        if act.kind in {"close", "reset"}:
            if self.attempt is not None and not (act.kind == "close" and self._clean):
                self.attempt.end("reset" if act.kind == "reset" else "cut")
            return act
        self._waiting = True
        return FOREVER

    def _take(self, act: bytes, max_bytes: int) -> bytes:
        start, self._taken = self._taken, self._taken + max_bytes
        if self._taken >= len(act):
            self._acts.popleft()
            self._taken = 0
        act = act[start : start + max_bytes]
        if self.attempt is not None:
            self.attempt.taken_bytes += len(act)
            if self._exhausted:
                self.attempt.end("read")
            else:
                self.attempt.touch()
        return act

    @property
    def _exhausted(self) -> bool:
        """Whether all bytes have been read."""
        return not self._acts or isinstance(self._acts[0], End)

    @property
    def _clean(self) -> bool:
        """Whether the reply is meant to be whole."""
        reply = None if self.attempt is None else self.attempt.reply
        return reply is not None and reply.ending in {"clean", "stale"} and reply.head_bytes is None

    def asks_for_more(self) -> None:
        """Note that the client waits for what never comes: to it, what it has is not the whole."""
        if self.attempt is not None:
            self.attempt.reopen()

    def gave_up(self) -> None:
        """Note that the client's own timeout is over."""
        if self.attempt is not None:
            self.attempt.end("timed_out")

    def refused(self) -> None:
        """Note that the connection was refused."""
        if self.attempt is not None:
            self.attempt.end("refused")

    def waits_forever(self) -> None:
        """Note that the client waits without a timeout for what never comes."""
        if self.attempt is not None:
            self.attempt.end("forever")

    def close(self) -> None:
        """Note that the client closed the connection.

        One that has all the bytes and does not ask for more took the reply for complete, whatever comes after. The
        last chunk, which is empty, need not be asked for: who has read the end mark of a stream may leave.
        """
        self._gone = True
        if self.attempt is not None:
            all_read = self._exhausted or (self._acts[0] == _LAST_CHUNK and not self._taken)
            whole = all_read and (self._clean or not self._waiting)
            self.attempt.end("read" if whole else "closed_early", happened=self._waiting)
        for attempt in self._decided:
            if attempt is not None:  # cancelled before its request was written
                attempt.end("closed_early")

    def give_up(self) -> None:
        """Hang up without an outcome: the attempt goes on with another connection."""
        self._gone = True
        self.attempt = None
