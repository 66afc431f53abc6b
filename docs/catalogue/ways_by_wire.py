"""The audited clients of each wire, one row each. A wire is observed, and has a page, once it has a row here."""

from __future__ import annotations

import dataclasses
import functools
import importlib
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from asked_cohere import COHERE
from asks import ASKS, BEDROCK, CLAUDE, EMBEDDINGS, GEMINI, MESSAGES, MODEL, QUESTION, TOOLS, Kind
from readers import (
    BEDROCK_EVENTS,
    BEDROCK_REPLY,
    CLAUDE_EVENTS,
    CLAUDE_MESSAGE,
    COHERE_EVENTS,
    COHERE_REPLY,
    EMBEDDINGS_REPLY,
    GEMINI_EVENTS,
    GEMINI_REPLY,
    GENERATED_EVENTS,
    GENERATED_REPLY,
    MISTRAL_EVENTS,
    MISTRAL_REPLY,
    OLLAMA_EVENTS,
    OLLAMA_REPLY,
    RESPONSES_EVENTS,
    RESPONSES_REPLY,
    Reader,
    added,
    chunks,
    completion,
    message,
)
from ways import Way

__all__ = ["WAYS"]

QWEN: Final = "qwen3"
MISTRAL: Final = "mistral-large-latest"
_MAX_TOKENS: Final = 1000
_ASKED: Final[Mapping[str, Mapping[str, Any]]] = {
    "openai.chat": {"model": MODEL, "messages": MESSAGES},
    "anthropic.messages": {"model": CLAUDE, "max_tokens": _MAX_TOKENS, "messages": MESSAGES},
    "openai.responses": {"model": MODEL, "input": QUESTION},
    "ollama.chat": {"model": QWEN, "messages": MESSAGES},
    "ollama.generate": {"model": QWEN, "prompt": QUESTION},
    "cohere.chat": {"model": COHERE, "messages": MESSAGES},
    "mistral.chat": {"model": MISTRAL, "messages": MESSAGES},
    "bedrock.converse": {"modelId": BEDROCK, "messages": [{"role": "user", "content": [{"text": QUESTION}]}]},
}
"""What each request says, whatever its kind."""


def _sdk(wire: str, method: str, **more: Any) -> Callable[[Any, Kind], Any]:
    """Return what asks by a method of the client, ``messages.create``, in the wire's own words."""

    def ask(client: Any, kind: Kind) -> Any:
        for name in method.split("."):
            client = getattr(client, name)
        return client(**_ASKED[wire], **ASKS[wire][kind], **more)

    return ask


def _genai(method: str) -> Callable[[Any, Kind], Any]:
    def ask(client: Any, kind: Kind) -> Any:
        body = dict(ASKS["gemini"][kind])
        config = {**body.pop("generationConfig", {}), **body}
        return getattr(client.models, method)(model=GEMINI, contents=QUESTION, config=config)

    return ask


def _litellm() -> Any:
    module: Any = importlib.import_module("litellm")
    module.telemetry = False
    module.suppress_debug_info = True
    return module


def _routed(function: str, wire: str, model: str, **more: Any) -> Callable[[Any, Kind], Any]:
    """Return what asks litellm, in OpenAI's words whatever the wire; forced calls are refused for some models."""

    def ask(litellm: Any, kind: Kind) -> Any:
        asked = {**_ASKED["openai.chat"], "model": model, **ASKS["openai.chat"][kind], **more}
        if wire != "openai.chat":
            asked.pop("tool_choice", None)
        return getattr(litellm, function)(**asked)

    return ask


def _invoked(method: str, **binding: Any) -> Callable[[Any, Kind], Any]:
    """Return what asks a chat model of langchain, with tools where the kind is about them."""
    return lambda model, kind: getattr(model.bind_tools(**binding) if kind == "tools" else model, method)(QUESTION)


def _both(way: Way, make: Callable[[], Any], ask: Callable[[Any, Kind], Any]) -> Iterator[Way]:
    """Yield a synchronous client and, with what makes and asks it under asyncio, its other half."""
    yield way
    yield dataclasses.replace(way, name=f"{way.name}, async", make=make, ask=ask, like=way.name, about="")


def _official(  # one argument for each thing that differs between SDKs
    name: str, package: str, wire: str, classes: tuple[str, str], method: str, read: Reader, **more: Any
) -> Iterator[Way]:
    """Yield an official SDK whose two clients have the same methods."""
    module = package.replace("-", "_")
    options = more.pop("options", {})
    at = more.pop("at", {})
    make, amake = (functools.partial(_made, module, one, **at) for one in classes)
    way = Way(
        name=name,
        package=package,
        wire=wire,
        make=make,
        ask=_sdk(wire, method, **options),
        read=read,
        about=f"`{classes[0]}().{method}({', '.join(f'{key}={value}' for key, value in options.items())})`",
        **more,
    )
    return _both(way, amake, way.ask)


