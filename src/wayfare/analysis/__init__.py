"""Properties of a space and its travel cost, computed before a study: the dimension that bounds movement."""

from wayfare.analysis.dimension import Dimension, dimension

__all__ = ["Dimension", "dimension"]
