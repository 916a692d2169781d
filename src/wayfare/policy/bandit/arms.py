"""Arms: the places of a finite table, each known by its own results alone; and the bandits among them.

UCB1 and Thompson sampling choose one arm at a time, by an index or a draw, and ignore travel costs. They are the
baselines of ``BaSE``, batched successive elimination: its batches end at times fixed beforehand, between which it
learns nothing, so that one tour serves a whole batch.
"""

import math
from collections.abc import Callable
from typing import Literal

import numpy as np
from attrs import field, frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Mask, Order, Points, Values
from wayfare.errors import InvalidInput
from wayfare.policy.base import Runs, Situation, valid
from wayfare.space import AnySpace, Places
from wayfare.surrogate.history import History
from wayfare.surrogate.tally import pooled_noise

MAX_ARMS = 100_000
MIN_REPEATS = 20
"""How many results beyond the first at their place an estimate of the noise takes: it is right to within a third."""


def table_of(space: AnySpace, who: str) -> Places:
    """Return a finite space as a table of places, or refuse it for the policy named ``who``."""
    if space.once:
        raise InvalidInput(f"{who} returns to its arms, and these places may be visited once; use once=False")
    table = space.everything(MAX_ARMS)
    if table is None:
        raise InvalidInput(
            f"{who} needs a finite table of at most {MAX_ARMS} arms; list the places, Places(...), "
            "or use BLiN in a box of Real axes"
        )
    return space if isinstance(space, Places) else Places(table)


def suits_table(self: object, space: AnySpace, direction: str, noise: float | None) -> None:
    """Refuse a study whose places cannot be arms."""
    table_of(space, type(self).__name__)


@frozen
class UCB1:
    """The arm with the highest mean + scale sqrt(c log t / n) (Auer et al. 2002), each arm once before.

    ``scale`` is the range of the values: with 1 and c = 2 the bound is the published one. Pending results count in n
    and t.
    """

    c: float = field(default=2.0, validator=valid(checks.not_negative, named=True))
    scale: float = field(default=1.0, validator=valid(checks.positive, named=True))
    needs_whole_space = True
    suits = suits_table

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one arm."""
        arms = Arms.of(situation.space, situation.history, "UCB1")
        return arms.best(ucb1_index(arms.expected, arms.pulled, int(arms.pulled.sum()), self.c, self.scale))


@frozen
class ThompsonBeta:
    """The arm that is best in a draw of Beta beliefs.

    A value counts as the share of a success that it is between ``low`` and ``high``. Pending results are taken to come
    back at the mean.

    Attributes:
        a: successes in the prior.
        b: failures in the prior.
        low: the least value. Larger is better inside, so when minimising values from 0 to 1, low is -1 and high is 0.
        high: the largest value.
    """

    a: float = field(default=1.0, validator=valid(checks.positive, named=True))
    b: float = field(default=1.0, validator=valid(checks.positive, named=True))
    low: float = field(default=0.0, validator=valid(checks.number, named=True))
    high: float = field(default=1.0, validator=valid(checks.number, named=True))
    needs_whole_space = True

    def __attrs_post_init__(self) -> None:
        if self.low >= self.high:
            low, high = float(self.low), float(self.high)
            raise InvalidInput(f"ThompsonBeta: low must be below high, got {low} and {high}")

    def suits(self, space: AnySpace, direction: str, noise: float | None) -> None:
        """Refuse a study whose places cannot be arms, or whose values cannot be shares."""
        table_of(space, "ThompsonBeta")
        if direction == "minimize" and self.low >= 0:
            raise InvalidInput(
                "ThompsonBeta: values to minimise are negative inside; for values from 0 to 1 set low = -1 and high = 0"
            )

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one arm."""
        y = situation.history.y
        outside = (y < self.low) | (y > self.high)
        if outside.any():
            raise InvalidInput(
                f"ThompsonBeta takes values from {self.low:g} to {self.high:g}, got {y[outside][0]:g}; "
                "set low and high (minimised values are negative inside), or use ThompsonGaussian"
            )
        arms = Arms.of(situation.space, situation.history, "ThompsonBeta")
        # A sum of n values, rounded, may leave [0, n] by a hair.
        successes = np.clip((arms.sums - self.low * arms.counts) / (self.high - self.low), 0.0, arms.counts)
        # Pending results are added at the posterior mean, (a + successes) / (a + b + n).
        successes = successes + arms.out * (self.a + successes) / (self.a + self.b + arms.counts)
        return arms.best(beta_draw(successes, arms.pulled, self.a, self.b, rng))


