"""The ways to disturb a store are kept beside the long benchmark that uses them, too."""

import os
import sys
from pathlib import Path

import pytest

sys.path.append(str(Path(__file__).parents[2] / "benchmarks"))


@pytest.fixture(scope="session")
def server():
    """A PostgreSQL server; in CI, where WAYFARE_POSTGRES is "required", it must be there."""
    pytest.importorskip("psycopg")
    from tests.store.server import MISSING, Server, program

    if program("initdb") is None and os.environ.get("WAYFARE_POSTGRES") != "required":
        pytest.skip(MISSING)
    server = Server()
    yield server
    server.remove()


@pytest.fixture
def address(server):
    """The address of an empty database."""
    return server.emptied()
