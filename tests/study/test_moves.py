"""Every move an operator makes, with the numbers it must give."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare.record.events import Planned, TrialState
from wayfare.report.costs import saving
from wayfare.travel import Euclidean

LINE = wf.Space(wf.Real("x", 0.0, 100.0))


class Marks:
    """Proposes the marks 10, 20, 30, ... so that every leg is known beforehand."""

    def propose(self, situation, size, rng):
        done = situation.history.handed_out
        return np.arange(done, done + size, dtype=float)[:, None] * 10.0


def make(trials=6, start=0.0, **changes):
    options = {
        "direction": "maximize",
        "travel": wf.Euclidean(unit="m"),
        "trials": trials,
        "start": None if start is None else [start],
        "method": wf.Method(Marks(), wf.Horizon()),
    }
    return wf.Study.create(LINE, **(options | changes))


def walk(study, visits):
    for _ in range(visits):
        trial = study.ask()
        study.tell(trial, float(trial.x[0]))


def legs(study):
    return [trial.leg for trial in study.trials]


def test_a_missed_setting_moves_the_model_and_both_legs():
    study = make()
    walk(study, 1)
    missed, after = study.ask(), study.ask(wait=False)
    assert (missed.params["x"], after.params["x"]) == (10.0, 20.0)
    told = study.tell(missed, 5.0, actual={"x": 13.0})
    assert told.params == {"x": 13.0}
    assert told.asked == {"x": 10.0}
    assert legs(study) == [0.0, 13.0, 7.0]
    assert study.state.history.x.tolist() == [[0.0], [13.0]]
    assert study.ledger().predicted == 20.0


def test_a_missed_setting_may_lie_outside_the_bounds():
    study = make()
    told = study.tell(study.ask(), 5.0, actual=[-4.0])
    assert told.params == {"x": -4.0}
    assert study.ask().leg == 14.0


def test_what_a_leg_really_cost_is_what_was_paid():
    study = make()
    walk(study, 1)
    study.tell(study.ask(), 1.0, spent=25.0, actual=[12.0])
    assert legs(study) == [0.0, 25.0]
    ledger = study.ledger()
    assert (ledger.paid, ledger.predicted) == (25.0, 10.0)
    study.amend(1, actual=[50.0])
    assert legs(study) == [0.0, 25.0]
    study.amend(1, spent=3.0)
    assert legs(study) == [0.0, 3.0]


def test_a_failed_trial_was_visited_and_has_no_value():
    study = make()
    walk(study, 1)
    failed = study.fail(study.ask(), "the line clogged")
    assert (failed.state, failed.value, failed.why) == (TrialState.FAILED, None, "the line clogged")
    assert study.ledger().paid == 10.0
    assert study.state.trials_left == 4
    assert study.ask().params["x"] == 20.0
    assert study.state.history.told == 1
    assert study.state.history.failed.tolist() == [[10.0]]


def test_a_method_does_not_send_anyone_straight_back_to_what_failed():
    study = make(method="ucb", trials=10, noise=0.01)
    walk(study, 4)
    first = study.ask()
    study.fail(first)
    assert abs(study.ask().x[0] - first.x[0]) >= 5.0


def test_the_route_closes_over_a_skipped_stop():
    study = make()
    walk(study, 2)
    study.skip(study.ask(), "the gate is locked")
    after = study.ask()
    assert after.params["x"] == 30.0
    assert after.leg == 20.0
    assert legs(study) == [0.0, 10.0, 0.0, 20.0]
    assert study.state.trials_left == 3
    assert len(study.state.results) == 2


def test_skipping_a_stop_behind_the_traveller_reprices_the_leg_after_it():
    study = make()
    walk(study, 1)
    late, on_the_way = study.ask(), study.ask(wait=False)
    assert on_the_way.leg == 10.0
    study.skip(late)
    assert legs(study) == [0.0, 0.0, 20.0]


def test_a_skipped_stop_does_not_cost_a_trial():
    study = make(trials=3)
    study.skip(study.ask())
    walk(study, 3)
    assert study.ask() is None
    assert len(study.trials) == 4


@pytest.mark.parametrize("method", ["ucb", "tucb", "ei", "ts", "tts"])
def test_the_next_plan_looks_elsewhere_than_where_was_skipped(method):
    study = make(method=method, trials=20, noise=0.1)
    walk(study, 6)
    first = study.ask()
    study.skip(first)
    places = [first.x[0]]
    for _ in range(6):
        again = study.ask()
        assert all(abs(again.x[0] - x) >= 5.0 for x in places)
        places.append(again.x[0])
        study.skip(again)


def test_a_skipped_place_comes_back_only_when_nothing_else_is_left():
    places = wf.Places([[float(i)] for i in range(4)], names=["x"], once=True)
    study = wf.Study.create(places, direction="maximize", travel=wf.Euclidean(), trials=4, method="random", start=[0.0])
    walk(study, 1)
    skipped = study.ask()
    study.skip(skipped)
    walk(study, 2)
    assert skipped.x[0] not in [trial.x[0] for trial in study.trials if trial.is_visit]
    assert study.ask().x[0] == skipped.x[0]


def test_an_extra_place_says_what_its_detour_costs_and_the_route_goes_on():
    study = make()
    walk(study, 2)
    detour = study.insert({"x": 45.0})
    assert detour.trial.leg == 35.0
    assert detour.cost == 35.0 + 25.0 - 10.0
    assert str(detour) == "trial 2: x=45: leg 35 m, detour 50 m"
    study.tell(detour.trial, 1.0)
    assert study.ask().params["x"] == 20.0
    assert study.ledger().paid == 10.0 + 35.0 + 25.0


def test_an_extra_place_counts_as_a_trial_but_is_never_refused_for_want_of_them():
    study = make(trials=2)
    walk(study, 1)
    study.tell(study.insert({"x": 5.0}).trial, 1.0)
    assert study.ask() is None
    study.tell(study.insert({"x": 6.0}).trial, 1.0)
    assert len(study.state.results) == 3
    assert study.state.trials_left == 0


def test_the_route_ahead_ends_where_the_trials_do():
    study = make(trials=4)
    walk(study, 2)
    assert len(study.route()) == 2
    study.insert({"x": 5.0})
    assert len(study.route()) == 1


def test_an_extra_place_must_be_in_the_space():
    study = make()
    with pytest.raises(wf.InvalidInput, match=r"insert: x=150 is not .* nearest place has x=100"):
        study.insert({"x": 150.0})
    once = wf.Places([[1.0], [2.0]], names=["x"], once=True)
    study = wf.Study.create(once, direction="maximize", travel=wf.Euclidean(), trials=2, method="random")
    study.insert([1.0])
    with pytest.raises(wf.InvalidInput, match="only once"):
        study.insert([1.0])


def test_a_correction_keeps_what_was_there_before():
    study = make()
    walk(study, 3)
    amended = study.amend(1, 99.0, why="read off the wrong gauge")
    assert (amended.value, amended.earlier, amended.why) == (99.0, (10.0,), "read off the wrong gauge")
    assert study.state.history.y.tolist() == [0.0, 99.0, 20.0]
    assert study.amend(1, 98.0).earlier == (10.0, 99.0)


def test_a_value_can_be_withdrawn_and_given_again():
    study = make()
    walk(study, 3)
    assert study.amend(1, withdraw=True).state is TrialState.FAILED
    assert study.state.results == (0, 2)
    assert study.amend(1, 7.0).state is TrialState.TOLD
    assert study.state.results == (0, 2, 1)
    assert study.trials[1].earlier == (10.0, None)


@pytest.mark.parametrize("say", [{}, {"withdraw": True, "value": 1.0}])
def test_a_correction_says_what_it_corrects(say):
    study = make()
    walk(study, 1)
    with pytest.raises(wf.InvalidInput):
        study.amend(0, **say)


def test_a_new_route_is_planned_on_request_and_priced_beside_the_old_one():
    study = make(trials=5)
    walk(study, 2)
    new = study.replan({"x": 45.0}, why="towed away")
    # Ahead were 20, 30, 40: from 45 that way costs 25 + 10 + 10, the other way 5 + 10 + 10.
    assert new.dropped.cost == 45.0
    assert new.route.cost == 25.0
    assert str(new) == "dropped 3 stops worth 45 m, planned 3 stops for 25 m"
    assert study.ask().leg == 5.0
    # The way to where the traveller was found is not counted.
    assert study.ledger().paid == 15.0


def test_nothing_is_planned_when_no_trials_are_left():
    study = make(trials=1)
    walk(study, 1)
    with pytest.raises(wf.BudgetSpent, match="all 1 trials"):
        study.replan()


def test_the_route_ahead_says_what_changes_at_every_stop():
    space = wf.Space(wf.Real("temp_C", 0.0, 100.0), wf.Choice("catalyst", ["Pd", "Ni"]))
    study = wf.Study.create(
        space,
        direction="maximize",
        travel=wf.Manhattan(axes=["temp_C"], unit="s"),
        trials=2,
        start={"temp_C": 60.0, "catalyst": "Pd"},
        method="random",
    )
    walk(study, 1)
    study.replan({"temp_C": 60.0, "catalyst": "Ni"})
    (stop,) = study.route().stops
    parts = stop.changes.split(", ")
    assert parts[0] == f"temp_C 60 → {stop.params['temp_C']:.6g}"
    assert parts[1] == ("catalyst same" if stop.params["catalyst"] == "Ni" else "catalyst Ni → Pd")


def test_the_same_request_happens_once():
    study = make()
    trial = study.ask(request="a")
    assert study.ask(wait=False, request="a").number == trial.number
    study.tell(trial, 1.0, request="b")
    version = study.state.version
    assert study.tell(trial, 1.0, request="b").value == 1.0
    assert study.insert({"x": 3.0}, request="c").trial.number == 1
    assert study.insert({"x": 3.0}, request="c").trial.number == 1
    assert study.state.version == version + 1


@pytest.mark.parametrize(
    "other",
    [
        lambda study: study.tell(0, 2.0, request="b"),
        lambda study: study.tell(1, 1.0, request="b"),
        lambda study: study.fail(0, request="b"),
        lambda study: study.tell(0, 1.0, spent=4.0, request="b"),
        lambda study: study.insert({"x": 3.0}, request="b"),
        lambda study: study.replan(request="b"),
    ],
)
def test_the_same_request_with_another_meaning_is_a_conflict(other):
    study = make()
    study.tell(study.ask(), 1.0, request="b")
    study.ask()
    with pytest.raises(wf.Conflict, match="request 'b' was already used, for telling trial 0"):
        other(study)


def test_a_trial_that_has_its_outcome_names_the_way_out():
    study = make()
    walk(study, 1)
    study.fail(study.ask(), "clogged")
    study.skip(study.ask())
    for number, said in ((0, "amend"), (1, r"failed \(clogged\); amend"), (2, "skipped; insert")):
        with pytest.raises(wf.AlreadyTold, match=said):
            study.tell(number, 1.0)
    with pytest.raises(wf.AlreadyTold, match="skipped; insert"):
        study.amend(2, 1.0)
    with pytest.raises(wf.TooEarly, match="nothing to amend"):
        study.amend(study.ask(), 1.0)


def test_what_is_reported_is_what_is_stored():
    class Unsure(wf.MemoryStore):
        def append(self, name, after, events):
            if self.written:
                super().append(name, after, events)
            raise wf.StoreError("the disk went away")

    store = Unsure()
    store.written = True
    study = make(store=store)
    trial = study.ask()
    assert study.tell(trial, 1.0).value == 1.0
    store.written = False
    with pytest.raises(wf.StoreError, match="disk went away"):
        study.ask()
    assert len(study.trials) == 1


def test_an_outcome_nobody_can_read_says_how_to_ask_again():
    class Gone(wf.MemoryStore):
        broken = False

        def read(self, name, since=0):
            if self.broken:
                raise wf.StoreError("cannot be read")
            return super().read(name, since)

        def append(self, name, after, events):
            self.broken = True
            raise wf.StoreError("cannot be written")

    study = make(store=Gone())
    with pytest.raises(wf.StoreError, match=r"cannot be written\. Whether .* as request 'mine'"):
        study.ask(request="mine")


def test_what_decided_a_plan_is_stored_with_it():
    study = make(seed=11)
    walk(study, 2)
    first, second = (event for event in study.events if isinstance(event, Planned))
    assert (first.seed, first.version, first.told) == (11, wf.__version__, 0)
    assert second.told == 1
    assert second.notes["step"]


def test_a_cost_that_only_python_knows_is_given_again(tmp_path):
    def climb(one, other):
        return abs(float(one[0] - other[0]))

    travel = wf.Custom(climb, metric=True, unit="m")
    study = make(travel=travel, method="random", store=tmp_path / "lab.db", name="hill")
    walk(study, 2)
    told = wf.Study.open(tmp_path / "lab.db", "hill")
    assert legs(told) == legs(study)
    with pytest.raises(wf.InvalidInput, match=r"climb.*travel="):
        told.ask()
    again = wf.Study.open(tmp_path / "lab.db", "hill", travel=travel)
    assert again.ask().leg >= 0.0


def test_another_cost_than_the_studys_own_is_refused(tmp_path):
    make(method="random", store=tmp_path / "lab.db", name="hill")
    with pytest.raises(wf.InvalidInput, match="differs"):
        wf.Study.open(tmp_path / "lab.db", "hill", travel=Euclidean(unit="km"))


def test_prior_results_are_known_and_cost_nothing():
    from wayfare.record.events import Inserted, Told

    study = make(trials=3)
    study.journal.commit(
        "p", lambda state: [] if state.trials else [Inserted(0, (80.0,), 0.0, "", "p", True), Told(0, 9.0, "q")]
    )
    state = study.state
    assert state.trials_left == 3
    assert state.history.told == 1
    assert state.position.tolist() == [0.0]
    assert study.ledger().visits == 0
    while (trial := study.ask()) is not None:
        study.tell(trial, 0.0)
    assert len(study.trials) == 4
    assert study.best().observed == 9.0


def test_an_ask_under_a_used_request_is_a_conflict_unless_it_is_the_same():
    study = make()
    first = study.ask("a", request="mine")
    assert study.ask("a", wait=False, request="mine").number == first.number
    with pytest.raises(wf.Conflict, match="trial 0 asked"):
        study.ask("b", request="mine")
    study.tell(first, 1.0, request="told")
    with pytest.raises(wf.Conflict, match="telling trial 0"):
        study.ask("a", request="told")


def test_a_request_sent_again_gives_the_same_answer():
    study = make()
    walk(study, 2)
    first = study.insert({"x": 45.0}, request="in")
    walk(study, 2)
    assert study.insert({"x": 45.0}, request="in").cost == first.cost == 50.0
    new = study.replan({"x": 90.0}, request="re")
    walk(study, 1)
    assert str(study.replan({"x": 90.0}, request="re")) == str(new)


def test_a_dry_run_writes_nothing():
    study = make()
    walk(study, 2)
    version = study.state.version
    quoted = study.insert({"x": 45.0}, dry_run=True)
    assert (quoted.trial.number, quoted.cost) == (2, 50.0)
    assert study.state.version == version
    assert len(study.trials) == 2


def test_nothing_is_saved_where_nothing_is_ordered():
    study = make(method="random", trials=9)
    walk(study, 2)
    study.replan({"x": 90.0})
    study.tell(study.insert({"x": 20.0}).trial, 0.0, spent=77.0)
    walk(study, 2)
    study.replan({"x": 1.0})
    study.fail(study.ask())
    walk(study, 3)
    ledger = study.ledger()
    assert ledger.saved == 0.0
    assert ledger.unordered < ledger.paid


@pytest.mark.parametrize(("ordered", "saved"), [(0.3, 0.0), (0.1 + 0.2, 0.0), (0.25, 0.3 - 0.25), (0.3 + 1e-6, None)])
def test_what_differs_by_rounding_alone_saves_nothing(ordered, saved):
    assert saving(0.3, ordered) == (0.3 - ordered if saved is None else saved)
    assert saving(0.0, 0.0) == 0.0


def test_a_missed_setting_makes_the_ledger_say_what_saved_compares():
    study = make(method="random-route", trials=9)
    walk(study, 3)
    assert "ordered" not in str(study.ledger()).replace("unordered", "")
    study.tell(study.ask(), 1.0, actual={"x": 99.5})
    ledger = study.ledger()
    assert ledger.saved == pytest.approx(ledger.unordered - ledger.ordered)
    assert f", ordered {ledger.ordered:.4g}" in str(ledger)


def test_the_traveller_put_by_hand_is_put_there_in_the_unordered_walk_too():
    class Zigzag:
        def propose(self, situation, size, rng):
            return np.array([[90.0], [10.0], [80.0], [20.0]])[:size]

    study = make(method=wf.Method(Zigzag(), wf.Fixed(3)), trials=6)
    walk(study, 3)
    # The batch was 90, 10: visited as 10, 90. Now from 100 on, 90, 10, 80: visited as 90, 80, 10.
    study.replan([100.0])
    walk(study, 3)
    ledger = study.ledger()
    assert ledger.paid == 10.0 + 80.0 + 10.0 + 10.0 + 70.0
    assert ledger.unordered == 90.0 + 80.0 + 10.0 + 80.0 + 70.0
    assert ledger.saved == ledger.unordered - ledger.paid


def test_places_known_before_leave_fewer_to_visit_once():
    from wayfare.record.events import Inserted, Told

    places = wf.Places([[float(i)] for i in range(5)], names=["x"], once=True)
    study = wf.Study.create(
        places, direction="maximize", travel=wf.Euclidean(), trials=5, method=wf.Method(wf.Uniform(), wf.Horizon())
    )
    known = [Inserted(0, (3.0,), 0.0, "", "p", True), Told(0, 9.0, "q")]
    study.journal.commit("p", lambda state: [] if state.trials else known)
    assert study.state.trials_left == 4
    walk(study, 4)
    assert study.ask() is None
    assert sorted(trial.x[0] for trial in study.trials) == [0.0, 1.0, 2.0, 3.0, 4.0]


def test_only_a_value_that_changed_is_an_earlier_one():
    study = make()
    walk(study, 2)
    assert study.amend(1, spent=3.0).earlier == ()
    assert study.amend(1, 10.0).earlier == ()
    assert study.amend(1, 11.0).earlier == (10.0,)


def test_a_remark_stays_with_its_value():
    study = make()
    assert study.tell(study.ask(), 1.0, why="by eye").why == "by eye"
    assert study.trials[0].earlier == ()


def test_nobody_moved_for_what_was_known_before():
    from wayfare.record.events import Inserted, Told

    study = make(trials=3)
    known = [Inserted(0, (80.0,), 0.0, "", "p", True), Told(0, 9.0, "q")]
    study.journal.commit("p", lambda state: [] if state.trials else known)
    with pytest.raises(wf.InvalidInput, match="nothing moved"):
        study.amend(0, spent=5.0)
    assert study.amend(0, 8.0).leg == 0.0


def test_there_is_no_best_place_before_the_first_result():
    with pytest.raises(wf.TooEarly, match="ask and tell first"):
        make().best()


MOVES = st.sampled_from(["ask", "tell", "fail", "skip", "insert", "miss", "prior"])


@settings(max_examples=150)
@given(
    st.lists(st.tuples(MOVES, st.integers(0, 5))),
    st.sampled_from([wf.Horizon(), wf.Rolling(), wf.Fixed(3), wf.OneByOne()]),
)
def test_no_place_is_visited_twice_where_each_may_be_once(moves, schedule):
    from wayfare.record.events import Inserted, Told

    places = wf.Places([[float(i)] for i in range(6)], names=["x"], once=True)
    study = wf.Study.create(
        places,
        direction="maximize",
        travel=wf.Euclidean(),
        trials=6,
        method=wf.Method(wf.Uniform(), schedule),
        start=[0.0],
    )
    missed = set()
    for move, at in moves:
        taken = [trial.x[0] for trial in study.trials if trial.state is not TrialState.SKIPPED]
        out = study.state.out
        match move:
            case "ask":
                study.ask(wait=False)
            case "tell" if out:
                study.tell(out[at % len(out)], float(at))
            case "miss" if out and at not in taken:
                missed.add(study.tell(out[0], float(at), actual=[float(at)]).number)
            case "fail" if out:
                study.fail(out[at % len(out)])
            case "skip" if out:
                study.skip(out[at % len(out)])
            case "insert" if at not in taken:
                study.insert([float(at)])
            case "prior" if at not in taken:
                number, key = len(study.trials), f"p{len(study.trials)}"
                known = [Inserted(number, (float(at),), 0.0, "", key, True), Told(number, 1.0, f"{key}t")]
                study.journal.commit(key, lambda state, known=known: known)
    while (trial := study.ask(wait=False)) is not None:
        study.tell(trial, 0.0)
    went = [trial.x[0] for trial in study.trials if trial.state is not TrialState.SKIPPED]
    assert len(set(went)) == len(went)
    assert set(went) == {0.0, 1.0, 2.0, 3.0, 4.0, 5.0} or sum(t.is_visit for t in study.trials) >= 6


def test_a_partial_correction_keeps_what_it_does_not_name():
    space = wf.Space(wf.Real("x", 0.0, 100.0), wf.Real("y", 0.0, 100.0))
    study = wf.Study.create(
        space, direction="maximize", travel=wf.Euclidean(), trials=3, start=[0.0, 0.0], method="random"
    )
    study.tell(study.ask(), 1.0, actual={"x": 13.0})
    assert study.amend(0, actual={"y": 2.0}, request="a").params == {"x": 13.0, "y": 2.0}
    study.amend(0, actual={"x": 14.0})
    assert study.amend(0, actual={"y": 2.0}, request="a").params == {"x": 14.0, "y": 2.0}


def test_a_partial_position_sent_again_is_the_same_request():
    space = wf.Space(wf.Real("x", 0.0, 100.0), wf.Real("y", 0.0, 100.0))
    study = wf.Study.create(
        space, direction="maximize", travel=wf.Euclidean(), trials=5, start=[0.0, 0.0], method="random"
    )
    walk(study, 1)
    first = study.replan({"x": 50.0}, request="r")
    walk(study, 1)
    assert str(study.replan({"x": 50.0}, request="r")) == str(first)


def test_a_value_kept_by_a_correction_is_kept_when_it_is_sent_again():
    study = make()
    walk(study, 2)
    study.amend(1, spent=3.0, request="a")
    study.amend(1, 99.0)
    assert study.amend(1, spent=3.0, request="a").value == 99.0


def test_a_rolling_plan_takes_every_correction_for_news():
    study = make(method=wf.Method(wf.Uniform(), wf.Rolling()), trials=10)
    walk(study, 3)
    for correct in (
        lambda: study.amend(0, withdraw=True),
        lambda: study.amend(0, 5.0),
        lambda: study.amend(1, actual=[3.0]),
    ):
        study.skip(study.ask())
        plans = len(study.state.plans)
        correct()
        study.skip(study.ask())
        assert len(study.state.plans) == plans + 1


def test_a_position_is_recorded_though_no_trial_is_left():
    study = make(trials=2)
    walk(study, 1)
    out = study.ask()
    new = study.replan([90.0], request="r")
    assert (len(new.route), len(new.dropped)) == (0, 0)
    study.skip(out)
    assert study.ask().leg == 80.0


def test_an_open_study_refuses_to_go_on_in_another_story(tmp_path):
    from wayfare.store import backup

    here, copy = tmp_path / "lab.db", tmp_path / "copy.db"
    study = make(method="random", store=here, name="s")
    walk(study, 1)
    backup(here, copy)
    walk(study, 1)
    study_trials = len(study.trials)
    copy.replace(here)
    other = wf.Study.open(here, "s")
    while len(other.trials) <= study_trials:
        other.tell(other.ask(), 333.0)
    with pytest.raises(wf.StoreError, match="replaced; open it again"):
        study.ask()


def test_requests_are_short_and_whole():
    for odd in ("\ud800", "x" * 20_000, "", 7):
        with pytest.raises(wf.InvalidInput, match="request"):
            make().ask(request=odd)


def test_an_axis_called_like_a_column_keeps_its_own():
    space = wf.Space(wf.Real("value", 0.0, 1.0), wf.Real("axis:leg", 0.0, 1.0))
    study = wf.Study.create(space, direction="maximize", travel=wf.Euclidean(), trials=2, method="random")
    study.tell(study.ask(), 7.0)
    columns = list(study.to_dataframe().columns)
    after = ["leg", "value", "plan", "count", "variance", "prior"]
    assert columns == ["number", "state", "axis:value", "axis:axis:leg", *after]
    assert list(study.to_dataframe()["value"]) == [7.0]


def test_planning_in_many_threads_leaves_the_limits_as_they_were():
    from concurrent.futures import ThreadPoolExecutor

    from threadpoolctl import threadpool_info

    from wayfare._core.rng import one_thread

    with one_thread():  # whatever is loaded for it is loaded now
        pass

    def blas():
        return [info["num_threads"] for info in threadpool_info() if info["user_api"] == "blas"]

    def plan(seed):
        with one_thread():
            within = blas()
        walk(make(method="tucb", seed=seed), 4)
        return within

    before = blas()
    with ThreadPoolExecutor(3) as pool:
        seen = list(pool.map(plan, range(9)))
    assert blas() == before
    assert all(set(within) == {1} for within in seen)
