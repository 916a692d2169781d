"""The earth as a ball."""

RADIUS = 6_371_008.8
"""In metres: the mean radius of the ellipsoid, (2a + b) / 3, by the IUGG."""
