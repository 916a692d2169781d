"""Models of BoTorch are surrogates like ours, and its acquisition functions policies."""

import numpy as np
import pytest
from botorch.acquisition import LogExpectedImprovement, UpperConfidenceBound, qLogExpectedImprovement
from botorch.acquisition.knowledge_gradient import qKnowledgeGradient
from botorch.models import SingleTaskGP

import wayfare as wf
from tests.plug.same import measure
from wayfare._core.rng import one_thread
from wayfare.plug.botorch import Acquisition, Surrogate
from wayfare.policy import UCB
from wayfare.testing.policy import SPACES, PolicyContract, situation_of
from wayfare.testing.surrogate import SPACE, SurrogateContract, history_of


@pytest.fixture(autouse=True)
def alone():
    """Small matrices are slower on several threads; a study plans on one, too."""
    with one_thread():
        yield


class TestSingleTaskGP(SurrogateContract):
    @pytest.fixture
    def surrogate(self):
        return Surrogate(SingleTaskGP)


class TestAcquisition(PolicyContract):
    @pytest.fixture(params=["analytic", "monte carlo"])
    def policy(self, request):
        if request.param == "analytic":
            return Acquisition(LogExpectedImprovement)
        return Acquisition(lambda model, best: qLogExpectedImprovement(model, best))


def test_an_earlier_belief_is_recalled_from_its_notes():
    history, x = history_of(SPACE, 20, seed=0), SPACE.sample(10, np.random.default_rng(1))
    posterior = Surrogate().fit(history, np.random.default_rng(3))
    again = Surrogate().recall(history, posterior.notes)
    np.testing.assert_allclose(again.marginals(x).sd, posterior.marginals(x).sd, rtol=1e-9)


def test_a_confidence_bound_of_botorch_picks_what_ours_does():
    situation = situation_of(SPACES["grid"], history_of(SPACES["grid"], 12, seed=1))
    theirs = Acquisition(lambda model, best: UpperConfidenceBound(model, beta=4.0))
    picks = [policy.propose(situation, 4, np.random.default_rng(0)) for policy in (UCB(beta=4.0), theirs)]
    np.testing.assert_array_equal(*picks)


def test_a_function_that_needs_more_of_a_model_is_refused():
    situation = situation_of(SPACES["plane"], history_of(SPACES["plane"], 12, seed=1))
    greedy = Acquisition(lambda model, best: qKnowledgeGradient(model, num_fantasies=2))
    with pytest.raises(wf.InvalidInput, match="needs more of a model"):
        greedy.propose(situation, 1, np.random.default_rng(0))


def test_a_model_that_fails_is_replaced_and_the_notes_say_so(caplog):
    def broken(x, y):
        raise RuntimeError("no such thing")

    posterior = Surrogate(broken).fit(history_of(SPACE, 20, seed=0), np.random.default_rng(0))
    assert posterior.notes["step"] == "own GP after a failed fit"
    assert "no such thing" in caplog.text


def test_a_study_plans_with_both_and_twice_the_same():
    space = wf.Space(
        wf.Real("t", 20.0, 120.0), wf.Real("p", 0.001, 1.0), wf.Integer("n", 1, 9), wf.Choice("s", ["a", "b"])
    )
    method = wf.Method(Acquisition(LogExpectedImprovement), wf.Growing(1.2), Surrogate())
    studies = [wf.maximize(measure, space, travel=wf.Manhattan(("t",)), trials=10, method=method) for _ in range(2)]
    assert [trial.value for trial in studies[0].trials] == [trial.value for trial in studies[1].trials]
    assert "fitted" in {plan.notes["step"] for plan in studies[0].state.plans}
