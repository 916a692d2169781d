"""Study files: the complete one, what may be left out, and files that are none."""

import os
import warnings

import numpy as np
import pytest

from wayfare.errors import GuaranteeWarning, InvalidInput
from wayfare.form import files, method_name, read_spec, read_study_file, write_spec
from wayfare.planning.catalogue import method_named
from wayfare.space import Choice, Integer, Real, Space
from wayfare.travel import Euclidean, Parallel, Ramp, Serial, Switch, Table

from .strategies import assert_same, through_json

COMPLETE = """
name = "snar"
direction = "maximize"
trials = 60
seed = 7
method = "tucb"
noise = 0.1
start = {temp_C = 25.0, flow = 0.1, catalyst = "Pd"}
[[axis]]
name = "temp_C"
low = 40.0
high = 120.0                      # kind = "real" is the default; "integer" with step; log = true
[[axis]]
name = "flow"
low = 0.1
high = 2.0
log = true
[[axis]]
name = "catalyst"
kind = "choice"
values = ["Pd", "Ni"]
[travel]
unit = "s"
kind = "serial"
parts = [ {kind = "parallel", parts = [ {kind = "ramp", axis = "temp_C", up = 0.083, down = 0.033},
                                        {kind = "ramp", axis = "flow", up = 0.5, down = 0.5} ]},
          {kind = "switch", axis = "catalyst", fee = 900} ]
"""
SHORT = """
name = "hill"
direction = "minimize"
trials = 5
[[axis]]
name = "n"
kind = "integer"
low = 0
high = 9
step = 3
[travel]
kind = "euclidean"
unit = "m"
"""


@pytest.fixture
def write(tmp_path):
    def written(content, name="study.toml"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return written


def test_the_complete_file_says_what_it_seems_to(write):
    spec = read_spec(read_study_file(write(COMPLETE)))
    assert (spec.name, spec.direction, spec.trials, spec.seed) == ("snar", "maximize", 60, 7)
    assert (spec.noise, spec.unit) == (0.1, "s")
    assert spec.space == Space(
        Real("temp_C", 40, 120), Real("flow", 0.1, 2.0, log=True), Choice("catalyst", ["Pd", "Ni"])
    )
    assert spec.travel == Serial((Parallel((Ramp(0, 0.083, 0.033), Ramp(1, 0.5, 0.5))), Switch(2, 900.0)))
    assert spec.start.tolist() == [25.0, 0.1, 0.0]
    assert spec.method == method_named("tucb")
    assert method_name(spec.method) == "tucb"


def test_the_complete_file_is_kept_and_read_back_without_a_warning(write):
    spec = read_spec(read_study_file(write(COMPLETE)))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert_same(read_spec(through_json(write_spec(spec)), new=False), spec)


def test_the_warning_points_at_the_caller(write):
    form = read_study_file(write(COMPLETE)) | {"shuffle": 0.5}
    with pytest.warns(GuaranteeWarning) as caught:
        read_spec(form)
    assert caught[0].filename == __file__


def test_a_short_file_has_the_defaults_of_study_create(write):
    spec = read_spec(read_study_file(write(SHORT)))
    assert spec.space == Space(Integer("n", 0, 9, 3))
    assert (spec.seed, spec.noise, spec.start, spec.unit) == (0, None, None, "m")
    assert method_name(spec.method) == "wayfare"


def test_the_unit_may_stand_at_the_top(write):
    file = write("unit = 'm'\n" + SHORT.replace('unit = "m"', ""))
    assert read_spec(read_study_file(file)).unit == "m"


def test_windows_line_ends_and_byte_order_marks_are_read(write):
    content = b"\xef\xbb\xbf" + SHORT.replace("\n", "\r\n").encode()
    assert read_study_file(write(content))["name"] == "hill"


def test_places_come_from_a_file_beside_the_study_file(write, tmp_path):
    write("site,lat,lon,note\nA, 1,1.5,x\n\nB,2,3e0,y\n", "sites.csv")
    form = {
        "name": "sites",
        "direction": "maximize",
        "trials": 2,
        "places": {"file": "sites.csv", "names": ["lat", "lon", "site"], "once": True},
        "travel": {"kind": "euclidean", "axes": ["lat", "lon"], "unit": "km"},
    }
    spec = read_spec(form, folder=tmp_path)
    assert spec.space.names == ("lat", "lon", "site")
    assert spec.space.once
    assert spec.space.params(spec.space.table[1]) == {"lat": 2, "lon": 3.0, "site": "B"}
    assert [type(v) for v in spec.space.params(spec.space.table[1]).values()] == [int, float, str]
    assert_same(read_spec(through_json(write_spec(spec)), new=False), spec)


def test_a_table_of_costs_is_over_the_places_of_the_study():
    form = {
        "name": "towns",
        "direction": "maximize",
        "trials": 2,
        "places": {"columns": {"east": [0.0, 3.0], "north": [0.0, 4.0]}},
        "travel": {"kind": "table", "matrix": [[0, 5], [5, 0]], "unit": "km"},
    }
    spec = read_spec(form)
    assert isinstance(spec.travel, Table)
    assert spec.travel.places is spec.space
    assert spec.travel(spec.space.table, spec.space.table).tolist() == [[0, 5], [5, 0]]


def test_a_switch_may_have_a_matrix_and_a_norm_a_scale_by_axis():
    form = read_form() | {
        "travel": {
            "kind": "serial",
            "parts": [
                {"kind": "switch", "axis": "c", "fee": [[0, 1], [2, 0]]},
                {"kind": "euclidean", "scale": {"x": 2}},
                {"kind": "scaled", "factor": 60, "unit": "", "cost": {"kind": "fee", "amount": 1, "axes": ["c"]}},
            ],
        }
    }
    spec = read_spec(form)
    x = np.array([[0.0, 0.0], [3.0, 1.0]])
    assert spec.travel(x, x).tolist() == [[0, 67], [68, 0]]


def read_form():
    return {
        "name": "lab",
        "direction": "maximize",
        "trials": 2,
        "axis": [{"name": "x", "low": 0, "high": 9}, {"name": "c", "kind": "choice", "values": ["a", "b"]}],
        "travel": {"kind": "euclidean"},
    }


def test_the_cost_may_come_from_python_and_the_rest_from_the_file():
    form = read_form()
    form["travel"] = {"unit": "m"}
    spec = read_spec(form, travel=Euclidean())
    assert (spec.travel, spec.unit) == (Euclidean(["x"]).bind(spec.space), "m")
    del form["travel"]
    assert read_spec(form, travel=Euclidean()).travel == spec.travel


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"name = 'a'\ntrials = \xff", r"not UTF-8 text \(line 2\)"),
        (b"name = 'a'\ntrials = = 3", r"not valid TOML: .*line 2"),
        (b"name = 'a'\nname = 'b'\n\n", r"not valid TOML: .*line 2"),
        (b"name = 'a'\0", "NUL bytes"),
        (b"seed = 1" + b"0" * 5000, "not valid TOML"),
        (b"a = " + b"[" * 5000 + b"]" * 5000, "nested too deep|not valid TOML"),
        (b"#" * (files.LARGEST + 1), "larger than 10 MB"),
    ],
)
def test_a_file_that_is_no_study_file_is_refused_by_name(write, content, said):
    path = write(content)
    with pytest.raises(InvalidInput, match=said) as refused:
        read_study_file(path)
    assert str(refused.value).startswith(str(path))
    assert "\n" not in str(refused.value)


