"""A study changed under way: what it allows from then on, and that nothing of the past is lost."""

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare._core.arrays import no_points
from wayfare.exchange import export_csv, export_json, import_json
from wayfare.form import read_events
from wayfare.record.events import Changed, Planned, write_event
from wayfare.record.state import replay
from wayfare.store import MemoryStore
from wayfare.store.verify import wrong_legs

pytestmark = pytest.mark.filterwarnings("ignore::wayfare.GuaranteeWarning")

START = {"x": 0.0, "c": "a"}


def study_of(method="random", **options):
    space = wf.Space(wf.Real("x", 0.0, 10.0), wf.Choice("c", ["a", "b"]))
    cost = wf.Euclidean("x", unit="m") + wf.Switch("c", 2.0, unit="m")
    stated = {"direction": "maximize", "travel": cost, "trials": 20, "start": START, "method": method}
    return wf.Study.create(space, **(stated | options))


def walk(study, trials, value=lambda params: params["x"]):
    for _ in range(trials):
        trial = study.ask()
        study.tell(trial, value(trial.params))
    return study


def replayed(study):
    """Return the state that the stored text adds up to, read anew."""
    created = study.state.created
    return replay(created, read_events(created, [write_event(event) for event in study.events]))


def as_plain(state):
    """Return all that a plan, a table or a ledger may look at."""
    trials = [(one.number, one.params, one.leg, one.state, one.value, one.plan, one.stop) for one in state.trials]
    history = state.history
    arrays = [history.x, history.y, history.pending, history.allowed, state.stops_ahead]
    past = [(one.told, dict(one.notes)) for one in history.past]
    return trials, [one.tolist() for one in arrays], past, state.trials_left, dict(state.added), state.requests.keys()


# Laws.

ends = st.tuples(st.none() | st.floats(-5, 12), st.none() | st.floats(-5, 15))
values = st.lists(st.sampled_from("abcde"), min_size=1, max_size=4, unique=True)
axes = st.fixed_dictionaries({}, optional={"x": ends, "c": values})
costs = st.sampled_from(
    [
        wf.Euclidean("x", unit="m") * 3,
        wf.Ramp("x", up=0.5, down=2, unit="m"),
        wf.Euclidean("x", unit="m") + wf.Switch("c", 5.0, unit="m"),
    ]
)
changes = st.fixed_dictionaries(
    {},
    optional={
        "axes": axes,
        "trials": st.integers(1, 40),
        "budget": st.none() | st.floats(1, 300),
        "home": st.sampled_from([None, "start", {"x": 5.0, "c": "b"}]),
        "dwell": st.floats(0, 3),
        "trip": st.none() | st.floats(20, 90),
        "trip_cost": st.floats(0, 2),
        "noise": st.none() | st.floats(0.1, 2),
        "travel": costs,
        "forbidden": st.sampled_from([[], [{"x": (4.0, 6.0)}], [{"x": (None, 2.0), "c": ["b"]}]]),
        "method": st.sampled_from(["random", "random-route"]),
        "shuffle": st.sampled_from([0.0, 0.5]),
    },
)
moves = st.one_of(
    st.just(("ask", None)),
    st.tuples(st.just("tell"), st.floats(-3, 3)),
    st.sampled_from([("fail", None), ("skip", None), ("replan", None), ("drift", 11.0)]),
    st.tuples(st.just("insert"), st.fixed_dictionaries({"x": st.floats(0, 10), "c": st.sampled_from("abc")})),
    st.tuples(st.just("change"), changes),
    st.tuples(st.just("change"), changes),
)


