"""``wayfare demo``: one working day at a reactor, with routes that are planned and without."""

import textwrap
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path

import click
import numpy as np
from attrs import frozen

from wayfare.bench.problems.field import measured_value, reactor_value, snar
from wayfare.cli.files import check_target, write_file
from wayfare.cli.output import WIDTH, columns
from wayfare.errors import GuaranteeWarning
from wayfare.planning.catalogue import DEFAULT
from wayfare.study.study import Study
from wayfare.travel import Ramp, Settling, parallel

BLIND, AWARE = "ucb", DEFAULT
ENDINGS = (".png", ".pdf", ".svg")
PICTURE = click.Path(path_type=Path, dir_okay=False, writable=True)
RUN = 6
"""Minutes that a run takes once the reactor has settled."""
NOISE = 1.0
"""Percent of noise on every concentration."""
IDLE = {"tau_min": 2.0, "eq": 1.0, "c0_M": 0.1, "temp_C": 40.0}
SETTLE = parallel(
    Ramp("temp_C", up=8, down=2, unit="min"),
    Settling("c0_M", speed=0.4, threshold=0.01, per_fold=2, unit="min"),
    Settling("tau_min", speed=1.5, threshold=0.05, per_fold=3, unit="min"),
)
"""What changing settings costs: the oven heats at 8 degrees a minute and cools at 2; all else changes meanwhile."""


@frozen(eq=False)
class Day:
    """The day of one method: its runs and its best setting.

    Attributes:
        method: its name in the catalogue.
        seed: of noise and plans.
        legs: minutes of waiting before each run.
        oven: the temperature of each run, in °C.
        best: the true objective at the settings that the study would keep.
    """

    method: str
    seed: int
    legs: np.ndarray
    oven: np.ndarray
    best: float

    @property
    def waited(self) -> float:
        """Hours of waiting for settings to change."""
        return float(self.legs.sum()) / 60

    @property
    def ended(self) -> np.ndarray:
        """When each run ended, in hours."""
        return np.asarray(np.cumsum(self.legs + RUN)) / 60


Days = Sequence[Mapping[str, Day]]  # for every seed, the day of each method


def _check_ending(context: click.Context, parameter: click.Parameter, out: Path) -> Path:
    """Refuse a file name that matplotlib could not write, before anything is computed."""
    if out.suffix.lower() not in ENDINGS:
        raise click.BadParameter(f"{str(out)!r} must end in one of {', '.join(ENDINGS)}")
    return out


@click.command()
@click.option(
    "--out", type=PICTURE, default=Path("out/demo.png"), show_default=True, callback=_check_ending, help="The picture."
)
@click.option("--hours", type=click.IntRange(1, 24), default=8, show_default=True, help="How long the day is.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, help="The first, of noise and plans.")
@click.option("--seeds", type=click.IntRange(1, 100), default=5, show_default=True, help="How many.")
@click.option("--quiet", is_flag=True, help="No progress bar.")
def demo(out: Path, hours: int, seed: int, seeds: int, quiet: bool) -> None:
    """Spend one working day at a reactor, with and without planned routes.

    A run takes six minutes, but first the reactor has to settle: its oven heats at 8 degrees a minute and
    cools at 2. One method chooses the most promising settings next, one setting at a time (ucb); the other
    is wayfare's default. Prints how many runs each got into the day and what it found, once for every seed,
    and draws the day of the seed in the middle. The chemistry is the published model of an SnAr reaction.
    """
    with _writing(out):  # before the long part
        out.parent.mkdir(parents=True, exist_ok=True)
    check_target(out, True)
    days = _spend_and_draw(60 * hours, range(seed, seed + seeds), out, quiet)
    last = f"seeds {seed} to {seed + seeds - 1}" if seeds > 1 else f"seed {seed}"
    click.echo(
        f"A day of {hours} h at a flow reactor, runs of {RUN} min, {NOISE:g}% of noise; {last}.\n"
        f"The best objective there is: {snar().optimum:.3f}.\n"
    )
    click.echo(_table(days))
    spread = "Mean ± standard deviation over the seeds. " if seeds > 1 else ""
    click.echo("\n" + textwrap.fill(f"{spread}Found: the true objective at the settings to keep.", WIDTH))
    click.echo("\n" + textwrap.fill(in_words(days), WIDTH) + "\n")
    click.echo(f"Picture (seed {middle(days)[BLIND].seed}): {out}")


@contextmanager
def _writing(out: Path) -> Iterator[None]:
    """Turn an error of the file system into one line for the user."""
    try:
        yield
    except OSError as error:
        raise click.ClickException(f"cannot write {out}: {error.strerror or error}") from error


def _spend_and_draw(minutes: int, seeds: Sequence[int], out: Path, quiet: bool) -> Days:
    """Return the days of each seed, the middle one drawn to ``out``; a progress bar on stderr meanwhile."""
    import matplotlib as mpl
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    mpl.use("Agg")  # writing a file needs no window system, and there may be none
    from wayfare.plot.day import draw_day

    names = (BLIND, AWARE)
    parts = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*parts, console=Console(stderr=True), disable=quiet) as progress:
        task = progress.add_task("planning", total=minutes * len(names) * len(seeds))

        def passed(now: float) -> None:
            progress.advance(task, now)

        days = [{name: spend(name, seed, minutes, passed) for name in names} for seed in seeds]
        progress.update(task, description="drawing")
        chosen = middle(days)
        figure = draw_day(
            {name: (day.legs, day.oven) for name, day in chosen.items()},
            work=RUN,
            start=IDLE["temp_C"],
            setting="oven [°C]",
            hours=minutes / 60,
            captions={name: _caption(day) for name, day in chosen.items()},
        )
        picture = BytesIO()
        figure.savefig(picture, format=out.suffix.lower()[1:], dpi=200)
        write_file(out, picture.getvalue())
        progress.update(task, description="done")
    return days


