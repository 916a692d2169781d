"""A study warns if, and only if, something takes away the guarantee that average movement goes to zero."""

import warnings

import numpy as np
import pytest
from attrs import frozen

import wayfare as wf
from wayfare.planning.catalogue import CATALOGUE, method_named
from wayfare.policy.schedule import OneByOne, Rolling
from wayfare.route import Shuffled

SPACE = wf.Space(wf.Real("a", 0.0, 10.0), wf.Real("b", -5.0, 5.0))
OVEN = wf.Ramp("a", up=5.0, down=2.0) + wf.Manhattan(axes=["b"])


def said(travel=None, space=SPACE, **options):
    """Return what a new study says of the guarantee; empty if it is silent."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", wf.GuaranteeWarning)
        wf.Study.create(space, direction="maximize", travel=travel or wf.Euclidean(), trials=30, **options)
    assert len(caught) <= 1
    return str(caught[0].message) if caught else ""


@pytest.mark.parametrize(
    "travel",
    [
        wf.Euclidean(unit="m"),
        OVEN,
        wf.parallel(wf.Ramp("a", up=100.0, down=1.0), wf.Ramp("b", up=1.0, down=3.0)),
        wf.Custom(lambda origin, target: max(target[0] - origin[0], (origin[0] - target[0]) / 3)),
        wf.Custom(lambda origin, target: abs(origin - target).sum()),
    ],
)
def test_costs_under_which_no_detour_is_cheaper_are_passed_in_silence(travel):
    assert said(travel) == ""


@pytest.mark.parametrize(
    ("travel", "reason"),
    [
        (wf.Settling("a", speed=1.0, threshold=0.1, per_fold=3.0), "detours are cheaper"),
        (OVEN + wf.Settling("b", speed=1.0, threshold=0.1, per_fold=3.0), "detours are cheaper"),
        (wf.Custom(lambda origin, target: ((origin - target) ** 2).sum()), "a detour is cheaper"),
        (wf.Euclidean(unit="m") + wf.Fee(2, unit="m"), "every move costs at least 2 m, however short"),
        (wf.Custom(lambda origin, target: abs(origin - target).sum() + 1.0 * (target > origin).any()), "every move"),
        (wf.Custom(lambda origin, target: max(target[0] - origin[0], 0.0)), "a way back is free"),
    ],
)
def test_costs_that_lose_the_guarantee_are_named(travel, reason):
    assert reason in said(travel)


def test_a_fee_among_few_places_or_for_a_change_of_a_choice_loses_nothing():
    places = wf.Places(np.random.default_rng(0).random((40, 2)))
    assert said(wf.Euclidean() + wf.Fee(2.0), places) == ""
    with_choice = wf.Space(wf.Real("a", 0.0, 1.0), wf.Choice("c", ["x", "y"]))
    assert said(wf.Manhattan(axes=["a"]) + wf.Switch("c", 900.0), with_choice) == ""


def test_options_that_cost_something_at_every_trial_are_named():
    assert "back to the anchor after every 8 visits" in said(start=[1.0, 1.0], anchor="start", anchor_every=8)
    assert "part of the order is left to chance" in said(shuffle=0.25)
    assert "left to chance" in said(method=wf.Method(wf.UCB(), wf.Growing(), planner=Shuffled(wf.ShortRoute(), 0.5)))
    both = said(wf.Euclidean() + wf.Fee(1.0), shuffle=0.5, method="ucb")
    assert [word in both for word in ("every move", "one place at a time", "left to chance")] == [True] * 3


@pytest.mark.parametrize("name", CATALOGUE)
def test_methods_that_plan_one_place_at_a_time_or_at_every_result_are_named(name):
    space = wf.Places(np.random.default_rng(0).random((20, 2))) if CATALOGUE[name].spaces == "table" else SPACE
    reason = said(space=space, method=name, noise=0.1)
    if isinstance(method_named(name).schedule, Rolling):
        assert "plans again at every result" in reason
    elif isinstance(method_named(name).schedule, OneByOne):
        assert "chooses one place at a time" in reason
    else:
        assert reason == ""
        assert "one place at a time" not in CATALOGUE[name].summary


@frozen
class Halves:
    """A third party's schedule: half of what is left."""

    def is_due(self, news):
        return False

    def batch_size(self, handed_out, left):
        return max(1, left // 2)


def test_batches_of_one_size_are_too_many_and_those_that_grow_slowly_are_not():
    assert "batches do not grow" in said(method=wf.Method(wf.UCB(), wf.Fixed(7)))
    assert said(method=wf.Method(wf.UCB(), wf.Growing(1.01))) == ""
    assert said(method=wf.Method(wf.UCB(), Halves())) == ""


def test_a_stored_study_is_opened_in_silence(tmp_path):
    with pytest.warns(wf.GuaranteeWarning):
        wf.Study.create(
            SPACE, direction="maximize", travel=wf.Euclidean(), trials=3, shuffle=0.5, store=tmp_path / "a.db", name="a"
        )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        wf.Study.open(tmp_path / "a.db", "a")
