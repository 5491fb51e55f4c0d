# One thin command table; each target is safe to repeat and does nothing twice.
SHELL := /bin/sh
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header
EXAMPLES := lora-13b pretrain-70b base-405b base-moe-671b

.PHONY: proposal test check unit test-browser check-excel check-pdf contact-sheets lock clean system venv benchmark calibrate validate ablation

proposal: $(VENV)/.runtime ## write the proposals of all examples under out/
	@for name in $(EXAMPLES); do $(BIN)/suanli propose examples/$$name.yaml -o out/$$name || exit $$?; done

test: check unit ## every check, then every test

check: venv ## formatter, linter, types, architecture, dependencies
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/lint-imports
	$(BIN)/deptry core plugins scenarios reports templates
	$(BIN)/mypy
	$(BIN)/basedpyright

unit: venv ## all tests, on all cores
	$(BIN)/pytest -n auto

test-browser: venv ## the web document in headless Chromium; needs Debian's chromium and chromium-driver, some 400 MB
	@sh tools/system.sh chromium chromium-driver
	$(BIN)/pytest tests/browser

check-excel: venv proposal ## hold the workbooks of the examples, as issued and changed at random, against LibreOffice
	@$(BIN)/python -m tests.reports.workbook.libreoffice_check out $(EXAMPLES:%=examples/%.yaml)

check-pdf: venv proposal ## hold the PDFs of the examples against the rules of archive documents and of layout
	@$(BIN)/python -m tests.reports.page_rules $(EXAMPLES:%=out/%/proposal.*.pdf)

benchmark: $(VENV)/.runtime ## layouts per second and core, time and peak memory of searches and commands
	@$(BIN)/python benchmarks/speed.py
	@$(BIN)/python benchmarks/propose.py

contact-sheets: venv ## every page of every example's document, small, under docs/pages; needs pdftoppm
	@for name in $(EXAMPLES); do $(BIN)/suanli propose examples/$$name.yaml -o out/$$name --lang zh,en,bilingual --formats pdf || exit $$?; done
	@$(BIN)/python benchmarks/contact_sheets.py out docs/pages

calibrate: $(VENV)/.developer ## fit the constants on benchmarks/runs, write each plugin's fitted.yaml and docs/calibration.md
	@$(BIN)/python -m benchmarks.calibrate

validate: $(VENV)/.developer ## predict benchmarks/runs, write the tables of docs/validation.md
	@$(BIN)/python -m benchmarks.validation_tables

ablation: $(VENV)/.developer ## leave out one term at a time, write its table in docs/calibration.md; minutes
	@$(BIN)/python -m benchmarks.ablation

venv: $(VENV)/.developer

system:
	@sh tools/system.sh

$(VENV)/.runtime: requirements.lock pyproject.toml tools/environment.sh | system
	@PYTHON="$(PYTHON)" VENV="$(VENV)" sh tools/environment.sh requirements.lock
	@touch $@

$(VENV)/.developer: requirements-dev.lock $(VENV)/.runtime
	@PYTHON="$(PYTHON)" VENV="$(VENV)" sh tools/environment.sh requirements-dev.lock
	@touch $@

lock: ## resolve the dependencies again, with hashes and without index addresses
	$(BIN)/python -m pip install --quiet uv
	$(COMPILE) --group build pyproject.toml -o requirements.lock
	$(COMPILE) --group dev pyproject.toml -c requirements.lock -o requirements-dev.lock

clean: ## remove the environment and what was written
	rm -rf $(VENV) out dist
