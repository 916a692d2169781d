"""Random studies with limits, walked to their end: is a budget, a trip or a step ever exceeded?

Run ``python benchmarks/limits.py``: it walks 10,000 studies, writes limits.md beside itself and exits with 1
if one of them exceeds its limits by more than rounding. All have a budget, and some have trips or a maximum
step. They differ in space, cost, method, start, end, limits, the cost of a result and whether they return to
an anchor; trials are left out, failed or skipped now and then.
"""

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.random import Generator

import wayfare as wf
from wayfare.arrays import Points, Values
from wayfare.records import StudySpec, TrialState
from wayfare.rng import stream
from wayfare.travel import TravelCost

CLOSE = 1e-9
"""How far, in proportion, a budget may be exceeded by the sums of floating point."""
METHODS = ("random", "random-route", "lhs-route", "ucb", "wayfare", "tucb", "tts", "snake", "lsr")
TABLE_METHODS = ("base", "ucb1")
SLOW = {"ucb", "wayfare", "tucb", "tts", "snake", "lsr"}


class Walk(NamedTuple):
    """A study that was walked to its end."""

    seed: int
    kind: str
    method: str
    visits: int
    left_trials: int
    over: float  # the most that paid, results and way home were above the budget, in proportion to it
    used: float  # the share of the budget that was used in the end, the way home included
    limit: str  # what there was besides the budget
    homes: int  # how often the traveller went home to begin a new trip
    beyond: float  # the most that a trip or a step took longer than it may, in proportion to it


def main() -> int:
    options = _options()
    seeds = range(options.seed, options.seed + options.studies)
    with ProcessPoolExecutor(options.processes) as pool:
        walks = list(pool.map(walk, seeds, chunksize=50))
    text = page(walks)
    Path(options.out).write_text(text)
    sys.stdout.write(text)
    return int(any(max(one.over, one.beyond) > CLOSE for one in walks))


def walk(seed: int) -> Walk:
    """Walk one random study to its end, looking at the budget after everything that happens."""
    with warnings.catch_warnings():
        for kind in (wf.GuaranteeWarning, wf.DriftWarning):
            warnings.simplefilter("ignore", kind)
        return walked(stream(seed, "limits"), seed)


def walked(rng: Generator, seed: int) -> Walk:
    """Walk a study drawn from ``rng`` to its end."""
    study, kind, method = random_study(rng)
    over, beyond = excess(study), 0.0
    while True:
        known = len(study.trials)
        trial = study.ask(wait=bool(rng.random() < 0.7), count=bool(rng.random() < 0.5))
        over, beyond = max(over, excess(study)), max(beyond, trip_excess(study))
        if trial is None:
            break
        if len(study.trials) > known:
            beyond = max(beyond, step_excess(study, trial))
        settle(study, trial, rng)
        over, beyond = max(over, excess(study)), max(beyond, trip_excess(study))
    limits, trials = study.spec.limits, study.trials
    limit = "trips" if limits.trip is not None else "steps" if limits.max_step is not None else "budget alone"
    visits = [one for one in trials if one.is_visit]
    homes = sum(one.home_first for one in visits)
    used = 1 - spare(study) / (limits.budget or 1.0)
    return Walk(seed, kind, method, len(visits), study.state.left, over, used, limit, homes, beyond)


def settle(study: wf.Study, trial: wf.Trial, rng: Generator) -> None:
    """Give the trial its outcome, or leave it out for a while, or settle what is out."""
    if trial.state is not TrialState.ASKED or rng.random() < 0.15:
        return
    draw = rng.random()
    if draw < 0.05:
        study.skip(trial)
    elif draw < 0.1:
        study.fail(trial)
    elif trial.count > 1:
        study.tell(trial, float(rng.normal()), count=trial.count)
    else:
        study.tell(trial, float(rng.normal()))


def excess(study: wf.Study) -> float:
    """Return by how much the budget is exceeded, in proportion to it; worked out from the trials alone."""
    return max(0.0, -spare(study)) / (study.spec.limits.budget or 1.0)


