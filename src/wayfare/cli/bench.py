"""``wayfare bench``: compare methods on benchmark problems, and report the results.

The benchmark is imported by the commands that need it, because it loads SciPy and Matplotlib.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wayfare._core.format import counted
from wayfare.cli.group import Interrupted
from wayfare.cli.input import FILE, json_option
from wayfare.cli.output import listing, plain, print_json
from wayfare.errors import InvalidInput

if TYPE_CHECKING:
    from wayfare.bench.harness import Outcome, Runner
    from wayfare.bench.suites import Suite


suite_argument = click.argument("suite")
out_option = click.option(
    "--out", type=FILE, metavar="DIR", default=Path("out/bench"), show_default=True, help="The folder of results."
)


@click.group()
def bench() -> None:
    """Compare methods on benchmark problems."""


@bench.command("list")
@json_option
def list_suites(as_json: bool) -> None:
    """List the suites: what is in them, and how many runs they take."""
    from wayfare.bench.suites import SUITES

    for suite in SUITES.values():
        axes = {"methods": suite.methods, "problems": suite.problems, "trials": suite.trials, "seeds": suite.seeds}
        grid = {"runs": len(suite.cells()), **axes}
        if as_json:
            print_json({"name": suite.name, "summary": suite.summary, **grid, "delays": suite.delays})
            continue
        if suite.delays != (0,):
            grid["late by"] = suite.delays
        click.echo(f"{suite.name}: {suite.summary}")
        click.echo(listing([(key, _joined(values)) for key, values in grid.items()], indent="  "))


def _joined(values: object) -> str:
    return ", ".join(map(str, values)) if isinstance(values, tuple) else str(values)


def _names(context: click.Context, parameter: click.Parameter, text: str | None) -> tuple[str, ...]:
    names = tuple(name.strip() for name in (text or "").split(",") if name.strip())
    if text is not None and not names:
        raise InvalidInput(f"--{parameter.name}: give at least one name")
    return names


@bench.command()
@suite_argument
@click.option("--methods", callback=_names, metavar="A,B", help="Only these, or others.")
@click.option("--problems", callback=_names, metavar="P,Q", help="Only these, or others.")
@click.option("--seeds", type=click.IntRange(1), metavar="N", help="How many, from 0 on.")
@click.option("--trials", type=click.IntRange(2), metavar="T", help="Trials of each run.")
@click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes; more than one needs joblib."
)
@click.option("--dask", metavar="ADDRESS", help="Run on the Dask cluster with this scheduler instead.")
@out_option
@click.option("--quiet", is_flag=True, help="No progress bar.")
def run(suite: str, jobs: int, dask: str | None, out: Path, quiet: bool, **axes: Any) -> None:
    """Run every method of SUITE on every problem, under every seed.

    A method or a problem of your own is written module:attribute: mine:patient is what mine.py in the current
    directory calls patient.

    The results are the same however they are run. Sent again after an interruption, the same command goes on
    where it stopped. Asked for other methods, problems, seeds or trials, it runs only what the folder has not
    got yet; the results are those of what was asked for last. Changed code or versions need another folder.
    """
    from wayfare.bench.results import paths
    from wayfare.bench.suites import suite_named

    wanted = suite_named(suite).restricted(**axes)
    _look_here_first(wanted)
    wanted.check()
    failed = _run_with_progress(wanted, out, _runner_for(jobs, dask), quiet)
    for file in paths(out, wanted.name):
        click.echo(str(file))
    if failed:
        click.echo(f"Error: {counted(failed, 'run')} failed; the same command tries again", err=True)
        click.get_current_context().exit(1)


def _look_here_first(suite: Suite) -> None:
    """Put the current directory on the path, if a name of the suite points into a module."""
    from wayfare.bench.named import is_own

    here = os.getcwd()
    if any(map(is_own, (*suite.methods, *suite.problems))) and here not in sys.path[:1]:
        sys.path.insert(0, here)


def _runner_for(jobs: int, dask: str | None) -> Runner | None:
    """Return the runner for these options; None runs one by one in this process."""
    from wayfare.bench.harness import over_dask, over_processes

    if dask is not None and jobs > 1:
        raise InvalidInput("--dask: the cluster has its own workers; leave --jobs out")
    return over_dask(dask) if dask is not None else over_processes(jobs) if jobs > 1 else None


def _run_with_progress(suite: Suite, out: Path, runner: Runner | None, quiet: bool) -> int:
    """Run a suite with a progress bar on stderr; return the number of runs that failed."""
    from rich import progress
    from rich.console import Console

    from wayfare.bench.cell import Failure
    from wayfare.bench.harness import run_suite

    text, done = progress.TextColumn, progress.MofNCompleteColumn
    parts = (text("{task.description}"), progress.BarColumn(), done(), progress.TimeElapsedColumn())
    left = (text("left"), progress.TimeRemainingColumn())
    # Runs differ a hundredfold in length, so the speed is averaged over the last quarter of an hour.
    bar = progress.Progress(*parts, *left, console=Console(stderr=True), disable=quiet, speed_estimate_period=900)

    def begin(done: int, runs: int) -> None:
        bar.add_task(suite.name, total=runs, completed=done)

    def show(outcome: Outcome) -> None:
        bar.advance(bar.task_ids[0])
        if isinstance(outcome, Failure):
            bar.console.print(f"failed: {plain(str(outcome))}", markup=False, highlight=False, soft_wrap=True)

    try:
        with bar:
            return len(run_suite(suite, out, runner, begin, show))
    except KeyboardInterrupt as error:
        raise Interrupted("interrupted; the same command goes on where it stopped") from error


@bench.command()
@suite_argument
@click.option("--baseline", metavar="METHOD", help="What the ratios are taken against.  [default: the suite's]")
@out_option
def report(suite: str, baseline: str | None, out: Path) -> None:
    """Make the tables and figures of SUITE from the results in the folder."""
    from wayfare.bench.report import write_report
    from wayfare.bench.results import asked_for, read_results
    from wayfare.bench.suites import suite_named

    usual = suite_named(suite).baseline
    cells = read_results(out, suite)
    if not cells:
        raise InvalidInput(f"{out}: no run of {suite} is finished")
    there = list(dict.fromkeys(cell.cell.method for cell in cells))
    over = baseline or (usual if usual in there else there[0])
    write_report(cells, out / f"{suite}-report", suite, over, lambda file: click.echo(str(file)), asked_for(out, suite))
