"""What every policy must pass: parametrise ``policy``, or override it as a fixture."""

import numpy as np
import pytest

from wayfare.arrays import unique_rows
from wayfare.history import History
from wayfare.policy import Policy
from wayfare.situation import Situation
from wayfare.space import AnySpace, Choice, Integer, Places, Real, Space
from wayfare.surrogate import GP
from wayfare.testing.surrogate import history_of
from wayfare.travel import Fee

SPACES: dict[str, AnySpace] = {
    "plane": Space(Real("a", -5.0, 5.0), Real("b", 0.0, 1.0)),
    "mixed": Space(Real("t", 40.0, 120.0), Integer("n", 1, 9, step=2), Choice("s", ["a", "b", "c"])),
    "grid": Space(Integer("i", 0, 6), Integer("j", 0, 6)),
    "places": Places(np.random.default_rng(0).random((40, 2))),
    "once": Places(np.random.default_rng(0).random((40, 2)), once=True),
    "six": Space(*(Real(f"x{i}", 0.0, 1.0) for i in range(6))),
    "fixed": Space(Real("a", 3.0, 3.0), Real("b", 0.0, 1.0)),
}


def situation_of(space: AnySpace, history: History, seed: int = 0) -> Situation:
    """Return the situation after ``history``, seen by a Gaussian process."""
    surrogate = GP()
    posterior = surrogate.fit(history, np.random.default_rng(seed))
    left = space.without(history.x).without(history.pending)
    return Situation(left, Fee(1.0).bind(space), history, surrogate, posterior)


class PolicyContract:
    """The promises of ``Policy``."""

    @pytest.mark.parametrize("size", [1, 5])
    @pytest.mark.parametrize("space", SPACES.values(), ids=SPACES)
    def test_a_batch_lies_in_the_space(self, policy: Policy, space: AnySpace, size: int) -> None:
        situation = situation_of(space, history_of(space, 12, seed=1, pending=2))
        batch = policy.propose(situation, size, np.random.default_rng(0))
        assert batch.shape[1] == space.d
        assert 1 <= len(batch) <= size
        assert situation.space.contains(batch).all()

    def test_the_same_stream_gives_the_same_batch(self, policy: Policy) -> None:
        space = SPACES["mixed"]
        first, again = (
            policy.propose(situation_of(space, history_of(space, 12, seed=1)), 4, np.random.default_rng(3))
            for _ in range(2)
        )
        np.testing.assert_array_equal(first, again)

    def test_where_places_are_visited_once_none_comes_twice(self, policy: Policy) -> None:
        space = SPACES["once"]
        history = history_of(space, 30, seed=1, pending=3)
        batch = policy.propose(situation_of(space, history), 7, np.random.default_rng(0))
        assert len(unique_rows(np.vstack([batch, history.x, history.pending]))[0]) == len(batch) + 33

    def test_a_batch_can_be_chosen_before_any_result(self, policy: Policy) -> None:
        space = SPACES["plane"]
        batch = policy.propose(situation_of(space, History.empty(space)), 3, np.random.default_rng(0))
        assert space.contains(batch).all()
