"""Why the belief is as it is: variants of it on functions that were used for choosing, and on no others.

``python -m benchmarks.belief variants --jobs 2`` fits each variant to uniform designs on the development functions of
the tournament and on the mixed problems of ``finding.py`` that are not held out, and runs ``ucb`` with it on those of
the mixed problems that are hardest to get right. The rows are in variants.csv beside this file, their means in
docs/belief.md. The peers are there for comparison.

*mixture* draws eight settings of the hyperparameters from a normal approximation of their posterior and takes the
mean and the variance of the eight beliefs together.
"""

import argparse
import csv
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from itertools import product
from pathlib import Path
from typing import NamedTuple

import joblib
import numpy as np
from numpy.random import Generator

from belief.finding import MISSED, row_of, run_ours
from belief.functions import functions
from belief.models import MODELS, Belief, suits
from belief.problems import PROBLEMS
from tournament.functions import development
from wayfare._core.arrays import Points, Values
from wayfare._core.rng import one_thread, stream
from wayfare.bench.report import markdown
from wayfare.bench.results import as_csv, write_whole
from wayfare.planning.method import Method
from wayfare.policy import UCB
from wayfare.policy.schedule import OneByOne
from wayfare.space import Space
from wayfare.surrogate import GP, History, hyper
from wayfare.surrogate.history import Standard
from wayfare.surrogate.kernels import Hyper

ROWS = Path(__file__).resolve().parent / "variants.csv"
SIZES, SEEDS, JUDGED, DRAWS = (10, 20, 50, 100), 4, 800, 8
NOISES = (0.01, 0.1)
"""Standard deviations of one result of a development function, as shares of its own; by turns over the seeds."""
HARD = ("peaks-four", "peaks-eight", "ligands", "coats", "nozzles", "rugged")
HARD_SEEDS = 6


class Variant(NamedTuple):
    """A way to believe: the model, the kernel, the steps towards doubt, and the log odds asked of a smoother kernel."""

    kernel: str = "auto"
    doubt: float = hyper.DOUBT
    smoother: float = hyper.SMOOTHER
    mixture: bool = False


VARIANTS = {
    "as it is": Variant(),
    "no step towards doubt": Variant(doubt=0.0),
    "half the step": Variant(doubt=hyper.DOUBT / 2),
    "twice the step": Variant(doubt=2 * hyper.DOUBT),
    "mixture of settings": Variant(doubt=0.0, mixture=True),
    "Matérn alone": Variant(kernel="matern52"),
    "RBF alone": Variant(kernel="rbf"),
    "the likelier kernel": Variant(smoother=0.0),
}
"""By the names that the page shows; the first is what wayfare does."""
PEERS = ("botorch", "botorch-mixed", "scikit-learn")


class Row(NamedTuple):
    """A belief held against the truth, or a study (``n`` is 0, and ``missed`` is 0 or 1)."""

    variant: str
    function: str
    kind: str
    n: int
    seed: int
    coverage95: float
    nll: float
    rmse: float
    missed: float


@contextmanager
def as_in(variant: Variant) -> Iterator[None]:
    """Set the constants of the model to those of a variant."""
    before = hyper.DOUBT, hyper.SMOOTHER
    hyper.DOUBT, hyper.SMOOTHER = variant.doubt, variant.smoother
    yield
    hyper.DOUBT, hyper.SMOOTHER = before


@cache
def chosen_by() -> dict[str, tuple[Space, Callable[[Points], Values], float | None, str]]:
    """Return the functions used for choosing: the space, the formula, the noise if it is its own, and the kind."""
    real = {name: one for name, one in development().items() if name not in functions()}
    mixed = {name: one for name, one in PROBLEMS.items() if one.part == "mixed" and not one.held_out}
    return {
        **{name: (one.space, one, None, "real") for name, one in real.items()},
        **{name: (one.as_written.space, one.as_written.value, one.noise, "mixed") for name, one in mixed.items()},
    }


def mixture(space: Space, x: Points, y: Values, places: Points, rng: Generator) -> Belief:
    """Return the mean and spread of the beliefs under several settings drawn from their approximate posterior."""
    history = History(space, x, y, x[:0])
    peak = GP().fit(history, rng)
    theta, standard = np.array(peak.notes["peak"]), Standard.of_history(history)
    evidence = hyper.Evidence(peak.covariance.kernel, space.encode(x), space.groups, standard.apply(y))
    prior = hyper.Prior.of(space.groups)

    def slope(at: Values) -> Values:
        return -evidence(at)[1] - prior.density(at)[1]

    bend = np.array([(slope(theta + step) - slope(theta - step)) / 0.1 for step in 0.05 * np.eye(len(theta))])
    values, vectors = np.linalg.eigh(0.5 * (bend + bend.T) * np.outer(prior.sd, prior.sd))
    roots = prior.sd[:, None] * vectors / np.sqrt(np.maximum(values, 0.5))
    drawn = np.clip(theta + rng.standard_normal((DRAWS, len(theta))) @ roots.T, prior.low, prior.high)
    axes = int(space.groups.max()) + 1
    every = []
    for setting in drawn:
        notes = {**peak.notes, **Hyper.from_vector(setting, axes).to_notes()}
        every.append(GP().recall(history, notes).marginals(places))
    means, sds = np.array([one.mean for one in every]), np.array([one.sd for one in every])
    return Belief(means.mean(axis=0), np.sqrt(np.square(sds).mean(axis=0) + means.var(axis=0)))


