"""The tables of the tournament that our pages show, as Markdown.

A ratio is shown with its 95% interval by function; that of a single function with the interval over its
seeds. A method or a number of trials that was not run has no line.
"""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from rich.table import Table

from tables import as_markdown
from tournament.functions import reporting
from tournament.report import BASELINE, SUBJECT, targets
from tournament.run import Row
from tournament.score import MEASURES, Logs, Ratio, dominators, groups, paired_logs, ratio

TRIALS = 100
"""Where methods are compared; the subject alone is shown at every number of trials."""
HORIZONS = (30, 60, 100, 300)
METHODS = (BASELINE, "ucb-1sd", "tucb", "tts", "snake", "eipu", "mini", SUBJECT)
ABLATIONS = (SUBJECT, "no-survey", "any-survey", "no-price", "no-batches", "two-sd")
WORDS = ("functions", "method", "function", "character", "dominated by")
"""The columns that hold words."""
PLANNED = "tucb"
"""Whose planning is compared: the method that the subject took the place of."""


def blocks(rows: Sequence[Row]) -> dict[str, str]:
    """Return every table by the name of its block."""
    return {
        "tournament": tournament_block(rows),
        "rivals": rivals_block(rows),
        "targets": targets_block(rows),
        "ablation": ablation_block(rows),
        "functions": functions_block(rows),
        "cpu": cpu_block(rows),
    }


def tournament_block(rows: Sequence[Row]) -> str:
    """Return the subject relative to the baseline by number of trials, and by group at ``TRIALS``."""
    table = headed("T", "functions", *MEASURES.values())
    for trials in HORIZONS:
        for group, members in groups(list(reporting())).items():
            if group == "all" or trials == TRIALS:
                found = ratios(rows, SUBJECT, trials, members)
                if found:
                    table.add_row(str(trials), f"{group} ({found[0].functions})", *map(str, found))
    return as_markdown(table)


def rivals_block(rows: Sequence[Row]) -> str:
    """Return every method relative to the baseline, and on how many functions it or the subject dominates."""
    counts = (f"dominates {SUBJECT}", f"dominated by {SUBJECT}")
    table = headed("method", *MEASURES.values(), *counts, "pairs")
    functions = list(reporting())
    for method in METHODS[1:]:
        found = ratios(rows, method, TRIALS, functions)
        if not found:
            continue
        shared = len(paired_logs(rows, method, SUBJECT, "movement", TRIALS, functions))
        pairs = ((SUBJECT, method), (method, SUBJECT))
        better = [len(dominators(rows, one, [other], TRIALS, functions)) for one, other in pairs]
        shown = ["", ""] if method == SUBJECT else [f"{count} of {shared}" for count in better]
        table.add_row(f"`{method}`", *map(str, found), *shown, str(found[0].pairs))
    return as_markdown(table)


def targets_block(rows: Sequence[Row]) -> str:
    """Return the targets, what was measured and whether they hold; those that were not run say so."""
    return as_markdown(targets(rows, list(reporting()))[0]).replace("MISSED", "missed")


def ablation_block(rows: Sequence[Row]) -> str:
    """Return the subject and what is left of it without each ingredient, relative to the baseline.

    All of them on the same functions and seeds, those that every one of them was run on.
    """
    corners = groups(list(reporting()))["corner"]
    table = headed("method", *MEASURES.values(), "last-half regret, corner", "pairs")
    rows = in_common(rows, ABLATIONS)
    for method in ABLATIONS:
        found = ratios(rows, method, TRIALS, list(reporting()))
        if found:
            logs = paired_logs(rows, method, BASELINE, "last_half_regret", TRIALS, corners)
            corner = str(ratio(logs)) if logs else ""
            table.add_row(f"`{method}`", *map(str, found), corner, str(found[0].pairs))
    return as_markdown(table)


def in_common(rows: Sequence[Row], methods: Sequence[str]) -> list[Row]:
    """Return the rows at ``TRIALS`` of what all of those methods were run on, if they were run at all."""
    mine = [row for row in rows if row.trials == TRIALS]
    cells = [{(row.function, row.seed) for row in mine if row.method == method} for method in methods]
    shared = set.intersection(*filter(None, cells)) if any(cells) else set()
    return [row for row in mine if (row.function, row.seed) in shared]


def functions_block(rows: Sequence[Row]) -> str:
    """Return the subject relative to the baseline on each function, and who dominates it there."""
    table = headed("function", "d", "character", *MEASURES.values(), "dominated by")
    dominated = dominators(rows, SUBJECT, METHODS, TRIALS, list(reporting()))
    for name, function in reporting().items():
        found = ratios([row for row in rows if row.function == name], SUBJECT, TRIALS, [name])
        if found:
            by = ", ".join(f"`{method}`" for method in dominated.get(name, []))
            table.add_row(name, str(function.d), ", ".join(function.characters), *map(str, found), by)
    return as_markdown(table)


def cpu_block(rows: Sequence[Row]) -> str:
    """Return the CPU time that the subject's planning took, relative to that of ``PLANNED``."""
    table = headed("T", f"planner CPU of {SUBJECT} / {PLANNED}", "pairs")
    for trials in HORIZONS:
        logs = cpu_logs([row for row in rows if row.trials == trials])
        if logs:
            found = ratio(logs)
            table.add_row(str(trials), str(found), str(found.pairs))
    return as_markdown(table)


def headed(*columns: str) -> Table:
    """Return an empty table, its words to the left and its numbers to the right."""
    table = Table()
    for column in columns:
        table.add_column(column, justify="left" if column in WORDS else "right")
    return table


def ratios(rows: Sequence[Row], method: str, trials: int, functions: Sequence[str]) -> list[Ratio]:
    """Return the ratios to the baseline in the order of ``MEASURES``, none if there are no pairs."""
    every = [paired_logs(rows, method, BASELINE, measure, trials, functions) for measure in MEASURES]
    return [ratio(logs) for logs in every] if every[0] else []


def cpu_logs(rows: Sequence[Row]) -> Logs:
    """Return the logarithms of the ratios of CPU time, for functions with at least one pair."""
    mine, theirs = (
        {(row.function, row.seed): row.planner_cpu for row in rows if row.method == method}
        for method in (SUBJECT, PLANNED)
    )
    logs: Logs = defaultdict(list)
    for function, seed in sorted(mine.keys() & theirs.keys()):
        logs[function].append(float(np.log(mine[function, seed] / theirs[function, seed])))
    return dict(logs)
