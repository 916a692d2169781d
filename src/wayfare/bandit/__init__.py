"""Bandits: arms that tell nothing of each other, and boxes of which only a Lipschitz constant is known.

``BaSE`` and ``BLiN`` are the two settings beyond Gaussian processes of *The Traveling Bandit*: batches of
arms, or of cubes, each visited many times in a row, on few tours. The others are what they are compared
with. All work out where they are from the history alone. Their formulas are plain functions of arrays, for
simulations to share.
"""

from wayfare.bandit.blin import BLiN
from wayfare.bandit.indexed import (
    UCB1,
    ThompsonBeta,
    ThompsonGaussian,
    beta_draw,
    gaussian_draw,
    ucb1_index,
)
from wayfare.bandit.mesh import MeshUCB1, mesh_parts
from wayfare.bandit.successive import BaSE, survivors
from wayfare.bandit.zooming import Zooming, bareness, zooming_index, zooming_radius

__all__ = [
    "UCB1",
    "BLiN",
    "BaSE",
    "MeshUCB1",
    "ThompsonBeta",
    "ThompsonGaussian",
    "Zooming",
    "bareness",
    "beta_draw",
    "gaussian_draw",
    "mesh_parts",
    "survivors",
    "ucb1_index",
    "zooming_index",
    "zooming_radius",
]
