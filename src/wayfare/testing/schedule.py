"""The tests that every schedule must pass: inherit, and parametrise ``schedule`` or override it as a fixture."""

import pytest

from wayfare.policy.schedule import Schedule


class ScheduleContract:
    """The promises of ``Schedule``."""

    @pytest.mark.parametrize("trials", [1, 2, 10, 137])
    def test_batches_are_never_empty_and_use_up_the_trials_exactly(self, schedule: Schedule, trials: int) -> None:
        handed_out = 0
        while handed_out < trials:
            size = schedule.batch_size(handed_out, trials - handed_out)
            assert 1 <= size <= trials - handed_out
            handed_out += size
        assert handed_out == trials

    def test_without_news_no_route_is_dropped(self, schedule: Schedule) -> None:
        assert not schedule.is_due(0)
