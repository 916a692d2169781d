"""What studies find: whole studies on problems whose best place is known, ours beside those of other programs.

``python -m benchmarks.belief find --only mixed --methods ucb --seeds 3 --jobs 1`` runs and prints a compact table;
nothing is kept. With ``--save`` the rows are kept in results/finding.csv and shown in docs/belief.md by ``python -m
benchmarks.belief page``. A run that was cut off goes on; rows of our methods that other code made are made again,
those of other programs only if ``--methods`` names them together with ``--again``.

Every study keeps one place: ``study.best()``, or for another program the best result observed that kept the
measured limits. The true value of that place is what counts.
"""

import argparse
import csv
import math
import multiprocessing
import os
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")  # read when numpy and torch are imported, here and in the workers
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np
from attrs import field, frozen

from belief.problems import PROBLEMS, WORST_SOLVENT, Lab, Part
from wayfare._core.arrays import Mask, Points, Values
from wayfare._core.rng import one_thread, stream
from wayfare.bench.cell import own_digest
from wayfare.bench.report import markdown
from wayfare.bench.results import as_csv, write_whole
from wayfare.errors import GuaranteeWarning, InvalidInput, TooEarly
from wayfare.exchange import import_csv
from wayfare.planning.method import Method
from wayfare.space import Choice, Integer, Real, Space
from wayfare.study.study import Study

ROWS = Path(__file__).resolve().parent / "results" / "finding.csv"
OURS = ("ucb", "tucb", "ei", "wayfare")
BEFORE = "before "
"""Begins the names of our methods as they were before the belief was rebuilt (commit 1e9069a)."""
SEEDS: dict[Part, int] = {"mixed": 10, "reactor": 20, "values": 10, "old": 20, "failing": 20, "measured": 20}
"""How many seeds each part has, from 0 on."""
PARTS = tuple(SEEDS)
MISSED = 0.05
"""A place that is short of the best by more than this part of the spread is missed."""
SAME = 1e-3
"""Two places are the same if no axis differs by more than this part of it."""


class Row(NamedTuple):
    """A study: which, what it found, and what it took.

    Attributes:
        part: the part of the benchmark.
        problem: the problem.
        method: the method; "before ..." is ours as it was.
        seed: the seed.
        trials: the number of trials.
        kept: the true value at the place kept; nan if none is.
        seen: the best true value of all places visited that may be kept.
        spread: the best value less the mean.
        short: by which part of the spread the place kept is short; infinite if it breaks a limit or fails.
        seen_short: the same for the best place visited.
        choice: the values of the choices at the place kept.
        every_value: after how many trials every value of every choice had been tried; 0 if never.
        failed: how many trials failed.
        repeats: how often a place was handed out right after it had failed.
        places: how many different places were visited.
        movement: what moving cost, in the unit of the problem.
        planner_cpu: CPU seconds of planning.
        code: the digest of our code, or the version of another program.
    """

    part: str
    problem: str
    method: str
    seed: int
    trials: int
    kept: float
    seen: float
    spread: float
    short: float
    seen_short: float
    choice: str
    every_value: int
    failed: int
    repeats: int
    places: int
    movement: float
    planner_cpu: float
    code: str


@frozen(eq=False)
class Found:
    """What a study did: the places in the order of visits, which failed, the place kept, and CPU of planning."""

    x: Points = field(repr=False)
    failed: Mask = field(repr=False)
    kept: Values | None
    planner_cpu: float


# Running a study of each program.


class Cell(NamedTuple):
    """A study to run."""

    problem: str
    method: str
    seed: int


Runner = Callable[[Lab, str], Found]