def spare(study: wf.Study) -> float:
    """Return what is left of the budget once the traveller has gone home from where the last visit was."""
    spec, end = study.spec, study.spec.limits.end
    here = spec.start
    paid = []
    for trial in study.trials:
        if trial.state is TrialState.SKIPPED:
            continue
        if trial.home_first:
            paid += [way(spec, here, end), spec.limits.trip_cost]
            here = end
        paid += [way(spec, here, trial.x), spec.limits.run_cost * trial.count]
        here = trial.x
    paid.append(way(spec, here, end))
    return float((spec.limits.budget or 0.0) - sum(paid))


def trip_excess(study: wf.Study) -> float:
    """Return by how much the longest trip is too long, in proportion, the ways home included."""
    spec, limits = study.spec, study.spec.limits
    if limits.trip is None:
        return 0.0
    here, used, most = spec.start, 0.0, 0.0
    for trial in study.trials:
        if trial.state is TrialState.SKIPPED:
            continue
        if trial.home_first:
            here, used = limits.end, 0.0
        used += way(spec, here, trial.x) + limits.run_cost * trial.count
        here = trial.x
        most = max(most, used + way(spec, here, limits.end))
    return most / limits.trip - 1


def step_excess(study: wf.Study, trial: wf.Trial) -> float:
    """Return by how much the leg to a trial just handed out is too long, in proportion."""
    spec, longest = study.spec, study.spec.limits.max_step
    if longest is None:
        return 0.0
    before = [one for one in study.trials[: trial.number] if one.state is not TrialState.SKIPPED]
    return way(spec, before[-1].x if before else spec.start, trial.x) / longest - 1


def way(spec: StudySpec, origin: Values | None, target: Values | None) -> float:
    """Return what a way costs; nothing from nowhere, or to nowhere."""
    if origin is None or target is None:
        return 0.0
    return float(spec.travel(origin[None, :], target[None, :])[0, 0])


def random_study(rng: Generator) -> tuple[wf.Study, str, str]:
    """Return a study with a budget, and what it is like."""
    space, kind = random_space(rng)
    travel, name = random_cost(space, rng)
    methods = METHODS + TABLE_METHODS * (kind == "table")
    method = str(rng.choice(methods))
    x = space.sample(16, rng)
    start = None if rng.random() < 0.15 else around_box(space, x, rng)
    end = None if rng.random() < 0.25 else around_box(space, x, rng)
    bound = travel.bind(space)
    size = float(bound(x, x).mean()) + 1e-3
    least = 0.0
    if start is not None and end is not None:
        least = float(bound(start[None, :], end[None, :])[0, 0])
    returns = start is not None and rng.random() < 0.3
    budget = (0.0 if returns else least) + size * float(rng.choice([0.05, 0.5, 2.0, 6.0])) * rng.random()
    most = 8 if method in SLOW else 25
    if space.once:
        most = min(most, space.size or most)
    stated: dict[str, Any] = {
        "direction": "maximize",
        "travel": travel,
        "trials": int(rng.integers(1, most + 1)),
        "start": start,
        "method": method,
        "seed": int(rng.integers(1000)),
        "budget": budget + 1e-6,
        "end": "start" if returns else end,
        "run_cost": 0.0 if rng.random() < 0.5 else size * float(rng.choice([0.01, 0.1, 0.5])),
    }
    if not space.once and rng.random() < 0.2:
        stated |= {"anchor": "best", "anchor_every": int(rng.integers(1, 6))}
    return limited(space, stated, size, rng), f"{kind}, {name}", method


def limited(space: wf.Space | wf.Places, stated: dict[str, Any], size: float, rng: Generator) -> wf.Study:
    """Return the study with trips, with a maximum step or with neither; wider where nobody can keep to it."""
    draw, wide = rng.random(), size * float(rng.choice([0.5, 2.0, 6.0])) * float(rng.uniform(0.1, 1.0))
    while True:
        more: dict[str, Any] = {}
        if draw < 0.4 and stated["end"] is not None:
            more = {"trip": wide, "trip_cost": 0.1 * size, "budget": 4 * stated["budget"]}
        elif draw > 0.7:
            more = {"max_step": wide}
        try:
            return wf.Study.create(space, **(stated | more))
        except wf.InvalidInput:
            if wide > 1e6 * size:
                raise
            wide, stated["budget"] = 2 * wide, 2 * stated["budget"]


