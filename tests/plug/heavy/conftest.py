"""These tests need Ax, BoTorch, Xopt, blop, libEnsemble: ``make test-plug`` has them. Elsewhere they are left out."""

from importlib.util import find_spec

HEAVY = ("ax", "blop", "botorch", "libensemble", "optunahub", "xopt")
collect_ignore_glob = [] if all(map(find_spec, HEAVY)) else ["test_*.py"]
