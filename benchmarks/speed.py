"""How much CPU planning takes: ours against a sequential BoTorch UCB, in one process, interleaved.

Run ``make bench-speed``; it needs the extra ``botorch`` and one BLAS thread. For each of the paper's five
functions and each seed it runs, one after the other in the same process, T = 100 with ``tucb``, with
BoTorch, and with ``tts``. BoTorch is used as its manual shows: a SingleTaskGP refitted at every step, UCB
with beta = 4 maximised by optimize_acqf with 5 restarts from 128 raw samples. Only planner CPU counts. Then
T = 1000 against T = 100, and the peak memory of T = 3000 on Branin. Ratios are of times taken in one run.
Writes speed.md beside itself; exits with 1 if a target is missed.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from tables import as_markdown
from wayfare._core.rng import stream
from wayfare.bench.problems import PAPER, Problem, problem_named
from wayfare.bench.run import run_problem
from wayfare.space import Real, Space

HERE = Path(__file__).parent
AT_LEAST = {name: 80.0 if name == "branin" else 50.0 for name in PAPER}
GROWTH_AT_MOST, MEMORY_AT_MOST = 15.0, 1.5e9


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--trials", type=int, default=100)
    parser.add_argument("--memory", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.memory:
        return print_peak(options.memory)
    if os.environ.get("OMP_NUM_THREADS") != "1":
        sys.exit("set OMP_NUM_THREADS=1 (and OPENBLAS, MKL), or use `make bench-speed`")
    tables = [against_botorch(options.trials, options.seeds), growth(options.seeds), memory()]
    console = Console()
    for table, _ in tables:
        console.print(table)
    text = ["# Speed\n", "Made by `make bench-speed`. Planner CPU of one thread; ratios within one run.\n"]
    text += [f"## {table.title}\n\n{as_markdown(table)}\n" for table, _ in tables]
    (HERE / "speed.md").write_text("\n".join(text))
    return 0 if all(passed for _, passed in tables) else 1


def against_botorch(trials: int, seeds: int) -> tuple[Table, bool]:
    table = Table(title=f"CPU of sequential BoTorch UCB over ours, T = {trials} (mean, smallest to largest of seeds)")
    for column in ("function", "over tucb", "over tts", "BoTorch s", "tucb s", "tts s", "at least", ""):
        table.add_column(column, justify="left" if column in ("function", "") else "right")
    warm_up()
    passed = True
    for name, least in AT_LEAST.items():
        times = []
        for seed in range(seeds):
            problem = problem_named(name)
            start = problem.space.sample(1, stream(seed, "start", name))[0]
            tucb = run_problem(problem, "tucb", trials, seed, start=start).planner_cpu
            botorch = botorch_cpu(problem, trials, seed, start)
            tts = run_problem(problem, "tts", trials, seed, start=start).planner_cpu
            times.append((botorch, tucb, tts))
            print(f"{name}, seed {seed}: {botorch:.1f} s against {tucb:.2f} s and {tts:.2f} s", file=sys.stderr)
        botorch_s, tucb_s, tts_s = np.array(times).T
        over = {"tucb": botorch_s / tucb_s, "tts": botorch_s / tts_s}
        holds = all(ratios.mean() >= least for ratios in over.values())
        passed &= holds
        table.add_row(
            name,
            *(f"{r.mean():.0f}x ({r.min():.0f} to {r.max():.0f})" for r in over.values()),
            *(f"{seconds.mean():.2f}" for seconds in (botorch_s, tucb_s, tts_s)),
            f"{least:.0f}x",
            "holds" if holds else "MISSED",
        )
    return table, passed


def botorch_cpu(problem: Problem, trials: int, seed: int, start: np.ndarray) -> float:
    """Return the planner CPU of sequential UCB in BoTorch, in seconds."""
    import torch
    from botorch.acquisition import UpperConfidenceBound
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.models.transforms import Normalize, Standardize
    from botorch.optim import optimize_acqf
    from gpytorch.mlls import ExactMarginalLogLikelihood

    warnings.simplefilter("ignore")
    torch.set_num_threads(1)
    torch.manual_seed(seed)
    assert isinstance(problem.space, Space)
    box = [(axis.low, axis.high) for axis in problem.space.axes if isinstance(axis, Real)]
    bounds = torch.tensor(np.array(box).T, dtype=torch.float64)
    noise = problem.noise * stream(seed, "noise").standard_normal(trials)
    x = torch.tensor(start[None, :], dtype=torch.float64)
    y = torch.tensor(problem.function(start[None, :]) + noise[:1]).reshape(1, 1)
    cpu = 0.0
    for trial in range(1, trials):
        before = time.process_time()
        scale = Standardize(1) if trial > 1 else None
        model = SingleTaskGP(x, y, input_transform=Normalize(x.shape[1], bounds=bounds), outcome_transform=scale)
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        score = UpperConfidenceBound(model, beta=4.0)
        new, _ = optimize_acqf(score, bounds=bounds, q=1, num_restarts=5, raw_samples=128)
        cpu += time.process_time() - before
        told = problem.function(new.numpy()) + noise[trial]
        x, y = torch.cat([x, new]), torch.cat([y, torch.tensor(told).reshape(1, 1)])
    return cpu


def warm_up() -> None:
    """Load and run everything once, so that no import is counted."""
    problem = problem_named("branin")
    run_problem(problem, "tucb", 20, 0)
    run_problem(problem, "tts", 20, 0)
    botorch_cpu(problem, 4, 0, np.asarray(problem.start))


def growth(seeds: int) -> tuple[Table, bool]:
    table = Table(title="Planner CPU of T = 1000 over T = 100 on Branin (mean, smallest to largest of seeds)")
    for column in ("method", "ratio", "T = 100 s", "T = 1000 s", "at most", ""):
        table.add_column(column, justify="left" if column in ("method", "") else "right")
    passed = True
    for method in ("tucb", "tts"):
        times = []
        for seed in range(seeds):
            problem = problem_named("branin")
            start = problem.space.sample(1, stream(seed, "start", "branin"))[0]
            times.append([run_problem(problem, method, t, seed, start=start).planner_cpu for t in (100, 1000)])
        short, long = np.array(times).T
        ratios = long / short
        holds = bool(ratios.mean() <= GROWTH_AT_MOST)
        passed &= holds
        table.add_row(
            method,
            f"{ratios.mean():.1f}x ({ratios.min():.1f} to {ratios.max():.1f})",
            f"{short.mean():.2f}",
            f"{long.mean():.2f}",
            f"{GROWTH_AT_MOST:.0f}x",
            "holds" if holds else "MISSED",
        )
    return table, passed


def memory() -> tuple[Table, bool]:
    table = Table(title="Peak memory of a whole process, T = 3000 on Branin")
    for column in ("method", "peak GB", "at most GB", ""):
        table.add_column(column, justify="left" if column in ("method", "") else "right")
    passed = True
    for method in ("tucb", "tts"):
        command = [sys.executable, __file__, "--memory", method]
        peak = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
        holds = peak <= MEMORY_AT_MOST
        passed &= holds
        table.add_row(method, f"{peak / 1e9:.2f}", f"{MEMORY_AT_MOST / 1e9:.1f}", "holds" if holds else "MISSED")
    return table, passed


def print_peak(method: str) -> int:
    run_problem(problem_named("branin"), method, 3000, 0)
    print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024)
    return 0


if __name__ == "__main__":
    sys.exit(main())
