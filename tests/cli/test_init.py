"""``wayfare init`` writes files that ``wayfare new`` takes, and ``new --check`` says what they mean."""

import re
import tomllib
import warnings
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import wayfare as wf
from tests.form.strategies import places, spaces
from wayfare.cli.init import TEMPLATES
from wayfare.form import read_spec
from wayfare.study.explain import explain

from .studies import call, done, record

COMMENTED = re.compile(r"^# (?=\[\[|[a-z_]+ = )", re.MULTILINE)


@pytest.fixture(autouse=True)
def bench(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WAYFARE_STORE", raising=False)


@pytest.mark.parametrize("template", TEMPLATES)
def test_every_template_is_a_study_that_can_be_begun(template):
    said = done("init", "--template", template, "--name", 'my "study"')
    assert said.endswith("--check\n")
    (path,) = Path().glob("*.toml")
    assert tomllib.loads(path.read_text())["name"] == 'my "study"'
    done("new", str(path), "--check")
    assert not Path("wayfare.db").exists()  # a look writes nothing
    done("new", str(path))
    assert record("ask", 'my "study"')["state"] == "asked"


@pytest.mark.parametrize("template", ["reactor", "drill"])
def test_what_a_template_shows_as_a_comment_works_too(template):
    done("init", "a.toml", "--template", template)
    text = COMMENTED.sub("", Path("a.toml").read_text())
    # Keys of the study itself must stand before its tables.
    form = tomllib.loads(text)
    assert {"forbidden"} <= set(form)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.GuaranteeWarning)
        read_spec(form)


def test_init_writes_over_nothing():
    done("init", "--template", "boat")
    again = call("init", "--template", "boat")
    assert (again.exit_code, "--force" in again.stderr) == (1, True)
    done("init", "--template", "boat", "--force")


@pytest.mark.parametrize(
    ("answers", "axes", "unit"),
    [
        (["hill", "maximize", "12", "x", "0 to 10", "y", "-1..1", "", "distance", "km", "2"], 2, "km"),
        (
            [
                "oven",
                "minimize",
                "5",
                "T",
                "20",
                "20 to 200 °C in steps of 0.5",
                "acid",
                "A, B",
                "",
                "ramp",
                "min",
                "5",
                "2",
                "30",
            ],
            2,
            "min",
        ),
        (["shelf", "maximize", "5", "", "jar", "red, blue", "jar", "", "EUR", "3"], 1, "EUR"),
        (["two", "maximize", "9", "a", "0 to 1", "b", "5 to 9", "", "ramp", "s", "1", "1", "2", "1"], 2, "s"),
        (["flat", "maximize", "9", "a", "0 to 1", "", "fee", "min", "4"], 1, "min"),
    ],
)
def test_answers_become_a_study(answers, axes, unit):
    """What is asked and answered is a study file; a wrong answer is asked for again."""
    result = call("init", input="\n".join(answers) + "\n")
    assert result.exit_code == 0, result.output
    name = answers[0]
    spec = read_spec(tomllib.loads(Path(f"{name}.toml").read_text()), new=False)
    assert (spec.name, len(spec.space.names), spec.unit) == (name, axes, unit)
    done("new", f"{name}.toml", "--check")


def test_bounds_may_have_a_unit_and_steps():
    typed = "\n".join(
        ["a", "maximize", "9", "T", "2 to 1", "20 to 80 °C in steps of 90", "20..80 °C in steps of 0.5", "flow"]
    )
    result = call("init", input=f"{typed}\n0.1 to 2 mL/min\n\nfee\nmin\n4\n")
    assert result.exit_code == 0, result.output
    assert [str(axis) for axis in read_spec(tomllib.loads(Path("a.toml").read_text())).space.axes] == [
        "T 20 to 80 °C in steps of 0.5",
        "flow 0.1 to 2 mL/min",
    ]


def test_check_names_axes_moves_limits_and_the_first_route():
    done("init", "a.toml", "--template", "reactor")
    said = done("new", "a.toml", "--check")
    for words in (
        "the largest value, with 30 trials",
        "temp_C 40 to 120",
        "catalyst Pd or Ni or Cu",
        "temp_C 40 → 120, flow_mL_min same, catalyst same: 16 min",
        "temp_C 120 → 40, flow_mL_min same, catalyst same: 40 min",
        "min of moving",
    ):
        assert words in " ".join(said.split()), words


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(space=st.one_of(spaces(), places()), seed=st.integers(0, 99))
def test_any_space_is_explained_and_the_opening_is_the_route_that_ask_walks(space, seed):
    """Whatever a study is made of is put into words, and its opening has the stops that are then handed out."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.GuaranteeWarning)
        study = wf.Study.create(space, direction="minimize", travel=wf.Fee(2.0), trials=1, seed=seed, unit="h")
    said = explain(study.spec)
    assert len(said.legs) == 3
    assert all(leg.endswith((": 2 h", ": 0 h")) for leg in said.legs)
    assert said.opening.startswith("1 stop, 0 h")
    assert study.state.version == 0
    study.ask()
    assert "the smallest value, with 1 trial" in str(said)
    assert "what was understood" in said._repr_html_()
