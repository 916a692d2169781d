"""Where to go: policies that choose a batch of places."""

from wayfare.policy.base import Batch, Policy, Runs, checked, in_space
from wayfare.policy.elimination import Elimination
from wayfare.policy.greedy import UCB, LogEI, PureExploration
from wayfare.policy.ontheway import OnTheWay
from wayfare.policy.penalised import DistanceUCB, EIPerCost, LimitedStep, Repeated, Truncated
from wayfare.policy.snake import Snake
from wayfare.policy.thompson import Thompson
from wayfare.policy.uniform import LatinHypercube, Uniform

__all__ = [
    "UCB",
    "Batch",
    "DistanceUCB",
    "EIPerCost",
    "Elimination",
    "LatinHypercube",
    "LimitedStep",
    "LogEI",
    "OnTheWay",
    "Policy",
    "PureExploration",
    "Repeated",
    "Runs",
    "Snake",
    "Thompson",
    "Truncated",
    "Uniform",
    "checked",
    "in_space",
]
