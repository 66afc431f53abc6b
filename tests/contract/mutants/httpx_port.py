"""``docs/examples/trader.py`` ported from requests to httpx word by word, and the faults under which that differs."""

from __future__ import annotations

from typing import Final

from tests.contract.mutants import Edit

EDITS: Final[tuple[Edit, ...]] = (
    ("import requests\n", "import httpx\n"),
    ("TIMEOUT_SECONDS = (5, 60)", "TIMEOUT_SECONDS = httpx.Timeout(60, connect=5)"),
    (", allow_redirects=False", ""),
    (
        "os.environ.get('GATEWAY_KEY', '')",
        "os.environ.get('GATEWAY_KEY', 'none')",
    ),  # h11 sends no header that ends blank
    ("RETRIED = {", "CLIENT = httpx.Client()\nRETRIED = {"),
    ("requests.post(", "CLIENT.post("),
    ("if not reply.ok:", "if reply.is_error:"),
    ("except requests.RequestException as error", "except httpx.HTTPError as error"),
)

ROWS: Final[dict[str, tuple[str, ...]]] = {
    "1 attempt, same as ok": (
        "body.bom",
        "body.utf16",
        "control.early_hints",
    ),
    "1 attempt, raises UnicodeDecodeError": (
        "body.broken_utf8",
        "body.brotli_garbage",
        "body.gzip_unlabelled",
        "body.latin1",
        "body.truncated_in_character",
        "body.zstd",
    ),
    "1 attempt, raises JSONDecodeError": (
        "body.concatenated",
        "body.done_appended",
        "body.empty",
        "body.gzip_truncated",
        "body.html_as_json",
        "body.html_page",
        "body.leading_text",
        "body.raw_control_characters",
        "body.sse",
        "body.sse_as_json",
        "body.text",
        "body.text_as_json",
        "body.trailing_text",
        "body.truncated_json",
        "body.truncated_last_byte",
        "status.202",
        "status.204",
        "status.301_trailing_slash",
        "status.302_login",
        "status.302_no_location",
        "status.307_loop",
        "status.307_moved",
        "transport.content_length_too_short",
    ),
}
"""What the port does under the faults that tell the two apart. requests tries each of them four times or reads it.

httpx raises what the standard library raises for a body that is no JSON, which is none of its own errors, and so it is
no longer retried; it takes a byte order mark, UTF-16 and an interim reply (103), and no bytes that are not UTF-8.
"""
