"""Contracts: what every surrogate, policy, schedule, planner, store, space and cost must pass."""
