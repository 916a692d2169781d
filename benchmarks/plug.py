"""One line changed: Optuna's own samplers beside ours, in the same loop on the same problems with a travel cost.

``python benchmarks/plug.py`` runs what is missing in plug.csv and writes plug.md; ``--page`` writes the page alone.
"""

import csv
import sys
import time
import warnings
from collections.abc import Iterable
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from belief.finding import optuna_axes
from tournament.grounds import Ground, grounds
from wayfare._core.rng import stream
from wayfare.bench.report import markdown
from wayfare.bench.results import write_whole
from wayfare.errors import GuaranteeWarning, InvalidInput
from wayfare.space import Space

HERE = Path(__file__).resolve().parent
ROWS, PAGE = HERE / "plug.csv", HERE / "plug.md"
PROBLEMS = ("branin", "hartmann6", "snar", "esters")
SAMPLERS = ("TPESampler", "GPSampler", "WayfareSampler")
SEEDS, TRIALS = 10, 60


class Row(NamedTuple):
    """A study: which, what it found, and what it took.

    Attributes:
        problem: the problem.
        sampler: the sampler.
        seed: the seed, of the problem and the sampler.
        trials: the number of trials.
        movement: what moving cost, from the start on, in the unit of the problem.
        short: by which part of what there is to gain, the best value less the mean, the best trial is short.
        cpu: seconds of all of ``study.optimize``; the problems take next to none.
        code: the version of Optuna.
    """

    problem: str
    sampler: str
    seed: int
    trials: int
    movement: float
    short: float
    cpu: float
    code: str


def sampler_of(name: str, ground: Ground, seed: int) -> Any:
    """Return a sampler as its users make it."""
    import optuna

    if name != "WayfareSampler":
        return getattr(optuna.samplers, name)(seed=seed)
    from wayfare.plug.optuna import WayfareSampler

    problem = ground.under(seed)
    start = problem.space.params(problem.start)
    return WayfareSampler(travel=problem.travel, trials=TRIALS, space=_space(problem.space), start=start, seed=seed)


def _space(space: Any) -> Space:
    if not isinstance(space, Space):
        raise InvalidInput("Optuna takes axes, not a table of places")
    return space


def run(name: str, ground: Ground, seed: int) -> Row:
    """Run one study: the same loop for all samplers, but for the line that makes the sampler."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    warnings.simplefilter("ignore", optuna.exceptions.ExperimentalWarning)
    warnings.simplefilter("ignore", GuaranteeWarning)
    problem, kinds = ground.under(seed), optuna_axes(_space(ground.under(seed).space))
    noise = problem.noise * stream(seed, "noise").standard_normal(TRIALS)

    def objective(trial: Any) -> float:
        place = problem.space.points({axis: trial._suggest(axis, kind) for axis, kind in kinds.items()})
        return float(problem.function(place)[0] + noise[trial.number])

    before = time.process_time()
    study = optuna.create_study(direction="maximize", sampler=sampler_of(name, ground, seed))
    study.optimize(objective, n_trials=TRIALS)
    cpu = time.process_time() - before
    x = np.vstack([problem.space.points(dict(trial.params)) for trial in study.trials])
    travel, way = problem.travel.bind(problem.space), np.vstack([problem.start, x])
    movement = sum(float(travel(a[None, :], b[None, :])[0, 0]) for a, b in pairwise(way))
    short = float(problem.regret(x)[study.best_trial.number]) / ground.gain
    return Row(ground.name, name, seed, TRIALS, movement, short, cpu, f"optuna {version('optuna')}")


def read() -> list[Row]:
    """Return the rows of the file; none if there is none yet."""
    if not ROWS.exists():
        return []
    with ROWS.open(newline="") as file:
        return [
            Row(row[0], row[1], int(row[2]), int(row[3]), float(row[4]), float(row[5]), float(row[6]), row[7])
            for row in list(csv.reader(file))[1:]
        ]


def write(rows: Iterable[Row]) -> None:
    """Write the rows, in the order of problems, samplers and seeds."""
    ordered = sorted(rows, key=lambda row: (PROBLEMS.index(row.problem), SAMPLERS.index(row.sampler), row.seed))
    lines = [",".join(Row._fields)]
    lines += [
        f"{row.problem},{row.sampler},{row.seed},{row.trials},{row.movement:.6g},{row.short:.6g},{row.cpu:.3f},{row.code}"
        for row in ordered
    ]
    write_whole(ROWS, "\n".join(lines) + "\n")


def page(rows: list[Row]) -> str:
    """Return the page."""
    found = grounds("report")
    lines = []
    for problem in PROBLEMS:
        base = np.array([row.movement for row in rows if (row.problem, row.sampler) == (problem, "TPESampler")])
        for name in SAMPLERS:
            own = [row for row in rows if (row.problem, row.sampler) == (problem, name)]
            moved, short, cpu = (np.array([getattr(row, key) for row in own]) for key in ("movement", "short", "cpu"))
            unit = found[problem].under(0).unit
            lines.append(
                [
                    f"{problem} (d = {found[problem].d})",
                    name,
                    str(len(own)),
                    f"{moved.mean():.4g} {unit}".rstrip(),
                    f"{moved.mean() / base.mean():.2f}",
                    f"{100 * np.median(short):.1f}%",
                    f"{100 * short.mean():.1f}%",
                    f"{cpu.mean():.2f} s",
                ]
            )
    head = ["problem", "sampler", "seeds", "movement", "of TPE's", "short, median", "short, mean", "CPU"]
    ours = [row for row in rows if row.sampler == "WayfareSampler"]
    share = {
        name: np.exp(np.mean([np.log(_movement(ours, row) / row.movement) for row in rows if row.sampler == name]))
        for name in SAMPLERS[:2]
    }
    return f"""# One line changed: Optuna with movement planned

`make bench-plug` runs this and writes this page. The same loop, `study.optimize(objective, n_trials={TRIALS})`,
with three samplers on four problems, each with a cost of moving, noise and a start of its own under every seed
({rows[0].code}):

```diff
- study = optuna.create_study(direction="maximize", sampler=optuna.samplers.TPESampler())
+ study = optuna.create_study(direction="maximize", sampler=WayfareSampler(travel=travel, trials={TRIALS}))
```

Ours is also given the space and the start, so that its first trial is planned, too.

{markdown(head, lines)}

`movement` is the mean over seeds, the way from the start included; `short` is by how much of what there is to gain, the
best value less the mean over the space, the true value of Optuna's best trial falls short of the best; `CPU` is that of
the whole loop, on one core.

Over all studies `WayfareSampler` moves {share["TPESampler"]:.2f} times as much as `TPESampler` and
{share["GPSampler"]:.2f} times as much as `GPSampler` (geometric means). Optuna's samplers do not know the cost of
moving, and are not meant to: this shows what it takes to tell them. The problems are four of those that the default
method is [reported on](../docs/method.md), none of which it was tuned on.
"""


def _movement(ours: list[Row], row: Row) -> float:
    return next(one.movement for one in ours if (one.problem, one.seed) == (row.problem, row.seed))


def main(arguments: list[str]) -> None:
    """Run what is missing, and write the page."""
    rows, found = read(), grounds("report")
    if "--page" not in arguments:
        there = {row[:4] for row in rows}
        for problem in PROBLEMS:
            for name in SAMPLERS:
                for seed in range(SEEDS):
                    if (problem, name, seed, TRIALS) not in there:
                        rows.append(run(name, found[problem], seed))
                        write(rows)
    write_whole(PAGE, page(read()))


if __name__ == "__main__":
    main(sys.argv[1:])