def random_space(rng: Generator) -> tuple[wf.Space | wf.Places, str]:
    """Return a box, a mixed space or a table of places."""
    kind = str(rng.choice(["box", "mixed", "table", "once"]))
    if kind == "box":
        d = int(rng.integers(1, 4))
        return wf.Space(*(wf.Real(f"x{i}", 0.0, float(rng.uniform(0.5, 20))) for i in range(d))), kind
    if kind == "mixed":
        axes = (wf.Real("a", 0.1, 10.0, log=True), wf.Integer("b", 0, 8), wf.Choice("c", ["u", "v", "w"]))
        return wf.Space(*axes), kind
    rows = rng.uniform(0, 10, size=(int(rng.integers(2, 30)), 2))
    return wf.Places(rows, once=kind == "once"), kind


def random_cost(space: wf.Space | wf.Places, rng: Generator) -> tuple[TravelCost, str]:
    """Return a cost: straight, in turn, faster one way than the other, with a fee for every move."""
    numbers = [name for name, values in zip(space.names, space.choices, strict=True) if values is None]
    straight = wf.Euclidean(axes=numbers)
    ramps = wf.serial(*(wf.Ramp(name, up=1.0, down=float(rng.uniform(0.2, 5))) for name in numbers))
    kind = str(rng.choice(["euclidean", "manhattan", "ramps", "fee"]))
    costs: dict[str, TravelCost] = {
        "euclidean": straight,
        "manhattan": wf.Manhattan(axes=numbers),
        "ramps": ramps,
        "fee": straight + wf.Fee(float(rng.uniform(0.1, 3))),
    }
    return costs[kind], kind


def around_box(space: wf.Space | wf.Places, x: Points, rng: Generator) -> Values:
    """Return a place of the space, or one a little outside of it."""
    place = np.array(x[int(rng.integers(len(x)))])
    if rng.random() < 0.5:
        for column, values in enumerate(space.choices):
            if values is None and float(place[column]).is_integer() is False:
                place[column] += rng.normal()
    return place


def page(walks: Iterable[Walk]) -> str:
    """Return what was found, as Markdown."""
    walks = list(walks)
    lines = [
        "# Travel budgets, trips and steps",
        "",
        f"{len(walks):,} random studies walked to their end by `python benchmarks/limits.py`. After every",
        "move all legs, the cost of the results and the way home were added up anew and held against the",
        "budget; so were those of every trip, and the leg to every trial as it was handed out.",
        "",
        "| besides the budget | studies | visits | went home in between | budget exceeded | it exceeded |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for limit in sorted({one.limit for one in walks}):
        of = [one for one in walks if one.limit == limit]
        visits, homes = sum(one.visits for one in of), sum(one.homes for one in of)
        over = sum(one.over > CLOSE for one in of)
        beyond = "-" if limit == "budget alone" else str(sum(one.beyond > CLOSE for one in of))
        lines.append(f"| {limit} | {len(of):,} | {visits:,} | {homes:,} | {over} | {beyond} |")
    lines += [
        "",
        "| space, cost | studies | visits | ended by the budget | used of the budget | exceeded |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for kind in [*sorted({one.kind for one in walks}), "all"]:
        of = [one for one in walks if kind in (one.kind, "all")]
        spent = [one for one in of if one.left_trials]
        used = f"{100 * np.mean([one.used for one in spent]):.0f}%" if spent else "-"
        over = sum(one.over > CLOSE for one in of)
        visits = sum(one.visits for one in of)
        lines.append(f"| {kind} | {len(of):,} | {visits:,} | {len(spent):,} | {used} | {over} |")
    methods = Counter(one.method for one in walks)
    said = ", ".join(f"{name} {number:,}" for name, number in sorted(methods.items()))
    worst = max(max(one.over, one.beyond) for one in walks)
    lines += [
        "",
        f"Methods: {said}. The most that a limit was exceeded by, in proportion, is {worst:.1e}; rounding",
        f"may take {CLOSE:g}. Used is what those ended by their budget used of it, the way home included.",
        "",
    ]
    return "\n".join(lines)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", default=str(Path(__file__).with_suffix(".md")))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