def make(study, kind, what):
    """Make a move if it can be made; return whether it was."""
    trial = next(iter(study.state.open_trials), None)
    try:
        if kind == "ask":
            return study.ask(wait=False) is not None
        if kind == "tell" and trial:
            study.tell(trial, what)
        elif kind == "drift" and trial:
            study.tell(trial, 0.0, actual={"x": what}, spent=what)
        elif kind in ("fail", "skip") and trial:
            getattr(study, kind)(trial)
        elif kind in ("insert", "replan", "change"):
            arguments = [what] if kind == "insert" else []
            getattr(study, kind)(*arguments, **(what if kind == "change" else {}))
        return True
    except (wf.InvalidInput, wf.BudgetSpent):
        return False


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(st.lists(moves, min_size=5, max_size=22), st.integers(0, 3))
def test_changes_among_moves_lose_nothing_and_are_replayed_to_the_last_bit(script, seed):
    study = study_of(seed=seed, budget=200.0, home="start", dwell=0.5)
    walk(study, 2)
    for kind, what in script:
        before, paid = study.state, study.ledger()
        done = make(study, kind, what)
        state = study.state
        if not done:
            assert state.version == before.version, "what is refused leaves no mark"
            continue
        # Nothing is handed out that the space in force does not allow, nor stands ahead on the route.
        for trial in state.trials[len(before.trials) :]:
            assert state.spec.space.contains(trial.x[None, :]).all()
        assert state.spec.space.contains(state.stops_ahead.reshape(-1, 2)).all()
        if kind == "change":
            assert [as_told(one) for one in state.trials] == [as_told(one) for one in before.trials]
            now = study.ledger()
            for name in ("paid", "predicted", "unordered", "ordered", "visits", "results", "dwell"):
                assert getattr(now, name) == pytest.approx(getattr(paid, name), rel=1e-12), name
            assert (state.out, state.results) == (before.out, before.results)
            assert np.array_equal(state.position, before.position)
        assert not list(wrong_legs(state))
    assert as_plain(replayed(study)) == as_plain(study.state)
    copy = import_json(MemoryStore(), export_json(study), "copy")
    assert as_plain(copy.state) == as_plain(study.state)
    assert copy.ledger() == study.ledger()
    assert len(export_csv(study.snapshot()).splitlines()) >= len(study.trials)


def as_told(trial):
    return trial.number, dict(trial.params), trial.x.tolist(), trial.leg, trial.state, trial.value, trial.count


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(axes, axes, st.sampled_from(["ucb", "tucb", "wayfare", "tts", "ei"]), st.integers(0, 2))
def test_methods_that_learn_plan_in_the_space_in_force(first, second, method, seed):
    """Whatever was measured elsewhere: results out of bounds, retired values, more axes to move along than before."""
    study = walk(study_of(method, seed=seed, trials=9), 3)
    for change in (first, second):
        make(study, "change", {"axes": change})
        trial = study.ask()
        assert study.spec.space.contains(trial.x[None, :]).all()
        study.tell(trial, trial.params["x"])
    assert len(study.state.results) == 5
    assert study.predict().mean.shape[0] >= 1
    assert study.best().trial in range(5)
    assert study.progress().gain >= 0


# What a change does.


def test_a_change_says_what_it_did_and_the_log_says_why_and_by_whom():
    study = walk(study_of(store=MemoryStore(), by="ana"), 2)
    made = study.change(trials=30, axes={"x": (None, 14), "c": ["a", "z"]}, why="new pump")
    assert [str(one) for one in made.changes] == ["trials 20 → 30", "axis.x.high 10 → 14", "axis.c.values a, b → a, z"]
    (entry,) = [entry for entry in study.log() if entry.what == "changed"]
    assert (entry.why, entry.stamp.by, entry.changes) == ("new pump", "ana", made.changes)
    assert study.spec.trials == 30
    assert study.state.created.trials == 20
    assert "axis.x.high 10 → 14" in str(made)
    assert "new pump" not in str(study.spec)


