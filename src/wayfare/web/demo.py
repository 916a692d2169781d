"""A made-up study that plays by itself, for a first look at the page: a boat looks for algae in a lagoon.

The lagoon, its islands and the algae are invented. All else is as in a real study: the boat asks, goes, and tells.
"""

import itertools
import logging
from contextlib import suppress
from pathlib import Path
from threading import Event, Thread
from typing import Self

import numpy as np

from wayfare._core.arrays import Matrix, Points, Values
from wayfare._core.rng import stream
from wayfare.errors import AlreadyTold, Conflict, WayfareError
from wayfare.space import Places
from wayfare.study.study import Study
from wayfare.travel import Raster

WEST, EAST, SOUTH, NORTH = 11.90, 12.02, 45.20, 45.26
ROWS, COLUMNS = 30, 44
ISLANDS = ((0.30, 0.55, 0.16, 0.12), (0.62, 0.35, 0.10, 0.20), (0.55, 0.78, 0.18, 0.07), (0.83, 0.62, 0.07, 0.10))
"""East and north of the middle, half width and half height, as shares of the lagoon."""
PEAKS = ((0.72, 0.83, 0.16, 1.0), (0.80, 0.22, 0.13, 0.8), (0.22, 0.30, 0.20, 0.6))
"""East and north of a bloom, its width and height."""
TRIALS, TANK, PAUSE, FIRST = 40, 30.0, 3.0, 6
"""Samples of a study; km on one tank; seconds that a leg takes; samples that are there from the start."""
KM_PER_DEGREE = 111.2

_log = logging.getLogger(__name__)


def lagoon() -> Matrix:
    """Return the map, north first: 1 is water, 0 is land."""
    north, east = np.meshgrid(np.linspace(1, 0, ROWS), np.linspace(0, 1, COLUMNS), indexing="ij")
    shore = np.hypot((east - 0.5) / 0.53, (north - 0.5) / 0.56) + 0.06 * np.sin(9 * east) * np.cos(7 * north) < 1
    on_land = [np.hypot((east - x) / wide, (north - y) / high) < 1 for x, y, wide, high in ISLANDS]
    return np.asarray(shore & ~np.logical_or.reduce(on_land), dtype=np.float64)


def shares(x: Points) -> Points:
    """Return how far east and north each place is, as shares of the lagoon; places are latitude and longitude."""
    return np.column_stack([(x[:, 1] - WEST) / (EAST - WEST), (x[:, 0] - SOUTH) / (NORTH - SOUTH)])


def algae(x: Points) -> Values:
    """Return the made-up algae at places, in micrograms per litre."""
    at = shares(x)
    far = ((((at - [east, north]) / wide) ** 2).sum(axis=1) for east, north, wide, _ in PEAKS)
    blooms = [high * np.exp(-0.5 * away) for away, (*_, high) in zip(far, PEAKS, strict=True)]
    return np.asarray(4 + 30 * np.sum(blooms, axis=0))


def begin(path: Path, name: str, seed: int) -> Study:
    """Begin a study of the lagoon in the store at ``path``."""
    per_east = KM_PER_DEGREE * np.cos(np.radians((SOUTH + NORTH) / 2))
    cell = (EAST - WEST) / (COLUMNS - 1) * per_east, (NORTH - SOUTH) / (ROWS - 1) * KM_PER_DEGREE
    water = Raster(lagoon(), "lon", "lat", columns=(WEST, EAST), rows=(NORTH, SOUTH), cell=cell, moves="any", unit="km")
    open_cells = water.places()
    rows = np.round(open_cells.table[:, [open_cells.column("lat"), open_cells.column("lon")]], 5)
    places = Places(rows, names=["lat", "lon"])
    pier = rows[np.argmin(rows[:, 1])]
    return Study.create(
        places,
        direction="maximize",
        travel=water,
        trials=TRIALS,
        start=pier,
        home="start",
        trip=TANK,
        trip_cost=1.0,
        seed=seed,
        store=path,
        name=name,
        by="the boat",
    )


class Boat:
    """A thread that plays: it begins a study, asks, waits as a leg would take, and tells; then it begins another."""

    def __init__(self, path: Path, pause: float = PAUSE) -> None:
        """Play in the store at ``path``; nothing happens before ``start``."""
        self._path, self._pause, self._over = path, pause, Event()
        self._thread = Thread(target=self._play, daemon=True, name="boat")

    def start(self) -> Self:
        """Begin to play."""
        begin(self._path, "lagoon", 0)
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop at the next stop."""
        self._over.set()
        self._thread.join(timeout=5)

    def _play(self) -> None:
        try:
            for number in itertools.count(1):
                name = "lagoon" if number == 1 else f"lagoon {number}"
                if number > 1:
                    begin(self._path, name, number)
                if not self._played(Study.open(self._path, name, by="the boat"), number):
                    return
        except WayfareError:
            _log.exception("the demo cannot go on")

    def _played(self, study: Study, number: int) -> bool:
        """Play one study to its end; return whether to go on."""
        for at in itertools.count():
            trial = study.ask()
            if trial is None:
                return not self._over.wait(10 * self._pause)
            if (number > 1 or at >= FIRST) and self._over.wait(self._pause):
                return False
            rng = stream(number, trial.number)
            with suppress(AlreadyTold, Conflict):  # a visitor of the page was first
                if rng.random() < 0.04:
                    study.fail(trial, "weed in the sampler")
                else:
                    study.tell(trial, round(float(algae(trial.x[None, :])[0] + 0.4 * rng.standard_normal()), 2))
        return True
