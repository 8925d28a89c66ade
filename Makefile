# Each word sets up .venv by itself; nothing but python3, git and make is needed beforehand.
PY := .venv/bin/python
STAMP := .venv/.ready
JOBS ?= 3  # on two cores: many tests wait

.PHONY: setup demo test check bench docs chaos mutants flaky

setup: $(STAMP)

$(STAMP): pyproject.toml constraints.txt
	python3 -m venv .venv
	$(PY) -m pip install --quiet --disable-pip-version-check -c constraints.txt -e '.[dev]'
	touch $(STAMP)

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
	@for bench in benchmarks/*.py; do echo "== $$bench"; PYTHONPATH=. $(PY) $$bench || exit 1; done

chaos: $(STAMP)
	$(PY) -m tests.crash.matrix

mutants: $(STAMP)
	$(PY) -m tests.mutants $(ARGS)

RUNS ?= 10
BUSY ?= 5
flaky: $(STAMP)
	$(PY) -m tests.support.flaky --runs $(RUNS) --busy $(BUSY) --jobs $(JOBS)

docs: $(STAMP)
	$(PY) -m tests.support.write_docs
