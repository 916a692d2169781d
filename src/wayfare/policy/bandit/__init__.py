"""Bandits: arms that tell nothing of each other, and boxes of which only a Lipschitz constant is known.

``BaSE`` (``arms``) and ``BLiN`` (``cubes``) are the two settings beyond Gaussian processes of *The Traveling Bandit*:
batches of arms, or of cubes, each visited many times in a row, on few tours. With them are their baselines. All derive
their state from the history alone. Their formulas are plain functions of arrays, which simulations share.
"""

from wayfare.policy.bandit.arms import UCB1, BaSE, ThompsonBeta, ThompsonGaussian
from wayfare.policy.bandit.arms import beta_draw as beta_draw
from wayfare.policy.bandit.arms import gaussian_draw as gaussian_draw
from wayfare.policy.bandit.arms import survivors as survivors
from wayfare.policy.bandit.arms import ucb1_index as ucb1_index
from wayfare.policy.bandit.cubes import BLiN, MeshUCB1, Zooming
from wayfare.policy.bandit.cubes import bareness as bareness
from wayfare.policy.bandit.cubes import mesh_parts as mesh_parts
from wayfare.policy.bandit.cubes import zooming_index as zooming_index
from wayfare.policy.bandit.cubes import zooming_radius as zooming_radius

__all__ = ["UCB1", "BLiN", "BaSE", "MeshUCB1", "ThompsonBeta", "ThompsonGaussian", "Zooming"]
