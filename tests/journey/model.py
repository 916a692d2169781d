"""A study as a child would keep it: a list of what happened, and nothing clever."""

import math

TRIALS = 7
START = {"a": 1.0, "b": 9.0}
HOME = {"a": 5.0, "b": 5.0}
DWELL = 0.25


def distance(one, other):
    return 0.0 if one is None else math.hypot(one["a"] - other["a"], one["b"] - other["b"])


class Model:
    """What happened, in order: ("put", place), ("trial", number) or ("home", what it cost as told)."""

    def __init__(self, start, budget=None):
        self.happened = [("put", start)]
        self.budget = budget
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
                "measured": {},
            }
        )

    def close(self, number, state, value=None, actual=None, spent=None, count=None, variance=None, measured=None):
        trial = self.trials[number]
        trial["measured"] = dict(measured or {})
        trial["state"], trial["value"], trial["variance"] = state, value, variance
        if state != "skipped":
            trial["count"] = count or 1
        self.correct(trial, trial["asked"], actual, spent)
        if state == "told":
            self.results.append(number)

    def amend(self, number, value, actual, spent, count=None, variance=None, measured=None):
        trial = self.trials[number]
        for name, reading in (measured or {}).items():
            trial["measured"][name] = reading
            if reading is None:
                del trial["measured"][name]
        if value is None:
            trial["measured"].clear()
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

    def is_home(self):
        """Return whether nothing was visited since the traveller was put or went home, or began there."""
        for kind, what in reversed(self.happened):
            if kind == "home" or (kind == "put" and what in (None, HOME)):
                return True
            if kind == "put" or self.trials[what]["state"] != "skipped":
                break
        return False

    def go_home(self, spent):
        self.happened.append(("home", spent))

    def walk(self):
        """Return the leg of every trial, and where the traveller stands in the end; note the ways home."""
        here, legs, self.ways = None, [0.0] * len(self.trials), []
        for kind, what in self.happened:
            if kind == "put":
                here = what
            elif kind == "home":
                self.ways.append(distance(here, HOME) if what is None else what)
                here = HOME
            elif self.trials[what]["state"] != "skipped":
                trial = self.trials[what]
                legs[what] = distance(here, trial["place"]) if trial["spent"] is None else trial["spent"]
                here = trial["place"]
        return legs, here

    def spare(self):
        """Return what is left of the budget once all that is out is made and the traveller is home."""
        legs, _ = self.walk()
        return self.budget - math.fsum([*legs, *self.ways]) - DWELL * self.used() - self.way_home()

    def way_home(self):
        """Return what the way home costs, as stated."""
        _, here = self.walk()
        return 0.0 if here is None else distance(here, HOME)

    def affords(self, place, count):
        """Return whether one may go there for so many results, and then home."""
        if self.budget is None:
            return True
        here = self.position()
        home = 0.0 if here is None else distance(here, HOME)
        way = distance(here, place) + distance(place, HOME) - home
        return way + DWELL * count <= self.spare() + 1e-9 * self.budget

    def affords_to_stay(self):
        """Return whether one more result can be taken without moving, or at home if nobody moved yet."""
        here = self.position() or HOME
        return all(0 <= number <= 10 for number in here.values()) and self.affords(here, 1)

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
