"""These tests need Ax, BoTorch, Xopt and blop: ``make test-plug`` installs them. Elsewhere they are not collected."""

from importlib.util import find_spec

HEAVY = ("ax", "blop", "botorch", "optunahub", "xopt")
collect_ignore_glob = [] if all(map(find_spec, HEAVY)) else ["test_*.py"]
