"""Scores of places, and the search for the places that score best."""

import math
from collections.abc import Callable

import numpy as np
from numpy.random import Generator

from wayfare._core import lazy_scipy
from wayfare._core.arrays import Features, Mask, Order, Points, Values
from wayfare.errors import InvalidInput
from wayfare.policy.base import Situation
from wayfare.space import AnySpace
from wayfare.surrogate import Marginals

# Scores of a place from what is believed there: larger is better, always.


def ucb(mean: Values, sd: Values, beta: float) -> Values:
    """Return the upper confidence bound, mean + sqrt(beta) sd."""
    return mean + math.sqrt(beta) * sd


def log_ei(mean: Values, sd: Values, best: float) -> Values:
    """Return the logarithm of the expected improvement over ``best``.

    With z = (mean - best) / sd it is log(sd) + log(phi(z) + z Phi(z)), computed so that it stays finite and
    ordered where the improvement itself underflows (Ament et al. 2023): below z = -1 by the scaled
    complementary error function, and below z = -1e4 by its expansion, -z^2/2 - log(z^2).
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


# Maximise a score over a space.
#
# A finite space is looked at whole. Otherwise: a space-filling sample, clouds around the best visited places,
# and then smaller and smaller clouds around the places that score best. Clouds step integers by whole steps
# and choices by whole values, so nothing is rounded after it was scored. Where the candidates lie matters more
# than how the best of them is polished: per-place gradient climbs cost more and gained nothing.


Score = Callable[[Points, Marginals], Values]
"""Of places and what is believed of them: larger is better, one number per place."""

WHOLE = 10_000
"""A finite space of at most this many places is looked at whole."""
SPREAD, CLOUD, INCUMBENTS, CENTRES = 384, 20, 4, 6
RADII = (0.05, 0.015, 0.004)
"""Cloud sizes in the unit cube, coarse to fine."""
NEAR = 0.05
"""In the unit cube, along every axis."""
BEST_RESULTS = 96
KEEP = 768
"""At most this many of the best candidates are tracked while a batch is filled."""


def pick_greedily(
    situation: Situation, score: Score, size: int, rng: Generator, on_pick: Callable[[float], None] = lambda mean: None
) -> Points:
    """Return ``size`` places, each the best one once those before it are hallucinated.

    Where a place may be visited only once, and fewer are admitted, all of those. ``on_pick`` is called with
    the posterior mean at each place as it is picked.
    """
    x, values = shortlist(situation, score, size, rng)
    if size == 1:
        return x[[int(values.argmax())]]
    once = situation.space.once
    tracker = situation.expected.track(x)
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
    x, values, spread = gather(situation, score, CENTRES + min(size, 3 * CENTRES) - 1, rng)
    if is_small(situation.space):
        return x, values
    # The best of all are crowded: once some of them are hallucinated, the best may be far from there.
    ranked = np.argsort(-values, kind="stable")
    kept = np.union1d(ranked[:KEEP], ranked[spread[ranked]][:SPREAD])
    return x[kept], values[kept]


def candidates(situation: Situation, score: Score, centres: int, rng: Generator) -> tuple[Points, Values]:
    """Return admitted places worth choosing from, and their scores."""
    x, values, _ = gather(situation, score, centres, rng)
    return x, values


def candidates_near(situation: Situation, score: Score, centres: int, rng: Generator) -> tuple[Points, Values]:
    """Return the candidates, and besides them where the traveller stands and places around it.

    For scores that count the way: staying must not lose because nobody looked.
    """
    x, values = candidates(situation, score, centres, rng)
    here, space = situation.history.position, situation.space
    if here is None or is_small(space):
        return x, values
    stay = space.snap(here[None, :])
    nearby = np.vstack([stay, *(space.around(stay, radius, CLOUD, rng) for radius in RADII)])
    nearby, marginals, scores = look(situation, away(situation, nearby), score)
    admitted = situation.admits(nearby, marginals)
    return np.vstack([x, nearby[admitted]]), np.concatenate([values, scores[admitted]])


def gather(situation: Situation, score: Score, centres: int, rng: Generator) -> tuple[Points, Values, Mask]:
    """Return admitted places, their scores, and which of them are from the first look."""
    space = situation.space
    x, marginals, values = look(situation, first_look(situation, rng), score)
    first = len(x)
    if not is_small(space):
        for radius in RADII:
            top = np.argsort(-np.where(situation.admits(x, marginals), values, -np.inf), kind="stable")[: 8 * centres]
            middle = x[top[apart(space.encode(x[top]), centres, radius)]]
            around = away(situation, space.around(middle, radius, CLOUD, rng))
            nearby, believed, scores = look(situation, around, score)
            x = np.vstack([x, nearby])
            marginals = Marginals(*(np.concatenate(pair) for pair in zip(marginals, believed, strict=True)))
            values = np.concatenate([values, scores])
    admitted = situation.admits(x, marginals)
    return x[admitted], values[admitted], (np.arange(len(x)) < first)[admitted]


def look(situation: Situation, x: Points, score: Score) -> tuple[Points, Marginals, Values]:
    """Return the places, what the results say of them, and their scores with pending ones hallucinated."""
    marginals = situation.posterior.marginals(x)
    if len(situation.history.pending) == 0:
        return x, marginals, score(x, marginals)
    return x, marginals, score(x, situation.expected.marginals(x))


def first_look(situation: Situation, rng: Generator) -> Points:
    """Return the places every search begins with: away from what is avoided, unless nothing is."""
    x = overview(situation, rng)
    left = away(situation, x)
    return left if len(left) else x


def overview(situation: Situation, rng: Generator) -> Points:
    """Return all places, or a sample of them and clouds around the best visited."""
    space, history = situation.space, situation.history
    if space.size == 0:
        raise InvalidInput("no places left to choose from: each may be visited once, and all have been")
    if (whole := space.everything(WHOLE)) is not None:
        return whole
    spread = space.sample(SPREAD if space.d < 5 else 3 * SPREAD, rng)
    if history.told == 0:
        return spread
    best, mean = best_visited(situation)
    best = space.snap(best[np.argsort(-mean, kind="stable")])
    best = best[apart(space.encode(best), INCUMBENTS, 0.01)]
    return np.vstack([spread, best, *(space.around(best, radius, CLOUD, rng) for radius in (0.1, 0.02))])


def away(situation: Situation, x: Points) -> Points:
    """Return the places that are not next to one that failed or was skipped.

    Else a method sure of its best place would send the traveller back to the same locked gate for ever. What
    is near is 5% of an axis; ``insert`` goes there all the same.
    """
    avoided = situation.history.avoided
    if not len(avoided) or not len(x):
        return x
    features = situation.space.encode(x)
    near = np.zeros(len(x), dtype=np.bool_)
    for place in situation.space.encode(avoided):
        near |= np.abs(features - place).max(axis=1, initial=0.0) < NEAR
    return x[~near]


def is_small(space: AnySpace) -> bool:
    """Return whether the space is looked at whole."""
    return space.size is not None and space.size <= WHOLE


def best_visited(situation: Situation) -> tuple[Points, Values]:
    """Return the visited places with the best results, and the posterior mean there.

    The place of best mean is among them but for freak noise, and the cost stays bounded in long studies.
    """
    history = situation.history
    x = history.x[np.argsort(-history.y, kind="stable")[:BEST_RESULTS]]
    return x, situation.posterior.marginals(x).mean


def apart(features: Features, n: int, gap: float) -> Order:
    """Return up to ``n`` rows, the first ones first, each more than ``gap`` away from those before it."""
    chosen: list[int] = []
    free = np.ones(len(features), dtype=np.bool_)
    while len(chosen) < n and free.any():
        chosen.append(int(free.argmax()))
        free &= np.square(features - features[chosen[-1]]).sum(axis=1) > gap * gap
    return np.array(chosen, dtype=np.intp)


__all__ = [
    "RADII",
    "apart",
    "away",
    "best_visited",
    "candidates",
    "candidates_near",
    "first_look",
    "is_small",
    "log_ei",
    "pick_greedily",
    "ucb",
]
