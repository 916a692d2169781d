"""Laws are tried on the same examples every time; HYPOTHESIS_PROFILE=explore draws new ones.

No deadline: planning takes its time on a busy machine, and hypothesis is not to hold that against it.
"""

import os
import sys

from hypothesis import settings

settings.register_profile("repeatable", deadline=None, derandomize=True)
settings.register_profile("quick", deadline=None, derandomize=True, max_examples=20)
settings.register_profile("explore", deadline=None, max_examples=500)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_runtest_teardown():
    """Close the figures that a test drew; too many open at once are a warning in another test."""
    if pyplot := sys.modules.get("matplotlib.pyplot"):
        pyplot.close("all")
