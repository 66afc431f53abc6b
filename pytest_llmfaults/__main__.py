"""``python -m pytest_llmfaults``: see what a callable does under every fault, without a test."""

from __future__ import annotations

import sys

from pytest_llmfaults._pytest.command import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
