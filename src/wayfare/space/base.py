"""The protocol of every space, which ``Space`` and ``Places`` keep and a third party's space may keep, too."""

from typing import Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from wayfare._core.arrays import Features, Mask, Points, Values
from wayfare.space.axes import Scalar


class AnySpace(Protocol):
    """Where the traveller may go.

    A place is a row of floats in the user's units; a choice's number is the position of its value.
    All tables returned are read-only or fresh, and the same ``rng`` gives the same places.
    """

    @property
    def names(self) -> tuple[str, ...]:
        """The axes' names, one per column."""

    @property
    def d(self) -> int:
        """Number of axes, fixed ones included."""

    @property
    def choices(self) -> tuple[tuple[Scalar, ...] | None, ...]:
        """For each column the values of a choice, or None where it holds numbers."""

    @property
    def groups(self) -> NDArray[np.intp]:
        """For each feature column, which active axis it belongs to: 0, 1, … without gaps."""

    @property
    def once(self) -> bool:
        """Whether a place may be visited only once."""

    @property
    def size(self) -> int | None:
        """Number of places; None for infinitely many."""

    def column(self, axis: str | int) -> int:
        """Return the column of an axis, given its name or already its number."""

    def points(self, places: object) -> Points:
        """Return the (n, d) rows of the places that the user wrote, read-only; they may be out of bounds.

        Takes a dict, a list of dicts, a DataFrame, an array or a list of rows.
        """

    def params(self, x: Points) -> dict[str, Scalar]:
        """Return one row as plain Python values by name."""

    def contains(self, x: Points) -> Mask:
        """Return which rows are allowed places."""

    def snap(self, x: Points) -> Points:
        """Return the nearest allowed places; an allowed place is its own."""

    def encode(self, x: Points) -> Features:
        """Return the rows in the unit cube, as the surrogate sees them; fixed axes are left out."""

    def sample(self, n: int, rng: Generator) -> Points:
        """Return ``n`` allowed places spread over the space (fewer if there are fewer)."""

    def survey(self, start: Values, n: int, rng: Generator) -> Points:
        """Return allowed places that share the space evenly with a start, for a first look around.

        They show the values of every choice as evenly as places allow, the start's included, and which place shows
        which value is drawn. A space without choices and without a better design returns
        ``self.without(start[None, :]).sample(n, rng)``.

        Args:
            start: the place where the study begins, in the user's units.
            n: the number of places; fewer may be returned, and places may coincide, also with the start.
            rng: the source of randomness.
        """

    def around(self, x: Points, radius: float, n: int, rng: Generator) -> Points:
        """Return allowed places near each row, centre by centre.

        Args:
            x: (m, d) centres.
            radius: the distance to go, in the unit cube.
            n: the number of places for each centre.
            rng: the source of randomness.
        """

    def everything(self, limit: int) -> Points | None:
        """Return all places if there are at most ``limit``, else None."""

    def without(self, x: Points) -> "AnySpace":
        """Return the space that is left once these are visited: itself, unless places are visited only once."""
