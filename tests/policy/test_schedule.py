"""Schedules: their sizes, and that no beat is lost."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfare.errors import InvalidInput
from wayfare.policy.schedule import Fixed, Growing, Horizon, LogLog, OneByOne, Rolling
from wayfare.testing.schedule import ScheduleContract

ALL = [
    OneByOne(),
    Fixed(7),
    Growing(),
    Growing(2.0, first=3),
    Growing(1.1, rounding="ceil"),
    LogLog(),
    Rolling(),
    Horizon(),
]


@pytest.mark.parametrize("schedule", ALL, ids=str)
class TestEverySchedule(ScheduleContract):
    pass


def batches(schedule, trials: int) -> list[int]:
    sizes: list[int] = []
    while sum(sizes) < trials:
        sizes.append(schedule.batch_size(sum(sizes), trials - sum(sizes)))
    return sizes


def test_growing_by_a_tenth_rounds_up_as_the_authors_do():
    assert batches(Growing(1.1, rounding="ceil"), 100) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 6]
    lengths = {(1.1, 200): 18, (1.5, 100): 9, (2.0, 200): 8}
    assert {key: len(batches(Growing(key[0], rounding="ceil"), key[1])) for key in lengths} == lengths


def test_growing_rounded_down_starts_with_ones_and_twos():
    assert batches(Growing(1.1), 25) == [1] * 8 + [2] * 4 + [3] * 3
    assert len(batches(Growing(1.1), 100)) == 27


def test_log_log_has_the_lengths_of_batched_pure_exploration():
    assert batches(LogLog(), 100) == [10, 32, 57, 1]
    assert batches(LogLog(), 1000) == [32, 179, 424, 365]
    assert batches(LogLog(), 10000) == [100, 1000, 3163, 5625, 112]


def test_the_start_visited_alone_counts_as_the_first_place_of_the_first_batch():
    assert LogLog().batch_size(1, 99) == 9
    assert Fixed(5).batch_size(1, 99) == 4


@given(handed_out=st.integers(0, 500))
def test_an_extra_trial_does_not_shift_the_ends_of_batches(handed_out):
    schedule = Growing(1.1)
    size = schedule.batch_size(handed_out, 10_000)
    if size > 1:
        assert schedule.batch_size(handed_out + 1, 10_000) == size - 1


def test_only_rolling_drops_a_route_on_news():
    assert [schedule.is_due(1) for schedule in ALL] == [isinstance(schedule, Rolling) for schedule in ALL]
    assert not Rolling().is_due(0)


@pytest.mark.parametrize("factor", [1.0, 0.5, float("nan"), float("inf")])
def test_a_factor_that_does_not_grow_is_refused(factor):
    with pytest.raises(InvalidInput, match="factor"):
        Growing(factor)


def test_a_rounding_nobody_knows_is_refused():
    with pytest.raises(InvalidInput, match="rounding"):
        Growing(1.1, rounding="nearest")


@pytest.mark.parametrize("size", [0, -1])
def test_a_batch_of_nothing_is_refused(size):
    with pytest.raises(ValueError):
        Fixed(size)
