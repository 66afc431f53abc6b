"""One run: the injections in force, the clock and the ledger of one test or one ``with``.

Data flows one way: a transport hands a request to :meth:`Run.open`, gets an attempt with the reply to play, and notes
on the attempt what became of it.
"""

from __future__ import annotations

import dataclasses
import time
from collections.abc import Callable
from typing import Final, Literal

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._clock import Clock
from pytest_llmfaults._faults import Fault, healthy
from pytest_llmfaults._injection import Injection, Played, check_reachable, label, returned_step
from pytest_llmfaults._ledger import Attempt, Ledger
from pytest_llmfaults._quota import Quota, Quotas
from pytest_llmfaults._reply import Reply
from pytest_llmfaults._request import Request
from pytest_llmfaults._settings import Settings, is_loopback
from pytest_llmfaults._standing import Standing, Strictness
from pytest_llmfaults._telemetry import is_telemetry
from pytest_llmfaults._texts import endless_text, pending_text, uncovered_text, unstreamed_text
from pytest_llmfaults._wires import FOREIGN_ROUTES, Wire, dialect_at, spoken, wire_at
from pytest_llmfaults.errors import DoesNotApply, LLMFaultsError, Refused, TooManyAttempts

__all__ = ["Run", "Settings", "is_loopback", "pending_text"]

_STEP_DEPTH_LIMIT: Final = 8


