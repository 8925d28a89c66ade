# Each word sets up .venv by itself; nothing but python3, git and make is needed beforehand.
PY := .venv/bin/python
# The first Python here that is new enough; another one: make PYTHON=/path/to/python3.12
PYTHON ?= $(shell for each in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$each -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$each && break; done)
STAMP := .venv/.ready
JOBS ?= 3  # on two cores: many tests wait
unexport PYTHONDONTWRITEBYTECODE  # else every worker and every command compiles all sources again

.PHONY: setup demo test check bench docs weights chaos advised drills mutants flaky

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	@test -n "$(PYTHON)" && $(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "babysit needs Python 3.11 or newer; $$($(or $(PYTHON),python3) --version) is too old. Install a newer one, or name it: make PYTHON=/path/to/python3.12"; exit 1; }
	@echo "Installing babysit and its tools into .venv (once, a minute or two)..."
	@$(PYTHON) -m venv .venv
	@$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	@$(PY) -m compileall -q src tests
	@touch $(STAMP)

demo: $(STAMP)
	.venv/bin/babysit demo

test: $(STAMP)
	$(PY) -m pytest -n $(JOBS) --dist worksteal

check: $(STAMP)
	.venv/bin/ruff check .
	.venv/bin/ruff format --check .
	.venv/bin/mypy
	.venv/bin/babysit playbook lint
	.venv/bin/babysit playbook test
	$(MAKE) test

bench: $(STAMP)
	@for bench in $(filter-out benchmarks/text_model.py, $(wildcard benchmarks/*.py)); do echo "== $$bench"; PYTHONPATH=. $(PY) $$bench || exit 1; done

CASES ?= fixtures/diagnosis.yaml
dropout: $(STAMP)
	PYTHONPATH=. $(PY) benchmarks/dropout.py $(CASES)

weights: $(STAMP)
	PYTHONPATH=. $(PY) benchmarks/learned.py --fit

chaos: $(STAMP)
	$(PY) -m tests.crash.matrix
	$(PY) -m tests.crash.ladder_matrix
	$(PY) -m tests.crash.follow_matrix
	$(PY) -m tests.crash.submit_matrix
	$(PY) -m tests.crash.driver_matrix

advised: $(STAMP)
	$(PY) -m tests.e2e.advisor_matrix

RAY_VERSION ?= 2.60.0
RAY_BIN ?= .venv-ray/bin
# A real Ray, on loopback, in an environment of its own: its install has 380 MB.
.venv-ray/bin/ray:
	$(PYTHON) -m venv .venv-ray
	.venv-ray/bin/pip install --quiet --disable-pip-version-check 'ray[default]==$(RAY_VERSION)' py-spy

drills: $(STAMP) $(RAY_BIN)/ray
	$(PY) -m tests.drills.ray_contract --ray $(RAY_BIN)
	$(PY) -m tests.drills.ray_restarts --ray $(RAY_BIN) $(ARGS)
	$(PY) -m tests.drills.ray_healthy --ray $(RAY_BIN)
	$(PY) -m tests.drills.ray_faults --ray $(RAY_BIN)

mutants: $(STAMP)
	$(PY) -m tests.mutants $(ARGS)

RUNS ?= 10
BUSY ?= 5
flaky: $(STAMP)
	$(PY) -m tests.support.flaky --runs $(RUNS) --busy $(BUSY) --jobs $(JOBS)

docs: $(STAMP)
	$(PY) -m tests.support.write_docs
