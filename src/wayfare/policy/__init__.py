"""Policies: which places to visit next.

A ``Policy`` (``base``) proposes a batch from a ``Situation``. Most score places by an ``acquisition`` function and fill
the batch greedily (``greedy``), the default with a price on travel, or one place at a time as in the literature
(``penalised``); ``thompson`` draws from the belief, or the space. ``elimination`` restricts any of them to places that
may still be best, ``bpe`` is the policy of the convergence proof, ``bandit`` needs no model, and ``schedule`` sets the
batch sizes.
"""

from wayfare.policy.base import Batch, Policy, Runs, Situation, needs_whole_space
from wayfare.policy.base import checked as checked
from wayfare.policy.base import in_space as in_space
from wayfare.policy.bpe import BPE
from wayfare.policy.elimination import Elimination
from wayfare.policy.greedy import UCB, EIOnTheWay, ExploreFirst, LogEI, OnTheWay, PureExploration
from wayfare.policy.lookahead import LookAhead
from wayfare.policy.penalised import DistanceUCB, EIPerCost, LazyUCB, LimitedStep, Repeated, Truncated
from wayfare.policy.thompson import LatinHypercube, Snake, Thompson, Uniform

__all__ = ["BPE", "UCB", "Batch", "DistanceUCB", "EIOnTheWay", "EIPerCost", "Elimination", "ExploreFirst"]
__all__ += [
    "LatinHypercube",
    "LazyUCB",
    "LimitedStep",
    "LogEI",
    "LookAhead",
    "OnTheWay",
    "Policy",
    "PureExploration",
    "Repeated",
    "Runs",
    "Situation",
    "Snake",
    "Thompson",
]
__all__ += ["Truncated", "Uniform", "needs_whole_space"]
