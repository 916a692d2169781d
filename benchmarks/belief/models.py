"""The models whose beliefs are compared, each as its own manual shows it, on the same data.

All return the mean and the standard deviation of the function itself, without the noise of a result. Places are in the
user's units; each peer gets them in the unit cube, with choices as its manual has them.
"""

import warnings
from collections.abc import Callable
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.random import Generator

from wayfare._core.arrays import Points, Values
from wayfare.bench.cell import own_digest
from wayfare.errors import InvalidInput
from wayfare.space import Choice, Space
from wayfare.surrogate import GP, History

RESTARTS = 3
"""Restarts of scikit-learn's optimizer."""


class Belief(NamedTuple):
    """Mean and standard deviation of the function at each place, in the unit of the results."""

    mean: Values
    sd: Values


class Model(Protocol):
    """A model as a user would call it."""

    def __call__(self, space: Space, x: Points, y: Values, places: Points, rng: Generator) -> Belief:
        """Return the belief at ``places``.

        Args:
            space: where the places are.
            x: (n, d) the places of the results.
            y: (n,) the results.
            places: where to judge the belief.
            rng: draws what the fit leaves to chance.
        """


def wayfare(space: Space, x: Points, y: Values, places: Points, rng: Generator) -> Belief:
    """Return the belief of our model."""
    marginals = GP().fit(History(space, x, y, np.empty((0, space.d))), rng).marginals(places)
    return Belief(marginals.mean, marginals.sd)


def botorch(space: Space, x: Points, y: Values, places: Points, rng: Generator) -> Belief:
    """Return the belief of BoTorch's SingleTaskGP with its default priors; choices are one-hot."""
    from botorch.models import SingleTaskGP
    from botorch.models.transforms import Normalize, Standardize

    coded, judged = one_hot(space, x), one_hot(space, places)
    d = coded.shape[1]
    return _botorch(
        lambda inputs, results: SingleTaskGP(
            inputs,
            results,
            input_transform=Normalize(d, bounds=_tensor(np.array([[0.0] * d, [1.0] * d]))),
            outcome_transform=Standardize(1),
        ),
        coded,
        y,
        judged,
        rng,
    )


def botorch_mixed(space: Space, x: Points, y: Values, places: Points, rng: Generator) -> Belief:
    """Return the belief of BoTorch's MixedSingleTaskGP; integers are numbers to it."""
    from botorch.models import MixedSingleTaskGP
    from botorch.models.transforms import Normalize, Standardize

    choices = [column for column, axis in enumerate(space.axes) if isinstance(axis, Choice)]
    numbers = [column for column in range(space.d) if column not in choices]
    bounds = _tensor(np.array([[axis.low, axis.high] for axis in space.axes if not isinstance(axis, Choice)]).T)
    scaled = Normalize(space.d, indices=numbers, bounds=bounds) if numbers else None
    return _botorch(
        lambda inputs, results: MixedSingleTaskGP(
            inputs, results, cat_dims=choices, input_transform=scaled, outcome_transform=Standardize(1)
        ),
        x,
        y,
        places,
        rng,
    )


def scikit_learn(space: Space, x: Points, y: Values, places: Points, rng: Generator) -> Belief:
    """Return the belief of scikit-learn's GaussianProcessRegressor with the kernel most would write."""
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import ConstantKernel, Matern, WhiteKernel

    coded = one_hot(space, x)
    kernel = ConstantKernel() * Matern(np.ones(coded.shape[1]), nu=2.5) + WhiteKernel()
    model = GaussianProcessRegressor(
        kernel, normalize_y=True, n_restarts_optimizer=RESTARTS, random_state=int(rng.integers(2**31))
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a hyperparameter at its bound
        model.fit(coded, y)
        mean, sd = model.predict(one_hot(space, places), return_std=True)
    # predict counts the white noise in, and both are in units of the spread of y.
    noise = model.kernel_.k2.noise_level * np.square(model._y_train_std)
    return Belief(mean, np.sqrt(np.maximum(np.square(sd) - noise, 0.0)))


MODELS: dict[str, Model] = {
    "wayfare": wayfare,
    "botorch": botorch,
    "botorch-mixed": botorch_mixed,
    "scikit-learn": scikit_learn,
}
"""All models by name; the first is ours."""
OURS = "wayfare"
PACKAGES = {
    "botorch": ("botorch", "gpytorch", "torch"),
    "botorch-mixed": ("botorch", "gpytorch", "torch"),
    "scikit-learn": ("scikit-learn",),
}


@cache
def version_of(model: str) -> str:
    """Return the versions behind a model's rows; of ours also a digest of the code."""
    if model == OURS:
        return f"wayfare {own_digest()}"
    try:
        return ", ".join(f"{package} {version(package)}" for package in PACKAGES[model])
    except PackageNotFoundError as error:
        raise InvalidInput(f"{model} needs the package {error.name}: pip install 'wayfare[dev,peers]'") from error


def suits(model: str, space: Space) -> bool:
    """Return whether a model is made for a space: MixedSingleTaskGP needs a choice."""
    return model != "botorch-mixed" or any(isinstance(axis, Choice) for axis in space.axes)


def one_hot(space: Space, x: Points) -> Points:
    """Return places with numbers from 0 to 1 and a column of 0 or 1 for each value of a choice."""
    columns = []
    for axis, column in zip(space.axes, x.T, strict=True):
        if isinstance(axis, Choice):
            columns.append((column[:, None] == np.arange(axis.size)).astype(np.float64))
        else:
            columns.append(((column - axis.low) / (axis.high - axis.low))[:, None])
    return np.hstack(columns)


def _botorch(build: Callable[[Any, Any], Any], x: Points, y: Values, places: Points, rng: Generator) -> Belief:
    """Return the belief of a BoTorch model, fitted by its marginal likelihood and its priors."""
    import torch
    from botorch.fit import fit_gpytorch_mll
    from gpytorch.mlls import ExactMarginalLogLikelihood

    torch.set_num_threads(1)
    torch.manual_seed(int(rng.integers(2**31)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # an optimizer that stopped early is started again
        model = build(_tensor(x), _tensor(y[:, None]))
        fit_gpytorch_mll(ExactMarginalLogLikelihood(model.likelihood, model))
        with torch.no_grad():
            posterior = model.posterior(_tensor(places))
            mean, variance = posterior.mean.numpy()[:, 0], posterior.variance.numpy()[:, 0]
    return Belief(mean, np.sqrt(np.maximum(variance, 0.0)))


def _tensor(array: Points) -> Any:
    import torch

    return torch.tensor(array, dtype=torch.float64)
