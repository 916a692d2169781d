"""Shared building blocks, all internal: arrays, checks, text, random streams, tolerances, lifecycle of names."""

__all__: list[str] = []
