"""How much each axis matters: the share of the variation that goes away if the axis is held, by the belief."""

from collections.abc import Callable

import numpy as np
from attrs import frozen

from wayfare._core import html
from wayfare._core.arrays import Points, Values
from wayfare._core.format import rough
from wayfare._core.rng import one_thread, stream
from wayfare.errors import TooEarly
from wayfare.record.state import StudyState
from wayfare.report.best import belief_of
from wayfare.space import AnySpace, Places

SAMPLE = 1024
"""Places in each of the two samples."""


@frozen
class AxisImportance:
    """How much an axis matters.

    Attributes:
        name: of the axis.
        share: the total Sobol index, from 0 to 1: which share of the variation of the posterior mean over the space
            involves this axis. Axes that act together share it, so the sum may exceed 1.
        length: the length-scale of the belief along the axis, as a part of its range: a short one means that the
            function changes fast. None for a choice, and if the belief has none.
    """

    name: str
    share: float
    length: float | None


@frozen
class Importance:
    """How much the axes matter, those that matter most first, judged by ``results`` results."""

    axes: tuple[AxisImportance, ...]
    results: int

    @property
    def rows(self) -> list[list[str]]:
        """A row per axis: its name, its share and its length-scale."""
        lengths = ["-" if one.length is None else rough(one.length, 2) for one in self.axes]
        return [[one.name, f"{one.share:.0%}", length] for one, length in zip(self.axes, lengths, strict=True)]

    def __str__(self) -> str:
        """Say a line for each axis."""
        return "\n".join(f"{name}: {share} of the variation, length-scale {long}" for name, share, long in self.rows)

    def _repr_html_(self) -> str:
        """Return it for a notebook."""
        return html.table("importance of the axes", ["axis", "share", "length-scale"], self.rows)


def importance_of(state: StudyState) -> Importance:
    """Return how much each axis matters, by what is believed after all results."""
    if not state.results:
        raise TooEarly(f"no trial of {state.spec.name!r} has been told yet; ask and tell first")
    if len(state.results) == 1:
        raise TooEarly(f"one result of {state.spec.name!r} does not tell its axes apart; tell another first")
    spec = state.spec
    space: AnySpace = spec.space.frame if isinstance(spec.space, Places) else spec.space
    with one_thread():
        belief = belief_of(state)
        shares = total_shares(lambda x: belief.value.marginals(x).mean, space, spec.seed)
    lengths = belief.value.notes.get("lengths", [])
    known = len(lengths) == len(space.names)
    axes = [
        AxisImportance(name, float(share), float(lengths[at]) if known and space.choices[at] is None else None)
        for at, (name, share) in enumerate(zip(space.names, shares, strict=True))
    ]
    return Importance(tuple(sorted(axes, key=lambda one: -one.share)), state.history.told)


def total_shares(function: Callable[[Points], Values], space: AnySpace, seed: int) -> Values:
    """Return the total Sobol index of each axis (Jansen 1999): from what a change of that axis alone changes.

    Args:
        function: returns a value for each place.
        space: its axes; where not all combinations are allowed, the nearest allowed place counts.
        seed: of the samples.
    """
    one, other = (space.sample(SAMPLE, stream(seed, "importance", at)) for at in range(2))
    # Samples that fill a space evenly are alike row by row.
    other = other[stream(seed, "importance", "order").permutation(SAMPLE)]
    before = function(one)
    variance = float(np.var(before))
    shares = []
    for column in range(space.d):
        changed = one.copy()
        changed[:, column] = other[:, column]
        after = function(space.snap(changed))
        shares.append(float(np.square(after - before).mean() / (2 * variance)) if variance > 0 else 0.0)
    return np.minimum(shares, 1.0)
