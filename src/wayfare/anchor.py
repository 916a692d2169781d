"""A place to return to now and then, so that a drift of the results shows."""

from attrs import frozen

from wayfare.arrays import Values


@frozen(eq=False)
class Anchor:
    """Go back to ``place`` after ``every`` other visits at most; None: to the best place so far."""

    every: int
    place: Values | None = None
