"""Linear algebra and special functions of SciPy, imported at their first use.

Importing them takes longer than reading a study of thousands of trials, which needs none of them.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scipy.linalg import cholesky
    from scipy.linalg.lapack import dpotrf, dpotri, dpotrs, dtrtrs
    from scipy.special import erfcx, log_ndtr, ndtr, stdtr

__all__ = ["cholesky", "dpotrf", "dpotri", "dpotrs", "dtrtrs", "erfcx", "log_ndtr", "ndtr", "stdtr"]

_MODULES = {"cholesky": "scipy.linalg"} | dict.fromkeys(["erfcx", "log_ndtr", "ndtr", "stdtr"], "scipy.special")


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found = getattr(import_module(_MODULES.get(name, "scipy.linalg.lapack")), name)
    globals()[name] = found  # so that the next use finds it without coming here
    return found
