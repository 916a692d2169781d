"""Where the traveller may go: axes that span a ``Space``, or a finite table of ``Places``."""

from wayfare.space.axes import Axis, Choice, Integer, Real, Scalar
from wayfare.space.base import AnySpace
from wayfare.space.constraints import Linear, Only, Product
from wayfare.space.places import Places
from wayfare.space.space import Space

__all__ = ["AnySpace", "Axis", "Choice", "Integer", "Linear", "Only", "Places", "Product", "Real", "Scalar", "Space"]
