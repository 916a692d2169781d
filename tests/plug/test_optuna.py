"""Optuna's own loop with our sampler makes the very trials that a plain study makes."""

import logging
import multiprocessing
import threading
import time
import warnings

import optuna
import pytest

import wayfare as wf
from tests.plug.same import START, TRAVEL, bare, measure, moves_of, plain
from wayfare.plug.optuna import WayfareSampler

kinds = optuna.distributions
SPACE = wf.Space(
    wf.Real("t", 20.0, 120.0),
    wf.Real("p", 0.001, 1.0, log=True),
    wf.Integer("n", 1, 9, step=2),
    wf.Choice("s", ["a", "b", "c"]),
)
KINDS = {
    "t": kinds.FloatDistribution(20.0, 120.0),
    "p": kinds.FloatDistribution(0.001, 1.0, log=True),
    "n": kinds.IntDistribution(1, 9, step=2),
    "s": kinds.CategoricalDistribution(["a", "b", "c"]),
}
STATED = {"travel": TRAVEL, "start": START, "seed": 3, "method": "wayfare"}


@pytest.fixture(autouse=True)
def quiet():
    optuna.logging.set_verbosity(optuna.logging.ERROR)


def sampler(trials=12, space=KINDS, **more):
    return WayfareSampler(trials=trials, space=space, **{**STATED, **more})


def suggested(trial):
    return {
        "t": trial.suggest_float("t", 20.0, 120.0),
        "p": trial.suggest_float("p", 0.001, 1.0, log=True),
        "n": trial.suggest_int("n", 1, 9, step=2),
        "s": trial.suggest_categorical("s", ["a", "b", "c"]),
    }


def objective(trial):
    return measure(**suggested(trial))


def ours(trials=12):
    study = wf.Study.create(SPACE, direction="maximize", trials=trials, **STATED)
    while (trial := study.ask()) is not None:
        study.tell(trial, measure(**trial.params))
    return study


def test_a_loop_of_optuna_makes_the_route_of_a_plain_study():
    study = optuna.create_study(direction="maximize", sampler=sampler())
    study.optimize(objective, n_trials=100)  # ends by itself
    assert len(study.trials) == 12
    own = study.sampler.study(study)
    assert bare(own) == bare(ours())
    assert own.events[0].stamp.via == "plug"
    assert [trial.params["s"] for trial in study.trials] == [trial.params["s"] for trial in own.trials]


def test_the_direction_is_that_of_the_host():
    study = optuna.create_study(direction="minimize", sampler=sampler(6))
    study.optimize(lambda trial: -objective(trial), n_trials=6)
    twin = wf.Study.create(SPACE, direction="minimize", trials=6, **STATED)
    while (trial := twin.ask()) is not None:
        twin.tell(trial, -measure(**trial.params))
    assert bare(study.sampler.study(study)) == bare(twin)


def test_a_study_goes_on_in_another_process_as_if_nothing_had_happened(tmp_path):
    storage = f"sqlite:///{tmp_path / 'lab.db'}"
    study = optuna.create_study(direction="maximize", sampler=sampler(), storage=storage, study_name="flow")
    study.optimize(objective, n_trials=5)
    again = optuna.load_study(study_name="flow", storage=storage, sampler=sampler())
    again.optimize(objective, n_trials=100)
    assert bare(again.sampler.study(again)) == bare(ours())


def test_a_crash_between_two_trials_leaves_one_pending_and_the_route_as_it_was(tmp_path):
    storage = f"sqlite:///{tmp_path / 'lab.db'}"
    study = optuna.create_study(direction="maximize", sampler=sampler(), storage=storage, study_name="flow")
    study.optimize(objective, n_trials=3)
    suggested(study.ask())  # and the process dies
    again = optuna.load_study(study_name="flow", storage=storage, sampler=sampler())
    again.optimize(objective, n_trials=2)
    again.tell(3, 0.5)  # its result comes late
    again.optimize(objective, n_trials=1)
    own = again.sampler.study(again)
    values = [trial.value for trial in own.trials]
    done = [(at, values[at], {}) for at in range(7)]
    moves = [
        "ask",
        done[0],
        "ask",
        done[1],
        "ask",
        done[2],
        "ask",
        "ask",
        done[4],
        "ask",
        done[5],
        done[3],
        "ask",
        done[6],
    ]
    assert bare(own) == bare(plain(SPACE, moves, direction="maximize", trials=12, **STATED))
    assert values[3] == 0.5


