"""The dialects of ``openai.chat``, in the order in which they are told of."""

from __future__ import annotations

from typing import Final

from pytest_llmfaults._wires._dialect import Dialect
from pytest_llmfaults._wires.openai_chat_azure import AZURE
from pytest_llmfaults._wires.openai_chat_deepseek import DEEPSEEK
from pytest_llmfaults._wires.openai_chat_groq import GROQ
from pytest_llmfaults._wires.openai_chat_litellm import LITELLM
from pytest_llmfaults._wires.openai_chat_openrouter import OPENROUTER
from pytest_llmfaults._wires.openai_chat_vllm import VLLM

__all__ = ["DIALECTS"]

DIALECTS: Final[tuple[Dialect, ...]] = (AZURE, OPENROUTER, DEEPSEEK, GROQ, VLLM, LITELLM)
