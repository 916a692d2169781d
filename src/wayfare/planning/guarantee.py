"""What takes away the guarantee that average movement goes to zero: a cost, a method or an option of a study.

The guarantee is that of the paper's Corollary 1: batches that are few, each walked to its end on a short route, in a
space where such routes are short. Costs that differ by direction keep it, up to the factor that ``travel.check`` tells.
"""

from wayfare.planning.anchor import Anchor
from wayfare.planning.method import Method
from wayfare.policy.schedule import Schedule
from wayfare.route import randomised
from wayfare.travel import Report, TravelCost
from wayfare.travel.base import obeys_triangle

FEW, MANY = 1000, 4000
"""Trials over which it is seen how the number of batches grows."""
LINEAR = 0.9
"""Batches that grow by this share of the growth of the trials grow in proportion to them."""


def lost_guarantees(
    travel: TravelCost, report: Report, method: Method, anchor: Anchor | None, shuffle: float
) -> list[str]:
    """Return why average movement need not go to zero, each reason in words; none if it does.

    Args:
        travel: the travel cost.
        report: what a check of it found.
        method: how routes are planned.
        anchor: where the study goes back to now and then; None for nowhere.
        shuffle: the share of stops in random order.
    """
    reasons = [reason for reason in (_of_cost(travel, report), _of_schedule(method.schedule)) if reason]
    if anchor is not None:
        reasons.append(f"the traveller goes back to the anchor after every {anchor.every} visits")
    if shuffle > 0 or randomised(method.planner) is not None:
        reasons.append("part of the order is left to chance")
    return reasons


def _of_cost(travel: TravelCost, report: Report) -> str:
    """Return why the guarantee does not hold for the cost; empty if no reason is known."""
    if report.triangle is not None:
        return f"the travel cost is not a metric, a detour is cheaper: {report.triangle}"
    if obeys_triangle(travel) is False:
        return "the travel cost is not a metric, detours are cheaper"
    if report.fee is not None:
        return f"every move costs at least {report.fee}"
    if not report.keeps_guarantee:
        return f"a way back is free: {report.asymmetric}"
    return ""


def _of_schedule(schedule: Schedule) -> str:
    """Return why the batches of a schedule are too many; empty if they are few."""
    if schedule.batch_size(FEW, MANY) == 1 == schedule.batch_size(MANY, MANY):
        return "the method chooses one place at a time"
    if schedule.is_due(1):
        return "the method plans again at every result"
    if _batches(schedule, MANY) > LINEAR * MANY / FEW * _batches(schedule, FEW):
        return "the method's batches do not grow"
    return ""


def _batches(schedule: Schedule, trials: int) -> int:
    """Return how many batches so many trials are."""
    done = batches = 0
    while done < trials:
        done += schedule.batch_size(done, trials - done)
        batches += 1
    return batches