def run_ours(lab: Lab, method: str | Method) -> Found:
    """Run a study with one of our methods."""
    problem, options = lab.problem, dict[str, Any]()
    if problem.limits:
        from wayfare.surrogate.measured import Measured  # not at the top: code of before has none

        options["measured"] = [Measured(one.name, at_most=one.most, at_least=one.least) for one in problem.limits]
    study = Study.create(
        lab.space,
        direction="maximize",
        travel=problem.travel,
        trials=problem.trials,
        start=lab.start,
        method=method,
        seed=lab.seed,
        unit=problem.unit,
        **options,
    )
    if problem.old:
        import_csv(study, old_as_csv(lab), prior=True)
    failed, cpu = [], 0.0
    while True:
        before = time.process_time()
        trial = study.ask()
        cpu += time.process_time() - before
        if trial is None:
            break
        failed.append(bool(lab.fails(trial.x[None, :])[0]))
        if failed[-1]:
            study.fail(trial, "broke down")
            continue
        value, numbers = lab.result(trial.x, trial.number - problem.old)
        more: dict[str, Any] = {}
        if problem.limits:
            more["measured"] = {limit.name: number for limit, number in zip(problem.limits, numbers, strict=True)}
        study.tell(trial, value, **more)
    x = np.array([trial.x for trial in study.trials[problem.old :]])
    try:
        kept: Values | None = lab.space.points(dict(study.best().params))[0]
    except TooEarly:
        kept = None
    return Found(x, np.array(failed), kept, cpu)


def old_as_csv(lab: Lab) -> str:
    """Return the old results as a table to import."""
    x, values = lab.old_results()
    rows = [(*lab.space.params(place).values(), value) for place, value in zip(x, values, strict=True)]
    return as_csv((*lab.space.names, "value"), rows).decode()


@frozen
class Log:
    """The visits of another program, told one by one; the place kept is the best result that kept every limit."""

    lab: Lab
    x: list[Values] = field(factory=list)
    failed: list[bool] = field(factory=list)
    values: list[float] = field(factory=list)
    numbers: list[list[float]] = field(factory=list)

    def visit(self, x: Values) -> float | None:
        """Return the result at a place; None if it fails."""
        value, numbers = self.lab.result(x, len(self.x))
        fails = bool(self.lab.fails(x[None, :])[0])
        keeps = all(
            one.excess(np.array(number)) <= 0 for one, number in zip(self.lab.problem.limits, numbers, strict=True)
        )
        self.x.append(x)
        self.failed.append(fails)
        self.numbers.append(numbers)
        self.values.append(value if keeps and not fails else -math.inf)
        return None if fails else value

    def found(self, cpu: float) -> Found:
        """Return the study as it went."""
        best = int(np.argmax(self.values))
        kept = self.x[best] if self.values[best] > -math.inf else None
        if self.lab.problem.old:
            x, values = self.lab.old_results()
            if values.max() > self.values[best]:
                kept = x[values.argmax()]
        return Found(np.array(self.x), np.array(self.failed), kept, cpu)


def run_random(lab: Lab, method: str) -> Found:
    """Visit places drawn at random, the start first."""
    log, rng = Log(lab), stream(lab.seed, "random", lab.problem.name)
    log.visit(lab.start)
    unit = rng.random((lab.problem.trials - 1, lab.space.d))
    for x in lab.space.at(unit):
        log.visit(x)
    return log.found(0.0)


def run_optuna(lab: Lab, method: str) -> Found:
    """Run a study of Optuna as its manual shows, with one of its samplers."""
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    samplers = {"Optuna TPE": optuna.samplers.TPESampler, "Optuna GP": optuna.samplers.GPSampler}
    study = optuna.create_study(direction="maximize", sampler=samplers[method](seed=lab.seed))
    kinds = optuna_axes(lab.space)
    if lab.problem.old:
        for x, value in zip(*lab.old_results(), strict=True):
            study.add_trial(optuna.create_trial(params=lab.space.params(x), distributions=kinds, value=float(value)))
    log, cpu = Log(lab), 0.0
    for _ in range(lab.problem.trials):
        before = time.process_time()
        trial = study.ask(kinds)
        cpu += time.process_time() - before
        value = log.visit(lab.space.points(dict(trial.params))[0])
        if value is None:
            study.tell(trial, state=optuna.trial.TrialState.FAIL)
        else:
            study.tell(trial, value)
    return log.found(cpu)


