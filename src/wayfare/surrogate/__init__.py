"""Models of the function: an exact Gaussian process, or a tally of each place by itself."""

from wayfare.surrogate.base import Marginals, Paths, Posterior, Surrogate, Tracker
from wayfare.surrogate.gp import GP, GPPosterior
from wayfare.surrogate.history import History, Notes, Past
from wayfare.surrogate.kernels import RBF, Kernel, Matern52
from wayfare.surrogate.measured import Measured
from wayfare.surrogate.tally import Tally, TallyPosterior

__all__ = [
    "GP",
    "RBF",
    "GPPosterior",
    "History",
    "Kernel",
    "Marginals",
    "Matern52",
    "Measured",
    "Notes",
    "Past",
    "Paths",
]
__all__ += ["Posterior", "Surrogate", "Tally", "TallyPosterior", "Tracker"]
