"""What late results cost: the delay suite, each method against itself without delay.

``python benchmarks/delays.py DIR`` takes the results that ``wayfare bench run delay --out DIR`` left, keeps them as
results/delay.csv, and writes delays.md beside itself.
"""

import csv
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from rich.table import Table

from tables import as_markdown

HERE = Path(__file__).parent
KEPT = HERE / "results" / "delay.csv"
SUBJECT, MOST = "wayfare", {"movement": 2.0, "simple regret": 1.2}
LEAST_REGRET = 1e-6
"""Below it, regrets are alike: the belief's own precision."""

Row = dict[str, str]


def ratios(rows: list[Row], method: str, delay: int, problem: str) -> dict[str, float]:
    """Return the geometric means over seeds of movement and simple regret, late over not late.

    Args:
        rows: of the results.
        method: which.
        delay: by how many trials results are late.
        problem: which; empty: all.
    """

    def figures(late: int) -> Iterator[tuple[float, float]]:
        some = [row for row in rows if row["method"] == method and problem in ("", row["problem"])]
        for row in sorted(some, key=lambda row: (row["problem"], int(row["seed"]))):
            if int(row["delay"]) == late:
                yield float(row["mean_movement"]), max(float(row["simple_regret"]), LEAST_REGRET)

    logs = np.log(list(figures(delay))) - np.log(list(figures(0)))
    return dict(zip(MOST, np.exp(logs.mean(axis=0)).tolist(), strict=True))


def page(rows: list[Row]) -> str:
    """Return the page."""
    methods, problems = (list(dict.fromkeys(row[axis] for row in rows)) for axis in ("method", "problem"))
    delays = sorted({int(row["delay"]) for row in rows} - {0})
    shown = Table("method", "problem", *(f"{what}, {delay} late" for delay in delays for what in MOST))
    for column in shown.columns[2:]:
        column.justify = "right"
    for method in methods:
        for problem in (*problems, ""):
            cells = [f"{ratio:.2f}" for delay in delays for ratio in ratios(rows, method, delay, problem).values()]
            shown.add_row(f"`{method}`", problem or "all", *cells)
    aims = Table("aim", "measured", "at most", "")
    for delay in delays:
        for what, ratio in ratios(rows, SUBJECT, delay, "").items():
            held = "holds" if ratio <= MOST[what] else "MISSED"
            aims.add_row(f"{what} of `{SUBJECT}`, {delay} late", f"{ratio:.2f}", f"{MOST[what]:g}", held)
    first = rows[0]
    seeds = len({row["seed"] for row in rows})
    said = f"{first['trials']} trials, {seeds} seeds"
    return f"# Results that come late\n\n{TEXT.format(said=said)}\n{as_markdown(shown)}\n\n{as_markdown(aims)}\n"


TEXT = """The suite `delay` ({said}): each method with results that come 10 and 25 trials late, over itself
with results that come at once; geometric means. Written by `wayfare bench run delay --out DIR`, then
`python benchmarks/delays.py DIR`.
"""


def main() -> int:
    shutil.copyfile(Path(sys.argv[1]) / "delay.csv", KEPT)
    with KEPT.open(newline="") as file:
        rows = list(csv.DictReader(file))
    (HERE / "delays.md").write_text(page(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