def optuna_axes(space: Space) -> dict[str, Any]:
    """Return the axes as Optuna names them."""
    from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution

    kinds: dict[str, Any] = {}
    for axis in space.axes:
        if isinstance(axis, Choice):
            kinds[axis.name] = CategoricalDistribution(list(axis.values))
        elif isinstance(axis, Integer):
            kinds[axis.name] = IntDistribution(axis.low, axis.high, step=axis.step)
        else:
            kinds[axis.name] = FloatDistribution(axis.low, axis.high, log=axis.log)
    return kinds


def run_botorch(lab: Lab, method: str) -> Found:
    """Run BoTorch's constrained expected improvement, a model for each output.

    As its manual shows: 2 (d + 1) places at first, the start among them; then qLogEI with constraints, or
    qLogProbabilityOfFeasibility while nothing complied; 5 restarts from 128 raw samples.
    """
    import torch
    from botorch.acquisition.factory import get_acquisition_function
    from botorch.acquisition.objective import GenericMCObjective
    from botorch.fit import fit_gpytorch_mll
    from botorch.models.gp_regression import SingleTaskGP
    from botorch.models.gp_regression_mixed import MixedSingleTaskGP
    from botorch.models.model_list_gp_regression import ModelListGP
    from botorch.models.transforms import Normalize, Standardize
    from botorch.optim.optimize import optimize_acqf, optimize_acqf_mixed
    from gpytorch.mlls import SumMarginalLogLikelihood

    torch.set_num_threads(1)
    torch.manual_seed(lab.seed)
    space, limits = lab.space, lab.problem.limits
    choices = [at for at, axis in enumerate(space.axes) if isinstance(axis, Choice)]
    real = [at for at, axis in enumerate(space.axes) if isinstance(axis, Real)]
    # Numbers as shares of their axes, choices as positions.
    bounds = torch.tensor([[0.0] * space.d, [float(len(axis.choices or "01") - 1) for axis in space.axes]]).double()
    scale = Normalize(space.d, indices=real, bounds=bounds)

    def shares(x: Points) -> Any:
        columns = [x[:, at] if at in choices else axis.encode(x[:, at])[:, 0] for at, axis in enumerate(space.axes)]
        return torch.tensor(np.column_stack(columns))

    def places(u: Any) -> Points:
        columns = u.detach().numpy().T
        parts = [c if at in choices else space.axes[at].place(c) for at, c in enumerate(columns)]
        return space.snap(np.column_stack(parts))

    constraints: list[Any] = [
        (lambda z, k=k, one=one: z[..., k] - one.most if one.most is not None else one.least - z[..., k])
        for k, one in enumerate(limits, 1)
    ]
    log, cpu, told = Log(lab), 0.0, []

    def visit(x: Values) -> None:
        value = log.visit(x)
        assert value is not None
        told.append([value, *log.numbers[-1]])

    visit(lab.start)
    for x in space.sample(2 * space.d + 1, stream(lab.seed, "initial", lab.problem.name)):
        visit(x)
    while len(log.x) < lab.problem.trials:
        before = time.process_time()
        u, y = shares(np.array(log.x)), torch.tensor(np.array(told))
        models = [
            MixedSingleTaskGP(u, y[:, [k]], choices, input_transform=scale, outcome_transform=Standardize(1))
            if choices
            else SingleTaskGP(u, y[:, [k]], input_transform=scale, outcome_transform=Standardize(1))
            for k in range(y.shape[1])
        ]
        model = ModelListGP(*models)
        fit_gpytorch_mll(SumMarginalLogLikelihood(model.likelihood, model))
        score = get_acquisition_function(
            "qLogEI" if max(log.values) > -math.inf else "qLogPF",
            model,
            GenericMCObjective(lambda z, *at: z[..., 0]),
            u,
            constraints=constraints,
            mc_samples=128,
        )
        if choices:
            fixed = [{choices[0]: float(k)} for k in range(len(space.axes[choices[0]].choices or ()))]
            new, _ = optimize_acqf_mixed(score, bounds, 1, 5, fixed_features_list=fixed, raw_samples=128)
        else:
            new, _ = optimize_acqf(score, bounds, 1, 5, raw_samples=128)
        cpu += time.process_time() - before
        visit(places(new)[0])
    return log.found(cpu)


