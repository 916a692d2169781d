"""Pictures of studies, made for print. Only here is matplotlib imported."""

from wayfare.plot.animation import animate
from wayfare.plot.belief import plot_belief
from wayfare.plot.comparison import plot_comparison
from wayfare.plot.history import plot_history
from wayfare.plot.importance import plot_importance
from wayfare.plot.route import plot_route

__all__ = ["animate", "plot_belief", "plot_comparison", "plot_history", "plot_importance", "plot_route"]
