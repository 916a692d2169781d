"""Random studies with a travel budget, walked to their end: is it ever exceeded, the way home included?

Run ``python benchmarks/limits.py``: it walks 10,000 studies, writes limits.md beside itself and exits with 1
if one of them exceeds its budget by more than rounding. Every study differs in its space, cost, method,
start, end, budget and the cost of a result; trials are left out, failed or skipped now and then.
"""

import argparse
import sys
import warnings
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

import wayfare as wf
from wayfare.arrays import Points, Values
from wayfare.records import TrialState
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


def main() -> int:
    options = _options()
    seeds = range(options.seed, options.seed + options.studies)
    with ProcessPoolExecutor(options.processes) as pool:
        walks = list(pool.map(walk, seeds, chunksize=50))
    text = page(walks)
    Path(options.out).write_text(text)
    sys.stdout.write(text)
    return int(any(one.over > CLOSE for one in walks))


def walk(seed: int) -> Walk:
    """Walk one random study to its end, looking at the budget after everything that happens."""
    rng = stream(seed, "limits")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.GuaranteeWarning)
        study, kind, method = random_study(rng)
    over = excess(study)
    while True:
        trial = study.ask(wait=bool(rng.random() < 0.7), count=bool(rng.random() < 0.5))
        over = max(over, excess(study))
        if trial is None:
            break
        settle(study, trial, rng)
        over = max(over, excess(study))
    budget, trials = study.spec.limits.budget or 0.0, study.trials
    visits = sum(one.is_visit for one in trials)
    return Walk(seed, kind, method, visits, study.state.left, over, 1 - spare(study) / budget)


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
    spec = study.spec
    here = spec.start
    paid = []
    for trial in study.trials:
        if trial.state is TrialState.SKIPPED:
            continue
        leg = 0.0 if here is None else float(spec.travel(here[None, :], trial.x[None, :])[0, 0])
        paid += [leg, spec.limits.run_cost * trial.count]
        here = trial.x
    if spec.limits.end is not None and here is not None:
        paid.append(float(spec.travel(here[None, :], spec.limits.end[None, :])[0, 0]))
    return float((spec.limits.budget or 0.0) - sum(paid))


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
    study = wf.Study.create(
        space,
        direction="maximize",
        travel=travel,
        trials=int(rng.integers(1, most + 1)),
        start=start,
        method=method,
        seed=int(rng.integers(1000)),
        budget=budget + 1e-6,
        end="start" if returns else end,
        run_cost=0.0 if rng.random() < 0.5 else size * float(rng.choice([0.01, 0.1, 0.5])),
    )
    return study, f"{kind}, {name}", method


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
        "# Travel budgets",
        "",
        f"{len(walks):,} random studies walked to their end by `python benchmarks/limits.py`. After every",
        "move all legs, the cost of the results and the way home were added up anew and held against the",
        "budget.",
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
    worst = max(one.over for one in walks)
    lines += [
        "",
        f"Methods: {said}. The most that a budget was exceeded by, in proportion, is {worst:.1e}; rounding",
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
