"""Do all methods keep constraints in random spaces, and how long does a mixture take to plan beside a box?

``python -m benchmarks.constraints 1000`` makes so many spaces of 2 to 12 axes, plans an opening and then batches in
each by the methods in turn, and writes constraints.csv (a row per method) and constraints.md.
"""

import csv
import sys
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from time import process_time
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from wayfare._core.rng import stream
from wayfare.planning.catalogue import CATALOGUE
from wayfare.planning.method import Method
from wayfare.planning.plan import Task, plan_batch
from wayfare.planning.reach import Limits, Reach
from wayfare.policy import needs_whole_space
from wayfare.space import Choice, Integer, Linear, Only, Product, Real, Space
from wayfare.space.axes import Axis
from wayfare.surrogate.history import OPENING, History, Past
from wayfare.travel import Manhattan

HERE = Path(__file__).parent
METHODS = {name: entry.build() for name, entry in CATALOGUE.items() if not needs_whole_space(entry.build().policy)}
"""All that take a space without a list of its places: bandits of a table or of a whole box do not."""
TOLD = 10
"""Results that a batch is planned from."""
TIMED, REPEATS = (6, 30, 5), 5
"""Axes, results and stops of a timed plan, and how often it is timed."""


def random_space(rng: Generator) -> Space:
    """Return a space of 2 to 12 axes with one to four constraints that a place drawn beforehand keeps."""
    d = int(rng.integers(2, 13))
    axes = [
        _random_axis(f"x{i}", rng, int(rng.integers(6)) if i else 3) for i in range(d)
    ]  # at least one is of numbers
    place = Space(*axes).sample(1, rng)[0]
    numbers = [i for i, axis in enumerate(axes) if axis.choices is None]
    choices = [i for i, axis in enumerate(axes) if axis.choices is not None]
    rules: list[Linear | Product | Only] = []
    for _ in range(int(rng.integers(1, 4))):
        some = rng.permutation(numbers)[: int(rng.integers(1, d + 1))]
        kind = rng.integers(4)
        if len(some) and kind == 0:  # a sum, cut near the place
            weights = {axes[i].name: float(rng.choice([-2.0, -1.0, 0.5, 1.0, 3.0])) for i in some}
            rules.append(Linear(weights, at_most=_sum(weights, axes, place) + 0.1 * float(rng.exponential())))
        elif len(some) and kind == 1:  # a mixture of all that is continuous
            parts = {axes[i].name: 1.0 for i in numbers if axes[i].size is None}
            if parts and not any(isinstance(one, Linear) and one.is_equality for one in rules):
                rules.append(Linear(parts, equals=_sum(parts, axes, place)))
        elif len(some) and kind == 2:  # a product or ratio
            powers = {axes[i].name: float(rng.choice([-1.0, 1.0])) for i in some[:3]}
            whole = np.prod([place[i] ** powers[axes[i].name] for i in some[:3]])
            rules.append(Product(powers, at_most=float(whole) * (1 + float(rng.exponential()))))
        elif choices:
            column, owned = int(rng.choice(choices)), {one.axis for one in rules if isinstance(one, Only)}
            free = [axis for axis in axes if axis.choices is None and axis.name not in owned]
            if free:  # the place has the value with which the axis is free
                when = {axes[column].name: axes[column].value(float(place[column]))}
                idle = free[0].value(float(free[0].snap(np.array([-np.inf]))[0]))
                rules.append(Only(free[0].name, when=when, otherwise=idle))
    return Space(*axes, constraints=rules)


def _random_axis(name: str, rng: Generator, kind: int) -> Axis:
    low = 0.05 + float(rng.integers(0, 4))
    if kind == 0:
        return Choice(name, ["a", "b", "c"][: int(rng.integers(2, 4))])
    if kind == 1:
        return Integer(name, 1, int(rng.integers(2, 200)), log=bool(rng.integers(2)))
    if kind == 2:
        return Real(name, low, low + 1, step=0.05)
    return Real(name, low, low + float(rng.choice([0.5, 1, 10])), log=bool(rng.integers(2)))


def _sum(weights: dict[str, float], axes: list[Axis], place: np.ndarray) -> float:
    return float(sum(place[i] * weights.get(axis.name, 0.0) for i, axis in enumerate(axes)))


