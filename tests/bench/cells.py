"""Tiny suites, and cells made up by hand."""

from pathlib import Path

from wayfare.bench.cell import VERSIONS, Cell, Measured
from wayfare.bench.results import paths
from wayfare.bench.suites import Suite

TINY = Suite("tiny", "for tests", ("random", "tucb"), ("branin",), (5,), seeds=2)


def measured(method, seed, regret, legs, *, problem="hill", delay=0, simple=0.5, unit="m", cpu=1.5):
    """Return a cell as if it had been run."""
    cell = Cell(problem, len(regret), delay, method, seed, "own")
    return Measured(cell, unit, regret, legs, simple, 3, dict(VERSIONS), cpu)


def files(out: Path, name: str = "tiny") -> tuple[bytes, bytes]:
    """Return what must not depend on how the cells were run."""
    main, steps, _ = paths(out, name)
    return main.read_bytes(), steps.read_bytes()
