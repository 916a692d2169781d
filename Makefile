# Two commands: `make demo` spends a day at a reactor twice and draws it, `make test` runs the tests.
# Each sets up .venv by itself; nothing else on the machine is touched.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-web quick coverage docs test-faults test-plug fuzz check bench-speed bench-route bench-quality bench-size bench-kernels bench-page bench-method bench-theory bench-field bench-belief bench-plug bench-teams bench-delay bench-scale clean

demo: .venv/core
	$(BIN)/wayfare demo --out out/demo.png
	@echo "A study in a browser, playing by itself: make .venv/dev, then $(BIN)/wayfare serve --demo"

test: .venv/dev
	$(BIN)/pytest -n 2 -m 'not browser'

# The page of `wayfare serve` in a real browser (apt-get install chromium): a minute or two. Pictures go to out/shots.
test-web: .venv/web
	$(BIN)/pytest -n 2 -m browser -rs tests/web/browser

# Without the slow tests and those that start other programs: about a minute.
quick: .venv/dev
	$(BIN)/pytest -n 2 -m 'not slow and not subprocess' --hypothesis-profile quick

# All tests, and which lines of the package they reach: out/coverage/index.html.
coverage: .venv/dev
	$(BIN)/pytest -n 2 --cov --cov-report=term:skip-covered --cov-report=html:out/coverage

# The long version of the crash, power cut and full disk tests: 10 to 20 minutes.
test-faults: .venv/dev
	$(BIN)/python benchmarks/faults.py

# Half an hour of files from strangers; the page is benchmarks/fuzz.md.
fuzz: .venv/dev
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/fuzz.py

# The plug-ins inside Ax, BoTorch, Xopt and blop: a few minutes, and two gigabytes of packages in .venv.
test-plug: .venv/plug
	$(BIN)/pytest -n 2 tests/plug --ignore tests/plug/heavy
	$(BIN)/pytest -n 2 -W ignore tests/plug/heavy

# The documentation as a site that opens from a folder, without a network: out/site/index.html. Half a minute.
docs: .venv/docs
	$(BIN)/sphinx-build -n -W --keep-going -q -c docs -d out/doctrees . out/site
	$(BIN)/python docs/links.py out/site
	@echo "Open out/site/index.html"

check: .venv/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench-speed: .venv/botorch
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 $(BIN)/python benchmarks/speed.py

bench-route: .venv/dev
	$(BIN)/python benchmarks/routes.py
	$(BIN)/python benchmarks/routes.py --large
	$(BIN)/python benchmarks/routes.py --bound
	$(BIN)/python benchmarks/paper.py

bench-quality: .venv/dev
	$(BIN)/python benchmarks/quality.py

bench-size: .venv/dev
	$(BIN)/python benchmarks/size.py

# How time and memory grow: benchmarks/scale.md, a quarter of an hour on one core.
bench-scale: .venv/peers
	$(BIN)/python benchmarks/scale.py

# Whether plans depend on the processor: benchmarks/kernels.md, a minute and a half on two cores.
bench-kernels: .venv/dev
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/python benchmarks/kernels.py

# The suites of docs/benchmarks.md, and the page: an hour and a half on two cores.
bench-page: .venv/dev
	for suite in paper authors field; do \
	  $(BIN)/wayfare bench run $$suite --jobs 2 --out out/page || exit 1; \
	  cp out/page/$$suite.csv out/page/$$suite-steps.csv.gz out/page/$$suite-cpu.csv benchmarks/results/; \
	done
	cd benchmarks && ../$(BIN)/wayfare bench run paper --jobs 2 --out ../out/variants \
	  --methods variants:mini_raw,variants:snake_resampling,variants:snake_truncated,variants:snake_stopping,$$(../$(BIN)/python variants.py)
	cd benchmarks && ../$(BIN)/wayfare bench run field --jobs 2 --out ../out/variants --trials 60 --seeds 2 \
	  --methods $$(../$(BIN)/python variants.py)
	cd benchmarks && ../$(BIN)/wayfare bench run authors --jobs 2 --out ../out/variants --seeds 2 \
	  --methods plan-ucb,plan-ts,tucb-paper,tts-paper,$$(../$(BIN)/python variants.py)
	$(BIN)/python benchmarks/variants.py out/variants
	$(BIN)/python benchmarks/peaks.py
	$(BIN)/python benchmarks/page.py
	$(BIN)/python benchmarks/paper.py

