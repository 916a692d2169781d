"""``wayfare demo``: methods that mind the way against one that does not, on Branin's function."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wayfare.cli.columns import columns

if TYPE_CHECKING:
    from wayfare.bench import Problem, Run

BLIND, AWARE = "ucb", ("tucb", "tts")
FORMATS = (".png", ".pdf", ".svg")


def check_format(context: click.Context, parameter: click.Parameter, out: Path) -> Path:
    """Refuse a file name that matplotlib could not write, before anything is computed."""
    if out.suffix.lower() not in FORMATS:
        raise click.BadParameter(f"{str(out)!r} must end in one of {', '.join(FORMATS)}")
    return out


@click.command()
@click.option(
    "--out",
    type=click.Path(path_type=Path, dir_okay=False, writable=True),
    default=Path("out/demo.png"),
    show_default=True,
    callback=check_format,
    help="The picture.",
)
@click.option(
    "--trials", type=click.IntRange(2, 1000), default=100, show_default=True, help="Visits per method."
)
@click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True, help="Of the noise and the plans."
)
@click.option("--quiet", is_flag=True, help="No progress bar.")
def demo(out: Path, trials: int, seed: int, quiet: bool) -> None:
    """Run ucb, which ignores movement, against tucb and tts, which plan routes.

    All three look for the best place of Branin's function, negated and with noise, from the same start.
    Prints what each found and how far it moved, and draws the paths.
    """
    import matplotlib as mpl

    from wayfare.bench import problem_named

    # No window system is needed to write a file, and there may be none.
    mpl.use("Agg")
    problem = problem_named("branin")
    with writing(out):
        out.parent.mkdir(parents=True, exist_ok=True)
    runs = run_and_draw(problem, trials, seed, out, quiet)
    click.echo(
        f"Branin's function, negated, noise sd {problem.noise:g}; {trials} trials, seed {seed}.\n"
        f"The best possible value is {problem.optimum:.3f}.\n"
    )
    click.echo(table(problem, runs))
    click.echo("\nBest found: the true value at the visited place of best posterior mean.")
    click.echo("\n" + textwrap.fill(in_words(runs), 80) + "\n")
    click.echo(f"Picture: {out}")


@contextmanager
def writing(out: Path) -> Iterator[None]:
    """Turn what the file system refuses into one line for the user."""
    try:
        yield
    except OSError as error:
        raise click.ClickException(f"cannot write {out}: {error.strerror or error}") from error


def run_and_draw(problem: Problem, trials: int, seed: int, out: Path, quiet: bool) -> dict[str, Run]:
    """Return the runs, drawn to ``out``, with a progress bar on stderr meanwhile."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    from wayfare.bench import run_methods
    from wayfare.plot import plot_comparison

    names = (BLIND, *AWARE)
    parts = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*parts, console=Console(stderr=True), disable=quiet) as progress:
        task = progress.add_task("planning", total=trials * len(names))
        runs = run_methods(problem, names, trials, seed, lambda trial: progress.advance(task))
        progress.update(task, description="drawing")
        studies = {name: run.study for name, run in runs.items()}
        figure = plot_comparison(studies, truth=problem.function, optimum=problem.optimum)
        with writing(out):
            figure.savefig(out, dpi=300)
        progress.update(task, description="done")
    return runs


def table(problem: Problem, runs: Mapping[str, Run]) -> str:
    """Return what each method found and paid."""
    unaware = runs[BLIND].movement
    heads = ("method", "best found", "mean regret", "movement", f"of {BLIND}'s", "saved")
    rows = []
    for name, run in runs.items():
        share = f"{run.movement / unaware:.0%}" if unaware > 0 else "-"
        saved = "-" if name == BLIND else f"{unaware - run.movement:.1f} {problem.unit}"
        found = f"{problem.optimum - run.simple_regret:.3f}"
        rows.append(
            (name, found, f"{run.mean_regret:.2f}", f"{run.movement:.1f} {problem.unit}", share, saved)
        )
    return columns(heads, rows)


def in_words(runs: Mapping[str, Run]) -> str:
    """Say what the numbers show, for better and for worse."""
    blind = runs[BLIND]
    clauses = []
    for name in AWARE:
        run = runs[name]
        moved = compared(run.movement, blind.movement, "less", "more")
        regret = compared(run.mean_regret, blind.mean_regret, "lower", "higher")
        nearer = blind.simple_regret - run.simple_regret
        found = f"{'better' if nearer > 0 else 'worse'} by {abs(nearer):.2g}" if nearer else "as good"
        clauses.append(
            f"{name} moved {moved} than {BLIND}; its mean regret is {regret}, its best place {found}."
        )
    return " ".join([*clauses, "This is one seed of one function: try others with --seed."])


def compared(value: float, reference: float, below: str, above: str) -> str:
    """Return by how many percent a value is below or above its reference, in words."""
    if reference <= 0:
        return f"{value:.3g} {above}"
    change = value / reference - 1
    return f"{abs(change):.0%} {below if change <= 0 else above}"
