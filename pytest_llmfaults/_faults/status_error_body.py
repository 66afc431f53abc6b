"""Bodies of error replies that are not what the provider's page says, each at the status of one's choice."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, Final

from pytest_llmfaults._faults import _stays
from pytest_llmfaults._faults._codings import gzipped
from pytest_llmfaults._faults._edit import Play, page
from pytest_llmfaults._faults._fault import Fault, Healthy, Parameter
from pytest_llmfaults._reply import Reply

__all__ = ["ROWS"]

_STATUS: Final = Parameter("status", 400, choices=(400, 404, 422, 429, 500, 503))
_FAILED: Final = "The request failed."

_row: Final = functools.partial(
    Fault, slot="error", draw="depends", wish="surface", stays=_stays.ERROR_SHAPE, parameters=(_STATUS,)
)
"""What all rows here have in common."""


def _json(body: Callable[[int], Any]) -> Play:
    """Make a fault whose body is JSON, made from the status."""
    return lambda _base, status: Reply.json(body(status), status=status)


def _text(body: Callable[[int], str], content_type: str, encoding: str = "utf-8", **headers: str) -> Play:
    """Make a fault whose body is text, made from the status."""

    def play(_base: Healthy, status: int) -> Reply:
        reply = Reply.bytes(body(status).encode(encoding), status=status, content_type=content_type)
        return reply.with_headers(**headers)

    return play


def _own(change: Callable[[bytes], bytes], **headers: str) -> Play:
    """Make a fault that changes the bytes of the wire's own error body."""

    def play(base: Healthy, status: int) -> Reply:
        reply = base.wire.failed(status, base.wire.error(status, _FAILED, None))
        return reply.with_body(change(reply.body)).with_headers(**headers)

    return play


def _error(message: Any, kind: str | None = "api_error", **more: Any) -> Any:
    return {"error": {"message": message, "type": kind, "param": None, "code": None, **more}}


