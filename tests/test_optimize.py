"""The one-call front: a route alone, from every kind of table."""

import numpy as np
import pandas as pd
import pytest

import wayfare as wf

LINE = [[3.0], [1.0], [2.0], [1.0]]


def test_a_route_numbers_the_rows_of_its_table():
    route = wf.order(LINE, wf.Euclidean(unit="m"), start=[0.0])
    assert route.order.tolist() == [1, 3, 2, 0]
    assert route.legs.tolist() == [1.0, 0.0, 1.0, 1.0]
    assert (route.cost, route.unit) == (3.0, "m")
    assert str(route) == "4 stops, 3 m: [1, 3, 2, 0]"


def test_a_route_can_return_to_its_start_or_end_elsewhere():
    home = wf.order(LINE, wf.Euclidean(), start=[0.0], end=[0.0])
    assert (home.cost, home.last_leg) == (6.0, float(home.places[-1, 0]))
    away = wf.order(LINE, wf.Euclidean(), start=[0.0], end=[4.0])
    assert (away.cost, away.last_leg) == (4.0, 1.0)


def test_without_a_start_a_route_begins_anywhere_for_free():
    assert wf.order(LINE, wf.Euclidean()).cost == 2.0


def test_dicts_a_frame_and_an_array_give_the_same_route():
    rng = np.random.default_rng(0)
    x = rng.random((30, 2))
    frame = pd.DataFrame(x, columns=["east", "north"])
    routes = [wf.order(table, wf.Euclidean()) for table in (x, frame, frame.to_dict("records"))]
    assert routes[0].order.tolist() == routes[1].order.tolist() == routes[2].order.tolist()


def test_columns_that_are_no_axes_can_be_left_out():
    frame = pd.DataFrame({"site": ["A", "B", "C"], "east": [2.0, 0.0, 1.0]})
    route = wf.order(frame, wf.Euclidean(), names=["east"], start={"east": 0.0})
    assert route.order.tolist() == [1, 2, 0]


def test_a_map_orders_places_in_open_cells_whatever_lies_between_them():
    grid = np.ones((5, 5))
    grid[1:, 2] = 0
    travel = wf.Raster(grid, "x", "y")
    route = wf.order([{"x": 0, "y": 4}, {"x": 4, "y": 4}, {"x": 0, "y": 3}], travel, start={"x": 4, "y": 3})
    assert route.order.tolist() == [1, 2, 0]
    with pytest.raises(wf.InvalidInput, match="blocked cell"):
        wf.order([{"x": 2, "y": 4}], travel)


def test_a_matrix_of_costs_orders_its_places():
    places = wf.Places([[0.0], [1.0], [2.0]])
    costs = [[0, 9, 1], [9, 0, 1], [1, 1, 0]]
    assert wf.order(places, wf.Table(places, costs), start=[0.0]).order.tolist() == [0, 2, 1]


def test_the_start_may_stand_on_a_choice_the_table_does_not_have():
    table = [{"t": 1.0, "c": "Ni"}, {"t": 2.0, "c": "Ni"}]
    route = wf.order(table, wf.Ramp("t", 1, 1) + wf.Switch("c", 5.0), start={"t": 0.0, "c": "Pd"})
    assert route.legs.tolist() == [6.0, 1.0]


def test_the_same_seed_gives_the_same_route():
    x = np.random.default_rng(0).random((60, 2))
    first, again = (wf.order(x, wf.Euclidean(), seed=3) for _ in range(2))
    assert first.order.tolist() == again.order.tolist()


def test_minimize_finds_the_bottom():
    space = wf.Space(wf.Real("x0", 0, 1))
    study = wf.minimize(lambda x0: (x0 - 0.3) ** 2, space, travel=wf.Euclidean(), trials=15)
    assert study.best().params["x0"] == pytest.approx(0.3, abs=0.05)


@pytest.mark.parametrize("loop", [wf.maximize, wf.minimize])
def test_the_loop_keeps_a_budget_and_the_way_home(loop):
    space = wf.Space(wf.Real("x", 0.0, 10.0))
    study = loop(
        lambda x: -abs(x - 6.0),
        space,
        travel=wf.Euclidean(unit="m"),
        trials=40,
        start={"x": 0.0},
        budget=12.0,
        home="start",
        dwell=0.25,
    )
    ledger = study.ledger()
    assert ledger.budget == 12.0
    assert ledger.paid + 0.25 * len(study.trials) + ledger.home <= 12.0 + 1e-9
    assert 0 < len(study.trials) < 40


