"""The travel budget: what fits into it, that nothing else is handed out, and what is said of it."""

import numpy as np
import pytest

import wayfare as wf
from tests.exchange.studies import exported
from wayfare._core.rng import stream
from wayfare.exchange import export_json, import_csv, import_json
from wayfare.form import read_spec, write_spec
from wayfare.planning.reach import Limits, Reach
from wayfare.planning.reachable import Within
from wayfare.policy import Runs
from wayfare.record.spec import one_place
from wayfare.travel import Ramp

LINE = wf.Space(wf.Real("x", 0.0, 10.0))
MARKS = wf.Places([[1.0], [2.0], [3.0], [4.0]], names=["x"], once=True)


class Listed:
    """Proposes these places, in this order, as far as they are allowed; else what is nearest to the first."""

    def __init__(self, *places, counts=None):
        self.places, self.counts = np.array(places, dtype=float)[:, None], counts

    def propose(self, situation, size, rng):
        if self.counts is not None:
            return Runs(self.places, self.counts)
        allowed = self.places[situation.space.contains(self.places)][:size]
        return allowed if len(allowed) else situation.space.snap(self.places[:1])


def listed(*places, counts=None):
    return wf.Method(Listed(*places, counts=counts), wf.Horizon(), opening=wf.NoOpening())


def make(space=LINE, method="random-route", trials=20, **changes):
    options = {"direction": "maximize", "travel": wf.Euclidean(unit="m"), "start": {"x": 0.0}}
    return wf.Study.create(space, trials=trials, method=method, **(options | changes))


def walk(study):
    """Walk a study to its end; return where it went."""
    while (trial := study.ask(count=True)) is not None:
        study.tell(trial, 0.0, count=trial.count if trial.count > 1 else None)
    return [trial.params["x"] for trial in study.trials]


@pytest.mark.parametrize(
    ("budget", "home", "dwell", "visited"),
    [
        (6.0, "start", 0.0, [1, 2, 3]),  # three there and three back
        (5.999, "start", 0.0, [1, 2]),
        (3.0, None, 0.0, [1, 2, 3]),
        (2.5, None, 0.0, [1, 2]),
        (100.0, "start", 0.0, [1, 2, 3, 4]),
        (6.0, {"x": 5.0}, 0.0, [1, 2, 3, 4]),  # home lies beyond, outside the table
        (6.0, {"x": 5.0}, 0.5, [1, 2]),  # all lie on the way, but only two results can be paid
    ],
)
def test_known_answers_on_a_line(budget, home, dwell, visited):
    study = make(MARKS, listed(1, 2, 3, 4), 4, budget=budget, home=home, dwell=dwell)
    assert walk(study) == visited
    assert study.ask() is None


def test_places_are_kept_in_the_order_the_policy_chose_them():
    # 2 is worth most and fits; 3 would not fit with it; 1 lies on the way there.
    study = make(MARKS, listed(2, 3, 1), 3, budget=6.0, home="start", dwell=1.0)
    study.ask()
    assert [stop.params["x"] for stop in study.route().stops] == [2.0]
    assert walk(study) == [1.0, 2.0]


def test_three_legs_of_a_tenth_fit_into_three_tenths():
    places = wf.Places([[0.1], [0.2], [0.30000000000000004]], names=["x"], once=True)
    assert len(walk(make(places, "random-route", 3, budget=0.3))) == 3


def test_of_a_run_as_many_results_are_taken_as_can_be_paid():
    places = wf.Places([[1.0], [2.0]], names=["x"])
    study = make(places, listed(1, counts=[10]), 50, budget=6.0, home="start", dwell=1.0)
    assert study.ask(count=True).count == 4
    assert study.ledger().left == study.ledger().home == 1.0


@pytest.mark.filterwarnings("ignore::wayfare.errors.GuaranteeWarning")
def test_the_way_home_is_priced_in_its_own_direction():
    ramp = Ramp("x", up=1.0, down=0.5)  # three up cost 3, and down again 6
    assert walk(make(MARKS, listed(3), 1, travel=ramp, budget=9.0, home="start")) == [3.0]
    assert walk(make(MARKS, listed(4), 1, travel=ramp, budget=9.0, home="start")) == [3.0]


