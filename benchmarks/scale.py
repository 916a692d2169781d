"""How time and memory grow: with trials from 100 to 10,000, with places from ten to a million, with stops to 5,000.

Run ``make bench-scale``: about 15 minutes on one core. Peers need the extras ``optuna`` and ``botorch``, else they
are left out. Every figure is from a process of its own, with one BLAS thread: CPU seconds of all asks and tells, the
longest ask by the clock, the first and second ``best()``, and the peak memory. The function is a smooth one in the
unit square, with a noise of 0.05. Writes scale.csv and scale.md beside itself.

``floor`` is what the algebra alone takes: one Cholesky factor of as many rows as there are distinct places, per plan.
"""

import argparse
import csv
import json
import math
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

HERE = Path(__file__).parent
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"}
JOBS = {
    "default": (100, 1000, 3000, 10_000),
    "ucb": (100, 300, 1000),
    "ucb1 on 10 places": (100, 1000, 3000, 10_000),
    "places once: hand out": (10_000, 100_000, 1_000_000),
    "places once: first plan": (10_000, 100_000, 1_000_000),
    "route": (300, 1000, 2000, 5000),
    "Optuna TPE": (100, 300, 1000),
    "Optuna GPSampler": (30, 100),
    "BoTorch UCB": (10, 20, 40),
    "fast-tsp": (300, 1000, 2000, 5000),
}
PEERS = {"Optuna TPE": "optuna", "Optuna GPSampler": "optuna", "BoTorch UCB": "botorch", "fast-tsp": "fast_tsp"}
FIELDS = ("work", "size", "cpu", "longest", "best", "again", "rows", "floor", "memory", "cost")
HEADS = (
    *("work", "size", "CPU s", "longest ask s", "best() s", "again s", "distinct places", "floor s", "memory MB"),
    "route cost",
)
INTRODUCTION = """# Growth

Made by `make bench-scale`: CPU seconds of all asks and tells on one core of a shared machine, so that only ratios
within one run mean much; the longest ask and `best()` by the clock. The floor is one Cholesky factor of the distinct
places per plan. Growth is the exponent of CPU and memory in the size; of the default and `ucb1` from 1,000 trials on.

At commit 6f6f66e, before results were merged by place, fits held and states kept their arrays, the same studies took,
on the same machine: the default 0.16, 1.8 and 12 s for 100, 1,000 and 3,000 trials; `ucb` 0.5, 4.2 and 43 s for 100,
300 and 1,000; `ucb1` 10 s for 2,000; to hand out one of 100,000 places 30 ms by the clock, and the first plan among a
million 6 s. Up to 256 results plans are the same bit by bit; beyond, they differ as the fits do (docs/architecture.md).
"""
FROM = {"default": 1000, "ucb1 on 10 places": 1000}
"""From which size on growth is fitted, where it is not all of them."""


def value(x: float, y: float) -> float:
    """Return the function without noise."""
    return -4 * ((x - 0.3) ** 2 + (y - 0.6) ** 2) + math.sin(7 * x) * math.cos(5 * y)


def study(method: str, trials: int, places: int | None = None) -> dict[str, float]:
    """Run a study and return its figures."""
    import wayfare as wf

    box = wf.Space(wf.Real("a", 0, 1), wf.Real("b", 0, 1))
    space = box if places is None else wf.Places(np.random.default_rng(9).random((places, 2)), names=["a", "b"])
    noise = np.random.default_rng(0)
    made = wf.Study.create(
        space, direction="maximize", travel=wf.Euclidean(), trials=trials, method=method, noise=0.05 if places else None
    )
    begun, longest = time.process_time(), 0.0
    while True:
        asked = time.perf_counter()
        trial = made.ask()
        longest = max(longest, time.perf_counter() - asked)
        if trial is None:
            break
        made.tell(trial, value(*trial.params.values()) + 0.05 * noise.standard_normal())
    cpu = time.process_time() - begun
    first = timed(made.best)
    state = made.snapshot().state
    rows = len({tuple(trial.x) for trial in state.trials})
    matrix = np.eye(rows) + 0.1
    floor = len(state.plans) * timed(lambda: np.linalg.cholesky(matrix))
    return {"cpu": cpu, "longest": longest, "best": first, "again": timed(made.best), "rows": rows, "floor": floor}


def once(size: int, first: bool) -> dict[str, float]:
    """Return what the first plan, or an ask that only hands out, takes in a table whose places are visited once."""
    import wayfare as wf

    space = wf.Places(np.random.default_rng(0).random((size, 2)), names=["a", "b"], once=True)
    made = wf.Study.create(
        space, direction="maximize", travel=wf.Euclidean(), trials=300, start=space.params(space.table[0])
    )
    begun = time.process_time()
    trial = made.ask()
    if first:
        return {"cpu": time.process_time() - begun}
    spent: list[float] = []
    while trial is not None and len(spent) < 60:
        made.tell(trial, value(*trial.params.values()))
        before, plans = time.process_time(), len(made.snapshot().state.plans)
        trial = made.ask()
        if len(made.snapshot().state.plans) == plans:
            spent.append(time.process_time() - before)
    return {"cpu": float(np.median(spent))}


def route(n: int) -> dict[str, float]:
    """Return what ordering ``n`` stops takes, and the length."""
    import wayfare as wf
    from wayfare.route import ShortRoute, plan_route

    x = np.random.default_rng(0).random((n, 2))
    begun = time.process_time()
    planned = plan_route(wf.Euclidean(), np.zeros(2), x, None, ShortRoute(), np.random.default_rng(0))
    return {"cpu": time.process_time() - begun, "cost": float(planned.cost)}


