"""Rows of a logger: ``match_rows`` finds for each row without a number the open trial that it is the result of.

A logger knows where it was, not which trial that was. A row is taken for the nearest open trial within a tolerance, and
refused where that leaves a doubt: a visit too many would be paid twice.
"""

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np
from attrs import evolve, frozen

from wayfare._core import checks
from wayfare._core.arrays import Mask, Points, Values, read_only
from wayfare._core.format import in_words, scale_of, setting
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.exchange.csv import column_of
from wayfare.exchange.rows import Row, half_digit, read_number
from wayfare.exchange.table import located
from wayfare.record.events import StudySpec, Trial, TrialState
from wayfare.record.state import StudyState
from wayfare.space import Choice, Places, Space
from wayfare.space.axes import Axis
from wayfare.study.inputs import summed_up
from wayfare.travel import priced

Tolerance: TypeAlias = float | str | Mapping[str, float] | None
"""How far a row may be from its trial: a travel cost, a share of every axis ("1%"), or an amount by axis.

Of an axis that is not named, half a step; without steps, as far as the digits in the file go.
"""


PROBES = 8
"""Places at which it is tried whether moving along an axis is free."""
NEAR = 0.1
"""Up to this share of every axis a refusal says with which tolerance a row would be taken for a trial."""


@frozen
class Match:
    """A row, and the open trial that it is taken for; None if it says itself what it is, or is an extra visit."""

    row: Row
    trial: Trial | None = None


def match_rows(state: StudyState, rows: Sequence[Row], tolerance: Tolerance, extra: bool, average: bool) -> list[Match]:
    """Return the rows in their order, each with the open trial near which it was.

    A row with a number, without an outcome, or known before the study says itself what it is. While no trial is open
    but those that the file has by number, the others are visits, as they cannot be anything else.

    Args:
        state: of the study.
        rows: of the file.
        tolerance: how far a row may be from its trial.
        extra: take rows near no open trial for extra visits, instead of refusing them.
        average: take several rows near one trial for a run of as many results, instead of refusing them.
    """
    near = _Nearness(state.spec, tolerance)
    numbered = {row.number for row in rows}
    out = sorted((trial for trial in state.open_trials if trial.number not in numbered), key=lambda one: one.number)
    matches = dict(enumerate(map(Match, rows)))
    if not out:
        return list(matches.values())
    # 1. The nearest open trial of every row; those at one place, for one worker, are alike.
    spots: dict[tuple[bytes, str], list[int]] = {}
    for at, row in enumerate(rows):
        if row.number is None and not row.prior and row.state not in (None, TrialState.ASKED):
            with located(row.where):
                trial = near.nearest(row, out, extra)
            if trial is not None:
                spots.setdefault(_spot(trial), []).append(at)
    # 2. Alike trials have the rows there in their order; more rows than trials are one too many, or a run.
    for spot, found in spots.items():
        alike = [trial for trial in out if _spot(trial) == spot]
        if len(found) > len(alike):
            some = [rows[at] for at in found]
            if not average or len(alike) > 1:
                raise InvalidInput(_too_many(state.spec.name, some, alike))
            matches[found[0]] = Match(_mean_of(some, alike[0].number))
            for at in found[1:]:
                del matches[at]
        for at, trial in zip(found, alike, strict=False):
            matches[at] = Match(matches[at].row, trial)
    return list(matches.values())


def _spot(trial: Trial) -> tuple[bytes, str]:
    return (trial.x + 0.0).tobytes(), trial.worker


def _too_many(study: str, rows: Sequence[Row], trials: Sequence[Trial]) -> str:
    where = " and ".join(row.where for row in rows[:2]) + (f" and {len(rows) - 2} more" if len(rows) > 2 else "")
    if len(trials) > 1:
        numbers = ", ".join(str(trial.number) for trial in trials)
        return f"{where} are all near trials {numbers}, which are at one place; give each row the number of its trial"
    return (
        f"{where} are both near trial {trials[0].number}; keep one, or take all for one run of {len(rows)} results "
        "(--average, in Python average=True)"
    )


