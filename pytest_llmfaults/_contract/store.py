"""The signed file: TOML that a person reads in a diff, the same bytes for the same contract.

A block is a behaviour: its name is the sentence of what happens while a fault persists, ``once`` is the sentence of
what happens when it comes once (where that differs), and ``faults`` are those that share it; ``variants``, too, are
healthy replies with a change, which a search has found.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import tomlkit
from tomlkit.exceptions import ParseError

from pytest_llmfaults._contract import reach
from pytest_llmfaults._contract.contract import Block, Contract
from pytest_llmfaults._contract.files import save
from pytest_llmfaults._contract.named import is_variant, row_spelled
from pytest_llmfaults._contract.observation import Behaviour
from pytest_llmfaults._contract.selection import WIDTH, compress, expand, layout, rows_of
from pytest_llmfaults._contract.sentence import parse, plain
from pytest_llmfaults.errors import ContractError, InvalidUse, UnknownFault, nearest

__all__ = ["FORMAT", "command", "dumps", "load", "loads", "removed_text", "store"]

FORMAT: Final = 1
"""The meaning of the file's words. A later one is refused."""

_END: Final = "end of the contract"
_VERSIONS: Final = re.compile(r"# signed with (.+) \(for the reader, never compared\)")
_KEYS: Final = ("format", "catalogue", "editions", "wires", "ok", "interrupt")
_BLOCK_KEYS: Final = ("once", "faults", "variants")
_MARKERS: Final = re.compile(r"(?:<{7}|>{7}|\|{7}) .*|={7}")
_UNTOUCHED: Final = "The file was not touched."
_MEND: Final = f"{_UNTOUCHED} Mend it, restore it with git, or delete it and sign it anew."


class _NewerError(ContractError):
    """The file is whole, and from a later version."""


def command(nodeid: str, *categories: str) -> str:
    """Return the command that signs these categories of changes of a test."""
    return f"pytest {shlex.quote(plain(nodeid))} --llmfaults-sign={','.join(categories)}"


def dumps(contract: Contract, *, nodeid: str, since: Mapping[str, int]) -> str:
    """Write a contract as the text of its file.

    Args:
        contract: what is signed.
        nodeid: the test, as pytest names it.
        since: each row of the catalogue with the edition that brought it.
    """
    lines = [f"# {comment}" for comment in _header(contract, nodeid)]
    lines += [
        f"format = {FORMAT}",
        f"catalogue = {contract.catalogue}  # edition; newer faults are not held until signed",
    ]
    lines += reach.lines(contract)
    lines += ["", f"ok = {_text(contract.ok)}"]
    lines += [] if contract.interrupt is None else [f"interrupt = {_text(contract.interrupt)}"]
    lines += [""]
    for block in _blocks(contract, rows_of(since, contract.catalogue, contract.wires, contract.editions)):
        lines.append(f"[[{_text(block.behaviour.persists)}]]")
        if block.behaviour.once != block.behaviour.persists:
            lines.append(f"once = {_text(block.behaviour.once)}")
        lines += layout(block.faults) if block.faults else []
        lines += _variants(block.variants) if block.variants else []
    return "\n".join([*lines, "", f"# {_END}", ""])


def loads(text: str, *, since: Mapping[str, int], edition: int, name: str = "the contract") -> Contract:
    """Read a contract from the text of its file.

    Args:
        text: the text.
        since: each row of the catalogue with the edition that brought it.
        edition: the edition that is installed.
        name: what to call the file in messages.

    Raises:
        ContractError: it is not a whole contract that this version reads; the text says why and what to do.
    """
    try:
        return _contract(text, since, edition)
    except ContractError as error:
        msg = f"{name}: {error} {_UNTOUCHED if isinstance(error, _NewerError) else _MEND}"
        raise ContractError(msg) from None


