"""The dialects of openai.chat, judged by the SDKs that they are used with."""

from __future__ import annotations

import asyncio
import functools
import json
from collections.abc import Mapping
from typing import Any, Final

import groq
import groq.types.chat
import openai
import openai.types.chat
import pytest

from pytest_llmfaults import Answer, InvalidUse, Refused, inject, quota
from pytest_llmfaults._faults import CATALOGUE, healthy
from pytest_llmfaults._request import Request
from pytest_llmfaults._wires import DIALECTS, WIRES, Wire, dialect_at, in_dialect
from pytest_llmfaults._wires._sse import payloads
from pytest_llmfaults.errors import DoesNotApply, OtherWire
from tests.faults.editions import FIXED, SAME_ASKS
from tests.suite import INI

PLAIN: Final = WIRES["openai.chat"]
HOSTS: Final = {
    "azure": "https://acme.openai.azure.com",
    "openrouter": "https://openrouter.ai/api/v1",
    "deepseek": "https://api.deepseek.com",
    "groq": "https://api.groq.com",
    "vllm": "http://localhost:8000/v1",
    "litellm": "http://127.0.0.1:4000",
}
"""Where each is spoken; the last two are somebody's own, and have to be named."""

TOOL: Final[Any] = {"type": "function", "function": {"name": "go", "parameters": {"type": "object"}}}
ANSWERS: Final[Mapping[str, tuple[dict[str, Any], Answer]]] = {
    "text": ({}, Answer("Hold the position.")),
    "reasoning": ({}, Answer("Hold.", reasoning="First I look at it.")),
    "tools": ({"tools": [TOOL]}, Answer(tool_calls="offered")),
}


def spoken(name: str) -> Wire:
    return in_dialect(PLAIN, DIALECTS[name])


def asked(wire: Wire, *, stream: bool = False, **more: Any) -> Request:
    body = {"model": "m", "messages": [{"role": "user", "content": "What now?"}], **more}
    headers = (("Accept-Encoding", "gzip, deflate"),)
    return wire.request(body, origin="https://api.example.com", headers=headers, stream=stream)


def client(name: str, **options: Any) -> Any:
    if name == "azure":
        return openai.AzureOpenAI(azure_endpoint=HOSTS[name], api_version="2024-10-21", api_key="k", **options)
    if name == "groq":
        return groq.Groq(**options)
    return openai.OpenAI(base_url=HOSTS[name], api_key="k", **options)


def async_client(name: str) -> Any:
    if name == "azure":
        return openai.AsyncAzureOpenAI(azure_endpoint=HOSTS[name], api_version="2024-10-21", api_key="k")
    return groq.AsyncGroq() if name == "groq" else openai.AsyncOpenAI(base_url=HOSTS[name], api_key="k")


def named(name: str) -> dict[str, Any]:
    """Return what says the dialect where the host does not."""
    return {} if DIALECTS[name].hosts else {"dialect": name}


def types_of(name: str) -> Any:
    return groq.types.chat if name == "groq" else openai.types.chat


def create(on: Any, **more: Any) -> Any:
    return on.chat.completions.create(model="m", messages=[{"role": "user", "content": "What now?"}], **more)


def test_a_dialect_says_where_it_is_from() -> None:
    assert set(DIALECTS) == set(HOSTS)
    assert {one.wire for one in DIALECTS.values()} == {"openai.chat"}
    assert all(one.source.startswith("https://") for one in DIALECTS.values())
    assert in_dialect(PLAIN, DIALECTS["vllm"]) is in_dialect(PLAIN, DIALECTS["vllm"])


@pytest.mark.parametrize("name", HOSTS)
def test_a_healthy_reply_is_strictly_valid_for_the_sdk(name: str) -> None:
    for extra, answer in ANSWERS.values():
        body = json.loads(healthy(spoken(name), asked(spoken(name), **extra), answer).reply.body)
        parsed = types_of(name).ChatCompletion.model_validate_json(json.dumps(body), strict=True)
        assert parsed.model_dump(exclude_unset=True) == body
        assert spoken(name).slots["reasoning"].get(body) == answer.reasoning


