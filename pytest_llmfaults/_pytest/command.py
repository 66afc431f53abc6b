"""The command line: ``audit`` and ``list``."""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from pytest_llmfaults._contract.campaign import DRAWN, SECONDS
from pytest_llmfaults._pytest import audit
from pytest_llmfaults._pytest.audit_request import Request, check
from pytest_llmfaults._pytest.packages import packages
from pytest_llmfaults.errors import InvalidUse, LLMFaultsError

__all__ = ["main"]


def main(arguments: Sequence[str]) -> int:
    """Run a command and return its exit status: 0 done, 1 a fault could not be observed, 2 and 4 wrong usage.

    It is 4 when the healthy call is none that could be observed, too: then no fault is tried.
    """
    parser = _parser()
    given, more = parser.parse_known_args(arguments)
    if given.command == "list":
        return _run(["--noconftest", *more, "--llmfaults-list", *given.words])
    try:
        request = Request(
            subject=given.subject,
            faults=tuple(given.faults.split(",")),
            arguments=_json("--args", given.args, list),
            answer=given.answer,
            data=_json("--data", given.data, object),
            json_path=given.json,
            **_discovery(given),
        )
        check(request)
    except LLMFaultsError as error:
        parser.error(str(error))
    return _audited(request, more)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m pytest_llmfaults", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    listing = commands.add_parser("list", help="list the faults")
    listing.add_argument("words", nargs="*", help="only faults whose row has all these words")
    audited = commands.add_parser(
        "audit",
        help="call a callable under every fault and say what it did",
        epilog="Further arguments go to pytest: -n 2 runs on two cores, -x stops early, -k chooses faults, -p conftest "
        "loads the faults and wires of a conftest.py here.",
    )
    audited.add_argument("subject", metavar="PKG.MOD:CALLABLE", help="the callable, sync or async")
    audited.add_argument("--faults", default="all", help="names, globs, families, core or all, with commas")
    audited.add_argument("--args", default="[]", metavar="JSON", help="its positional arguments, a JSON list")
    audited.add_argument("--answer", metavar="TEXT", help="what the healthy model says")
    audited.add_argument("--data", metavar="JSON", help="the structured data that the healthy model says")
    audited.add_argument("--json", metavar="PATH", help="write all that was observed to this file")
    found = audited.add_argument_group(
        "discovery", "Variants of the healthy reply are drawn and grouped by what the callable does under them."
    )
    found.add_argument("--discover", action="store_true", help="discover behaviours, instead of playing the faults")
    found.add_argument("--seconds", type=float, help=f"time that it may take (default {SECONDS:g})")
    found.add_argument("--seed", type=int, help="decides what is drawn (default 0)")
    found.add_argument("--max-examples", type=int, metavar="N", help=f"variants that are drawn (default {DRAWN})")
    return parser


def _discovery(given: argparse.Namespace) -> dict[str, Any]:
    """Return how far a discovery goes, as far as it is said."""
    said = {"seconds": given.seconds, "seed": given.seed, "examples": given.max_examples}
    limits = {name: value for name, value in said.items() if value is not None}
    if limits and not given.discover:
        option = {"examples": "max-examples"}.get(next(iter(limits)), next(iter(limits)))
        msg = f"--{option} says how far a discovery goes: give --discover, too."
        raise InvalidUse(msg)
    return {"discover": given.discover, **limits}


def _json(option: str, text: str | None, kind: type) -> Any:
    if text is None:
        return None
    try:
        value = json.loads(text)
    except ValueError as error:
        msg = f"{option} {text!r} is not JSON: {error}"
        raise InvalidUse(msg) from None
    if not isinstance(value, kind):
        msg = f"{option} {text!r} is not a JSON {kind.__name__}."
        raise InvalidUse(msg)
    return value


def _audited(request: Request, more: Sequence[str]) -> int:
    quiet = ["-q", "--no-header", "--tb=short", "-p", "no:cacheprovider", "-p", "no:warnings"]
    plugins = ["-p", audit.__name__]
    if any(word.startswith(("-n", "--numprocesses")) for word in more):
        plugins += ["-p", "xdist.plugin"]
    cases = audit.DISCOVERY if request.discover else audit.CASES
    return _run([*quiet, *plugins, f"--{audit.OPTION}={request.to_json()}", *more, cases])


def _run(arguments: Sequence[str]) -> int:
    """Run pytest in this folder, with this plugin and the packages that extend it, and nothing else of the suite."""
    sys.path.insert(0, str(Path.cwd()))
    place = ["-c", audit.INI, "--rootdir", str(Path.cwd())]
    plugins = [word for name in ("pytest_llmfaults.plugin", *packages()) for word in ("-p", name)]
    with _environment(PYTEST_DISABLE_PLUGIN_AUTOLOAD="1"):
        return int(pytest.main([*place, *plugins, *arguments]))


@contextlib.contextmanager
def _environment(**values: str) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value
