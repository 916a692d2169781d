"""The sampler of wayfare, laid out as a package of OptunaHub."""

from wayfare.plug.optuna import WayfareSampler

__all__ = ["WayfareSampler"]