@pytest.mark.parametrize("name", HOSTS)
def test_each_chunk_of_a_healthy_stream_is_strictly_valid_for_the_sdk(name: str) -> None:
    for extra, answer in ANSWERS.values():
        for more in ({}, {"stream_options": {"include_usage": True}}):
            request = asked(spoken(name), stream=True, **extra, **more)
            texts = payloads(healthy(spoken(name), request, answer).as_asked().reply.body)
            assert texts.pop() == "[DONE]"
            if name == "azure":
                first = json.loads(texts.pop(0))
                assert (first.pop("choices"), first.pop("object"), first.pop("created")) == ([], "", 0)
                assert set(first) == {"id", "model", "prompt_filter_results"}
            for text in texts:
                parsed = types_of(name).ChatCompletionChunk.model_validate_json(text, strict=True)
                assert parsed.model_dump(exclude_unset=True) == json.loads(text)


EXTRA: Final[Mapping[str, tuple[set[str], set[str], set[str], set[str]]]] = {
    "azure": ({"prompt_filter_results"}, {"content_filter_results"}, {"reasoning_content"}, set()),
    "openrouter": (
        {"provider"},
        {"native_finish_reason"},
        {"reasoning", "reasoning_details"},
        {"cost", "cost_details", "is_byok"},
    ),
    "deepseek": (set(), set(), {"reasoning_content"}, {"prompt_cache_hit_tokens", "prompt_cache_miss_tokens"}),
    "groq": (set(), set(), set(), set()),
    "vllm": (
        {"kv_transfer_params", "prompt_logprobs", "prompt_token_ids"},
        {"stop_reason", "token_ids"},
        {"reasoning"},
        set(),
    ),
    "litellm": (set(), {"provider_specific_fields"}, {"provider_specific_fields", "reasoning_content"}, set()),
}
"""What the SDK of each does not know: fields of the envelope, the choice, the message and the usage."""


@pytest.mark.parametrize("name", HOSTS)
def test_the_sdk_gets_what_its_host_says(name: str) -> None:
    with inject(ANSWERS["reasoning"][1], **named(name)) as seen:
        found = create(client(name))
    choice = found.choices[0]
    extra = tuple(set(one.model_extra or ()) for one in (found, choice, choice.message, found.usage))
    assert extra == EXTRA[name]
    message = choice.message
    thought = getattr(message, "reasoning", None) or getattr(message, "reasoning_content", None)
    assert (message.content, thought, choice.finish_reason) == ("Hold.", "First I look at it.", "stop")
    assert (seen.requests[0].wire, seen.requests[0].dialect) == ("openai.chat", name)
    if name == "openrouter":
        assert choice.native_finish_reason == "stop"
        assert message.reasoning_details[0]["text"] == message.reasoning
    if name == "groq":
        assert found.x_groq.id == "req_00000000000000000000000001"
        assert found.usage.queue_time > 0


def chunks_of(name: str, **more: Any) -> list[Any]:
    return list(create(client(name), stream=True, **more))


def joined(chunks: list[Any]) -> tuple[str, str, list[str]]:
    choices = [one.choices[0] for one in chunks if one.choices]
    thoughts = (
        getattr(one.delta, "reasoning", None) or getattr(one.delta, "reasoning_content", None) for one in choices
    )
    said = (one.delta.content or "" for one in choices)
    return "".join(said), "".join(filter(None, thoughts)), [one.finish_reason for one in choices if one.finish_reason]


@pytest.mark.parametrize("name", HOSTS)
def test_a_stream_says_the_same(name: str) -> None:
    with inject(ANSWERS["reasoning"][1], **named(name)):
        chunks = chunks_of(name)
    assert joined(chunks) == ("Hold.", "First I look at it.", ["stop"])
    told = [one for one in chunks if getattr(one, "usage", None)]
    marks = [one.x_groq for one in chunks if getattr(one, "x_groq", None)]
    assert bool(chunks[0].choices) == (name != "azure")
    assert [len(told), len(marks)] == {"openrouter": [1, 0], "deepseek": [1, 0], "groq": [0, 2]}.get(name, [0, 0])
    assert not marks or (marks[0].usage, marks[1].usage.total_tokens) == (None, 41)
    with inject(ANSWERS["tools"][1], **named(name)):
        chunks = chunks_of(name, tools=[TOOL], extra_body={"stream_options": {"include_usage": True}})
    called = [call for one in chunks if one.choices for call in one.choices[0].delta.tool_calls or ()]
    assert called[0].function.name == "go"
    assert json.loads("".join(call.function.arguments for call in called)) == {}
    assert chunks[-1].usage.total_tokens == 41


