"""Places beyond the bounds, or forbidden: taken as they happened, but worth a note, for most are slips."""

from collections.abc import Mapping
from typing import Any

from wayfare.space import AnySpace, Choice, Places, Space
from wayfare.space.forbidden import forbidding
from wayfare.words import shown


def beyond(space: AnySpace, params: Mapping[str, Any]) -> list[str]:
    """Return which axes of a place lie outside their bounds: ``temp_C=300 is outside 40 to 120``.

    And which forbidden region it is in: ``the place is forbidden (temp_C 100 or more with solvent ether)``.
    """
    frame = space.frame if isinstance(space, Places) else space
    if not isinstance(frame, Space):
        return []
    region = forbidding(frame, frame.points(dict(params))[0])
    outside = [
        f"{axis.name}={shown(params[axis.name])} is outside {shown(axis.low)} to {shown(axis.high)}"
        for axis in frame.axes
        if not isinstance(axis, Choice) and not axis.low <= params[axis.name] <= axis.high
    ]
    return outside if region is None else [*outside, f"the place is forbidden ({region})"]
