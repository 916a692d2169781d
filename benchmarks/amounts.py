"""Costs and values as docs/field.md and its picture write them: of many seeds, the median."""

from collections.abc import Callable

import numpy as np

from wayfare._core.arrays import Values


def spread(values: Values, centre: Callable[[Values], np.floating] = np.median) -> str:
    """Return ``median (lowest to highest)``, or another centre."""
    return f"{short(float(centre(values)))} ({short(values.min())} to {short(values.max())})"


def middle(values: Values) -> str:
    """Return the median."""
    return short(float(np.median(values)))


def percent(values: Values) -> str:
    """Return the median of percentages."""
    return f"{round(float(np.median(values))):d}%"


def more_or_less(saved: Values, share: Values, unit: str) -> str:
    """Return by how much less was paid, or more: ``177 min less (73%)``."""
    word = "less" if np.median(saved) >= 0 else "more"
    return f"{middle(saved).lstrip('-')} {unit} {word} ({percent(share).lstrip('-')})"


def short(cost: float) -> str:
    """Return a cost to one decimal, or to none from 100 on; a zero has no sign."""
    decimals = 0 if abs(cost) >= 100 else 1
    return f"{round(cost, decimals) + 0.0:,.{decimals}f}"


def digits(value: float) -> str:
    """Return a value to two digits, or all of those before the point."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"
