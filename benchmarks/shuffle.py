"""What leaving some of the order to chance costs, and how far it frees the places from the time.

Run ``python benchmarks/shuffle.py``: it shuffles routes through 20 random places, and the routes of studies
of the lithium map, and writes shuffle.md beside itself.
"""

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np

import wayfare as wf
from wayfare._core.arrays import Points, Values
from wayfare._core.rng import stream
from wayfare.bench.problems.field import lithium
from wayfare.route import Shuffled, plan_route

SHARES = (0.0, 0.1, 0.25, 0.5, 1.0)
PLACES = 20
TRIALS = 60


class Walk(NamedTuple):
    """A way under one share: how long it is beside the short one, and what its order gives away."""

    share: float
    longer: float  # its cost over that of the short way
    confounded: float  # the mean absolute rank correlation of visiting time and each coordinate


def main() -> int:
    options = _options()
    square = [walk for seed in range(options.routes) for walk in in_the_square(seed)]
    map_ = [walk for seed in range(options.studies) for walk in on_the_map(seed)]
    text = page(square, map_)
    Path(options.out).write_text(text)
    sys.stdout.write(text)
    return 0


def in_the_square(seed: int) -> Iterable[Walk]:
    """Yield a route through random places of the unit square under each share."""
    space = wf.Space(wf.Real("x", 0, 1), wf.Real("y", 0, 1))
    cost = wf.Euclidean().bind(space)
    x = space.sample(PLACES + 1, stream(seed, "places"))
    costs = []
    for share in SHARES:
        route = plan_route(cost, x[0], x[1:], None, Shuffled(wf.ShortRoute(), share), stream(seed, "route"))
        costs.append(route.cost)
        yield Walk(share, route.cost / costs[0], confounding(route.places))


def on_the_map(seed: int) -> Iterable[Walk]:
    """Yield a study of the lithium map under each share, its movement beside what its routes cost short."""
    problem = lithium()
    method = wf.Method(wf.UCB(), wf.Fixed(PLACES), opening=wf.NoOpening())
    for share in SHARES:
        study = wf.Study.create(
            problem.space,
            direction="maximize",
            travel=problem.travel,
            trials=TRIALS,
            start=problem.start,
            method=method,
            seed=seed,
            shuffle=share,
        )
        noise = problem.noise * stream(seed, "noise").standard_normal(TRIALS)
        while (trial := study.ask()) is not None:
            study.tell(trial, float(problem.function(trial.x[None, :])[0] + noise[trial.number]))
        ledger = study.ledger()
        routes = [confounding(plan.stops) for plan in study.state.plans]
        yield Walk(share, ledger.paid / (ledger.paid - (ledger.shuffled or 0.0)), float(np.mean(routes)))


def confounding(x: Points) -> float:
    """Return the mean absolute rank correlation between the visiting time and each coordinate."""
    time = np.arange(len(x), dtype=float)
    return float(np.mean([abs(np.corrcoef(time, ranks(column))[0, 1]) for column in x.T if np.ptp(column)]))


def ranks(values: Values) -> Values:
    """Return the rank of each value; equal ones share the mean of theirs."""
    _, which, many = np.unique(values, return_inverse=True, return_counts=True)
    return np.asarray((np.cumsum(many) - (many - 1) / 2)[which])


def page(square: list[Walk], lithium_map: list[Walk]) -> str:
    """Return what was found, as Markdown."""
    chance = chance_alone()
    lines = [
        "# The price of shuffling",
        "",
        "Written by `python benchmarks/shuffle.py`. With `shuffle` a share of the stops change places among",
        "themselves at random. *Longer* is the way beside the short one through the same places, mean and",
        "standard deviation; *confounded* is the mean absolute rank correlation between visiting time and",
        "each coordinate within a route: the lower, the less a drift can look like a difference between",
        f"places. Of {PLACES} places in a wholly random order it is {chance:.2f} by chance alone.",
    ]
    n = len(square) // len(SHARES), len(lithium_map) // len(SHARES)
    titles = (
        f"{n[0]:,} routes through {PLACES} random places of the unit square, from a random start",
        f"{n[1]:,} studies of the lithium map (UCB, routes of {PLACES}, {TRIALS} trials; minutes of the rig)",
    )
    for title, walks in zip(titles, (square, lithium_map), strict=True):
        lines += ["", f"## {title}", "", "| share | longer | confounded |", "| ---: | ---: | ---: |"]
        for share in SHARES:
            longer = np.array([walk.longer for walk in walks if walk.share == share])
            tied = np.mean([walk.confounded for walk in walks if walk.share == share])
            lines.append(f"| {share:g} | {longer.mean():.2f} ± {longer.std(ddof=1):.2f} | {tied:.2f} |")
    lines += [
        "",
        "On the map the routes of a study depend on what was found on those before, so each study is held",
        "against the short order of its own places, as its ledger says; the fee for setting the rig up is",
        "paid at every stop in any order.",
        "",
    ]
    return "\n".join(lines)


def chance_alone() -> float:
    """Return how far a wholly random order seems to follow a coordinate."""
    rng = stream(0, "chance")
    return float(np.mean([confounding(rng.random((PLACES, 2))) for _ in range(2000)]))


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--routes", type=int, default=500)
    parser.add_argument("--studies", type=int, default=20)
    parser.add_argument("--out", default=str(Path(__file__).with_suffix(".md")))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