def fast_tsp(n: int) -> dict[str, float]:
    """Return the same of fast-tsp: a closed tour, in the time that it is given."""
    import fast_tsp

    x = np.random.default_rng(0).random((n, 2))
    matrix = np.rint(1e4 * np.sqrt(np.square(x[:, None] - x[None]).sum(axis=2))).astype(int)
    seconds = max(1.0, n / 1000)
    begun = time.process_time()
    tour = fast_tsp.find_tour(matrix, duration_seconds=seconds)
    return {"cpu": time.process_time() - begun, "cost": fast_tsp.compute_cost(tour, matrix) / 1e4}


def optuna(sampler: str, trials: int) -> dict[str, float]:
    """Return what one of Optuna's samplers takes."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    noise = np.random.default_rng(0)
    made = optuna.create_study(direction="maximize", sampler=getattr(optuna.samplers, sampler)(seed=0))
    begun, longest = time.process_time(), 0.0
    for _ in range(trials):
        asked = time.perf_counter()
        trial = made.ask()
        x, y = (trial.suggest_float(name, 0, 1) for name in "ab")
        longest = max(longest, time.perf_counter() - asked)
        made.tell(trial, value(x, y) + 0.05 * noise.standard_normal())
    return {"cpu": time.process_time() - begun, "longest": longest}


def botorch(trials: int) -> dict[str, float]:
    """Return what sequential BoTorch takes, as its manual shows it."""
    import torch
    from botorch.acquisition import UpperConfidenceBound
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.optim import optimize_acqf
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.set_num_threads(1)
    torch.manual_seed(0)
    noise, bounds = np.random.default_rng(0), torch.tensor([[0.0, 0.0], [1.0, 1.0]], dtype=torch.double)
    x = torch.rand(5, 2, dtype=torch.double)
    y = [value(*row) + 0.05 * noise.standard_normal() for row in x.tolist()]
    begun = time.process_time()
    while len(x) < trials:
        model = SingleTaskGP(x, torch.tensor(y, dtype=torch.double)[:, None])
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        found, _ = optimize_acqf(UpperConfidenceBound(model, beta=4.0), bounds, q=1, num_restarts=5, raw_samples=128)
        x = torch.vstack([x, found])
        y.append(value(*found[0].tolist()) + 0.05 * noise.standard_normal())
    return {"cpu": time.process_time() - begun}


def timed(work: Callable[[], object]) -> float:
    """Return the seconds that a call takes."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


RUN = {
    "default": lambda n: study("wayfare", n),
    "ucb": lambda n: study("ucb", n),
    "ucb1 on 10 places": lambda n: study("ucb1", n, 10),
    "places once: hand out": lambda n: once(n, False),
    "places once: first plan": lambda n: once(n, True),
    "route": route,
    "Optuna TPE": lambda n: optuna("TPESampler", n),
    "Optuna GPSampler": lambda n: optuna("GPSampler", n),
    "BoTorch UCB": botorch,
    "fast-tsp": fast_tsp,
}


def growth(sizes: list[int], costs: list[float]) -> float:
    """Return the exponent with which costs grow: the slope of a line through the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(np.maximum(costs, 1e-9)), 1)[0]) if len(sizes) > 1 else math.nan


def page(rows: list[dict[str, Any]]) -> str:
    """Return the rows as a page."""
    lines = [INTRODUCTION, "| " + " | ".join(HEADS) + " |", "|---" * len(HEADS) + "|"]
    for row in rows:
        cells = [str(row["work"]), f"{row['size']:,}"]
        cells += [f"{row[key]:.3g}" if key in row else "" for key in FIELDS[2:]]
        lines.append("| " + " | ".join(cells) + " |")
    lines += ["", "| work | growth of CPU | of memory |", "|---|---|---|"]
    for work in JOBS:
        some = [row for row in rows if row["work"] == work and row["size"] >= FROM.get(work, 0)]
        if len(some) > 1:
            sizes = [row["size"] for row in some]
            slopes = (growth(sizes, [row[key] for row in some]) for key in ("cpu", "memory"))
            lines.append(f"| {work} | {' | '.join(f'{slope:.2f}' for slope in slopes)} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work", choices=JOBS, action="append", help="only this; may be repeated")
    parser.add_argument("--most", type=int, default=10**9, help="leave out larger sizes")
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        found = RUN[options.one[0]](int(options.one[1]))
        print(json.dumps(found | {"memory": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))
        return
    path = HERE / "scale.csv"
    rows = {}
    if path.exists() and options.work:
        rows = {(row["work"], int(row["size"])): plain(row) for row in csv.DictReader(path.open())}
    for work in options.work or JOBS:
        if work in PEERS and find_spec(PEERS[work]) is None:
            continue
        for size in (size for size in JOBS[work] if size <= options.most):
            command = [sys.executable, "-W", "ignore", __file__, "--one", work, str(size)]
            answer = subprocess.run(command, env=os.environ | ONE_THREAD, capture_output=True, text=True, check=True)
            rows[work, size] = {"work": work, "size": size, **json.loads(answer.stdout.splitlines()[-1])}
            print(rows[work, size], file=sys.stderr)
            save([rows[work, size] for work, sizes in JOBS.items() for size in sizes if (work, size) in rows])


def save(rows: list[dict[str, Any]]) -> None:
    """Write the rows and their page."""
    with (HERE / "scale.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    (HERE / "scale.md").write_text(page(rows))


def plain(row: dict[str, str]) -> dict[str, Any]:
    """Return a row of the file with numbers for text."""
    numbers = {key: float(text) for key, text in row.items() if key not in ("work", "size") and text}
    return {"work": row["work"], "size": int(row["size"]), **numbers}


if __name__ == "__main__":
    main()
