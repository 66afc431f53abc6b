"""The one test of an audit by discovery."""

from __future__ import annotations

import contextlib

import pytest

from pytest_llmfaults._pytest.audit import Auditor, keep
from pytest_llmfaults._pytest.audit_discover import discovering
from pytest_llmfaults._pytest.progress import Progress


def test_discovery(llmfaults_auditor: Auditor, request: pytest.FixtureRequest) -> None:
    """Discover what the subject does."""
    auditor = llmfaults_auditor
    with contextlib.closing(Progress(request.config)) as progress:
        steps = discovering(auditor.subject, auditor.request.limits, auditor.root, progress)
        keep(request.node, auditor.driven(steps))
