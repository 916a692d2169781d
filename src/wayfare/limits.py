"""What a traveller must keep to."""

from attrs import frozen

from wayfare.arrays import Values


@frozen(eq=False)
class Limits:
    """What a study may cost, all in the unit of its travel cost.

    ``budget`` is what legs, results (``run_cost`` each) and the way home, to ``end``, may cost together.
    Without an ``end`` there is no way home. A ``trip`` is what they may cost between two visits to the
    ``end``, each of which costs ``trip_cost`` on top. No leg costs more than ``max_step``. None: no limit.
    """

    budget: float | None = None
    end: Values | None = None
    run_cost: float = 0.0
    trip: float | None = None
    trip_cost: float = 0.0
    max_step: float | None = None

    @property
    def are_set(self) -> bool:
        """Whether there is anything that a route must be made to fit."""
        return self.budget is not None or self.trip is not None or self.max_step is not None
