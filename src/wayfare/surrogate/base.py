"""The protocols of a surrogate: a model that turns results into a belief, which never changes."""

from typing import NamedTuple, Protocol

from numpy.random import Generator

from wayfare._core.arrays import Matrix, Points, Values
from wayfare.surrogate.history import History, Notes


class Marginals(NamedTuple):
    """Mean and standard deviation of the latent function at each place, in the units of ``y``."""

    mean: Values
    sd: Values


class Paths(Protocol):
    """Whole functions drawn from a belief."""

    def __call__(self, x: Points) -> Matrix:
        """Return (n, m): the value of each of the m functions at each of the n places."""


class Tracker(Protocol):
    """Marginals at fixed places, kept current while places among them are hallucinated one by one."""

    @property
    def marginals(self) -> Marginals:
        """The marginals now; the arrays may be overwritten by the next ``add``."""

    def add(self, index: int) -> None:
        """Condition on the place numbered ``index``: standard deviations shrink, means stay."""


class Posterior(Protocol):
    """A belief about the function. It never changes; conditioning returns another one."""

    @property
    def notes(self) -> Notes:
        """The numbers that decided this belief, as plain JSON values, to be stored with the plan."""

    def marginals(self, x: Points) -> Marginals:
        """Return mean and standard deviation of the latent function at ``x``."""

    def condition(self, x: Points) -> "Posterior":
        """Return the belief after hallucinating one result at each of ``x``: sd shrinks, the mean stays.

        A pending run is hallucinated as one result, since it may be cut short: at worst a batch comes near it
        once more.
        """

    def track(self, x: Points) -> Tracker:
        """Return the marginals at ``x``, ready to be conditioned on places among them."""

    def paths(self, n: int, rng: Generator) -> Paths:
        """Return ``n`` functions drawn from this belief."""


class Surrogate(Protocol):
    """Turns a history into a belief."""

    def fit(self, history: History, rng: Generator) -> Posterior:
        """Return the belief after ``history``. A fit that fails steps down to a simpler one, and notes the step."""

    def recall(self, history: History, notes: Notes) -> Posterior:
        """Return the belief of an earlier plan, from the notes it left; nothing is fitted."""
