"""What cannot be done at all is refused before a study begins, what cannot be priced before it is told."""

import re

import numpy as np
import pytest

import wayfare as wf

PLANE = wf.Space(wf.Real("x", 0, 10), wf.Real("y", 0, 10))


def make(space=PLANE, travel=None, **options):
    travel = wf.Euclidean(unit="km") if travel is None else travel
    return wf.Study.create(space, direction="maximize", travel=travel, **({"trials": 20} | options))


@pytest.mark.parametrize(
    "options",
    [{"budget": 1, "home": [500, 500]}, {"budget": 1, "start": [50, 1]}, {"budget": 1, "start": [1, 1], "dwell": 2}],
)
def test_a_budget_that_pays_no_visit_is_refused_with_the_cheapest_one(options):
    with pytest.raises(wf.InvalidInput, match=r"budget is 1 km, but to x=.* for one result and home costs"):
        make(**options)


def test_a_budget_that_pays_one_visit_to_a_table_is_taken():
    places = wf.Places([{"x": 3.0, "y": 0.0}, {"x": 9.0, "y": 0.0}])
    study = make(places, start=[0, 0], home="start", budget=6.0)
    assert study.ask().params["x"] == 3.0
    with pytest.raises(wf.InvalidInput, match=r"budget is 5.9 km, but to x=3, y=0 for one result and home"):
        make(places, start=[0, 0], home="start", budget=5.9)


def walled(hole=None):
    """A plane of 101 by 101 cells with a ring of walls in its middle, around one open cell; maybe none."""
    grid = np.ones((101, 101))
    grid[49:52, 49:52] = 0
    if hole is not None:
        grid[hole] = 1
    return wf.Raster(grid, "x", "y", columns=(0, 10), rows=(0, 10))


def test_a_box_that_holds_cells_nobody_can_reach_is_refused_with_one_of_them():
    with pytest.raises(wf.InvalidInput, match=r"is in a blocked cell \(row 49, column 49\)"):
        make(PLANE, walled(), start=[1, 1])
    fenced = wf.Space(wf.Real("x", 0, 10), wf.Real("y", 0, 10), forbidden=[{"x": (4.8, 5.2), "y": (4.8, 5.2)}])
    assert make(fenced, walled(), start=[1, 1]).ask() is not None


@pytest.mark.parametrize("option", ["start", "home", "anchor"])
def test_a_start_an_end_or_an_anchor_that_is_land_locked_is_refused_by_name(option):
    stated = {"start": [1, 1]} | ({"anchor_every": 2} if option == "anchor" else {}) | {option: [5, 5]}
    raster = walled((50, 50))
    fenced = wf.Space(
        wf.Real("x", 0, 10),
        wf.Real("y", 0, 10),
        forbidden=[{"x": (4.8, 4.96)}, {"x": (5.04, 5.2)}, {"y": (4.8, 4.96)}, {"y": (5.04, 5.2)}],
    )
    why = "there is no way" if option != "anchor" else "there is no way|is not in the space"
    with pytest.raises(wf.InvalidInput, match=why):
        make(fenced, raster, **stated)
    box = wf.Places(raster.largest_part().places().table, ["x", "y"])
    with pytest.raises(wf.InvalidInput, match=f"{option}: "):
        make(box, raster, **stated)


def test_legs_on_a_rough_map_are_cut_into_steps_or_refused_but_do_not_go_on_for_ever():
    raster = wf.Raster([[1, 1.1, 1.3, 1], [1, 1.3, 1.7, 1]], "x", "y")
    places = wf.Places([{"x": 3, "y": 0}, {"x": 0, "y": 0}])
    with pytest.raises(wf.InvalidInput, match=r"max_step is 1.2, too small to get anywhere from x=3, y=0"):
        make(places, raster, trials=2, start={"x": 3, "y": 0}, max_step=1.2)


def go_on(study, wait, dearer=None):
    """Walk a study to its end, telling each trial in turn, or all of them at the end; return the trials.

    Every leg is told as so much ``dearer`` than it was stated; None: nobody says what it cost.
    """
    out = []

    def tell(trial):
        study.tell(trial, 1.0, spent=None if dearer is None else dearer * trial.leg)

    while (trial := study.ask(wait=wait)) is not None:
        out.append(trial)
        if wait:
            tell(trial)
    for trial in [] if wait else out:
        tell(trial)
    return out


