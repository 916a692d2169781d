"""How often a belief's intervals hold the truth: ours and its peers', on uniform designs and on data of studies.

``python -m benchmarks.belief calibrate --jobs 2`` measures what is missing in calibration.csv beside this file: a row
is kept as long as its data and the versions behind it are today's. ``--models wayfare`` measures our model alone and
keeps the rows of its peers. ``--quick`` is a small version in out/belief, to see that all works.

A belief is held against the truth at 2000 places drawn uniformly from the whole space. Values are in units of the
function's own standard deviation there. A model's sd counts as at least a thousandth of that, for all models alike:
being surer than that is worth nothing to a user. ``above`` is the share of the best 2% of the space that a belief rules
out: the true value lies above the upper end of the 95% interval.
"""

import argparse
import csv
import math
import sys
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import product
from pathlib import Path
from typing import NamedTuple

import numpy as np
from attrs import asdict, fields, frozen
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from scipy.stats import norm

from belief.functions import Function, functions
from belief.models import MODELS, OURS, Belief, suits, version_of
from wayfare._core.arrays import Points, Values
from wayfare._core.checks import nearest
from wayfare._core.rng import one_thread, stream
from wayfare.bench.harness import missing_extra
from wayfare.bench.results import as_csv, write_whole
from wayfare.bench.run import run_problem
from wayfare.errors import InvalidInput

HERE = Path(__file__).resolve().parent
ROWS, BEFORE = HERE / "calibration.csv", HERE / "before.csv"
SIZES = (10, 20, 50, 100)
UNIFORM = "uniform"
GATHERED = ("ucb", "tts", "wayfare")
"""The methods whose studies gather data, by their names in the catalogue."""
PEER_SIZES, PEER_SEEDS = (20, 100), 4
"""On gathered data, which change with our model, peers are judged at fewer sizes and under fewer seeds."""
QUICK = ("forrester", "branin", "moved3", "pair2x3")
LEAST_SD = 1e-3
"""The least sd of a belief, in units of the function's own."""


@frozen
class Row:
    """A model's belief given ``n`` results, held against the truth.

    Attributes:
        function: the name of the function.
        kind: ``real`` or ``mixed``.
        design: ``uniform``, or the method whose study gathered the data.
        n: the number of results.
        seed: decides the design and the noise.
        model: the name of the model.
        coverage50: the share of the space where the central 50% interval holds the truth.
        coverage80: the same of the 80% interval.
        coverage95: the same of the 95% interval.
        nll: the mean negative log density of the true value.
        rmse: the root mean square error of the mean.
        above: the share of the best 2% of the space above the upper end of the 95% interval; nan if uniform.
        data: a digest of the results.
        version: the versions of the packages behind the model.
    """

    function: str
    kind: str
    design: str
    n: int
    seed: int
    model: str
    coverage50: float
    coverage80: float
    coverage95: float
    nll: float
    rmse: float
    above: float
    data: str
    version: str


@frozen
class Cell:
    """The data of one design under one seed, and what is to be measured on them.

    Attributes:
        function: the name of the function.
        design: ``uniform``, or the method whose study gathers the data.
        seed: decides the data.
        wanted: pairs of a number of results and a model.
        known: rows that were measured before, today's or not.
    """

    function: str
    design: str
    seed: int
    wanted: tuple[tuple[int, str], ...]
    known: tuple[Row, ...] = ()


class Measures(NamedTuple):
    """What a row says of a belief."""

    coverage50: float
    coverage80: float
    coverage95: float
    nll: float
    rmse: float
    above: float


def judge(function: Function, belief_at: Callable[[Points], Belief], *, top: bool) -> Measures:
    """Return the measures of a belief.

    Args:
        function: the truth.
        belief_at: returns the belief at places.
        top: whether to look at the best 2% of the space, too.
    """
    n = len(function.tested)
    places = np.vstack([function.tested, function.top]) if top else function.tested
    belief = belief_at(places)
    error = (function(places) - belief.mean) / function.sd
    sd = np.maximum(belief.sd / function.sd, LEAST_SD)
    z = error / sd
    half = np.asarray(norm.ppf([0.75, 0.9, 0.975]))
    share50, share80, share95 = ((np.abs(z[:n]) <= end).mean() for end in half)
    density = -0.5 * np.square(z[:n]) - np.log(sd[:n]) - 0.5 * math.log(2 * math.pi)
    return Measures(
        float(share50),
        float(share80),
        float(share95),
        nll=-float(density.mean()),
        rmse=math.sqrt(np.square(error[:n]).mean()),
        above=float((z[n:] > half[-1]).mean()) if top else math.nan,
    )


def gather(function: Function, design: str, seed: int, n: int) -> tuple[Points, Values]:
    """Return the places and results of a design: uniform ones, or those that the study of a method visits."""
    if design != UNIFORM:
        run = run_problem(function.problem(seed), design, n, seed)
        return run.x, run.values
    x = function.uniform(n, UNIFORM, seed)
    noise = stream(seed, "belief", "noise", function.name).standard_normal(n)
    return x, function(x) + function.noise * function.sd * noise


def digest(x: Points, y: Values) -> str:
    """Return eight hex digits that change with the data, but not with their last digits."""
    text = " ".join(f"{number:.9g}" for number in (*x.ravel(), *y))
    return f"{zlib.crc32(text.encode()):08x}"