@pytest.mark.parametrize("name", HOSTS)
def test_an_asynchronous_client_gets_the_same(name: str) -> None:
    async def both() -> tuple[str, str]:
        async with async_client(name) as on:
            plain = await create(on)
            chunks = [one async for one in await create(on, stream=True)]
        return plain.choices[0].message.content, joined(chunks)[0]

    with inject(Answer("Hold the position."), **named(name)):
        assert asyncio.run(both()) == ("Hold the position.",) * 2


COMMENTS: Final = {"openrouter": b": OPENROUTER PROCESSING\n\n", "deepseek": b": keep-alive\n\n"}


@pytest.mark.parametrize("name", HOSTS)
def test_a_host_that_keeps_alive_writes_a_comment_first_and_once(name: str) -> None:
    comment = COMMENTS.get(name, b"")
    base = healthy(spoken(name), asked(spoken(name), stream=True), Answer("Hold."))
    body = base.as_asked().reply.body
    assert body.startswith(comment + b"data: ")
    assert body.count(b"\n: ") + body.startswith(b": ") == bool(comment)
    cut = CATALOGUE["stream.closed"].reply(base).body
    assert cut.startswith(comment + b"data: ")
    assert len(cut) < len(body)


def sdk_error(name: str, fault: str) -> Any:
    kinds = (openai.APIStatusError, groq.APIStatusError)
    with inject(fault, **named(name)), pytest.raises(kinds) as raised:
        create(client(name, max_retries=0))
    return raised.value


def shape(value: Any) -> Any:
    return {key: type(one).__name__ for key, one in value.items()} if isinstance(value, dict) else value


SHAPES: Final[Mapping[str, tuple[Any, Any, Any]]] = {
    "azure": (
        {"code": "str", "message": "str"},
        {"code": "str", "message": "str"},
        {"message": "str", "type": "str", "param": "NoneType", "code": "NoneType"},
    ),
    "openrouter": (
        {"message": "str", "code": "int", "metadata": "dict"},
        {"message": "str", "code": "int", "metadata": "dict"},
        {"message": "str", "code": "int"},
    ),
    "deepseek": ({"message": "str", "type": "str", "param": "NoneType", "code": "str"},) * 3,
    "groq": (
        {"error": "dict"},
        {"error": "dict"},
        {"error": "dict"},
    ),
    "vllm": (
        "Unauthorized",
        {"message": "str", "type": "str", "param": "NoneType", "code": "int"},
        {"message": "str", "type": "str", "param": "NoneType", "code": "int"},
    ),
    "litellm": ({"message": "str", "type": "str", "param": "str", "code": "str"},) * 3,
}
"""What the SDK holds as the body of 401, of 429 and of 500, by the types of its fields."""


@pytest.mark.parametrize("name", HOSTS)
def test_an_error_reaches_the_user_as_the_sdk_reads_it(name: str) -> None:
    errors = [sdk_error(name, fault) for fault in ("status.401", "status.429_rate", "status.500")]
    assert [type(error).__name__ for error in errors] == [
        "AuthenticationError",
        "RateLimitError",
        "InternalServerError",
    ]
    assert tuple(shape(error.body) for error in errors) == SHAPES[name]


def test_codes_are_in_the_words_of_the_host() -> None:
    codes = {
        name: [sdk_error(name, fault).code for fault in ("status.429_rate", "status.404")] for name in ("azure", "vllm")
    }
    assert codes == {"azure": ["429", "DeploymentNotFound"], "vllm": ["429", "404"]}
    upstream = json.loads(sdk_error("openrouter", "status.429_quota").body["metadata"]["raw"])
    assert upstream["error"]["code"] == "insufficient_quota"
    assert sdk_error("groq", "status.429_quota").body["error"]["code"] == "insufficient_quota"


