"""Tolerances, each with one home, so that all parts agree on what rounding may hide."""

COST_RTOL = 1e-9
"""Relative rounding error allowed in a sum of costs: three legs of 0.1 fit into a budget of 0.3."""
