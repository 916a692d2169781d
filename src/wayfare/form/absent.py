"""Stand-ins for what only Python can hold: a user's own cost, or a part of a method that is not ours.

A study can be opened, looked at and told without them. What needs the real one refuses, and says how to
supply it.
"""

from typing import NoReturn, Self

from attrs import frozen

from wayfare.arrays import Matrix, Points
from wayfare.errors import InvalidInput
from wayfare.space import AnySpace
from wayfare.travel import MissingCost


@frozen
class AbsentCost:
    """Stands where a travel cost was that could not be kept: all that is known is its name."""

    name: str
    metric: bool
    unit: str
    argument: str = "travel"
    """Where ``Study.open`` takes it: as ``travel``, or in ``also``."""

    @property
    def is_metric(self) -> bool:
        """Whether the real one was."""
        return self.metric

    def bind(self, space: AnySpace) -> Self:
        """Return itself."""
        return self

    def __call__(self, origins: Points, targets: Points) -> Matrix:
        """Refuse: the function is not here."""
        raise MissingCost(
            f"a travel cost of this study is the Python function {self.name!r}, which cannot be kept; "
            f"Study.open(..., {self.argument}=...) supplies it"
        )


@frozen
class AbsentPart:
    """Stands where a policy, schedule, surrogate, planner or opening was that could not be kept."""

    name: str

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise InvalidInput(
            f"the method of this study has a part of the Python class {self.name!r}, which cannot be kept; "
            "Study.open(..., method=...) supplies it"
        )

    propose = is_due = batch_size = fit = recall = order = places = _refuse
