# Two commands: `make demo` runs the main job and draws the picture, `make test` runs the tests.
# Each sets up .venv by itself; nothing else on the machine is touched.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-faults check bench-speed bench-route bench-quality bench-size clean

demo: .venv/core
	$(BIN)/wayfare demo --out out/demo.png

test: .venv/dev
	$(BIN)/pytest -n 2

# The long version of the crash, power cut and full disk tests: 10 to 20 minutes.
test-faults: .venv/dev
	$(BIN)/python benchmarks/faults.py

check: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench-speed: .venv/botorch
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 $(BIN)/python benchmarks/speed.py

bench-route: .venv/dev
	$(BIN)/python benchmarks/routes.py

bench-quality: .venv/dev
	$(BIN)/python benchmarks/quality.py

bench-size: .venv/dev
	$(BIN)/python benchmarks/size.py

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "wayfare needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv

.venv/core: .venv/bin/python pyproject.toml
	$(BIN)/pip install --quiet --editable .
	@touch $@

.venv/dev: .venv/bin/python pyproject.toml
	$(BIN)/pip install --quiet --editable '.[dev]'
	@touch $@ .venv/core

.venv/botorch: .venv/dev constraints.txt
	$(BIN)/pip install --quiet --constraint constraints.txt torch
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev,botorch]'
	@touch $@

clean:
	rm -rf .venv out .pytest_cache .mypy_cache .ruff_cache .hypothesis
