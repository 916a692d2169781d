"""Ways to disturb a store, for ``benchmarks/faults.py`` and the short tests in ``tests/store``."""