def test_failed_and_pruned_trials_and_what_the_objective_says_of_them():
    def told(trial):
        place = suggested(trial)
        if trial.number == 1:
            trial.set_user_attr("spent", 7.5)
            trial.set_user_attr("why", "leak")
            raise ArithmeticError
        if trial.number == 2:
            trial.report(0.25, 4)
            raise optuna.TrialPruned
        if trial.number == 3:
            raise optuna.TrialPruned
        if trial.number == 4:
            trial.set_user_attr("actual", {"t": 55.0})
        return float("inf") if trial.number == 5 else measure(**place)

    study = optuna.create_study(direction="maximize", sampler=sampler())
    study.optimize(told, n_trials=8, catch=(ArithmeticError,))
    own = study.sampler.study(study)
    moves = []
    for trial in own.trials:
        said = {1: {"spent": 7.5, "why": "leak"}, 3: {"why": "pruned at step None"}, 5: {"why": "the value is inf"}}
        given = said.get(trial.number, {}) | ({"actual": dict(own.trials[4].params)} if trial.number == 4 else {})
        if trial.number == 2:
            given = {"why": "pruned at step 4"}
        moves += ["ask", (trial.number, trial.value, given)]
    assert bare(own) == bare(plain(SPACE, moves, direction="maximize", trials=12, **STATED))
    assert [str(trial.state) for trial in own.trials] == [
        "told",
        "failed",
        "told",
        "failed",
        "told",
        "failed",
        "told",
        "told",
    ]
    assert own.trials[2].value == 0.25
    assert own.trials[4].params["t"] == 55.0
    assert own.trials[1].leg == 7.5


def test_a_trial_that_nobody_went_to_spends_nothing():
    def told(trial):
        place = suggested(trial)
        trial.set_user_attr("skipped", trial.number == 1)
        return measure(**place)

    study = optuna.create_study(direction="maximize", sampler=sampler(4))
    study.optimize(told, n_trials=20)
    own = study.sampler.study(study)
    assert [str(trial.state) for trial in own.trials] == ["told", "skipped", "told", "told", "told"]


def test_threads_share_the_traveller():
    study = optuna.create_study(direction="maximize", sampler=sampler())
    study.optimize(objective, n_trials=12, n_jobs=3)
    own = study.sampler.study(study)
    assert len(own.trials) == 12
    assert len({tuple(trial.x) for trial in own.trials}) == 12
    assert bare(own) == bare(replayed(own))


def replayed(own):
    """Return a plain study after the same moves in the same order."""
    return plain(SPACE, moves_of(own), direction="maximize", trials=12, **STATED)


def work(storage):
    warnings.simplefilter("ignore")
    optuna.logging.set_verbosity(optuna.logging.ERROR)
    study = optuna.load_study(study_name="flow", storage=storage, sampler=sampler())
    study.optimize(objective, n_trials=6)


