# attention-grader. `make` alone lists what there is; .venv is built when it is missing or out of date.

PYTHON ?= python3
SUBMISSION ?= exercises/multi_head_attention
# options of `grader grade`, e.g. ARGS="--json record.json"
ARGS ?=
# the step that `make hint` is about, e.g. STEP=attend
STEP ?=
# test files run side by side, each in a process of its own (they wait, too, so there may be more than cores)
JOBS ?= 3
# another package index for torch, e.g. PyTorch's CPU wheel index (README, "Without a GPU")
TORCH_INDEX_URL ?=

MAKEFLAGS += --no-print-directory
PY := .venv/bin/python
READY := .venv/.ready
WHOLE := .venv/.whole
PEERS := .venv/peers
QUICK := not slow and not hostile and not levels and not thorough and not bundles

.PHONY: help setup grade hint check test test-all test-bundles test-hostile test-gpu test-hogs lint linters bench audit fuzz faults clean
.DEFAULT_GOAL := help

help: ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  make %-12s %s\n", $$1, $$2}' Makefile

setup: $(WHOLE) ## build .venv (every command below does so by itself)
	@echo "Ready: $$($(PY) --version) in .venv"

grade: $(READY) ## grade SUBMISSION=path (a folder, .py, .ipynb or archive); ARGS= are options of `grader grade`
	@$(PY) -m grader grade "$(SUBMISSION)" $(ARGS)

hint: $(READY) ## the next hint for STEP=id, in SUBMISSION=path; ARGS=--again shows the last one once more
	@$(PY) -m grader hint "$(STEP)" --submission "$(SUBMISSION)" $(ARGS)

check: lint ## lint, and the quick tests of what changed since the branch left main (under a minute)
	@$(PY) -m pytest -q -n $(JOBS) --dist loadfile -m "$(QUICK)" $$($(PY) -m tests.tools.changed)

test: $(WHOLE) ## the tests; of long rows of the same kind one in so many, a third of the hostile suite at each of two levels
	@$(PY) -m pytest -q -n $(JOBS) --dist loadfile --no-loadscope-reorder -m "not levels and not thorough and not bundles"

test-all: $(WHOLE) ## every test there is (half an hour on two cores), but test-bundles
	@$(PY) -m pytest -q -n $(JOBS) --dist loadfile --no-loadscope-reorder -m "not bundles or thorough"

test-bundles: $(PEERS)/.ready ## bundles in the systems that take them: the real nbgrader and otter-grader, installed in .venv once
	@$(PY) -m pytest -q -n $(JOBS) --dist loadfile -m "bundles and not thorough" tests/peers

test-hostile: $(WHOLE) ## the hostile suite, at every level that this machine can be put at
	@$(PY) -m pytest -q -n $(JOBS) --dist loadfile tests/hostile

test-gpu: $(WHOLE) ## the tests that need a CUDA device; without one they fail
	@$(PY) -m pytest -q -m gpu

test-hogs: $(WHOLE) ## hogs of each kind beside ten honest submissions, whose records must be those made alone (minutes)
	@$(PY) -m tests.tools.hogs

lint: $(WHOLE) ## ruff, strict mypy, and the syntax of Python 3.11 to 3.14
	@$(PY) -m ruff check --quiet .
	@$(PY) -m ruff format --check --quiet . || { $(PY) -m ruff format --diff --quiet .; exit 1; }
	@$(PY) -m mypy --strict grader
	@$(PY) -m pytest -q -k syntax tests/test_house.py

linters: $(WHOLE) ## install what bundles are held to (actionlint, hadolint, shellcheck: 75 MB); without them their tests are skipped
	@$(PY) -m pip install --quiet --no-input --disable-pip-version-check --no-deps -r tests/linters.txt

bench: $(WHOLE) ## how long grading takes, as ratios to `import torch`
	@$(PY) -m tests.tools.bench

audit: $(WHOLE) ## prove the lesson: solution, skeleton, mistakes, right styles, mutants (minutes); ARGS="--quick" for a sample
	@$(PY) -m grader audit $(ARGS)

fuzz: $(WHOLE) ## a million hostile frames, coverage-guided (about ten minutes); installs the extra `fuzz` if need be
	@$(PY) -c 'import atheris' 2>/dev/null || \
	  $(PY) -m pip install --quiet --no-input --no-build-isolation -c constraints.txt -e '.[fuzz]'
	@$(PY) -m tests.tools.fuzz.frames $(ARGS)

faults: $(WHOLE) ## 1,000 faults put in, 200 graders killed, 50 bereaved, poor machines (about half an hour); ARGS="--kills 20" for fewer
	@$(PY) -m tests.tools.faults $(ARGS)

clean: ## remove .venv and what tools left behind
	@rm -rf .venv .venv.lock build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis *.egg-info
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

# The peers are an environment of their own that sees this project's packages; what both need is there already.
$(PEERS)/.ready: tests/peers/requirements.txt constraints.txt | $(WHOLE)
	@rm -f $@
	@echo "Installing nbgrader and otter-grader into $(PEERS), once"
	@[ -x $(PEERS)/bin/python ] || $(PY) -m venv $(PEERS)
	@place='import sysconfig; print(sysconfig.get_path("purelib"))'; \
	  $(PY) -c "$$place" >"$$($(PEERS)/bin/python -c "$$place")/project.pth"
	@mkdir -p $(PEERS)/share && ln -sfn ../../share/attention-grader $(PEERS)/share/attention-grader
	@$(PEERS)/bin/python -m pip install --quiet --no-input --disable-pip-version-check --no-deps \
	  -c constraints.txt -r tests/peers/requirements.txt
	@touch $@

$(READY) $(WHOLE): export PYTHON := $(PYTHON)
$(READY) $(WHOLE): export TORCH_INDEX_URL := $(TORCH_INDEX_URL)
$(READY): pyproject.toml constraints.txt .ci/setup
	@.ci/setup grade
$(WHOLE): pyproject.toml constraints.txt .ci/setup
	@.ci/setup whole
