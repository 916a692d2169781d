"""Studies with forbidden regions: no method hands out a place in one, and what happens there is noted."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from tests.exchange.studies import exported
from tests.space.strategies import holed
from wayfare.exchange import export_json, import_csv, import_json
from wayfare.exchange.imports import beyond
from wayfare.form import read_spec, write_spec
from wayfare.planning.catalogue import CATALOGUE

HOT_ETHER = {"temp": (100, None), "solvent": ["ether"]}
LAB = wf.Space(
    wf.Real("temp", 40, 120),
    wf.Real("flow", 0.1, 10, log=True),
    wf.Choice("solvent", ["water", "ether"]),
    forbidden=[HOT_ETHER, {"temp": (55, 75), "flow": (1, None)}],
)
PLANE = wf.Space(wf.Real("x", 0, 1), wf.Real("y", 0, 1), forbidden=[{"x": (0.3, 1), "y": (0.3, 1)}, {"x": (None, 0.1)}])
GRID = wf.Space(wf.Integer("i", 0, 9), wf.Integer("j", 0, 9), forbidden=[{"i": (4, 9), "j": (4, 9)}])
ANY = [name for name, entry in CATALOGUE.items() if entry.spaces == "any"]
OF_TABLES = [name for name, entry in CATALOGUE.items() if entry.spaces == "table"]
OF_BOXES = [name for name, entry in CATALOGUE.items() if entry.spaces == "box"]


def make(space, method="wayfare", trials=14, **changes):
    options = {"direction": "maximize", "travel": wf.Fee(1.0, unit="min"), "noise": 0.1}
    return wf.Study.create(space, trials=trials, method=method, **(options | changes))


def tempting(space, x):
    """Return a value that is best at the far corner, which is forbidden in all of these spaces."""
    return float(space.encode(x[None, :]).mean())


def walk(study):
    """Walk a study to its end; refuse a place that is forbidden."""
    space = study.spec.space
    while (trial := study.ask(count=True)) is not None:
        ahead = np.array([space.points(stop.params)[0] for stop in study.route().stops]).reshape(-1, space.d)
        for x in (trial.x[None, :], ahead):
            assert space.contains(x).all()
            assert not any(region.holds(x).any() for region in space.forbidden)
        study.tell(trial, tempting(space, trial.x), count=trial.count if trial.count > 1 else None)
    return study


@pytest.mark.parametrize("space", [LAB, PLANE, GRID], ids=["lab", "plane", "grid"])
@pytest.mark.parametrize("method", ANY)
def test_no_method_hands_out_a_forbidden_place(method, space):
    study = walk(make(space, method, start=space.params(space.whole.at(np.ones((1, space.d)))[0])))
    assert study.state.used == 14


@pytest.mark.parametrize("method", OF_TABLES)
def test_no_bandit_of_a_table_hands_out_a_forbidden_place(method):
    study = walk(make(GRID, method, trials=120))
    assert study.state.used == 120


@pytest.mark.parametrize("method", OF_BOXES)
def test_bandits_of_a_box_refuse_a_space_with_a_hole_and_name_the_way_out(method):
    with pytest.raises(wf.InvalidInput, match=r"x 0.3 to 1 with y 0.3 to 1 is forbidden.*Places\(\.\.\.\)"):
        make(PLANE, method)
    assert make(PLANE.whole, method).ask() is not None


@settings(deadline=None, max_examples=12)
@given(holed(), st.sampled_from(["wayfare", "tucb", "tts", "snake", "lhs-route", "lsr", "random"]))
def test_in_any_space_with_holes_no_forbidden_place_is_handed_out(space, method):
    walk(make(space, method, trials=6))


def test_within_a_budget_no_forbidden_place_is_handed_out_either():
    start = {"x": 0.35, "y": 0.35}
    for method in ("wayfare", "ucb", "random-route"):
        options = {"travel": wf.Euclidean(unit="m"), "budget": 0.8, "home": "start", "start": start}
        study = walk(make(PLANE, method, **options))
        assert study.trials
        assert study.ledger().left >= study.ledger().home - 1e-9


def test_a_study_may_start_and_end_in_a_forbidden_region_and_begins_beside_it():
    study = make(PLANE, start={"x": 0.9, "y": 0.31}, home="start", travel=wf.Euclidean(unit="m"))
    assert study.ask().params == {"x": 0.9, "y": pytest.approx(0.3, abs=1e-4)}


def test_insert_refuses_a_forbidden_place_and_names_the_region_and_the_nearest_allowed_place():
    study = make(LAB)
    said = (
        "insert: temp=101, flow=2, solvent=ether is forbidden (temp 100 or more with solvent ether); "
        "the nearest allowed place has temp=99.9992, flow=2, solvent=ether"
    )
    with pytest.raises(wf.InvalidInput) as refused:
        study.insert({"temp": 101.0, "flow": 2.0, "solvent": "ether"})
    assert str(refused.value) == said
    assert study.insert({"temp": 101.0, "flow": 2.0, "solvent": "water"}).trial.number == 0


def test_what_happened_in_a_forbidden_region_is_kept_and_noted_and_nothing_follows_it_there():
    study = make(LAB, method="wayfare", trials=10, start={"temp": 50, "flow": 1, "solvent": "water"})
    there = {"temp": 110.0, "flow": 1.0, "solvent": "ether"}
    assert import_csv(study, "temp,flow,solvent,value\n110,1,ether,99\n").beyond == (
        ("0", "the place is forbidden (temp 100 or more with solvent ether)"),
    )
    study.tell(study.ask(), 100.0, actual=there)
    assert beyond(LAB, there) == ["the place is forbidden (temp 100 or more with solvent ether)"]
    walk(study)
    assert [trial.params == there for trial in study.trials].count(True) == 2


def test_a_study_with_forbidden_regions_goes_on_as_before_from_a_file_and_from_an_archive(tmp_path):
    study = make(LAB, store=tmp_path / "lab.db", trials=5)
    study.tell(study.ask(), 0.0)
    again = wf.Study.open(tmp_path / "lab.db", "study")
    copy = import_json(wf.MemoryStore(), export_json(study))
    assert again.spec.space == copy.spec.space == LAB
    assert exported(copy) == exported(study)
    assert [trial.params for trial in walk(copy).trials] == [trial.params for trial in walk(again).trials]


def form_of(**changes):
    return write_spec(make(LAB.whole).spec) | changes


def test_a_study_file_states_regions_with_open_ends():
    inf = float("inf")
    for hot in ([100, inf], {"low": 100}, [100.0, inf]):
        regions = [{"temp": hot, "solvent": ["ether"]}, {"temp": [55, 75], "flow": [1, inf]}]
        spec = read_spec(form_of(forbidden=regions))
        assert spec.space == LAB
        assert write_spec(spec)["forbidden"][0] == {"temp": {"low": 100.0}, "solvent": ["ether"]}
    assert read_spec(form_of(forbidden=[{"temp": [-inf, 60]}])).space.forbidden[0].stated == {"temp": (None, 60.0)}


def test_a_space_without_regions_is_written_as_before():
    assert "forbidden" not in form_of()
    assert read_spec(form_of(forbidden=[])).space == LAB.whole


@pytest.mark.parametrize(
    ("regions", "said"),
    [
        ([{"tmp": [1, 2]}], r"forbidden\[0\]\.tmp: unknown key; did you mean 'temp'\?"),
        ([{"temp": {"lo": 1}}], r"forbidden\[0\]\.temp\.lo: unknown key; did you mean 'low'\?"),
        ([{"temp": {}}], r"forbidden\[0\]: axis 'temp' is open at both ends"),
        ([{"temp": [float("nan"), 3]}], r"forbidden\[0\]\.temp\[0\] must be finite"),
        ([{"temp": [float("inf"), 3]}], "low of axis 'temp' must be finite|must be finite, got inf"),
        ([{"temp": [70, 60]}], "swap them"),
        ([{"temp": 60}], r"takes \(low, high\)"),
        ([{"solvent": "ethr"}], "did you mean 'ether'"),
        ([{}], r"forbidden\[0\] is empty"),
        ([{"temp": [0, 200]}], r"forbidden\[0\] \(temp 0 to 200\) leaves no places at all"),
        ([3], r"forbidden\[0\] must be a table"),
        ({"temp": [1, 2]}, r"forbidden must be a list of tables, each under \[\[forbidden\]\]"),
    ],
)
def test_a_wrong_region_in_a_study_file_is_refused_with_its_path(regions, said):
    with pytest.raises(wf.InvalidInput, match=said):
        read_spec(form_of(forbidden=regions))


def test_of_a_table_of_places_rows_are_left_out_instead():
    form = write_spec(make(wf.Places([[1.0], [2.0]], names=["x"]), trials=2).spec)
    with pytest.raises(wf.InvalidInput, match=r"of \[places\], leave out the rows"):
        read_spec(form | {"forbidden": [{"x": [1, 1]}]})