SPACE = wf.Space(wf.Real("x", 0, 1))
LOOP = {"travel": wf.Euclidean(unit="m"), "trials": 6, "method": "random-route"}


def hill(x):
    return -((x - 0.3) ** 2)


def test_callbacks_see_every_trial_and_one_of_them_may_end_the_study():
    seen = []

    def note(study, trial):
        seen.append((trial.number, trial.value, len(study.trials)))
        return trial.number == 3

    study = wf.maximize(hill, SPACE, callbacks=[note], **LOOP)
    assert [number for number, _, _ in seen] == [0, 1, 2, 3]
    assert [value for _, value, _ in seen] == [trial.value for trial in study.trials]
    with pytest.raises(wf.InvalidInput, match="callbacks must be a list"):
        wf.maximize(hill, SPACE, callbacks=note, **LOOP)


def test_a_study_in_a_store_goes_on_where_it_stood(tmp_path):
    """Broken off anywhere and called again, the loop gives the study that would have come of one call."""
    whole = wf.maximize(hill, SPACE, **LOOP)
    calls = []

    def failing(x):
        calls.append(x)
        if len(calls) % 3 == 0:
            raise RuntimeError("power cut")
        return hill(x)

    for _ in range(9):
        try:
            study = wf.maximize(failing, SPACE, store=tmp_path / "a.db", name="hill", **LOOP)
        except RuntimeError:
            continue
        break
    assert [(t.value, t.leg) for t in study.trials] == [(t.value, t.leg) for t in whole.trials]
    assert len(calls) > 6
    finished = len(calls)
    assert len(wf.maximize(failing, SPACE, store=tmp_path / "a.db", name="hill", **LOOP).trials) == 6
    assert len(calls) == finished


def test_a_study_of_another_kind_is_not_gone_on_with(tmp_path):
    wf.minimize(hill, SPACE, store=tmp_path / "a.db", **LOOP)
    with pytest.raises(wf.InvalidInput, match="'study' that differs in direction"):
        wf.maximize(hill, SPACE, store=tmp_path / "a.db", **LOOP)
    with pytest.raises(wf.InvalidInput, match="differs in trials"):
        wf.minimize(hill, SPACE, store=tmp_path / "a.db", **LOOP | {"trials": 7})


def test_a_store_takes_parts_of_the_users_own_again(tmp_path):
    def stairs(a, b):
        return float(abs(np.floor(4 * a) - np.floor(4 * b)).sum())

    travel = wf.Custom(stairs)
    options = LOOP | {"travel": travel, "unit": "m"}
    for _ in range(2):
        study = wf.maximize(hill, SPACE, store=tmp_path / "a.db", **options)
    assert len(study.trials) == 6


def test_old_results_are_known_to_the_loop_once(tmp_path):
    old = {"known": ([[0.5]], [-0.04])}
    for _ in range(2):
        study = wf.maximize(hill, SPACE, store=tmp_path / "a.db", **LOOP | old)
    assert [trial.prior for trial in study.trials] == [True, *[False] * 6]


def test_progress_is_shown_on_request_alone(capsys):
    wf.maximize(hill, SPACE, **LOOP)
    assert capsys.readouterr() == ("", "")
    wf.maximize(hill, SPACE, progress=True, **LOOP)
    out, err = capsys.readouterr()
    assert out == ""
    assert "study: best" in err
    assert "6/6" in err


def test_progress_moves_a_bar_of_the_users_own():
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(quiet=True)) as progress:
        wf.maximize(hill, SPACE, progress=progress, **LOOP)
        wf.minimize(hill, SPACE, progress=progress, name="[bold]", **LOOP)
    assert [(task.completed, task.total) for task in progress.tasks] == [(6, 6), (6, 6)]
    with pytest.raises(wf.InvalidInput, match="progress must be"):
        wf.maximize(hill, SPACE, progress="yes", **LOOP)
