"""Whether limits leave anything to do at all: those that do not are refused before a study begins."""

import numpy as np

from wayfare._core.arrays import Values
from wayfare._core.format import in_full, in_words
from wayfare._core.rng import stream
from wayfare._core.tolerance import COST_RTOL
from wayfare.errors import InvalidInput
from wayfare.planning.reach import Limits, Reach
from wayfare.planning.reachable import LOOKED, Within
from wayfare.planning.steps import WHOLE, Steps
from wayfare.space import AnySpace
from wayfare.travel import TravelCost, priced

TRIED = 16
"""To so many places the first steps are tried."""


def check_limits(limits: Limits, space: AnySpace, travel: TravelCost, start: Values | None, unit: str) -> None:
    """Refuse limits within which no result can be taken."""
    check_way_home(limits, travel, start, unit)
    check_range(limits, space, travel, unit)
    check_budget(limits, space, travel, start, unit)
    check_steps(limits, space, travel, start, unit)


def check_way_home(limits: Limits, travel: TravelCost, start: Values | None, unit: str) -> None:
    """Refuse a budget or a trip that does not even pay the way from the start to the end."""
    if start is None or limits.home is None:
        return
    home = float(priced(travel, start[None, :], limits.home[None, :])[0, 0])
    for name, amount in (("budget", limits.budget), (limits.called, limits.trip)):
        if amount is not None and home > amount * (1 + COST_RTOL):
            raise InvalidInput(
                f"{name} is {in_full(amount, unit)}, but the way from start to home alone costs "
                f"{in_full(home, unit)}; raise the {name}, or end elsewhere"
            )


def check_range(limits: Limits, space: AnySpace, travel: TravelCost, unit: str) -> None:
    """Refuse a trip on which no place at all can be visited."""
    if limits.trip is None or limits.home is None:
        return
    reach = Reach(travel, limits.home, limits).from_home()
    if (nearest := out_of_reach(space, reach)) is not None:
        raise InvalidInput(
            f"{limits.called} is {in_full(limits.trip, unit)}, but from home to {in_words(space.params(nearest[0]))} "
            f"for one result and back costs {in_full(nearest[1], unit)}, and no place less; raise the "
            f"{limits.called}, or end elsewhere"
        )


def check_budget(limits: Limits, space: AnySpace, travel: TravelCost, start: Values | None, unit: str) -> None:
    """Refuse a budget that does not pay a single visit and the way home."""
    if limits.budget is None:
        return
    reach = Reach(travel, start, limits, limits.budget * (1 + COST_RTOL))
    if (nearest := out_of_reach(space, reach)) is not None:
        raise InvalidInput(
            f"budget is {in_full(limits.budget, unit)}, but to {in_words(space.params(nearest[0]))} for "
            f"one result and home costs {in_full(nearest[1], unit)}, and no place less; raise the budget, "
            "or start or end elsewhere"
        )


def out_of_reach(space: AnySpace, reach: Reach) -> tuple[Values, float] | None:
    """Return the cheapest place to visit and what that costs, if no place is within reach; else None."""
    if len(Within.of(space, reach, stream(0, "range")).known):
        return None
    x = space.everything(WHOLE)
    if x is None:
        ends = [place[None, :] for place in (reach.position, reach.home) if place is not None]
        x = np.vstack([*(space.snap(end) for end in ends), space.sample(LOOKED, stream(0, "range"))])
    needed = reach.legs_to(x) + reach.legs_home(x) + reach.dwell
    at = int(needed.argmin())
    return x[at], float(needed[at])


def check_steps(limits: Limits, space: AnySpace, travel: TravelCost, start: Values | None, unit: str) -> None:
    """Refuse a maximum step that is too small to move anywhere, or into the space."""
    if limits.max_step is None:
        return
    step, steps = in_full(limits.max_step, unit), Steps(space, travel, limits.max_step)
    x = space.sample(TRIED + 1, stream(0, "steps"))
    here = x[0] if start is None else start
    onto = space.snap(here[None, :])  # of a place that is not in the space, one that may be
    x = x[(x != here).any(axis=1) & (x != onto).any(axis=1)]
    if not steps.allow(here, onto)[0]:
        onto = here[None, :]
    if not len(x) or any(steps.between(begun, place) is not None for begun in (here, onto[0]) for place in x):
        return
    known = steps.on_the_way(here, x[0])
    moves = priced(travel, here[None, :], known[(known != here).any(axis=1)])[0]
    moves = moves[moves > limits.max_step]
    least = f"; the shortest leg beyond it costs {in_full(float(moves.min()), unit)}" if len(moves) else ""
    raise InvalidInput(
        f"max_step is {step}, too small to get anywhere from {in_words(space.params(here))}{least}; "
        "raise max_step, or start elsewhere"
    )
