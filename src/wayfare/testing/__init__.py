"""Contract tests for parts of the user's own: inherit from a contract in pytest and give it the part to test.

Ours pass the same contracts. Each module holds the contract of one protocol: ``wayfare.testing.policy.PolicyContract``.
"""

__all__ = ["opening", "policy", "route", "schedule", "space", "store", "surrogate", "travel"]
