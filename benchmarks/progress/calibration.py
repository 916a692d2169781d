"""How often a statement about the remaining gain holds: whole studies on functions whose best value is known.

``python -m benchmarks.progress run develop`` measures on the functions that the bound was chosen by, ``... run report``
on twenty others. A run that was cut off goes on. ``... choose`` prints how often each quantile of the draws holds,
``... page`` fills docs/progress.md from the rows.
"""

import argparse
import csv
import os
import sys
import warnings
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when numpy is imported
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from tournament.functions import Function, development, function_named, reporting
from wayfare._core.rng import stream
from wayfare.errors import GuaranteeWarning
from wayfare.report.best import best_of
from wayfare.report.progress import TOLERANCE, drawn_values
from wayfare.space import Real, Space
from wayfare.study.study import Study
from wayfare.travel import Euclidean

RESULTS = Path(__file__).resolve().parent
TRIALS, CHECKS = 40, (20, 40)
"""How long a study is, and after how many results it is asked what is left to gain."""
NOISE = 0.02
"""Standard deviation of one result, as a share of that of the function over its box."""
MOST_AXES = 4
SEEDS = {"develop": 10, "report": 10}
LEVELS = (0.5, 0.6, 0.7, 0.75, 0.8, 0.85, 0.9, 0.925, 0.95, 0.97, 0.98, 0.99, 0.995)
"""The quantiles of the draws that are kept, so that one can be chosen without running again."""


class Row(NamedTuple):
    """A statement: where it was made, the draws behind it, and the truth.

    Attributes:
        function: the function.
        seed: of noise and plans.
        results: after how many results.
        gain: by how much the best place of the function is really better than the one shown as best.
        tolerance: what counts as nothing.
        below: the share of the draws that leave no more than that to gain.
        quantiles: the ``LEVELS`` of what the draws leave to gain.
    """

    function: str
    seed: int
    results: int
    gain: float
    tolerance: float
    below: float
    quantiles: tuple[float, ...]


def chosen(part: str) -> list[str]:
    """Return the functions of a part: all that were made for one purpose, of few axes; not the drawn ones to report."""
    functions = development() if part == "develop" else reporting()
    return [name for name, one in functions.items() if one.d <= MOST_AXES and not name.startswith("view")]


def noise_of(function: Function) -> float:
    """Return the standard deviation of one result."""
    unit = stream(0, "progress", function.name).random((4096, function.d))
    return NOISE * float(np.std(function(function.low + unit * (function.high - function.low))))


def rows_of(name: str, seed: int) -> list[Row]:
    """Return what is said in one study, and what is true."""
    function = function_named(name)
    space = Space(*(Real(f"x{i}", *ends) for i, ends in enumerate(zip(function.low, function.high, strict=True))))
    scale = Euclidean(unit="u")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GuaranteeWarning)
        study = Study.create(space, direction="maximize", travel=scale, trials=TRIALS, seed=seed, name=name)
    noise, rng = noise_of(function), stream(seed, "noise", name)
    optimum, rows = float(function(function.best[None, :])[0]), []
    while (trial := study.ask()) is not None:
        study.tell(trial, float(function(trial.x[None, :])[0]) + noise * rng.standard_normal())
        if len(study.last.state.results) in CHECKS:
            rows.append(_said(study, function, optimum, name, seed))
    return rows


def _said(study: Study, function: Function, optimum: float, name: str, seed: int) -> Row:
    state = study.last.state
    best = state.trials[best_of(state).trial].x
    values, here = drawn_values(state)
    gains = np.maximum(values.max(axis=0) - here, 0.0)
    tolerance = TOLERANCE * float(np.ptp(state.history.y))
    quantiles = tuple(float(np.quantile(gains, level)) for level in LEVELS)
    true = max(0.0, optimum - float(function(best[None, :])[0]))
    return Row(name, seed, state.history.told, true, tolerance, float((gains <= tolerance).mean()), quantiles)


HEAD = ("function", "seed", "results", "gain", "tolerance", "below", *(f"q{level:g}" for level in LEVELS))


def path_of(part: str) -> Path:
    """Return the file of a part."""
    return RESULTS / f"{part}.csv"


def read_rows(part: str) -> list[Row]:
    """Return the rows kept so far."""
    if not path_of(part).exists():
        return []
    with path_of(part).open(newline="") as file:
        lines = list(csv.reader(file))[1:]
    rows = []
    for name, seed, results, *numbers in lines:
        gain, tolerance, below, *quantiles = map(float, numbers)
        rows.append(Row(name, int(seed), int(results), gain, tolerance, below, tuple(quantiles)))
    return rows


def save(part: str, rows: Iterable[Row]) -> None:
    """Add rows to the file of a part."""
    is_new = not path_of(part).exists()
    with path_of(part).open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if is_new:
            writer.writerow(HEAD)
        for row in rows:
            numbers = (row.gain, row.tolerance, row.below, *row.quantiles)
            writer.writerow([row.function, row.seed, row.results, *(f"{number:.6g}" for number in numbers)])


def held(rows: Sequence[Row], level: float) -> float:
    """Return how often the true gain is within a quantile of the draws."""
    return float(np.mean([row.gain <= np.interp(level, LEVELS, row.quantiles) for row in rows]))


def main(arguments: list[str] | None = None) -> int:
    """Run what is missing of a part, print how often each quantile holds, or write the page."""
    parser = argparse.ArgumentParser(prog="benchmarks.progress", description=__doc__)
    parser.add_argument("command", choices=("run", "choose", "page"))
    parser.add_argument("part", nargs="?", choices=tuple(SEEDS), default="develop")
    given: Any = parser.parse_args(arguments)
    if given.command == "page":
        from progress.page import write

        write()
        return 0
    if given.command == "choose":
        rows = read_rows(given.part)
        for level in LEVELS:
            said = ", ".join(
                f"{held([row for row in rows if row.results == check], level):.1%} after {check}" for check in CHECKS
            )
            print(f"quantile {level:g} of the draws: holds {said}")
        return 0
    done = {(row.function, row.seed) for row in read_rows(given.part)}
    for seed in range(SEEDS[given.part]):
        for name in chosen(given.part):
            if (name, seed) not in done:
                save(given.part, rows_of(name, seed))
    return 0
