"""What the tests of the contract share: a suite that may sign, wherever this one runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_llmfaults import _current
from pytest_llmfaults._contract.call import perform
from pytest_llmfaults._contract.watchdog import Watchdog
from pytest_llmfaults._pytest import sign
from tests.contract.why_kit import job, lifted
from tests.contract.why_subjects import ask
from tests.suite import Suite

CONTRACT = """
FEW = ["body.html_page", "status.503", "envelope.choices_null", "content.empty"]
"""


class SigningSuite(Suite):
    """A suite of one module with a contract."""

    def run(self, code: str, *arguments: str, conftest: str = "") -> pytest.RunResult:
        """Run ``code`` below the client and a choice of faults."""
        import textwrap

        return super().run(CONTRACT + textwrap.dedent(code), *arguments, conftest=conftest)

    def sign(self, code: str, *arguments: str, categories: str = "new", conftest: str = "") -> pytest.RunResult:
        """Run and sign."""
        return self.run(code, f"--llmfaults-sign={categories}", *arguments, conftest=conftest)

    @property
    def files(self) -> dict[str, str]:
        """The signed files, by name without the ending."""
        folder = self.pytester.path / "llmfaults"
        return {path.name.removesuffix(".toml"): path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}

    @property
    def signed(self) -> str:
        """The text of the only signed file."""
        (text,) = self.files.values()
        return text

    @property
    def path(self) -> Path:
        """The only signed file."""
        (path,) = (self.pytester.path / "llmfaults").iterdir()
        return path


@pytest.fixture
def suite(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> SigningSuite:
    """Return a suite that may sign: what says that this is CI is not there."""
    for name in sign.CI_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    return SigningSuite(pytester)


@pytest.fixture(scope="session")
def imported() -> None:
    """Let what a first call imports be imported before it is traced, as it is in use."""
    one = job(ask, "body.html_page")()
    watchdog = Watchdog(one.subject.settings.call_seconds)
    with watchdog.watching():
        perform(one, watchdog)


@pytest.fixture
def untraced(imported: None) -> Iterator[None]:  # noqa: ARG001 - it has to come first
    """Lift a tracer from the whole test."""
    with lifted():
        yield


@pytest.fixture(autouse=True)
def _nothing_left_active() -> Iterator[None]:
    """Whatever a subject does, and however it is ended, no run outlives its test."""
    yield
    assert not _current.is_active(None)
