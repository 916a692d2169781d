"""How long our routes are beside the best that fast-tsp finds, how long they take, and what their proven factor costs.

Run ``python benchmarks/routes.py``; it fills routes.md beside itself and exits with 1 if a target is missed.
Times are CPU seconds of one process, the mean of five instances. ``python benchmarks/routes.py --bound`` measures the
walk around the cheapest spanning tree alone, on random symmetric costs: two minutes. With ``--large``, it
measures whole plans of thousands of stops, each in a process of its own: five minutes.
"""

import argparse
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.sparse.csgraph import shortest_path

from blocks import fill_blocks
from wayfare._core.arrays import Matrix, Order, Points, Values, unique_rows
from wayfare._core.rng import stream
from wayfare.bench.report import markdown
from wayfare.route import FastTsp, NearestNext, RoutePlanner, ShortRoute, path_cost, plan_route, route
from wayfare.route.route import fast_tsp_order
from wayfare.route.search import refined, scaled, spanning_tree, tree_walk
from wayfare.space import Real, Space
from wayfare.travel import Euclidean, Manhattan, Ramp, TravelCost, embedding, parallel, serial

INSTANCES = 5
SIZES = (10, 20, 50, 100, 500, 2000)
TARGETS = {10: 0.5, 20: 0.5, 50: 0.5, 100: 1.5, 500: 4.0, 2000: 6.0}
ASYMMETRIC_TARGET = 3.0
BOUND_INSTANCES, BOUND_STOPS = 1000, 200
MOST_FAST_TSP = 5000
PAGE = Path(__file__).with_suffix(".md")


class Kind(NamedTuple):
    """A family of instances."""

    name: str
    d: int
    clustered: bool = False
    combine: Callable[..., TravelCost] | None = None  # ramps: up at speed 1, down at speed 3


KINDS = (
    Kind("uniform 2-D", 2),
    Kind("uniform 6-D", 6),
    Kind("clustered, duplicates", 2, clustered=True),
    Kind("ramps in turn", 2, combine=serial),
    Kind("ramps at once", 2, combine=parallel),
)


class Run(NamedTuple):
    """One planner on one instance."""

    cost: float
    seconds: float


def main() -> int:
    options = _options()
    if options.bound:
        _fill("bound", bound_table([compare(seed) for seed in range(BOUND_INSTANCES)]))
        return 0
    if options.large:
        plans = [in_own_process(case, options.seconds) for case in LARGE]
        _fill("large", large_table(plans))
        return 0 if all(plan.met for plan in plans) else 1
    cases = [(kind, n) for kind in KINDS for n in _sizes(kind) if n <= options.largest]
    jobs = [(kind, n, i) for kind, n in cases for i in range(INSTANCES)]
    with ProcessPoolExecutor(options.processes) as pool:
        runs = list(pool.map(_measure, jobs, [options.seconds] * len(jobs)))
    rows, met = [], True
    for at in range(0, len(jobs), INSTANCES):
        kind, n, _ = jobs[at]
        row, passed = _summary(kind, n, runs[at : at + INSTANCES])
        rows.append(row)
        met &= passed
    _show(rows)
    if options.largest >= max(SIZES):
        _fill("best", markdown(COLUMNS, rows))
    return 0 if met else 1


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=10.0, help="for fast-tsp, per instance")
    parser.add_argument("--largest", type=int, default=max(SIZES), help="leave out more stops than this")
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--bound", action="store_true", help="measure the walk around the spanning tree alone")
    parser.add_argument("--large", action="store_true", help="measure plans of thousands of stops")
    return parser.parse_args()


def _sizes(kind: Kind) -> tuple[int, ...]:
    return SIZES if kind.combine is None else (20, 100)


def _measure(job: tuple[Kind, int, int], seconds: float) -> dict[str, Run]:
    """Run every planner on one instance, all on the same costs."""
    kind, n, i = job
    first, between = _costs(kind, n, i)
    planners: dict[str, RoutePlanner] = {
        "ours": ShortRoute(),
        "nearest": NearestNext(),
        # Told of the same open route; without kicks, what it adds to its own is a 3-opt at exact costs.
        "fast-tsp": FastTsp(seconds=seconds, kicks=0),
    }
    if kind.combine is not None:
        planners["ours x25"] = ShortRoute(kicks=50)
    return {name: _timed(planner, first, between) for name, planner in planners.items()}


def _costs(kind: Kind, n: int, i: int) -> tuple[Values, Matrix]:
    rng = stream(i, kind.name, n)
    start, x = rng.random((1, kind.d)), _places(kind, n, rng)
    space = Space(*(Real(f"x{k}", 0.0, 1.0) for k in range(kind.d)))
    cost: TravelCost = Euclidean()
    if kind.combine is not None:
        cost = kind.combine(*(Ramp(axis.name, up=1.0, down=3.0) for axis in space.axes))
    cost = cost.bind(space)
    # Equal places are merged before routing, as plan_route does.
    x = x[unique_rows(x)[0]]
    return cost(start, x)[0], cost(x, x)


