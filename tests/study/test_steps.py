"""Studies on axes in steps: what is planned, stored and told is on a step."""

import numpy as np
import pytest

import wayfare as wf

SPACE = wf.Space(
    wf.Real("temp", 20, 80, step=0.5, unit="°C"),
    wf.Real("flow", 0.1, 2, digits=2),
    wf.Integer("stirring", 1, 1000, log=True),
    forbidden=[{"temp": (60.5, None), "flow": (1.5, None)}],
)


def best_found(method, seed):
    study = wf.Study.create(
        SPACE,
        direction="maximize",
        travel=wf.Manhattan(["temp"]),
        trials=16,
        start=[20, 1, 10],
        method=method,
        seed=seed,
    )
    while (trial := study.ask()) is not None:
        on_step = np.round(np.array(trial.x) / [0.5, 0.01, 1]) * [0.5, 0.01, 1]
        assert trial.x == pytest.approx(on_step, abs=1e-12)
        assert SPACE.contains(trial.x[None, :])[0]
        assert SPACE.points(dict(trial.params)).tolist() == [trial.x.tolist()]
        study.tell(trial.number, -((trial.x[0] - 47.5) ** 2) / 400 - (trial.x[1] - 0.8) ** 2)
    return study.best()


@pytest.mark.filterwarnings("ignore::wayfare.GuaranteeWarning")
@pytest.mark.parametrize("method", ["wayfare", "tts", "random"])
def test_every_stop_of_a_study_in_steps_is_on_a_step(method):
    best_found(method, 0)


def test_the_search_over_steps_finds_the_best_of_them():
    """The grid has ten million places, so none of it is looked at whole."""
    found = best_found("ucb", 1)
    assert abs(found.params["temp"] - 47.5) <= 3
    assert abs(found.params["flow"] - 0.8) <= 0.2
