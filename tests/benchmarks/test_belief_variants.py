"""The variants of the belief: what differs is what is said to, and nothing of it stays."""

import numpy as np
import pytest

from belief import variants
from belief.functions import functions
from wayfare.surrogate import hyper


def test_the_constants_of_a_variant_hold_only_within_it():
    before = hyper.DOUBT, hyper.SMOOTHER
    with variants.as_in(variants.Variant(doubt=9.0, smoother=8.0)):
        assert (hyper.DOUBT, hyper.SMOOTHER) == (9.0, 8.0)
    assert before == (hyper.DOUBT, hyper.SMOOTHER)


def test_the_functions_used_for_choosing_are_apart_from_those_reported_on():
    names = variants.chosen_by()
    assert not names.keys() & functions().keys()
    assert {kind for *_, kind in names.values()} == {"real", "mixed"}


@pytest.mark.parametrize("name", ["as it is", "no step towards doubt", "mixture of settings", "RBF alone"])
def test_a_variant_is_judged_at_every_size_and_is_better_with_more_results(name):
    rows = variants.judge(name, "catalysts", 0)
    assert [row.n for row in rows] == list(variants.SIZES)
    assert rows[-1].rmse < 0.2 < rows[0].rmse
    assert all(0 <= row.coverage95 <= 1 for row in rows)


def test_a_step_towards_doubt_and_a_mixture_widen_the_intervals():
    space, formula, *_ = variants.chosen_by()["himmelblau"]
    rng = np.random.default_rng
    x, places = space.sample(12, rng(0)), space.sample(50, rng(1))
    y = np.asarray(formula(x))
    point, step, mixed = (
        variants.believe(name, space, x, y, places, rng(2)).sd.mean()
        for name in ("no step towards doubt", "as it is", "mixture of settings")
    )
    assert point < step
    assert point < mixed
