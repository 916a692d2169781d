"""Do all methods keep constraints in random spaces, and how long does a mixture take to plan beside a box?

``python -m benchmarks.constraints 1000`` makes so many spaces of 2 to 12 axes, plans an opening and then batches in
each by the methods in turn, and writes constraints.csv (a row per method) and constraints.md.
"""

import csv
import sys
from collections import Counter
from pathlib import Path
from time import process_time

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


def timed(space: Space) -> float:
    """Return the CPU seconds of one plan, the least of some."""
    _, told, left = TIMED
    x = space.sample(told, stream(1))
    y = -np.square(space.encode(x) - 0.2).sum(axis=1)
    history = History(space, x, y, np.empty((0, space.d)), x[0], past=(Past(0, OPENING),))
    took = []
    for repeat in range(REPEATS):
        begin = process_time()
        plan_batch(Task(METHODS["ucb"], space, Manhattan().bind(space), history, left), stream(2, str(repeat)))
        took.append(process_time() - begin)
    return min(took)


def main(spaces: int) -> None:
    """Measure, and write what was found."""
    looked, broken = Counter[str](), Counter[str]()
    axes, rules = Counter[int](), Counter[str]()
    names = list(METHODS)
    for seed in range(spaces):
        name, rng = names[seed % len(names)], stream(seed)
        space = random_space(rng)
        axes[space.d] += 1
        rules.update(type(rule).__name__ for rule in space.constraints)
        for places in plans(space, METHODS[name], rng):
            looked[name] += len(places)
            broken[name] += not keeps_all(space, places)
    with (HERE / "constraints.csv").open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["method", "spaces", "places", "plans_that_break_a_constraint"])
        counts = Counter(names[seed % len(names)] for seed in range(spaces))
        writer.writerows([name, counts[name], looked[name], broken[name]] for name in names)
    d = TIMED[0]
    parts = [Real(f"c{i}", 0, 1) for i in range(d)]
    box, mixture = Space(*parts), Space(*parts, constraints=[Linear([part.name for part in parts], equals=1)])
    alone, together = timed(box), timed(mixture)
    kinds = ", ".join(f"{n} {kind}" for kind, n in sorted(rules.items()))
    (HERE / "constraints.md").write_text(
        f"""# Constraints

`python -m benchmarks.constraints {spaces}` made {spaces:,} random spaces of {min(axes)} to {max(axes)} axes
({kinds} constraints), and planned in each an opening, a batch from {TOLD} results and a batch within a tight budget, by
{len(names)} methods in turn ([constraints.csv](constraints.csv)).

**Of {sum(looked.values()):,} places, those of {sum(broken.values())} plans broke a constraint.**

A plan from {TIMED[1]} results, {TIMED[2]} trials left, on a mixture of {d} components takes **{together / alone:.2f}
times** the CPU of one in the box of the same axes ({1e3 * together:.0f} and {1e3 * alone:.0f} ms, `ucb`, the least of
{REPEATS}).
"""
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000)
