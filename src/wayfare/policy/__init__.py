"""Where to go: policies that choose a batch of places."""

from wayfare.policy.base import Policy
from wayfare.policy.elimination import Elimination
from wayfare.policy.greedy import UCB, LogEI, PureExploration
from wayfare.policy.thompson import Thompson
from wayfare.policy.uniform import Uniform

__all__ = ["UCB", "Elimination", "LogEI", "Policy", "PureExploration", "Thompson", "Uniform"]
