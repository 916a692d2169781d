"""Scores of places, and the search for the places that score best."""

from wayfare.acquisition.functions import log_ei, ucb
from wayfare.acquisition.search import (
    RADII,
    apart,
    away,
    best_visited,
    candidates,
    candidates_near,
    first_look,
    is_small,
    pick_greedily,
)

__all__ = [
    "RADII",
    "apart",
    "away",
    "best_visited",
    "candidates",
    "candidates_near",
    "first_look",
    "is_small",
    "log_ei",
    "pick_greedily",
    "ucb",
]
