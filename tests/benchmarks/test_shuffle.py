"""The table on shuffling: what it measures, on orders whose answer is known."""

import numpy as np
import pytest

import shuffle


def test_a_sorted_order_is_wholly_confounded_and_one_back_and_forth_is_not():
    rise = np.arange(9.0)
    assert shuffle.confounding(np.column_stack([rise, -(rise**3)])) == pytest.approx(1.0)
    assert shuffle.confounding(np.abs(rise - 4)[:, None]) == pytest.approx(0.0, abs=1e-12)


def test_more_chance_is_longer_and_less_confounded():
    walks = [walk for seed in range(12) for walk in shuffle.in_the_square(seed)]
    by_share = [[walk for walk in walks if walk.share == share] for share in shuffle.SHARES]
    longer = [np.mean([walk.longer for walk in of]) for of in by_share]
    confounded = [np.mean([walk.confounded for walk in of]) for of in by_share]
    assert longer == sorted(longer)
    assert longer[0] == 1.0
    assert confounded[0] > 1.5 * confounded[-1]
    assert shuffle.page(walks, walks).count("| 0.25 | ") == 2
