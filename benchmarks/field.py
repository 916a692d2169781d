"""What planned routes save in the field, in minutes and kilometres: rows, page and picture.

``python benchmarks/field.py run`` makes the rows in benchmarks/field: a run that was cut off goes on, and
rows of other code are made anew. ``python benchmarks/field.py page`` fills the blocks of docs/field.md from
them and draws its picture. ``make bench-field`` does both.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from amounts import digits, middle, more_or_less, percent, spread
from blocks import fill_blocks, save_small
from savings import BASELINE, OTHERS, ROWS, SUBJECT, SUITE, Pairs, Row, column, pairs_of, read_rows, run_missing
from slopes import PIXELS, draw_slopes
from wayfare.bench.report import markdown, ratio_in_short

PAGE = Path(__file__).resolve().parents[1] / "docs" / "field.md"
PICTURE = PAGE.with_suffix(".png")


def blocks(rows: Sequence[Row]) -> dict[str, str]:
    """Return what the page shows, by the names of its blocks."""
    found = {"short": "\n".join(in_words(rows, problem) for problem in SUITE.problems)}
    for trials in SUITE.trials:
        found[f"{SUBJECT}-{trials}"] = table(rows, trials, (SUBJECT,))
        found[f"others-{trials}"] = table(rows, trials, OTHERS)
    return found | {"survey": survey_table(rows)}


def in_words(rows: Sequence[Row], problem: str) -> str:
    """Return what was paid on a problem and what that cost, in a few sentences."""
    every = [pairs_of(rows, problem, trials, SUBJECT) for trials in SUITE.trials]
    unit, seeds = every[0].unit, len(every[0].ours)
    paid = [
        f"over {one.ours[0].trials} trials `{BASELINE}` paid {middle(column(one.theirs, 'paid'))} {unit}, "
        f"`{SUBJECT}` {more_or_less(one.saved, one.share_saved, unit)}"
        for one in every
    ]
    ordered = [f"{middle(one.ordered)} {unit} ({percent(one.share_ordered)})" for one in every]
    regret = [f"{one.mean_regret.mean:.2f}" for one in every]
    worse, better = [one.kept_worse for one in every], [one.kept_better for one in every]
    return (
        f"- `{problem}`: {'; '.join(paid)}. Ordering saved {both(ordered)}. The mean regret is "
        f"{both(regret)} times that of `{BASELINE}`. The place kept is clearly worse under {both(worse)} of "
        f"{seeds} seeds, and clearly better under {both(better)}."
    )


def both(numbers: Sequence[object]) -> str:
    """Return the numbers after each count of trials, or once if they are the same."""
    return " and ".join(map(str, dict.fromkeys(numbers)))


def table(rows: Sequence[Row], trials: int, methods: Sequence[str]) -> str:
    """Return what each method paid, saved and found on every problem after so many trials."""
    head = (
        "problem",
        f"paid by `{BASELINE}`",
        "paid",
        f"saved against `{BASELINE}`",
        "saved against unordered",
        f"paid more than `{BASELINE}`",
        "mean regret, ratio",
        f"simple regret: `{BASELINE}`, own",
        "kept: worse, better",
    )
    every = [(method, problem) for method in methods for problem in SUITE.problems]
    lines = []
    for method, problem in every:
        one = pairs_of(rows, problem, trials, method)
        lines.append((f"`{method}`, {problem} [{one.unit}]", *cells(one)))
    return markdown(head, lines)


def cells(one: Pairs) -> tuple[str, ...]:
    """Return a line of the table but for its first cell."""
    simple = [digits(column(own, "simple_regret").mean()) for own in (one.theirs, one.ours)]
    return (
        spread(column(one.theirs, "paid")),
        spread(column(one.ours, "paid")),
        f"{spread(one.saved)}, {percent(one.share_saved)}",
        f"{spread(one.ordered)}, {percent(one.share_ordered)}",
        f"{one.paid_more.sum()} of {len(one.ours)}",
        ratio_in_short(one.mean_regret),
        f"{', '.join(simple)} of {digits(one.best)}",
        f"{one.kept_worse}, {one.kept_better}",
    )


def survey_table(rows: Sequence[Row]) -> str:
    """Return what ordering saved on the survey and on all routes after it, by means: they add up."""
    lines = []
    for problem in SUITE.problems:
        line = []
        for trials in SUITE.trials:
            own = pairs_of(rows, problem, trials, SUBJECT).ours
            first = column(own, "first_saved")
            line += [spread(part, np.mean) for part in (first, column(own, "saved") - first)]
        lines.append((f"{problem} [{own[0].unit}]", *line))
    parts = [f"{part}, T = {trials}" for trials in SUITE.trials for part in ("survey", "all later routes")]
    return markdown(("saved by ordering", *parts), lines)


def main() -> None:
    """Make the rows, or the page of those that are there."""
    parser = argparse.ArgumentParser(description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("run").add_argument("--jobs", type=int, default=2)
    commands.add_parser("page")
    options = parser.parse_args()
    if options.command == "run":
        run_missing(SUITE.cells(), ROWS, options.jobs)
        return
    rows = read_rows()
    with TemporaryDirectory() as folder:
        drawn = Path(folder) / "drawn.png"
        draw_slopes(rows).savefig(drawn, dpi=PIXELS)
        save_small(drawn, PICTURE)
    PAGE.write_text(fill_blocks(PAGE.read_text(), blocks(rows)))


if __name__ == "__main__":
    main()