PEERS: dict[str, tuple[Runner, str]] = {
    "random": (run_random, ""),
    "Optuna TPE": (run_optuna, "optuna"),
    "Optuna GP": (run_optuna, "optuna"),
    "BoTorch cEI": (run_botorch, "botorch"),
}
"""Other programs: what runs them, and the package whose version is noted."""


def methods_of(part: str) -> tuple[str, ...]:
    """Return the methods of a part."""
    return (*OURS, "random", "BoTorch cEI") if part == "measured" else (*OURS, "random", "Optuna TPE", "Optuna GP")


def measure(cell: Cell, before: bool = False) -> Row:
    """Run a study and return its row."""
    lab = PROBLEMS[cell.problem].under(cell.seed)
    code = own_digest()
    with one_thread(), warnings.catch_warnings():
        if cell.method in PEERS:
            warnings.simplefilter("ignore")
            run, package = PEERS[cell.method]
            found, code = run(lab, cell.method), f"{package} {version(package)}" if package else ""
        else:
            warnings.simplefilter("ignore", GuaranteeWarning)  # heating and cooling differ, on purpose
            found = run_ours(lab, cell.method)
    return row_of(lab, found, (BEFORE if before else "") + cell.method, code)


def row_of(lab: Lab, found: Found, method: str, code: str) -> Row:
    """Return the row of a study."""
    problem, x = lab.problem, found.x
    good = ~found.failed & lab.complies(x)
    seen = float(lab.value(x[good]).max()) if good.any() else math.nan
    kept, short, choice = math.nan, math.inf, ""
    if found.kept is not None:
        place = found.kept[None, :]
        kept = float(lab.value(place)[0])
        params = lab.space.params(found.kept)
        choice = ", ".join(str(params[axis.name]) for axis in lab.space.axes if isinstance(axis, Choice))
        if lab.complies(place)[0] and not lab.fails(place)[0]:
            short = problem.short(kept)
    starts = np.concatenate([lab.start[None, :], x[:-1]])
    travel = problem.travel.bind(lab.space)
    movement = sum(float(travel(a[None, :], b[None, :])[0, 0]) for a, b in zip(starts, x, strict=True))
    return Row(
        problem.part,
        problem.name,
        method,
        lab.seed,
        problem.trials,
        kept,
        seen,
        problem.spread,
        short,
        problem.short(seen) if good.any() else math.inf,
        choice,
        every_value(lab, x),
        int(found.failed.sum()),
        repeats(lab, x, found.failed),
        len(np.unique(np.round(lab.space.encode(x) / SAME), axis=0)),
        movement,
        found.planner_cpu,
        code,
    )


def every_value(lab: Lab, x: Points) -> int:
    """Return after how many visits every value of every choice had been tried, old results included; 0 if never."""
    old = lab.old_results()[0] if lab.problem.old else x[:0]
    last = 0
    for at, axis in enumerate(lab.space.axes):
        for position in range(axis.size if isinstance(axis, Choice) else 0):
            if (old[:, at] == position).any():
                continue
            tried = np.flatnonzero(x[:, at] == position)
            if not len(tried):
                return 0
            last = max(last, int(tried[0]) + 1)
    return last


def repeats(lab: Lab, x: Points, failed: Mask) -> int:
    """Return how often a place was handed out right after it had failed."""
    moved = np.abs(np.diff(lab.space.encode(x), axis=0)).max(axis=1)
    return int((failed[:-1] & (moved <= SAME)).sum())


# Rows in a file.


def cells_of(parts: Iterable[str], methods: Sequence[str] | None, seeds: int | None) -> list[Cell]:
    """Return the studies of these parts, seed by seed: a run that is cut off has done some seeds of everything."""
    cells = [
        Cell(problem.name, method, seed)
        for problem in PROBLEMS.values()
        if problem.part in parts
        for method in methods_of(problem.part)
        if methods is None or method in methods
        for seed in range(SEEDS[problem.part] if seeds is None else seeds)
    ]
    return sorted(cells, key=lambda cell: cell.seed)