def believe(name: str, space: Space, x: Points, y: Values, places: Points, rng: Generator) -> Belief:
    """Return the belief of a variant or a peer."""
    if name in PEERS:
        return MODELS[name](space, x, y, places, rng=rng)
    variant = VARIANTS[name]
    with as_in(variant):
        if variant.mixture:
            return mixture(space, x, y, places, rng)
        return Belief(*GP(variant.kernel).fit(History(space, x, y, x[:0]), rng).marginals(places))


def judge(name: str, function: str, seed: int) -> list[Row]:
    """Return how a variant does on a function, at every number of results."""
    space, formula, noise, kind = chosen_by()[function]
    if name in PEERS and not suits(name, space):
        return []
    x = space.at(stream(seed, "variants", function).random((max(SIZES), space.d)))
    places = space.at(stream(0, "judged", function).random((JUDGED, space.d)))
    truth = np.asarray(formula(places))
    sd = truth.std()
    level = NOISES[seed % 2] * sd if noise is None else noise
    y = np.asarray(formula(x)) + level * stream(seed, "variants noise", function).standard_normal(len(x))
    rows = []
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for n in SIZES:
            belief = believe(name, space, x[:n], y[:n], places, stream(seed, "fit", name))
            error, spread = (truth - belief.mean) / sd, np.maximum(belief.sd / sd, 1e-3)
            z = error / spread
            nll = (0.5 * z * z + np.log(spread)).mean() + 0.5 * np.log(2 * np.pi)
            coverage, rmse = float((np.abs(z) <= 1.96).mean()), float(np.sqrt(np.square(error).mean()))
            rows.append(Row(name, function, kind, n, seed, coverage, float(nll), rmse, np.nan))
    return rows


def study(name: str, problem: str, seed: int) -> list[Row]:
    """Return whether ``ucb`` misses with a variant."""
    variant, lab = VARIANTS[name], PROBLEMS[problem].under(seed)
    with one_thread(), warnings.catch_warnings(), as_in(variant):
        warnings.simplefilter("ignore")
        found = run_ours(lab, Method(UCB(), OneByOne(), surrogate=GP(variant.kernel)))
    missed = float(row_of(lab, found, name, "").short > MISSED)
    return [Row(name, problem, "study", 0, seed, np.nan, np.nan, np.nan, missed)]


def measured(jobs: int) -> list[Row]:
    """Return all rows."""
    work = [joblib.delayed(judge)(*one) for one in product((*VARIANTS, *PEERS), chosen_by(), range(SEEDS))]
    found = [name for name, variant in VARIANTS.items() if not variant.mixture]
    work += [joblib.delayed(study)(*one) for one in product(found, HARD, range(HARD_SEEDS))]
    return [row for rows in joblib.Parallel(n_jobs=jobs)(work) for row in rows]


def write_rows(rows: Sequence[Row]) -> None:
    """Write the rows, numbers to five digits."""
    lines = ([f"{value:.5g}" if isinstance(value, float) else value for value in row] for row in rows)
    write_whole(ROWS, as_csv(Row._fields, lines))


def read_rows() -> list[Row]:
    """Return the committed rows."""
    with ROWS.open(newline="") as lines:
        kinds = Row.__annotations__
        return [Row(**{key: kinds[key](text) for key, text in line.items()}) for line in csv.DictReader(lines)]


def table(rows: Sequence[Row]) -> str:
    """Return the means over functions: coverage of the 95% interval, median NLL, RMSE, and what studies missed."""
    lines = []
    for name in (*VARIANTS, *PEERS):
        cells = []
        for kind in ("real", "mixed"):
            own = [row for row in rows if row.variant == name and row.kind == kind]
            sizes = [[row for row in own if row.n == n] for n in SIZES]
            means = [f"{np.mean([row.coverage95 for row in some]):.2f}" for some in sizes if some]
            medians = [f"{np.median([row.nll for row in some]):.2f}" for some in sizes if some]
            cells += [", ".join(means) or "-", ", ".join(medians) or "-"]
        missed = [row.missed for row in rows if row.variant == name and row.kind == "study"]
        lines.append([name, *cells, f"{np.mean(missed):.0%}" if missed else "-"])
    head = ["variant"]
    head += [f"{words}, {kind}" for kind in ("real", "mixed") for words in ("coverage", "median NLL")]
    return markdown((*head, "UCB missed"), lines)


def main(arguments: list[str] | None = None) -> int:
    """Measure all variants."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.belief variants", description=__doc__)
    parser.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    rows = measured(parser.parse_args(arguments).jobs)
    write_rows(rows)
    print(table(rows), file=sys.stdout)
    return 0
