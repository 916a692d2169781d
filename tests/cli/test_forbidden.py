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
    assert result.stderr == (
        "Note: trial 0: the place is forbidden (temp_C 90 or more with catalyst Ni); "
        "if that is a slip, `wayfare amend hot 0 --actual AXIS=VALUE` corrects it\n"
    )


def test_a_plan_from_a_place_beyond_the_bounds_or_forbidden_is_made_with_a_note(hot):
    done("new", "hot.toml", "--name", "too hot")
    way = "if that is a slip, `wayfare replan 'too hot' --from AXIS=VALUE` corrects it\n"
    result = call("replan", "too hot", "--from", "temp_C=300", "--from", "catalyst=Ni", "--from", "flow=5")
    assert result.exit_code == 0
    assert result.stderr == (
        f"Note: --from: temp_C=300 is outside 40 to 120; {way}"
        f"Note: --from: the place is forbidden (temp_C 90 or more with catalyst Ni); {way}"
    )
    assert call("replan", "too hot", "--from", "temp_C=50").stderr == ""
