"""blop drives simulated motors to the very places that a plain study hands out, in its order."""

import time

import pytest
from blop.plans import optimize, sample_suggestions
from blop.protocols import OptimizationProblem
from bluesky import RunEngine
from gest_api.vocs import VOCS

import wayfare as wf
from tests.plug.same import bare
from wayfare.plug.gest import WayfareGenerator, acquire_in_order

SPACE = wf.Space(wf.Real("slow", 0.0, 10_000.0), wf.Real("fast", 0.0, 1.0))
VARIABLES = {"slow": [0.0, 10_000.0], "fast": [0.0, 1.0]}
# The fast motor is the one that costs: the very thing that distances between plain numbers get wrong.
STATED = {"travel": wf.Manhattan(("fast",)), "start": {"slow": 0.0, "fast": 0.0}, "seed": 2, "trials": 10}


class Done:
    done = success = True

    def add_callback(self, callback):
        callback(self)

    def exception(self, timeout=0.0):
        return None


class Motor:
    parent = None

    def __init__(self, name, fails_at=None):
        self.name, self.value, self.went, self.fails_at = name, 0.0, [], fails_at
        self.hints = {"fields": [name]}

    def set(self, value):
        self.value = value
        self.went.append(value)
        if len(self.went) == self.fails_at:
            raise OSError("the motor stalled")
        return Done()

    def read(self):
        return {self.name: {"value": self.value, "timestamp": time.time()}}

    def describe(self):
        return {self.name: {"source": self.name, "dtype": "number", "shape": []}}

    def read_configuration(self):
        return {}

    describe_configuration = read_configuration


def measure(slow, fast):
    return -((slow / 10_000 - 0.3) ** 2) - (fast - 0.7) ** 2


def beamline(made, motors, plan=None):
    def evaluate(uid, suggestions):
        return [{"_id": one["_id"], "f": measure(one["slow"], one["fast"])} for one in suggestions]

    return OptimizationProblem(made, motors, [], evaluate, plan)


def generator(**more):
    return WayfareGenerator(VOCS(variables=VARIABLES, objectives={"f": "MAXIMIZE"}), **{**STATED, **more})


def ours():
    study = wf.Study.create(SPACE, direction="maximize", **STATED)
    while (trial := study.ask()) is not None:
        study.tell(trial, measure(**trial.params))
    return study


def test_the_motors_go_the_way_of_a_plain_study_one_at_a_time():
    made, motors = generator(), [Motor("slow"), Motor("fast")]
    RunEngine()(optimize(beamline(made, motors), iterations=None))
    assert bare(made.study) == bare(ours())
    assert motors[1].went == [trial.params["fast"] for trial in made.study.trials]
    ((number, params, found),) = made.get_best_points()
    assert number == made.study.best().trial
    assert set(params) == set(VARIABLES)
    assert set(found) == {"f"}


@pytest.mark.parametrize("ours_in_order", [True, False])
def test_a_batch_keeps_its_order_with_our_plan_and_not_with_that_of_blop(ours_in_order):
    made, motors = generator(), [Motor("slow"), Motor("fast")]
    plan = acquire_in_order if ours_in_order else None
    RunEngine()(optimize(beamline(made, motors, plan), iterations=1, n_points=5))
    planned = [trial.params["fast"] for trial in made.study.trials]
    assert (motors[1].went == planned) is ours_in_order


def test_a_motor_that_stalls_is_a_failed_trial_and_the_day_goes_on():
    made, motors = generator(), [Motor("slow"), Motor("fast", fails_at=3)]
    with pytest.raises(OSError, match="stalled"):
        RunEngine()(optimize(beamline(made, motors), iterations=10))
    assert [str(trial.state) for trial in made.study.trials] == ["told", "told", "failed"]
    RunEngine()(optimize(beamline(made, motors), iterations=2))
    assert [str(trial.state) for trial in made.study.trials] == ["told", "told", "failed", "told", "told"]


def test_places_of_the_users_own_are_visits():
    made, motors = generator(), [Motor("slow"), Motor("fast")]
    RunEngine()(sample_suggestions(beamline(made, motors), [{"slow": 10.0, "fast": 0.25}]))
    assert dict(made.study.trials[0].params) == {"slow": 10.0, "fast": 0.25}
    assert made.study.trials[0].value == measure(10.0, 0.25)
