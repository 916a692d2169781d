"""Searches take their time on a busy machine: hypothesis is not to hold that against them."""

from hypothesis import settings

settings.register_profile("unhurried", deadline=None)
settings.load_profile("unhurried")
