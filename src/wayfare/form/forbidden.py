"""Forbidden regions as plain data: ``{temp_C = [100, 120], solvent = ["ether"]}``.

An open end is ``inf`` or ``-inf``, which TOML has and JSON has not; so it is kept as ``{low = 100}``.
"""

import math
from collections.abc import Mapping
from typing import Any

from wayfare.errors import InvalidInput
from wayfare.form import keys
from wayfare.form.plain import path
from wayfare.space import Places, Space
from wayfare.space.forbidden import Region


def write_region(region: Region) -> dict[str, Any]:
    """Return a region by the names of its axes."""
    form: dict[str, Any] = {}
    for side in region.sides:
        if side.values is not None:
            form[side.axis] = list(side.values)
        else:
            form[side.axis] = _write_ends(side.low, side.high)
    return form


def read_forbidden(forms: object, space: Space | Places) -> Space:
    """Return the space without the regions of a list of tables."""
    if isinstance(space, Places):
        raise InvalidInput(
            "forbidden belongs to axes; of [places], leave out the rows that must not be visited"
        )
    if not isinstance(forms, list | tuple):
        keys.refuse("forbidden", "a list of tables, each under [[forbidden]]", forms)
    regions = []
    for i, form in enumerate(forms):
        where = f"forbidden[{i}]"
        table = keys.table(form, where, space.names)
        regions.append({name: _read_side(side, path(where, name)) for name, side in table.items()})
    return Space(*space.axes, forbidden=regions)


def open_ends(form: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a form whose open ends are written such that JSON can hold them, too."""
    regions = form.get("forbidden") if isinstance(form, Mapping) else None
    if not isinstance(regions, list | tuple):
        return form
    return {**form, "forbidden": [_opened(region) for region in regions]}


def _opened(region: object) -> object:
    if not isinstance(region, Mapping):
        return region
    return {
        name: _write_ends(*side) if _has_open_end(side) and len(side) == 2 else side
        for name, side in region.items()
    }


def _has_open_end(side: Any) -> bool:
    return isinstance(side, list | tuple) and any(isinstance(end, float) and math.isinf(end) for end in side)


def _write_ends(low: float, high: float) -> list[float] | dict[str, float]:
    ends = {} if low == -math.inf else {"low": low}
    ends |= {} if high == math.inf else {"high": high}
    return [low, high] if len(ends) == 2 else ends


def _read_side(side: object, where: str) -> Any:
    if not isinstance(side, Mapping):
        return side
    ends = keys.table(side, where, ["low", "high"])
    return tuple(keys.number(ends[end], path(where, end)) if end in ends else None for end in ("low", "high"))
