"""Rows of a logger near open trials: each is one trial's result, or a question; never a visit too many."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare.errors import Conflict, InvalidInput
from wayfare.exchange import export_json, hand_out, import_csv, import_json, read_results
from wayfare.exchange.records import preview_record

LAKE = wf.Space(
    wf.Real("east", 0, 2000, unit="m"), wf.Real("north", 0, 1000, unit="m"), wf.Choice("gear", ["net", "rod"])
)
BOAT = wf.Euclidean(axes=["east", "north"], unit="m")


def make(space=LAKE, travel=BOAT, out=5, **options):
    start = space.params(space.points([0.0] * space.d)[0])
    trials = 3 if space.once else 20
    study = wf.Study.create(
        space, direction="maximize", travel=travel, trials=trials, start=start, method="random-route", seed=3, **options
    )
    if out:
        hand_out(study, out)
    return study


def twin(study):
    return import_json(wf.MemoryStore(), export_json(study))


def logged(study, off=3.0, order=None):
    """What a logger writes: where it was, a few metres off, and what it measured."""
    rows = []
    for at, trial in enumerate(study.state.open_trials):
        place = dict(trial.params)
        place["east"] += off * math.cos(at)
        place["north"] += off * math.sin(at)
        rows.append(
            ",".join(f"{value:.3f}" if isinstance(value, float) else value for value in place.values()) + f",{at}.5"
        )
    return "\n".join(["east,north,gear,value", *(rows[at] for at in order or range(len(rows)))]) + "\n"


@settings(max_examples=25, deadline=None)
@given(st.permutations(range(5)), st.floats(0.01, 4.0))
def test_a_logger_does_what_telling_each_trial_where_it_was_does(order, off):
    study = make()
    by_hand = twin(study)
    text = logged(study, off, order)
    done = import_csv(study, text, tolerance=5.0)
    assert (done.rows, done.told, done.visits) == (5, 5, 0)
    for at in order:
        east, north, gear, value = text.splitlines()[1 + list(order).index(at)].split(",")
        by_hand.tell(at, float(value), actual={"east": float(east), "north": float(north), "gear": gear})
    assert [(one.params, one.value, one.leg, one.asked) for one in study.trials] == [
        (one.params, one.value, one.leg, one.asked) for one in by_hand.trials
    ]
    assert str(study.ledger()) == str(by_hand.ledger())


def test_rows_near_open_trials_are_never_counted_as_extra_visits():
    study = make()
    before = study.ledger().paid
    with pytest.raises(InvalidInput) as refused:
        import_csv(study, logged(study))
    said = str(refused.value)
    assert said.startswith("line 2: no open trial is near enough to east=")
    assert "the nearest is trial 0 (east 3 m off); --tolerance east=" in said
    assert said.endswith("--extra takes it for an extra visit (in Python tolerance=, extra=True)")
    assert len(study.trials) == 5
    import_csv(study, logged(study), tolerance="1%")
    assert study.ledger().paid == pytest.approx(before, abs=40)
    with pytest.raises(InvalidInput, match="line 2 is trial 0, line 3 is trial 1, "):
        import_csv(study, logged(make()), tolerance="1%")


def test_the_tolerance_that_a_refusal_names_is_enough():
    study = make(out=1)
    with pytest.raises(InvalidInput) as refused:
        import_csv(study, logged(study, 7.3))
    words = str(refused.value).split()
    named = dict(words[at + 1].split("=") for at, word in enumerate(words) if word == "--tolerance")
    assert (
        import_csv(study, logged(study, 7.3), tolerance={axis: float(text) for axis, text in named.items()}).told == 1
    )


def test_the_digits_of_the_file_are_tolerance_enough_and_no_missed_setting():
    study = make(out=2)
    east, north, gear = study.trials[1].params.values()
    text = f"east,north,gear,value\n{east:.7g},{north:.7g},{gear},1\n"
    assert (float(f"{east:.7g}"), float(f"{north:.7g}")) != (east, north)
    assert import_csv(study, text).told == 1
    assert study.trials[1].asked is None
    study.tell(0, 2.0)
    with pytest.raises(InvalidInput, match="line 2 is trial 1, with the same place and value"):
        import_csv(study, text)


def test_along_steps_half_a_step_is_near():
    space = wf.Space(wf.Real("temp", 20, 120, step=0.5, unit="°C"), wf.Integer("flow", 1, 20))
    study = make(space, wf.Manhattan(axes=["temp"], unit="min"), out=1)
    temp, flow = study.trials[0].params.values()
    for row, words in ((f"{temp + 0.3},{flow}", "temp 0.3 °C off"), (f"{temp},{flow + 1}", "flow 1 off")):
        with pytest.raises(InvalidInput, match=words):
            import_csv(study, f"temp,flow,value\n{row},1\n")
    assert import_csv(study, f"temp,flow,value\n{temp + 0.25},{flow},1\n").told == 1
    assert study.trials[0].params["temp"] == temp + 0.25


def test_a_cost_as_tolerance_lets_nothing_differ_that_costs_nothing():
    space = wf.Space(wf.Real("east", 0, 2000), wf.Real("depth", 0, 50))
    study = make(space, wf.Euclidean(axes=["east"], unit="m"), out=1)
    east, depth = study.trials[0].params.values()
    with pytest.raises(InvalidInput, match="depth 2 off"):
        import_csv(study, f"east,depth,value\n{east!r},{depth + 2!r},1\n", tolerance=100.0)
    assert import_csv(study, f"east,depth,value\n{east + 90!r},{depth!r},1\n", tolerance=100.0).told == 1


def test_a_row_near_no_trial_is_an_extra_visit_only_if_that_is_said():
    study = make()
    text = logged(study) + "1999,999,net,7\n"
    with pytest.raises(InvalidInput, match="line 7: no open trial is near enough to east=1999 m, north=999 m"):
        import_csv(study, text, tolerance=5.0)
    preview = read_results(study, text, tolerance=5.0, extra=True)
    assert [(row.use, row.number) for row in preview.rows] == [*(("told", n) for n in range(5)), ("new visit", 5)]
    assert [row.near is None for row in preview.rows] == [False] * 5 + [True]
    assert [row.cost for row in preview.rows[:5]] == pytest.approx([3.0] * 5, abs=0.01)
    assert preview_record(preview)["rows"][0]["near"] == dict(study.trials[0].params)
    assert len(study.trials) == 5
    preview.apply(study)
    assert (len(study.trials), study.trials[5].value) == (6, 7.0)


def test_with_no_trial_open_a_row_without_a_number_is_a_visit():
    study = make()
    for trial in study.state.open_trials:
        study.tell(trial, 1.0)
    assert import_csv(study, "east,north,gear,value\n10,20,net,1\n").visits == 1


def test_two_rows_near_one_trial_are_a_question_or_a_run():
    study = make(out=2)
    east, north, gear = study.trials[1].params.values()
    rows = "".join(f"{east + d!r},{north!r},{gear},{value}\n" for d, value in ((-2, 1), (1, 2), (4, 6)))
    text = "east,north,gear,value\n" + rows
    with pytest.raises(InvalidInput) as refused:
        import_csv(study, text, tolerance=5.0)
    assert str(refused.value) == (
        "line 2 and line 3 and 1 more are both near trial 1; keep one, or take all for one run of 3 results "
        "(--average, in Python average=True)"
    )
    assert len(study.state.out) == 2
    import_csv(study, text, tolerance=5.0, average=True)
    trial = study.trials[1]
    assert (trial.value, trial.count, trial.variance) == (3.0, 3, 7.0)
    assert trial.params["east"] == pytest.approx(east + 1)
    east, north, gear = study.trials[0].params.values()
    failed = f"east,north,gear,value,state\n{east},{north},{gear},1,\n{east},{north},{gear},,failed\n"
    with pytest.raises(InvalidInput, match="line 3: several rows are near trial 0, and this is not one result"):
        import_csv(study, failed, tolerance=5.0, average=True)


def test_trials_at_one_place_take_rows_in_their_order():
    study = make(out=0)
    for _ in range(2):
        study.insert({"east": 100, "north": 100, "gear": "net"})
    import_csv(study, "east,north,gear,value\n101,100,net,1\n100,101,net,2\n", tolerance=5.0)
    assert [trial.value for trial in study.trials] == [1.0, 2.0]
    study.insert({"east": 100, "north": 100, "gear": "net"})
    study.insert({"east": 100, "north": 100, "gear": "net"})
    with pytest.raises(InvalidInput, match="near trials 2, 3, which are at one place; give each row the number"):
        import_csv(study, "east,north,gear,value\n" + "101,100,net,1\n" * 3, tolerance=5.0, average=True)


def test_a_row_as_near_to_two_trials_is_a_question():
    study = make(out=0)
    study.insert({"east": 100, "north": 100, "gear": "net"})
    study.insert({"east": 110, "north": 100, "gear": "net"})
    with pytest.raises(InvalidInput, match="line 2: it is as near to trial 0 as to trial 1; give it the number"):
        import_csv(study, "east,north,gear,value\n105,100,net,1\n", tolerance=20.0)
    import_csv(study, "east,north,gear,value\n104,100,net,1\n", tolerance=20.0)
    assert study.trials[0].value == 1.0


def test_a_row_of_a_worker_is_near_that_workers_trials_alone():
    study = make(out=0)
    for worker in ("ana", "ben"):
        study.insert({"east": 100, "north": 100, "gear": "net"}, worker=worker)
    import_csv(study, "east,north,gear,value,worker\n101,100,net,2,ben\n", tolerance=5.0)
    assert [trial.value for trial in study.trials] == [None, 2.0]
    with pytest.raises(InvalidInput, match="line 2: no trial of 'ben' is open; leave the worker out"):
        import_csv(study, "east,north,gear,value,worker\n101,100,net,3,ben\n", tolerance=5.0)


def test_a_failed_and_a_skipped_row_find_their_trials():
    study = make(out=2)
    by_hand = twin(study)
    texts = [",".join(map(str, trial.params.values())) for trial in study.trials]
    import_csv(study, f"east,north,gear,value,state,why\n{texts[0]},,failed,net torn\n{texts[1]},,skipped,wind\n")
    by_hand.fail(0, "net torn")
    by_hand.skip(1, "wind")
    assert [(t.state, t.why, t.leg) for t in study.trials] == [(t.state, t.why, t.leg) for t in by_hand.trials]


def test_a_preview_is_applied_as_it_was_shown_or_not_at_all():
    study = make()
    preview = read_results(study, logged(study), tolerance=5.0)
    study.tell(0, 9.0)
    with pytest.raises(InvalidInput, match="line 2"):
        preview.apply(study)
    other = make(out=0)
    one, two = (read_results(other, f"east,north,gear,value\n{east},20,net,1\n") for east in (10, 20))
    one.apply(other)
    with pytest.raises(Conflict, match="changed since the file was looked at; look at it again"):
        two.apply(other)
    assert len(other.trials) == 1


@pytest.mark.parametrize(
    ("tolerance", "words"),
    [
        ({"east": -1}, "tolerance of axis 'east' must not be negative"),
        ({"est": 1}, "there is no axis 'est'; did you mean 'east'"),
        ({"gear": 1}, "'gear' is a choice"),
        ("101%", "from 0% to 100%"),
        ("x%", "before its %"),
        ("5", "a share like 1%"),
        (-1.0, "must not be negative"),
    ],
)
def test_a_tolerance_that_cannot_be_is_refused(tolerance, words):
    with pytest.raises(InvalidInput, match=words):
        import_csv(make(), logged(make()), tolerance=tolerance)


def test_on_a_table_of_places_the_place_itself_is_near():
    sites = wf.Places(np.array([[0.0, 0.0], [50.0, 10.0], [90.0, 40.0]]), ["east", "north"], once=True)
    study = make(sites, wf.Euclidean(unit="m"), out=2)
    east, north = study.trials[1].params.values()
    assert import_csv(study, f"east,north,value\n{east + 1},{north},3\n", tolerance=2.0).told == 1
    assert study.trials[1].asked is not None


def test_on_a_map_a_cost_as_tolerance_is_the_way_over_open_ground():
    """Though obstacles stand between a row and other trials, and a few metres within a cell cost nothing."""
    ground = np.ones((6, 6))
    ground[1:5, 2] = 0.0
    rows, columns = np.nonzero(ground)
    open_cells = wf.Places([{"east": 100.0 * x, "north": 100.0 * y} for y, x in zip(rows, columns, strict=True)])
    metres = {"columns": (0, 500), "rows": (0, 500), "cell": (100, 100), "unit": "m"}
    study = make(open_cells, wf.Raster(ground, "east", "north", **metres), out=3)
    places = [trial.params for trial in study.state.open_trials]
    lines = [",".join(repr(value + 4.0) for value in place.values()) + f",{at}" for at, place in enumerate(places)]
    text = "\n".join([",".join([*places[0], "value"]), *lines]) + "\n"
    assert import_csv(study, text, tolerance=50.0).told == 3
    assert [trial.value for trial in study.trials] == [0.0, 1.0, 2.0]
