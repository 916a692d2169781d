"""The places of a box that keep constraints, and how they are found.

Nothing is found by rejection alone, which ends in many dimensions: a place is *repaired* (moved onto the sums it must
have, and into the half-spaces), and what still breaks a constraint is drawn back towards a place that breaks none. A
*pool* of such places is made once: of corners found by linear programming and of mixtures of them, spread by a walk
whose steps are differences between its places, so that it fits thin and slanted regions.
"""

from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
from attrs import frozen
from numpy.random import Generator
from numpy.typing import NDArray

from wayfare._core.arrays import Features, Mask, Order, Points, Values, read_only, unique_rows
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.space.axes import Axis
from wayfare.space.base import AnySpace
from wayfare.space.constraints import AbsentRule, Constraint, Linear, Only, Product
from wayfare.space.designs import distinct, nearest_rows, numbers_of

WHOLE = 20_000
"""A box of at most this many places is looked at whole."""
TRIED, CORNERS, POOL = 2048, 24, 512
"""Places that are tried for the pool, corners among them, and the size that it has."""
WALK, STEPS = 48, 2
"""Rounds of the walk that spreads the pool, and those that spread a sample."""
SEARCH = 120
"""Rounds of the search for a first place, if none was found."""
DEALS = 16
"""How often a survey is drawn at most, to find one that shows all values of choices."""
SHARES = (1.0, 0.5, 0.25, 0.1, 0.03)
"""How far to go towards a place that breaks a constraint."""
ROUNDING = 1e-12
"""The shortfall of a sum, as a share of it, for which no row is moved; it is filled in at the end."""
MOST_PAIRS = 4_000_000
"""Distances held at one time."""


