"""``wayfare demo``: methods that plan routes against one that is blind to movement, on Branin's function."""

import textwrap
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import click
import numpy as np

from wayfare.bench import Problem, Run, problem_named, run_methods
from wayfare.cli.files import check_target, write_file
from wayfare.cli.output import WIDTH, columns
from wayfare.planning.catalogue import DEFAULT

BLIND, AWARE = "ucb", ("tucb", DEFAULT)
ENDINGS = (".png", ".pdf", ".svg")
PICTURE = click.Path(path_type=Path, dir_okay=False, writable=True)

Runs = Sequence[Mapping[str, Run]]  # for every seed, the run of each method


def _check_ending(context: click.Context, parameter: click.Parameter, out: Path) -> Path:
    """Refuse a file name that matplotlib could not write, before anything is computed."""
    if out.suffix.lower() not in ENDINGS:
        raise click.BadParameter(f"{str(out)!r} must end in one of {', '.join(ENDINGS)}")
    return out


@click.command()
@click.option(
    "--out", type=PICTURE, default=Path("out/demo.png"), show_default=True, callback=_check_ending, help="The picture."
)
@click.option("--trials", type=click.IntRange(2, 1000), default=100, show_default=True, help="Visits per method.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="The first, of noise and plans.")
@click.option("--seeds", type=click.IntRange(1, 100), default=3, show_default=True, help="How many.")
@click.option("--quiet", is_flag=True, help="No progress bar.")
def demo(out: Path, trials: int, seed: int, seeds: int, quiet: bool) -> None:
    """Run ucb, blind to movement, against tucb and wayfare.

    The latter two plan routes: the paper's method, and ours. All three look for the best place of Branin's
    function, negated and with noise, from the same start, once for every seed. Prints what each found and how
    far it moved, and draws the paths of the seed in the middle, ranked by the movement that planning saved.
    """
    problem = problem_named("branin")
    with _writing(out):  # before the long part
        out.parent.mkdir(parents=True, exist_ok=True)
    check_target(out, True)
    runs = _run_and_draw(problem, trials, range(seed, seed + seeds), out, quiet)
    last = f"seeds {seed} to {seed + seeds - 1}" if seeds > 1 else f"seed {seed}"
    click.echo(
        f"Branin's function, negated, noise sd {problem.noise:g}; {trials} trials, {last}.\n"
        f"The best possible value is {problem.optimum:.3f}.\n"
    )
    click.echo(_table(problem, runs))
    spread = "Mean ± standard deviation over the seeds. " if seeds > 1 else ""
    click.echo(f"\n{spread}Best found: the true value at the\nvisited place of best posterior mean.")
    click.echo("\n" + textwrap.fill(in_words(runs), WIDTH) + "\n")
    click.echo(f"Picture (seed {middle(runs)[BLIND].seed}): {out}")


@contextmanager
def _writing(out: Path) -> Iterator[None]:
    """Turn an error of the file system into one line for the user."""
    try:
        yield
    except OSError as error:
        raise click.ClickException(f"cannot write {out}: {error.strerror or error}") from error


def _run_and_draw(problem: Problem, trials: int, seeds: Sequence[int], out: Path, quiet: bool) -> Runs:
    """Return the runs of each seed, the middle one drawn to ``out``; a progress bar on stderr meanwhile."""
    import matplotlib as mpl
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    mpl.use("Agg")  # writing a file needs no window system, and there may be none
    from wayfare.plot import plot_comparison

    names = (BLIND, *AWARE)
    parts = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*parts, console=Console(stderr=True), disable=quiet) as progress:
        task = progress.add_task("planning", total=trials * len(names) * len(seeds))
        runs = [run_methods(problem, names, trials, seed, lambda trial: progress.advance(task)) for seed in seeds]
        progress.update(task, description="drawing")
        studies = {name: run.study for name, run in middle(runs).items()}
        figure = plot_comparison(studies, truth=problem.function, optimum=problem.optimum)
        picture = BytesIO()
        figure.savefig(picture, format=out.suffix.lower()[1:], dpi=300)
        write_file(out, picture.getvalue())
        progress.update(task, description="done")
    return runs


def middle(runs: Runs) -> Mapping[str, Run]:
    """Return the runs of the seed in the middle, ranked by the share of the movement that is left."""

    def share(one: Mapping[str, Run]) -> float:
        aware = sum(one[name].movement for name in AWARE)
        return aware / max(one[BLIND].movement, 1e-12)  # it may not have moved

    return sorted(runs, key=share)[len(runs) // 2]


def _table(problem: Problem, runs: Runs) -> str:
    unit = problem.unit
    heads = ("method", "best found", "mean regret", f"movement [{unit}]", f"saved [{unit}]", f"of {BLIND}'s")
    rows = []
    blind = np.array([one[BLIND].movement for one in runs])
    for name in runs[0]:
        moved = np.array([one[name].movement for one in runs])
        found = _with_spread([problem.optimum - one[name].simple_regret for one in runs], ".2f")
        regret = _with_spread([one[name].mean_regret for one in runs], ".1f")
        saved = "-" if name == BLIND else _with_spread(blind - moved, ".0f")
        share = f"{moved.mean() / blind.mean():.0%}" if blind.mean() > 0 else "-"
        rows.append((name, found, regret, _with_spread(moved, ".0f"), saved, share))
    return columns(heads, rows)


def _with_spread(values: Sequence[float] | np.ndarray, form: str) -> str:
    """Return the mean and, of several values, the standard deviation."""
    mean = f"{np.mean(values):{form}}"
    return mean if len(values) == 1 else f"{mean} ± {np.std(values, ddof=1):{form}}"


def in_words(runs: Runs) -> str:
    """Return in words what the numbers show, for better and for worse."""

    def mean(name: str, field: str) -> float:
        return float(np.mean([getattr(one[name], field) for one in runs]))

    clauses = []
    for name in AWARE:
        moved = compared(mean(name, "movement"), mean(BLIND, "movement"), "less", "more")
        regret = compared(mean(name, "mean_regret"), mean(BLIND, "mean_regret"), "lower", "higher")
        nearer = mean(BLIND, "simple_regret") - mean(name, "simple_regret")
        found = f"{'better' if nearer > 0 else 'worse'} by {abs(nearer):.2g}" if nearer else "as good"
        clauses.append(f"{name} moved {moved} than {BLIND}; its mean regret is {regret}, its best place {found}.")
    return " ".join([*clauses, "This is one function: docs/method.md has 54 problems."])


def compared(value: float, reference: float, below: str, above: str) -> str:
    """Return by how many percent a value is below or above its reference, in words."""
    if reference <= 0:
        return f"{value:.3g} {above}"
    change = value / reference - 1
    return f"{abs(change):.0%} {below if change <= 0 else above}"