def _made(module: str, name: str, **options: Any) -> Any:
    """Make a client on its defaults."""
    return getattr(importlib.import_module(module), name)(**options)


_UNOBSERVED: Final = ("anthropic.messages",)
"""Here `litellm.acompletion` is quick alone; in one loop with the other clients it did not end. It is not known why."""


def _litellm_ways(wire: str, model: str) -> Iterator[Way]:
    """Yield litellm on one of its routes, plain and streamed."""
    for name, read, more in (("litellm", completion, {}), ("litellm, streamed", chunks, {"stream": True})):
        way = Way(
            name=name,
            package="litellm",
            wire=wire,
            make=_litellm,
            ask=_routed("completion", wire, model, **more),
            read=read,
            streamed=bool(more),
            about=f'`litellm.completion(model="{model}"{", stream=True" if more else ""})`',
        )
        plain_half = not more and wire not in _UNOBSERVED
        yield from _both(way, _litellm, _routed("acompletion", wire, model)) if plain_half else (way,)


def _langchain_ways(wire: str, package: str, name: str, **options: Any) -> Iterator[Way]:
    """Yield a chat model of langchain, invoked and streamed."""
    module = package.replace("-", "_")
    make = functools.partial(_made, module, name, **options)
    binding = {"tools": TOOLS, "tool_choice": "any"}
    said = ", ".join(f"{key}={value!r}" for key, value in options.items())
    for title, read, method in (("langchain", message, "invoke"), ("langchain, streamed", added, "stream")):
        way = Way(
            name=title,
            package=package,
            wire=wire,
            make=make,
            ask=_invoked(method, **binding),
            read=read,
            kinds=("text", "tools"),
            streamed=read is added,
            about=f"`{name}({said}).{method}()`",
        )
        yield from _both(way, make, _invoked("ainvoke", **binding)) if method == "invoke" else (way,)


def _genai_ways() -> Iterator[Way]:
    make = functools.partial(_made, "google.genai", "Client")
    for name, read, method in (
        ("google-genai", GEMINI_REPLY, "generate_content"),
        ("google-genai, streamed", GEMINI_EVENTS, "generate_content_stream"),
    ):
        way = Way(
            name=name,
            package="google-genai",
            wire="gemini",
            make=make,
            ask=_genai(method),
            read=read,
            streamed=read is GEMINI_EVENTS,
            own="google",
            about=f"`Client().models.{method}()`, on httpx2; async: `Client().aio`, on aiohttp",
        )
        yield from _both(way, lambda: make().aio, way.ask)


def _bedrock_ways() -> Iterator[Way]:
    for name, read, method in (
        ("boto3", BEDROCK_REPLY, "converse"),
        ("boto3, streamed", BEDROCK_EVENTS, "converse_stream"),
    ):
        streamed = read is BEDROCK_EVENTS
        ask = _sdk("bedrock.converse", method)
        yield Way(
            name=name,
            package="boto3",
            wire="bedrock.converse",
            make=lambda: _made("boto3", "client", service_name="bedrock-runtime"),
            ask=_stream_in(ask) if streamed else ask,
            read=read,
            streamed=streamed,
            own="botocore",
            about=f'`boto3.client("bedrock-runtime").{method}()`, which has no asynchronous half',
        )


def _stream_in(ask: Callable[[Any, Kind], Any]) -> Callable[[Any, Kind], Any]:
    return lambda client, kind: ask(client, kind)["stream"]


def _mistral_ways() -> Iterator[Way]:
    make = functools.partial(_made, "mistralai.client", "Mistral")
    for name, read, method in (
        ("mistralai", MISTRAL_REPLY, "complete"),
        ("mistralai, streamed", MISTRAL_EVENTS, "stream"),
    ):
        way = Way(
            name=name,
            package="mistralai",
            wire="mistral.chat",
            make=make,
            ask=_sdk("mistral.chat", f"chat.{method}"),
            read=read,
            streamed=read is MISTRAL_EVENTS,
            about=f"`Mistral().chat.{method}()`; async: `chat.{method}_async()`",
        )
        yield from _both(way, make, _sdk("mistral.chat", f"chat.{method}_async"))


