"""The object users hold, and the moves it makes."""

from wayfare.study.study import Snapshot, Study

__all__ = ["Snapshot", "Study"]
