"""The tests that every policy must pass: inherit, and parametrise ``policy`` or override it as a fixture."""

import numpy as np
import pytest

from wayfare._core.arrays import unique_rows
from wayfare.policy import Policy, Runs
from wayfare.policy.base import Situation
from wayfare.space import AnySpace, Choice, Integer, Places, Real, Space
from wayfare.surrogate import GP
from wayfare.surrogate.history import History
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
    """Return the situation after ``history``, with the belief of a Gaussian process."""
    surrogate = GP()
    posterior = surrogate.fit(history, np.random.default_rng(seed))
    left = space.without(history.x).without(history.pending)  # changes only spaces visited once
    return Situation(left, Fee(1.0).bind(space), history, surrogate, posterior)


class PolicyContract:
    """The promises of ``Policy``. For a policy that takes only some spaces, override ``space``."""

    @pytest.fixture(params=SPACES)
    def space(self, request: pytest.FixtureRequest) -> AnySpace:
        return SPACES[request.param]

    @pytest.mark.parametrize(("told", "size"), [(0, 3), (12, 1), (12, 5), (30, 7)])
    def test_a_batch_lies_in_the_space_and_asks_for_no_more_results_than_it_may(
        self, policy: Policy, space: AnySpace, told: int, size: int
    ) -> None:
        history = history_of(space, told, seed=1, pending=min(told, 3)) if told else History.empty(space)
        situation = situation_of(space, history)
        batch = policy.propose(situation, size, np.random.default_rng(0))
        runs = Runs.of(batch)
        assert runs.places.shape == (len(runs.counts), space.d)
        # Of a table without the places visited, if each may be visited only once.
        assert situation.space.contains(runs.places).all()
        assert (runs.counts >= 1).all()
        assert 1 <= runs.counts.sum() <= size
        distinct = len(unique_rows(runs.places)[0])
        assert distinct == len(runs.places) or not (space.once or isinstance(batch, Runs))
        assert distinct == runs.counts.sum() or not space.once

    def test_the_same_stream_gives_the_same_batch(self, policy: Policy, space: AnySpace) -> None:
        first, again = (
            Runs.of(policy.propose(situation_of(space, history_of(space, 12, seed=1)), 4, rng))
            for rng in (np.random.default_rng(3), np.random.default_rng(3))
        )
        np.testing.assert_array_equal(first.places, again.places)
        np.testing.assert_array_equal(first.counts, again.counts)
