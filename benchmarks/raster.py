"""Whether a study on a map of a million cells plans about as fast as one on a plane, on routes as short.

Run ``python benchmarks/raster.py``: it walks studies of 100 stops a plan over maps of 1000 x 1000 cells, with
``Raster`` and with ``Euclidean``, orders stops by rough and by exact costs, and writes raster.md beside
itself. That takes some minutes. Times are those of the processor: other work on the machine matters less.
"""

import argparse
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

import numpy as np
from attrs import evolve

import wayfare as wf
from wayfare._core.arrays import Matrix
from wayfare._core.rng import stream
from wayfare.planning.catalogue import method_named
from wayfare.planning.method import Method
from wayfare.policy import Uniform
from wayfare.policy.schedule import Fixed
from wayfare.route import ShortRoute, path_cost
from wayfare.travel import TravelCost, rough

STOPS = 100
ALLOWED = 5.0
"""Times the Euclidean one."""
KINDS = ("open", "lakes", "walls", "hills", "maze")
METHODS = {
    "random places": Method(Uniform(), Fixed(STOPS)),
    "tucb": evolve(method_named("tucb"), schedule=Fixed(STOPS)),
    "wayfare": evolve(method_named("wayfare"), schedule=Fixed(STOPS)),
}


class Speed(NamedTuple):
    """What plans of a study took, in seconds, on the plane and on the map."""

    kind: str
    method: str
    plane: list[float]
    raster: list[float]

    @property
    def ratio(self) -> float:
        """How many times longer the plans take on the map, all together."""
        return sum(self.raster) / sum(self.plane)


class Quality(NamedTuple):
    """How much longer routes are that were ordered by rough costs, in proportion."""

    kind: str
    cells: int
    excess: list[float]


def main() -> int:
    options = _options()
    speeds = [speed(kind, method, options.side, options.plans) for kind in options.kinds for method in METHODS]
    qualities = [
        quality(kind, side, maps) for side, maps in ((400, options.maps), (options.side, 1)) for kind in options.kinds
    ]
    text = page(options.side, speeds, qualities)
    Path(options.out).write_text(text)
    sys.stdout.write(text)
    return 0


def speed(kind: str, method: str, side: int, plans: int) -> Speed:
    """Walk a study with either cost."""
    raster = random_map(kind, side, 0)
    plane, over_map = (planning_times(raster, cost, METHODS[method], plans) for cost in (wf.Euclidean(), raster))
    return Speed(kind, method, plane, over_map)


def planning_times(raster: wf.Raster, cost: TravelCost, method: Method, plans: int) -> list[float]:
    """Return how long the plans of a study took, those of its start and of its first batch left out."""
    places = raster.places()
    study = wf.Study.create(
        places,
        direction="maximize",
        travel=cost,
        trials=STOPS * (plans + 1),
        start=places.table[0],
        method=method,
        seed=1,
    )
    rng = stream(0, "values")
    times = []
    while study.state.trials_left:
        planned = study.state.plans
        before = time.process_time()
        trial = study.ask()
        took = time.process_time() - before
        if trial is None:
            break
        if study.state.plans > planned:
            times.append(took)
        study.tell(trial, float(rng.normal()))
    return times[2:]


def quality(kind: str, side: int, maps: int) -> Quality:
    """Order stops on some maps by rough and by exact costs."""
    excess = []
    for seed in range(maps):
        raster = random_map(kind, side, seed)
        cells = raster.open_cells()
        x = raster.centres(cells[stream(seed, "stops").choice(len(cells), STOPS + 1, replace=False)])
        exact, guide = raster(x, x), rough(raster, STOPS)
        assert guide is not None
        excess.append(length(guide(x, x), exact) / length(exact, exact) - 1)
    return Quality(kind, side * side, excess)


def length(seen: Matrix, paid: Matrix) -> float:
    """Return what a route from the first place costs that is ordered by what is ``seen``."""
    order = ShortRoute().order(seen[0, 1:], seen[1:, 1:], None, stream(0, "route"))
    return path_cost(order, paid[0, 1:], paid[1:, 1:])


def random_map(kind: str, side: int, seed: int) -> wf.Raster:
    """Return a map of a kind, all of whose open cells can reach each other."""
    rng = stream(seed, kind)
    grid = np.ones((side, side))
    row, column = np.mgrid[:side, :side] / side
    if kind == "lakes":
        for _ in range(25):
            y, x, height, width = rng.uniform((0, 0, 0.02, 0.02), (1, 1, 0.12, 0.12))
            grid[((row - y) / height) ** 2 + ((column - x) / width) ** 2 < 1] = 0
    elif kind == "walls":
        for at, begin, long in rng.uniform((0, 0, 0.1), (1, 1, 0.5), (40, 3)):
            is_wall = (np.arange(side) >= begin * side) & (np.arange(side) <= (begin + long) * side)
            if rng.random() < 0.5:
                grid[int(at * side), is_wall] = 0
            else:
                grid[is_wall, int(at * side)] = 0
    elif kind == "hills":
        waves = rng.normal(size=(12, 2)) * 25
        height = np.sum([np.sin(a * row + b * column + a) for a, b in waves], axis=0)
        grid = np.exp(height / height.std() / 2)
        grid[height > 1.8 * height.std()] = 0
    elif kind == "maze":
        room = side // 12
        grid[::room] = 0
        grid[:, ::room] = 0
        # Two doors of each room on average, each a fifth of a wall wide.
        for y, x in rng.integers(0, side - room, (2 * 12 * 12, 2)):
            wall, wide = y // room * room, room // 5
            grid[wall, x : x + wide] = 1
            grid[x : x + wide, wall] = 1
    return wf.Raster(grid).largest_part()


def page(side: int, speeds: Iterable[Speed], qualities: Iterable[Quality]) -> str:
    """Return what was found, as Markdown."""
    lines = [
        "# Large maps",
        "",
        f"Studies over maps of {side} x {side} cells with {STOPS} stops a plan, almost all of them new,",
        "walked by `python benchmarks/raster.py`. Seconds of the processor for a plan after the first batch:",
        f"the median and the range. A plan should take less than {ALLOWED:g} times as long as one with",
        "`Euclidean` in the same places. What is done once for a map, its blocks and its landmarks, is",
        "in the plans before these, and takes some seconds.",
        "",
        "| map | method | `Euclidean` | `Raster` | times as long |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for one in speeds:
        verdict = "" if one.ratio < ALLOWED else " (too long)"
        plane, over_map = _spread(one.plane), _spread(one.raster)
        lines.append(f"| {one.kind} | {one.method} | {plane} | {over_map} | {one.ratio:.1f}{verdict} |")
    lines += [
        "",
        f"How much longer the routes through {STOPS} random stops are than those ordered by the exact costs",
        "between all of them:",
        "",
        "| map | cells | maps | mean | worst |",
        "| --- | ---: | ---: | ---: | ---: |",
    ]
    for each in qualities:
        mean, worst = 100 * np.mean(each.excess), 100 * max(each.excess)
        lines.append(f"| {each.kind} | {each.cells:,} | {len(each.excess)} | {mean:.2f}% | {worst:.2f}% |")
    return "\n".join([*lines, ""])


def _spread(times: list[float]) -> str:
    return f"{np.median(times):.2f} ({min(times):.2f}..{max(times):.2f})"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--side", type=int, default=1000)
    parser.add_argument("--plans", type=int, default=4)
    parser.add_argument("--maps", type=int, default=3)
    parser.add_argument("--kinds", nargs="+", default=list(KINDS))
    parser.add_argument("--out", default=str(Path(__file__).with_suffix(".md")))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
