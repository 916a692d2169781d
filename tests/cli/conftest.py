import pytest

from tests.cli.studies import REACTOR, done


@pytest.fixture
def lab(tmp_path, monkeypatch):
    """A folder with a study ``snar`` in its ``wayfare.db``; commands run there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WAYFARE_STORE", raising=False)
    monkeypatch.setenv("WAYFARE_USER", "ana")
    (tmp_path / "snar.toml").write_text(REACTOR)
    done("new", "snar.toml")
    return tmp_path