def test_a_dry_run_says_the_same_and_writes_nothing():
    study = walk(study_of(budget=100.0, home="start"), 2)
    version = study.state.version
    terms = {"travel": wf.Euclidean("x", unit="m") * 5, "budget": 500}
    tried = study.change(**terms, dry_run=True)
    assert study.state.version == version
    assert tried.dry_run
    made = study.change(**terms)
    assert (made.changes, made.dropped, made.before, made.after) == (
        tried.changes,
        tried.dropped,
        tried.before,
        tried.after,
    )
    here = study.state.position
    assert made.after.home == pytest.approx(5 * here[0])
    assert made.after.left == pytest.approx(made.before.left + 400)


def test_legs_are_paid_by_the_cost_in_force_when_they_were_handed_out():
    """Also if their trial is told, missed or skipped after the change, and by `verify`."""
    study = study_of(travel=wf.Euclidean("x", unit="m"))
    for x in (3.0, 7.0):
        study.tell(study.insert({"x": x, "c": "a"}).trial, 0.0)
    late = study.insert({"x": 9.0, "c": "a"}).trial
    study.change(travel=wf.Euclidean("x", unit="m") * 10)
    after = study.insert({"x": 8.0, "c": "a"}).trial
    assert [trial.leg for trial in study.trials] == [3.0, 4.0, 2.0, 10.0]
    study.tell(late, 1.0, actual={"x": 9.5})
    assert [trial.leg for trial in study.trials] == [3.0, 4.0, 2.5, 15.0]
    study.skip(after)
    study.amend(1, actual={"x": 6.0})
    assert [trial.leg for trial in study.trials] == [3.0, 3.0, 3.5, 0.0]
    assert not list(wrong_legs(study.state))
    ledger = study.ledger()
    assert (ledger.paid, ledger.unordered, ledger.ordered) == (9.5, 9.5, 9.5)


def test_results_are_paid_by_the_dwell_in_force_when_they_were_handed_out():
    study = walk(study_of(budget=500.0, dwell=2.0), 3)
    study.change(dwell=7.0)
    walk(study, 2)
    assert study.ledger().dwell == 3 * 2.0 + 2 * 7.0


def test_what_legs_really_cost_is_learned_anew_from_a_new_cost():
    study = study_of(travel=wf.Euclidean("x", unit="m"))
    for at in range(6):
        study.tell(study.insert({"x": 1.0 + at % 2, "c": "a"}).trial, 0.0, spent=3.0)
    assert study.learned().scale == pytest.approx(3.0)
    study.change(travel=wf.Euclidean("x", unit="m") * 3)
    assert study.learned() is None
    for at in range(5):
        study.tell(study.insert({"x": 1.0 + at % 2, "c": "a"}).trial, 0.0, spent=3.0)
    assert study.learned().scale == pytest.approx(1.0)
    assert study.ledger().paid == pytest.approx(1.0 * 0 + 3.0 * 11)


def test_trips_begin_with_the_change_that_brings_them():
    study = study_of(travel=wf.Euclidean("x", unit="m"))
    study.tell(study.insert({"x": 9.0, "c": "a"}).trial, 0.0)
    study.change(trip=25.0, home={"x": 5.0, "c": "a"})
    assert study.ledger().trip_left == 25.0
    study.tell(study.insert({"x": 6.0, "c": "a"}).trial, 0.0)
    assert study.ledger().trip_left == 22.0
    study.change(trip=30.0)
    assert study.ledger().trip_left == 27.0, "a trip under way goes on"


def test_a_value_retired_is_never_proposed_but_teaches_and_may_come_back():
    study = walk(study_of("ucb", trials=30), 6, lambda params: 5.0 if params["c"] == "b" else 0.0)
    x, y = study.state.history.x.copy(), study.state.history.y.copy()
    made = study.change(axes={"c": ["a"]})
    assert made.ruled_out == (x[:, 1] == 1).sum() > 0
    assert {study.ask(wait=False).params["c"] for _ in range(4)} == {"a"}
    assert np.array_equal(study.state.history.x, x)
    assert np.array_equal(study.state.history.y, y)
    believed = study.predict([{"x": 5.0, "c": "a"}, {"x": 5.0, "c": "b"}]).mean
    assert believed[1] > believed[0] + 2, "what was learned of it is still known"
    with pytest.raises(wf.InvalidInput, match="forbidden \\(c b\\)"):
        study.insert({"x": 5.0, "c": "b"})
    study.change(axes={"c": ["b", "a"]})
    assert study.spec.space.axes[1].values == ("a", "b"), "values keep their positions"
    assert study.insert({"x": 5.0, "c": "b"}).trial.params["c"] == "b"


