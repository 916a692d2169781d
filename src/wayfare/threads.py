"""Linear algebra on one thread while planning.

The matrices are small, so more threads only get in each other's way; and how a product is split between
threads changes its last bits, while the same study must give the same plan on any number of cores.
"""

from contextlib import AbstractContextManager
from functools import cache

from threadpoolctl import ThreadpoolController


def one_thread() -> AbstractContextManager[object]:
    """Return a context in which BLAS uses one thread."""
    context: AbstractContextManager[object] = _controller().limit(limits=1, user_api="blas")
    return context


@cache
def _controller() -> ThreadpoolController:
    # Looking the libraries up takes milliseconds; NumPy's and SciPy's are loaded before any plan is made.
    return ThreadpoolController()
