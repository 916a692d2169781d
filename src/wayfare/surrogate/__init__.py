"""What is believed of the function: an exact Gaussian process."""

from wayfare.surrogate.base import Marginals, Paths, Posterior, Surrogate, Tracker
from wayfare.surrogate.gp import GP, GPPosterior
from wayfare.surrogate.kernels import RBF, Kernel, Matern52

__all__ = [
    "GP",
    "RBF",
    "GPPosterior",
    "Kernel",
    "Marginals",
    "Matern52",
    "Paths",
    "Posterior",
    "Surrogate",
    "Tracker",
]
