"""A row whose trial is there already: its outcome, the same again, or a contradiction."""

from wayfare.errors import InvalidInput
from wayfare.exchange.cells import agrees
from wayfare.exchange.sheet import Row, same_place
from wayfare.records import Trial, TrialState
from wayfare.state import StudyState
from wayfare.words import in_words, results


def closes(state: StudyState, trial: Trial, row: Row) -> bool:
    """Return whether the row gives an open trial its outcome; False if it says nothing new.

    What contradicts the study is refused. The row's leg is not compared: it is worked out, and changes when
    a visit before is skipped; what a leg really cost is ``spent``.
    """
    check_same_trial(state, trial, row)
    if row.state in (None, TrialState.ASKED):
        return False  # a run sheet from before the outcome came in
    if trial.state is TrialState.ASKED:
        check_whole(trial, row)
        return True
    if row.state is not trial.state:
        raise InvalidInput(f"trial {trial.number} {said(trial)}, the row says {row.state}; {way_out(trial)}")
    if trial.value is not None and not agrees(row.texts["value"], trial.value):
        raise InvalidInput(
            f"trial {trial.number} already has the value {trial.value!r}, the row says {row.value!r}; "
            f"{way_out(trial)}"
        )
    check_same_run(trial, row)
    if row.spent is not None and (trial.spent is None or not agrees(row.texts["spent"], trial.spent)):
        raise InvalidInput(
            f"trial {trial.number}: column 'spent' has {row.spent!r}, the study {trial.spent!r}; "
            f"{way_out(trial)}"
        )
    if row.why and row.why != trial.why:
        raise InvalidInput(
            f"trial {trial.number}: column 'why' has {row.why!r}, the study {trial.why!r}; {way_out(trial)}"
        )
    return False


def check_whole(trial: Trial, row: Row) -> None:
    """Refuse a single value for a run: nobody said whether it is one result or the mean of all."""
    if trial.count > 1 and row.value is not None and row.count is None:
        raise InvalidInput(
            f"trial {trial.number} is a run of {results(trial.count)}; say in a column 'count' of how many "
            "'value' is the mean"
        )


def check_same_run(trial: Trial, row: Row) -> None:
    """Refuse another number of results, or another variance, than the trial has; a blank cell agrees."""
    if trial.value is not None and row.count not in (None, trial.count):
        raise InvalidInput(
            f"trial {trial.number}: column 'count' has {row.count}, the study {trial.count}; {way_out(trial)}"
        )
    if row.variance is not None and (
        trial.variance is None or not agrees(row.texts["variance"], trial.variance)
    ):
        raise InvalidInput(
            f"trial {trial.number}: column 'variance' has {row.variance!r}, the study {trial.variance!r}; "
            f"{way_out(trial)}"
        )


def check_same_trial(state: StudyState, trial: Trial, row: Row) -> None:
    """Refuse a row that has the number of a trial, but is not that trial."""
    space, asked = state.spec.space, trial.asked
    places = [trial.x] if asked is None else [trial.x, space.points(dict(asked))[0]]
    if not any(same_place(row, x, space) for x in places):
        raise InvalidInput(
            f"trial {trial.number} is at {in_words(trial.params)}, not here; if the setting was missed, tell "
            "it with actual, or leave the number out to add a visit"
        )
    if row.prior is not None and row.prior != trial.prior:
        was = "was known before the study" if trial.prior else "is a visit of this study"
        raise InvalidInput(f"column 'prior': trial {trial.number} {was}")
    if row.worker and row.worker != trial.worker:
        whom = repr(trial.worker) if trial.worker else "nobody in particular"
        raise InvalidInput(
            f"column 'worker' has {row.worker!r}, but trial {trial.number} was handed out to {whom}; "
            "clear the cell"
        )


def said(trial: Trial) -> str:
    """Return what became of a trial: ``failed (clogged)``, ``was skipped``."""
    was = str(trial.state) if trial.state is TrialState.FAILED else f"was {trial.state}"
    return f"{was} ({trial.why})" if trial.why else was


def way_out(trial: Trial) -> str:
    """Return how to change what is known of a trial."""
    if trial.state is TrialState.SKIPPED:
        return "leave the number out to go there after all"
    return "amend corrects it"
