"""Random studies with a budget, some with trips or a maximum step, and how people walk them."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

import wayfare as wf
from wayfare._core.arrays import Points, Values
from wayfare.travel import TravelCost

METHODS = ("random", "random-route", "lhs-route", "ucb", "wayfare", "tucb", "tts", "snake", "lsr")
TABLE_METHODS = ("base", "ucb1")
TOLD = ("nothing", "no more than expected", "anything")
"""What is told of legs: nothing, what is no surprise, or what they really cost."""
SLOW = {"ucb", "wayfare", "tucb", "tts", "snake", "lsr"}


class World(NamedTuple):
    """How a study is walked, and what its legs really cost."""

    told: str  # of legs, one of TOLD
    share: float  # of legs of which something is told
    scale: float  # what a leg really costs is so many times what was stated,
    offset: float  # and so much more, in the unit of the travel cost,
    noise: float  # give or take such a share
    at_once: int  # how many results may be out at a time
    reopened: bool  # whether the study is in a file, and opened again now and then

    def cost(self, stated: float, rng: Generator) -> float:
        """Return what a leg really costs."""
        off = float(np.exp(self.noise * rng.normal()))
        return (self.scale * stated + self.offset) * off if stated > 0 else 0.0


def random_world(rng: Generator) -> World:
    """Return how a study is walked."""
    told = str(rng.choice(TOLD, p=[0.5, 0.15, 0.35]))
    return World(
        told=told,
        share=0.0 if told == "nothing" else float(rng.choice([0.6, 1.0])),
        scale=float(rng.choice([0.4, 0.8, 1.0, 1.3, 2.0])),
        offset=float(rng.choice([0.0, 0.0, 0.1, 1.0])),
        noise=float(rng.choice([0.0, 0.1, 0.4])),
        at_once=int(rng.choice([1, 1, 2, 4, 8])),
        reopened=bool(rng.random() < 0.1),
    )


def random_study(rng: Generator, long: bool, store: Path | None = None) -> tuple[wf.Study, str, str]:
    """Return a study with a budget, kept in memory or in a file, and what it is like.

    A ``long`` one has more trials and a larger budget, so that there is time to learn what legs cost.
    """
    space, kind = random_space(rng)
    travel, name = random_cost(space, rng)
    methods = METHODS + TABLE_METHODS * (kind == "table")
    quick = [one for one in methods if one not in SLOW]
    method = str(rng.choice(quick if long and rng.random() < 0.8 else methods))
    x = space.sample(16, rng)
    start = None if rng.random() < 0.15 else around_box(space, x, rng)
    end = None if rng.random() < 0.25 else around_box(space, x, rng)
    bound = travel.bind(space)
    size = float(bound(x, x).mean()) + 1e-3
    least = 0.0
    if start is not None and end is not None:
        least = float(bound(start[None, :], end[None, :])[0, 0])
    returns = start is not None and rng.random() < 0.3
    ample = float(rng.choice([4.0, 8.0, 16.0] if long else [0.05, 0.5, 2.0, 6.0]))
    budget = (0.0 if returns else least) + size * ample * rng.random()
    most = 8 if method in SLOW else 13 if long else 25
    fewest = most if long else 1
    if space.once:
        most = min(most, space.size or most)
        fewest = min(fewest, most)
    stated: dict[str, Any] = {
        "direction": "maximize",
        "travel": travel,
        "trials": int(rng.integers(fewest, most + 1)),
        "start": start,
        "method": method,
        "seed": int(rng.integers(1000)),
        "budget": budget + 1e-6,
        "home": "start" if returns else end,
        "store": store,
        "dwell": 0.0 if rng.random() < 0.5 else size * float(rng.choice([0.01, 0.1, 0.5])),
    }
    if not space.once and rng.random() < 0.2:
        stated |= {"anchor": "best", "anchor_every": int(rng.integers(1, 6))}
    if rng.random() < 0.15:
        stated["shuffle"] = float(rng.uniform(0.1, 1.0))
    return limited(space, stated, size, rng), f"{kind}, {name}", method


def limited(space: wf.Space | wf.Places, stated: dict[str, Any], size: float, rng: Generator) -> wf.Study:
    """Return the study with trips, with a maximum step or with neither; wider where nobody can keep to it."""
    draw, wide = rng.random(), size * float(rng.choice([0.5, 2.0, 6.0])) * float(rng.uniform(0.1, 1.0))
    while True:
        more: dict[str, Any] = {}
        if draw < 0.4 and stated["home"] is not None:
            more = {"trip": wide, "trip_cost": 0.1 * size, "budget": 4 * stated["budget"]}
        elif draw > 0.7:
            more = {"max_step": wide}
        try:
            return wf.Study.create(space, **(stated | more))
        except wf.InvalidInput:
            if wide > 1e6 * size:
                raise
            wide, stated["budget"] = 2 * wide, 2 * stated["budget"]


def random_space(rng: Generator) -> tuple[wf.Space | wf.Places, str]:
    """Return a box, a mixed space or a table of places."""
    kind = str(rng.choice(["box", "mixed", "table", "once"]))
    if kind == "box":
        d = int(rng.integers(1, 4))
        return wf.Space(*(wf.Real(f"x{i}", 0.0, float(rng.uniform(0.5, 20))) for i in range(d))), kind
    if kind == "mixed":
        axes = (wf.Real("a", 0.1, 10.0, log=True), wf.Integer("b", 0, 8), wf.Choice("c", ["u", "v", "w"]))
        return wf.Space(*axes), kind
    rows = rng.uniform(0, 10, size=(int(rng.integers(2, 30)), 2))
    return wf.Places(rows, once=kind == "once"), kind


def random_cost(space: wf.Space | wf.Places, rng: Generator) -> tuple[TravelCost, str]:
    """Return a cost: straight, in turn, faster one way than the other, with a fee for every move."""
    numbers = [name for name, values in zip(space.names, space.choices, strict=True) if values is None]
    straight = wf.Euclidean(axes=numbers)
    ramps = wf.serial(*(wf.Ramp(name, up=1.0, down=float(rng.uniform(0.2, 5))) for name in numbers))
    kind = str(rng.choice(["euclidean", "manhattan", "ramps", "fee"]))
    costs: dict[str, TravelCost] = {
        "euclidean": straight,
        "manhattan": wf.Manhattan(axes=numbers),
        "ramps": ramps,
        "fee": straight + wf.Fee(float(rng.uniform(0.1, 3))),
    }
    return costs[kind], kind


def around_box(space: wf.Space | wf.Places, x: Points, rng: Generator) -> Values:
    """Return a place of the space, or one a little outside of it."""
    place = np.array(x[int(rng.integers(len(x)))])
    if rng.random() < 0.5:
        for column, values in enumerate(space.choices):
            if values is None and float(place[column]).is_integer() is False:
                place[column] += rng.normal()
    return place
