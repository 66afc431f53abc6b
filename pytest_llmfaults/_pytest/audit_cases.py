"""The test that an audit runs once for each fault."""

from __future__ import annotations

import pytest

from pytest_llmfaults._faults import fault
from pytest_llmfaults._pytest.audit import Auditor, keep


def test_fault(llmfaults_auditor: Auditor, llmfaults_audited: str, request: pytest.FixtureRequest) -> None:
    """Observe the subject under one fault."""
    keep(request.node, llmfaults_auditor.observe(fault(llmfaults_audited)))
