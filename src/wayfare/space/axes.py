"""The kinds of axis: ``Real``, ``Integer`` and ``Choice``.

Each works on a column of floats, one number per place, in the user's units, and has the same parts:
``size`` and ``width`` (values, feature columns), ``read`` and ``value`` (from and to plain Python),
``contains`` and ``snap`` (what is allowed), ``encode`` (to the unit cube), ``place`` and ``nudge``
(places spread out, places nearby).
"""

from typing import TypeAlias

from wayfare.space.choice import Choice, Scalar
from wayfare.space.integer import Integer
from wayfare.space.real import Real

Axis: TypeAlias = Real | Integer | Choice

__all__ = ["Axis", "Choice", "Integer", "Real", "Scalar"]