def read_rows(file: Path = ROWS) -> list[Row]:
    """Return the rows of a file."""
    if not file.exists():
        return []
    kinds = list(Row.__annotations__.values())
    with file.open(newline="") as lines:
        sheet = csv.reader(lines)
        if (head := tuple(next(sheet, ()))) != Row._fields:
            raise InvalidInput(f"{file}: these columns are not ours: {', '.join(head)}; delete it")
        return [Row(*(kind(cell) for kind, cell in zip(kinds, row, strict=True))) for row in sheet]


def write_rows(rows: Iterable[Row], file: Path = ROWS) -> None:
    """Write the rows in a fixed order, numbers to six digits."""
    problems, methods = list(PROBLEMS), [*PEERS, *OURS, *(BEFORE + method for method in OURS)]
    ordered = sorted(rows, key=lambda row: (problems.index(row.problem), methods.index(row.method), row.seed))
    plain = ([f"{cell:.6g}" if isinstance(cell, float) else cell for cell in row] for row in ordered)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, as_csv(Row._fields, plain))


def measured(cells: Sequence[Cell], jobs: int, before: bool) -> Iterator[Row]:
    """Yield the rows of the cells as they come."""
    if jobs == 1:
        for cell in cells:
            yield measure(cell, before)
        return
    # Not forked: the threads of BLAS are limited when it is imported.
    with ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("spawn")) as pool:
        for future in as_completed([pool.submit(measure, cell, before) for cell in cells]):
            yield future.result()


# Tables.


class Table(NamedTuple):
    """A table: its title, head and rows."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]

    @property
    def as_markdown(self) -> str:
        """The table for a page."""
        return markdown(self.head, self.rows)

    @property
    def as_text(self) -> str:
        """The table for a terminal."""
        lines = [self.head, *self.rows]
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        signs = ("<", *">" * (len(widths) - 1))
        return "\n".join(
            "  ".join(f"{cell:{sign}{width}}" for cell, sign, width in zip(line, signs, widths, strict=True))
            for line in lines
        )


def tables(rows: Sequence[Row]) -> Iterator[Table]:
    """Yield the tables of all parts that there are rows of."""
    makers = {
        "mixed": mixed_table,
        "reactor": reactor_table,
        "values": values_table,
        "old": old_table,
        "failing": failing_table,
        "measured": measured_table,
    }
    for part, make in makers.items():
        if own := [row for row in rows if row.part == part]:
            yield make(own)


def by_method(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Return the rows of each method, ours first, then ours as it was, then the others."""
    rows = list(rows)
    order = [*OURS, *(BEFORE + method for method in OURS), *PEERS]
    found = {method: [row for row in rows if row.method == method] for method in order}
    return {method: own for method, own in found.items() if own}


def missed(rows: Sequence[Row]) -> str:
    """Return ``3 of 10``: how many studies kept a place that is too far short of the best."""
    return f"{sum(row.short > MISSED for row in rows)} of {len(rows)}" if rows else "-"


def share_missed(rows: Sequence[Row]) -> float:
    """Return the share of the studies that kept a place too far short of the best."""
    return sum(row.short > MISSED for row in rows) / len(rows) if rows else math.nan


def percent(share: float) -> str:
    """Return a share in percent."""
    return "-" if math.isnan(share) else f"{100 * share:.0f}%"


def mixed_table(rows: Sequence[Row]) -> Table:
    """Return how often each method missed on each mixed problem."""
    names = [name for name in PROBLEMS if any(row.problem == name for row in rows)]
    methods = by_method(rows)
    lines = []
    for name in names:
        cells = [missed([row for row in own if row.problem == name]) for own in methods.values()]
        lines.append((f"{name} (held out)" if PROBLEMS[name].held_out else name, *cells))
    for title, held_out in (("all but held out", False), ("all held out", True)):
        groups = [[row for row in own if PROBLEMS[row.problem].held_out == held_out] for own in methods.values()]
        if any(groups):
            lines.append((title, *(percent(share_missed(group)) for group in groups)))
    return Table("Mixed problems: studies that missed", ("problem", *methods), lines)


