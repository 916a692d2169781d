"""Benchmark problems, and methods run on them."""

from wayfare.bench.problems import AUTHORS, FIELD, FIGURES, PAPER, PROBLEMS, Problem, problem_named
from wayfare.bench.run import Run, run_methods, run_problem

__all__ = [
    "AUTHORS",
    "FIELD",
    "FIGURES",
    "PAPER",
    "PROBLEMS",
    "Problem",
    "Run",
    "problem_named",
    "run_methods",
    "run_problem",
]