def _mean_of(rows: Sequence[Row], number: int) -> Row:
    """Return the rows of one trial as a run: the mean of values and places, and the variance of the values."""
    for row in rows:
        if row.state is not TrialState.TOLD or row.count not in (None, 1):
            raise InvalidInput(
                f"{row.where}: several rows are near trial {number}, and this is not one result; drop it"
            )
    if sum(row.spent is not None for row in rows) > 1:
        raise InvalidInput(f"{rows[0].where}: column 'spent' is filled in several rows of trial {number}; leave one")
    found = summed_up([row.value for row in rows], number)
    named = {name: [row.measured[name] for row in rows if name in row.measured] for name in rows[0].measured}
    spent = next((row.spent for row in rows if row.spent is not None), None)
    return evolve(
        rows[0],
        x=read_only(np.mean([row.x for row in rows], axis=0)),
        value=found.value,
        count=found.count,
        variance=found.variance,
        measured={name: float(np.mean(numbers)) for name, numbers in named.items()},
        spent=spent,
        why="; ".join(dict.fromkeys(row.why for row in rows if row.why)),
    )


class _Nearness:
    """How near a row must be to a trial."""

    def __init__(self, spec: StudySpec, tolerance: Tolerance) -> None:
        self.spec, self.cost = spec, math.inf
        self._without_cost: Mask | None = None
        space = spec.space
        frame = space.frame if isinstance(space, Places) else space
        axes: Sequence[Axis | None] = frame.axes if isinstance(frame, Space) else [None] * space.d
        # By default half a step, with room for the rounding of the difference.
        self.within = np.array([0.0 if axis is None else 0.5000001 * _step(axis) for axis in axes])
        if isinstance(tolerance, str):
            share = _share(tolerance)
            for at, axis in enumerate(axes):
                if axis is None:
                    raise InvalidInput("tolerance: the axes of this space have no bounds to take a share of")
                if not isinstance(axis, Choice):
                    self.within[at] = share * (axis.high - axis.low)
        elif isinstance(tolerance, Mapping):
            for name, amount in tolerance.items():
                if name not in space.names:
                    raise InvalidInput(f"tolerance: there is no axis {name!r}; {checks.nearest(name, space.names)}")
                at = space.column(name)
                if space.choices[at] is not None:
                    raise InvalidInput(f"tolerance: {name!r} is a choice, which a row has or has not; leave it out")
                self.within[at] = checks.not_negative(amount, f"tolerance of axis {name!r}")
        elif tolerance is not None:
            self.cost = checks.not_negative(tolerance, "tolerance, a travel cost,")

    def nearest(self, row: Row, out: Sequence[Trial], extra: bool) -> Trial | None:
        """Return the nearest trial that is near enough; None for an extra visit."""
        some = [trial for trial in out if not row.worker or trial.worker == row.worker]
        if not some:
            if extra:
                return None
            raise InvalidInput(
                f"no trial of {row.worker!r} is open; leave the worker out, or say --extra if it was an extra visit"
            )
        places = np.array([trial.x for trial in some])
        off = np.abs(places - row.x)
        within = np.maximum(self.within, self._digits(row))
        inside = off <= within
        widths = ((off / self._widths()) ** 2).sum(axis=1)
        if math.isinf(self.cost):
            # Each axis counts in its own tolerance.
            far = ((off / np.where(within > 0, within, 1.0)) ** 2).sum(axis=1)
            far[~inside.all(axis=1)] = math.inf
        else:
            far = self._costs(row, places, inside)
        best = int(np.argmin(far))
        if math.isinf(far[best]):
            if extra:
                return None
            raise InvalidInput(self._refusal(row, some[int(np.argmin(widths))]))
        even = np.flatnonzero(far <= far[best] * (1 + 1e-9))
        if len({_spot(some[at])[0] for at in even}) > 1:
            numbers = " as to trial ".join(str(some[at].number) for at in even)
            raise InvalidInput(f"it is as near to trial {numbers}; give it the number of its trial")
        return some[best]

    def _digits(self, row: Row) -> Values:
        """Return half the last digit of each number of a row, as it stands in the file."""
        names = self.spec.space.names
        cells = (row.texts[column_of(axis)] for axis in names)
        numbers = zip(cells, row.x.tolist(), self.spec.space.choices, strict=True)
        return np.array([0.0 if choice is not None else half_digit(cell, x) for cell, x, choice in numbers])

    def _widths(self) -> Values:
        """Return by what a difference along each axis is measured where no tolerance says so."""
        space = self.spec.space
        frame = space.frame if isinstance(space, Places) else space
        if not isinstance(frame, Space):
            return np.ones(space.d)
        spans = (1.0 if isinstance(axis, Choice) else float(axis.high - axis.low) for axis in frame.axes)
        return np.array([span or 1.0 for span in spans])

    def _costs(self, row: Row, places: Points, inside: Mask) -> Values:
        """Return the cost of moving from each place to the row; infinite if that is beyond the tolerance.

        Along an axis on which moving is free a row must be as near as without a tolerance; a choice must be the same.
        """
        costs: Values = priced(self.spec.travel, places, row.x[None, :])[:, 0]
        near = (costs <= self.cost) & (inside | ~self._held).all(axis=1)
        return np.asarray(np.where(near, costs, math.inf))

    @property
    def _held(self) -> Mask:
        """The axes that a cost says nothing of: choices, and those along which moving is free."""
        if self._without_cost is None:
            choices = enumerate(self.spec.space.choices)
            self._without_cost = np.array([choice is not None or self._is_free(at) for at, choice in choices])
        return self._without_cost

    def _is_free(self, axis: int) -> bool:
        """Return whether moving along an axis alone costs nothing, as far as some places of the space show."""
        travel, here = self.spec.travel, self.spec.space.sample(PROBES, stream(0, "is free", axis))
        there = here.copy()
        there[:, axis] = np.roll(here[:, axis], 1)
        try:
            return not any(priced(travel, a[None], b[None])[0, 0] > 0 for a, b in zip(here, there, strict=True))
        except InvalidInput:  # an obstacle stands there, so the cost looks at the axis
            return False

    def _refusal(self, row: Row, trial: Trial) -> str:
        space, off, wider = self.spec.space, list[str](), list[str]()
        for at, axis in enumerate(space.names):
            difference = abs(float(row.x[at] - trial.x[at]))
            if difference and space.choices[at] is not None:
                off.append(f"{axis} is {setting(trial.params, axis)}")
            elif difference:
                off.append(f"{axis} {scale_of(trial.params, axis).written(float(f'{difference:.3g}'))} off")
                if self.within[at] < difference:
                    wider.append(f"--tolerance {axis}={_rounded_up(difference)}")
        # Only of what may be a miss: with the same choices, and near for the size of the space.
        is_miss = bool((np.abs(row.x - trial.x) <= NEAR * self._widths()).all())
        takes = f"{' '.join(wider)} takes it for that, " if wider and is_miss else ""
        return (
            f"no open trial is near enough to {in_words(space.params(row.x))}; the nearest is trial {trial.number} "
            f"({', '.join(off)}); {takes}--extra takes it for an extra visit (in Python tolerance=, extra=True)"
        )


def _step(axis: Axis) -> float:
    """Return the distance between two values of an axis; 0 for a continuum and for a choice."""
    return 0.0 if isinstance(axis, Choice) or axis.grid is None else float(axis.grid.step)


def _share(text: str) -> float:
    """Return the share that a text like "1%" states."""
    number = text.strip().removesuffix("%")
    if not text.strip().endswith("%"):
        raise InvalidInput(f"tolerance must be a number, a share like 1% or amounts by axis, got {text!r}")
    share = read_number(number, "tolerance, before its %,") / 100
    if not 0 <= share <= 1:
        raise InvalidInput(f"tolerance must be from 0% to 100%, got {text!r}")
    return share


def _rounded_up(amount: float) -> str:
    """Return a number of two digits that is not below ``amount``."""
    digit = 10.0 ** (math.floor(math.log10(amount)) - 1)
    return f"{math.ceil(amount / digit * (1 - 1e-12)) * digit:.6g}"
