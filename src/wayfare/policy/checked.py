"""A batch held against the promise of ``Policy``, whoever wrote the policy."""

import numpy as np

from wayfare.arrays import Points
from wayfare.errors import InvalidInput
from wayfare.policy.base import Batch, Policy, Runs
from wayfare.space import AnySpace


def checked(policy: Policy, batch: Batch, space: AnySpace, size: int) -> Runs:
    """Return the batch unless it breaks the promise of ``Policy``, whoever wrote the policy."""
    who = f"policy {type(policy).__name__}"
    if not isinstance(batch, Runs):
        in_space(who, batch, space)
    runs = Runs.of(batch)
    in_space(who, runs.places, space)
    if runs.counts.shape != (len(runs.places),) or (runs.counts < 1).any():
        raise InvalidInput(f"{who} must return a count of at least 1 for each place, got {runs.counts}")
    if not 1 <= (results := int(runs.counts.sum())) <= size:
        raise InvalidInput(f"{who} was asked for 1 to {size} places and returned {results}")
    return runs


def in_space(who: str, batch: Points, space: AnySpace) -> Points:
    """Return the batch unless it is no table of places of the space."""
    if not isinstance(batch, np.ndarray) or batch.ndim != 2 or batch.shape[1] != space.d:
        raise InvalidInput(f"{who} must return an array of shape (n, {space.d}), got {batch!r}")
    allowed = space.contains(batch)
    if not allowed.all():
        outside = batch[int(np.argmin(allowed))].tolist()
        raise InvalidInput(f"{who} returned {outside}, which is not in the space")
    return batch
