"""Places, costs and counts as text for messages, tables and prompts.

Here is how many digits are shown: of a setting those of its axis, of a cost four, of an estimate three. Files for
programs (``--json``, CSV, the store) have all of them.
"""

import math
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from types import MappingProxyType
from typing import Any

from attrs import frozen

LATITUDE, LONGITUDE = ("lat", "latitude"), ("lon", "lng", "long", "longitude")
"""Names of axes in degrees on the earth, in lower case (``space.geographic`` reads longer names, too)."""

# Control characters, line separators, halves of characters, and marks that turn or hide text ...
_UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
# ... but for the joiners, without which some scripts and emoji are misspelt.
_HARMLESS = {"\u200c", "\u200d"}


def unsafe_in(text: str) -> set[str]:
    """Return the characters of a text that can command a terminal, break a line or hide what follows."""
    if text.isascii() and text.isprintable():
        return set()
    return {one for one in set(text) - _HARMLESS if unicodedata.category(one) in _UNSAFE}


@frozen
class Scale:
    """How the values of an axis are written: in a ``unit``, and in steps with so many ``decimals``."""

    unit: str = ""
    decimals: int | None = None

    def number(self, value: object) -> str:
        """Return a value without its unit: ``72.5``. A number between two steps, as told, is shown as it is."""
        if self.decimals is None or not isinstance(value, float) or round(value, self.decimals) != value:
            return shown(value)
        return _fixed(value, self.decimals)

    def written(self, value: object) -> str:
        """Return a value with its unit: ``72.5 °C``."""
        return f"{self.number(value)} {self.unit}".rstrip()


PLAIN_SCALE = Scale()


class Params(dict[str, Any]):
    """A place by the names of its axes, which knows how each value is written."""

    scales: Mapping[str, Scale] = MappingProxyType({})  # set once made: a constructor would slow down opening a study

    def copy(self) -> "Params":
        """Return another of the same place."""
        other = Params(self)
        other.scales = self.scales
        return other


def unit_of(space: object, axis: str) -> str:
    """Return the unit of an axis of a space; empty if it has none, or the space does not say."""
    scales: Mapping[str, Scale] = getattr(space, "scales", {})
    return scales.get(axis, PLAIN_SCALE).unit


def scale_of(params: Mapping[str, Any], axis: str) -> Scale:
    """Return how values of an axis are written; plainly, if the place does not say."""
    # A view that cannot be written to (``MappingProxyType``) knows its scales only by its copy.
    own = params.copy() if hasattr(params, "copy") and not isinstance(params, dict) else params
    scales: Mapping[str, Scale] = getattr(own, "scales", {})
    return scales.get(axis, PLAIN_SCALE)


def in_words(params: Mapping[str, Any], axes: Iterable[str] | None = None) -> str:
    """Return a place as text: ``temp=72.5 °C, catalyst=Pd``; all of its axes, or some."""
    return ", ".join(f"{axis}={setting(params, axis)}" for axis in (params if axes is None else axes))


def changes(before: Mapping[str, Any] | None, after: Mapping[str, Any], axes: Iterable[str] | None = None) -> str:
    """Return the changes from one place to the next: ``temp 60 → 72 °C, catalyst same``.

    Args:
        before: the place before; None if it is unknown.
        after: the next place.
        axes: the axes to speak of; None for all.
    """
    return ", ".join(_change(before, after, axis) for axis in (after if axes is None else axes))


def _change(before: Mapping[str, Any] | None, after: Mapping[str, Any], axis: str) -> str:
    if before is None:
        return f"{axis}={setting(after, axis)}"
    if before[axis] == after[axis]:
        return f"{axis} same"
    return f"{axis} {cell(before, axis)} → {setting(after, axis)}"


def setting(params: Mapping[str, Any], axis: str) -> str:
    """Return the value of one axis of a place as text: ``72.5 °C``; degrees on the earth to a tenth of a metre."""
    return f"{cell(params, axis)} {scale_of(params, axis).unit}".rstrip()


def cell(params: Mapping[str, Any], axis: str) -> str:
    """Return a setting without its unit, for a column that has it in its head (``head``)."""
    value = params[axis]
    if isinstance(value, float) and axis.lower() in LATITUDE + LONGITUDE:
        return _fixed(value, 6)
    return scale_of(params, axis).number(value)


def head(params: Mapping[str, Any], axis: str) -> str:
    """Return the head of a column of settings: ``temp [°C]``."""
    return in_brackets(axis, scale_of(params, axis).unit)


def in_brackets(name: str, unit: str) -> str:
    """Return a name with its unit: ``temp [°C]``."""
    return f"{name} [{unit}]" if unit else name


def decimals_of(number: float) -> int:
    """Return how many decimals a number has as it is written."""
    exponent = Decimal(repr(float(number))).normalize().as_tuple().exponent
    return max(0, -int(exponent))


def shown(value: object) -> str:
    """Return a value of a place as text."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _fixed(value: float, decimals: int) -> str:
    text = f"{value:.{decimals}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def amount(cost: float) -> str:
    """Return a cost in four digits, or as many as it has before the point: ``16.69``, ``2856``."""
    return f"{cost:.0f}" if 1e3 <= abs(cost) < 1e15 else f"{cost:.4g}"


def with_unit(cost: float, unit: str) -> str:
    """Return a cost with its unit: ``16.69 min``."""
    return f"{amount(cost)} {unit}".rstrip()


def in_full(cost: float, unit: str) -> str:
    """Return a cost with its unit, in six digits: one that a user stated, or must be told apart from another."""
    return f"{cost:.6g} {unit}".rstrip()


def rough(number: float, digits: int = 3) -> str:
    """Return an estimate, no more precise than it is: 12345.6 becomes ``12300``."""
    return f"{float(f'{number:.{digits}g}'):.6g}"


def estimate(mean: float, sd: float) -> str:
    """Return an estimate in the digits that its standard deviation leaves, six at most: 41.2934 with 0.53 is ``41.29``.

    The standard deviation beside it is shown in two digits (``rough(sd, 2)``).
    """
    if not (math.isfinite(mean) and math.isfinite(sd)) or sd <= 0 or abs(mean) >= 1e15:
        return f"{mean:.6g}"
    most = 5 - (math.floor(math.log10(abs(mean))) if mean else 0)
    digits = min(1 - math.floor(math.log10(sd)), max(most, 0))
    return f"{round(mean, digits) + 0.0:.{max(digits, 0)}f}"


def roughly(cost: float, unit: str) -> str:
    """Return the estimate of a cost with its unit."""
    return f"{rough(cost)} {unit}".rstrip()


def side_by_side(cost: float, unit: str, also: Sequence[tuple[str, float]]) -> str:
    """Return a cost in every currency: ``12 min and 3.4 EUR``."""
    return " and ".join([with_unit(cost, unit), *(with_unit(other, its) for its, other in also)])


def counted(number: int, noun: str) -> str:
    """Return a number of things: ``1 stop``, ``3 stops``."""
    return f"{number} {noun}{'' if number == 1 else 's'}"


def results(count: int) -> str:
    """Return a number of results: ``1 result``, ``5,000 results``."""
    return f"{count:,} result{'' if count == 1 else 's'}"


def mean_of(count: int) -> str:
    """Return the text for a value that averages results: ``mean of 3 results``."""
    return f"mean of {results(count)}"


def finite(value: Any) -> Any:
    """Return plain data with null for every number that JSON cannot hold: what is beyond all floats is unknown."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, dict):
        return {key: finite(one) for key, one in value.items()}
    return [finite(one) for one in value] if isinstance(value, list | tuple) else value
