"""Every error a caller may catch.

::

    WayfareError
    ├── InvalidInput        a value was refused at the door (also a ValueError)
    ├── UnknownStudy        no study of that name in this store
    ├── UnknownTrial        that trial was never handed out
    ├── AlreadyTold         that trial already has its outcome
    ├── TooEarly            nothing has been told yet, or not to this trial
    ├── BudgetSpent         no trials are left, or nothing of the travel budget
    ├── Conflict            someone else changed the study in between
    ├── StoreError          the store could not be read or written; what was acknowledged is safe
    └── ModelError          a surrogate could not be built (handled inside; never stops a tell)

    GuaranteeWarning        average movement need not go to zero, because of the travel cost, the method or an option
    DriftWarning            results changed though the places were the same
    ExperimentalWarning     this part of the interface may change in any release
"""

import sys
import warnings


class WayfareError(Exception):
    """The root of all errors raised on purpose."""


class InvalidInput(WayfareError, ValueError):
    """A value was refused; the message names the field and the way out."""


class UnknownStudy(WayfareError, KeyError):
    """No study of that name is kept here."""

    def __str__(self) -> str:
        """Return the message plainly: KeyError would show its repr."""
        return str(self.args[0])


class UnknownTrial(WayfareError):
    """The trial was never handed out by this study."""


class AlreadyTold(WayfareError):
    """The trial already has an outcome."""


class TooEarly(WayfareError):
    """There is nothing to say, or to correct, yet."""


class BudgetSpent(WayfareError):
    """All trials have been handed out, or budget, trip and step allow no more."""


class Conflict(WayfareError):
    """The study changed between reading and writing."""


class StoreError(WayfareError):
    """The store could not be read or written."""


class ModelError(WayfareError):
    """A surrogate could not be built from these observations."""


class GuaranteeWarning(UserWarning):
    """Average movement need not go to zero, because of the travel cost, the method or an option."""


class DriftWarning(UserWarning):
    """Repeated visits to the same places show that results drift."""


class ExperimentalWarning(UserWarning):
    """This function or class is experimental: it may change or be removed in any release."""


def warn(message: str, kind: type[Warning]) -> None:
    """Warn at the line of the user's code that called wayfare."""
    frame, depth = sys._getframe(1), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("wayfare."):
        frame, depth = frame.f_back, depth + 1
    warnings.warn(message, kind, stacklevel=depth + 1)