@pytest.mark.parametrize("name", HOSTS)
def test_an_error_in_a_stream_is_raised(name: str) -> None:
    kinds = (openai.APIError, groq.APIError)
    with (
        inject("stream.error_first_500", **named(name)),
        pytest.raises(kinds, match=r"(?i)error|overload|fail") as raised,
    ):
        chunks_of(name)
    assert not isinstance(raised.value, (openai.APIStatusError, groq.APIStatusError))


@functools.cache
def played(wire: Wire, name: str, *, stream: bool) -> bytes | None:
    """Return what a row makes of the fixed reply, or None where it does not apply."""
    fault = CATALOGUE[name]
    kind = (
        "tools"
        if fault.name == "tools.forced_ignored"
        else {"tool_calls": "tools", None: "text"}.get(fault.needs, "data")
    )
    usage = {"stream_options": {"include_usage": True}} if stream else {}
    request = asked(wire, stream=stream, **SAME_ASKS["openai.chat"][kind], **usage)
    try:
        return fault.reply(healthy(wire, request, FIXED[kind][1], needs=fault.needs, fault=fault.name)).body
    except DoesNotApply:
        return None


UNPLAYED: Final[Mapping[str, set[str]]] = {
    "azure": {"control.stream_filter_chunk_first"},
    "openrouter": {"reasoning.only_in_reasoning", "reasoning.only_in_both"},
    "deepseek": set(),
    "groq": {"reasoning.only_in_reasoning", "reasoning.only_in_both"},
    "vllm": {
        "reasoning.only_in_reasoning",
        "reasoning.only_in_both",
        "reasoning.ate_budget_hidden",
        "reasoning.hidden_then_empty",
        "usage.cached_null",
        "control.tool_calls_empty",
    },
    "litellm": set(),
}
"""What a host has no place for, or does anyway."""


@pytest.mark.parametrize("name", HOSTS)
def test_every_row_plays_or_says_why_not(name: str) -> None:
    missing, wire = set(), spoken(name)
    for row in CATALOGUE.values():
        bodies = [played(wire, row.name, stream=stream) for stream in (False, True)]
        known = [played(PLAIN, row.name, stream=stream) for stream in (False, True)]
        if bodies == [None, None] and known != [None, None]:
            missing.add(row.name)
        assert all(body is None or plain is not None for body, plain in zip(bodies, known, strict=True)), row
    assert missing == UNPLAYED[name]


def test_a_fault_on_thoughts_is_where_the_host_has_them() -> None:
    found = {}
    for name in HOSTS:
        wire = spoken(name)
        base = healthy(wire, asked(wire), Answer("Hold."))
        message = json.loads(CATALOGUE["reasoning.only_thoughts"].reply(base).body)["choices"][0]["message"]
        found[name] = {key for key, value in message.items() if "reasoning" in key and value}
    assert found == {
        "azure": {"reasoning_content"},
        "openrouter": {"reasoning", "reasoning_details"},
        "deepseek": {"reasoning_content"},
        "groq": {"reasoning"},
        "vllm": {"reasoning"},
        "litellm": {"reasoning_content"},
    }


def test_a_reason_is_in_both_of_openrouters_fields() -> None:
    with inject("finish.length"):
        choice = create(client("openrouter")).choices[0]
    assert choice.finish_reason == choice.native_finish_reason == "length"


LITELLM_ERROR: Final = {"message", "type", "param", "code"}


@pytest.mark.parametrize("name", HOSTS)
def test_a_quota_tells_of_itself_as_the_host_does(name: str) -> None:
    limited = DIALECTS[name].limits is not None
    step = quota(requests=1, per_seconds=60)
    if not limited:
        with pytest.raises(OtherWire, match=rf"openai.chat \(dialect {name}\), which has no limits"):
            inject(step, dialect=name)
        return
    with inject(step, dialect=name) as seen:
        on = client(name, max_retries=0)
        create(on)
        kinds: Any = (openai.RateLimitError, groq.RateLimitError)
        with pytest.raises(kinds) as raised:
            create(on)
    assert seen.replies[1].header("x-ratelimit-reset-requests") == {"azure": "60"}.get(name, "1m0s")
    assert set(raised.value.body) == {"azure": {"code", "message"}, "groq": {"error"}}.get(name, LITELLM_ERROR)


