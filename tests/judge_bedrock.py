"""The official client of bedrock.converse as it is judged: boto3, plain and streamed, with its default retries."""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Iterator
from typing import Any, Final
from unittest import mock

import boto3
from botocore.config import Config
from botocore.retries.standard import ExponentialBackoff

from tests.judge import TIMEOUT_SECONDS, Client, Outcome
from tests.judge_cases import BEDROCK_MODEL
from tests.judge_clients import _calls, call_requests, call_urllib3
from tests.judge_streams import STREAM_CLIENTS, _outcome

_RETRY_SECONDS: Final = 0.001
_CONFIG: Final = Config(connect_timeout=TIMEOUT_SECONDS, read_timeout=TIMEOUT_SECONDS, proxies={})
_PLACEHOLDERS: Final = {"aws_access_key_id": "judge", "aws_secret_access_key": "judge", "region_name": "us-east-1"}


@functools.cache
def _session() -> boto3.Session:
    """Return a session whose models are read once: that takes longer than the calls."""
    return boto3.Session(**_PLACEHOLDERS)


def _says_codings(request: Any, **_more: Any) -> None:
    """Let a request offer codings, so that rows about codings apply; by itself it offers none."""
    request.headers["Accept-Encoding"] = "gzip, deflate"


@contextlib.contextmanager
def _client(url: str) -> Iterator[Any]:
    """Make a client whose retries come at once."""
    client = _session().client("bedrock-runtime", endpoint_url=url.partition("/model/")[0], config=_CONFIG)
    client.meta.events.register("before-sign", _says_codings)
    with mock.patch.object(ExponentialBackoff, "delay_amount", return_value=_RETRY_SECONDS), contextlib.closing(client):
        yield client


def _read(response: Any) -> Any:
    return {**response, "ResponseMetadata": response["ResponseMetadata"]["RetryAttempts"]}


def call_boto3(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Call with boto3."""
    with _client(url) as client:
        return _calls(lambda: _read(client.converse(modelId=BEDROCK_MODEL, **body)), calls)


def stream_boto3(url: str, body: dict[str, Any], calls: int) -> list[Outcome]:
    """Stream with boto3."""

    def read(seen: list[str]) -> None:
        response = client.converse_stream(modelId=BEDROCK_MODEL, **body)
        with contextlib.closing(response["stream"]) as stream:
            seen.extend(map(repr, stream))

    with _client(url) as client:
        return [_outcome(read) for _ in range(calls)]


PLAIN: Final[dict[str, Client]] = {"boto3": call_boto3, "urllib3": call_urllib3, "requests": call_requests}
STREAMED: Final[dict[str, Client]] = {"boto3": stream_boto3, "requests": STREAM_CLIENTS["requests"]}
