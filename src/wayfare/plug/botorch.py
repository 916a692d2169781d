"""BoTorch inside a study: its models as the surrogate, its acquisition functions as the policy."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from attrs import evolve, field, frozen
from numpy.random import Generator

from wayfare._core.arrays import Features, Matrix, Points, Values
from wayfare._core.extras import install
from wayfare.errors import InvalidInput
from wayfare.plug.joint import JointPosterior
from wayfare.policy.acquisition import pick_greedily
from wayfare.policy.base import Situation
from wayfare.policy.greedy import best_so_far
from wayfare.surrogate import GP, Marginals, Posterior
from wayfare.surrogate.history import History, Notes, Standard

try:
    import torch
    from botorch.exceptions.errors import ModelFittingError
    from botorch.fit import fit_gpytorch_mll
    from botorch.models import SingleTaskGP
    from botorch.models.model import Model
    from botorch.posteriors import GPyTorchPosterior
    from gpytorch.distributions import MultivariateNormal
    from gpytorch.mlls import ExactMarginalLogLikelihood
except ImportError as error:
    raise InvalidInput(f"wayfare.plug.botorch needs BoTorch: {install('botorch', 'botorch')}") from error

__all__ = ["Acquisition", "Surrogate", "fit_by_likelihood"]

_log = logging.getLogger(__name__)

Factory = Callable[[Any, Any], Any]
"""Returns a model, given places in the unit cube (n, p) and standardised results (n, 1), as tensors."""
AcquisitionFactory = Callable[[Any, float], Any]
"""Returns an acquisition function, given a model and the best posterior mean of a visited place; larger is better."""


def fit_by_likelihood(model: Any) -> None:
    """Fit the hyperparameters by the marginal likelihood, or its mode under the model's priors."""
    fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))


@contextmanager
def _repeatable(seed: int) -> Iterator[None]:
    """Give a context in which torch draws from this seed and uses one thread: the same study, the same plan."""
    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        torch.manual_seed(seed)
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)


@frozen
class Surrogate:
    """A belief by a model of BoTorch that has one output.

    It is fitted to places in the unit cube and standardised results, both in double precision. A run of several results
    counts as one, and the study's ``noise`` is not passed on: noise is a part of the model. Before there are two
    different results, and where the fit fails, the belief is that of wayfare's own ``GP``, and the notes say so.

    Attributes:
        model_factory: returns a model, given places and results, such as ``SingleTaskGP`` itself.
        fit_model: fits its hyperparameters in place.
    """

    model_factory: Factory = SingleTaskGP
    fit_model: Callable[[Any], object] = fit_by_likelihood

    def fit(self, history: History, rng: Generator) -> Posterior:
        """Return the belief after ``history``."""
        if Standard.of_history(history).is_constant:
            return GP().fit(history, rng)
        try:
            with _repeatable(int(rng.integers(2**31))):
                model = self._model(history)
                self.fit_model(model)
                return self._posterior(model, history)
        except (ModelFittingError, RuntimeError, ValueError, ArithmeticError) as error:
            _log.warning(
                "the fit of a BoTorch model to %d results failed (%s): using wayfare's own GP", history.told, error
            )
        return evolve(GP().fit(history, rng), step="own GP after a failed fit")

    def recall(self, history: History, notes: Notes) -> Posterior:
        """Return the belief of an earlier plan: the same model with the hyperparameters that it had then."""
        if notes.get("by") != "botorch":
            return GP().recall(history, notes)
        with _repeatable(0):
            model = self._model(history)
            known = {name: torch.tensor(value, dtype=torch.double) for name, value in notes["parameters"].items()}
            model.load_state_dict(known, strict=False)
            return self._posterior(model, history)

    def _model(self, history: History) -> Any:
        z = Standard.of_history(history).apply(history.y)
        return self.model_factory(_tensor(history.space.encode(history.x)), _tensor(z[:, None]))

    def _posterior(self, model: Any, history: History) -> JointPosterior:
        model.eval()

        def joint(there: Features) -> tuple[Values, Matrix]:
            with _repeatable(0), torch.no_grad():
                found = model.posterior(_tensor(there)).distribution
                return found.mean.numpy().ravel(), found.covariance_matrix.numpy()

        with torch.no_grad():
            one = _tensor(history.space.encode(history.x[:1]))
            noise = model.posterior(one, observation_noise=True).variance - model.posterior(one).variance
        notes = {
            "step": "fitted",
            "by": "botorch",
            "parameters": {name: value.detach().tolist() for name, value in model.named_parameters()},
        }
        standard = Standard.of_history(history)
        return JointPosterior(history.space, joint, float(noise), standard, notes)


@frozen
class Acquisition:
    """A policy that takes the places where an acquisition function of BoTorch is highest, one after the other.

    It works with any surrogate: the function is given a model that knows the belief at the places it is asked about,
    one at a time (q = 1). Those that need more of a model, its data, fantasies, or several places at once, are refused.

    Attributes:
        acquisition: returns the function, given the model and the best mean of the places visited, such as
            ``LogExpectedImprovement``.
    """

    acquisition: AcquisitionFactory = field()

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return the ``size`` places of highest value, each once those before it are hallucinated."""
        best = best_so_far(situation)

        def raise_best(mean: float) -> None:
            nonlocal best
            best = max(best, mean)

        def score(x: Points, at: Marginals) -> Values:
            try:
                with torch.no_grad():
                    values = self.acquisition(_Belief(at), best)(_tensor(x)[:, None, :])
            except (NotImplementedError, AttributeError, ValueError) as error:
                raise InvalidInput(
                    f"the acquisition function needs more of a model than the belief at single places: {error}; take "
                    "an analytic one, or a Monte Carlo one without data of its own"
                ) from error
            return np.asarray(values.numpy(), dtype=np.float64)

        with _repeatable(int(rng.integers(2**31))):
            return pick_greedily(situation, score, size, rng, raise_best)


class _Belief(Model):  # type: ignore[misc]  # BoTorch is an extra, and skipped by mypy
    """A model that knows the belief at some places, and is asked about these, in their order."""

    num_outputs = 1
    batch_shape = torch.Size()

    def __init__(self, at: Marginals) -> None:
        super().__init__()
        self._mean, self._variance = _tensor(at.mean), _tensor(np.square(at.sd))

    def posterior(self, X: Any, *arguments: Any, **options: Any) -> Any:  # noqa: N803  # as BoTorch calls it
        """Return the belief at each place by itself."""
        if X.shape[:-1] != (len(self._mean), 1):
            raise NotImplementedError(f"it asks about places of its own, of shape {tuple(X.shape)}")
        return GPyTorchPosterior(MultivariateNormal(self._mean[:, None], self._variance[:, None, None]))


def _tensor(numbers: Any) -> Any:
    return torch.as_tensor(np.array(numbers, dtype=np.float64), dtype=torch.double)
