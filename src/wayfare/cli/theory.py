"""``wayfare bench theory``: what the theorems say about movement, measured."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from wayfare._core.checks import nearest
from wayfare.cli.bench import named
from wayfare.cli.input import FILE
from wayfare.cli.output import columns
from wayfare.errors import InvalidInput

if TYPE_CHECKING:
    from wayfare.bench.theory.part import Part, Row


@click.command()
@click.option(
    "--parts",
    callback=named,
    metavar="A,B",
    help="Only these: paths, dimension, growth, arms, lipschitz.  [default: all]",
)
@click.option("--out", type=FILE, metavar="DIR", default=Path("bench/theory"), show_default=True, help="The folder.")
@click.option("--seeds", type=click.IntRange(2), default=8, show_default=True, help="How many, from 0 on.")
@click.option("--quick", is_flag=True, help="Small versions, to see that all works.")
@click.option(
    "--jobs", type=click.IntRange(1), default=1, show_default=True, help="Processes; more than one needs joblib."
)
@click.option("--quiet", is_flag=True, help="No progress bar.")
def theory(parts: tuple[str, ...] | None, out: Path, seeds: int, quick: bool, jobs: int, quiet: bool) -> None:
    """Measure what the theorems say about movement.

    Each part writes its rows as PART.csv and its picture as PART.png into the folder, and prints the fitted
    numbers with 95% intervals beside those of the theory. The results are the same however many the jobs.
    """
    from wayfare.bench.results import as_csv, write_whole
    from wayfare.bench.theory import PARTS

    wanted = list(dict.fromkeys(parts or PARTS))
    for name in wanted:
        if name not in PARTS:
            raise InvalidInput(f"--parts: there is no part {name!r}; {nearest(name, PARTS)}")
    out.mkdir(parents=True, exist_ok=True)
    for name in wanted:
        part = PARTS[name]
        rows = run_with_progress(part, seeds, quick, jobs, quiet)
        csv, png = out / f"{name}.csv", out / f"{name}.png"
        write_whole(csv, as_csv(list(rows[0]), (list(row.values()) for row in rows)))
        part.draw(rows).savefig(png, dpi=150)
        sheet = part.table(rows)
        click.echo(f"{name}: {part.summary}")
        click.echo(columns(sheet.head, [[str(cell) for cell in row] for row in sheet.rows]))
        click.echo(f"{csv}\n{png}\n")


def run_with_progress(part: "Part", seeds: int, quick: bool, jobs: int, quiet: bool) -> "list[Row]":
    """Return the rows of a part, with a progress bar on stderr while it is measured."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    from wayfare.bench.theory import run_part

    shown = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*shown, console=Console(stderr=True), disable=quiet) as bar:
        task = bar.add_task(part.name, total=None)
        return run_part(
            part, seeds, quick, jobs, lambda cells: bar.update(task, total=cells), lambda: bar.advance(task)
        )