@pytest.mark.parametrize("wait", [True, False])
@pytest.mark.parametrize("limit", ["budget", "trip"])
def test_limits_hold_though_legs_are_out_that_will_cost_more_than_was_stated(limit, wait):
    space, most = wf.Space(wf.Real("x", 0, 10)), {"budget": 150, "trip": 80}[limit]
    study = make(space, trials=60, start=[0], home="start", method="random", **{limit: most})
    for _ in range(6):
        trial = study.ask()
        study.tell(trial, 1.0, spent=3 * trial.leg)
    out = go_on(study, wait, 3)
    here, used = 0.0, 0.0
    for trial in study.trials:
        x = trial.params["x"]
        if trial.home_first:
            assert limit == "trip"
            used, here = 0.0, 0.0
        used, here = used + 3 * abs(x - here), x
        assert used + 3 * x <= most * (1 + 1e-9)
    assert len(out) > 5


@pytest.mark.parametrize("spent", [None, 3.0])
def test_an_actual_place_that_no_leg_can_begin_at_is_refused_and_nothing_is_written(spent):
    raster = wf.Raster(np.where(np.eye(11)[::-1] * np.eye(11), 0, 1), "x", "y")  # its middle is blocked
    study = make(raster.places(), raster, start={"x": 0, "y": 0}, method="random-route")
    trial = study.ask()
    with pytest.raises(wf.InvalidInput, match=r"actual: the place .x=5, y=5. is in a blocked cell"):
        study.tell(trial, 1.0, actual={"x": 5, "y": 5}, spent=spent)
    assert study.ask() == trial
    study.tell(trial, 1.0, actual={"x": 4, "y": 5}, spent=spent)
    assert study.ask().number == 1


def test_a_position_that_no_leg_can_begin_at_is_refused_and_nothing_is_written():
    raster = wf.Raster(np.where(np.eye(11)[::-1] * np.eye(11), 0, 1), "x", "y")
    study = make(raster.places(), raster, start={"x": 0, "y": 0}, method="random-route", trials=2)
    for _ in range(2):
        study.ask(wait=False)
    version = study.state.version
    with pytest.raises(wf.InvalidInput, match=r"position: the place .x=5, y=5. is in a blocked cell"):
        study.replan({"x": 5, "y": 5})
    assert study.state.version == version


def test_anchors_are_returned_to_under_a_tight_budget_too():
    study = make(start=[5, 5], anchor="start", anchor_every=3, method="random-route", budget=60, home="start", seed=1)
    while (trial := study.ask()) is not None:
        study.tell(trial, 1.0)
    at = [number for number, trial in enumerate(study.trials) if trial.params == {"x": 5.0, "y": 5.0}]
    assert len(at) >= 2
    assert max(np.diff(at)) <= 4


def test_a_route_begins_and_ends_at_degrees_in_their_order():
    places = [{"lat": 59.1, "lon": 18.1}, {"lat": 59.3, "lon": 18.4}, {"lat": 59.2, "lon": 18.2}]
    travel = wf.Haversine("lat", "lon", unit="km")
    with pytest.raises(wf.InvalidInput, match=r"start: .* swapped; swap them"):
        wf.order(places, travel, start={"lat": 18.2, "lon": 59.2})
    assert wf.order(places, travel, start={"lat": 59.0, "lon": 18.0}).order.tolist() == [0, 2, 1]


@pytest.mark.parametrize(
    "names", [("lat_deg", "lon_deg"), ("site_lat", "site_lon"), ("Latitude (deg)", "Longitude (deg)"), ("LAT1", "Lng1")]
)
def test_degrees_are_known_by_a_word_of_their_names(names):
    lat, lon = names
    space = wf.Space(wf.Real(lon, 17, 19), wf.Real("long_term", 0, 1), wf.Real(lat, 58, 60))
    inside, swapped = {lat: 59, lon: 18, "long_term": 0}, {lat: 18, lon: 59, "long_term": 0}
    make(space, start=inside)
    narrow = wf.Space(wf.Real(lon, 17, 19), wf.Real(lat, 58, 60))
    for field in ("start", "home"):
        with pytest.raises(wf.InvalidInput, match=rf"{field}: .* with {re.escape(lat)} and {re.escape(lon)} sw"):
            make(narrow, **{field: {lat: 18, lon: 59}})
    # Two axes may be the longitude here, so nobody is told to swap one.
    make(space, start=swapped)


@pytest.mark.parametrize("names", [("plateau", "longevity"), ("flat", "lon"), ("lat", "colony")])
def test_other_names_are_no_degrees(names):
    space = wf.Space(wf.Real(names[0], 58, 60), wf.Real(names[1], 17, 19))
    make(space, start=[18, 59])


@pytest.mark.parametrize("wait", [True, False])
def test_a_budget_holds_though_legs_that_were_told_cost_less_and_later_ones_are_booked_as_stated(wait):
    study = make(wf.Space(wf.Real("x", 0, 10)), trials=60, start=[0], home="start", budget=60, method="random")
    for _ in range(6):
        trial = study.ask()
        study.tell(trial, 1.0, spent=0.5 * trial.leg)
    go_on(study, wait)
    ledger = study.ledger()
    assert ledger.left - ledger.home >= -60e-9
