"""What happened: the specification, the events, and the state they add up to."""

from wayfare.record.events import Event, StudySpec, Trial, TrialState
from wayfare.record.state import StudyState

__all__ = ["Event", "StudySpec", "StudyState", "Trial", "TrialState"]