@pytest.mark.filterwarnings("ignore::wayfare.errors.GuaranteeWarning")
def test_where_a_detour_is_cheaper_than_the_way_home_the_route_stops_before_it():
    # From 2 there is no paying the way home directly, though by way of 3 there would be.
    def cost(a, b):
        return 50.0 if (a[0], b[0]) == (2.0, 0.0) else 1.0 if a[0] != b[0] else 0.0

    study = make(MARKS, listed(3, 2, 1), 3, travel=wf.Custom(cost), budget=10.0, home="start")
    assert 2.0 not in walk(study)


@pytest.mark.parametrize("method", ["wayfare", "ucb", "random-route", "lhs-route", "snake", "blin"])
def test_an_ample_budget_changes_nothing(method):
    with_it = make(method=method, trials=8, noise=1.0, budget=1e6, home={"x": -3.0}, dwell=1.0)
    assert walk(with_it) == walk(make(method=method, trials=8, noise=1.0))


@pytest.mark.parametrize("method", ["wayfare", "ucb", "random", "lhs-route", "tts", "blin", "lsr", "eipu"])
def test_what_a_policy_wants_out_of_reach_is_replaced_by_a_place_within(method):
    space = wf.Space(wf.Real("x", 0.0, 1000.0), wf.Real("y", 0.0, 1000.0))
    study = make(space, method, 6, start={"x": 500, "y": 500}, noise=1.0, budget=2.0, home="start")
    assert len(walk(study)) == 6  # a millionth of the space is within reach, and is enough
    assert study.ledger().left >= study.ledger().home


def test_a_study_that_need_not_begin_anywhere_begins_where_home_can_be_reached_from():
    for seed in range(5):
        (first, *_) = walk(make(start=None, budget=0.5, home={"x": 7.0}, trials=3, seed=seed))
        assert abs(first - 7.0) <= 0.5


def test_trials_that_are_out_are_counted():
    study = make(MARKS, listed(1, 2, 3, 4), 4, budget=6.0, home="start")
    assert [study.ask(wait=False).params["x"] for _ in range(3)] == [1, 2, 3]
    assert study.ask(wait=False) is None
    study.skip(2)
    study.skip(1)
    # Not gone to, they are not paid for, and nothing but them is within reach.
    assert study.ask(wait=False).params["x"] == 2.0


def test_when_more_was_spent_than_predicted_the_rest_of_the_route_is_planned_anew():
    study = make(method=listed(3, 6), budget=14.0, home="start")
    study.tell(study.ask(), 0.0, spent=6.0)
    route = study.route()
    assert (route.stops, route.planned) == ((), 1)  # 3 there and 6 home, but 8 are left
    assert study.ask().params["x"] == 3.0
    assert len(study.state.plans) == 2


def test_what_happened_is_told_though_it_exceeds_the_budget_but_nothing_more_is_handed_out():
    study = make(MARKS, listed(1, 2, 3, 4), 4, budget=8.0, home="start")
    study.tell(study.ask(), 0.0, spent=11.0)
    assert study.ledger().left == -3.0
    assert "overdrawn by 3 m of 8 m, home is 1 m away" in str(study.ledger())
    assert study.ask() is None
    with pytest.raises(wf.BudgetSpent, match="overdrawn by 3 m"):
        study.insert({"x": 2.0})
    study.amend(0, spent=1.0)
    assert study.ask().params["x"] == 2.0


def test_insert_is_refused_only_if_it_and_the_way_home_cannot_be_paid():
    study = make(budget=6.0, home="start", dwell=1.0)
    before = study.state.version
    with pytest.raises(wf.BudgetSpent, match="x=3 and home does not fit the budget: 6 m of 6 m left"):
        study.insert({"x": 3.0})
    with pytest.raises(wf.BudgetSpent):
        study.insert({"x": 2.0}, count=3)
    assert study.state.version == before
    assert study.insert({"x": 2.0}, count=2).trial.leg == 2.0


