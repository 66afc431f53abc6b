"""Which faults would change nothing: told from the healthy call, so that no call is made for them."""

from __future__ import annotations

from pytest_llmfaults._contract.call import Called, Subject
from pytest_llmfaults._contract.plan import answer_of
from pytest_llmfaults._faults import Fault, healthy
from pytest_llmfaults._wires import WIRES
from pytest_llmfaults.errors import DoesNotApply

__all__ = ["is_idle"]


def is_idle(subject: Subject, fault: Fault, ok: Called) -> bool:
    """Tell whether a fault makes no sense for the first request, which every call begins with.

    Where it strikes at some other request, where rules may answer before it, and where a function makes the answers,
    only the call itself can tell.
    """
    strikes_first = subject.at in ("every", "first", 1)
    if not strikes_first or subject.strictness.standings or callable(subject.answers):
        return False
    request = ok.view.requests[0]
    answer = answer_of(subject.answers, 1, request) or subject.settings.answer()
    try:
        fault.reply(healthy(WIRES[request.wire or ""], request, answer, needs=fault.needs, fault=fault.name))
    except DoesNotApply:
        return True
    return False
