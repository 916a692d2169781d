"""Spaces to travel in."""

import numpy as np

from wayfare.space import Choice, Integer, Places, Real, Space

PLANE = Space(Real("east", 0, 10), Real("north", -5, 5))
LAB = Space(
    Real("temp", 40, 120),
    Real("flow", 0.1, 2.0, log=True),
    Integer("cycles", 1, 9),
    Choice("catalyst", ["Pd", "Ni", "Cu"]),
)
TOWNS = Places(np.array([[0.0, 0.0], [3.0, 4.0], [6.0, 0.0], [1.0, 1.0]]), names=["east", "north"])
