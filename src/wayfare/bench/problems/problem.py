"""``Problem``: a function on a space whose best value is known, and the cost of moving there.

The best value must be known because a benchmark measures regret, which is the distance to it.
"""

from collections.abc import Callable

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
    """A function on a space to maximise; functions that are usually minimised are negated.

    Attributes:
        name: the name of the problem, under which its study is kept.
        function: takes (n, d) places in user units, returns n values without noise.
        space: where to search.
        travel: the cost of moving, in ``unit``.
        noise: standard deviation of one result, in the unit of the values.
        start: where the traveller stands at first, in user units.
        optimum: the best value.
        unit: the unit of the travel cost.
        best: a place where the optimum is attained, one of them if there are several.
        initial: number of uniform places whose results are given before the first trial. They count neither as
            trials nor as movement.
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

    def regret(self, x: Points) -> Values:
        """Return the regret of each place: the optimum less its value."""
        return self.optimum - self.function(x)