@pytest.mark.slow
@pytest.mark.subprocess
def test_two_processes_share_the_traveller(tmp_path):
    storage = f"sqlite:///{tmp_path / 'lab.db'}"
    optuna.create_study(direction="maximize", storage=storage, study_name="flow")
    spawned = multiprocessing.get_context("spawn")
    workers = [spawned.Process(target=work, args=(storage,)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    study = optuna.load_study(study_name="flow", storage=storage, sampler=sampler())
    own = study.sampler.study(study)
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert len({tuple(trial.x) for trial in own.trials}) == len(own.trials) == 12
    assert bare(own) == bare(replayed(own))


def test_a_process_that_dies_while_it_plans_holds_up_nobody_for_ever(caplog):
    study = optuna.create_study(direction="maximize", sampler=sampler(patience=0.05))
    study.optimize(objective, n_trials=2)
    zombie = study._storage.create_new_trial(study._study_id)
    with caplog.at_level(logging.WARNING, "wayfare.plug.optuna"):
        study.optimize(objective, n_trials=2)
    assert "goes on without trial 2" in caplog.text
    own = study.sampler.study(study)
    assert len(own.trials) == 4
    study._storage.set_trial_state_values(zombie, optuna.trial.TrialState.FAIL)
    assert bare(study.sampler.study(study)) == bare(own)


def test_a_trial_waits_for_those_before_it():
    study = optuna.create_study(direction="maximize", sampler=sampler())
    first = study._storage.create_new_trial(study._study_id)
    made = []
    waiting = threading.Thread(target=lambda: made.append(study.ask()))
    waiting.start()
    time.sleep(0.2)
    assert not made
    study.sampler.before_trial(study, study._storage.get_trial(first))
    waiting.join(60)
    own = study.sampler.study(study)
    assert [event.request for event in own.events if hasattr(event, "leg")] == ["optuna/0", "optuna/1"]


def test_trials_of_another_sampler_are_known_results_and_the_traveller_stands_at_the_last():
    random = optuna.samplers.RandomSampler(seed=1)
    study = optuna.create_study(direction="maximize", sampler=random)
    study.optimize(objective, n_trials=4)
    study.sampler = sampler(5, start=None)
    study.optimize(objective, n_trials=2)
    own = study.sampler.study(study)
    assert [trial.prior for trial in own.trials] == [True] * 4 + [False] * 2
    last = study.trials[3].params
    space = own.spec.space
    expected = TRAVEL.bind(space)(space.points(dict(last)), own.trials[4].x[None, :])[0, 0]
    assert own.trials[4].leg == pytest.approx(expected)
    study.sampler, before = random, study.sampler
    study.optimize(objective, n_trials=1)  # and again in between
    study.sampler = before
    study.optimize(objective, n_trials=1)
    own = study.sampler.study(study)
    assert [trial.prior for trial in own.trials] == [True] * 4 + [False] * 2 + [True, False]
    there = space.points(dict(study.trials[6].params))
    assert own.trials[7].leg == pytest.approx(TRAVEL.bind(space)(there, own.trials[7].x[None, :])[0, 0])


def test_a_copied_study_knows_the_results_and_makes_a_plan_of_its_own():
    storage = optuna.storages.InMemoryStorage()
    study = optuna.create_study(direction="maximize", sampler=sampler(6), storage=storage, study_name="flow")
    study.optimize(objective, n_trials=4)
    optuna.copy_study(from_study_name="flow", from_storage=storage, to_storage=storage, to_study_name="again")
    again = optuna.load_study(study_name="again", storage=storage, sampler=sampler(6))
    again.optimize(objective, n_trials=2)
    own = again.sampler.study(again)
    assert [trial.prior for trial in own.trials] == [True] * 4 + [False] * 2
    assert [trial.prior for trial in study.sampler.study(study).trials] == [False] * 4


def test_a_trial_that_is_tried_again_is_another_visit_of_its_place():
    def leaks(trial):
        place = suggested(trial)
        if trial.number == 2:
            raise OSError
        return measure(**place)

    study = optuna.create_study(direction="maximize", sampler=sampler(8))
    study.optimize(leaks, n_trials=4, catch=(OSError,))
    failed = study.trials[2]
    more = {"params": failed.params, "distributions": failed.distributions, "system_attrs": failed.system_attrs}
    study.add_trial(optuna.create_trial(state=optuna.trial.TrialState.WAITING, **more))  # as Optuna's retry does
    study.optimize(leaks, n_trials=2)
    own = study.sampler.study(study)
    assert [str(trial.state) for trial in own.trials] == ["told", "told", "failed", "told", "told", "told"]
    assert dict(own.trials[4].params) == dict(own.trials[2].params)


def test_an_enqueued_trial_is_a_visit_that_was_not_planned():
    study = optuna.create_study(direction="maximize", sampler=sampler(6))
    study.enqueue_trial({"t": 100.0, "p": 0.5, "n": 3, "s": "c"})
    study.enqueue_trial({"t": 90.0})
    study.optimize(objective, n_trials=3)
    own = study.sampler.study(study)
    assert dict(own.trials[0].params) == {"t": 100.0, "p": 0.5, "n": 3, "s": "c"}
    assert own.trials[1].params["t"] == 90.0
    assert [trial.prior for trial in own.trials] == [False] * 3


def test_without_a_space_the_first_trial_is_made_at_the_start_and_shows_it():
    study = optuna.create_study(direction="maximize", sampler=sampler(6, space=None))
    study.optimize(objective, n_trials=4)
    assert study.trials[0].params == START
    own = study.sampler.study(study)
    assert [trial.prior for trial in own.trials] == [True, False, False, False]
    unknown = optuna.create_study(direction="maximize", sampler=sampler(6, space=None, start=None))
    with pytest.raises(wf.InvalidInput, match="space"):
        unknown.sampler.study(unknown)
    unknown.optimize(objective, n_trials=2)
    assert len(unknown.sampler.study(unknown).trials) == 2


def test_a_space_of_ours_keeps_its_constraints():
    space = wf.Space(*SPACE.axes, forbidden=[{"t": (60, None), "s": ["a", "b"]}])
    study = optuna.create_study(direction="maximize", sampler=sampler(10, space=space))
    study.optimize(objective, n_trials=10)
    assert not any(trial.params["t"] > 60 and trial.params["s"] != "c" for trial in study.trials)


@pytest.mark.parametrize(
    "kind",
    [
        kinds.FloatDistribution(-3.0, 7.5),
        kinds.FloatDistribution(0.1, 0.7, step=0.15),
        kinds.FloatDistribution(1e-7, 1e3, log=True),
        kinds.IntDistribution(-5, 19, step=3),
        kinds.IntDistribution(1, 10_000, log=True),
        kinds.CategoricalDistribution([None, True, 3, 2.5, "x"]),
        kinds.CategoricalDistribution([1]),
    ],
    ids=str,
)
def test_every_kind_of_parameter_is_an_axis_and_back(kind):
    study = optuna.create_study(sampler=WayfareSampler(travel=wf.Fee(1.0), trials=8, space={"x": kind}, seed=1))
    for _ in range(8):
        trial = study.ask({"x": kind})
        assert kind._contains(kind.to_internal_repr(trial.params["x"]))
        study.tell(trial, 1.0)
    own = study.sampler.study(study)
    places = [dict(trial.params)["x"] for trial in own.trials]
    assert [str(place) for place in places] == [str(trial.params["x"]) for trial in study.trials]


def test_what_it_cannot_do_is_refused_by_name():
    several = optuna.create_study(directions=["maximize", "minimize"], sampler=sampler())
    with pytest.raises(wf.InvalidInput, match="one objective"):
        several.ask()
    assert several.trials[0].state.name == "FAIL"
    hyperband = optuna.create_study(sampler=sampler(), pruner=optuna.pruners.HyperbandPruner())
    with pytest.raises(wf.InvalidInput, match="HyperbandPruner"):
        hyperband.ask()

    def grows(trial):
        value = objective(trial)
        return value + (trial.suggest_float("more", 0, 1) if trial.number == 2 else 0)

    study = optuna.create_study(direction="maximize", sampler=sampler())
    with pytest.raises(wf.InvalidInput, match="dynamic spaces"):
        study.optimize(grows, n_trials=5)
    inferred = optuna.create_study(direction="maximize", sampler=sampler(space=None))
    with pytest.raises(wf.InvalidInput, match="trial 1 has no parameter"):
        inferred.optimize(
            lambda trial: objective(trial) if trial.number == 0 else trial.suggest_float("t", 20, 120), n_trials=3
        )


def test_a_study_planned_otherwise_is_refused_but_may_have_more_trials():
    study = optuna.create_study(direction="maximize", sampler=sampler(3))
    study.optimize(objective, n_trials=10)
    study.sampler = sampler(5, seed=4)
    with pytest.raises(wf.InvalidInput, match="another seed"):
        study.ask()
    study.sampler = sampler(5)
    study.optimize(objective, n_trials=10)
    assert len(study.sampler.study(study).trials) == 5


def test_the_end_is_said_in_a_loop_and_outside_of_it():
    study = optuna.create_study(direction="maximize", sampler=sampler(30, budget=150.0, dwell=12.0))
    study.optimize(objective, n_trials=30)
    own = study.sampler.study(study)
    assert own.ledger().paid + 12.0 * len(own.trials) <= 150.0
    assert study.trials[-1].state.name == "PRUNED"
    assert len(study.trials) == len(own.trials) + 1 < 30
    with pytest.raises(wf.BudgetSpent):
        study.ask()
