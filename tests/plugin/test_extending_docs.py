"""The page about extending shows code that is held by a test."""

from __future__ import annotations

import re

from pytest_llmfaults import Wire, extending
from pytest_llmfaults._faults import FAMILIES
from pytest_llmfaults._wires import WIRES
from tests.pages import DOCS, blocks, example
from tests.suite import Suite

PAGE = "extending.md"
PACKAGE = "gateway_package/acme_llmfaults"
CLIENT = """
    import requests, time

    def ask(prompt):
        while True:
            reply = requests.post("https://llm.acme.example/v2/ask", json={"prompt": prompt}, timeout=20)
            try:
                body = reply.json()
                if body["stop"] == "END" and body["result"][0]["text"]:
                    return body["result"][0]["text"]
            except (ValueError, KeyError):
                time.sleep(1)
"""


def test_the_conftest_and_the_test_on_the_page_run(suite: Suite) -> None:
    conftest, test, *_ = blocks(PAGE)
    suite.pytester.makeconftest(conftest)
    suite.run(CLIENT + "\n" + "\n".join(f"    {line}" for line in test.splitlines())).assert_outcomes(passed=4)


def test_the_package_on_the_page_is_the_example() -> None:
    _, _, faults, dialect, hook, transport = blocks(PAGE)
    assert dialect in example(f"{PACKAGE}/chat.py")
    assert faults in example(f"{PACKAGE}/faults.py")
    assert hook in example(f"{PACKAGE}/plugin.py")
    assert transport in example(f"{PACKAGE}/transport.py")
    (entry,) = re.findall(r"```toml\n(.*?)```", (DOCS / PAGE).read_text(), flags=re.DOTALL)
    assert entry in (DOCS / "examples" / "gateway_package" / "pyproject.toml").read_text()


def test_the_slots_and_families_on_the_page_are_there() -> None:
    text = (DOCS / PAGE).read_text()
    table = re.findall(r"^\| (`\w+`.*?) \|", text, flags=re.MULTILINE)
    slots = {name for cell in table for name in re.findall(r"`(\w+)`", cell)}
    assert {"content", "usage_total", "choice"} <= slots
    assert slots <= {name for wire in WIRES.own.values() for name in wire.slots}
    assert "acme" not in FAMILIES


def test_all_that_a_package_needs_is_in_one_module() -> None:
    assert extending.Wire is Wire
    assert all(hasattr(extending, name) for name in extending.__all__)