def plans(space: Space, method: Method, rng: Generator) -> list[np.ndarray]:
    """Return the places of an opening, of a batch, and of a batch whose legs are limited."""
    numbers = [name for name, choice in zip(space.names, space.choices, strict=True) if choice is None]
    travel = Manhattan(numbers).bind(space)
    start, *x = space.sample(1 + TOLD, rng)
    opening = plan_batch(Task(method, space, travel, History.empty(space, start), 30), rng)
    y = rng.standard_normal(len(x))
    history = History(space, np.array(x), y, np.empty((0, space.d)), start, past=(Past(0, OPENING),))
    batch = plan_batch(Task(method, space, travel, history, 12), rng)
    far = float(travel(start[None, :], np.array(x)).max())
    reach = Reach(travel, start, limits=Limits(budget=far), left=far) if far else Reach(travel, start)
    near = plan_batch(Task(method, space, travel, history, 12, reach), rng)
    return [plan.itinerary.places for plan in (opening, batch, near)]


def keeps_all(space: Space, x: np.ndarray) -> bool:
    """Return whether all places are allowed, by the constraints themselves."""
    return bool(space.contains(x).all() and all(rule.keeps(x).all() for rule in space.constraints))


def timed(space: Space, method: Method) -> float:
    """Return the CPU seconds of one plan, the least of some."""
    _, told, left = TIMED
    x = space.sample(told, stream(1))
    y = -np.square(space.encode(x) - 0.2).sum(axis=1)
    history = History(space, x, y, np.empty((0, space.d)), x[0], past=(Past(0, OPENING),))
    took = []
    for repeat in range(REPEATS):
        begin = process_time()
        plan_batch(Task(method, space, Manhattan().bind(space), history, left), stream(2, str(repeat)))
        took.append(process_time() - begin)
    return min(took)


class Found(NamedTuple):
    """Counts: by method of spaces, places and plans that break a constraint, then of axes and of kinds of rules."""

    spaces: Counter[str]
    places: Counter[str]
    broken: Counter[str]
    axes: Counter[int]
    rules: Counter[str]


def look(seeds: Iterable[int]) -> Found:
    """Plan in a random space for each seed, by the methods in turn."""
    found = Found(Counter(), Counter(), Counter(), Counter(), Counter())
    names = list(METHODS)
    for seed in seeds:
        name, rng = names[seed % len(names)], stream(seed)
        space = random_space(rng)
        found.spaces[name] += 1
        found.axes[space.d] += 1
        found.rules.update(type(rule).__name__ for rule in space.constraints)
        for places in plans(space, METHODS[name], rng):
            found.places[name] += len(places)
            found.broken[name] += not keeps_all(space, places)
    return found


def times() -> str:
    """Return the table of what a plan of a mixture takes, beside a box of the same axes."""
    rows = ["| method | axes | box | mixture | ratio |", "| --- | --- | ---: | ---: | ---: |"]
    for name in ("wayfare", "ucb"):
        for words, step in (("continuous", None), ("in steps of 1%", 0.01)):
            parts = [Real(f"c{i}", 0, 1, step=step) for i in range(TIMED[0])]
            whole = Linear([part.name for part in parts], equals=1)
            alone = timed(Space(*parts), METHODS[name])
            together = timed(Space(*parts, constraints=[whole]), METHODS[name])
            shown = f"{1e3 * alone:.0f} ms | {1e3 * together:.0f} ms | {together / alone:.2f}"
            rows.append(f"| `{name}` | {words} | {shown} |")
    return "\n".join(rows)


def write(found: Found) -> None:
    """Write the table and the page."""
    with (HERE / "constraints.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["method", "spaces", "places", "plans_that_break_a_constraint"])
        writer.writerows([name, found.spaces[name], found.places[name], found.broken[name]] for name in METHODS)
    kinds = ", ".join(f"{n:,} {kind}" for kind, n in sorted(found.rules.items()))
    spaces = found.spaces.total()
    (HERE / "constraints.md").write_text(
        f"""# Constraints

`python -m benchmarks.constraints {spaces}` made {spaces:,} random spaces of {min(found.axes)} to {max(found.axes)} axes
({kinds} constraints), and planned in each an opening, a batch from {TOLD} results and a batch within a tight budget, by
{len(METHODS)} methods in turn ([constraints.csv](constraints.csv)).

**Of {found.places.total():,} places, those of {found.broken.total()} plans broke a constraint.**

A plan from {TIMED[1]} results, {TIMED[2]} trials left, of a mixture of {TIMED[0]} components, beside one in the box of
the same axes (CPU, the least of {REPEATS}; the aim is at most twice the time of the box, with continuous axes):

{times()}
"""
    )


if __name__ == "__main__":
    write(look(range(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)))