def test_the_best_place_is_one_that_is_still_allowed():
    study = study_of("ucb")
    for x, value in ((2.0, 1.0), (9.0, 5.0), (4.0, 2.0)):
        study.tell(study.insert({"x": x, "c": "a"}).trial, value)
    assert study.best().observed == 5.0
    study.change(axes={"x": (0, 6)})
    best = study.best()
    assert (best.observed, best.observed_params["x"], best.params["x"]) == (2.0, 4.0, 4.0)
    assert best.remark.startswith("trial 1 had 5 at x=9, c=a, which is not in the space any more")
    study.change(axes={"x": (5, 6)})
    assert study.best().observed == 5.0
    assert study.best().remark.startswith("no place with a result is in the space any more")


def test_a_result_between_two_steps_of_an_axis_may_still_be_the_best():
    study = study_of("ucb")
    study.tell(study.insert({"x": 4.3, "c": "a"}).trial, 5.0)
    study.change(axes={"x": {"step": 0.5}})
    assert study.best().remark == ""
    assert study.ask().params["x"] % 0.5 == 0


def test_improvement_is_judged_against_the_places_still_allowed():
    """Else nothing in the space that is left would look like an improvement."""
    study = study_of("ei")
    for x, value in ((9.0, 100.0), (1.0, 0.0), (3.0, 1.0), (5.0, 0.5)):
        study.tell(study.insert({"x": x, "c": "a"}).trial, value)
    study.change(axes={"x": (0, 6), "c": ["a"]})
    history = study.state.history
    assert history.y[history.ranked[0]] == 1.0
    assert history.allowed.tolist() == [False, True, True, True]


def test_a_trial_that_is_out_stays_valid():
    study = study_of()
    trial = study.insert({"x": 9.0, "c": "b"}).trial
    study.change(axes={"x": (0, 5), "c": ["a"]})
    assert study.state.open_trials == (trial,)
    assert study.tell(trial, 3.0, actual={"x": 8.5}).params == {"x": 8.5, "c": "b"}


def test_a_route_stays_if_the_change_leaves_it_as_good_as_it_was():
    study = study_of(wf.Method(wf.Uniform(), wf.Fixed(6)), budget=300.0, home="start")
    study.ask()
    ahead = study.state.stops_ahead
    made = study.change(trials=25, budget=400.0, stop={"gain_below": 0.1})
    assert np.array_equal(study.state.stops_ahead, ahead)
    assert (made.kept, made.dropped) == (5, ())
    # A narrower space: what it no longer allows falls out, the rest stays in its order.
    made = study.change(axes={"x": (0, 6)})
    assert np.array_equal(study.state.stops_ahead, ahead[ahead[:, 0] <= 6])
    assert [place["x"] for place in made.dropped] == ahead[ahead[:, 0] > 6][:, 0].tolist()
    asked = study.ask(wait=False)
    assert asked.params["x"] <= 6
    # Anything else: the next ask plans a new route.
    made = study.change(noise=0.5)
    assert made.kept == 0
    assert len(study.state.stops_ahead) == 0
    plans = len(study.state.plans)
    study.ask(wait=False)
    assert len(study.state.plans) == plans + 1


