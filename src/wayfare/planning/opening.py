"""Where a study looks first: the places of its first route."""

from collections.abc import Mapping
from typing import Protocol

import numpy as np
from attrs import frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Features, Mask, Order, Points, Values, no_points, unique_rows
from wayfare.errors import InvalidInput
from wayfare.policy import in_space
from wayfare.route import ShortRoute, plan_route
from wayfare.space import AnySpace
from wayfare.space.designs import distinct
from wayfare.surrogate.history import History
from wayfare.travel import TravelCost, priced

TABLE = 10_000
"""The most places of a finite space that are looked at one by one; of more, a sample is."""
LOOKED = 512
"""Number of places sampled to find out which values of choices there are, and where."""
SPREAD = 256
"""Number of places sampled to find out how far the farthest is from a survey."""
NEARBY = 32
"""Number of places looked at around each that would show a new value."""


@frozen(eq=False)
class Beginning:
    """All that an opening may look at.

    Attributes:
        space: where the traveller may go; without the places visited before, where each may be visited only once.
        start: where the study begins: the place where the traveller stands, or the nearest to it. It is drawn if the
            traveller stands nowhere yet.
        travel: the cost of moving.
        history: what is known before the first route. Usually nothing, else old results.
        most: the most places that the first route may have: a third of the trials, and the start if nothing is known.
    """

    space: AnySpace
    start: Values
    travel: TravelCost
    history: History
    most: int


class Opening(Protocol):
    """Chooses the places of the first route, before any trial of the study."""

    def places(self, beginning: Beginning, rng: Generator) -> Points | None:
        """Return the places of the first route, in no order; None, or none, to leave it to the policy.

        The first ``beginning.most`` are visited, the start only if it is among them. If a place may be visited only
        once, none may come twice.

        Args:
            beginning: all that the opening may look at.
            rng: the only source of chance.
        """
        ...


@frozen
class JustStart:
    """The start alone; if there are old results, the policy chooses at once."""

    def places(self, beginning: Beginning, rng: Generator) -> Points | None:
        """Return the start if nothing is known yet."""
        return None if len(beginning.history.known) else beginning.start[None, :]


@frozen
class ShowValues:
    """The start alone; in a space with choices, a survey that shows every value of every choice.

    It has 2 (d + 1) places for d axes to move along, the start among them, or as many as there are values. That many
    are usual before a model is trusted; a model that has seen one place of a value knows next to nothing about it.
    With old results it visits new values as ``Survey`` does.
    """

    def places(self, beginning: Beginning, rng: Generator) -> Points | None:
        """Return the start, or a survey; with old results, places that show new values, if any."""
        if not any(values is not None and len(values) > 1 for values in beginning.space.choices):
            return JustStart().places(beginning, rng)
        return Survey(2 * len(np.unique(beginning.space.groups)) + 1).places(beginning, rng)


@frozen
class NoOpening:
    """No opening: the policy chooses the first route like any other, and the start is not visited for its own sake."""

    def places(self, beginning: Beginning, rng: Generator) -> None:
        """Return None."""


@frozen
class Survey:
    """A few places on one short route, so that more is known than the surroundings of the start.

    Besides the start there are as many as axes to move along, at least ``least``, and enough to show every value of
    every choice. With the start they are a Latin hypercube about the middle of the space (``Space.survey``), so none is
    spent near the start; in a table they are the places nearest to such a design over its box. No place comes twice.

    Of ``designs`` draws the one with the shortest route is used. With ``covering`` the route is weighed by what it
    leaves unseen: its cost times the largest distance from any place of the space to the nearest place of the survey,
    in the unit cube. And in a space with choices there are at least 3 (d + 1) places then, the start among them.

    If there are old results, the values of choices that none of them has are visited, each once at the settings of the
    best result: what was good with another value is the best guess for a new one, and differs from it in nothing else.
    Then only a ``covering`` survey goes on to its own places, for old results need not lie where a survey would.
    """

    least: int = 4
    designs: int = 8
    covering: bool = False

    def __attrs_post_init__(self) -> None:
        checks.count(self.least, "Survey: least", 1)
        checks.count(self.designs, "Survey: designs", 1)

    def places(self, beginning: Beginning, rng: Generator) -> Points | None:
        """Return the start and the places of the survey; with old results, places that show new values first."""
        values = _values(beginning.space, rng)
        if not len(beginning.history.known):
            return self._survey(beginning, values, rng)
        new = _new_values(beginning, values, rng)
        if not self.covering:
            return new
        x = np.vstack([no_points(beginning.space.d) if new is None else new, self._survey(beginning, values, rng)])
        return x[unique_rows(x)[0]]

    def _survey(self, beginning: Beginning, values: dict[int, Values], rng: Generator) -> Points:
        space, start, axes = beginning.space, beginning.start, len(np.unique(beginning.space.groups))
        least = max(self.least, 3 * axes + 2) if self.covering and values else self.least
        enough = max([least, axes, *(len(every) - 1 for every in values.values())])
        n = max(0, min(enough, beginning.most - 1))
        drawn = [distinct(start, space.survey(start, n, rng)) for _ in range(self.designs)]
        costs = [plan_route(beginning.travel, start, places, None, ShortRoute(), rng).cost for places in drawn]
        # Where places coincided, or a value did not fit, a design has less to see; that must not make its route short.
        whole = [np.vstack([start, places]) for places in drawn]
        seen = [sum(len(np.unique(places[:, column])) for column in values) for places in whole]
        if self.covering:
            everywhere = space.encode(space.sample(SPREAD, rng))
            costs = [cost * _unseen(everywhere, space.encode(x)) for cost, x in zip(costs, whole, strict=True)]
        return whole[min(range(self.designs), key=lambda i: (-seen[i], -len(drawn[i]), costs[i]))]


