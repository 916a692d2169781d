"""Benchmark problems: a function to maximise, where, from where, and at what cost of moving."""

from wayfare.bench.problems.boxes import AUTHORS, FIGURES, PAPER
from wayfare.bench.problems.catalogue import FIELD, PROBLEMS, problem_named
from wayfare.bench.problems.problem import Problem

__all__ = ["AUTHORS", "FIELD", "FIGURES", "PAPER", "PROBLEMS", "Problem", "problem_named"]
