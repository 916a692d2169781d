"""These tests need Ax, BoTorch, Xopt and blop: ``make test-plug`` installs them. Elsewhere they are not collected."""

from importlib.util import find_spec

import pytest

HEAVY = ("ax", "blop", "botorch", "optunahub", "xopt")
collect_ignore_glob = [] if all(map(find_spec, HEAVY)) else ["test_*.py"]


def pytest_collection_modifyitems(items):
    """These packages warn of many things of their own; ours are turned into errors by the other tests."""
    for item in items:
        if "heavy" in str(item.path):
            item.add_marker(pytest.mark.filterwarnings("ignore"))
