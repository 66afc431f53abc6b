"""How bedrock.converse is asked by the official SDK, with placeholders where it looks for a key and a region."""

from __future__ import annotations

import functools
from typing import Any

from asks import BEDROCK

__all__ = ["asked_of_bedrock"]


@functools.cache
def _client() -> Any:
    import boto3

    placeholders = {"aws_access_key_id": "placeholder-key", "aws_secret_access_key": "placeholder-key"}
    return boto3.client("bedrock-runtime", region_name="us-east-1", **placeholders)


def asked_of_bedrock(messages: Any, *, streamed: bool = False, **body: Any) -> object:
    """Ask with the official SDK; ``body`` is what the request says besides."""
    if not streamed:
        return _client().converse(modelId=BEDROCK, messages=messages, **body)
    return list(_client().converse_stream(modelId=BEDROCK, messages=messages, **body)["stream"])
