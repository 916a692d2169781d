"""Bandits: arms that tell nothing of each other, and boxes of which only a Lipschitz constant is known.

``BaSE`` and ``BLiN`` are the two settings beyond Gaussian processes of *The Traveling Bandit*: batches of
arms, or of cubes, each visited many times in a row, on few tours. The others are what they are compared
with. All work out where they are from the history alone. Their formulas are plain functions of arrays, for
simulations to share.
"""

from wayfare.policy.bandit.arms import UCB1, ThompsonBeta, ThompsonGaussian, beta_draw, gaussian_draw, ucb1_index
from wayfare.policy.bandit.blin import BLiN
from wayfare.policy.bandit.cubes import MeshUCB1, Zooming, bareness, mesh_parts, zooming_index, zooming_radius
from wayfare.policy.bandit.successive import BaSE, survivors

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
