"""How a route is made: the method and its catalogue, the limits, and the plan. Start with ``plan.py``."""

from wayfare.planning.catalogue import CATALOGUE
from wayfare.planning.method import Method
from wayfare.planning.opening import Beginning, JustStart, NoOpening, Opening, ShowValues, Survey
from wayfare.planning.plan import Task, plan_batch

__all__ = [
    "CATALOGUE",
    "Beginning",
    "JustStart",
    "Method",
    "NoOpening",
    "Opening",
    "ShowValues",
    "Survey",
    "Task",
    "plan_batch",
]
