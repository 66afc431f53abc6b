"""The client under faults of the gateway, and under those that every gateway has."""

from __future__ import annotations

import pytest
import requests
from client import NoAnswer, ask

from pytest_llmfaults import Answer, LLMFaults, LLMFaultsContract


def test_the_healthy_reply_is_the_recorded_one(llmfaults: LLMFaults) -> None:
    llmfaults.inject("ok")
    assert ask("What now?") == "Hold the position."
    assert llmfaults.requests[0].wire == "acme.ask"


def test_an_answer_goes_where_the_text_is(llmfaults: LLMFaults) -> None:
    llmfaults.inject(Answer("Sell."))
    assert ask("What now?") == "Sell."


def test_a_full_gateway_is_asked_again_when_it_says_so(llmfaults: LLMFaults) -> None:
    llmfaults.inject("acme.queued", "ok")
    assert ask("What now?") == "Hold the position."
    assert llmfaults.waits == [2.0]


@pytest.mark.llmfaults("acme.verdict_*")
def test_a_verdict_that_nobody_knows_is_said(llmfaults: LLMFaults) -> None:
    with pytest.raises(NoAnswer, match="deferred"):
        ask("What now?")
    assert llmfaults.attempts == 1


@pytest.mark.llmfaults("status.503", "status.429_rate", then="ok", wire="acme.ask")
def test_an_overloaded_gateway_is_asked_again(llmfaults: LLMFaults) -> None:
    assert ask("What now?") == "Hold the position."
    assert llmfaults.attempts == 2


def test_the_chat_of_the_company_speaks_its_dialect(llmfaults: LLMFaults) -> None:
    llmfaults.inject(Answer("Hold.", reasoning="Hm."), "status.503")
    said, failed = (
        requests.post("https://chat.acme.example/v1/chat/completions", json={}, timeout=9) for _ in range(2)
    )
    assert (said.json()["region"], said.json()["choices"][0]["message"]["thoughts"]) == ("north", "Hm.")
    assert failed.json()["error"]["status"] == 503
    assert llmfaults.requests[0].dialect == "acme"


@pytest.mark.llmfaults("status.503", "transport.refused", "transport.timeout", "transport.closed_in_body", then="ok")
def test_the_clients_own_sockets_are_reached(llmfaults: LLMFaults) -> None:
    from acme_llmfaults import rpc

    with pytest.raises((OSError, ValueError)):
        rpc.ask("What now?")
    assert rpc.ask("What now?") == "Hold the position."
    assert [one.library for one in llmfaults.requests] == ["acme_rpc", "acme_rpc"]


def test_contract(llmfaults_contract: LLMFaultsContract) -> None:
    faults = ["acme", "content.empty", "content.null", "content.number", "body.html_page", "status.503"]
    llmfaults_contract.check(lambda: ask("What now?"), faults=faults)