# The tournament of docs/method.md, and its tables and pictures: three hours on two cores.
bench-method: .venv/peers
	$(BIN)/python -m benchmarks.tournament run search --trials 60 --seeds 4 --methods \
	  ucb,wayfare,control,short-survey,no-survey,no-price,no-batches,settled,always-explore,ucb-first
	$(BIN)/python -m benchmarks.tournament run report --trials 30,60,100 --methods ucb,wayfare,control
	$(BIN)/python -m benchmarks.tournament run report --trials 60 --seeds 14 --methods ucb,thrifty,tucb,tts,ucb-1sd,eipu
	$(BIN)/python -m benchmarks.tournament run report --trials 60 --methods settled,ucb-2sd \
	  --problems batch,blades,columns,enzymes,esters,furnaces,inks,membranes,resins
	$(BIN)/python -m benchmarks.tournament run report --trials 60 --seeds 4 --methods lookahead
	$(BIN)/python -m benchmarks.tournament run report --trials 300 --methods ucb,wayfare --seeds 2
	for condition in old out; do \
	  $(BIN)/python -m benchmarks.tournament run report --methods ucb,wayfare --seeds 8 --condition $$condition || exit 1; \
	done
	$(BIN)/python -m benchmarks.tournament run report --trials 300 --methods ucb,wayfare --seeds 1 --condition budget
	$(BIN)/python -m benchmarks.tournament run report --trials 60,100 --methods wayfare --baseline wayfare --seeds 3 \
	  --condition watched
	$(BIN)/python -m benchmarks.tournament run report --methods ucb,wayfare,optuna-tpe,optuna-gp --seeds 3 \
	  --problems branin,ackley-off,goldstein-price,hartmann6,view2b,view4a,esters,membranes,enzymes,columns,snar
	$(BIN)/python -m benchmarks.tournament page

# Many workers at one study in PostgreSQL, beside Optuna's: benchmarks/teams.md, five minutes on two cores.
bench-teams: .venv/peers
	$(BIN)/python benchmarks/teams.py

# What late results cost each method: benchmarks/delays.md, two minutes on one core.
bench-delay: .venv/dev
	$(BIN)/wayfare bench run delay --out out/delay
	$(BIN)/python benchmarks/delays.py out/delay

# The curves of docs/theory.md, and the page: an hour on two cores.
bench-theory: .venv/dev
	$(BIN)/python -m benchmarks.theory run --parts paths,growth --seeds 8 --jobs 2
	$(BIN)/python -m benchmarks.theory run --parts boxes,dimension --seeds 4 --jobs 2
	$(BIN)/python -m benchmarks.theory run --parts arms,lipschitz --seeds 20 --jobs 2
	cp out/theory/*.csv benchmarks/theory/results/
	$(BIN)/python -m benchmarks.theory page
	$(BIN)/python benchmarks/paper.py

# The ledgers of docs/field.md, and the page: two to four minutes on two cores.
bench-field: .venv/dev
	$(BIN)/python benchmarks/field.py run
	$(BIN)/python benchmarks/field.py page

# What docs/belief.md shows: how far beliefs can be trusted, what studies find with ours, and the page. Rows of our own
# code are measured again if it changed, those of the peers if their data or versions did: up to an hour on two cores.
bench-belief: .venv/peers
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.belief calibrate --jobs 2
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.belief find --save --jobs 2
	OMP_NUM_THREADS=1 $(BIN)/python -m benchmarks.belief variants --jobs 2
	$(BIN)/python -m benchmarks.belief page

# What one changed line buys those who run Optuna: benchmarks/plug.md, two minutes on one core.
bench-plug: .venv/peers
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 $(BIN)/python benchmarks/plug.py

.venv/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "wayfare needs Python 3.11 or newer: make PYTHON=python3.11")'
	$(PYTHON) -m venv .venv

.venv/core: .venv/bin/python pyproject.toml
	$(BIN)/pip install --quiet --editable .
	@touch $@

.venv/dev: .venv/bin/python pyproject.toml
	$(BIN)/pip install --quiet --editable '.[dev]'
	@touch $@ .venv/core

.venv/web: .venv/dev
	$(BIN)/pip install --quiet --editable '.[dev,browser]'
	@touch $@

.venv/docs: .venv/dev
	$(BIN)/pip install --quiet --editable '.[dev,docs]'
	@touch $@

.venv/botorch: .venv/dev constraints.txt
	$(BIN)/pip install --quiet --constraint constraints.txt torch
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev,botorch]'
	@touch $@

.venv/peers: .venv/botorch
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev,peers]'
	@touch $@

.venv/plug: .venv/botorch
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev,plug]'
	@touch $@

clean:
	rm -rf .venv out .pytest_cache .mypy_cache .ruff_cache .hypothesis