def test_a_visit_that_was_made_all_the_same_can_be_imported():
    study = make(budget=6.0, home="start")
    import_csv(study, "x,value\n9,0.5\n")
    assert study.ledger().left == -3.0
    assert study.ask() is None


def test_replan_says_that_the_budget_is_spent_unless_the_traveller_is_elsewhere():
    study = make(MARKS, listed(1, 2, 3, 4), 4, budget=2.0, home="start")
    study.tell(study.ask(), 0.0)
    with pytest.raises(wf.BudgetSpent, match="1 m of 2 m left, home is 1 m away"):
        study.replan()
    assert len(study.replan({"x": 9.0}).route) == 0
    assert study.ledger().home == 9.0
    assert study.ask() is None


def test_the_route_ahead_says_what_is_left_at_each_stop_and_how_far_home_is():
    study = make(MARKS, listed(1, 2, 3), 3, budget=20.0, home="start", dwell=1.0)
    study.tell(study.ask(), 0.0)
    assert [(stop.left, stop.home) for stop in study.route().stops] == [(16.0, 2.0), (14.0, 3.0)]
    plain = make(MARKS, listed(1, 2, 3), 3)
    plain.ask()
    assert {(stop.left, stop.home) for stop in plain.route().stops} == {(None, None)}


def test_the_ledger_has_the_budget_what_is_left_and_the_way_home():
    study = make(MARKS, listed(1, 2, 3), 3, budget=20.0, home="start", dwell=0.5)
    walk(study)
    ledger = study.ledger()
    assert (ledger.paid, ledger.dwell, ledger.budget, ledger.left, ledger.home) == (3.0, 1.5, 20.0, 15.5, 3.0)
    assert str(ledger).endswith("dwell 1.5 m; 15.5 m of 20 m left, home is 3 m away")
    plain = make(MARKS, listed(1, 2, 3), 3).ledger()
    assert (plain.dwell, plain.budget, plain.left, plain.home) == (0.0, None, None, None)


def test_an_end_without_a_budget_only_says_how_far_home_is():
    study = make(MARKS, listed(4), 1, home="start")
    assert walk(study) == [4.0]
    assert str(study.ledger()).endswith("; home is 4 m away")


def told_legs(factor, **limits):
    """Return a study that stands at 2, with legs of a metre or two told as so many times what was stated."""
    study = make(home="start", **limits)
    for x in (1.0, 2.0, 4.0, 3.0, 1.0, 2.0):
        trial = study.insert({"x": x}).trial
        study.tell(trial, 0.0, spent=factor * trial.leg)
    return study


def test_where_home_is_expected_to_cost_more_than_was_stated_that_is_said():
    study = told_legs(1.5, budget=100.0)
    ledger = study.ledger()
    assert (ledger.home, ledger.home_expected) == (2.0, pytest.approx(3.0))
    assert "; 88 m of 100 m left, home is 2 m away, expected 3 m; legs cost 1.5 x" in str(ledger)
    with pytest.raises(wf.BudgetSpent, match="home is 2 m away, expected 3 m"):
        told_legs(1.5, budget=30.0).insert({"x": 9.0})


@pytest.mark.parametrize("factor", [0.5, 1.0, 1.0001])
def test_where_home_is_expected_to_cost_no_more_only_what_was_stated_is_said(factor):
    ledger = told_legs(factor, budget=100.0).ledger()
    assert "home is 2 m away; legs cost" in str(ledger)
    assert (ledger.home_expected is None) == (factor <= 1)


def test_rounding_overdraws_no_trip_however_near_home_is():
    places = wf.Places([[0.1], [0.2], [0.30000000000000004]], names=["x"], once=True)
    study = make(places, "random-route", 3, trip=0.3, home={"x": 0.30000000000000004})
    walk(study)
    ledger = study.ledger()
    assert -1e-15 < ledger.trip_left < 0 == ledger.home
    assert str(ledger).endswith("; 0 m of this trip left, home is 0 m away")
    late = make(places, "random-route", 3, trip=0.3, home={"x": 0.30000000000000004})
    late.tell(late.ask(), 0.0, spent=0.31)
    assert "this trip overdrawn by 0.01 m, home is" in str(late.ledger())


