"""Bandits: arms that tell nothing of each other, and boxes of which only a Lipschitz constant is known.

``BaSE`` (``successive``) and ``BLiN`` (``blin``) are the two settings beyond Gaussian processes of *The Traveling
Bandit*: batches of arms, or of cubes, each visited many times in a row, on few tours. Their baselines are in ``arms``
and ``cubes``. All derive their state from the history alone. Their formulas are plain functions of arrays, which
simulations share.
"""

from wayfare.policy.bandit.arms import UCB1, ThompsonBeta, ThompsonGaussian
from wayfare.policy.bandit.arms import beta_draw as beta_draw
from wayfare.policy.bandit.arms import gaussian_draw as gaussian_draw
from wayfare.policy.bandit.arms import ucb1_index as ucb1_index
from wayfare.policy.bandit.blin import BLiN
from wayfare.policy.bandit.cubes import MeshUCB1, Zooming
from wayfare.policy.bandit.cubes import bareness as bareness
from wayfare.policy.bandit.cubes import mesh_parts as mesh_parts
from wayfare.policy.bandit.cubes import zooming_index as zooming_index
from wayfare.policy.bandit.cubes import zooming_radius as zooming_radius
from wayfare.policy.bandit.successive import BaSE
from wayfare.policy.bandit.successive import survivors as survivors

__all__ = ["UCB1", "BLiN", "BaSE", "MeshUCB1", "ThompsonBeta", "ThompsonGaussian", "Zooming"]
