"""A random study walked to its end: results come late, legs cost what they do, plans are changed by hand."""

import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

import wayfare as wf
from limits_studies import World, random_study, random_world
from limits_watch import Watch
from wayfare._core.arrays import Values
from wayfare._core.rng import stream
from wayfare.record.events import TrialState


class Walk(NamedTuple):
    """A study that was walked to its end."""

    seed: int
    kind: str
    method: str
    told: str  # what was told of legs
    limit: str  # what there was besides the budget
    visits: int
    homes: int  # how often the traveller went home to begin a new trip
    left_trials: int
    used: float  # the share of the budget that was used in the end, the way home included
    handed_out: int  # how often a trial was handed out, and all limits were looked at
    by_learned: int  # how often of these when something had been learned of legs
    looks: int  # how often budget and trip were looked at, no surprise since a trial was handed out
    surprises: int
    over: float  # the most that the budget was exceeded by when looked at, in proportion to it
    beyond: float  # the most that a trip or a step was exceeded by, in proportion to it
    previewed: int  # how often a trial was handed out that the preview had shown as the next stop
    unlike: int  # how often it was another place, by another way, or at another cost than shown
    off: float  # how far the ledger's sum of the legs was from that of the trials, in proportion to the budget


def walk(seed: int) -> Walk:
    """Walk one random study to its end, looking at its limits after everything that happens."""
    rng = stream(seed, "limits")
    world = random_world(rng)
    with warnings.catch_warnings(), TemporaryDirectory() as folder:
        for warning in (wf.GuaranteeWarning, wf.DriftWarning):
            warnings.simplefilter("ignore", warning)
        file = Path(folder) / "study.db" if world.reopened else None
        study, kind, method = random_study(rng, world.told != "nothing", file)
        return walked(study, world, rng, file)._replace(seed=seed, kind=kind, method=method)


def walked(study: wf.Study, world: World, rng: Generator, file: Path | None = None) -> Walk:
    """Walk a study to its end, opening it again now and then if it is in a file."""
    walker = Walker(study, world, rng)
    while walker.goes_on():
        if file is not None and rng.random() < 0.2:
            walker.study = walker.watch.study = wf.Study.open(file, study.spec.name)
    return walker.looked_back()


class Walker:
    """Walks a study, and tells what comes of it."""

    def __init__(self, study: wf.Study, world: World, rng: Generator) -> None:
        self.study, self.world, self.rng = study, world, rng
        self.watch = Watch(study)

    def goes_on(self) -> bool:
        """Do the next thing, and perhaps something out of turn; return False if there is nothing to do."""
        out = self.study.state.open_trials
        if out and (len(out) >= self.world.at_once or self.chance(0.3)):
            self.settle(self.one_of(out))
        elif self.chance(0.05):
            self.insert()
        elif self.ask(wait=not out):
            pass
        elif out:
            self.settle(self.one_of(out))
        else:
            return False
        if self.chance(0.06):
            self.amend()
        if self.chance(0.06):
            self.replan()
        return True

    def ask(self, wait: bool) -> bool:
        """Go to the next stop; return whether there was one."""
        before, route, count = self.study.state, self.study.route(), self.chance(0.5)
        trial = self.study.ask(wait=wait, count=count)
        if trial is not None:
            self.watch.see_preview(before, route, trial, count)
            self.watch.see_hand_out()
        return trial is not None

    def insert(self) -> None:
        """Go to an extra place, if the limits allow it."""
        space = self.study.state.unvisited
        if space.size == 0:
            return
        try:
            self.study.insert(space.sample(1, self.rng)[0], count=int(self.rng.choice([1, 1, 3])))
        except wf.BudgetSpent:
            return
        self.watch.see_hand_out()

    def settle(self, trial: wf.Trial) -> None:
        """Give a trial its outcome."""
        if self.chance(0.05):
            self.study.skip(trial)
            self.watch.see_skip()
            return
        known = self.found_out(trial)
        if self.chance(0.05):
            self.study.fail(trial, **known)
        else:
            self.study.tell(trial, float(self.rng.normal()), count=trial.count, **known)
        self.watch.see_move(surprise="actual" in known)

    def amend(self) -> None:
        """Correct what was told of a leg, or where a visit was."""
        told = [one for one in self.study.trials if one.state in (TrialState.TOLD, TrialState.FAILED)]
        if told and (known := self.found_out(trial := self.one_of(told))):
            self.study.amend(trial, **known)
            self.watch.see_move(surprise="actual" in known)

    def replan(self) -> None:
        """Plan again; where anything may happen, mostly from elsewhere, perhaps from home."""
        place, end = None, self.study.spec.limits.home
        if self.world.told == "anything" and self.chance(0.8):
            place = self.study.spec.space.sample(1, self.rng)[0]
            place = end if end is not None and self.chance(0.3) else place
        try:
            self.study.replan(place)
        except wf.BudgetSpent:
            return
        if place is None:
            self.watch.see_move()
        else:
            self.watch.see_put(place)

    def found_out(self, trial: wf.Trial) -> dict[str, Any]:
        """Return what is told of the leg to a trial, and of the place."""
        known: dict[str, Any] = {}
        bounded = self.world.told != "anything"
        # Of one number for a leg by way of home, the part after home may be more than was expected.
        if self.chance(self.world.share) and not (bounded and trial.home_first):
            most = self.watch.expected[trial.number].leg if bounded else np.inf
            known["spent"] = min(self.world.cost(trial.predicted, self.rng), most)
        if not bounded and self.chance(0.1):
            known["actual"] = self.near(trial.x)
        return known

    def near(self, x: Values) -> Values:
        """Return a place not far from ``x``."""
        space = self.study.spec.space
        away = np.array([self.rng.normal() if values is None else 0.0 for values in space.choices])
        return np.asarray(space.snap((x + 0.3 * away)[None, :])[0])

    def chance(self, share: float) -> bool:
        """Return True in such a share of cases."""
        return bool(self.rng.random() < share)

    def one_of(self, trials: "tuple[wf.Trial, ...] | list[wf.Trial]") -> wf.Trial:
        """Return one of the trials."""
        return trials[int(self.rng.integers(len(trials)))]

    def looked_back(self) -> Walk:
        """Return what the study was like."""
        study, watch, limits = self.study, self.watch, self.study.spec.limits
        limit = "trips" if limits.trip else "steps" if limits.max_step else "budget alone"
        visits = [one for one in study.trials if one.is_visit]
        books, budget = watch.books(), limits.budget or 1.0
        return Walk(
            seed=0,
            kind="",
            method="",
            told=self.world.told,
            limit=limit,
            visits=len(visits),
            homes=sum(one.home_first for one in visits),
            left_trials=study.state.trials_left,
            used=books.all / budget,
            handed_out=watch.handed_out,
            by_learned=watch.by_learned,
            looks=watch.looks,
            surprises=watch.surprises,
            over=watch.over,
            beyond=watch.beyond,
            previewed=watch.previewed,
            unlike=watch.unlike,
            off=abs(books.legs - study.ledger().paid) / budget,
        )