def test_a_file_that_is_not_there_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match=r"nowhere\.toml: no such file"):
        read_study_file(tmp_path / "nowhere.toml")


def test_a_directory_is_refused(tmp_path):
    with pytest.raises(InvalidInput, match="is a directory"):
        read_study_file(tmp_path)


def test_a_device_is_refused_and_not_read():
    with pytest.raises(InvalidInput, match="not a regular file"):
        read_study_file(os.devnull)


def test_a_path_that_cannot_be_one_is_refused():
    with pytest.raises(InvalidInput):
        read_study_file("a\0b")


def test_a_file_of_the_largest_size_is_read(write):
    assert read_study_file(write(b"#" * files.LARGEST)) == {}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "is empty"),
        ("a,a\n1,2", "name each column once"),
        ("a,\n1,2", "name each column once"),
        ("a,b\n1", "row 1 has 1 cells, but there are 2 columns"),
        ("a,b\n1,2\n3, ", "row 2 has no value for 'b'"),
        ("a,b\n1,2\n3,nan", r"places\.file\.b\[1\] must be finite"),
        ("a,b\n1,2\nn/a,3", r"mixes 1 with 'n/a'"),
        ("a,b", "no places at all"),
        ("a,b\n1,2\n1,2", "are the same"),
        ('a,"b\nc"\n1,2', "control character"),
        ('a,b\n"1,2', "not valid CSV"),
        ("a,b\n1,2\0", "NUL"),
        ("a\n" + "9" * 400, "must be finite"),
    ],
)
def test_a_table_that_is_none_is_refused(write, tmp_path, content, said):
    write(content, "sites.csv")
    form = read_form()
    del form["axis"]
    form["places"] = {"file": "sites.csv"}
    with pytest.raises(InvalidInput, match=said) as refused:
        read_spec(form, folder=tmp_path)
    assert str(refused.value).startswith("places")
    assert "\n" not in str(refused.value)
