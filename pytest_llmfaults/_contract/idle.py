"""Which faults would change nothing: told from the healthy call, so that no call is made for them."""

from __future__ import annotations

from pytest_llmfaults._answer import Answer
from pytest_llmfaults._contract.call import Called, Subject
from pytest_llmfaults._contract.plan import Plan, misfit_of
from pytest_llmfaults._faults import Fault

__all__ = ["is_idle"]


def is_idle(subject: Subject, fault: Fault, ok: Called) -> bool:
    """Tell whether a fault makes no sense for any request that it could strike first.

    Until it strikes, a call is the healthy call. Where it strikes at some other request, where rules may answer before
    it, and where a function makes the answers, only the call itself can tell.
    """
    if subject.strictness.standings or callable(subject.answers) or subject.at not in ("every", "first", 1):
        return False
    requests = ok.view.requests if subject.at == "every" else ok.view.requests[:1]
    usual = subject.settings.answer
    plan = Plan(None, at="every", answers=subject.answers, usual=usual, once=False)
    said = ((request, plan(request)) for request in requests)
    return all(misfit_of(fault, request, one if isinstance(one, Answer) else usual()) for request, one in said)
