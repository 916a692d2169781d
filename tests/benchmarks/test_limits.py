"""The law that ten thousand random studies are held to, on some hundreds of them."""

from hypothesis import given, settings
from hypothesis import strategies as st

import limits


@settings(max_examples=300)
@given(st.integers(0, 2**32))
def test_no_study_exceeds_its_budget_whatever_it_is_like(seed):
    assert limits.walk(seed).over <= limits.CLOSE


def test_the_page_counts_every_study_and_those_over_their_budget():
    walks = [limits.walk(seed) for seed in range(6)]
    over = walks[0]._replace(over=0.5)
    assert limits.page([*walks, over]).count("| all | 7 |") == 1
    assert "| 1 |\n\nMethods" in limits.page([*walks, over])
    assert "| 0 |\n\nMethods" in limits.page(walks)
