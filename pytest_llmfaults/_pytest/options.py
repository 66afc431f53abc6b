"""Options and ini values."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import pytest

from pytest_llmfaults._pytest.extensions import EDITIONS

if TYPE_CHECKING:
    from pytest_llmfaults._run import Settings

__all__ = ["CALL_SECONDS", "CATALOGUE", "LIST", "SIGN", "add", "check", "edition", "register", "settings"]

ATTEMPT_LIMIT: Final = "llmfaults_attempt_limit"
CALL_SECONDS: Final = "llmfaults_call_seconds"
CATALOGUE: Final = "llmfaults_catalogue"
DIALECT: Final = "llmfaults_dialect"
LIST: Final = "llmfaults_list"
SIGN: Final = "llmfaults_sign"
_CHECKED: Final = (ATTEMPT_LIMIT, CALL_SECONDS, DIALECT, "llmfaults_routes", "llmfaults_passthrough")
_MARKER: Final = (
    "llmfaults(*faults, draw=None, slot=None, scope=None, stream=False, then=(), times=None, answer=None, wire=None, "
    "host=None, model=None, dialect=None, when=None, **parameters): inject a fault when the test's body starts. "
    "Several names, a glob or a family are cases, one test each; then= is what comes after the fault."
)


def add(parser: pytest.Parser) -> None:
    """Add the options and ini values."""
    _add_options(parser)
    _add_ini(parser)
    _add_numbers(parser)


def _add_options(parser: pytest.Parser) -> None:
    group = parser.getgroup("llmfaults", "LLM-gateway faults")
    group.addoption(
        "--llmfaults-list",
        dest=LIST,
        nargs="*",
        default=None,
        metavar="WORD",
        help="List the faults whose name, meaning, draw or slot has all these words, and exit",
    )
    group.addoption(
        "--llmfaults-sign",
        dest=SIGN,
        nargs="?",
        const="new",
        default=None,
        metavar="CATEGORIES",
        help="Sign what the contracts' tests observe: new (also when no category is given), changed, stale, or all, "
        "with commas",
    )


def _add_ini(parser: pytest.Parser) -> None:
    parser.addini(
        "llmfaults_routes",
        type="linelist",
        default=[],
        help="Paths of your own gateway, one 'wire = path ending' a line: openai.chat = /llm/ask",
    )
    parser.addini(
        DIALECT,
        type="linelist",
        default=[],
        help="Hosts of your own and how they speak openai.chat, one 'dialect = host' a line, * for any: "
        "vllm = llm.example.com",
    )
    parser.addini(
        "llmfaults_passthrough",
        type="linelist",
        default=[],
        help="Origins whose traffic is left alone, such as a proxy under test: http://127.0.0.1:8080",
    )
    parser.addini(
        "llmfaults_placeholder_keys",
        type="bool",
        default=False,
        help="Set placeholder API keys (unset variables only) before test modules are imported",
    )


def _add_numbers(parser: pytest.Parser) -> None:
    parser.addini(
        CATALOGUE,
        default="",
        help="The edition of the catalogue that globs, families and presets mean: a number, or latest. Unset: that of "
        "the installed major version, so that an upgrade adds no case",
    )
    parser.addini(
        EDITIONS,
        type="linelist",
        default=[],
        help="The edition that globs mean of a family of faults that another package brings, one 'acme = 2' a line "
        "(unset: 1, so that an upgrade of that package adds no case)",
    )
    parser.addini(
        CALL_SECONDS,
        default="",
        help="True time that one observed call of a contract may take before it is ended as one that hangs "
        "(unset: 30 seconds)",
    )
    parser.addini(
        ATTEMPT_LIMIT,
        default="",
        help="Attempts that one injection answers before the test fails as one that retries without an end "
        "(unset: 10000)",
    )


def register(config: pytest.Config) -> None:
    """Register the marker."""
    config.addinivalue_line("markers", _MARKER)


def check(config: pytest.Config) -> None:
    """Refuse options and ini values that cannot be used; costs nothing where there are none.

    Raises:
        pytest.UsageError: the text says how the line should look.
    """
    if config.getoption(SIGN):
        from pytest_llmfaults._pytest import sign

        sign.check(config)
    if any(config.getini(name) for name in _CHECKED):
        settings(config)


def edition(config: pytest.Config) -> int | None:
    """Return the edition of the catalogue that the suite chose, or None.

    Raises:
        pytest.UsageError: there is no such edition.
    """
    text = str(config.getini(CATALOGUE)).strip()
    if not text:
        return None
    from pytest_llmfaults._faults import EDITION

    if text == "latest":
        return EDITION
    if not text.isdecimal() or not 1 <= int(text) <= EDITION:
        numbers = "1" if EDITION == 1 else f"a number from 1 to {EDITION}"
        msg = f"{CATALOGUE}: {text!r} is not an edition of the installed catalogue: write {numbers}, or latest."
        raise pytest.UsageError(msg)
    return int(text)


def settings(config: pytest.Config) -> Settings:
    """Read what the suite decided once.

    Raises:
        pytest.UsageError: a line cannot be read; the text says how it should look.
    """
    from pytest_llmfaults._run import Settings

    return Settings(
        routes=tuple(_route(line) for line in config.getini("llmfaults_routes")),
        dialects=tuple(_dialect(line) for line in config.getini(DIALECT)),
        passthrough=frozenset(_origin(line) for line in config.getini("llmfaults_passthrough")),
        call_seconds=_call_seconds(str(config.getini(CALL_SECONDS)).strip()),
        attempt_limit=_attempt_limit(str(config.getini(ATTEMPT_LIMIT)).strip()),
    )


def _attempt_limit(text: str) -> int:
    from pytest_llmfaults import _settings

    if text and not (text.isdecimal() and int(text)):
        msg = f"{ATTEMPT_LIMIT}: {text!r} is not a number of attempts from 1, such as 50000."
        raise pytest.UsageError(msg)
    return int(text) if text else _settings.ATTEMPT_LIMIT


def _call_seconds(text: str) -> float:
    from pytest_llmfaults import _settings

    try:
        seconds = float(text) if text else _settings.CALL_SECONDS
    except ValueError:
        seconds = 0.0
    if not 0 < seconds <= threading.TIMEOUT_MAX:
        msg = f"{CALL_SECONDS}: {text!r} is not a number of seconds above 0, such as 60."
        raise pytest.UsageError(msg)
    return seconds


def _known(option: str, line: str, find: Callable[[str], object], name: str) -> str:
    """Return a name that is known; refuse another with the line that it stands in."""
    from pytest_llmfaults.errors import InvalidUse

    try:
        find(name)
    except InvalidUse as error:
        msg = f"{option}: {line!r}: {error}"
        raise pytest.UsageError(msg) from None
    return name


def _route(line: str) -> tuple[str, str]:
    from pytest_llmfaults._wires import wire

    name, separator, path = (part.strip() for part in line.partition("="))
    if not separator or not path.startswith("/"):
        msg = f"llmfaults_routes: {line!r} does not read 'wire = /path/ending', such as 'openai.chat = /llm/ask'."
        raise pytest.UsageError(msg)
    return path, _known("llmfaults_routes", line, wire, name)


def _dialect(line: str) -> tuple[str, str]:
    from pytest_llmfaults._wires import dialect
    from pytest_llmfaults._wires._hosts import HOST

    name, separator, host = (part.strip() for part in line.partition("="))
    if not separator or not (host == "*" or HOST.fullmatch(host)):
        msg = f"{DIALECT}: {line!r} does not read 'dialect = host', such as 'vllm = llm.example.com', or 'vllm = *'."
        raise pytest.UsageError(msg)
    return host, _known(DIALECT, line, dialect, name)


def _origin(line: str) -> str:
    from urllib.parse import urlsplit

    parts = urlsplit(line)
    if parts.scheme not in {"http", "https"} or not parts.hostname or parts.path.strip("/"):
        msg = f"llmfaults_passthrough: {line!r} is not an origin, such as 'http://127.0.0.1:8080'."
        raise pytest.UsageError(msg)
    return f"{parts.scheme}://{parts.hostname}:{parts.port or (443 if parts.scheme == 'https' else 80)}"