def test_a_planned_stop_that_is_no_longer_allowed_is_never_handed_out():
    """Not even if an event from elsewhere claims that the route stays."""
    study = study_of(wf.Method(wf.Uniform(), wf.Fixed(8)))
    study.ask()
    forged = Changed({"forbidden": [{"x": [2.0, 10.0]}]}, False, "", "r")
    text = export_json(study).replace("\n]\n}", f",\n{write_event(forged)}\n]\n}}")
    copy = import_json(MemoryStore(), text, "copy")
    for _ in range(8):
        assert copy.ask(wait=False).params["x"] < 2.0


def test_a_choice_of_one_value_becomes_an_axis_to_move_along():
    """What the last fit found has other length-scales than the space in force; it starts afresh."""
    space = wf.Space(wf.Real("x", 0.0, 10.0), wf.Choice("c", ["a"]))
    study = wf.Study.create(space, direction="maximize", travel=wf.Euclidean("x"), trials=20, start=START, method="ucb")
    walk(study, 4)
    assert study.state.history.past[-1].notes["step"] == "map"
    study.change(axes={"c": ["a", "b"]})
    assert walk(study, 1).trials[-1].params["c"] == "b", "a value that a change brings in is visited first"
    walk(study, 3)
    assert study.state.history.past[-1].notes["step"] == "map"


def old_results(n):
    rng = np.random.default_rng(n)
    temps, solvents = rng.uniform(40, 120, 12), ["water", "ethanol", "DMF"] * 4
    return [
        {"temp_C": float(t), "solvent": s, "value": float(-(((t - 80) / 40) ** 2) + 0.1 * len(s))}
        for t, s in zip(temps, solvents, strict=True)
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "walked"), [(0, 0), (1, 0), (2, 4), (3, 9)])
def test_a_solvent_added_to_twelve_old_results_is_tried_within_three_trials(seed, walked):
    """By the default method, before its first route, on it, or after it; at the settings of the best result."""
    space = wf.Space(wf.Real("temp_C", 40, 120), wf.Choice("solvent", ["water", "ethanol", "DMF"]))
    cost = wf.Ramp("temp_C", up=2, down=1, unit="min") + wf.Switch("solvent", 10, unit="min")
    start = {"temp_C": 40.0, "solvent": "water"}
    stated = {"direction": "maximize", "travel": cost, "trials": 30, "start": start, "seed": seed}
    study = wf.Study.create(space, **stated, known=old_results(seed))
    walk(study, walked, lambda params: -(((params["temp_C"] - 80) / 40) ** 2))
    study.change(axes={"solvent": ["water", "ethanol", "DMF", "toluene"]}, why="delivered today")
    best = study.best().observed_params
    tried = []
    for _ in range(3):
        trial = study.ask()
        tried.append(trial.params["solvent"])
        if trial.params["solvent"] == "toluene":
            assert trial.params["temp_C"] == pytest.approx(best["temp_C"])
        study.tell(trial, 0.0)
    assert "toluene" in tried
    assert tried[0] == "toluene"
    if not walked:
        assert study.state.plans[1].notes == {"step": "start"}, "the survey comes after it"


def test_values_added_are_visited_once_and_skipping_one_is_enough():
    study = walk(study_of(trials=30), 3)
    study.change(axes={"c": ["a", "b", "d", "e"]})
    first = study.ask()
    study.skip(first, "none left")
    second = study.ask()
    assert {first.params["c"], second.params["c"]} == {"d", "e"}
    study.tell(second, 0.0)
    assert not study.state.added
    study.ask()
    assert study.state.plans[-1].notes["step"] != "added"


def test_a_table_gets_places_and_loses_others():
    rows = [{"site": name, "depth": float(at)} for at, name in enumerate("pqrs")]
    study = wf.Study.create(
        wf.Places(rows), direction="maximize", travel=wf.Euclidean("depth"), trials=12, method="ucb"
    )
    walk(study, 3, lambda params: params["depth"])
    table = [*rows[1:], {"site": "t", "depth": 9.0}, {"site": "u", "depth": -4.0}]
    made = study.change(places=table)
    assert [str(one) for one in made.changes] == ["places.rows 4 places → 5 places (2 new, 1 dropped)"]
    assert [study.spec.space.params(row) for row in study.spec.space.table] == table
    assert study.state.trials[0].params == study.spec.space.params(study.state.trials[0].x)
    asked = [study.ask(wait=False).params["site"] for _ in range(6)]
    assert "p" not in asked
    assert {"t", "u"} & set(asked)
    copy = import_json(MemoryStore(), export_json(study), "copy")
    assert copy.spec.space == study.spec.space