def _unseen(everywhere: Features, x: Features) -> float:
    """Return the largest distance of a place from the nearest of ``x``."""
    nearest = np.square(everywhere[:, None, :] - x[None, :, :]).sum(axis=2).min(axis=1)
    return float(np.sqrt(nearest.max(initial=0.0)))


def _values(space: AnySpace, rng: Generator) -> dict[int, Values]:
    """Return for the column of each choice the values there are places with, as far as a sample shows.

    Left out is a column of a table that names its places: most of its values have a single place.
    """
    columns = [column for column, values in enumerate(space.choices) if values is not None and len(values) > 1]
    if not columns:
        return {}
    table = space.everything(TABLE)
    x = space.sample(LOOKED, rng) if table is None else table
    found = {column: np.unique(x[:, column], return_counts=True) for column in columns}
    tells_apart = table is not None and len(np.unique(space.groups)) > 1
    return {column: values for column, (values, n) in found.items() if not tells_apart or np.median(n) > 1}


def _new_values(beginning: Beginning, values: dict[int, Values], rng: Generator) -> Points | None:
    """Return places that show each value no known place has, at the settings of the best result."""
    known = beginning.history.known
    new = {column: rng.permutation(np.setdiff1d(every, known[:, column])) for column, every in values.items()}
    sizes = [len(some) for some in new.values()]
    # One value differs from the best place, where that is affordable; else choices take on new values together.
    apart = sum(sizes) <= beginning.most
    n = sum(sizes) if apart else min(beginning.most, max(sizes))
    if n == 0:
        return None
    wanted = np.tile(_best_known(beginning), (n, 1))
    shows = np.zeros(wanted.shape, dtype=np.bool_)
    begin = 0
    for column, some in new.items():
        rows = slice(begin, min(n, begin + len(some)))
        wanted[rows, column] = some[: n - begin]
        shows[rows, column] = True
        begin += len(some) * apart
    x = np.vstack([_nearest(beginning.space, *one, rng) for one in zip(wanted, shows, strict=True)])
    return x[unique_rows(x)[0]]


def _best_known(beginning: Beginning) -> Values:
    """Return the place of the best result, of those allowed that broke the fewest limits; without results the start."""
    history = beginning.history
    if not history.told:
        return beginning.start
    return np.asarray(history.x[history.ranked[0]])


def _nearest(space: AnySpace, place: Values, fixed: Mask, rng: Generator) -> Points:
    """Return the nearest place that agrees with this one in the fixed columns, as a table; empty if none is found."""
    here = place[None, :]
    table = space.everything(TABLE)
    if table is None:
        table = np.vstack([space.snap(here), space.around(here, 0.1, NEARBY, rng), space.sample(LOOKED, rng)])
    table = rng.permutation(table[(table[:, fixed] == place[fixed]).all(axis=1)])  # which of equally near ones is drawn
    away = np.square(space.encode(table) - space.encode(here)).sum(axis=1)
    return np.asarray(table[np.argsort(away, kind="stable")[:1]])


def first_places(
    opening: Opening, space: AnySpace, travel: TravelCost, history: History, left: int, rng: Generator
) -> Points | None:
    """Return the places of the first route as the opening has them; None if it leaves them to the policy.

    It may use a third of the trials that are left, because what it finds must be learned from, and visit the start.
    """
    start = _first_place(space, travel, history, rng)
    most = left // 3 + (len(history.known) == 0)
    x = opening.places(Beginning(space, start[0], travel, history, most), rng)
    if x is None:
        return None
    who = f"opening {type(opening).__name__}"
    x = in_space(who, x, space)[:most]
    if space.once and len(unique_rows(x)[0]) < len(x):
        raise InvalidInput(f"{who} returned a place twice, where each may be visited only once")
    return x if len(x) else None


def added_places(
    space: AnySpace, travel: TravelCost, history: History, added: Mapping[int, Order], left: int, rng: Generator
) -> Points | None:
    """Return places that show the values a change of the study brought in, at the settings of the best result.

    They are a route of their own, so that the next results say something about each; no more than a third of the trials
    that are left. None if no place in reach has such a value.

    Args:
        space: where the traveller may go.
        travel: the cost of moving.
        history: what is known.
        added: by column of a choice, the positions of the values.
        left: how many results may still be taken.
        rng: the only source of chance.
    """
    there = _values(space, rng)
    values = {column: np.intersect1d(there[column], new) for column, new in added.items() if column in there}
    start = _first_place(space, travel, history, rng)[0]
    return _new_values(Beginning(space, start, travel, history, max(1, left // 3)), values, rng)


def _first_place(space: AnySpace, travel: TravelCost, history: History, rng: Generator) -> Points:
    """Return where a study begins: at its start if that is in the space, else at the nearest place.

    Without a start it is drawn, and free to reach. In a finite space the nearest place is the cheapest one to reach.
    """
    if history.position is None:
        return space.sample(1, rng)
    start = history.position[None, :]
    table = space.everything(TABLE)
    if space.contains(start).all() or table is None:
        return space.snap(start)
    return table[[int(priced(travel, start, table)[0].argmin())]]
