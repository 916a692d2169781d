"""A study as a child would keep it: a list of what happened, and nothing clever."""

import math

TRIALS = 7
START = {"a": 1.0, "b": 9.0}


def distance(one, other):
    return 0.0 if one is None else math.hypot(one["a"] - other["a"], one["b"] - other["b"])


class Model:
    """What happened, in order: ("put", place) or ("trial", number)."""

    def __init__(self, start):
        self.happened = [("put", start)]
        self.trials = []
        self.results = []

    def hand_out(self, number, place, worker, inserted=False, count=1):
        assert number == len(self.trials), "trial numbers are consecutive, and none is out twice"
        self.happened.append(("trial", number))
        self.trials.append(
            {
                "state": "asked",
                "asked": place,
                "place": place,
                "worker": worker,
                "value": None,
                "spent": None,
                "inserted": inserted,
                "earlier": [],
                "count": count,
                "variance": None,
            }
        )

    def close(self, number, state, value=None, actual=None, spent=None, count=None, variance=None):
        trial = self.trials[number]
        trial["state"], trial["value"], trial["variance"] = state, value, variance
        if state != "skipped":
            trial["count"] = count or 1
        self.correct(trial, trial["asked"], actual, spent)
        if state == "told":
            self.results.append(number)

    def amend(self, number, value, actual, spent, count=None, variance=None):
        trial = self.trials[number]
        trial["count"], trial["variance"] = count or trial["count"], variance
        if value != trial["value"]:
            trial["earlier"].append(trial["value"])
        before, trial["state"] = trial["state"], "failed" if value is None else "told"
        trial["value"] = value
        self.correct(trial, trial["place"], actual, spent)
        if (before, trial["state"]) == ("failed", "told"):
            self.results.append(number)
        if (before, trial["state"]) == ("told", "failed"):
            self.results.remove(number)

    def correct(self, trial, known, actual, spent):
        if actual is not None:
            trial["place"] = {**known, **actual}
        if spent is not None:
            trial["spent"] = spent

    def put(self, place):
        self.happened.append(("put", {**(self.position() or {}), **place}))

    def position(self):
        return self.walk()[1]

    def walk(self):
        """Return the leg of every trial, and where the traveller stands in the end."""
        here, legs = None, [0.0] * len(self.trials)
        for kind, what in self.happened:
            if kind == "put":
                here = what
            elif self.trials[what]["state"] != "skipped":
                trial = self.trials[what]
                legs[what] = distance(here, trial["place"]) if trial["spent"] is None else trial["spent"]
                here = trial["place"]
        return legs, here

    def used(self):
        return sum(trial["count"] for trial in self.trials if trial["state"] != "skipped")

    def left(self):
        return max(0, TRIALS - self.used())

    def open_of(self, worker=None):
        return [
            number
            for number, trial in enumerate(self.trials)
            if trial["state"] == "asked" and worker in (None, trial["worker"])
        ]

    def closed(self):
        return [n for n, trial in enumerate(self.trials) if trial["state"] in ("told", "failed")]