def reactor_table(rows: Sequence[Row]) -> Table:
    """Return the mean yield kept in the reactor, and how often the worst solvent."""
    lines = [
        (
            method,
            f"{np.mean([row.kept for row in own]):.3f}",
            f"{min(row.kept for row in own):.3f}",
            f"{sum(row.choice == WORST_SOLVENT for row in own)} of {len(own)}",
            f"{np.mean([row.movement for row in own]):.0f}",
        )
        for method, own in by_method(rows).items()
    ]
    head = ("method", "mean true yield kept", "least", "worst solvent kept", "mean movement [min]")
    return Table("Reactor of four solvents", head, lines)


def values_table(rows: Sequence[Row]) -> Table:
    """Return by which trial every one of eight values was tried."""
    lines = []
    for method, own in by_method(rows).items():
        tried = [row.every_value for row in own if row.every_value]
        last = f"{max(tried)}" if len(tried) == len(own) else "never"
        lines.append(
            (
                method,
                f"{sum(0 < row.every_value <= 30 for row in own)} of {len(own)}",
                f"{np.median(tried):.0f}" if tried else "-",
                last,
                missed(own),
            )
        )
    return Table("Eight values", ("method", "all tried by trial 30", "median", "latest", "missed"), lines)


def old_table(rows: Sequence[Row]) -> Table:
    """Return when a study that begins with old results tries the new value, and whether it keeps it."""
    lines = []
    for method, own in by_method(rows).items():
        tried = [row.every_value for row in own if row.every_value]
        kept = sum(row.choice == PROBLEMS[row.problem].new for row in own)
        lines.append(
            (
                method,
                f"{len(tried)} of {len(own)}",
                f"{np.median(tried):.0f}" if tried else "-",
                f"{max(tried)}" if tried else "-",
                f"{kept} of {len(own)}",
                missed(own),
            )
        )
    head = ("method", "new solvent tried", "first at trial, median", "latest", "new solvent kept", "missed")
    return Table("Old results, and a new solvent", head, lines)


def failing_table(rows: Sequence[Row]) -> Table:
    """Return what failed, what was found and what was repeated, for each problem and method."""
    lines = []
    for method, own in by_method(rows).items():
        for name in (*dict.fromkeys(row.problem for row in own), "all"):
            group = [row for row in own if name in (row.problem, "all")]
            # Nothing kept counts as a place at random.
            reached = [1 - min(1.0, row.short) for row in group]
            value = [row.kept / PROBLEMS[row.problem].best if row.short < math.inf else 0.0 for row in group]
            lines.append(
                (
                    f"{method}, {name}",
                    f"{np.mean([row.failed for row in group]):.1f}",
                    percent(float(np.mean(reached))),
                    percent(float(np.mean(value))),
                    missed(group),
                    f"{sum(row.repeats for row in group)}",
                )
            )
    head = ("method, problem", "mean failed of 40", "spread reached", "of the best value", "missed", "repeats")
    return Table("Regions that always fail", head, lines)


def measured_table(rows: Sequence[Row]) -> Table:
    """Return in how many studies the best that complies was found: at the place kept, and among those visited."""
    names = [name for name in PROBLEMS if any(row.problem == name for row in rows)]
    lines = []
    for method, own in by_method(rows).items():
        cells = []
        for name in names:
            group = [row for row in own if row.problem == name]
            hits = [sum(short <= MISSED for short in column) for column in zip(*map(shorts, group), strict=True)]
            cells.append(f"{hits[0]}, {hits[1]} of {len(group)}" if group else "-")
        counted = [row for row in own if not PROBLEMS[row.problem].held_out]
        lines.append((method, *cells, percent(1 - share_missed(counted))))
    heads = [f"{name} (held out)" if PROBLEMS[name].held_out else name for name in names]
    return Table("Measured limits: found, at the place kept and among all visited", ("method", *heads, "kept"), lines)


def shorts(row: Row) -> tuple[float, float]:
    """Return how far the place kept and the best visited are short."""
    return row.short, row.seen_short