def measure(cell: Cell) -> list[Row]:
    """Return the rows of a cell; of those known, all that are about the same data and of today's versions."""
    function = functions()[cell.function]
    with one_thread():
        x, y = gather(function, cell.design, cell.seed, max(SIZES))
        data = {n: digest(x[:n], y[:n]) for n in SIZES}
        rows = {(row.n, row.model): row for row in cell.known if row.data == data.get(row.n)}
        for n, model in cell.wanted:
            if (n, model) in rows and rows[n, model].version == version_of(model):
                continue
            rng = stream(cell.seed, "belief", "fit", model)
            belief_at = partial(MODELS[model], function.space, x[:n], y[:n], rng=rng)
            found = judge(function, belief_at, top=cell.design != UNIFORM)
            about = (function.name, function.kind, cell.design, n, cell.seed, model)
            rows[n, model] = Row(*about, *found, data[n], version_of(model))
    return list(rows.values())


def cells_of(
    names: Sequence[str], designs: Sequence[str], seeds: int, models: Sequence[str], known: Sequence[Row]
) -> list[Cell]:
    """Return the cells of these functions, designs, seeds from 0 on and models."""
    there, cells = by_data(known), []
    for name, design, seed in product(names, designs, range(seeds)):
        suited = [model for model in models if suits(model, functions()[name].space)]
        wanted = [
            (n, model)
            for n, model in product(SIZES, suited)
            if model == OURS or design == UNIFORM or (n in PEER_SIZES and seed < PEER_SEEDS)
        ]
        cells.append(Cell(name, design, seed, tuple(wanted), tuple(there.get((name, design, seed), ()))))
    return cells


def by_data(rows: Iterable[Row]) -> dict[tuple[str, str, int], list[Row]]:
    """Return the rows by function, design and seed."""
    found: dict[tuple[str, str, int], list[Row]] = {}
    for row in rows:
        found.setdefault((row.function, row.design, row.seed), []).append(row)
    return found


def measured(cells: Sequence[Cell], jobs: int) -> Iterator[list[Row]]:
    """Yield the rows of each cell, in the order of the cells."""
    if jobs == 1:
        yield from map(measure, cells)
        return
    try:
        import joblib
    except ImportError as error:
        raise missing_extra("joblib", "bench") from error
    with joblib.parallel_config("loky", inner_max_num_threads=1):
        parallel = joblib.Parallel(n_jobs=jobs, return_as="generator", batch_size=1)
        yield from parallel(joblib.delayed(measure)(cell) for cell in cells)


def read_rows(file: Path) -> list[Row]:
    """Return the rows of a file, none if there is no such file."""
    if not file.exists():
        return []
    kinds = {name: kind for name, kind in Row.__annotations__.items() if kind in (int, float)}
    with file.open(newline="") as lines:
        sheet = csv.DictReader(lines)
        return [Row(**{name: kinds.get(name, str)(text or "nan") for name, text in line.items()}) for line in sheet]


def write_rows(rows: Sequence[Row], file: Path) -> None:
    """Write the rows in their order, numbers to six digits."""
    functions_, designs, models = (list(names) for names in (functions(), (UNIFORM, *GATHERED), MODELS))
    ordered = sorted(
        rows,
        key=lambda row: (
            functions_.index(row.function),
            designs.index(row.design),
            row.seed,
            row.n,
            models.index(row.model),
        ),
    )
    lines = ([brief(value) for value in asdict(row).values()] for row in ordered)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, as_csv([field.name for field in fields(Row)], lines))


def brief(value: object) -> object:
    """Return a number to six digits, nan as nothing, and all else as it is."""
    if not isinstance(value, float):
        return value
    return "" if math.isnan(value) else f"{value:.6g}"


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    try:
        calibrate(options)
    except InvalidInput as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    return 0


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="python -m benchmarks.belief calibrate",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    top.add_argument("--models", default=",".join(MODELS), help="names, by commas (default all)")
    top.add_argument("--functions", default=",".join(functions()), help="names, by commas (default all)")
    top.add_argument("--designs", default=",".join((UNIFORM, *GATHERED)), help="names, by commas (default all)")
    top.add_argument("--seeds", type=int, default=10, help="how many, from 0 on (default 10)")
    top.add_argument("--quick", action="store_true", help="four functions, one seed")
    top.add_argument("--jobs", type=int, default=1, help="processes; more than one needs joblib")
    top.add_argument("--out", type=Path, help="the file (default calibration.csv beside this module)")
    top.add_argument("--quiet", action="store_true", help="no progress bar")
    return top


def calibrate(options: argparse.Namespace) -> None:
    """Measure what is missing, and write the file."""
    names = chosen(options.functions, functions(), "functions")
    designs = chosen(options.designs, (UNIFORM, *GATHERED), "designs")
    models = chosen(options.models, MODELS, "models")
    if options.seeds < 1 or options.jobs < 1:
        raise InvalidInput(f"--seeds and --jobs must be 1 or more, got {options.seeds} and {options.jobs}")
    for model in models:
        version_of(model)  # a package that is missing is missed now
    out, seeds = options.out or ROWS, options.seeds
    if options.quick:
        out, seeds = options.out or Path("out/belief/calibration.csv"), 1
        names = [name for name in names if name in QUICK]
    known = read_rows(out)
    cells = cells_of(names, designs, seeds, models, known)
    rows = by_data(known)
    shown = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    try:
        with Progress(*shown, console=Console(stderr=True), disable=options.quiet) as bar:
            for cell, own in zip(cells, bar.track(measured(cells, options.jobs), len(cells)), strict=True):
                rows[cell.function, cell.design, cell.seed] = own
    finally:  # what was measured is kept, also if the run is cut off
        write_rows([row for own in rows.values() for row in own], out)
    print(out)


def chosen(text: str, known: Iterable[str], option: str) -> list[str]:
    """Return the names in a text; refuse unknown ones."""
    names = list(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    for name in names:
        if name not in (there := list(known)):
            raise InvalidInput(f"--{option}: there is no {name!r}; {nearest(name, there)}")
    return names
