"""Acquisition functions, and the search for the places where they are highest.

A finite space is looked at whole. Otherwise: a space-filling sample, clouds around the best visited places, and then
smaller and smaller clouds around the places that score best. Clouds step integers by whole steps and choices by whole
values, so no place is rounded after it was scored. Where the candidates lie matters more than how the best of them is
polished: per-place gradient climbs cost more and gained nothing.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from wayfare._core import lazy_scipy
from wayfare._core.arrays import Features, Mask, Order, Points, Values, no_points
from wayfare.errors import InvalidInput
from wayfare.policy.base import Admits, Situation, after_seeing
from wayfare.space import AnySpace
from wayfare.surrogate import Marginals

Score = Callable[[Points, Marginals], Values]
"""Returns one number per place, given the places and the belief there: larger is better."""

MAX_WHOLE = 10_000
"""A finite space of at most this many places is looked at whole."""
SPREAD, CLOUD, INCUMBENTS, CENTRES = 384, 20, 4, 6
"""How many places are in a sample (three times as many from five axes on), and in a cloud; around how many best
visited places, and around how many of the best candidates, clouds are drawn."""
RADII = (0.05, 0.015, 0.004)
"""Cloud sizes in the unit cube, coarse to fine."""
AVOIDED_RADIUS = 0.05
"""In the unit cube, along every axis."""
BEST_RESULTS = 96
"""How many of the best results are looked at for the best posterior mean."""
MAX_TRACKED = 768
"""At most this many of the best candidates are tracked while a batch is filled."""


def ucb(mean: Values, sd: Values, beta: float) -> Values:
    """Return the upper confidence bound, mean + sqrt(beta) sd."""
    return mean + math.sqrt(beta) * sd


def ucb_score(beta: float) -> Score:
    """Return the upper confidence bound as a score."""
    return lambda x, at: ucb(at.mean, at.sd, beta)


def log_ei(mean: Values, sd: Values, best: float) -> Values:
    """Return the logarithm of the expected improvement over ``best``.

    With z = (mean - best) / sd it is log(sd) + log(phi(z) + z Phi(z)), computed so that it stays finite and ordered
    where the improvement itself underflows (Ament et al. 2023): below z = -1 by the scaled complementary error
    function, and below z = -1e4 by its expansion, -z^2/2 - log(z^2).
    """
    z = (mean - best) / sd
    near = np.maximum(z, -1.0)
    log_phi = -0.5 * near * near - 0.5 * math.log(2 * math.pi)
    above = np.log(np.exp(log_phi) + near * np.exp(lazy_scipy.log_ndtr(near)))
    far = np.clip(z, -1e4, -1.0)
    # phi(z) + z Phi(z) = phi(z) (1 + z sqrt(pi/2) erfcx(-z/sqrt(2))); the bracket tends to 1/z^2.
    ratio = far * lazy_scipy.erfcx(-far / math.sqrt(2)) * math.sqrt(math.pi / 2)
    bracket = np.where(far < -1e3, 1.0 / np.square(far), 1.0 + ratio)
    below = -0.5 * np.square(np.minimum(z, -1.0)) - 0.5 * math.log(2 * math.pi) + np.log(bracket)
    return np.log(sd) + np.where(z > -1.0, above, below)


def pick_greedily(
    situation: Situation, score: Score, size: int, rng: Generator, on_pick: Callable[[float], None] = lambda mean: None
) -> Points:
    """Return ``size`` places, each the best one once those before it are hallucinated.

    In a space whose places may be visited only once, all admitted places if they are fewer.

    Args:
        situation: all that the policy may look at.
        score: larger is better.
        size: how many places to pick.
        rng: the source of chance.
        on_pick: called with the posterior mean at each place as it is picked.
    """
    x, values = shortlist(situation, score, size, rng)
    if size == 1:
        return x[[int(values.argmax())]]
    once = situation.space.once
    tracker = situation.expected.track(x)
    # Only places that may be visited once are ever taken; others stay candidates for the rest of the batch.
    taken = np.zeros(len(x), dtype=np.bool_)
    picks = []
    for _ in range(min(size, len(x)) if once else size):
        values = score(x, tracker.marginals)
        pick = int(np.where(taken, -np.inf, values).argmax())
        taken[pick] = once
        picks.append(pick)
        on_pick(float(tracker.marginals.mean[pick]))
        tracker.add(pick)
    return x[picks]


def shortlist(situation: Situation, score: Score, size: int, rng: Generator) -> tuple[Points, Values]:
    """Return the places that a batch of ``size`` is filled from, and their scores."""
    seen, first = _explore(situation, score, CENTRES + min(size, 3 * CENTRES) - 1, rng)
    admitted = seen.admitted(situation.admits)
    x, values, from_sample = seen.x[admitted], seen.values[admitted], (np.arange(len(seen.x)) < first)[admitted]
    if is_small(situation.space):
        return x, values
    # The best of all are crowded: once some of them are hallucinated, the best may be far from there.
    ranked = np.argsort(-values, kind="stable")
    kept = np.union1d(ranked[:MAX_TRACKED], ranked[from_sample[ranked]][:SPREAD])
    return x[kept], values[kept]


def candidates(situation: Situation, score: Score, centres: int, rng: Generator) -> tuple[Points, Values]:
    """Return admitted places worth choosing from, and their scores.

    Args:
        situation: all that the policy may look at.
        score: larger is better.
        centres: how many of the best places to refine the search around.
        rng: the source of chance.
    """
    return _explore(situation, score, centres, rng)[0].chosen(situation.admits)


def candidates_near(situation: Situation, score: Score, centres: int, rng: Generator) -> tuple[Points, Values]:
    """Return the candidates, and besides them the traveller's position and places around it.

    For scores that include travel costs: staying must not lose only because it was not scored.
    """
    seen, _ = _explore(situation, score, centres, rng)
    x, values = seen.chosen(situation.admits)
    here, space = situation.history.position, situation.space
    if here is None or is_small(space):
        return x, values
    stay = space.snap(here[None, :])
    around = np.vstack([stay, *(space.around(stay, radius, CLOUD, rng) for radius in RADII)])
    nearby = _look(situation, away(situation, around), score)
    near, scores = nearby.chosen(after_seeing(situation.admits, seen.x, seen.marginals))
    return np.vstack([x, near]), np.concatenate([values, scores])


class _Seen(NamedTuple):
    """Places that a search has looked at: the belief there from results alone, and their scores."""

    x: Points
    mean: Values
    sd: Values
    values: Values

    @property
    def marginals(self) -> Marginals:
        return Marginals(self.mean, self.sd)

    def admitted(self, admits: Admits) -> Mask:
        """Return which of them may be chosen."""
        return admits(self.x, self.marginals)

    def chosen(self, admits: Admits) -> tuple[Points, Values]:
        """Return those that may be chosen, and their scores."""
        admitted = self.admitted(admits)
        return self.x[admitted], self.values[admitted]


def _explore(situation: Situation, score: Score, centres: int, rng: Generator) -> tuple[_Seen, int]:
    """Return all places looked at, admitted or not, and how many of them are from the first look."""
    space = situation.space
    seen = _look(situation, first_look(situation, rng), score)
    first = len(seen.x)
    for radius in () if is_small(space) else RADII:
        # All places seen so far are judged together, so that a cloud is not compared only with itself.
        ranked = np.argsort(-np.where(seen.admitted(situation.admits), seen.values, -np.inf), kind="stable")
        top = seen.x[ranked[: 8 * centres]]
        middle = top[apart(space.encode(top), centres, radius)]
        cloud = _look(situation, away(situation, space.around(middle, radius, CLOUD, rng)), score)
        seen = _Seen(*(np.concatenate(pair) for pair in zip(seen, cloud, strict=True)))
    return seen, first


def _look(situation: Situation, x: Points, score: Score) -> _Seen:
    """Return the places with the belief from results alone, and their scores with pending places hallucinated."""
    believed = situation.posterior.marginals(x)
    expected = situation.expected.marginals(x) if len(situation.history.pending) else believed
    return _Seen(x, *believed, score(x, expected))


def first_look(situation: Situation, rng: Generator) -> Points:
    """Return the places every search begins with: all, or a sample of them and clouds around the best visited.

    Without those next to a place to keep away from, unless no others are left.
    """
    space, history = situation.space, situation.history
    if space.size == 0:
        raise InvalidInput("no places left to choose from: each may be visited once, and all have been")
    x = space.everything(MAX_WHOLE)
    if x is None:
        x = space.sample(SPREAD if space.d < 5 else 3 * SPREAD, rng)
        if history.told:
            best, mean = best_visited(situation)
            best = space.snap(best[np.argsort(-mean, kind="stable")])
            best = best[apart(space.encode(best), INCUMBENTS, 0.01)]
            x = np.vstack([x, best, *(space.around(best, radius, CLOUD, rng) for radius in (0.1, 0.02))])
    left = away(situation, x)
    return left if len(left) else x


def away(situation: Situation, x: Points) -> Points:
    """Return the places that are not next to one that was skipped, or is likely to fail once more.

    Otherwise a method that is sure of its best place would send the traveller back to the same locked gate for ever.
    Only planning avoids these places; ``insert`` still accepts them.
    """
    if not len(situation.avoided) or not len(x):
        return x
    features = situation.space.encode(x)
    near = np.zeros(len(x), dtype=np.bool_)
    for place in situation.avoided:
        near |= np.abs(features - place).max(axis=1, initial=0.0) < AVOIDED_RADIUS
    return x[~near]


def is_small(space: AnySpace) -> bool:
    """Return whether the space is looked at whole."""
    return space.size is not None and space.size <= MAX_WHOLE


def best_visited(situation: Situation) -> tuple[Points, Values]:
    """Return the visited places with the best results that keep the limits, and the posterior mean there.

    The place of best mean is among them but for freak noise, and the cost stays bounded in long studies. Places that a
    change of the space has ruled out are left out, unless there are no others.
    """
    history = situation.history
    ranked = history.ranked[: int(history.allowed.sum()) or None]
    x = history.x[ranked[:BEST_RESULTS]]
    return x, situation.posterior.marginals(x).mean


def best_known(situation: Situation) -> Points:
    """Return the visited place of best posterior mean as a table of one row; none before any result."""
    if not situation.history.told:
        return no_points(situation.space.d)
    x, mean = best_visited(situation)
    return x[[int(mean.argmax())]]


def apart(features: Features, n: int, gap: float) -> Order:
    """Return up to ``n`` rows, the first ones first, each more than ``gap`` away from those before it."""
    chosen: list[int] = []
    free = np.ones(len(features), dtype=np.bool_)
    while len(chosen) < n and free.any():
        chosen.append(int(free.argmax()))
        free &= np.square(features - features[chosen[-1]]).sum(axis=1) > gap * gap
    return np.array(chosen, dtype=np.intp)