@frozen(eq=False)
class Feasible:
    """The places of ``box`` that keep all ``constraints``.

    ``pool`` are some of them, spread over the region; all of them if ``is_whole``.
    """

    box: AnySpace
    axes: tuple[Axis, ...]
    constraints: tuple[Constraint, ...]
    pool: Points
    is_whole: bool

    @classmethod
    def of(cls, box: AnySpace, axes: tuple[Axis, ...], constraints: tuple[Constraint, ...]) -> "Feasible":
        """Return the region; one that has no places is an error."""
        if any(isinstance(one, AbsentRule) for one in constraints):
            return cls(box, axes, constraints, np.empty((0, len(axes))), False)
        table = box.everything(WHOLE)
        if table is not None:
            pool = table[cls(box, axes, constraints, table, True).keeps(table)]
        else:
            rng = stream(0, "feasible")
            pool = cls(box, axes, constraints, np.empty((0, len(axes))), False)._first(rng)
            pool = cls(box, axes, constraints, pool, False)._spread(rng) if len(pool) else pool
        if not len(pool):
            said = "; ".join(map(str, constraints))
            raise InvalidInput(f"constraints: no place keeps them all ({said}); loosen one of them, or widen an axis")
        return cls(box, axes, constraints, read_only(pool), table is not None)

    def keeps(self, x: Points) -> Mask:
        """Return which rows are places of the box that keep all constraints."""
        kept = np.array(self.box.contains(x))
        for constraint in self.constraints:
            if kept.any() or isinstance(constraint, AbsentRule):
                kept[kept] = constraint.keeps(x[kept])
        return kept

    def snap(self, x: Points) -> Points:
        """Return for each row itself if it is allowed, else a place near it.

        That is the repaired place; or of the straight way to it from the nearest of the pool, the last that is allowed.
        """
        found = np.array(x)
        off = np.flatnonzero(~self.keeps(x))
        if not len(off):
            return found
        target = self._repaired(x[off])
        base = self.pool[self._nearest(target)]
        found[off] = self._towards(base, target, halvings=6)
        return found

    def sample(self, n: int, rng: Generator) -> Points:
        """Return ``n`` places spread over the region; of one that is known in whole, fewer if there are fewer."""
        if not len(self.pool):
            self.keeps(self.pool)  # which says that a function is missing
        order = rng.permutation(len(self.pool))
        if self.is_whole or n == 0:
            return self.pool[order[:n]]
        x = self.pool[np.resize(order, n)]
        for _ in range(STEPS):
            x = self._stepped(x, rng)
        return x

    def survey(self, start: Values, n: int, rng: Generator) -> Points:
        """Return the places nearest to a survey of the box around the region, none twice, not the start.

        Args:
            start: the place where the study begins.
            n: the number of places.
            rng: draws the survey, and the places it is looked for among.
        """
        table = self.sample(POOL, rng)
        near = numbers_of(self.box, table)
        low, high = near.min(axis=0), near.max(axis=0)
        most = sum(min(n + 1, len(np.unique(table[:, column]))) for column in self._choices)
        best, shown = table[:0], -1
        # A place that shows two new values at once may leave no place for a third: some surveys are drawn then.
        for _ in range(DEALS):
            drawn = np.array(distinct(start, self.box.survey(start, n, rng)))
            self._conditioned(drawn)
            wanted = numbers_of(self.box, drawn)
            found = nearest_rows(self.box, table, start[None, :], low + wanted * (high - low), rng)
            values = sum(len(np.unique([start[column], *found[:, column]])) for column in self._choices)
            if values > shown:
                best, shown = found, values
            if shown >= most:
                break
        return best

    def around(self, x: Points, radius: float, n: int, rng: Generator) -> Points:
        """Return ``n`` places near each row, centre by centre.

        Args:
            x: (m, d) centres.
            radius: the distance to go, in the unit cube.
            n: the number of places for each centre.
            rng: draws the moves.
        """
        centres = np.repeat(self.snap(x), n, axis=0)
        if not len(centres):
            return centres
        near = self._towards(centres, self._repaired(self.box.around(centres, radius, 1, rng), rng))
        # Where a region is thin, a step along axes leads nowhere, but a difference between two places fits it.
        stuck = (near == centres).all(axis=1)
        if stuck.any() and len(self.pool) > 1:
            a, b = rng.integers(len(self.pool), size=(2, int(stuck.sum())))
            moved = centres[stuck] + radius * (self.pool[a] - self.pool[b])
            near[stuck] = self._towards(centres[stuck], self._repaired(moved, rng))
        return near

    # How a place is made to keep the constraints.

    def _repaired(self, x: Points, rng: Generator | None = None) -> Points:
        """Return the rows moved to where they are more likely to keep the constraints; not all of them do."""
        x = np.array(self.box.snap(x))
        fixed = self._conditioned(x)
        if not self._linear:
            return x
        # 1. Alternating projections onto half-spaces, planes and the box.
        scale, low, high = self._ends[1] - self._ends[0], *self._ends
        for _ in range(8):
            off = False
            for linear, weights in self._linear:
                scaled = np.where(fixed, 0.0, weights * scale)
                total = x @ weights
                lack = np.clip(total, linear.low, linear.high) - total
                if (np.abs(lack) > ROUNDING * (1 + np.abs(total))).any():
                    off = True
                    x = x + (lack / np.maximum(np.square(scaled).sum(axis=1), 1e-300))[:, None] * scaled * scale
            x = np.clip(x, low, high)
            if not off:
                break
        if not self._continuous.all():
            x = np.array(self.box.snap(x))
            self._conditioned(x)
        # 2. What is left to a plane, axis by axis as far as each can go, in steps where it has them.
        order = np.arange(x.shape[1]) if rng is None else rng.permutation(x.shape[1])
        for _ in range(2):
            for linear, weights in self._linear:
                if linear.is_equality:
                    self._fill(x, fixed, weights, linear.low, [column for column in order if weights[column]])
        return x

    def _fill(self, x: Points, fixed: NDArray[np.bool_], weights: Values, total: float, order: list[int]) -> None:
        """Let a sum be ``total``, by moving one axis after the other as far as it may go."""
        lack = total - x @ weights
        for column in order:
            grid, low, high = self.axes[column].grid, self._ends[0][column], self._ends[1][column]
            here = x[:, column]
            there = np.clip(here + lack / weights[column], low, high)
            if grid is not None:
                steps = (there - here) / grid.step
                there = grid.at(grid.steps(here) + np.trunc(steps + np.sign(steps) * 1e-6))
            there = np.where(fixed[:, column], here, there)
            lack = lack - weights[column] * (there - here)
            x[:, column] = there

    def _conditioned(self, x: Points) -> NDArray[np.bool_]:
        """Give axes that are not free the value they have then; return which entries are so."""
        fixed = np.zeros(x.shape, dtype=np.bool_)
        for one in self.constraints:
            if isinstance(one, Only):
                idle = ~one.holds(x)
                x[idle, one.column] = one.number
                fixed[idle, one.column] = True
        return fixed

    def _towards(self, base: Points, target: Points, halvings: int = 0) -> Points:
        """Return for each row the target if it is allowed, else a place on the way there from an allowed one.

        Args:
            base: allowed places.
            target: the places to go to, with their values of choices; if these are not allowed, with those of ``base``.
            halvings: how often to halve the last stretch of the way, of which one end is allowed and the other is not.
        """
        found, left, reached = np.array(base), np.arange(len(base)), np.zeros(len(base))
        for share, own in [(1.0, False), *((share, True) for share in SHARES)]:
            if not len(left):
                return found
            x = target[left] if not own else self._between(base[left], target[left], np.full(len(left), share))
            kept = self.keeps(x)
            found[left[kept]], reached[left[kept]] = x[kept], share
            left = left[~kept]
        low: Values = reached
        high: Values = np.asarray(np.where(reached == 1, 1.0, np.minimum(1.0, 2 * reached + SHARES[-1])))
        for _ in range(halvings):
            middle = (low + high) / 2
            x = self._between(base, target, middle)
            kept = self.keeps(x) & (reached < 1)
            found[kept] = x[kept]
            low, high = np.asarray(np.where(kept, middle, low)), np.asarray(np.where(kept, high, middle))
        return found

    def _between(self, base: Points, target: Points, share: Values) -> Points:
        x = base + share[:, None] * (target - base)
        x[:, self._choices] = base[:, self._choices]
        return self._repaired(x)

    def _stepped(self, x: Points, rng: Generator) -> Points:
        """Return the rows, each a step further in the region, or where it was if the step led out of it.

        A step that a repair had to end on the rim counts as out: places would gather there.
        """
        n, (a, b, other) = len(x), rng.integers(len(self.pool), size=(3, len(x)))
        size = rng.choice([1.0, 0.5, 0.2, 0.05], size=n)[:, None]
        moved = x + size * rng.standard_normal((n, 1)) * (self.pool[a] - self.pool[b])
        # The differences of a few places span little: every other step is one of chance.
        free = rng.random(n) < 0.5
        moved[free] = self.box.around(x[free], 0.2, 1, rng)
        changed = rng.random(n) < 0.3
        moved[:, self._choices] = np.where(
            changed[:, None], self.pool[other][:, self._choices], np.where(free[:, None], moved, x)[:, self._choices]
        )
        inside = np.ones(n, dtype=np.bool_)
        for linear, _ in self._linear:
            inside &= linear.is_equality | linear.keeps(moved)
        moved = self._repaired(moved, rng)
        low, high = self._ends
        fixed = self._conditioned(moved)
        rim = ((moved == low) | (moved == high)) & (x != moved) & self._continuous & np.logical_not(fixed)
        return np.asarray(np.where((inside & ~rim.any(axis=1) & self.keeps(moved))[:, None], moved, x))

    # How the pool is made.

    def _first(self, rng: Generator) -> Points:
        """Return allowed places: repaired ones, mixtures of corners, or what a search finds."""
        x = self._repaired(self.box.sample(TRIED, rng), rng)
        corners = self._corners(rng)
        if len(corners):
            shares = rng.dirichlet(np.full(len(corners), 0.5), size=TRIED)
            mixed = shares @ corners
            mixed[:, self._choices] = corners[rng.integers(len(corners), size=TRIED)][:, self._choices]
            x = np.vstack([x, corners, self._repaired(mixed, rng)])
        found = x[self.keeps(x)]
        if len(found) < 8:
            found = np.vstack([found, self._searched(x, rng)])
        return found[unique_rows(found)[0]]

    def _spread(self, rng: Generator) -> Points:
        x = self.pool[np.resize(rng.permutation(len(self.pool)), POOL)]
        for _ in range(WALK):
            x = self._stepped(x, rng)
            object.__setattr__(self, "pool", x)  # the next step is as wide as the walkers are spread now
        return x[unique_rows(x)[0]]

    def _corners(self, rng: Generator) -> Points:
        """Return corners of what the linear constraints leave, steps kept, for some values of the choices."""
        from scipy.optimize import Bounds, LinearConstraint, milp  # slow to import, and few spaces need it

        if not self._linear:
            return np.empty((0, len(self.axes)))
        columns = np.array([column for column, axis in enumerate(self.axes) if axis.choices is None])
        steps = np.array([1.0 if (grid := self.axes[at].grid) is None else grid.step for at in columns])
        whole = np.array([self.axes[at].grid is not None for at in columns])
        low, high = (ends[columns] for ends in self._ends)
        matrix = np.array([weights[columns] * steps for _, weights in self._linear])
        first = np.array([weights[columns] @ low for _, weights in self._linear])
        bounds = [np.array([getattr(one, end) for one, _ in self._linear]) - first for end in ("low", "high")]
        slack = 1e-9 * (1 + np.abs(matrix).sum(axis=1))
        # Where rounding to whole steps takes a row out of HiGHS's own tolerance, HiGHS prints to standard output.
        small = 0.1 / np.maximum(np.abs(matrix).max(axis=1), 1e-300)
        within = LinearConstraint(matrix * small[:, None], (bounds[0] - slack) * small, (bounds[1] + slack) * small)
        corners = []
        for place in self._assignments(rng):
            fixed = self._conditioned(place[None, :])[0][columns]
            begin = np.where(fixed, (place[columns] - low) / steps, 0.0)
            end = np.where(fixed, begin, (high - low) / steps)
            found: Any = milp(
                rng.standard_normal(len(columns)) * np.maximum((high - low) / steps, 1e-300) ** -1.0,
                constraints=within,
                bounds=Bounds(begin, np.maximum(begin, end)),
                integrality=whole.astype(int),
                options={"time_limit": 2.0},
            )
            if found.x is not None:
                place[columns] = low + steps * found.x
                corners.append(place)
        return self._repaired(np.array(corners), rng) if corners else np.empty((0, len(self.axes)))

    def _assignments(self, rng: Generator) -> list[Values]:
        """Return places with values of the choices: each combination where they are few, else some."""
        sizes = [len(self.axes[column].choices or ()) for column in self._choices]
        base = self.box.sample(max(CORNERS, 1), rng)
        if np.prod(sizes, dtype=float) > CORNERS:
            return list(np.array(base))
        rows = []
        combinations = list(product(*(range(size) for size in sizes)))
        for at in range(max(CORNERS, len(combinations))):
            row = np.array(base[at % len(base)])
            row[self._choices] = combinations[at % len(combinations)]
            rows.append(row)
        return rows

    def _searched(self, x: Points, rng: Generator) -> Points:
        """Return the feasible points of a random walk, which takes a step if it breaks no more than before."""
        broken = self._broken(x)
        x, broken = (rows[np.argsort(broken, kind="stable")[:POOL]] for rows in (x, broken))
        for at in range(SEARCH):
            if (broken == 0).sum() >= 8:
                break
            moved = self._repaired(self.box.around(x, 0.3 * 0.97**at, 1, rng), rng)
            now = self._broken(moved)
            better = now <= broken
            x, broken = np.where(better[:, None], moved, x), np.where(better, now, broken)
        return np.asarray(x[self.keeps(x)])

    def _broken(self, x: Points) -> Values:
        """Return how much each row breaks: 1 for each constraint, and for products how far, at most 1."""
        inside = self.box.contains(x)
        amount = (~inside).astype(np.float64)
        for one in self.constraints:
            kept = np.zeros(len(x), dtype=np.bool_)
            kept[inside] = one.keeps(x[inside])
            far = one.excess(x) if isinstance(one, Product | Linear) else np.ones(len(x))
            amount += np.where(kept, 0.0, 1.0 + np.minimum(far, 1.0))
        return amount

    def _nearest(self, x: Points) -> Order:
        """Return for each row the nearest of the pool, in the unit cube."""
        there, near = self._encoded, np.empty(len(x), dtype=np.intp)
        chunk = max(1, MOST_PAIRS // len(there))
        for start in range(0, len(x), chunk):
            here = self.box.encode(x[start : start + chunk])
            squares = np.square(here).sum(axis=1)[:, None] + np.square(there).sum(axis=1) - 2 * here @ there.T
            near[start : start + chunk] = squares.argmin(axis=1)
        return near

    @cached_property
    def _encoded(self) -> Features:
        return self.box.encode(self.pool)

    @cached_property
    def _choices(self) -> list[int]:
        return [column for column, axis in enumerate(self.axes) if axis.choices is not None]

    @cached_property
    def _continuous(self) -> Mask:
        return np.array([axis.size is None for axis in self.axes])

    @cached_property
    def _ends(self) -> tuple[Values, Values]:
        ends = np.array([axis.snap(np.array([-np.inf, np.inf])) for axis in self.axes])
        return ends[:, 0], ends[:, 1]

    @cached_property
    def _linear(self) -> list[tuple[Linear, Values]]:
        """The linear constraints, each with a weight for every axis."""
        found = []
        for one in self.constraints:
            if isinstance(one, Linear):
                weights = np.zeros(len(self.axes))
                weights[list(one.columns)] = one.weights
                found.append((one, weights))
        return found
