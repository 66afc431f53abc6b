"""google-genai on requests: on Vertex AI, where the machine has a client certificate."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from google import genai
from google.genai import errors, types
from google.oauth2.credentials import Credentials

from pytest_llmfaults import Answer, ToolCall, inject

ASKED: Any = {"model": "gemini-3.8-flash", "contents": "hello"}
SEARCH = types.FunctionDeclaration(name="search", parameters_json_schema={"type": "object"})
TOOLS = types.GenerateContentConfig(tools=[types.Tool(function_declarations=[SEARCH])])


def _certificate(folder: Path) -> Path:
    """Write a client certificate and the file by which Google's libraries find it; return that file."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "client.example")])
    made = x509.CertificateBuilder(name, name, key.public_key(), 1)
    valid = [dt.datetime(year, 1, 1, tzinfo=dt.timezone.utc) for year in (2020, 2100)]
    signed = made.not_valid_before(valid[0]).not_valid_after(valid[1]).sign(key, hashes.SHA256())
    pem, raw, bare = serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    paths = {"cert_path": folder / "certificate.pem", "key_path": folder / "key.pem"}
    paths["cert_path"].write_bytes(signed.public_bytes(pem))
    paths["key_path"].write_bytes(key.private_bytes(pem, raw, bare))
    config = folder / "config.json"
    config.write_text(json.dumps({"cert_configs": {"workload": {key: str(path) for key, path in paths.items()}}}))
    return config


@pytest.fixture
def client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[genai.Client]:
    monkeypatch.setenv("GOOGLE_API_CERTIFICATE_CONFIG", str(_certificate(tmp_path)))
    monkeypatch.setenv("GOOGLE_API_USE_CLIENT_CERTIFICATE", "true")
    token = Credentials(token="placeholder-token")  # type: ignore[no-untyped-call]
    with genai.Client(vertexai=True, project="acme", location="us-central1", credentials=token) as made:
        yield made


def test_it_reads_replies_and_streams(client: genai.Client) -> None:
    said = Answer("Hold the position.", reasoning="I look.")
    with inject(said) as seen:
        whole = client.models.generate_content(**ASKED)
        pieces = list(client.models.generate_content_stream(**ASKED))
    assert whole.text == "".join(piece.text or "" for piece in pieces) == "Hold the position."
    assert whole.candidates is not None
    assert whole.candidates[0].content is not None
    assert [part.thought for part in whole.candidates[0].content.parts or ()] == [True, None]
    assert {one.library for one in seen.requests} == {"urllib3"}  # below requests; httpx2 is not asked
    assert all("aiplatform.mtls.googleapis.com" in one.url for one in seen.requests)


def test_it_calls_tools(client: genai.Client) -> None:
    with inject(Answer(tool_calls=(ToolCall("search", {"query": "x"}),))):
        reply = client.models.generate_content(**ASKED, config=TOOLS)
    assert [(call.name, call.args) for call in reply.function_calls or ()] == [("search", {"query": "x"})]


@pytest.mark.parametrize(("fault", "raised"), [("status.503", errors.ServerError), ("status.400", errors.ClientError)])
def test_errors_are_its_own(client: genai.Client, fault: str, raised: type[Exception]) -> None:
    with inject(fault) as seen, pytest.raises(raised):
        client.models.generate_content(**ASKED)
    assert seen.attempts == 1
