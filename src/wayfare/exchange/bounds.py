"""Places beyond the bounds: taken as they happened, but worth a note, for most of them are slips."""

from collections.abc import Mapping
from typing import Any

from wayfare.space import AnySpace, Choice, Places, Space
from wayfare.words import shown


def beyond(space: AnySpace, params: Mapping[str, Any]) -> list[str]:
    """Return which axes of a place lie outside their bounds: ``temp_C=300 is outside 40 to 120``."""
    frame = space.frame if isinstance(space, Places) else space
    if not isinstance(frame, Space):
        return []
    return [
        f"{axis.name}={shown(params[axis.name])} is outside {shown(axis.low)} to {shown(axis.high)}"
        for axis in frame.axes
        if not isinstance(axis, Choice) and not axis.low <= params[axis.name] <= axis.high
    ]