def test_another_matrix_comes_with_another_table():
    names = ["p", "q", "r"]
    matrix = np.abs(np.subtract.outer(np.arange(3.0), np.arange(3.0)))
    places = wf.Places([[name] for name in names[:2]], names=["site"])
    cost = wf.Table(places, matrix[:2, :2], unit="m")
    study = wf.Study.create(places, direction="maximize", travel=cost, trials=9, method="random")
    walk(study, 2, lambda params: 0.0)
    more = wf.Places([[name] for name in names], names=["site"])
    with pytest.raises(wf.InvalidInput, match="change travel, too"):
        study.change(places=more)
    study.change(places=more, travel=wf.Table(more, matrix, unit="m"))
    study.tell(study.insert({"site": "r"}).trial, 1.0)
    assert not list(wrong_legs(study.state))


def test_the_log_says_constraints_in_words():
    space = wf.Space(*(wf.Real(part, 0, 1) for part in "ab"), wf.Choice("metal", ["Pd", "Ni"]), wf.Real("mM", 0, 9))
    study = wf.Study.create(space, direction="maximize", travel=wf.Manhattan(["a", "b"]), trials=9)
    only = wf.Only("mM", when={"metal": ["Pd"]}, otherwise=0)
    study.change(constraints=[wf.Linear(["a", "b"], at_most=1), only])
    study.change(constraints=[wf.Product({"a": 1, "b": 1}, at_most=0.5)])
    assert [str(one) for entry in study.log() if entry.what == "changed" for one in entry.changes] == [
        "constraint none → a + b at most 1; mM only with metal Pd, otherwise 0",
        "constraint a + b at most 1; mM only with metal Pd, otherwise 0 → a * b at most 0.5",
    ]


def test_constraints_may_come_and_go():
    space = wf.Space(wf.Real("x", 0.0, 1.0), wf.Real("y", 0.0, 1.0))
    study = wf.Study.create(space, direction="maximize", travel=wf.Euclidean(), trials=30, method="random")
    walk(study, 2)
    study.change(constraints=[wf.Linear(["x", "y"], at_most=1)])
    for _ in range(5):
        trial = study.ask(wait=False)
        assert trial.params["x"] + trial.params["y"] <= 1 + 1e-9
    with pytest.raises(wf.InvalidInput, match="constraint"):
        study.change(constraints=[wf.Linear(["x", "y"], at_least=3)])
    study.change(constraints=None)
    assert study.spec.space == space


# The user's own Python, requests, files.


def test_parts_of_the_users_own_stay_through_changes_of_other_keys(tmp_path):
    def cost(origin, target):
        return float(np.abs(origin - target).sum())

    space = wf.Space(wf.Real("x", 0.0, 10.0), wf.Real("y", 0.0, 10.0))
    own = wf.Custom(cost, unit="m")
    path = tmp_path / "lab.db"
    wf.Study.create(space, direction="maximize", travel=own, trials=9, method="random", store=path, name="s")
    study = walk(wf.Study.open(path, "s", travel=own), 2)
    study.change(trials=12, axes={"x": (0, 20)})
    walk(study, 2)
    assert walk(wf.Study.open(path, "s", travel=own), 1).state.used == 5
    with pytest.raises(wf.InvalidInput, match="travel: a change is kept as text, which cannot hold 'cost' of your own"):
        study.change(travel=wf.Custom(cost, unit="m") * 2)
    study.change(travel=wf.Manhattan(unit="m"))
    assert wf.Study.open(path, "s").ask() is not None, "no function is needed any more"


