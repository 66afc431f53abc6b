"""Where a signed file is, and that it is the old one or the new one, whole, whatever happens."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_llmfaults._contract.files import path_of, save
from pytest_llmfaults.errors import ContractError
from tests.contract.cases import patient

HERE = Path("tests/test_trader.py")


@pytest.mark.parametrize(
    ("names", "variant", "expected"),
    [
        (("test_it",), None, "test_trader.test_it"),
        (("TestRetry", "test_it"), None, "test_trader.TestRetry.test_it"),
        (("test_it[decide]",), None, "test_trader.test_it-decide"),
        (("test_it[gpt-4.1]",), None, "test_trader.test_it-gpt-4.1"),
        (("test_it",), "py310", "test_trader.test_it@py310"),
    ],
)
def test_the_file_is_beside_the_test_and_says_which_it_is(names: tuple[str, ...], variant: str, expected: str) -> None:
    assert path_of(HERE, *names, variant=variant) == Path("tests/llmfaults") / f"{expected}.toml"


CLASHES = ["a/b", "a-b", "a b", "a:b", "A-B", "größe", "", "..", "x" * 400, "x" * 401, "nul\0", "a[b]", "\ud800"]


def test_cases_that_look_alike_have_files_of_their_own_on_every_system() -> None:
    files = [path_of(HERE, f"test_it[{case}]").name for case in CLASHES] + [path_of(HERE, "test_it").name]
    assert len({name.casefold() for name in files}) == len(files)


@patient
@given(st.text(max_size=300), st.none() | st.text(min_size=1).filter(str.strip))
def test_every_name_is_safe_everywhere(case: str, variant: str | None) -> None:
    name = path_of(HERE, "TestX", f"test_it[{case}]", variant=variant).name
    assert re.fullmatch(r"test_trader\.TestX\.test_it-[a-z0-9_.-]*(@[a-z0-9_.-]*)?\.toml", name)
    assert len(name) <= 210


def test_a_long_name_is_cut_and_stays_its_own() -> None:
    long = [path_of(HERE, "TestX" * 18, f"test_{'y' * 90}[{'z' * 90}{end}]").name for end in "ab"]
    assert all(len(name) <= 210 for name in long)
    assert len(set(long)) == 2


def test_an_empty_variant_is_refused() -> None:
    with pytest.raises(ContractError, match=r"variant='' is empty\. Give a word"):
        path_of(HERE, "test_it", variant="")


def test_the_folder_is_made_and_the_bytes_are_those_given(tmp_path: Path) -> None:
    path = tmp_path / "llmfaults" / "a.toml"
    assert save(path, "größe\n")
    assert path.read_bytes() == "größe\n".encode()
    assert [found.name for found in path.parent.iterdir()] == ["a.toml"]


def test_a_file_that_says_the_same_is_not_touched(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    save(path, "same\n")
    before = path.stat()
    assert not save(path, "same\n")
    after = path.stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_permissions_stay_and_a_new_file_gets_the_usual_ones(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    other = tmp_path / "b.txt"
    other.write_text("")
    save(path, "one\n")
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(other.stat().st_mode)
    path.chmod(0o640)
    save(path, "two\n")
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links need a privilege")
def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "true.toml").write_text("old\n")
    link = tmp_path / "link.toml"
    link.symlink_to("true.toml")
    save(link, "new\n")
    assert link.is_symlink()
    assert (tmp_path / "true.toml").read_text() == "new\n"


@contextlib.contextmanager
def nobody() -> Iterator[None]:
    """Give up the powers of root, who may write everywhere."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX permissions")
def test_a_read_only_folder_is_a_clear_error_and_the_file_stays() -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "a.toml"
        path.write_text("old\n")
        path.chmod(0o644)
        Path(folder).chmod(0o555)
        with nobody(), pytest.raises(ContractError, match=r"cannot be written: Permission denied\. Nothing was signed"):
            save(path, "new\n")
        Path(folder).chmod(0o755)
        assert path.read_text() == "old\n"
        assert [found.name for found in Path(folder).iterdir()] == ["a.toml"]


def test_a_file_where_the_folder_belongs_is_a_clear_error(tmp_path: Path) -> None:
    (tmp_path / "llmfaults").write_text("")
    with pytest.raises(ContractError, match=r"cannot be written: .*\. Nothing was signed"):
        save(tmp_path / "llmfaults" / "a.toml", "new\n")


def test_when_the_disk_refuses_the_old_file_stays_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.toml"
    save(path, "old\n")

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(ContractError, match="No space left on device"):
        save(path, "new\n")
    assert path.read_text() == "old\n"
    assert [found.name for found in tmp_path.iterdir()] == ["a.toml"]


WRITER = """
import sys
from pathlib import Path
from pytest_llmfaults._contract.files import save
texts = [letter * 300_000 + "\\n" for letter in "ab"]
print("ready", flush=True)
while True:
    for text in texts:
        save(Path(sys.argv[1]), text)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_a_killed_process_leaves_the_old_or_the_new_file_whole(tmp_path: Path) -> None:
    path = tmp_path / "a.toml"
    whole = {letter * 300_000 + "\n" for letter in "ab"}
    root = str(Path(__file__).parents[2])
    for number in range(6):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)],
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": root},
        ) as process:
            assert process.stdout is not None
            process.stdout.readline()
            deadline = time.monotonic() + 20
            while not path.exists() and time.monotonic() < deadline:
                time.sleep(0.01)
            time.sleep(0.003 * number)
            process.send_signal(signal.SIGKILL)
        assert path.read_text() in whole


def test_what_a_killed_process_left_is_swept_up_later(tmp_path: Path) -> None:
    old, young = tmp_path / ".a.toml.00000000.tmp", tmp_path / ".a.toml.11111111.tmp"
    for leftover in (old, young):
        leftover.write_text("half")
    os.utime(old, (0, 0))
    save(tmp_path / "a.toml", "new\n")
    assert sorted(found.name for found in tmp_path.iterdir()) == [young.name, "a.toml"]
