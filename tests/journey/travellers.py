"""The moves made through the library."""

import wayfare as wf


def record(trial):
    """Return a trial as the command line prints it."""
    return {
        "number": trial.number,
        "state": str(trial.state),
        "params": dict(trial.params),
        "leg": trial.leg,
        "unit": trial.unit,
        "value": trial.value,
        "worker": trial.worker,
        "plan": trial.plan,
        "stop": trial.stop,
        "predicted": trial.predicted,
        "spent": trial.spent,
        "asked": None if trial.asked is None else dict(trial.asked),
        "why": trial.why,
        "earlier": list(trial.earlier),
        "prior": trial.prior,
        "label": trial.label,
        "count": trial.count,
        "variance": trial.variance,
        "home_first": trial.home_first,
        "measured": dict(trial.measured),
        "former": list(trial.former),
    }


class Refusal(Exception):
    """A move was refused."""


class Library:
    """Opens the study anew for every call."""

    def __init__(self, store):
        self.store = store

    def move(self, name, *arguments, **options):
        try:
            result = getattr(wf.Study.open(self.store, "s"), name)(*arguments, **options)
        except wf.WayfareError as error:
            raise Refusal(str(error)) from error
        trial = getattr(result, "trial", result)
        return record(trial) if isinstance(trial, wf.Trial) else None

    def trials(self):
        return [record(trial) for trial in wf.Study.open(self.store, "s").trials]
