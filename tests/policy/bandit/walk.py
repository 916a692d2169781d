"""A bandit walked through a study without one: plans, results, and the history they add up to."""

from collections.abc import Callable

import numpy as np
from attrs import define, field

from wayfare._core.rng import stream
from wayfare.planning.itinerary import Itinerary
from wayfare.planning.method import Method
from wayfare.planning.opening import NoOpening
from wayfare.planning.plan import Task, plan_batch
from wayfare.policy.base import Situation
from wayfare.policy.schedule import Horizon
from wayfare.route import AsGiven
from wayfare.surrogate import Tally
from wayfare.surrogate.history import History, Past
from wayfare.travel import Euclidean, Fee


@define
class Walk:
    """What happened so far. ``value(place, first, n)`` is the mean of n results, after ``first`` others."""

    policy: object
    space: object
    horizon: int
    value: Callable
    x: list = field(factory=list)
    y: list = field(factory=list)
    counts: list = field(factory=list)
    past: list = field(factory=list)
    failed: list = field(factory=list)
    taken: dict = field(factory=dict)
    handed_out: int = 0
    position: object = None

    @property
    def history(self) -> History:
        d = self.space.d
        return History(
            self.space,
            np.array(self.x).reshape(-1, d),
            np.array(self.y, dtype=float),
            np.empty((0, d)),
            self.position,
            past=tuple(self.past),
            counts=np.array(self.counts, dtype=int),
            failed=np.array(self.failed).reshape(-1, d),
            handed_out=self.handed_out,
        )

    @property
    def left(self) -> int:
        return self.horizon - self.handed_out

    def plan(self) -> Itinerary:
        method = Method(self.policy, Horizon(), Tally(), AsGiven(), NoOpening())
        travel = Euclidean().bind(self.space)
        plan = plan_batch(Task(method, self.space, travel, self.history, self.left), stream(7, len(self.past)))
        self.past.append(Past(len(self.y), plan.notes))
        return plan.itinerary

    def tell(self, place, count: int) -> None:
        key = tuple(np.round(place, 9))
        first = self.taken.get(key, 0)
        self.taken[key] = first + count
        self.x.append(place)
        self.y.append(self.value(place, first, count))
        self.counts.append(int(count))
        self.handed_out += int(count)
        self.position = place

    def step(self) -> Itinerary:
        plan = self.plan()
        for place, count in zip(plan.places, plan.counts, strict=True):
            self.tell(place, count)
        return plan

    def plans(self) -> list[Itinerary]:
        made = []
        while self.left:
            made.append(self.step())
        return made


def situation_with(history: History) -> Situation:
    """Return the situation after ``history``, tallied."""
    surrogate = Tally()
    posterior = surrogate.fit(history, np.random.default_rng(0))
    return Situation(history.space, Fee(1.0).bind(history.space), history, surrogate, posterior)


def noisy(function: Callable, noise: float, seed: int) -> Callable:
    """Return values whose noise is named by place and number: whoever asks, and when, gets the same."""

    def value(place, first, count):
        word = np.round(np.asarray(place) * 2**20).astype(np.int64).tolist()
        rng = stream(seed, *(abs(one) for one in word), first, count)
        return float(function(np.asarray(place)) + noise * rng.standard_normal() / np.sqrt(count))

    return value