def _caption(day: Day) -> tuple[str, str]:
    """Return the description of a method, and the summary of its day."""
    words = f"ordinary Bayesian optimization ({BLIND})" if day.method == BLIND else f"{AWARE}, on planned routes"
    return words, f"{len(day.legs)} runs, {day.waited:.1f} h of waiting, found {day.best:.3f}"


def spend(method: str, seed: int, minutes: int, passed: Callable[[float], None] = lambda now: None) -> Day:
    """Run the reactor until the next run would end after work.

    Args:
        method: its name in the catalogue.
        seed: of noise and plans.
        minutes: how long the day is.
        passed: called with the minutes that each run took, and at last with those that are left.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", GuaranteeWarning)  # this is not the user's study
        study = Study.create(
            snar().space,
            direction="maximize",
            travel=SETTLE,
            start=IDLE,
            trials=max(minutes // RUN, 2),  # as many as fit if nothing ever had to settle
            method=method,
            seed=seed,
        )
    rng, clock = np.random.default_rng(seed), 0.0
    while (trial := study.ask()) is not None and clock + trial.leg + RUN <= minutes:
        clock += trial.leg + RUN
        study.tell(trial, float(measured_value(trial.x[None, :], NOISE, rng)[0]))
        passed(trial.leg + RUN)
    passed(minutes - clock)
    told = [trial for trial in study.trials if trial.value is not None]
    kept = study.trials[study.best().trial].x
    return Day(
        method,
        seed,
        np.array([trial.leg for trial in told]),
        np.array([trial.params["temp_C"] for trial in told]),
        float(reactor_value(kept[None, :])[0]),
    )


def middle(days: Days) -> Mapping[str, Day]:
    """Return the days of the seed in the middle, ranked by how many more runs planning made possible."""

    def more(one: Mapping[str, Day]) -> float:
        return len(one[AWARE].legs) / len(one[BLIND].legs)

    return sorted(days, key=more)[len(days) // 2]


def _table(days: Days) -> str:
    heads = ("method", "runs", "waiting [h]", "found")
    rows = []
    for name in days[0]:
        runs, waited, best = zip(
            *((len(one[name].legs), one[name].waited, one[name].best) for one in days), strict=True
        )
        rows.append((name, _with_spread(runs, ".1f"), _with_spread(waited, ".2f"), _with_spread(best, ".3f")))
    return columns(heads, rows)


def _with_spread(values: Sequence[float], form: str) -> str:
    """Return the mean and, of several values, the standard deviation."""
    mean = f"{np.mean(values):{form}}"
    return mean if len(values) == 1 else f"{mean} ± {np.std(values, ddof=1):{form}}"


def in_words(days: Days) -> str:
    """Return in words what the numbers show, for better and for worse."""

    def mean(value: Callable[[Day], float], name: str) -> float:
        return float(np.mean([value(one[name]) for one in days]))

    runs = compared(mean(lambda day: len(day.legs), AWARE), mean(lambda day: len(day.legs), BLIND), "fewer", "more")
    nearer = mean(lambda day: day.best, AWARE) - mean(lambda day: day.best, BLIND)
    found = f"{'better' if nearer > 0 else 'worse'} by {abs(nearer):.2g}" if nearer else "as good"
    return (
        f"{AWARE} got {runs} runs into the day than {BLIND}; the settings that it keeps are {found}. "
        "This is one reactor: docs/method.md has 54 problems."
    )


def compared(value: float, reference: float, below: str, above: str) -> str:
    """Return by how many percent a value is below or above its reference, in words."""
    if reference <= 0:
        return f"{value:.3g} {above}"
    change = value / reference - 1
    return f"{abs(change):.0%} {below if change <= 0 else above}"
