"""The policy protocol, the situation that a policy decides in, and the check of its batch.

A policy keeps no state: the same situation and random stream give the same batch, after a restart as well.
"""

from collections.abc import Callable
from functools import cached_property
from typing import Any, Protocol, TypeAlias

import numpy as np
from attrs import Attribute, field, frozen
from numpy.random import Generator

from wayfare._core.arrays import Features, Mask, Order, Points, no_points, read_only, same_rows, whole
from wayfare.errors import InvalidInput
from wayfare.space import AnySpace
from wayfare.surrogate import Marginals, Posterior, Surrogate
from wayfare.surrogate.history import History
from wayfare.travel import TravelCost

Admits = Callable[[Points, Marginals], Mask]
"""Returns which of the places, with the belief there, may be chosen at all. Calling it does not change it.

A rule that compares places with each other may also have ``after(x, marginals)``, which returns the rule once it has
seen these places (see ``after_seeing``).
"""


def admit_all(x: Points, marginals: Marginals) -> Mask:
    """Admit every place."""
    return np.ones(len(x), dtype=np.bool_)


def after_seeing(admits: Admits, x: Points, marginals: Marginals) -> Admits:
    """Return the rule to judge further places by, once it has seen these; the same rule if it compares no places."""
    after = getattr(admits, "after", None)
    return admits if after is None else after(x, marginals)


@frozen(eq=False)
class Situation:
    """All that a policy may look at when it chooses a batch.

    Choose by ``expected``, but rule places out by ``posterior``: a bound that was sharpened by hallucinated results is
    no bound.

    Attributes:
        space: the places to choose from.
        travel: the cost of moving between them.
        history: results, pending places and the traveller's position.
        surrogate: the model, to recall earlier beliefs with.
        posterior: the belief from results alone.
        admits: which places may be chosen; default: all.
        left: how many results may still be taken, those of this batch among them.
        spent: the part of the budget that is spent, from 0 to 1; None if there is no budget.
    """

    space: AnySpace
    travel: TravelCost
    history: History
    surrogate: Surrogate
    posterior: Posterior
    admits: Admits = admit_all
    left: int = 1
    spent: float | None = None

    @cached_property
    def expected(self) -> Posterior:
        """The belief with the pending places hallucinated."""
        return self.posterior.condition(self.history.pending)

    @cached_property
    def avoided(self) -> Features:
        """The places to keep away from, in the unit cube: those skipped, and those that failed and may do so again.

        A failed place is open again once the belief gives it an even chance, but not while the traveller stands there.
        """
        history, success = self.history, getattr(self.posterior, "success", None)
        failed = history.failed
        if success is not None and len(failed):
            here = no_points(self.space.d) if history.position is None else history.position[None, :]
            failed = failed[(success(failed) < 0.5) | same_rows(failed, here)]
        return self.space.encode(np.vstack([failed, history.skipped]))


@frozen(eq=False)
class Runs:
    """Places, each once, and how many results to take there in a row."""

    places: Points = field(converter=read_only)
    counts: Order = field(converter=whole)

    @classmethod
    def of(cls, batch: "Batch") -> "Runs":
        """Return a batch as runs; one result at every row of a table."""
        if isinstance(batch, Runs):
            return batch
        return cls(batch, np.ones(len(batch), dtype=np.intp))


Batch: TypeAlias = Points | Runs
"""A batch of places, in no order: a table of them, where repeats are allowed, or runs."""


class Policy(Protocol):
    """Chooses a batch of places. Keeps no state: all it may know is in the situation.

    A policy may have two more attributes. ``suits(space, direction, noise)`` raises ``InvalidInput`` for a study that
    the policy cannot serve. ``needs_whole_space``, a bool, is True if the policy partitions the space into arms or
    cubes, and so must always be given all of it, places out of reach included; absent means False.
    """

    def propose(self, situation: Situation, size: int, rng: Generator) -> Batch:
        """Return places of the space, in no order.

        Args:
            situation: all that the policy may look at.
            size: how many results the batch may ask for in all, at least 1.
            rng: the only source of chance.
        """


def needs_whole_space(policy: Policy) -> bool:
    """Return whether the policy must be given the whole space, and not only the places within reach."""
    return bool(getattr(policy, "needs_whole_space", False))


as_its_policy = property(lambda self: needs_whole_space(self.policy), doc="Whether the policy it restricts does.")
"""``needs_whole_space`` of a policy around another one, its ``policy``."""


def checked(policy: Policy, batch: Batch, space: AnySpace, size: int) -> Runs:
    """Return the batch as runs, or refuse it if it breaks the promise of ``Policy``."""
    who = f"policy {type(policy).__name__}"
    in_space(who, batch.places if isinstance(batch, Runs) else batch, space)
    runs = Runs.of(batch)
    if runs.counts.shape != (len(runs.places),) or (runs.counts < 1).any():
        raise InvalidInput(f"{who} must return a count of at least 1 for each place, got {runs.counts}")
    if not 1 <= (results := int(runs.counts.sum())) <= size:
        raise InvalidInput(f"{who} was asked for 1 to {size} places and returned {results}")
    return runs


def in_space(who: str, batch: Points, space: AnySpace) -> Points:
    """Return the batch, or refuse it, naming the part ``who``, if it is not a table of places of the space."""
    if not isinstance(batch, np.ndarray) or batch.ndim != 2 or batch.shape[1] != space.d:
        raise InvalidInput(f"{who} must return an array of shape (n, {space.d}), got {batch!r}")
    allowed = space.contains(batch)
    if not allowed.all():
        outside = batch[int(np.argmin(allowed))].tolist()
        raise InvalidInput(f"{who} returned {outside}, which is not in the space")
    return batch


def valid(check: Callable[..., object], *bounds: object, named: bool = False) -> Callable[[Any, Any, Any], None]:
    """Return an attrs validator that refuses a field's value as ``check`` does; a default of None is valid.

    ``check`` is one of ``wayfare._core.checks``. If ``named``, the refusal names the class too.
    """

    def validate(part: object, field: "Attribute[Any]", value: object) -> None:
        if value is not None or field.default is not None:
            check(value, f"{type(part).__name__}: {field.name}" if named else field.name, *bounds)

    return validate
