"""Where the traveller may go: axes that span a ``Space``, or a finite table of ``Places``."""

from wayfare.space.axes import Choice, Integer, Real
from wayfare.space.base import AnySpace
from wayfare.space.places import Places
from wayfare.space.space import Space

__all__ = ["AnySpace", "Choice", "Integer", "Places", "Real", "Space"]