WORDS = {
    "mixed": f"""\
Studies of 60 trials in spaces with choices and integers, twelve problems and five more that were held out while the
model was chosen. *Missed* is a study that keeps a place more than {MISSED:.0%} of the spread short of the best; the
spread is the best value less the mean of the function. Under each seed the values of a choice are listed in another
order and the traveller starts elsewhere. `ucb` looks farther the more combinations of values there are
([why](#how-far-ucb-looks-where-there-are-choices)); nothing was chosen under these seeds.""",
    "reactor": """\
Four solvents, the same hill in each with heights .60, .75, .85 and 1.00 over temperature and residence time; 40
trials, the noise of one result is .01.""",
    "values": """\
Eight values of an additive choice and two numbers, 100 trials: after how many trials had every value been tried?""",
    "old": """\
The reactor again, with 12 old results in three solvents; the fourth solvent, the best, is new. 40 trials.""",
    "failing": """\
Visits fail in a hidden region: beyond a pressure that cuts off the top of the hill, in a disc around the
highest hill, and with one of five salts, which would be the best. 40 trials. *Spread reached* is the true value at
the place kept less the mean of what can be reached, over the best of what can be reached less that mean; *of the
best value* is the plain ratio. *Repeats* counts places that were handed out right after they had failed, in all
studies together. Optuna is told of a failure by its state FAIL, and learns nothing from it.""",
    "measured": """\
Numbers measured at each visit must keep limits, 60 trials. In each cell: in how many studies the place kept is
within 5% of the spread of the best that complies, and in how many the best compliant place among all visited is.
gardner-1 and gardner-2 are the simulations of Gardner et al. 2014 (Bayesian Optimization with Inequality
Constraints), gramacy is the toy problem of Gramacy et al. 2016 (Modeling an Augmented Lagrangian for Blackbox
Constrained Optimization), all three without noise; in the others a place complies if it breaks no limit by more
than one standard deviation of the measurement. BoTorch runs qLogEI with constraints and a model per output (a
MixedSingleTaskGP with choices), from the same starts and 2 (d + 1) places at first.""",
}


def section(rows: Sequence[Row] | None = None) -> str:
    """Return the part of docs/belief.md on what studies find, from the committed rows if none are given."""
    rows = read_rows() if rows is None else rows
    text = [
        "## What studies find",
        "Whole studies on problems whose truth is known: our methods as they are now, as they were before the belief "
        "was rebuilt (*before*), and other programs as their manuals show them.",
    ]
    present = [part for part in PARTS if any(row.part == part for row in rows)]
    for part, table in zip(present, tables(rows), strict=True):
        text += [f"### {table.title}", WORDS[part], table.as_markdown]
    if verdicts := [f"- {line}" for line in judged(rows)]:
        text += ["### Against the limits set", "\n".join(verdicts)]
    return "\n\n".join(text) + "\n"


