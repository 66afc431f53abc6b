# Needs only CPython >= 3.10 with venv and pip, make, and a package index.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
WORKERS ?= auto

.PHONY: demo test test-audit reports wires audit lint check clean
demo: $(VENV)/demo.ready ## Run the small trading client under the core faults and print what it did.
	$(BIN)/python docs/examples/demo.py

test: $(VENV)/test.ready ## Run the whole test suite, with branch coverage.
	$(BIN)/coverage erase
	$(BIN)/coverage run -m pytest -n $(WORKERS)
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

reports: $(VENV)/demo.ready ## Name public reports by faults, play each fault, and print which are named.
	$(BIN)/python docs/catalogue/reports.py

wires: $(VENV)/demo.ready ## Play every fault on every wire, and write docs/wires.md, docs/wires/ and docs/faults.md.
	$(BIN)/python docs/catalogue/wires.py

test-audit: $(VENV)/audit.ready ## The tests that need the audited frameworks: litellm, langchain, instructor, pydantic-ai.
	$(BIN)/python -m pytest tests/audit

audit: test-audit ## Observe the audited clients under every row, and write docs/clients.md and docs/clients/.
	$(BIN)/python docs/catalogue/clients.py
	$(BIN)/python docs/catalogue/alike.py

lint: $(VENV)/lint.ready ## Style and types.
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

check: lint test

clean:
	rm -rf $(VENV) .coverage* .mypy_cache .pytest_cache .ruff_cache .hypothesis

$(VENV)/pip.ready:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip
	@touch $@

$(VENV)/demo.ready: $(VENV)/pip.ready pyproject.toml
	$(BIN)/python -m pip install --quiet --editable . --group demo
	@touch $@

$(VENV)/test.ready: $(VENV)/pip.ready pyproject.toml
	$(BIN)/python -m pip install --quiet --editable . --group test
	@touch $@

$(VENV)/audit.ready: $(VENV)/test.ready
	$(BIN)/python -m pip install --quiet --group audit
	@touch $@

$(VENV)/lint.ready: $(VENV)/test.ready
	$(BIN)/python -m pip install --quiet --group lint
	@touch $@
