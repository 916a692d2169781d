"""Arms: the places of a finite table, and what is known of each by itself."""

from collections.abc import Callable

import numpy as np
from attrs import frozen

from wayfare.arrays import Mask, Order, Points, Values
from wayfare.errors import InvalidInput
from wayfare.history import History
from wayfare.space import AnySpace, Places

MOST_ARMS = 100_000


@frozen(eq=False)
class Arms:
    """For each place of a table: how many results it has, what they add up to, how many are still out.

    ``open`` are those that are not closed (``History.closed``), or all, if none is left. Results at places
    that are not in the table are left out.
    """

    table: Points
    counts: Order
    sums: Values
    out: Order
    open: Mask

    @classmethod
    def of(cls, space: AnySpace, history: History, who: str) -> "Arms":
        """Return the arms of a finite space; ``who`` asks."""
        places = table_of(space, who)
        return cls.among(places.table, places.index, history)

    @classmethod
    def among(cls, table: Points, index: Callable[[Points], Order], history: History) -> "Arms":
        """Return the arms of ``table``; ``index`` says for each place which arm it is, -1 for none."""
        n = len(table)
        counts, sums = added_up(index(history.x), history.y, history.counts, n)
        nothing = np.zeros(len(history.pending))
        out, _ = added_up(index(history.pending), nothing, history.pending_counts, n)
        shut = index(history.closed)
        is_open = np.ones(n, dtype=bool)
        is_open[shut[shut >= 0]] = False
        return cls(table, counts, sums, out, is_open if is_open.any() else ~is_open)

    @property
    def pulled(self) -> Order:
        """How many results each has or will have: those still out count as taken."""
        return self.counts + self.out

    @property
    def means(self) -> Values:
        """The mean of each; not a number where there is no result."""
        return means_of(self.sums, self.counts)

    @property
    def expected(self) -> Values:
        """The mean of each; where there is no result, that of all results, and 0 before any."""
        return expected_means(self.sums, self.counts)

    def best(self, scores: Values) -> Points:
        """Return the open place with the highest score, the first of equals, as a table of one row."""
        return self.table[[int(np.where(self.open, scores, -np.inf).argmax())]]


def table_of(space: AnySpace, who: str) -> Places:
    """Return a finite space as a table of places, or say why it cannot be one of arms."""
    if space.once:
        raise InvalidInput(f"{who} returns to its arms, and these places may be visited once; use once=False")
    table = space.everything(MOST_ARMS)
    if table is None:
        raise InvalidInput(
            f"{who} needs a finite table of at most {MOST_ARMS} arms; list the places, Places(...), "
            "or use BLiN in a box of Real axes"
        )
    return space if isinstance(space, Places) else Places(table)


def added_up(at: Order, y: Values, counts: Order, n: int) -> tuple[Order, Values]:
    """Return for each of ``n`` arms its number of results and their sum; ``at`` is -1 for no arm."""
    known = at >= 0
    weights = counts[known]
    taken = np.bincount(at[known], weights=weights, minlength=n).astype(np.intp)
    return taken, np.asarray(np.bincount(at[known], weights=weights * y[known], minlength=n), np.float64)


def means_of(sums: Values, counts: Order) -> Values:
    """Return sums divided by counts; not a number where there is nothing to divide."""
    return np.where(counts > 0, sums / np.maximum(counts, 1), np.nan)


def expected_means(sums: Values, counts: Order) -> Values:
    """Return sums divided by counts; where there is nothing, the mean of all results, and 0 before any."""
    everything = sums.sum() / max(1, counts.sum())
    return np.where(counts > 0, sums / np.maximum(counts, 1), everything)


def share(total: int, pulled: Order) -> Order:
    """Return ``total`` results dealt out evenly; what does not divide goes to those pulled least so far."""
    each, rest = divmod(total, len(pulled))
    shares = np.full(len(pulled), each, dtype=np.intp)
    shares[np.argsort(pulled, kind="stable")[:rest]] += 1
    return shares