class Run:
    """The state of one test, or of one ``with`` outside a test."""

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        name: str = "this block",
        frozen: bool = False,
        begin: float | None = None,
        attempt_limit: int | None = None,
    ) -> None:
        """Start with no injection.

        Args:
            settings: what the suite decided.
            name: what a message calls this run: a test's id.
            frozen: let clocks stand still between waits, so that two runs read the same times.
            begin: the Unix time in seconds at which frozen wall clocks begin; None is the next whole second.
            attempt_limit: how many attempts are allowed; one more raises ``TooManyAttempts``.
        """
        self.attempt_limit = attempt_limit
        self.observes = frozen
        self.ended = False
        self.inapplicable: str | None = None
        self.settings = settings or Settings()
        self.name = name
        self.ledger = Ledger()
        self.clock = Clock(frozen=frozen, begin=begin)
        self.injections: list[Injection] = []
        self.noted: dict[tuple[str, str, str], str] = {}
        self.pending: list[Injection | Standing] = []
        self.strictness = Strictness()
        self.quotas = Quotas()
        self.case: Fault | None = None
        self.skips: Callable[[DoesNotApply], bool] | None = None
        self.turned_away = False
        self.fuzzed = False
        self.first_shown = 0
        self.seconds_before = 0.0
        self._example: object = None
        self._moved: dict[str, Callable[[Request], Attempt]] = {}

    def add(self, injection: Injection) -> None:
        """Put an injection in force.

        Raises:
            InvalidUse: an earlier one hides it completely.
        """
        check_reachable(injection, self.injections)
        self.injections.append(injection)

    def remove(self, injection: Injection) -> None:
        """Forget an injection that is over: a test may make one for each of many examples."""
        if injection in self.injections:
            self.injections.remove(injection)
            kept = [step for one in self.injections for step in one.steps]
            self.quotas.forget([step for step in injection.steps if isinstance(step, Quota) and step not in kept])

    def begin_example(self, example: object) -> None:
        """Show from now on only what happens in this example of Hypothesis; the same one again changes nothing.

        What happened in others is forgotten where a fuzzer makes examples without end.
        """
        if example is self._example:
            return
        self._example = example
        if self.fuzzed:
            self.ledger.attempts.clear()
            self._moved.clear()
        self.first_shown = len(self.ledger.attempts)
        self.seconds_before = self.clock.elapsed_seconds

    def note(self, asked: tuple[str, str, str], text: str | None) -> None:
        """Write down what to know about a request, for its refusal; until the like of it is made again.

        Args:
            asked: the library, the host and the path of the request.
            text: what to know, or None.
        """
        if text is None:
            self.noted.pop(asked, None)
        else:
            self.noted[asked] = text

    def goes_its_way(self, scheme: str, host: str, port: int) -> bool:
        """Tell whether connections to this origin are none of our business."""
        return f"{scheme}://{host.lower()}:{port}" in self.settings.passthrough

    def is_route(self, request: Request) -> bool:
        """Tell whether the path of a request, whose body may still be missing, is a route of some wire."""
        return request.path.endswith(tuple(FOREIGN_ROUTES)) or self.with_wire(request).wire is not None

    def claims(self, request: Request) -> Literal["first", "last"] | None:
        """Tell who comes first when a mock or a cassette could answer this request as well. Nothing is used up.

        Returns:
            ``first``: an injection answers it, whatever else could; ``last``: it is answered or refused here once no
            route of a mock and no cassette answers it; None: it is none of our business.
        """
        if self.goes_its_way(request.scheme, request.host, request.port):
            return None
        request = self.with_wire(request)
        open_ones = [one for one in tuple(self.injections) if not one.closed and self._asked(one, request) is None]
        if request.url in self._moved or any(one.has_step_for(request) for one in open_ones):
            return "first"
        if self.pending and self.is_route(request):
            return "first"
        return "last" if open_ones or self.is_route(request) else None

    def open(self, request: Request) -> Attempt | None:
        """Decide what a request gets.

        Args:
            request: the request, complete.

        Returns:
            The attempt, whose reply the transport plays; None when the request goes its way (loopback, no wire).

        Raises:
            Refused: it must not leave the machine. The refusal is in the ledger already.
        """
        self.clock.join()
        if self.pending:
            raise self.refusal(pending_text(self.pending[0]))
        if self.attempt_limit is not None and len(self.ledger.attempts) >= self.attempt_limit:
            raise TooManyAttempts(self.attempt_limit)
        try:
            request = self.with_wire(request)
            return self._injected(request) or self._not_injected(request)
        except LLMFaultsError as error:
            if isinstance(error, DoesNotApply):
                self.inapplicable = str(error)
                if self.skips is not None and self.skips(error):
                    return self._turned_away(request, str(error))
            raise self.refusal(str(error)) from None

    def _turned_away(self, request: Request, reason: str) -> Attempt:
        """Refuse the connection of a case that is skipped: a refusal would end the event loop of its fixtures, too."""
        if len(self.ledger.attempts) >= self.settings.attempt_limit:
            raise self.refusal(reason)
        self.turned_away = True
        self.ledger.refuse(reason, fatal=True)
        reply = Reply(connection="refused")
        return self.ledger.attempt(request, "does not apply", reply, None, lambda: self.clock.seconds)

    def refusal(self, reason: str) -> Refused:
        """Write a refusal down and return what to raise."""
        self.ledger.refuse(reason, fatal=True)
        return Refused(reason)

    def wire_of(self, method: str, path: str, host: str) -> str | None:
        """Return the name of the wire that this is a route of on this host, or None."""
        if method != "POST":
            return None
        path = path.rstrip("/")
        own = next((name for ending, name in self.settings.routes if path.endswith(ending.rstrip("/"))), None)
        return own or wire_at(path, host)

    def with_wire(self, request: Request) -> Request:
        """Name the wire of a request whose path is a route of one, and the dialect in which its host speaks it."""
        name = self.wire_of(request.method, request.path, request.host)
        return self._on(name, None, request)[1] if name else request

    def _on(self, name: str, dialect: str | None, request: Request) -> tuple[Wire, Request]:
        """Return a wire and a request as one on it, in a dialect; None is what the suite says, or what is known."""
        chosen = dialect or dialect_at(name, request.host, self.settings.dialects)
        wire = spoken(request.on_wire(name, dialect=chosen))
        return wire, wire.takes(request)

    def _injected(self, request: Request) -> Attempt | None:
        if request.url in self._moved:
            return self._moved[request.url](request)
        covered: Injection | None = None
        for injection in tuple(self.injections):
            if injection.closed or self._asked(injection, request) is not None:
                continue
            refused = self._refused_by_rule(injection, request) if covered is None else None
            if refused is not None:
                return refused
            covered = injection
            taken = injection.take(request)
            if taken is not None:
                return self._attempt(injection, request, *taken)
        return self._attempt(covered, request, None, None) if covered is not None else None

    def _refused_by_rule(self, injection: Injection, request: Request) -> Attempt | None:
        """Answer a request that breaks a rule: a strict provider refuses before it samples, so no step is used up."""
        wire, request = self._on(injection.covers.on or request.wire or "", injection.covers.dialect, request)
        broken = self.strictness.broken(request, self._asked)
        if broken is None:
            return None
        if sum(one.step == broken.rule.label for one in self.ledger.attempts) >= self.settings.attempt_limit:
            raise self.refusal(endless_text(broken.standing, self.settings.attempt_limit))
        reply = broken.rule.refusal(wire, broken.breach)
        attempt = self.ledger.attempt(request, broken.rule.label, reply, None, lambda: self.clock.seconds)
        return self.strictness.note(broken, attempt)

    def _asked(self, injection: Injection | Standing, request: Request) -> str | None:
        try:
            return injection.covers.misses(request)
        except Exception as error:
            reason = f"when= of {injection} at {injection.where} raised {error!r} for {request.short}."
            raise self.refusal(reason) from error

    def _attempt(
        self, injection: Injection, request: Request, index: int | None, step: Played, *, followed: bool = False
    ) -> Attempt:
        wire, request = self._on(injection.covers.on or request.wire or "", injection.covers.dialect, request)
        self._refuse_stream(wire, request)
        if len(injection.attempts) >= self.settings.attempt_limit:
            raise self.refusal(endless_text(injection, self.settings.attempt_limit))
        try:
            step = self._called(injection, request, step)
        except KeyboardInterrupt:  # the request has left all the same
            silence = Reply(ending="stalled")
            self.ledger.attempt(request, "interrupt", silence, None, lambda: self.clock.seconds).end("closed_early")
            raise
        reply, words = self._played(injection, wire, request, step, followed=followed)
        fault = step if isinstance(step, Fault) else None
        if reply.connection == "untrusted" and request.trusting:
            reply = dataclasses.replace(reply, connection="accepted")
        attempt = self.ledger.attempt(request, words, reply, fault, lambda: self.clock.seconds)
        if index is not None:
            injection.hit(index, attempt)
        else:
            injection.attempts.append(attempt)
        target = reply.moved_to(request.url) if fault is not None else None
        if target not in {None, request.url}:  # what follows the redirect uses up no step

            def follow(again: Request) -> Attempt:
                return self._attempt(injection, dataclasses.replace(again, wire=wire.name), index, step, followed=True)

            self._moved[target or ""] = follow
        return attempt

    def _refuse_stream(self, wire: Wire, request: Request) -> None:
        reason = unstreamed_text(request, wire) if request.stream else None
        if reason is not None:
            raise self.refusal(reason)

    def _called(self, injection: Injection, request: Request, step: Played) -> Played:
        for _ in range(_STEP_DEPTH_LIMIT):
            if step is None or isinstance(step, (Fault, Answer, Reply, Quota)):
                return step
            try:
                step = returned_step(step, request, injection.where)
            except LLMFaultsError:
                raise
            except Exception as error:
                reason = f"The step {label(step)} of inject() at {injection.where} raised {error!r}."
                raise self.refusal(reason) from error
        reason = f"A step of inject() at {injection.where} returns functions without end."
        raise self.refusal(reason)

    def _played(
        self, injection: Injection, wire: Wire, request: Request, step: Played, *, followed: bool
    ) -> tuple[Reply, str]:
        """Return the reply, and what to call it."""
        words = label(step)
        if isinstance(step, Reply):
            return step, words
        if isinstance(step, Answer):
            return healthy(wire, request, step).as_asked().reply, words
        answer = injection.answer or self.settings.answer()
        if isinstance(step, Fault):
            base = healthy(wire, request, step.answer or answer, needs=step.needs, fault=step.name, now=time.time())
            return step.reply(dataclasses.replace(base, followed=followed)), words
        if isinstance(step, Quota):
            return self.quotas.serve(step, healthy(wire, request, answer, now=time.time()), self.clock.nanoseconds)
        return healthy(wire, request, answer).as_asked().reply, words

    def _not_injected(self, request: Request) -> Attempt | None:
        """Refuse what no injection covers; loopback that is no wire's route goes its way."""
        foreign = next((name for end, name in FOREIGN_ROUTES.items() if request.path.endswith(end)), None)
        if request.wire is None and foreign is None and is_loopback(request.host):
            return None
        if request.wire is None and is_telemetry(request.host, request.path):
            self.ledger.refuse(f"telemetry: {request.short}", fatal=False)
            reply = Reply(connection="refused")
            return Attempt(0, request, "telemetry", reply, None, 0.0, 0.0, lambda: 0.0)
        misses = [(one, self._asked(one, request)) for one in self.injections if not one.closed]
        note = self.noted.get((request.library, request.host, request.path))
        raise self.refusal(uncovered_text(request, foreign, misses, () if note is None else (note,)))