def _embeddings_ways() -> Iterator[Way]:
    def ask(client: Any, _kind: Kind) -> Any:
        return client.embeddings.create(model=EMBEDDINGS, input=["one", "two"], dimensions=8)

    make, amake = (functools.partial(_made, "openai", name) for name in _OPENAI)
    way = Way(
        name="openai",
        package="openai",
        wire="openai.embeddings",
        make=make,
        ask=ask,
        read=EMBEDDINGS_REPLY,
        kinds=("text",),
        about="`OpenAI().embeddings.create()`, which asks for base64",
    )
    yield from _both(way, amake, ask)


_OPENAI: Final = ("OpenAI", "AsyncOpenAI")
_CLAUDE: Final = ("Anthropic", "AsyncAnthropic")
_COHERE: Final = ("ClientV2", "AsyncClientV2")
_OLLAMA: Final = ("Client", "AsyncClient")
_GROQ: Final = ("Groq", "AsyncGroq")
_NEUTRAL: Final = {"base_url": "https://gateway.example.com"}
"""Where a client is asked that would speak a dialect at home: on one wire all are compared."""
_STREAM: Final = {"stream": True}
_USAGE: Final = {"stream_options": {"include_usage": True}}
_CREATE: Final = "chat.completions.create"

WAYS: Final = (
    *_official("openai", "openai", "openai.chat", _OPENAI, _CREATE, completion),
    *_official("groq", "groq", "openai.chat", _GROQ, _CREATE, completion, at=_NEUTRAL),
    *_official(
        "openai, streamed", "openai", "openai.chat", _OPENAI, _CREATE, chunks, streamed=True, options=_STREAM | _USAGE
    ),
    *_official(
        "openai, helper",
        "openai",
        "openai.chat",
        _OPENAI,
        "chat.completions.stream",
        completion,
        kinds=("text", "data"),
        streamed=True,
        whole="get_final_completion",
        options=_USAGE,
    ),
    *_official(
        "groq, streamed", "groq", "openai.chat", _GROQ, _CREATE, chunks, streamed=True, options=_STREAM, at=_NEUTRAL
    ),
    *_litellm_ways("openai.chat", f"openai/{MODEL}"),
    *_langchain_ways("openai.chat", "langchain-openai", "ChatOpenAI", model=MODEL),
    *_official("anthropic", "anthropic", "anthropic.messages", _CLAUDE, "messages.create", CLAUDE_MESSAGE),
    *_official(
        "anthropic, streamed",
        "anthropic",
        "anthropic.messages",
        _CLAUDE,
        "messages.create",
        CLAUDE_EVENTS,
        streamed=True,
        options=_STREAM,
    ),
    *_official(
        "anthropic, helper",
        "anthropic",
        "anthropic.messages",
        _CLAUDE,
        "messages.stream",
        CLAUDE_MESSAGE,
        streamed=True,
        whole="get_final_message",
    ),
    *_litellm_ways("anthropic.messages", f"anthropic/{CLAUDE}"),
    *_langchain_ways("anthropic.messages", "langchain-anthropic", "ChatAnthropic", model=CLAUDE),
    *_official("openai", "openai", "openai.responses", _OPENAI, "responses.create", RESPONSES_REPLY),
    *_official(
        "openai, streamed",
        "openai",
        "openai.responses",
        _OPENAI,
        "responses.create",
        RESPONSES_EVENTS,
        streamed=True,
        options=_STREAM,
    ),
    *_official(
        "openai, helper",
        "openai",
        "openai.responses",
        _OPENAI,
        "responses.stream",
        RESPONSES_REPLY,
        streamed=True,
        whole="get_final_response",
    ),
    *_langchain_ways("openai.responses", "langchain-openai", "ChatOpenAI", model=MODEL, use_responses_api=True),
    *_genai_ways(),
    *_litellm_ways("gemini", f"gemini/{GEMINI}"),
    *_official("ollama", "ollama", "ollama.chat", _OLLAMA, "chat", OLLAMA_REPLY),
    *_official(
        "ollama, streamed", "ollama", "ollama.chat", _OLLAMA, "chat", OLLAMA_EVENTS, streamed=True, options=_STREAM
    ),
    *_official("ollama", "ollama", "ollama.generate", _OLLAMA, "generate", GENERATED_REPLY, kinds=("text", "data")),
    *_official(
        "ollama, streamed",
        "ollama",
        "ollama.generate",
        _OLLAMA,
        "generate",
        GENERATED_EVENTS,
        kinds=("text", "data"),
        streamed=True,
        options=_STREAM,
    ),
    *_bedrock_ways(),
    *_official("cohere", "cohere", "cohere.chat", _COHERE, "chat", COHERE_REPLY),
    *_official("cohere, streamed", "cohere", "cohere.chat", _COHERE, "chat_stream", COHERE_EVENTS, streamed=True),
    *_mistral_ways(),
    *_embeddings_ways(),
)
