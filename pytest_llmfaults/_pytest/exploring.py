"""``fuzz`` and ``discover``: variants that Hypothesis draws, compared with what is signed."""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from pytest_llmfaults._contract.campaign import DRAWN, SECONDS
from pytest_llmfaults._contract.discover import Discovered
from pytest_llmfaults._contract.explore import Fuzzed
from pytest_llmfaults._contract.plan import Answers, At
from pytest_llmfaults._pytest.searching import Searching, driven
from pytest_llmfaults.errors import nearest

__all__ = ["Exploring", "check_keywords"]


def check_keywords(name: str, like: Callable[..., Any], given: Iterable[str]) -> None:
    """Refuse what a method that takes the keywords of another does not take, as Python does of its own accord.

    Raises:
        TypeError: the text offers the nearest.
    """
    known = inspect.signature(like).parameters
    for word in given:
        if word not in known:
            msg = f"{name}() got an unexpected keyword argument {word!r}.{nearest(word, known)}"
            raise TypeError(msg)


class Exploring(Searching):
    """Looks for behaviours that nobody signed."""

    def fuzz(
        self,
        call: Callable[[], Any],
        *,
        answer: Answers = None,
        families: str | Iterable[str] | None = None,
        at: At = "every",
        setup: Callable[[], object] | None = None,
        after: Callable[[], str] | None = None,
        describe: Callable[[Any], str] | None = None,
        dialect: str | None = None,
        variant: str | None = None,
        max_examples: int | None = None,
    ) -> Fuzzed:
        """Draw variants of the healthy reply, and fail with the smallest that behaves like nothing that is signed.

        It stands behind ``check`` in the same test, and is held to the same file. What a returned value merely carries
        over from the reply makes no difference; its type, what is absent, empty or null in it, and the client's own
        words do.

        Args:
            call: the code under test, as for ``check``; ``answer``, ``at``, ``setup``, ``after`` and ``describe`` are
                those of ``check``, too.
            answer: what the healthy model says.
            families: the faults that may be among the changes: families, names, globs or presets; None is all, and
                ``()`` is none, which leaves edits.
            at: which requests of one call are struck.
            setup: called before each observed call.
            after: says what became of side effects.
            describe: turns what ``call`` returned into a short text; then this text is what counts of a value.
            dialect: how the hosts speak their wire.
            variant: the word of the file, as for ``check``.
            max_examples: how many variants are drawn; None is what the profile of Hypothesis says. So are the example
                database and everything else; in CI each run draws the same.

        Returns:
            How much was looked at.

        Raises:
            ContractBroken: a variant behaves like nothing that is signed.
            ContractError: the file cannot be read, or the subject cannot be observed; the text says what to do.
        """
        __tracebackhide__ = True
        more: dict[str, Any] = {"answer": answer, "at": at, "setup": setup, "after": after, "describe": describe}
        more["dialect"] = dialect
        return driven(self._fuzz(call, families=families, variant=variant, max_examples=max_examples, **more))

    def afuzz(self, call: Callable[[], Awaitable[Any]], **more: Any) -> Awaitable[Fuzzed]:
        """Fuzz an asynchronous callable, in the loop that runs; takes what ``fuzz`` takes, and is awaited."""
        check_keywords("afuzz", self.fuzz, more)
        return self._awaited("afuzz", call, self._fuzz(call, **more))

    def discover(  # noqa: PLR0913 - what check takes, and how far it goes
        self,
        call: Callable[[], Any],
        *,
        answer: Answers = None,
        families: str | Iterable[str] | None = None,
        at: At = "every",
        setup: Callable[[], object] | None = None,
        after: Callable[[], str] | None = None,
        describe: Callable[[Any], str] | None = None,
        dialect: str | None = None,
        variant: str | None = None,
        seconds: float = SECONDS,
        seed: int = 0,
        max_examples: int = DRAWN,
    ) -> Discovered:
        """Group variants by what the code does under them, and fail where a group is not signed.

        First ``max_examples`` variants are drawn, then every single change of the healthy reply is tried. The groups
        are printed, what one looks at first at the top, each with its smallest example. With enough time the same seed
        gives the same groups.

        Args:
            call: the code under test; it, and what is not named here, is as for ``fuzz``.
            answer: what the healthy model says.
            families: the faults that may be among the changes.
            at: which requests of one call are struck.
            setup: called before each observed call.
            after: says what became of side effects.
            describe: turns what ``call`` returned into a short text.
            dialect: how the hosts speak their wire.
            variant: the word of the file.
            seconds: true time that it may take.
            seed: decides what is drawn.
            max_examples: how many variants are drawn.

        Returns:
            The groups.

        Raises:
            ContractBroken: a group is not signed; ``--llmfaults-sign`` signs its smallest example.
            ContractError: the file cannot be read, or the subject cannot be observed; the text says what to do.
        """
        __tracebackhide__ = True
        more: dict[str, Any] = {"answer": answer, "at": at, "setup": setup, "after": after, "describe": describe}
        more["dialect"] = dialect
        more.update(families=families, variant=variant, seconds=seconds, seed=seed, max_examples=max_examples)
        return driven(self._discover(call, **more))

    def adiscover(self, call: Callable[[], Awaitable[Any]], **more: Any) -> Awaitable[Discovered]:
        """Do for an asynchronous callable what ``discover`` does; takes the same, and is awaited."""
        check_keywords("adiscover", self.discover, more)
        return self._awaited("adiscover", call, self._discover(call, **more))
