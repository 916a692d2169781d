"""Who leaves the worse of two peaks, and how that depends on where the better one is: the paper's third figure.

``python benchmarks/peaks.py`` runs every method from the worse peak with the better one at each of ``PLACES`` and
writes ``results/peaks.csv``: two minutes. ``page.py`` draws the figure and fills in the table.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from attrs import evolve
from rich.console import Console

from wayfare._core.arrays import Points, Values
from wayfare.bench.problems import Problem, problem_named
from wayfare.bench.report import markdown
from wayfare.bench.results import as_csv, rows_of, write_whole
from wayfare.bench.run import run_problem

FILE = Path(__file__).parent / "results" / "peaks.csv"
PLACES = (9.0, 7.5, 6.5)
"""Where the better peak is; the problem of the figure has it at the first."""
METHODS = ("ucb", "ts", "gs", "tucb", "tts", "wayfare")
"""Two blind to movement, one that fears the way, two that plan it, and the default."""
TRIALS, SEEDS = 100, 10
NEAR = 1.0
"""How far from the better peak is still at it, in u: where it is down to 0.6 of its height."""
HEAD = ("peak", "method", "seed", "at_the_better_peak", "movement")


def problem_at(peak: float) -> Problem:
    """Return the problem of two peaks with the better one moved to ``peak``."""
    problem = problem_named("two-peaks")
    moved = problem.best - peak

    def function(x: Points) -> Values:
        lower, higher = (np.exp(-np.square(x[:, 0] - at) / 2) for at in (problem.start[0], peak))
        return np.asarray(0.7 * lower + higher)

    return problem if not moved.any() else evolve(problem, function=function, best=np.array([peak]))


def ends_near(places: Values, peak: float) -> bool:
    """Return whether most of the last quarter of the places lie at the peak."""
    last = places[-max(1, len(places) // 4) :]
    return bool(np.mean(np.abs(last - peak) <= NEAR) > 0.5)


def run(peak: float, method: str, seed: int) -> tuple[object, ...]:
    """Return a row of the file."""
    done = run_problem(problem_at(peak), method, TRIALS, seed)
    return peak, method, seed, int(ends_near(done.x[:, 0], peak)), done.movement


def counts(rows: Sequence[Mapping[str, str]]) -> dict[str, dict[float, int]]:
    """Return how many seeds of each method end at the better peak, by where that is."""
    found = {method: dict.fromkeys(PLACES, 0) for method in METHODS}
    for row in rows:
        found[row["method"]][float(row["peak"])] += int(row["at_the_better_peak"])
    return found


def said(ended: Mapping[str, Mapping[float, int]]) -> str:
    """Return in words how many seeds of each method end at the better peak, wherever that is."""
    found: dict[str, list[str]] = {}
    for method, by_peak in ended.items():
        fewest, most = min(by_peak.values()), max(by_peak.values())
        share = f"{fewest}" if fewest == most else f"{fewest} to {most}"
        found.setdefault(share, []).append(f"`{method}`")
    words = "; ".join(f"{share} of {', '.join(methods)}" for share, methods in found.items())
    *first, last = (f"{peak:g}" for peak in PLACES)
    return f"Whether the better peak is at {', '.join(first)} or {last}, of {SEEDS} seeds there end at it: {words}."


def peaks_table() -> str:
    """Return how many seeds end at the better peak, and what they move on average, by where that is."""
    rows = rows_of(FILE)
    lines, ended_at = [], counts(rows)
    for method, ended in ended_at.items():
        line = [method]
        for peak, well in ended.items():
            own = [row for row in rows if row["method"] == method and float(row["peak"]) == peak]
            line += [f"{well} of {len(own)}", f"{np.mean([float(row['movement']) for row in own]):.3g}"]
        lines.append(line)
    head = ["", *(words for peak in PLACES for words in (f"better peak at {peak:g}", "movement [u]"))]
    return f"{said(ended_at)}\n\n{markdown(head, lines)}"


def main() -> None:
    """Run all and write the file."""
    cases = [(peak, method, seed) for peak in PLACES for method in METHODS for seed in range(SEEDS)]
    write_whole(FILE, as_csv(HEAD, (run(*case) for case in cases)))
    Console(stderr=True).print(f"benchmarks/results/{FILE.name}", highlight=False)


if __name__ == "__main__":
    main()
