"""``Problem``: a function on a space whose best value is known, and what moving there costs."""

from collections.abc import Callable
from typing import Literal

from attrs import field, frozen

from wayfare._core import checks
from wayfare._core.arrays import Points, Values, read_only
from wayfare.space import AnySpace
from wayfare.travel import TravelCost


def _as_noise(noise: object) -> float:
    return checks.not_negative(noise, "noise of a problem")


def _as_initial(initial: object) -> int:
    return checks.count(initial, "initial of a problem", 0)


@frozen(eq=False)
class Problem:
    """A function on a space, larger being better, whose best value is known.

    ``function`` takes (n, d) places in user units and returns n values without noise. ``noise`` is the
    standard deviation of one result. ``start`` is where the traveller stands at first, ``best`` a place where
    the ``optimum`` is attained, one of them if there are several. ``unit`` is that of the travel cost.
    ``initial`` counts the uniform places whose results are given before the first trial, for nothing: they
    are no trials, and nobody travels to them.
    """

    name: str
    function: Callable[[Points], Values]
    space: AnySpace
    travel: TravelCost
    noise: float = field(converter=_as_noise)
    start: Values = field(converter=read_only)
    optimum: float
    unit: str
    best: Values = field(converter=read_only)
    initial: int = field(default=0, converter=_as_initial)

    @property
    def direction(self) -> Literal["maximize"]:
        """Always the same: functions that are usually minimised stand here negated."""
        return "maximize"

    def regret(self, x: Points) -> Values:
        """Return how far each place falls short of the optimum."""
        return self.optimum - self.function(x)
