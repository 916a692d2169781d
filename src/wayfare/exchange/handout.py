"""Stops handed out ahead of their results, so that they can be taken along on paper, each with its number."""

from wayfare import door
from wayfare.errors import BudgetSpent, TooEarly
from wayfare.outcome import worker_name
from wayfare.records import Trial
from wayfare.state import StudyState
from wayfare.study import Study
from wayfare.words import counted


def hand_out(study: Study, number: int, worker: str | None = None) -> tuple[Trial, ...]:
    """Hand out stops until ``number`` trials are out, or none are left; return those that are.

    Those out already count, so doing it twice hands out no more. Where the route ends before, the next is
    planned from its end without the results that are out, as ``ask(wait=False)`` does.

    Args:
        study: whose stops.
        number: how many trials are to be out.
        worker: hand them to this worker, and count only theirs; None: count everybody's.
    """
    number = door.count(number, "number", 1)
    while len(trials_out(study.state, worker)) < number:
        if study.ask(worker or "", wait=False, count=True) is None:
            break
    return trials_out(study.state, worker)


def trials_out(state: StudyState, worker: str | None = None) -> tuple[Trial, ...]:
    """Return the trials without an outcome in visiting order, of one worker or of all."""
    wanted = None if worker is None else worker_name(worker)
    return tuple(
        trial
        for trial in sorted(state.open_trials, key=lambda trial: trial.number)
        if wanted is None or trial.worker == wanted
    )


def some_out(state: StudyState, worker: str | None = None) -> tuple[Trial, ...]:
    """Return the trials that are out; there must be one at least."""
    trials = trials_out(state, worker)
    if trials:
        return trials
    whom = f" with {worker!r}" if worker else ""
    if not state.trials_left:
        raise BudgetSpent(f"no trial is out{whom}, and all {state.spec.trials} have been handed out")
    ahead = len(state.to_come)
    route = f"; the route ahead has {counted(ahead, 'stop')}" if ahead else ""
    raise TooEarly(f"no trial is out{whom}: hand some out first (--take 8, in Python hand_out){route}")
