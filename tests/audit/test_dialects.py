"""litellm, which has code of its own for each host, reads thoughts, text and errors where each dialect has them."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import pytest

from pytest_llmfaults import Answer, inject

pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("offline")]

MESSAGES: Final[Any] = [{"role": "user", "content": "What now?"}]


class Host(NamedTuple):
    """How litellm asks a host, and how the host speaks."""

    model: str
    more: Mapping[str, str]
    spoken: tuple[str, str]
    named: Mapping[str, Any]


HOSTS: Final = (
    Host("openrouter/openai/gpt-5", {}, ("openai.chat", "openrouter"), {}),
    Host("deepseek/deepseek-reasoner", {}, ("openai.chat", "deepseek"), {}),
    Host("groq/openai/gpt-oss-120b", {}, ("openai.chat", "groq"), {}),
    Host(
        "azure/ours",
        {"api_base": "https://acme.openai.azure.com", "api_version": "2024-10-21"},
        ("openai.chat", "azure"),
        {},
    ),
    Host("hosted_vllm/ours", {"api_base": "http://llm.example/v1"}, ("openai.chat", "vllm"), {"dialect": "vllm"}),
    Host("litellm_proxy/ours", {"api_base": "http://llm.example"}, ("openai.chat", "litellm"), {"dialect": "litellm"}),
    Host("mistral/mistral-large-latest", {}, ("mistral.chat", ""), {}),
)
each_host = pytest.mark.parametrize("host", HOSTS, ids=lambda host: host.spoken[1] or host.spoken[0])


def litellm() -> Any:
    return importlib.import_module("litellm")


def complete(host: Host, **more: Any) -> Any:
    return litellm().completion(model=host.model, messages=MESSAGES, api_key="k", **host.more, **more)


@each_host
def test_a_stream_says_thoughts_and_text(host: Host) -> None:
    with inject(Answer("Hold.", reasoning="First I look."), **host.named) as seen:
        deltas = [chunk.choices[0].delta for chunk in complete(host, stream=True) if chunk.choices]
    assert "".join(delta.content or "" for delta in deltas) == "Hold."
    assert "".join(getattr(delta, "reasoning_content", None) or "" for delta in deltas) == "First I look."
    assert (seen.requests[0].wire, seen.requests[0].dialect) == host.spoken


@each_host
def test_a_whole_reply_says_the_same(host: Host) -> None:
    with inject(Answer("Hold.", reasoning="First I look."), **host.named):
        message = complete(host).choices[0].message
    assert message.content == "Hold."
    read = getattr(message, "reasoning_content", None) or message.get("reasoning")
    assert read == "First I look."


@each_host
def test_a_limit_is_known_as_one(host: Host) -> None:
    with inject("status.429_rate", **host.named), pytest.raises(litellm().RateLimitError, match=r"Rate limit reached"):
        complete(host, max_retries=0)
