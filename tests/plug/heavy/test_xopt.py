"""Xopt's own loop with our generator makes the very trials that a plain study makes."""

import pytest
from gest_api.vocs import VOCS
from xopt import Evaluator, Xopt

import wayfare as wf
from tests.plug.same import bare, moves_of
from wayfare.plug.gest import WayfareGenerator

VARIABLES = {"t": [20.0, 120.0], "p": [0.001, 1.0], "n": {1, 3, 5, 7, 9}}
SPACE = wf.Space(wf.Real("t", 20.0, 120.0), wf.Real("p", 0.001, 1.0), wf.Integer("n", 1, 9, step=2))
STATED = {"travel": wf.Ramp("t", up=2.0, down=0.5), "start": {"t": 20.0, "p": 0.01, "n": 1}, "seed": 3, "trials": 12}


def generator(**more):
    vocs = VOCS(variables=VARIABLES, objectives={"f": "MINIMIZE"})
    return WayfareGenerator(vocs, **{**STATED, **more})


def measure(inputs):
    if inputs["n"] == 9:
        raise OSError("leak")
    return {"f": (inputs["t"] - 70.0) ** 2 / 1000 + (inputs["p"] - 0.1) ** 2 + abs(inputs["n"] - 5) / 4}


def ours():
    study = wf.Study.create(SPACE, direction="minimize", **STATED)
    while (trial := study.ask()) is not None:
        try:
            study.tell(trial, measure(trial.params)["f"])
        except OSError:
            study.fail(trial, "OSError: leak")
    return study


def xopt(made, **more):
    return Xopt(generator=made, evaluator=Evaluator(function=measure, **more), strict=False)


def test_a_loop_of_xopt_makes_the_route_of_a_plain_study():
    host = xopt(generator())
    for _ in range(12):
        host.step()
    assert bare(host.generator.study) == bare(ours())
    assert "failed" in {str(trial.state) for trial in host.generator.study.trials}
    with pytest.raises(ValueError, match="0 are left"):
        host.step()


def test_workers_get_several_places_of_the_route():
    host = xopt(generator(), max_workers=3)
    for _ in range(4):
        host.step()
    own = host.generator.study
    assert len({tuple(trial.x) for trial in own.trials}) == len(own.trials) == 12
    assert len(moves_of(own)) == 24 - sum(str(trial.state) == "failed" for trial in own.trials)


def test_a_dump_of_xopt_is_gone_on_with_in_the_store_and_without_one(tmp_path):
    host = xopt(generator(store=tmp_path / "lab.db"))
    for _ in range(5):
        host.step()
    good = host.data[~host.data["xopt_error"].astype(bool)]
    again = Xopt(generator=generator(store=tmp_path / "lab.db"), evaluator=host.evaluator, data=host.data, strict=False)
    for _ in range(7):
        again.step()
    assert bare(again.generator.study) == bare(ours())
    afresh = Xopt(generator=generator(start=None), evaluator=host.evaluator, data=host.data, strict=False)
    afresh.step()
    own = afresh.generator.study
    assert [trial.prior for trial in own.trials] == [True] * 5 + [False]
    assert sum(str(trial.state) == "told" for trial in own.trials[:5]) == len(good)


def test_random_points_of_xopt_are_known_results_and_a_late_result_is_told():
    host = xopt(generator())
    host.random_evaluate(3, seed=1)
    first = host.generator.suggest(1)
    host.step()
    host.evaluate_data(first)
    own = host.generator.study
    assert [trial.prior for trial in own.trials] == [True] * 3 + [False] * 2
    assert not own.state.out
