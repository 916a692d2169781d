"""The tables of the tournament, for the terminal and as Markdown, and the targets of the final report."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from attrs import frozen
from rich.console import Console
from rich.table import Table

from tables import as_markdown
from tournament.functions import function_named
from tournament.run import Row
from tournament.score import MEASURES, Measure, dominators, groups, paired_logs, ratio

BASELINE = "ucb"
SUBJECT = "wayfare"
RIVALS = ("tts", "snake", "eipu", "mini", "tucb")


@frozen
class Target:
    """A ratio of the new method to the baseline not to be exceeded, in a group or on every function."""

    trials: int
    group: Literal["all", "d >= 6", "corner", "every function"]
    measure: Measure
    most: float


TARGETS = (
    Target(100, "all", "movement", 0.30),
    Target(100, "all", "last_half_regret", 0.80),
    Target(100, "all", "mean_regret", 0.75),
    Target(100, "all", "simple_regret", 1.00),
    Target(100, "d >= 6", "movement", 0.45),
    Target(100, "d >= 6", "last_half_regret", 0.90),
    Target(30, "all", "movement", 0.40),
    Target(30, "all", "mean_regret", 0.80),
    Target(60, "all", "movement", 0.40),
    Target(60, "all", "mean_regret", 0.80),
    Target(300, "all", "movement", 0.30),
    Target(300, "all", "last_half_regret", 1.10),
    Target(300, "all", "simple_regret", 1.10),
    Target(100, "corner", "last_half_regret", 1.30),
    Target(100, "every function", "last_half_regret", 1.50),
)


def tables(rows: Sequence[Row], methods: Sequence[str], baseline: str) -> list[Table]:
    """Return the ratios by group and by function, who is dominated, and what planning cost."""
    functions = list(dict.fromkeys(row.function for row in rows))
    made = []
    for trials in sorted({row.trials for row in rows}):
        rivals = [name for name in methods if name != baseline]
        if rivals:
            made += [
                by_group(rows, rivals, baseline, trials, functions),
                by_function(rows, rivals, baseline, trials, functions),
            ]
        made += [dominated(rows, methods, trials, functions), cpu(rows, methods, trials)]
    return made


def by_group(
    rows: Sequence[Row], methods: Sequence[str], baseline: str, trials: int, functions: Sequence[str]
) -> Table:
    table = Table(title=f"Relative to {baseline}, T = {trials}: geometric mean [95% interval by function]")
    for column in ("method", "functions", *MEASURES.values(), "pairs"):
        table.add_column(column, justify="left" if column in ("method", "functions") else "right")
    for method in methods:
        for group, members in groups(functions).items():
            logs = [paired_logs(rows, method, baseline, measure, trials, members) for measure in MEASURES]
            if logs[0]:
                ratios = [ratio(each) for each in logs]
                shown = f"{group} ({ratios[0].functions})"
                table.add_row(method, shown, *map(str, ratios), str(ratios[0].pairs))
    return table


def by_function(
    rows: Sequence[Row], methods: Sequence[str], baseline: str, trials: int, functions: Sequence[str]
) -> Table:
    table = Table(title=f"Relative to {baseline}, T = {trials}, by function: geometric mean [95% interval]")
    for column in ("function", "d", "method", *MEASURES.values()):
        table.add_column(column, justify="left" if column in ("function", "method") else "right")
    for name in functions:
        for method in methods:
            logs = [paired_logs(rows, method, baseline, measure, trials, [name]) for measure in MEASURES]
            if logs[0]:
                table.add_row(name, str(function_named(name).d), method, *(str(ratio(each)) for each in logs))
    return table


def dominated(rows: Sequence[Row], methods: Sequence[str], trials: int, functions: Sequence[str]) -> Table:
    table = Table(title=f"Dominated, T = {trials}: by whom, with less movement and less mean regret")
    for column in ("method", "functions", "where, and by whom"):
        table.add_column(column, justify="right" if column == "functions" else "left")
    for method in methods:
        found = dominators(rows, method, methods, trials, functions)
        where = "; ".join(f"{name} ({', '.join(others)})" for name, others in found.items())
        table.add_row(method, str(len(found)), where or "nowhere")
    return table


def cpu(rows: Sequence[Row], methods: Sequence[str], trials: int) -> Table:
    table = Table(title=f"CPU seconds of planning per study, T = {trials}")
    for column in ("method", "studies", "mean", "most", "where"):
        table.add_column(column, justify="left" if column in ("method", "where") else "right")
    for method in methods:
        mine = [row for row in rows if row.method == method and row.trials == trials]
        if mine:
            longest = max(mine, key=lambda row: row.planner_cpu)
            mean = sum(row.planner_cpu for row in mine) / len(mine)
            most = f"{longest.planner_cpu:.2f}"
            table.add_row(method, str(len(mine)), f"{mean:.2f}", most, longest.function)
    return table


def targets(
    rows: Sequence[Row], functions: Sequence[str], method: str = SUBJECT, baseline: str = BASELINE
) -> tuple[Table, bool]:
    """Return the targets of the final report, and whether all of them were run and hold."""
    table, passed = Table(title=f"Targets of {method} relative to {baseline}"), True
    for column in ("T", "functions", "of", "geometric mean", "at most", "pairs", ""):
        table.add_column(column, justify="left" if column in ("functions", "of", "") else "right")
    for target in TARGETS:
        mean, shown, pairs, group = judged(rows, functions, method, baseline, target)
        passed &= mean is not None and mean <= target.most
        verdict = "not run" if mean is None else "holds" if mean <= target.most else "MISSED"
        cells = (str(target.trials), group, MEASURES[target.measure], shown, f"{target.most:.2f}", pairs)
        table.add_row(*cells, verdict)
    for rival in RIVALS:
        compared = len(paired_logs(rows, rival, method, "movement", 100, functions))
        found = dominators(rows, method, [rival], 100, functions)
        passed &= compared == len(functions) and not found
        verdict = "MISSED" if found else "holds" if compared == len(functions) else "not run"
        where = ", ".join(found) or ("nowhere" if compared else "")
        table.add_row("100", "every function", f"dominated by {rival}", where, "nowhere", "", verdict)
    return table, passed


def judged(
    rows: Sequence[Row], functions: Sequence[str], method: str, baseline: str, target: Target
) -> tuple[float | None, str, str, str]:
    """Return a target's ratio, how it is shown, the pairs behind it, and what it is about.

    A target is not run unless every function of its group has pairs.
    """
    members = groups(functions).get(target.group, list(functions))
    logs = paired_logs(rows, method, baseline, target.measure, target.trials, members)
    if not members or len(logs) < len(members):
        return None, "", str(sum(map(len, logs.values()))), target.group
    if target.group == "every function":
        worst = max(logs, key=lambda name: ratio({name: logs[name]}).mean)
        logs = {worst: logs[worst]}
        group = f"{target.group}, worst {worst}"
    else:
        group = target.group
    found = ratio(logs)
    return found.mean, str(found), str(found.pairs), group


def write_markdown(title: str, made: Sequence[Table], failures: Sequence[str], path: Path) -> None:
    """Write the tables on a page."""
    text = [f"# {title}\n", "Made by `python -m benchmarks.tournament`; the cells are in the CSV file beside.\n"]
    text += [f"## {table.title}\n\n{as_markdown(table)}\n" for table in made]
    if failures:
        text.append("## Failed\n\n" + "\n".join(f"- {failure}" for failure in failures) + "\n")
    path.write_text("\n".join(text))


def show(made: Sequence[Table]) -> None:
    """Print the tables."""
    # In a pipe rich would fold the rows at 80 characters.
    console = Console()
    wide = console if console.is_terminal else Console(width=200)
    for table in made:
        wide.print(table)
