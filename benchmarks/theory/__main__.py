"""The command line of the theory benchmark, from the root of the project.

``python -m benchmarks.theory run --parts paths,growth --seeds 8 --jobs 2``
``python -m benchmarks.theory page``
``python -m benchmarks.theory million``

``run`` measures parts. Each writes its rows as PART.csv and its picture as PART.png into the folder, and prints
the fitted numbers with 95% intervals beside those of the theory. The results do not depend on the number of
jobs. ``page`` runs nothing: it fills docs/theory.md from the rows in ``results/`` beside this file. ``million``
prints the time, memory and file size of a study of a million pulls.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

# The modules of benchmarks/ import each other by their plain names.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from theory.catalogue import PARTS
from theory.page import measure_million, write_page
from theory.part import Part, Row, run_part
from wayfare._core.checks import nearest
from wayfare.bench.report import Sheet
from wayfare.bench.results import as_csv, write_whole
from wayfare.errors import InvalidInput


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    try:
        if options.command == "run":
            run(options)
        elif options.command == "page":
            write_page()
        else:
            print(measure_million())
    except InvalidInput as error:
        print(f"Error: {error}", file=sys.stderr)
        return 2
    return 0


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="python -m benchmarks.theory", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    commands = top.add_subparsers(dest="command", required=True)
    sub = commands.add_parser("run", help="measure parts")
    sub.add_argument("--parts", default=",".join(PARTS), help="names, by commas (default all)")
    sub.add_argument("--seeds", type=int, default=8, help="how many, from 0 on, at least 2 (default 8)")
    sub.add_argument("--quick", action="store_true", help="small versions, to see that all works")
    sub.add_argument("--jobs", type=int, default=1, help="processes; more than one needs joblib")
    sub.add_argument("--out", type=Path, default=Path("out/theory"), help="the folder (default out/theory)")
    sub.add_argument("--quiet", action="store_true", help="no progress bar")
    commands.add_parser("page", help="fill docs/theory.md, without running anything")
    commands.add_parser("million", help="time a study of a million pulls")
    return top


def run(options: argparse.Namespace) -> None:
    names = list(dict.fromkeys(name.strip() for name in options.parts.split(",") if name.strip()))
    for name in names:
        if name not in PARTS:
            raise InvalidInput(f"--parts: there is no part {name!r}; {nearest(name, PARTS)}")
    if options.seeds < 2 or options.jobs < 1:
        raise InvalidInput(f"--seeds must be 2 or more and --jobs 1 or more, got {options.seeds} and {options.jobs}")
    options.out.mkdir(parents=True, exist_ok=True)
    for name in names:
        part = PARTS[name]
        rows = run_with_progress(part, options)
        csv, png = options.out / f"{name}.csv", options.out / f"{name}.png"
        write_whole(csv, as_csv(list(rows[0]), (list(row.values()) for row in rows)))
        part.draw(rows).savefig(png, dpi=150)
        print(f"{name}: {part.summary}\n{aligned(part.table(rows))}\n{csv}\n{png}\n")


def run_with_progress(part: Part, options: argparse.Namespace) -> list[Row]:
    """Return the rows of a part, with a progress bar on stderr while it is measured."""
    shown = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*shown, console=Console(stderr=True), disable=options.quiet) as bar:
        task = bar.add_task(part.name, total=None)
        return run_part(
            part,
            options.seeds,
            options.quick,
            options.jobs,
            on_begin=lambda cells: bar.update(task, total=cells),
            on_cell=lambda: bar.advance(task),
        )


def aligned(sheet: Sheet) -> str:
    """Return a table in columns two spaces apart, the first flush left, the others flush right."""
    lines: Sequence[list[str]] = [list(map(str, row)) for row in (sheet.head, *sheet.rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    signs = ("<", *">" * (len(widths) - 1))
    return "\n".join(
        "  ".join(f"{cell:{sign}{width}}" for cell, sign, width in zip(line, signs, widths, strict=True)).rstrip()
        for line in lines
    )


if __name__ == "__main__":
    sys.exit(main())