def load(path: Path, *, since: Mapping[str, int], edition: int) -> Contract | None:
    """Read the signed file of a test; None where there is none yet.

    Raises:
        ContractError: there is one, and it cannot be read.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except OSError as error:
        msg = (
            f"{path} cannot be read: {error.strerror or error}. Make it a readable file, or move it away and sign anew."
        )
        raise ContractError(msg) from error
    except UnicodeDecodeError as error:
        msg = f"{path}: byte {error.start} is not UTF-8. {_MEND}"
        raise ContractError(msg) from None
    return loads(text, since=since, edition=edition, name=str(path))


def store(path: Path, contract: Contract, *, nodeid: str, since: Mapping[str, int]) -> bool:
    """Write a contract to its file, whole or not at all; False where the file already said exactly this.

    Raises:
        ContractError: the file cannot be written; what was there is still there.
    """
    return save(path, dumps(contract, nodeid=nodeid, since=since))


def removed_text(contract: Contract) -> str | None:
    """Say which patterns of the file name nothing any more, or None."""
    if not contract.removed:
        return None
    names = ", ".join(sorted(contract.removed))
    return f"{names}: not in this catalogue, no longer held. Drop with --llmfaults-sign=stale, or mend a misspelt name."


def _header(contract: Contract, nodeid: str) -> list[str]:
    lines = [
        f"What {plain(nodeid)} did under each fault, as signed by a person.",
        "'family.*' is every fault of the family in this edition that no other line names, 'family.prefix_*' likewise.",
        f"Accept changes: {command(nodeid, 'changed')}",
    ]
    if any(map(is_variant, {*contract.behaviours, *contract.removed})):
        lines.insert(2, "A variant is a healthy reply with a change, in the words of pytest_llmfaults.strategies.")
    if contract.versions:
        versions = ", ".join(f"{package} {version}" for package, version in sorted(contract.versions.items()))
        lines.append(f"signed with {plain(versions)} (for the reader, never compared)")
    return lines


def _blocks(contract: Contract, rows: frozenset[str]) -> list[Block]:
    named = {name: what for name, what in contract.behaviours.items() if not is_variant(name)}
    faults = {block.behaviour: block.faults for block in compress(named, rows)}
    variants: dict[Behaviour, tuple[str, ...]] = {}
    others = [(name, what) for name, what in contract.behaviours.items() if is_variant(name)]
    for name, what in sorted([*contract.removed.items(), *others]):
        where = variants if is_variant(name) else faults
        where[what] = (*where.get(what, ()), name)
    whats = sorted({*faults, *variants}, key=lambda what: (what.persists, what.once))
    return [Block(what, faults.get(what, ()), variants.get(what, ())) for what in whats]


def _variants(lines: tuple[str, ...]) -> list[str]:
    """Write one variant a line; a single one where its name stands, if it fits."""
    texts = [_text(line) for line in lines]
    one = f"variants = [{texts[0]}]"
    if len(texts) == 1 and len(one) <= WIDTH:
        return [one]
    return ["variants = [", *(f"  {text}," for text in texts), "]"]


def _text(text: str) -> str:
    """Write a text so that a person reads it as it is, where TOML has a way. It serves as a key, too."""
    return tomlkit.string(text, literal="'" not in text and ('"' in text or "\\" in text)).as_string()


def _contract(text: str, since: Mapping[str, int], edition: int) -> Contract:
    data = _parsed(text)
    _check_format(data, edition)
    if text.rstrip().rpartition("\n")[2] != f"# {_END}":
        msg = f"The last line is not '# {_END}': the file is cut, or something was added at its end."
        raise ContractError(msg)
    blocks = [block for key, tables in data.items() if key not in _KEYS for block in _behaviours(key, tables)]
    catalogue = data["catalogue"]
    wires, editions = reach.wires(data), reach.editions(data)
    expanded = expand(blocks, rows_of(since, catalogue, wires, editions), since)
    variants, removed = _spelled(blocks)
    return Contract(
        catalogue=catalogue,
        ok=_sentence(data, "ok", "The file"),
        interrupt=_sentence(data, "interrupt", "The file") if "interrupt" in data else None,
        behaviours={**expanded.behaviours, **variants},
        removed={**expanded.removed, **removed},
        wires=wires,
        versions=_versions(text),
        editions=editions,
    )


def _parsed(text: str) -> dict[str, Any]:
    if not text.strip():
        msg = "The file is empty."
        raise ContractError(msg)
    for number, line in enumerate(text.splitlines(), 1):
        if _MARKERS.fullmatch(line):
            msg = f"Line {number} is a mark of a merge conflict ({line!r}). Take one side, then run the test again."
            raise ContractError(msg)
    try:
        return tomlkit.parse(text).unwrap()
    except ParseError as error:
        msg = f"It is not TOML ({error}): the file is cut, or was edited by hand."
        raise ContractError(msg) from None


def _check_format(data: Mapping[str, Any], edition: int) -> None:
    """Refuse what a later version wrote, before anything else is looked at."""
    for key, newest, what in (("format", FORMAT, "format"), ("catalogue", edition, "edition of the catalogue")):
        value = data.get(key)
        if type(value) is not int or value < 1:
            given = f"{key} = {value!r} is not a number from 1 to {newest}" if key in data else f"{key} is missing"
            msg = f"{given}: the file is cut, or was edited by hand."
            raise ContractError(msg)
        if value > newest:
            msg = f"{key} = {value} is newer than the {what} that is installed ({newest}). Upgrade pytest-llmfaults."
            raise _NewerError(msg)


def _behaviours(persists: str, tables: Any) -> Iterator[Block]:
    """Read the blocks under one sentence: several where it goes on differently when the fault happens once."""
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        allowed = f"Allowed: {', '.join(_KEYS)}, and blocks with a sentence as their name: [['1 attempt, same as ok']]."
        msg = f"The file has an unknown key {persists!r}.{nearest(persists, _KEYS)} {allowed}"
        raise ContractError(msg)
    _check_sentence(persists, "A block")
    for table in tables:
        yield _block(persists, table)


def _block(persists: str, table: Mapping[str, Any]) -> Block:
    where = f"The block {persists!r}"
    for key in table:
        if key not in _BLOCK_KEYS:
            msg = f"{where} has an unknown key {key!r}.{nearest(key, _BLOCK_KEYS)} Allowed: {', '.join(_BLOCK_KEYS)}."
            raise ContractError(msg)
    once = _sentence(table, "once", where) if "once" in table else persists
    faults = () if "variants" in table and "faults" not in table else _names(table, "faults", where)
    variants = _names(table, "variants", where) if "variants" in table else ()
    return Block(Behaviour(persists, once), faults, variants)


_SAMPLES: Final = {"faults": "body.*", "variants": "cut(at=-1)"}


def _names(table: Mapping[str, Any], key: str, where: str) -> tuple[str, ...]:
    names = table.get(key)
    if not isinstance(names, list) or not names or not all(isinstance(name, str) for name in names):
        given = f"{key} = {names!r}" if key in table else f"no {key}"
        msg = f'{where} has {given}; a list of names is needed: {key} = ["{_SAMPLES[key]}"].'
        raise ContractError(msg)
    return tuple(names)


def _spelled(blocks: list[Block]) -> tuple[dict[str, Behaviour], dict[str, Behaviour]]:
    """Return the variants of a file with their behaviours, and those with a fault that is no longer there."""
    found: dict[str, Behaviour] = {}
    removed: dict[str, Behaviour] = {}
    for line, what in ((line, block.behaviour) for block in blocks for line in block.variants):
        try:
            name, where = row_spelled(line).name, found
        except UnknownFault:
            name, where = line, removed
        except InvalidUse as error:
            raise ContractError(str(error)) from None
        if name in found or name in removed:
            msg = f"The variant {name!r} is named twice. Take one away."
            raise ContractError(msg)
        where[name] = what
    return found, removed


def _sentence(table: Mapping[str, Any], key: str, where: str) -> str:
    value = table.get(key)
    if not isinstance(value, str):
        given = f"{key} = {value!r}, not a sentence" if key in table else f"no {key}"
        msg = f"{where} has {given}. The file is cut, or was edited by hand."
        raise ContractError(msg)
    _check_sentence(value, f"{where}, {key}")
    return value


def _check_sentence(text: str, where: str) -> None:
    try:
        parse(text)
    except ContractError as error:
        msg = f"{where}: {error}"
        raise ContractError(msg) from None


def _versions(text: str) -> dict[str, str]:
    found = _VERSIONS.search(text)
    pairs = (pair.rpartition(" ") for pair in found[1].split(", ")) if found else ()
    return {package: version for package, _, version in pairs if package}
