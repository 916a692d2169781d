"""What is believed of the function: an exact Gaussian process, or a tally of each place by itself."""

from wayfare.surrogate.base import Marginals, Paths, Posterior, Surrogate, Tracker
from wayfare.surrogate.gp import GP, GPPosterior
from wayfare.surrogate.kernels import RBF, Kernel, Matern52
from wayfare.surrogate.tally import Tally, TallyPosterior

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
    "Tally",
    "TallyPosterior",
    "Tracker",
]