def judged(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a line for each limit that was set for our methods: the number, the limit, and whether it holds."""

    def of(part: str, method: str, held_out: bool | None = None) -> list[Row]:
        own = [row for row in rows if row.part == part and row.method == method]
        return own if held_out is None else [row for row in own if PROBLEMS[row.problem].held_out == held_out]

    def line(words: str, holds: bool) -> str:
        return f"{words}: {'holds' if holds else '**missed**'}"

    if own := of("mixed", "ucb", held_out=False):
        share, theirs = share_missed(own), share_missed(of("mixed", "Optuna GP", held_out=False))
        limit = f"`ucb` missed in {percent(share)} of the studies on mixed problems, at most 15% and at most the "
        yield line(limit + f"{percent(theirs)} of Optuna's GPSampler", share <= 0.15 and not share > theirs)
    for method in OURS:
        if own := of("reactor", method):
            mean, worst = float(np.mean([row.kept for row in own])), sum(row.choice == WORST_SOLVENT for row in own)
            words = f"`{method}` keeps a yield of {mean:.3f} in the reactor, at least .97, "
            yield line(words + f"and the worst solvent {worst} times", mean >= 0.97 and not worst)
    for method in ("ucb", "wayfare"):
        if own := of("values", method):
            hits = sum(0 < row.every_value <= 30 for row in own)
            yield line(f"`{method}` tries all of eight values by trial 30 in {hits} of {len(own)}", hits == len(own))
    for method in OURS:
        if own := of("failing", method):
            failed = float(np.mean([row.failed for row in own]))
            reached = float(np.mean([1 - min(1.0, row.short) for row in own]))
            again = sum(row.repeats for row in own)
            words = (
                f"`{method}` has {failed:.1f} failed runs of 40, at most 8, reaches {percent(reached)}, at least 95%, "
            )
            yield line(words + f"and repeats {again} failed places", failed <= 8 and reached >= 0.95 and not again)
    for method in OURS:
        if own := of("measured", method, held_out=False):
            share = 1 - share_missed(own)
            yield line(f"`{method}` finds the best that complies in {percent(share)}, at least 80%", share >= 0.8)


# The command line.


def main(arguments: list[str] | None = None) -> int:
    """Run the studies that are asked for, and print their tables."""
    options = parser().parse_args(arguments)
    try:
        find(options)
    except InvalidInput as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    return 0


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="python -m benchmarks.belief find",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--only", default=",".join(PARTS), help=f"parts, by commas (default all: {', '.join(PARTS)})")
    top.add_argument("--problems", help="names of problems, by commas (default all of the parts)")
    top.add_argument("--methods", help=f"by commas (default all: {', '.join((*OURS, *PEERS))})")
    top.add_argument("--seeds", type=int, help="how many, from 0 on (default 10 or 20, by part)")
    top.add_argument("--jobs", type=int, default=1, help="processes (default 1)")
    top.add_argument("--save", action="store_true", help="keep the rows in results/finding.csv; run what is missing")
    top.add_argument("--again", action="store_true", help="with --save: run what is kept already, too")
    top.add_argument("--before", action="store_true", help="keep the rows of our methods as 'before ...'")
    return top


def find(options: argparse.Namespace) -> None:
    """Run what is asked for; print it beside the kept rows of other programs and of the code before."""
    parts = split(options.only, PARTS, "--only") or PARTS
    problems = split(options.problems, PROBLEMS, "--problems")
    cells = cells_of(parts, split(options.methods, (*OURS, *PEERS), "--methods"), options.seeds)
    cells = [cell for cell in cells if problems is None or cell.problem in problems]
    if options.before:
        cells = [cell for cell in cells if cell.method in OURS and PROBLEMS[cell.problem].part != "measured"]
    kept = {(row.problem, row.method, row.seed): row for row in read_rows()}
    new: dict[tuple[str, str, int], Row] = {}
    wanted = cells
    if options.save and not options.again:
        wanted = [cell for cell in cells if is_missing(cell, kept, options.before)]
    for row in measured(wanted, options.jobs, options.before):
        new[row.problem, row.method, row.seed] = row
        print(f"{row.method} on {row.problem}, seed {row.seed}: short by {row.short:.3f}", file=sys.stderr)
        if options.save:
            # Another run may have written since.
            kept = {(one.problem, one.method, one.seed): one for one in read_rows()} | new
            write_rows(kept.values())
    shown = {(cell.problem, cell.seed) for cell in cells}
    others = (row for key, row in kept.items() if (row.problem, row.seed) in shown)
    rows = {key_of(row): row for row in others if options.save or row.method not in OURS}
    for table in tables(list((rows | new).values())):
        print(f"\n{table.title}\n{table.as_text}")


def key_of(row: Row) -> tuple[str, str, int]:
    """Return what a row is kept under."""
    return row.problem, row.method, row.seed


def is_missing(cell: Cell, kept: dict[tuple[str, str, int], Row], before: bool) -> bool:
    """Return whether no row of this study is kept, or for our methods none of this code."""
    row = kept.get((cell.problem, (BEFORE if before else "") + cell.method, cell.seed))
    return row is None or (cell.method in OURS and row.code != own_digest())


def split(text: str | None, known: Iterable[str], option: str) -> list[str] | None:
    """Return the names in a list by commas."""
    if text is None:
        return None
    names = [name.strip() for name in text.split(",") if name.strip()]
    for name in names:
        if name not in known:
            raise InvalidInput(f"{option}: there is no {name!r}; choose from {', '.join(known)}")
    return names


if __name__ == "__main__":
    # Under its own name, so that other processes can import what they are to run.
    from belief.finding import main as own_main

    sys.exit(own_main())
