"""The law that ten thousand random studies are held to, on some hundreds of them."""

import re

from hypothesis import given, settings
from hypothesis import strategies as st

import limits


@settings(max_examples=300)
@given(st.integers(0, 2**32))
def test_no_study_exceeds_its_budget_or_any_other_limit_whatever_it_is_like(seed):
    walk = limits.walk(seed)
    assert walk.over <= limits.CLOSE
    assert walk.beyond <= limits.CLOSE


def test_the_page_counts_every_study_and_those_over_their_limits():
    walks = [limits.walk(seed) for seed in range(12)]
    over = walks[0]._replace(over=0.5)
    assert limits.page([*walks, over]).count("| all | 13 |") == 1
    assert "| 1 |\n\nMethods" in limits.page([*walks, over])
    assert "| 0 |\n\nMethods" in limits.page(walks)
    assert sum(walk.homes for walk in walks) > 0
    assert re.search(r"\| trips \|.*\| 0 \|\n", limits.page(walks))
    beyond = next(walk for walk in walks if walk.limit == "trips")._replace(beyond=0.1)
    assert re.search(r"\| trips \|.*\| 1 \|\n", limits.page([*walks, beyond]))
