"""Where the signed file of a test is, and how it is replaced: whole, or not at all."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import secrets
import time
from pathlib import Path
from typing import Final

from pytest_llmfaults.errors import ContractError

__all__ = ["FOLDER", "path_of", "save"]

FOLDER: Final = "llmfaults"
"""The folder beside the test that holds its signed files."""

_LONGEST: Final = 100
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9_.-]+")
_LEFTOVER_SECONDS: Final = 60


def path_of(test_file: Path, *names: str, variant: str | None = None) -> Path:
    """Return where the contract of a test is: ``llmfaults/<module>.<Class>.<test>@<variant>.toml`` beside its file.

    Every name is safe on every system. What cannot stand in a name of a file, or would be the same as another where
    capitals do not count, is replaced, and a digest of the true name is added.

    Args:
        test_file: the file that the test is in.
        *names: the parts of the test's id after the file: classes, then the function, with a case in brackets.
        variant: tells environments apart that really differ.

    Raises:
        ContractError: the variant is empty.
    """
    if variant is not None and not variant.strip():
        msg = f"variant={variant!r} is empty. Give a word, such as variant='py310', or leave it out."
        raise ContractError(msg)
    *classes, function = names
    function, bracket, case = function.partition("[")
    stem = ".".join(_safe(name) for name in (test_file.stem, *classes, function))
    if bracket:
        stem += f"-{_safe(case.removesuffix(']'), capitals=False)}"
    if variant is not None:
        stem += f"@{_safe(variant, capitals=False)}"
    if len(stem) > 2 * _LONGEST:
        stem = f"{stem[: 2 * _LONGEST - 9]}-{_digest(stem)}"
    return test_file.parent / FOLDER / f"{stem}.toml"


def save(path: Path, text: str) -> bool:
    """Put ``text`` in the file at once: whoever reads it, and whatever ends this process, it is the old or the new one.

    Returns:
        False where the file already holds exactly this, and was not touched.

    Raises:
        ContractError: it cannot be written; what was there is still there.
    """
    data = text.encode()
    target = Path(os.path.realpath(path))
    try:
        mode = target.stat().st_mode & 0o7777 if target.exists() else None
        if mode is not None and target.read_bytes() == data:
            return False
        target.parent.mkdir(parents=True, exist_ok=True)
        _sweep(target)
        _replace(target, data, mode)
    except OSError as error:
        msg = (
            f"{path} cannot be written: {error.strerror or error}. Nothing was signed, and what was there is still "
            f"there. Make the folder {path.parent} writable and sign again."
        )
        raise ContractError(msg) from error
    return True


def _safe(name: str, *, capitals: bool = True) -> str:
    """Return a name of harmless characters, with a digest where it is no longer the name that was given."""
    slug = _UNSAFE.sub("-", name).strip("-.")
    if not capitals:
        slug = slug.lower()
    if slug == name and len(slug) <= _LONGEST:
        return slug
    return f"{slug[: _LONGEST - 9]}-{_digest(name)}".lstrip("-")


def _digest(text: str) -> str:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()


def _replace(target: Path, data: bytes, mode: int | None) -> None:
    """Write beside the target, to the disk, and rename."""
    beside = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor, opened so that the umask counts
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if mode is not None:
            beside.chmod(mode)
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    _sync_folder(target.parent)


def _sync_folder(folder: Path) -> None:
    """Make the new name last, where the system can do that for a folder."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _sweep(target: Path) -> None:
    """Remove what a killed process left behind, unless it may still be at work."""
    before = time.time() - _LEFTOVER_SECONDS
    for leftover in target.parent.glob(f".{target.name}.*.tmp"):
        with contextlib.suppress(OSError):
            if leftover.stat().st_mtime < before:
                leftover.unlink()
