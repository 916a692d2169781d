"""The bandits of the catalogue, through a study: one result at a time, and in runs."""

import numpy as np
import pytest

import wayfare as wf
from wayfare.form.method import method_name, read_method, write_method
from wayfare.planning.catalogue import EVERYWHERE

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
    with pytest.raises(wf.InvalidInput, match="needs a"):
        wf.Study.create(other, direction="maximize", travel=wf.Fee(1.0), trials=30, method=name, seed=0, noise=1.0)


@pytest.mark.parametrize("name", ["blin", "zooming"])
def test_what_sizes_its_plans_by_the_noise_must_know_it(name):
    with pytest.raises(wf.InvalidInput, match="say noise="):
        wf.Study.create(BOX, direction="maximize", travel=wf.Fee(1.0), trials=30, method=name)


def test_shares_of_success_cannot_be_minimised_unless_that_is_said():
    with pytest.raises(wf.InvalidInput, match="low = -1"):
        wf.Study.create(ARMS, direction="minimize", travel=wf.Fee(1.0), trials=30, method="ts-beta")


def pulls_of(fate, **options):
    """Return how often each of four arms was pulled, when the first pull of the best meets its fate."""
    study = wf.Study.create(
        wf.Places([[0.0], [1.0], [2.0], [3.0]]),
        direction="maximize",
        travel=wf.Euclidean(),
        trials=2000,
        method="base",
        **options,
    )
    rng, met = np.random.default_rng(0), False
    pulls = np.zeros(4)
    while (trial := study.ask(count=True)) is not None:
        arm = int(trial.x[0])
        if arm == 3 and not met:
            met = True
            fate(study, trial)
            continue
        pulls[arm] += trial.count
        study.tell(trial, (rng.random(trial.count) < [0.2, 0.4, 0.6, 0.9][arm]))
    return pulls


def test_an_arm_skipped_once_is_toured_again():
    assert pulls_of(lambda study, trial: study.skip(trial), noise=0.5).argmax() == 3


def test_an_arm_that_failed_once_among_results_stays_an_arm():
    def fate(study, trial):
        study.tell(trial, 0.9, count=trial.count)
        study.fail(study.insert({"x0": 3.0}).trial)

    assert pulls_of(fate, noise=0.5).argmax() == 3


@pytest.mark.parametrize("scale", [0.01, 1.0, 100.0])
def test_the_noise_is_learned_where_nobody_said_it(scale):
    study = wf.Study.create(
        wf.Places([[0.0], [1.0], [2.0]]), direction="maximize", travel=wf.Fee(1.0), trials=3000, method="base"
    )
    rng, pulls = np.random.default_rng(1), np.zeros(3)
    while (trial := study.ask(count=True)) is not None:
        arm = int(trial.x[0])
        pulls[arm] += trial.count
        study.tell(trial, scale * (rng.random(trial.count) < [0.2, 0.4, 0.8][arm]))
    assert pulls[2] > 2500
