"""BaSE: batched successive elimination among the arms of a table.

Batches end at times fixed beforehand, between which the policy learns nothing, so that one tour serves a whole batch.
"""

import math
from typing import Literal

import numpy as np
from attrs import field, frozen
from numpy.random import Generator

from wayfare._core import checks
from wayfare._core.arrays import Mask, Order, Values
from wayfare.errors import InvalidInput
from wayfare.policy.bandit.arms import Arms, added_up, means_of, noise_of, share, table_of
from wayfare.policy.base import Runs, Situation, valid
from wayfare.space import AnySpace
from wayfare.surrogate.history import History


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

    def __attrs_post_init__(self) -> None:
        if self.grid not in GRIDS:
            raise InvalidInput(f"BaSE: grid must be one of {', '.join(GRIDS)}, got {self.grid!r}")
        if self.last not in ("best", "all"):
            raise InvalidInput(f"BaSE: last must be 'best' or 'all', got {self.last!r}")

    def suits(self, space: AnySpace, direction: str, noise: float | None) -> None:
        """Refuse a study whose places cannot be arms."""
        table_of(space, "BaSE")

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
