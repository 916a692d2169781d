"""Schedules: when to replan, and how many places the next batch has.

Batch sizes are stated as a sequence and looked up by the number of trials handed out: a batch ends where the
sequence's running total says. So a restart, an imported result or an extra place never shifts the batches, and the
start, which every study visits first and alone, counts as the first place of the first batch.
"""

import math
from collections.abc import Iterable, Iterator
from itertools import accumulate, repeat
from typing import Literal, Protocol

from attrs import field, frozen

from wayfare._core import checks
from wayfare.errors import InvalidInput
from wayfare.policy.base import valid

LARGEST = 2.0**53
"""Places of a batch, however fast it grows."""


class Schedule(Protocol):
    """Decides when the rest of a route is dropped, and how many places the next batch has."""

    def is_due(self, news: int) -> bool:
        """Return whether to replan before the route ends, after ``news`` results since the plan."""

    def batch_size(self, handed_out: int, left: int) -> int:
        """Return the size of the next batch, between 1 and ``left`` trials."""


def _never(self: object, news: int) -> bool:
    """Return False: a route is walked to its end."""
    return False


def _all_left(self: object, handed_out: int, left: int) -> int:
    """Return all that is left."""
    return left


@frozen
class OneByOne:
    """One place at a time: the classical, movement-unaware loop."""

    is_due = _never

    def batch_size(self, handed_out: int, left: int) -> int:
        """Return one."""
        return 1


@frozen
class Fixed:
    """Batches of one size."""

    size: int = field(validator=valid(checks.count, 1, named=True))
    is_due = _never

    def batch_size(self, handed_out: int, left: int) -> int:
        """Return the size, less the study's first place in the first batch."""
        return _until_next_end(repeat(self.size), handed_out, left)


@frozen
class Growing:
    """Batches that grow by a factor: their number is logarithmic in the trials.

    The paper asks only for growth by the factor; rounding down learns more while little is known.

    Attributes:
        factor: growth from batch to batch, above 1.
        first: size of the first batch.
        rounding: how a size becomes whole. ``"floor"`` rounds the power down, ``floor(first factor^i)``: for a factor
            of 1.1 eight ones, four twos, three threes, and so on, 27 batches in 100 trials. ``"ceil"`` rounds every
            step up, ``b <- ceil(factor b)``, as the paper's authors do: 1, 2, 3, ... 10, 11, 13, 15, so 14 batches.
    """

    factor: float = 1.1
    first: int = field(default=1, validator=valid(checks.count, 1, named=True))
    rounding: Literal["floor", "ceil"] = "floor"
    is_due = _never

    def __attrs_post_init__(self) -> None:
        if checks.number(self.factor, "Growing: factor") <= 1:
            raise InvalidInput(f"Growing: factor must be above 1, got {self.factor}; Fixed has equal batches")
        if self.rounding not in ("ceil", "floor"):
            raise InvalidInput(f"Growing: rounding must be 'ceil' or 'floor', got {self.rounding!r}")

    def batch_size(self, handed_out: int, left: int) -> int:
        """Return the rest of the batch that the next trial belongs to."""
        return _until_next_end(self.sizes(), handed_out, left)

    def sizes(self) -> Iterator[int]:
        """Yield the batch sizes."""
        size, exact = self.first, float(self.first)
        while True:
            yield size
            exact = min(exact * self.factor, LARGEST)
            # A hair below the exact product, so that 1.1 * 10 rounds up to 11, not to 12.
            ceil = self.rounding == "ceil"
            size = math.ceil(min(self.factor * size, LARGEST) - 1e-9) if ceil else math.floor(exact + 1e-9)


@frozen
class LogLog:
    """Batches of sqrt(T N) after one of N: about log log T of them (Li and Scarlett 2022).

    For T = 100 the sizes are 10, 32, 57 and 1.
    """

    is_due = _never

    def batch_size(self, handed_out: int, left: int) -> int:
        """Return the rest of the batch that the next trial belongs to."""
        return _until_next_end(self.sizes(handed_out + left), handed_out, left)

    def sizes(self, trials: int) -> Iterator[int]:
        """Yield the batch sizes for a study of that many trials."""
        size = 1
        while True:
            size = math.ceil(math.sqrt(trials * size) - 1e-9)
            yield size


@frozen
class Rolling:
    """All trials left, replanned at every result: the horizon rolls with the traveller."""

    batch_size = _all_left

    def is_due(self, news: int) -> bool:
        """Return True after any result."""
        return news > 0


@frozen
class Horizon:
    """All trials left, on one route. Policies that set their own batch length return fewer."""

    is_due = _never
    batch_size = _all_left


def _until_next_end(sizes: Iterable[int], handed_out: int, left: int) -> int:
    """Return how many trials remain in the current batch, at most ``left``."""
    end = next(end for end in accumulate(sizes) if end > handed_out)
    return min(end - handed_out, left)