def test_a_request_happens_once():
    study = walk(study_of(), 1)
    made = study.change(trials=30, request="a")
    study.change(noise=0.3)
    assert study.change(trials=30, request="a").changes == made.changes
    assert sum(isinstance(event, Changed) for event in study.events) == 2
    for terms in ({"trials": 31}, {"trials": 30, "why": "else"}):
        with pytest.raises(wf.Conflict, match="request 'a' was already used, for changing the study"):
            study.change(**terms, request="a")
    with pytest.raises(wf.Conflict):
        study.replan(request="a")


def test_another_process_sees_the_change_and_may_plan_by_it(tmp_path):
    study = walk(study_of(store=tmp_path / "lab.db"), 2)
    other = wf.Study.open(tmp_path / "lab.db", "study")
    study.change(axes={"x": (0, 3)})
    assert other.ask().params["x"] <= 3
    assert other.spec.space == study.spec.space


def test_a_change_from_the_past_can_be_read():
    """The stored text of today, which must stay readable."""
    study = study_of()
    text = '{"kind":"changed","form":{"trials":33,"noise":0.5},"drops":true,"why":"","request":"a"}'
    (event,) = read_events(study.spec, [text])
    assert (event.spec.trials, event.spec.noise, event.spec.space) == (33, 0.5, study.spec.space)
    assert write_event(event) == text


def test_plans_before_a_change_of_the_space_no_longer_speak_of_it():
    study = walk(study_of("ucb"), 8)
    study.change(axes={"x": (0, 20)})
    assert all(past.is_opening for past in study.state.history.past)
    study.change(trials=40)
    walk(study, 2)
    assert not study.state.history.past[-1].is_opening
    assert isinstance([event for event in study.events if isinstance(event, Planned)][-1].notes["peak"], list)


# Refusals: one line that names the value and the way out, and nothing written.

