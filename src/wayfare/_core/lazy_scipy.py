"""What we take from SciPy's linear algebra and special functions, imported when it is first used.

Importing it takes longer than reading a study of thousands of trials, and who only reads does without.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from scipy.linalg import cholesky as cholesky
    from scipy.linalg.lapack import dpotrf as dpotrf
    from scipy.linalg.lapack import dpotri as dpotri
    from scipy.linalg.lapack import dpotrs as dpotrs
    from scipy.linalg.lapack import dtrtrs as dtrtrs
    from scipy.special import erfcx as erfcx
    from scipy.special import log_ndtr as log_ndtr
    from scipy.special import stdtr as stdtr


_HOMES = {
    "cholesky": "scipy.linalg",
    "dpotrf": "scipy.linalg.lapack",
    "dpotri": "scipy.linalg.lapack",
    "dpotrs": "scipy.linalg.lapack",
    "dtrtrs": "scipy.linalg.lapack",
    "erfcx": "scipy.special",
    "log_ndtr": "scipy.special",
    "stdtr": "scipy.special",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = found = getattr(import_module(_HOMES[name]), name)
    return found
