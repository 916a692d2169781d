"""``predict``: what is believed at one place, at those of a file, and at all that are known."""

import pytest

from tests.cli.studies import call, done, record, records
from wayfare.cli.output import WIDTH
from wayfare.study.study import Study
from wayfare.surrogate.visit import VisitPosterior

PLACE = ("temp_C=50", "flow=3", "catalyst=Ni")


@pytest.fixture
def told(lab):
    """Three trials told."""
    for number, value in enumerate([0.5, 0.7, 0.2]):
        done("ask", "snar")
        done("tell", "snar", number, value)
    return lab


def test_one_place_is_what_the_library_says(told):
    found = Study.open("wayfare.db", "snar").predict({"temp_C": 50, "flow": 3, "catalyst": "Ni"})
    said = record("predict", "snar", *PLACE)
    assert said == {
        "params": {"temp_C": 50, "flow": 3, "catalyst": "Ni"},
        "mean": found.mean[0],
        "sd": found.sd[0],
        "low_95": found.low_95[0],
        "high_95": found.high_95[0],
        "success": found.success[0],
        "compliance": 1.0,
    }
    head, row = done("predict", "snar", *PLACE).splitlines()
    assert head.split() == ["temp_C", "flow", "catalyst", "mean", "sd", "95%", "interval"]
    assert row.split()[:5] == ["50", "3", "Ni", f"{found.mean[0]:.2f}", f"{found.sd[0]:.2g}"]
    assert row.split()[5:] == [f"{found.low_95[0]:.4g}", "to", f"{found.high_95[0]:.4g}"]


def test_without_a_place_the_visited_ones_are_shown(told):
    shown = [one["params"] for one in records("predict", "snar")]
    assert shown == [trial["params"] for trial in records("trials", "snar")]


def test_a_table_is_shown_whole(lab):
    (lab / "sites.toml").write_text(
        'name = "sites"\ndirection = "minimize"\ntrials = 5\n'
        '[places]\ncolumns = {east = [0, 1, 2.5], north = [3, 0, 4]}\n[travel]\nkind = "euclidean"\nunit = "m"\n'
    )
    done("new", "sites.toml")
    done("ask", "sites")
    done("tell", "sites", 0, -3)
    assert [one["params"]["east"] for one in records("predict", "sites")] == [0, 1, 2.5]


def test_places_come_from_a_file_and_go_to_another(told):
    (told / "try.csv").write_text("flow,catalyst,temp_C,remark\n3,Ni,50,a\n5,Pd,60.5,b\n")
    said = records("predict", "snar", "--csv", "try.csv")
    assert [one["params"] for one in said] == [
        {"temp_C": 50.0, "flow": 3, "catalyst": "Ni"},
        {"temp_C": 60.5, "flow": 5, "catalyst": "Pd"},
    ]
    assert records("predict", "snar", "--csv", "-", input=(told / "try.csv").read_text()) == said
    assert done("predict", "snar", "--csv", "try.csv", "--out", "t.csv") == "snar: 2 places written to t.csv\n"
    written = (told / "t.csv").read_text().splitlines()
    assert written[0] == "temp_C,flow,catalyst,mean,sd,low_95,high_95,success,compliance"
    assert written[2].startswith(f"60.5,5,Pd,{said[1]['mean']!r},{said[1]['sd']!r},")
    assert records("predict", "snar", "--csv", "t.csv") == said


def test_a_failure_adds_a_column_of_success(told, monkeypatch):
    monkeypatch.setattr(VisitPosterior, "success", lambda self, x: x[:, 0] / 200)
    assert "success" not in done("predict", "snar", *PLACE)
    done("ask", "snar")
    done("fail", "snar", 3)
    head, row = done("predict", "snar", *PLACE).splitlines()
    assert head.split()[-1] == "success"
    assert row.split()[-1] == "25%"
    assert record("predict", "snar", *PLACE)["success"] == 0.25


def test_a_place_beyond_the_bounds_is_noted(told):
    result = call("predict", "snar", "temp_C=300", "flow=3", "catalyst=Ni")
    assert result.exit_code == 0
    assert result.stderr == "Note: temp_C=300 is outside 40 to 120; the study will not go there\n"
    assert len(result.stdout.splitlines()) == 2


def test_the_table_fits_a_terminal(told):
    assert max(map(len, done("predict", "snar").splitlines())) <= WIDTH


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("temp_C=50",), 2, "predict: the place lacks axes 'flow', 'catalyst'"),
        (("temp=50",), 2, "place: there is no axis 'temp'; did you mean 'temp_C'?"),
        (("temp_C=50", "flow=3", "catalyst=Cu"), 2, "has no value 'Cu'"),
        ((*PLACE, "--csv", "snar.toml"), 2, "give one place, or --csv with several; not both"),
        (("--csv", "none.csv"), 2, "none.csv: no such file"),
        (("--csv", "bad.csv"), 2, "bad.csv: line 2: axis 'temp_C' must be a finite number"),
        (("--out", "wayfare.db"), 2, "is the store itself"),
        (("--out", "snar.toml"), 1, "exists already; use --force"),
    ],
)
def test_what_cannot_be_predicted_is_one_line(told, arguments, code, words):
    (told / "bad.csv").write_text("temp_C,flow,catalyst\nhot,3,Ni\n")
    result = call("predict", "snar", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


def test_before_the_first_result_it_is_too_early(lab):
    result = call("predict", "snar", *PLACE)
    assert (result.exit_code, result.stdout) == (1, "")
    assert "no trial of 'snar' has been told yet; ask and tell first" in result.stderr
