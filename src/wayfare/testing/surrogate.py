"""The tests that every surrogate must pass: inherit from ``SurrogateContract`` and override its fixture."""

import json

import numpy as np
import pytest

from wayfare._core.arrays import Points
from wayfare.space import AnySpace, Choice, Integer, Real, Space
from wayfare.surrogate import Posterior, Surrogate
from wayfare.surrogate.history import History

SPACE = Space(Real("t", 40.0, 120.0), Integer("n", 1, 9), Choice("s", ["a", "b", "c"]))


def history_of(space: AnySpace, n: int, seed: int, pending: int = 0) -> History:
    """Return ``n`` noisy results of a smooth function of the features, and some pending places."""
    rng = np.random.default_rng(seed)
    x = space.sample(n + pending, rng)
    features = space.encode(x[:n])
    y = np.sin(4 * features).sum(axis=1) + 0.1 * rng.standard_normal(n)
    return History(space, x[:n], y, x[n:])


class SurrogateContract:
    """The promises of ``Surrogate`` and ``Posterior``."""

    @pytest.fixture
    def surrogate(self) -> Surrogate:
        raise NotImplementedError("override this fixture with the surrogate to be tested")

    @pytest.fixture
    def posterior(self, surrogate: Surrogate) -> Posterior:
        return surrogate.fit(history_of(SPACE, 20, seed=0), np.random.default_rng(0))

    @pytest.fixture
    def x(self) -> Points:
        return SPACE.sample(40, np.random.default_rng(7))

    def test_the_spread_is_positive_and_smaller_at_the_data(self, surrogate: Surrogate, x: Points) -> None:
        history = history_of(SPACE, 20, seed=0)
        posterior = surrogate.fit(history, np.random.default_rng(0))
        away, home = posterior.marginals(x), posterior.marginals(history.x)
        assert (away.sd > 0).all()
        assert home.sd.mean() < away.sd.mean()

    def test_the_same_stream_gives_the_same_belief(self, surrogate: Surrogate, x: Points) -> None:
        first, second = (surrogate.fit(history_of(SPACE, 20, seed=0), np.random.default_rng(3)) for _ in range(2))
        np.testing.assert_array_equal(first.marginals(x).mean, second.marginals(x).mean)

    def test_notes_are_plain_json_and_name_the_step(self, posterior: Posterior) -> None:
        assert json.loads(json.dumps(dict(posterior.notes))) == dict(posterior.notes)
        assert posterior.notes["step"]

    def test_conditioning_shrinks_the_spread_and_keeps_the_mean(self, posterior: Posterior, x: Points) -> None:
        # A pending place is taken to give its own mean, so only the spread shrinks.
        before, after = posterior.marginals(x), posterior.condition(x[:5]).marginals(x)
        np.testing.assert_allclose(after.mean, before.mean, atol=1e-8 * (1 + np.abs(before.mean).max()))
        assert (after.sd <= before.sd * (1 + 1e-8)).all()
        assert (after.sd[:5] < before.sd[:5]).all()

    def test_tracking_one_by_one_equals_conditioning_at_once(self, posterior: Posterior, x: Points) -> None:
        tracker = posterior.track(x)
        for index in (3, 0, 3, 11):  # one place twice
            tracker.add(index)
        expected = posterior.condition(x[[3, 0, 3, 11]]).marginals(x)
        np.testing.assert_allclose(tracker.marginals.sd, expected.sd, rtol=1e-8, atol=1e-8)
        np.testing.assert_allclose(tracker.marginals.mean, expected.mean, rtol=1e-8, atol=1e-8)

    def test_conditioning_on_nothing_changes_nothing(self, posterior: Posterior, x: Points) -> None:
        np.testing.assert_array_equal(posterior.condition(x[:0]).marginals(x).sd, posterior.marginals(x).sd)

    def test_a_path_is_a_function(self, posterior: Posterior, x: Points) -> None:
        paths = posterior.paths(3, np.random.default_rng(0))
        assert paths(x).shape == (len(x), 3)
        np.testing.assert_allclose(paths(x)[4:9], paths(x[4:9]), atol=1e-5)

    @pytest.mark.parametrize("pending", [0, 4])
    def test_paths_have_the_mean_and_spread_of_the_belief(self, posterior: Posterior, x: Points, pending: int) -> None:
        belief = posterior.condition(x[:pending])
        mean, sd = belief.marginals(x)
        # Draws of one call share their random features: many calls average that error out too.
        draws = np.hstack([belief.paths(50, np.random.default_rng(seed))(x) for seed in range(80)])
        n = draws.shape[1]
        assert (np.abs(draws.mean(axis=1) - mean) < 6 * sd / np.sqrt(n) + 1e-3 * sd.max()).all()
        np.testing.assert_allclose(draws.std(axis=1), sd, rtol=0.12)

    def test_a_belief_can_be_had_before_any_result(self, surrogate: Surrogate, x: Points) -> None:
        posterior = surrogate.fit(History.empty(SPACE), np.random.default_rng(0))
        mean, sd = posterior.marginals(x)
        assert np.isfinite(mean).all()
        assert (sd > 0).all()
        assert posterior.paths(2, np.random.default_rng(0))(x).shape == (len(x), 2)
