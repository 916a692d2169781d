"""Forbidden regions on the command line."""

import pytest

from tests.cli.studies import REACTOR, call, done, record

REGIONS = """
[[forbidden]]
temp_C = [90, inf]
catalyst = ["Ni"]

[[forbidden]]
flow = [-inf, 2]
"""


@pytest.fixture
def hot(lab):
    (lab / "hot.toml").write_text(REACTOR.replace('"snar"', '"hot"') + REGIONS)
    return lab


def test_new_says_what_is_forbidden(hot):
    lines = done("new", "hot.toml").splitlines()
    assert "forbidden  2 regions: temp_C 90 or more with catalyst Ni; flow 2 or less" in lines
    said = record("new", "hot.toml", "--name", "again")
    assert said["forbidden"] == ["temp_C 90 or more with catalyst Ni", "flow 2 or less"]


def test_insert_names_the_region_and_the_nearest_allowed_place(hot):
    done("new", "hot.toml")
    result = call("insert", "hot", "temp_C=91", "flow=5", "catalyst=Ni")
    assert result.exit_code == 2
    assert "is forbidden (temp_C 90 or more with catalyst Ni); the nearest allowed place has" in result.stderr


def test_a_trial_that_was_there_all_the_same_is_kept_with_a_note(hot):
    done("new", "hot.toml")
    done("ask", "hot")
    result = call("tell", "hot", 0, 1.5, "--actual", "temp_C=95", "--actual", "catalyst=Ni")
    assert result.exit_code == 0
    assert "it is forbidden: temp_C 90 or more with catalyst Ni; if that is a slip" in result.stderr