def test_a_study_with_a_budget_goes_on_as_before_from_a_file_and_from_an_archive(tmp_path):
    study = make(budget=9.0, home="start", dwell=0.25, store=tmp_path / "lab.db", method="random")
    study.tell(study.ask(), 0.0)
    again = wf.Study.open(tmp_path / "lab.db", "study")
    copy = import_json(wf.MemoryStore(), export_json(study))
    assert exported(copy) == exported(study)
    assert walk(copy) == walk(again)
    assert copy.ledger() == again.ledger()


def test_a_specification_without_a_budget_is_written_as_before():
    form = write_spec(make().spec)
    assert not {"budget", "home", "dwell"} & set(form)
    spec = read_spec(form, new=False)
    assert (spec.limits.budget, spec.limits.home, spec.limits.dwell) == (None, None, 0.0)


def test_a_study_file_may_end_at_its_start():
    form = write_spec(make(budget=5.0).spec) | {"home": "start"}
    assert read_spec(form).limits.home.tolist() == [0.0]
    with pytest.raises(wf.InvalidInput, match="home"):
        read_spec(form | {"home": "away"})


def no_way_back(a, b):
    return abs(a[0] - b[0]) if b[0] >= 0 else float("inf")


@pytest.mark.filterwarnings("ignore::wayfare.errors.GuaranteeWarning")
@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"budget": -1.0}, "budget.* must be above 0, got -1.0"),
        ({"budget": 0.0}, "budget.* must be above 0"),
        ({"budget": float("nan")}, "budget.* must be finite"),
        ({"budget": "much"}, "budget.* must be a number"),
        ({"budget": 5.0, "home": {"x": 7.0}}, "budget is 5 m, but the way from start to home alone costs 7 m"),
        ({"home": {"y": 1.0}}, "home: "),
        ({"home": [1.0, 2.0]}, "home"),
        ({"home": [[1.0], [2.0]]}, "home must be one place, got 2"),
        ({"home": "away"}, "home must be a place or the word 'start'"),
        ({"home": "start", "start": None}, "home is 'start', but the study has no start"),
        ({"home": {"x": -1.0}, "travel": wf.Custom(no_way_back, unit="m")}, "home: .*asks inf"),
        ({"dwell": -0.5}, "dwell.* must not be negative"),
        ({"dwell": float("inf")}, "dwell.* must be finite"),
    ],
)
def test_what_is_wrong_is_refused_with_its_name(changes, said):
    with pytest.raises(wf.InvalidInput, match=said):
        make(**changes)


@pytest.mark.parametrize("once", [True, False])
def test_a_sample_within_reach_is_within_reach_and_none_comes_twice_where_each_may_be_visited_once(once):
    table = wf.Places(stream(1).uniform(0, 100, size=(20_000, 2)), once=once)
    reach = Reach(
        wf.Euclidean().bind(table), np.array([50.0, 50.0]), Limits(home=np.array([60.0, 50.0]), dwell=1.0), 15.0
    )
    near = Within.of(table, reach, stream(2))
    x = near.sample(64, stream(3))
    assert len(x) == 64
    assert near.contains(x).all()
    assert table.contains(x).all()
    out = np.linalg.norm(x - [50.0, 50.0], axis=1)
    back = np.linalg.norm(x - [60.0, 50.0], axis=1)
    assert (out + back + 1.0 <= 15.0).all()
    assert not once or len(np.unique(x, axis=0)) == 64
    assert near.contains(near.snap(table.table[:50])).all()
    assert near.contains(near.around(x, 0.1, 4, stream(4))).all()


@pytest.mark.parametrize("end", [[520.0, 500.0], None])
def test_of_a_space_much_larger_than_the_reach_enough_of_it_is_found(end):
    space = wf.Space(wf.Real("x", 0.0, 1000.0), wf.Real("y", 0.0, 1000.0))
    here, end = np.array([500.0, 500.0]), None if end is None else np.array(end)
    reach = Reach(wf.Euclidean().bind(space), here, Limits(home=end), 30.0)
    near = Within.of(space, reach, stream(0))
    x = near.sample(100, stream(1))
    assert len(np.unique(x, axis=0)) == 100
    assert near.contains(x).all()
    assert (np.ptp(x, axis=0) > 15.0).all()  # of 22 to 60 there are
    assert near.size is None