def test_a_dialect_is_found_by_the_host() -> None:
    assert [dialect_at("openai.chat", host) for host in ("api.groq.com", "x.openai.azure.com", "openai.azure.com")] == [
        "groq",
        "azure",
        "",
    ]
    assert dialect_at("openai.responses", "x.openai.azure.com") == ""
    assert dialect_at("openai.chat", "api.groq.com", [("*.groq.com", "vllm")]) == "vllm"
    assert dialect_at("openai.chat", "llm.example.com", [("*", "litellm")]) == "litellm"
    with inject("ok") as seen:
        assert not create(openai.OpenAI()).model_extra
    assert seen.requests[0].dialect == ""


def test_a_named_dialect_counts_before_the_host_and_names_the_wire() -> None:
    with inject("ok", dialect="vllm") as seen:
        found = create(client("openrouter"))
    assert found.model_extra.keys() == EXTRA["vllm"][0]
    assert "dialect='vllm'" in str(seen)
    words = r"it is on the wire openai.responses, not that of dialect='azure'"
    with pytest.raises(Refused, match=words), inject("status.503", dialect="azure"):
        openai.OpenAI(max_retries=0).responses.create(model="m", input="x")


def test_what_cannot_be_is_refused() -> None:
    with pytest.raises(
        InvalidUse, match=r"dialect='vlm' is not a dialect. Did you mean 'vllm'.*Known dialects: azure, deepseek"
    ):
        inject("ok", dialect="vlm")
    with pytest.raises(InvalidUse, match=r"dialect='vllm' is one of the wire openai.chat, not of wire='gemini'"):
        inject("ok", dialect="vllm", wire="gemini")
    with pytest.raises(
        OtherWire, match=r"reasoning.hidden_then_empty does not apply to the wire openai.chat .dialect vllm., "
    ):
        inject("reasoning.hidden_then_empty", dialect="vllm")


SUITE: Final = """
import openai, pytest

def ask(base_url="http://llm.acme.example/v1"):
    on = openai.OpenAI(base_url=base_url, max_retries=0)
    return sorted(on.chat.completions.create(model="m", messages=[]).model_extra)

def test_ini(llmfaults):
    llmfaults.inject("ok")
    assert ask() == ["kv_transfer_params", "prompt_logprobs", "prompt_token_ids"]
    assert ask("https://api.openai.com/v1") == []

@pytest.mark.llmfaults("content.empty", then="ok", dialect="azure")
def test_marker(llmfaults):
    assert ask("https://api.openai.com/v1") == ["prompt_filter_results"]

def test_contract(llmfaults_contract):
    def call():
        return ask("https://api.openai.com/v1")

    found = llmfaults_contract.check(call, faults="status.503", dialect="openrouter")
    assert "['provider']" in found.baseline.ok.observation.outcome
"""


def test_a_suite_names_dialects(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)  # it signs a contract
    pytester.makeini(f"{INI}llmfaults_dialect = vllm = *.acme.example\n")
    pytester.makepyfile(SUITE)
    pytester.runpytest("--llmfaults-sign").assert_outcomes(passed=3)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (
            "vlm = a.example",
            "*llmfaults_dialect: 'vlm = a.example': dialect='vlm' is not a dialect. Did you mean 'vllm'*",
        ),
        ("vllm", "*'vllm' does not read 'dialect = host', such as 'vllm = llm.example.com'*"),
        ("vllm = http://a.example", "*does not read 'dialect = host'*"),
    ],
)
def test_a_line_that_cannot_be_read_is_refused(pytester: pytest.Pytester, line: str, words: str) -> None:
    pytester.makeini(f"{INI}llmfaults_dialect = {line}\n")
    pytester.makepyfile("def test_it(): pass")
    pytester.runpytest().stderr.fnmatch_lines([words])