ROWS: Final = (
    _row(
        name="status.error_string",
        play=_json(lambda _status: {"error": _FAILED}),
        meaning="The error is a string where an object belongs.",
        sources=(
            "https://github.com/algorithmicsuperintelligence/optillm/issues/272",
            "https://github.com/UKGovernmentBEIS/inspect_ai/pull/3509",
        ),
    ),
    _row(
        name="status.error_bare_string",
        play=_json(lambda _status: _FAILED),
        meaning="The whole error body is one JSON string.",
        sources=("https://github.com/UKGovernmentBEIS/inspect_ai/pull/3509",),
    ),
    _row(
        name="status.error_list",
        play=_json(lambda status: [{"error": {"code": status, "message": _FAILED, "status": "FAILED"}}]),
        meaning="The error is wrapped in a list.",
        sources=(
            "https://github.com/BerriAI/litellm/issues/14747",
            "https://github.com/tailcallhq/forgecode/issues/372",
        ),
    ),
    _row(
        name="status.error_null",
        play=_json(lambda _status: {"error": None}),
        meaning="The error is null.",
        sources=("https://platform.openai.com/docs/guides/error-codes",),
    ),
    _row(
        name="status.error_empty_object",
        play=_json(lambda _status: {"error": {}}),
        meaning="The error is an object without anything.",
        sources=("https://github.com/BerriAI/litellm/pull/18419",),
    ),
    _row(
        name="status.error_body_object_empty",
        play=_json(lambda _status: {}),
        meaning="The error body is an empty object.",
        sources=("https://platform.openai.com/docs/guides/error-codes",),
    ),
    _row(
        name="status.error_body_null",
        play=_json(lambda _status: None),
        meaning="The error body is the JSON null.",
        sources=("https://platform.openai.com/docs/guides/error-codes",),
    ),
    _row(
        name="status.error_empty",
        play=_own(lambda _body: b""),
        meaning="The error has no body.",
        sources=("https://github.com/cohere-ai/cohere-python/pull/713",),
    ),
    _row(
        name="status.error_html",
        play=_text(lambda status: page(f"{status} Error"), "text/html", server="nginx"),
        meaning="The error is an HTML page.",
        sources=(
            "https://github.com/anthropics/claude-code/issues/3197",
            "https://github.com/run-llama/llama_index/issues/16796",
        ),
    ),
    _row(
        name="status.error_html_as_json",
        play=_text(lambda status: page(f"{status} Error"), "application/json"),
        meaning="The error is an HTML page that is labelled as JSON.",
        sources=("https://www.rfc-editor.org/rfc/rfc9110#section-8.3",),
    ),
    _row(
        name="status.error_text",
        play=_text(lambda _status: _FAILED, "text/plain; charset=utf-8"),
        meaning="The error is one line of text.",
        sources=("https://github.com/auroraxo/docrot-api/releases/tag/v1.4.0",),
    ),
    _row(
        name="status.error_truncated",
        play=_own(lambda body: body[: len(body) // 2]),
        meaning="The JSON of the error is cut.",
        sources=("https://www.rfc-editor.org/rfc/rfc8259#section-2",),
    ),
    _row(
        name="status.error_code_integer",
        play=_json(lambda status: _error(_FAILED, code=status)),
        meaning="The code of the error is a number.",
        sources=("https://github.com/openai/openai-python/issues/3531", "https://github.com/kortix-ai/suna/pull/6368"),
    ),
    _row(
        name="status.error_message_object",
        play=_json(lambda _status: _error({"detail": [{"loc": ["body"], "msg": "field required", "type": "missing"}]})),
        meaning="The message of the error is an object.",
        sources=("https://github.com/NousResearch/hermes-agent/pull/11276",),
    ),
    _row(
        name="status.error_message_null",
        play=_json(lambda _status: _error(None, None)),
        meaning="The message of the error is null.",
        sources=("https://github.com/NousResearch/hermes-agent/pull/11276",),
    ),
    _row(
        name="status.error_message_absent",
        play=_json(lambda _status: {"error": {"type": "api_error", "code": "failed"}}),
        meaning="The error object has no message.",
        stays="",
        sources=("https://github.com/BerriAI/litellm/pull/18419",),
    ),
    _row(
        name="status.error_nested_text",
        play=_json(
            lambda status: {
                "error": {
                    "message": '{"error":{"code":503,"message":"overloaded","status":"UNAVAILABLE"}}',
                    "code": status,
                    "status": "FAILED",
                }
            }
        ),
        meaning="The message of the error is the JSON text of the real error.",
        sources=("https://github.com/googleapis/js-genai/issues/728",),
    ),
    _row(
        name="status.error_nested_raw",
        play=_json(
            lambda status: {
                "error": {
                    "message": "Provider returned error",
                    "code": status,
                    "metadata": {"raw": '[{"error":{"code":429,"message":"exhausted"}}]', "provider_name": "Google"},
                }
            }
        ),
        meaning="The real error is a JSON text in the metadata of an error that says nothing.",
        sources=("https://github.com/tailcallhq/forgecode/issues/372",),
    ),
    _row(
        name="status.error_flat",
        play=_json(
            lambda status: {
                "object": "error",
                "message": _FAILED,
                "type": "BadRequestError",
                "param": None,
                "code": status,
            }
        ),
        meaning="The fields of the error are at the top.",
        sources=("https://github.com/sgl-project/sglang/issues/33504",),
    ),
    _row(
        name="status.error_error_code",
        play=_json(lambda _status: {"error_code": "BAD_REQUEST", "message": _FAILED}),
        meaning="The error has the keys of another platform.",
        sources=("https://github.com/earendil-works/pi/issues/7748",),
    ),
    _row(
        name="status.error_message_only",
        play=_json(lambda _status: {"message": _FAILED}),
        meaning="The error body has a message and nothing else.",
        sources=("https://github.com/earendil-works/pi/issues/7748",),
    ),
    _row(
        name="status.error_detail",
        play=_json(lambda _status: {"detail": _FAILED}),
        meaning="The error body has a detail and nothing else.",
        sources=(
            "https://github.com/earendil-works/pi/issues/7748",
            "https://github.com/open-webui/open-webui/issues/11906",
        ),
    ),
    _row(
        name="status.error_detail_list",
        play=_json(
            lambda _status: {"detail": [{"loc": ["body", "messages"], "msg": "field required", "type": "missing"}]}
        ),
        meaning="The error body is a list of validation problems under detail.",
        sources=("https://github.com/earendil-works/pi/issues/7748",),
    ),
    _row(
        name="status.error_latin1",
        play=_text(lambda _status: "Mod\u00e8le inconnu", "text/plain; charset=iso-8859-1", "latin-1"),
        meaning="The error is a text in a declared charset that is not UTF-8.",
        sources=("https://github.com/google/adk-python/issues/7206",),
    ),
    _row(
        name="status.error_broken_utf8",
        play=_text(
            lambda _status: '{"error":{"message":"Mod\u00e8le inconnu","type":"api_error","param":null,"code":null}}',
            "application/json",
            "latin-1",
        ),
        meaning="The error is JSON with a byte that is not UTF-8.",
        sources=("https://github.com/google/adk-python/issues/7206",),
    ),
    _row(
        name="status.error_compressed_message",
        play=_json(lambda _status: _error("\x1f\ufffd\b\0\0\ufffd", "invalid_request_error")),
        meaning="The message of the error holds compressed bytes.",
        sources=("https://github.com/router-for-me/CLIProxyAPI/issues/1895",),
    ),
    _row(
        name="status.error_gzip_lie",
        play=_own(lambda body: body, content_encoding="gzip"),
        meaning="The error claims to be compressed and is not.",
        stays="",
        sources=("https://github.com/diegosouzapw/OmniRoute/issues/2561",),
    ),
    _row(
        name="status.error_gzip_unasked",
        play=_own(gzipped, content_encoding="gzip"),
        meaning="The error is compressed whether or not that was asked.",
        sources=("https://github.com/Anionex/agent-vision-toolkit/pull/36",),
    ),
    _row(
        name="status.error_sse",
        play=_text(
            lambda status: (
                f'data: {{"error":{{"message":"{_FAILED}","type":"api_error","param":null,"code":"{status}"}}}}\n\n'
            ),
            "text/event-stream",
        ),
        meaning="The error is framed as an event of a stream.",
        sources=("https://github.com/BerriAI/litellm/issues/17131",),
    ),
)
