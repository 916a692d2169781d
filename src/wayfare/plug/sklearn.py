"""A model of scikit-learn as the surrogate of a study: any estimator with ``predict(X, return_cov=True)``."""

import logging
import warnings
from typing import Any

import numpy as np
from attrs import evolve, field, frozen
from numpy.random import Generator

from wayfare._core.arrays import Features, Matrix, Values
from wayfare._core.extras import install
from wayfare.errors import InvalidInput
from wayfare.plug.joint import JointPosterior, without_noise
from wayfare.surrogate import GP, Posterior
from wayfare.surrogate.history import History, Notes, Standard

try:
    from sklearn.base import clone
except ImportError as error:
    raise InvalidInput(f"wayfare.plug.sklearn needs scikit-learn: {install('scikit-learn', 'sklearn')}") from error

__all__ = ["Surrogate"]

_log = logging.getLogger(__name__)


def _is_estimator(instance: object, attribute: Any, estimator: Any) -> None:
    if isinstance(estimator, type) or not (hasattr(estimator, "fit") and hasattr(estimator, "predict")):
        raise InvalidInput(
            f"estimator must be one of scikit-learn, such as GaussianProcessRegressor(), got {estimator!r}"
        )


@frozen
class Surrogate:
    """A belief by an estimator of scikit-learn, such as ``GaussianProcessRegressor``, or a pipeline that ends in one.

    It is fitted to places in the unit cube and standardised results. A run of several results counts as one, and the
    study's ``noise`` is not passed on: noise is a part of the estimator (``WhiteKernel``, ``alpha``). Before there are
    two different results, and where the estimator fails, the belief is that of wayfare's own ``GP``, and the notes say
    so.

    Attributes:
        estimator: not fitted; it is cloned for every fit.
    """

    estimator: Any = field(validator=_is_estimator)

    def fit(self, history: History, rng: Generator) -> Posterior:
        """Return the belief after ``history``."""
        if Standard.of_history(history).is_constant:
            return GP().fit(history, rng)
        model, seed = clone(self.estimator), int(rng.integers(2**31))
        try:
            return self._fitted(model, history, seed)
        except InvalidInput:
            raise
        except (ValueError, ArithmeticError, np.linalg.LinAlgError) as error:
            _log.warning(
                "the fit of %r to %d results failed (%s): using wayfare's own GP", self.estimator, history.told, error
            )
        return evolve(GP().fit(history, rng), step="own GP after a failed fit")

    def recall(self, history: History, notes: Notes) -> Posterior:
        """Return the belief of an earlier plan: the same estimator with the hyperparameters that it had then."""
        if notes.get("by") != "sklearn":
            return GP().recall(history, notes)
        model = clone(self.estimator)
        if "theta" in notes:
            last = _last(model)
            last.set_params(kernel=last.kernel.clone_with_theta(np.array(notes["theta"])), optimizer=None)
        return self._fitted(model, history, int(notes["seed"]))

    def _fitted(self, model: Any, history: History, seed: int) -> JointPosterior:
        standard = Standard.of_history(history)
        chance = [name for name in model.get_params() if name.split("__")[-1] == "random_state"]
        model.set_params(**dict.fromkeys(chance, seed))
        x, z = history.space.encode(history.x), standard.apply(history.y)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of hyperparameters at a bound
            model.fit(x, z)

        def joint(there: Features) -> tuple[Values, Matrix]:
            return predicted(there)[:2]

        def predicted(there: Features) -> tuple[Values, Matrix, float]:
            try:
                return without_noise(*model.predict(np.vstack([there, there[-1:]]), return_cov=True))
            except TypeError as error:
                raise InvalidInput(
                    f"estimator {type(_last(model)).__name__} has no predict(X, return_cov=True), and planning needs "
                    "the covariance; take GaussianProcessRegressor, or another that has it"
                ) from error

        noise = predicted(x[:1])[2] + float(np.mean(getattr(_last(model), "alpha", 0.0)))
        theta = getattr(getattr(_last(model), "kernel_", None), "theta", None)
        notes: dict[str, Any] = {"step": "fitted", "by": "sklearn", "seed": seed}
        if theta is not None and getattr(_last(model), "kernel", None) is not None:
            notes["theta"] = theta.tolist()
        return JointPosterior(history.space, joint, noise, standard, notes)


def _last(model: Any) -> Any:
    """Return the estimator at the end of a pipeline, or the model itself."""
    return model[-1] if hasattr(model, "steps") else model
