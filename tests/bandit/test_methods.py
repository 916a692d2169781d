"""The bandits of the catalogue, through a study: one result at a time, and in runs."""

import numpy as np
import pytest

import wayfare as wf
from wayfare.form.method import method_name, read_method, write_method
from wayfare.methods import EVERYWHERE

ARMS = wf.Places(np.arange(5.0)[:, None], names=["arm"])
BOX = wf.Space(wf.Real("x", 0.0, 8.0))
BANDITS = [name for name in wf.CATALOGUE if name not in EVERYWHERE]
MEANS = [0.3, 0.1, 0.85, 0.5, 0.2]


def mean_at(params):
    return MEANS[int(params["arm"])] if "arm" in params else 1 - abs(params["x"] - 2.5) / 8


def make(name, direction="maximize", **changes):
    space = ARMS if wf.CATALOGUE[name].spaces == "table" else BOX
    options = {"travel": wf.Fee(1.0), "trials": 300, "method": name, "seed": 5, "noise": 0.1}
    return wf.Study.create(space, direction=direction, **(options | changes))


@pytest.mark.parametrize("name", BANDITS)
def test_every_bandit_finds_the_best_place(name):
    rng = np.random.default_rng(0)
    study = make(name, trials=120)
    while (trial := study.ask()) is not None:
        study.tell(trial, float(np.clip(mean_at(trial.params) + 0.1 * rng.standard_normal(), 0, 1)))
    assert mean_at(study.best().params) > 0.8
    assert len(study.trials) == 120


@pytest.mark.parametrize("name", ["base", "base-minimax", "base-geometric", "blin"])
def test_runs_save_nearly_all_of_the_way(name):
    rng = np.random.default_rng(0)
    study = make(name)
    while (trial := study.ask(count=True)) is not None:
        study.tell(trial, mean_at(trial.params) + 0.1 * rng.standard_normal(trial.count))
    assert sum(trial.count for trial in study.trials) == 300
    assert len(study.trials) < 40
    assert study.ledger().paid < 30
    assert mean_at(study.best().params) > 0.8


def test_less_is_better_where_it_is_said():
    study = make("base", direction="minimize")
    while (trial := study.ask(count=True)) is not None:
        study.tell(trial, mean_at(trial.params), count=trial.count)
    assert study.best().params == {"arm": 1}


@pytest.mark.parametrize("name", BANDITS)
def test_a_bandit_is_kept_as_what_it_is(name):
    method = wf.CATALOGUE[name].build()
    kept = write_method(method, "method")
    assert kept["surrogate"]["kind"] == "tally"
    assert kept["opening"] == {"kind": "none"}
    assert read_method(kept, "method", True) == method
    assert method_name(method) == name


@pytest.mark.parametrize("name", BANDITS)
def test_a_space_it_cannot_take_is_refused(name):
    other = BOX if wf.CATALOGUE[name].spaces == "table" else ARMS
    study = wf.Study.create(other, direction="maximize", travel=wf.Fee(1.0), trials=30, method=name, seed=0)
    with pytest.raises(wf.InvalidInput, match="needs a"):
        study.ask()