def _places(kind: Kind, n: int, rng: np.random.Generator) -> Points:
    if not kind.clustered:
        return rng.random((n, kind.d))
    centres = rng.random((max(2, n // 20), kind.d))
    x = centres[rng.integers(len(centres), size=n)] + 0.02 * rng.standard_normal((n, kind.d))
    again = rng.random(n) < 0.15
    x[again] = x[rng.integers(n, size=again.sum())]
    return x


def _timed(planner: RoutePlanner, first: Values, between: Matrix) -> Run:
    began = time.process_time()
    order: Order = planner.order(first, between, None, stream(0))
    return Run(path_cost(order, first, between), time.process_time() - began)


def _summary(kind: Kind, n: int, runs: list[dict[str, Run]]) -> tuple[list[str], bool]:
    """Return a row of the table, and whether the target was met."""
    best = [min(run.cost for name, run in found.items() if name != "ours") for found in runs]
    excess = {
        name: [100 * (found[name].cost / least - 1) for found, least in zip(runs, best, strict=True)]
        for name in ("ours", "nearest")
    }
    seconds = {name: np.mean([found[name].seconds for found in runs]) for name in runs[0]}
    target = TARGETS[n] if kind.combine is None else ASYMMETRIC_TARGET
    mean = float(np.mean(excess["ours"]))
    spread = f"{min(excess['ours']):.2f}..{max(excess['ours']):.2f}"
    times = [f"{seconds[name]:.4f}" for name in ("ours", "nearest")] + [f"{seconds['fast-tsp']:.1f}"]
    verdict = "PASS" if mean <= target else "FAIL"
    nearest = f"{np.mean(excess['nearest']):.1f}"
    return [kind.name, str(n), f"{mean:.2f}", spread, f"{target:g}", verdict, nearest, *times], mean <= target


COLUMNS = [
    *("places", "stops", "excess %", "min..max", "target %", ""),
    *("nearest's %", "s", "nearest's s", "fast-tsp's s"),
]


def _show(rows: list[list[str]]) -> None:
    table = Table(*COLUMNS, title="Routes beside the best known")
    for row in rows:
        table.add_row(*row)
    Console(width=120).print(table)


class Walked(NamedTuple):
    """Costs and CPU seconds of a route with the walk around the tree and without it; none costs less than ``floor``."""

    floor: float
    walk: float
    kept: float
    without: float
    walk_seconds: float
    seconds: float


def compare(seed: int) -> Walked:
    """Return what the walk around the cheapest spanning tree gives and takes on random symmetric costs."""
    rng = stream(seed, "bound")
    first, between = symmetric_costs(int(rng.integers(2, BOUND_STOPS + 1)), rng)
    began = time.process_time()
    order = ShortRoute().order(first, between, None, stream(seed))
    whole = time.process_time() - began
    began = time.process_time()
    around = tree_walk(first, between, None)
    took = time.process_time() - began
    kept, walk = path_cost(order, first, between), path_cost(around, first, between)
    # Where the walk was kept, the search had found a longer one.
    without = kept if not np.array_equal(order, around) else searched(first, between, seed)
    floor = float(first.min() + between[spanning_tree(between)].sum())
    return Walked(floor, walk, kept, without, took if len(first) > ShortRoute().exact_to else 0.0, whole)


def searched(first: Values, between: Matrix, seed: int) -> float:
    """Return the cost of the route without the walk."""
    n = len(first)
    if n <= ShortRoute().exact_to:
        return path_cost(ShortRoute().order(first, between, None, stream(seed)), first, between)
    nearest = NearestNext().order(first, between, None, stream(seed))
    return path_cost(refined(nearest, first, between, None, 2 * n, stream(seed)), first, between)


def symmetric_costs(n: int, rng: np.random.Generator) -> tuple[Values, Matrix]:
    """Return the costs between a start and ``n`` stops, which no detour lowers: places, clusters, or random roads."""
    x = rng.random((n + 1, int(rng.integers(1, 7))))
    kind = rng.integers(3)
    if kind == 1:
        centres = rng.random((max(2, n // 20), x.shape[1]))
        x = x / 50 + centres[rng.integers(len(centres), size=n + 1)]
    costs = np.linalg.norm(x[:, None] - x, axis=-1)
    if kind == 2:
        roads = rng.uniform(0.1, 1.0, (n + 1, n + 1))
        costs = shortest_path(np.minimum(roads, roads.T))
    return costs[n, :n].copy(), costs[:n, :n].copy()


def bound_table(runs: list[Walked]) -> str:
    """Return what the walk gives and takes over all instances."""
    over = [run.kept / run.floor for run in runs]
    longer = [run.without / run.kept for run in runs]
    walking = sum(run.walk_seconds for run in runs)
    share = walking / (sum(run.seconds for run in runs) - walking)
    rows = [
        ["instances", str(len(runs))],
        ["cost over a bound that no route beats, on average", f"{np.mean(over):.3f}"],
        ["the same, at most (2 is proved)", f"{max(over):.3f}"],
        ["the same of the walk alone, at most", f"{max(run.walk / run.floor for run in runs):.3f}"],
        ["instances in which the walk is shorter than the search's", str(sum(one > 1 + 1e-12 for one in longer))],
        ["cost without the walk over cost with it, on average", f"{np.mean(longer):.6f}"],
        ["time of the walk over that of the rest", f"{100 * share:.1f}%"],
    ]
    return markdown(["random symmetric costs, 2 to 200 stops", ""], rows)


class Large(NamedTuple):
    """A plan of many stops at random, and the CPU seconds, the GB and the excess over fast-tsp that it may take."""

    cost: str
    n: int
    tabled: bool = False
    seconds: float = np.inf
    memory: float = np.inf
    excess: float | None = None


LARGE = (
    Large("Euclidean", 1000),
    Large("Euclidean", 5000, tabled=True),
    Large("Euclidean", 5000, seconds=6.0, excess=1.0),
    Large("Manhattan", 5000, seconds=6.0, excess=1.0),
    Large("Euclidean, weighted", 5000, seconds=6.0, excess=1.0),
    Large("Euclidean", 20_000, seconds=60.0, memory=2.0),
    Large("Manhattan", 20_000, seconds=60.0, memory=2.0),
    Large("Euclidean, weighted", 20_000, seconds=60.0, memory=2.0),
)
NORMS = {"Euclidean": Euclidean(), "Manhattan": Manhattan(), "Euclidean, weighted": Euclidean(scale={0: 1.0, 1: 4.0})}


class LargeRun(NamedTuple):
    """What a plan took and costs: per cent over fast-tsp's, and over a bound that no route beats."""

    case: Large
    seconds: float
    memory: float
    excess: float | None
    over_tree: float

    @property
    def met(self) -> bool:
        """Whether it kept to all that it may take."""
        case = self.case
        near = case.excess is None or (self.excess is not None and self.excess <= case.excess)
        return self.seconds <= case.seconds and self.memory <= case.memory and near


def in_own_process(case: Large, seconds: float) -> LargeRun:
    """Return what a plan takes in a new process, so that its memory is its own; fast-tsp has another."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        found, taken, memory, tree = pool.submit(plan_large, case).result()
    excess = None
    if case.n <= MOST_FAST_TSP:
        with ProcessPoolExecutor(1, get_context("spawn")) as pool:
            excess = 100 * (found / pool.submit(fast_tsp_large, case, seconds).result() - 1)
    return LargeRun(case, taken, memory, excess, 100 * (found / tree - 1))


def plan_large(case: Large) -> tuple[float, float, float, float]:
    """Return what the route costs, its CPU seconds, the GB of the process, and the cost of the spanning tree."""
    cost, start, x = large_problem(case)
    if case.tabled:
        route.MOST_TABLED = case.n
    began = time.process_time()
    found = plan_route(cost, start, x, None, ShortRoute(), stream(0)).cost
    taken, memory = time.process_time() - began, getrusage(RUSAGE_SELF).ru_maxrss / 1e6
    points = embedding(cost, x)
    assert points is not None
    tree = float(cost(start[None], x).min()) + float(points.pairs(*spanning_tree(points)).sum())
    return found, taken, memory, tree


def fast_tsp_large(case: Large, seconds: float) -> float:
    """Return what fast-tsp's route costs, alone and as it comes."""
    cost, start, x = large_problem(case)
    first, between = cost(start[None], x)[0], cost(x, x)
    order = fast_tsp_order(*scaled(first, between, None), seconds)
    return path_cost(order, first, between)


def large_problem(case: Large) -> tuple[TravelCost, Values, Points]:
    """Return the cost, the start and the places."""
    rng = stream(0, "uniform 2-D", case.n)
    start, x = rng.random((1, 2)), rng.random((case.n, 2))
    return NORMS[case.cost], start[0], x


def large_table(runs: list[LargeRun]) -> str:
    """Return what large plans took."""
    rows = []
    for run in runs:
        case, limits = run.case, limits_of(run.case)
        by = "table" if case.tabled or case.n <= route.MOST_TABLED else "points"
        excess = "" if run.excess is None else f"{run.excess:.2f}"
        numbers = [excess, f"{run.over_tree:.1f}", f"{run.seconds:.1f}", f"{run.memory:.2f}"]
        rows.append([case.cost, str(case.n), by, *numbers, limits, ("PASS" if run.met else "FAIL") if limits else ""])
    return markdown(["cost", "stops", "by", "excess %", "over a bound, %", "s", "GB", "may take", ""], rows)


def limits_of(case: Large) -> str:
    """Return what a plan may take, in words; empty if that is not limited."""
    limits = [f"{case.seconds:g} s"] if case.seconds < np.inf else []
    limits += [f"{case.memory:g} GB"] if case.memory < np.inf else []
    limits += [f"{case.excess:g}%"] if case.excess is not None else []
    return ", ".join(limits)


def _fill(block: str, table: str) -> None:
    PAGE.write_text(fill_blocks(PAGE.read_text(), {block: table}))


if __name__ == "__main__":
    sys.exit(main())
