"""Drawn studies: limits of all kinds together, mostly budgets with trips, walked as people walk them."""

from typing import Any

import numpy as np

import wayfare as wf

from .names import keywords
from .record import Log
from .studies import STUDIES, Mishap, failed, skipped, spent, study, walk
from .worlds import ISLAND, LAKE, LINE, MIXED, PLANE, PLOTS, REACTOR, ROADS, SITES, World, asymmetric

DRAWN = 60
WORLDS = (
    (PLANE, 5.2),
    (PLANE, 3.1),
    (asymmetric(), 6.9),
    (LINE, 3.3),
    (MIXED, 12.4),
    (SITES, 5.0),
    (PLOTS, 5.2),
    (LAKE, 7.0),
    (ISLAND, 7.1),
    (ROADS, 10.1),
    (REACTOR, 1160.0),
)
"""Each with a cost of the size that places are apart."""
METHODS = ("wayfare", "tucb", "tts", "random-route", "lhs-route", "snake", "random", "ucb", "lsr")


def drawn_options(world: World, size: float, rng: np.random.Generator) -> dict[str, Any]:
    """Return options of a study, in amounts that suit how far places are apart."""
    limits: dict[str, Any] = {"home": "start", "budget": size * float(rng.choice([4, 8, 12, 20]))}
    kind = str(rng.choice(["trip", "trip", "trip", "step", "none"]))
    if kind == "trip":
        limits |= {"trip": size * float(rng.choice([3, 4, 6])), "trip_cost": float(rng.choice([0, 0.2])) * size}
    elif kind == "step":
        limits |= {"max_step": size * float(rng.choice([0.5, 1.5]))}
    if rng.random() < 0.5:
        limits["dwell"] = size * float(rng.choice([0.02, 0.1]))
    if rng.random() < 0.2 and world is not PLOTS:
        limits |= {"anchor": "best", "anchor_every": int(rng.integers(2, 6))}
    if rng.random() < 0.15:
        limits["shuffle"] = 0.5
    return limits | {"method": str(rng.choice(METHODS)), "seed": int(rng.integers(1000))}


def widened(world: World, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options with limits doubled until some place is within reach."""
    for _ in range(12):
        try:
            wf.Study.create(world.space, direction="maximize", **keywords(options))
        except wf.InvalidInput:
            larger = {key: 2 * options[key] for key in ("budget", "trip", "max_step") if key in options}
            options = options | larger
        else:
            break
    return options


def drawn(log: Log, number: int) -> None:
    """Walk the study of a number."""
    rng = np.random.default_rng([number, 5])
    world, size = WORLDS[number % len(WORLDS)]
    options: dict[str, Any] = {"travel": world.travel, "start": world.start, "trials": int(rng.integers(10, 19))}
    options = widened(world, options | drawn_options(world, size, rng))
    log.begin(world.space, **options)
    every: list[Mishap | None] = [None, None, spent(1.3), spent(0.8), spent(1.1, 0.1)]
    happen: dict[int, Mishap] = {}
    if rng.random() < 0.5:
        happen = {int(rng.integers(1, 5)): skipped, int(rng.integers(5, 9)): failed()}
    walk(
        log,
        world,
        options["trials"] + 1,
        at_once=int(rng.choice([1, 1, 2, 3])),
        mishaps=happen,
        every=every[int(rng.integers(len(every)))],
        reopen_at=5 if rng.random() < 0.2 else None,
    )


def _script(number: int) -> None:
    study(f"drawn-{number:02}")(lambda log: drawn(log, number))


for _number in range(DRAWN):
    _script(_number)

__all__ = ["STUDIES"]
