"""Ax's own client with our node makes the very trials that a plain study makes."""

import pytest
from ax.api.client import Client
from ax.api.configs import ChoiceParameterConfig, RangeParameterConfig
from ax.exceptions.core import OptimizationComplete
from ax.generation_strategy.generation_strategy import GenerationStrategy

import wayfare as wf
from tests.plug.same import START, TRAVEL, bare, measure, moves_of, plain
from wayfare.plug.ax import WayfareNode

SPACE = wf.Space(
    wf.Real("t", 20.0, 120.0),
    wf.Real("p", 0.001, 1.0, log=True),
    wf.Integer("n", 1, 9, step=2),
    wf.Choice("s", ["a", "b", "c"]),
)
STATED = {"travel": TRAVEL, "start": START, "seed": 3, "trials": 12}
PARAMETERS = [
    RangeParameterConfig(name="t", parameter_type="float", bounds=(20.0, 120.0)),
    RangeParameterConfig(name="p", parameter_type="float", bounds=(0.001, 1.0), scaling="log"),
    RangeParameterConfig(name="n", parameter_type="int", bounds=(1, 9), step_size=2),
    ChoiceParameterConfig(name="s", parameter_type="str", values=["a", "b", "c"]),
]


def client(node, objective="f", parameters=PARAMETERS, **more):
    host = Client()
    host.configure_experiment(parameters=parameters, **more)
    host.configure_optimization(objective=objective)
    host.set_generation_strategy(GenerationStrategy(name="wayfare", nodes=[node]))
    return host


def node(**more):
    return WayfareNode(**{**STATED, **more})


def loop(host, many, at_once=1):
    for _ in range(many):
        for index, params in host.get_next_trials(at_once).items():
            host.complete_trial(index, {"f": (measure(**params), None)})


def ours():
    study = wf.Study.create(SPACE, direction="maximize", **STATED)
    while (trial := study.ask()) is not None:
        study.tell(trial, measure(**trial.params))
    return study


def test_a_loop_of_ax_makes_the_route_of_a_plain_study_with_the_last_flush():
    made = node()
    host = client(made)
    loop(host, 12)
    assert len(made.study.state.out) == 1  # Ax has not asked since
    own = made.flush(host)
    assert bare(own) == bare(ours())
    assert bare(made.flush(host)) == bare(ours())  # it knows all of it
    with pytest.raises(OptimizationComplete, match="no trials are left"):
        host.get_next_trials(1)


def test_several_trials_at_once_are_the_next_stops():
    made = node()
    host = client(made)
    loop(host, 4, at_once=3)
    own = made.flush(host)
    assert len({tuple(trial.x) for trial in own.trials}) == len(own.trials) == 12
    assert bare(own) == bare(plain(SPACE, moves_of(own), direction="maximize", **STATED))


def test_failed_abandoned_and_late_trials():
    made = node()
    host = client(made)
    waiting = host.get_next_trials(1)
    for end in (host.mark_trial_failed, host.mark_trial_abandoned):
        end(next(iter(host.get_next_trials(1))))
    loop(host, 2)
    for index, params in waiting.items():
        host.complete_trial(index, {"f": (measure(**params), None)})
    loop(host, 1)
    own = made.flush(host)
    assert [str(trial.state) for trial in own.trials] == ["told", "failed", "skipped", "told", "told", "told"]
    kinds = [type(event).__name__ for event in own.events]
    assert kinds.index("Skipped") < kinds.index("Told")  # the first result came late
    assert own.trials[0].value == measure(**own.trials[0].params)


def test_a_new_process_goes_on_in_the_store(tmp_path):
    host = client(node(store=tmp_path / "lab.db"))
    loop(host, 5)
    again = node(store=tmp_path / "lab.db")
    host.set_generation_strategy(GenerationStrategy(name="wayfare", nodes=[again]))
    loop(host, 7)
    assert bare(again.flush(host)) == bare(ours())


def test_trials_of_others_are_known_and_a_running_one_is_a_visit():
    made = node(start=None)
    host = client(made)
    for t in (30.0, 60.0):
        index = host.attach_trial({"t": t, "p": 0.01, "n": 3, "s": "a"})
        host.complete_trial(index, {"f": (measure(t, 0.01, 3, "a"), None)})
    loop(host, 2)
    running = host.attach_trial({"t": 90.0, "p": 0.01, "n": 3, "s": "a"})
    loop(host, 1)
    own = made.flush(host)
    assert [trial.prior for trial in own.trials] == [True, True, False, False, False, False]
    assert own.trials[2].leg == pytest.approx(
        TRAVEL.bind(SPACE)(own.trials[1].x[None, :], own.trials[2].x[None, :])[0, 0]
    )
    assert own.trials[4].params["t"] == 90.0
    host.complete_trial(running, {"f": (1.5, None)})
    assert made.flush(host).trials[4].value == 1.5


def test_what_it_cannot_do_is_refused_by_name():
    with pytest.raises(wf.InvalidInput, match="one objective"):
        client(node(), objective="f, g").get_next_trials(1)
    two = [RangeParameterConfig(name=name, parameter_type="float", bounds=(0.0, 1.0)) for name in "xy"]
    with pytest.raises(wf.InvalidInput, match="has constraints"):
        client(node(), parameters=two, parameter_constraints=["x + y <= 1"]).get_next_trials(1)