@pytest.mark.parametrize(("wrong", "meant"), [("bugdet", "budget"), ("trips", "trip"), ("max_steps", "max_step")])
def test_a_misspelt_limit_is_refused_and_not_forgotten(wrong, meant):
    with pytest.raises(wf.InvalidInput, match=f"there is no option '{wrong}'; did you mean '{meant}'"):
        make(**{wrong: 3.0})
    with pytest.raises(wf.InvalidInput, match=f"there is no option '{wrong}'"):
        wf.maximize(lambda x: x, LINE, travel=wf.Euclidean(), trials=3, **{wrong: 3.0})


@pytest.mark.parametrize("field", ["start", "home"])
def test_swapped_degrees_are_refused(field):
    field_ = wf.Space(wf.Real("lat", 52.1, 52.11), wf.Real("lon", 5.1, 5.12))
    places = {"start": {"lat": 52.1, "lon": 5.1}, field: {"lat": 5.1, "lon": 52.1}}
    with pytest.raises(wf.InvalidInput, match=f"{field}: .* in it with lat and lon swapped; swap them"):
        make(field_, travel=wf.Haversine("lat", "lon", unit="km"), **places)


def test_what_rounding_took_is_no_debt():
    places = wf.Places([[0.1], [0.2], [0.30000000000000004]], names=["x"], once=True)
    study = make(places, "random-route", 3, budget=0.3)
    walk(study)
    assert study.ledger().left < 0
    assert str(study.ledger()).endswith("; 0 m of 0.3 m left")


def test_what_is_left_is_what_paid_and_dwell_and_what_legs_still_out_are_owed_leave():
    study = make(LINE, "random", 30, budget=200.0, dwell=0.5, home="start")
    for at in range(6):
        trial = study.insert({"x": 1.0 + at % 2}).trial
        study.tell(trial, 0.0, spent=1.5 * trial.leg)
    for x in (5.0, 9.0):
        study.insert({"x": x})
    ledger = study.ledger()
    assert ledger.owed == pytest.approx(0.5 * (3.0 + 4.0))
    assert ledger.paid + ledger.dwell + ledger.owed + ledger.left == pytest.approx(200.0)
    assert "left (counting 3.5 m that legs still out are expected to cost more), home is" in str(ledger)
    for number in (6, 7):
        study.tell(number, 0.0)
    assert study.ledger().owed == 0.0
    assert "counting" not in str(study.ledger())


def test_what_reads_like_a_place_of_a_table_is_that_place():
    x = 9.0 + 1 / 7
    places = wf.Places([[x], [9.2], [9.3]], names=["x"])
    shown = f"{x:.6g}"
    study = make(places, "random", 9, start={"x": 9.2}, anchor={"x": float(shown)}, anchor_every=3)
    assert study.spec.anchor.place[0] == x
    trial = study.insert({"x": float(shown)}).trial
    assert trial.x[0] == x
    study.tell(trial, 0.0, actual={"x": float(shown)})
    assert study.trials[0].x[0] == x
    with pytest.raises(wf.InvalidInput, match=r"not in the space; the nearest place has x=9\.14286"):
        study.insert({"x": 9.143})
    assert one_place(places, {"x": 1e90}, "end")[0] == 1e90


@pytest.mark.parametrize(
    ("budget", "left", "spent"),
    [(None, np.inf, None), (10.0, 10.0, 0.0), (10.0, 4.0, 0.6), (10.0, -1e-12, 1.0), (0.0, 0.0, 1.0)],
)
def test_the_part_of_a_budget_that_is_spent(budget, left, spent):
    reach = Reach(wf.Euclidean(), None, Limits(budget=budget), left)
    assert reach.spent == (None if spent is None else pytest.approx(spent))