@frozen
class ThompsonGaussian:
    """The arm that is best in a draw of Gaussian beliefs. Pending results are taken to come back at the mean.

    With the defaults and a noise of 1 the draw has mean sum / (n + 1) and variance 1 / (n + 1) (Agrawal and Goyal
    2013).

    Attributes:
        mean: of the prior.
        spread: standard deviation of the prior.
        noise: standard deviation of one result; None for the study's, else that of the results.
    """

    mean: float = field(default=0.0, validator=valid(checks.number, named=True))
    spread: float = field(default=1.0, validator=valid(checks.positive, named=True))
    noise: float | None = field(default=None, validator=valid(checks.positive, named=True))
    needs_whole_space = True
    suits = suits_table

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one arm."""
        arms = Arms.of(situation.space, situation.history, "ThompsonGaussian")
        noise = noise_of(self.noise, situation.history)
        # The prior counts as ``weight`` results at its mean.
        weight = (noise / self.spread) ** 2
        centre = (weight * self.mean + arms.sums) / (weight + arms.counts)
        sums = arms.sums + arms.out * centre
        return arms.best(gaussian_draw(sums, arms.pulled, self.mean, self.spread, noise, rng))


def ucb1_index(means: Values, counts: Order, t: int, c: float = 2.0, scale: float = 1.0) -> Values:
    """Return mean + scale sqrt(c log t / n) for ``counts`` n of ``t`` results; infinite where n is 0. Any shape."""
    width = scale * np.sqrt(c * math.log(max(1, t)) / np.maximum(counts, 1))
    return np.where(counts > 0, means + width, np.inf)


def beta_draw(successes: Values, counts: Order, a: float, b: float, rng: Generator) -> Values:
    """Return a draw from each Beta(a + successes, b + counts - successes)."""
    return rng.beta(a + successes, b + counts - successes)


def gaussian_draw(sums: Values, counts: Order, mean: float, spread: float, noise: float, rng: Generator) -> Values:
    """Return a draw of each mean: prior N(mean, spread^2), results that add up to ``sums``, known noise."""
    precision = 1 / spread**2 + counts / noise**2
    centre = (mean / spread**2 + sums / noise**2) / precision
    return centre + rng.standard_normal(np.shape(centre)) / np.sqrt(precision)


@frozen(eq=False)
class Arms:
    """For each place of a table: how many results it has, their sum, and how many are pending (``out``).

    ``open`` are those that are not closed (``History.closed``), or all, if none is left. Results at places that are
    not in the table are left out.
    """

    table: Points
    counts: Order
    sums: Values
    out: Order
    open: Mask

    @classmethod
    def of(cls, space: AnySpace, history: History, who: str) -> "Arms":
        """Return the arms of a finite space for the policy named ``who``."""
        places = table_of(space, who)
        return cls.among(places.table, places.index, history)

    @classmethod
    def among(cls, table: Points, index: Callable[[Points], Order], history: History) -> "Arms":
        """Return the arms of ``table``; ``index`` returns for each place which arm it is, -1 for none."""
        n = len(table)
        first, which = history.distinct
        counts, sums = added_up(index(history.x[first])[which], history.y, history.counts, n)
        out = counted(index(history.pending), history.pending_counts, n)
        shut = index(history.closed)
        is_open = np.ones(n, dtype=bool)
        is_open[shut[shut >= 0]] = False
        return cls(table, counts, sums, out, is_open if is_open.any() else ~is_open)

    @property
    def pulled(self) -> Order:
        """How many results each has or will have: pending ones count as taken."""
        return self.counts + self.out

    @property
    def means(self) -> Values:
        """The mean of each; nan where there is no result."""
        return means_of(self.sums, self.counts)

    @property
    def expected(self) -> Values:
        """The mean of each; where there is no result, that of all results, and 0 before any."""
        return expected_means(self.sums, self.counts)

    def best(self, scores: Values) -> Points:
        """Return the open place with the highest score, the first of equals, as a table of one row."""
        return self.table[[int(np.where(self.open, scores, -np.inf).argmax())]]


def counted(at: Order, counts: Order, n: int) -> Order:
    """Return for each of ``n`` arms its number of results; ``at`` is -1 for no arm."""
    return np.bincount(at[at >= 0], weights=counts[at >= 0], minlength=n).astype(np.intp)


def added_up(at: Order, y: Values, counts: Order, n: int) -> tuple[Order, Values]:
    """Return for each of ``n`` arms its number of results and their sum; ``at`` is -1 for no arm."""
    sums = np.bincount(at[at >= 0], weights=(counts * y)[at >= 0], minlength=n)
    return counted(at, counts, n), np.asarray(sums, np.float64)


def means_of(sums: Values, counts: Order) -> Values:
    """Return sums divided by counts; nan where there are none."""
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def expected_means(sums: Values, counts: Order) -> Values:
    """Return sums divided by counts; where there are none, the mean of all results, and 0 before any."""
    return np.where(counts > 0, sums / np.maximum(counts, 1), sums.sum() / max(1, counts.sum()))


def share(total: int, pulled: Order) -> Order:
    """Return ``total`` results dealt out evenly; the remainder goes to those pulled least so far."""
    each, rest = divmod(total, len(pulled))
    shares = np.full(len(pulled), each, dtype=np.intp)
    shares[np.argsort(pulled, kind="stable")[:rest]] += 1
    return shares


def noise_of(noise: float | None, history: History) -> float:
    """Return the noise that was given, else the study's, else that of results at the same place, else 1.

    The bounds hold for results whose deviations from their mean are sub-Gaussian with this scale: the standard
    deviation of a Gaussian, half the range of bounded values.
    """
    known = history.noise if noise is None else noise
    if known is not None:
        return known
    pooled = pooled_noise(history, MIN_REPEATS)
    return 1.0 if pooled is None else max(pooled, 1e-6 * float(np.std(history.y))) or 1.0


def set_noise(noise: float | None, history: History) -> float:
    """Return the noise that was given, else the study's, else 1, but never one that changes.

    For plans whose size depends on the noise: with an estimate that changes at every result no batch would be whole.
    """
    known = history.noise if noise is None else noise
    return 1.0 if known is None else known


def minimax_ends(horizon: int, batches: int) -> list[int]:
    """Return floor(a^(2 - 2^(1 - m))) for m = 1 … M, a = T^(1 / (2 - 2^(1 - M))) (Gao et al. 2019).

    The first batch is about sqrt(T) long, the second ends at T^(3/4). For T = 1000 and M = 3: 51, 372, 1000.
    """
    a = horizon ** (1 / (2 - 2.0 ** (1 - batches)))
    return _whole([a ** (2 - 2.0 ** (1 - m)) for m in range(1, batches + 1)], horizon)


def geometric_ends(horizon: int, batches: int) -> list[int]:
    """Return floor(T^(m / M)) for m = 1 … M (Gao et al. 2019). For T = 1000 and M = 3: 10, 100, 1000."""
    return _whole([horizon ** (m / batches) for m in range(1, batches + 1)], horizon)


def root_ends(horizon: int, batches: int) -> list[int]:
    """Return sqrt(T), and from there to T by equal factors. For T = 1000 and M = 3: 31, 177, 1000."""
    return _whole([horizon ** ((1 + m / max(1, batches - 1)) / 2) for m in range(batches)], horizon)


def _whole(ends: list[float], horizon: int) -> list[int]:
    """Return the ends rounded down, each once, the last at the horizon."""
    # A hair above, so that 1000^(1/3) is 10 and not 9.999…
    inner = {max(1, math.floor(end * (1 + 1e-12))) for end in ends[:-1]}
    return [*sorted(end for end in inner if end < horizon), horizon]


GRIDS = {"root": root_ends, "minimax": minimax_ends, "geometric": geometric_ends}
FIRST_EPOCH = 4
"""Results per arm in the first epoch of an unknown horizon."""


@frozen
class BaSE:
    """Every arm that may still be best, equally often, on one tour per batch (Gao et al. 2019).

    Batches end at times fixed beforehand. At the end of one an arm is dropped, for good, if its mean falls short of
    the highest by ``noise * sqrt(gamma log(T K) / n)`` or more, for horizon T, K arms and n results of its own. Put it
    on the ``Horizon`` schedule.

    Attributes:
        grid: when batches end. ``"root"``: at sqrt(T) and from there by equal factors, T^(1 / (2 (M - 1))).
            ``"minimax"``, as published: at sqrt(T), T^(3/4), and so on, O(log log T) batches, between which an arm with
            a clear gap is visited up to T^(1/4) times too often: up to 5.6 times the regret of UCB1, where root had 0.7
            to 1.4 times (docs/design.md). ``"geometric"``, published as well: at T^(m / M); its short first batches
            save little, and a few noisy results may drop the best arm.
        batches: their number; None for 2 ceil(log2 log2 T) (root), ceil(log2 log2 T) + 1 (minimax: as many as leave
            the first end within a factor of 2 of sqrt(T), and one more to commit), ceil(log T) (geometric).
        gamma: caution. The authors' experiments have 0.5, at which the best arm was often dropped under Gaussian noise.
        last: in the last batch visit only the arm with the best mean (``"best"``, as published), or all that are left
            (``"all"``, as the authors' code does).
        doubling: for an unknown horizon: epochs, each twice as long as the one before, with a grid of their own. At
            the start of an epoch every arm is tested again. That costs O(log T) times as many tours (88 and not 10 at
            T = 1e5 with 10 arms), at about the same regret.
        noise: standard deviation of one result; None for the study's, else that of the results.
    """

    grid: Literal["root", "minimax", "geometric"] = "root"
    batches: int | None = field(default=None, validator=valid(checks.count, 1, named=True))
    gamma: float = field(default=0.75, validator=valid(checks.positive, named=True))
    last: Literal["best", "all"] = "best"
    doubling: bool = False
    noise: float | None = field(default=None, validator=valid(checks.positive, named=True))
    needs_whole_space = True
    suits = suits_table

    def __attrs_post_init__(self) -> None:
        if self.grid not in GRIDS:
            raise InvalidInput(f"BaSE: grid must be one of {', '.join(GRIDS)}, got {self.grid!r}")
        if self.last not in ("best", "all"):
            raise InvalidInput(f"BaSE: last must be 'best' or 'all', got {self.last!r}")

    def propose(self, situation: Situation, size: int, rng: Generator) -> Runs:
        """Return the arms of the next batch, each with its share of the results until the batch ends."""
        history = situation.history
        arms = Arms.of(situation.space, history, "BaSE")
        start, now, horizon = self._clock(history, size, len(arms.table))
        end = next(start + end for end in self.ends(horizon - start) if start + end > now)
        active = np.flatnonzero(self._active(situation, arms, start, horizon))
        if end == horizon and self.last == "best" and arms.counts[active].any():
            active = active[[int(np.nanargmax(arms.means[active]))]]
        # A batch shorter than a tour still takes a whole tour.
        shares = share(min(max(end - now, len(active)), size), arms.pulled[active])
        return Runs(arms.table[active[shares > 0]], shares[shares > 0])

    def ends(self, horizon: int) -> list[int]:
        """Return when the batches end: after how many results, the last at the horizon."""
        return GRIDS[self.grid](horizon, self.batches or default_batches(self.grid, horizon))

    def _clock(self, history: History, size: int, arms: int) -> tuple[int, int, int]:
        """Return when the epoch began, the time now, and when the epoch ends, in results."""
        if not self.doubling:
            return 0, history.handed_out, history.handed_out + size
        # Counted by results, because that is all that is known of an earlier plan.
        now = int(history.counts.sum() + history.pending_counts.sum())
        first = FIRST_EPOCH * arms
        epoch = (now // first + 1).bit_length() - 1
        return first * (2**epoch - 1), now, first * (2 ** (epoch + 1) - 1)

    def _active(self, situation: Situation, arms: Arms, start: int, horizon: int) -> Mask:
        """Return the arms that survived at every plan of this epoch, each with the results told by then."""
        history, k = situation.history, len(arms.table)
        at = table_of(situation.space, "BaSE").index(history.x)
        times = np.concatenate([[0], np.cumsum(history.counts)])
        told = {min(past.told, history.told) for past in history.past}
        active = arms.open
        width = math.sqrt(self.gamma * math.log(max(2, horizon * k)))
        for n in sorted({n for n in told if times[n] >= start} | {history.told}):
            counts, sums = added_up(at[:n], history.y[:n], history.counts[:n], k)
            # The noise as it was known then, so that an arm that was dropped stays dropped.
            scale = width * noise_of(self.noise, history.until(n))
            active = survivors(active, means_of(sums, counts), counts, scale)
        return active


def survivors(active: Mask, means: Values, counts: Order, scale: float) -> Mask:
    """Return the active arms less than ``scale / sqrt(n)`` below the best of them, or without results."""
    known = active & (counts > 0)
    if not known.any():
        return active
    short = means[known].max() - means[known] >= scale / np.sqrt(counts[known])
    left = active.copy()
    left[known] = ~short
    return left


def default_batches(grid: str, horizon: int) -> int:
    """Return the default number of batches of a grid."""
    if grid == "geometric":
        return max(1, math.ceil(math.log(horizon)))
    doubled = math.ceil(math.log2(max(1.0, math.log2(horizon))))
    return doubled + 1 if grid == "minimax" else max(1, 2 * doubled)