REFUSED = {
    "nothing": ({"trials": 20}, "nothing changes: the study is like that already"),
    "unknown": ({"trails": 20}, "there is no term 'trails' to change; did you mean 'trials'?"),
    "direction": (
        {"direction": "minimize"},
        "direction cannot be changed: results already told would mean the opposite",
    ),
    "seed": ({"seed": 3}, "seed cannot be changed: plans are drawn by it"),
    "name": ({"name": "b"}, "name cannot be changed: `wayfare rename`"),
    "unit": ({"unit": "s"}, "unit cannot be changed: what was paid is in it"),
    "start": ({"start": {"x": 3.0, "c": "a"}}, "start cannot be changed: the traveller has moved on; replan"),
    "few trials": ({"trials": 1}, "trials is 1, but 3 have been handed out; trials=3 ends the study now"),
    "spent": ({"budget": 0.5}, "budget is 0.5 m, but .* m were paid; raise it, or end with trials=3"),
    "axis": ({"axes": {"z": (0, 1)}}, "there is no axis 'z'; the names are 'x', 'c'"),
    "renamed": ({"space": wf.Space(wf.Real("z", 0, 1), wf.Choice("c", ["a"]))}, "axes cannot come, go or be renamed"),
    "kind": ({"axes": {"x": wf.Integer("x", 0, 9)}}, "axis 'x' is of kind Real and cannot become Integer"),
    "table": ({"space": wf.Places([[1.0]])}, "space: a study of axes stays one"),
    "no table": ({"places": [{"x": 1.0}]}, "places belongs to a study of a table, and this one has axes"),
    "twice": ({"space": wf.Space(wf.Real("x", 0, 1)), "axes": {}}, "space states all of it; leave axes out"),
    "swapped": ({"axes": {"x": (9, 1)}}, "axis 'x' has low 9.0 above high 1.0; swap them"),
    "ends": ({"axes": {"x": 3}}, r"axes: 'x' takes \(low, high\), None for an end that stays, got 3"),
    "field": ({"axes": {"x": {"hight": 3}}}, "axes: 'x' has no 'hight'; did you mean 'high'?"),
    "no value": ({"axes": {"c": []}}, "values of axis 'c' must not be empty"),
    "nothing left": ({"forbidden": [{"x": (None, 50.0)}]}, "leaves no places at all"),
    "cost unit": ({"travel": wf.Fee(1, unit="s")}, "travel: the new cost is in 's', but what was paid is in 'm'"),
    "no cost": ({"travel": lambda a, b: 0}, "is not a travel cost"),
    "limits": ({"trip": 5.0, "max_step": 1.0, "home": "start"}, "trip and max_step exclude each other"),
    "anchor": (
        {"anchor": {"x": 4.0, "c": "a"}, "anchor_every": 3, "axes": {"x": (5, 9)}},
        "anchor: x=4, c=a is not in",
    ),
    "cut off": ({"home": {"x": 1e5, "c": "a"}, "budget": 1e3}, "the change would .*home"),
    "measured": ({"measured": wf.Measured("x", at_most=1)}, "measured: 'x' is an axis"),
    "narrow": ({"axes": {"x": (0, 1e-9)}}, "so narrow that results lie"),
    "map": ({"travel": wf.Haversine("x", "c")}, "Haversine"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_is_refused_in_a_line_and_leaves_no_mark(case):
    study = walk(study_of(budget=200.0, home="start", dwell=0.5), 3)
    terms, said = REFUSED[case]
    version = study.state.version
    with pytest.raises(wf.InvalidInput, match=said) as caught:
        study.change(**terms)
    assert "\n" not in str(caught.value)
    assert study.state.version == version


def test_a_name_that_was_measured_stays_with_its_unit():
    study = study_of(measured=wf.Measured("p", at_most=3, unit="bar"))
    trial = study.ask()
    study.tell(trial, 1.0, measured={"p": 2.0})
    for terms, said in (
        (wf.Measured("q", at_most=1), "'p' has results and stays"),
        (wf.Measured("p", at_most=1), "bar"),
    ):
        with pytest.raises(wf.InvalidInput, match=said):
            study.change(measured=terms)
    study.change(measured=[wf.Measured("p", at_most=1, unit="bar"), wf.Measured("q", at_least=0)])
    assert study.state.history.broken.tolist() == [1]
    study.amend(0, measured={"q": 5.0})
    assert study.trials[0].measured == {"p": 2.0, "q": 5.0}


FORGED = [
    {"direction": "minimize"},
    {"axis": [{"name": "x", "kind": "real", "low": 0, "high": 10}]},
    {"axis": [{"name": "x", "low": 0, "high": 1}, {"name": "c", "kind": "choice", "values": ["b", "a"]}]},
    {"axis": [{"name": "x", "low": 0, "high": 1}, {"name": "d", "kind": "choice", "values": ["a", "b"]}]},
    {"start": {"x": 4.0, "c": "a"}},
    {"trials": None},
    {"trials": -3},
    {"colour": "red"},
    {"travel": {"kind": "fee", "amount": 3, "unit": "s"}},
    {"places": {"file": "/etc/passwd"}},
]


@pytest.mark.parametrize("form", FORGED, ids=lambda form: json.dumps(form)[:40])
def test_a_file_whose_change_could_not_have_happened_is_refused(form):
    study = walk(study_of(), 2)
    text = export_json(study).replace("\n]\n}", f",\n{write_event(Changed(form, True, '', 'r'))}\n]\n}}")
    with pytest.raises(wf.InvalidInput, match=r"events\[\d+\]: form") as caught:
        import_json(MemoryStore(), text, "copy")
    assert "\n" not in str(caught.value)


def test_no_results_are_allowed_in_an_empty_history():
    study = study_of()
    study.change(trials=30)
    assert np.array_equal(study.state.history.x, no_points(2))
    assert study.ask() is not None
