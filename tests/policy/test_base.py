"""The protocol's helpers: what a policy says of itself, and rules that may or may not learn."""

import numpy as np
import pytest

from wayfare.policy import UCB, Elimination, LogEI, Repeated, Truncated, bandit, needs_whole_space
from wayfare.policy.base import admit_all, after_seeing
from wayfare.surrogate import Marginals

BANDITS = [getattr(bandit, name)() for name in bandit.__all__]


@pytest.mark.parametrize("policy", BANDITS, ids=str)
def test_bandits_need_the_whole_space_and_so_does_a_policy_around_them(policy):
    assert needs_whole_space(policy)
    for wrapped in (Elimination(policy), Repeated(policy), Truncated(policy), Elimination(Repeated(policy))):
        assert needs_whole_space(wrapped)


@pytest.mark.parametrize("policy", [UCB(), Elimination(LogEI()), Repeated(UCB()), Truncated()], ids=str)
def test_other_policies_choose_from_part_of_a_space(policy):
    assert not needs_whole_space(policy)


def test_a_rule_that_compares_no_places_stays_as_it_is():
    def left(x, marginals):
        return x[:, 0] < 0

    for admits in (left, admit_all):
        assert after_seeing(admits, np.zeros((2, 1)), Marginals(np.zeros(2), np.ones(2))) is admits
