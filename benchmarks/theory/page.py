"""Fill docs/theory.md with the tables and figures of the rows in ``results/``.

``make bench-theory`` makes the rows and the page, ``python -m benchmarks.theory page`` the page alone. Its words
are written by hand; the blocks and the pictures are made here.
"""

import csv
import math
import resource
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

import wayfare as wf
from blocks import fill_blocks, save_small
from theory import curve
from theory.catalogue import PARTS
from theory.part import Row
from wayfare.bench.report import markdown

HERE = Path(__file__).resolve().parent
ROWS = HERE / "results"
PAGE = HERE.parents[1] / "docs" / "theory.md"
TEXTS = ("set", "setting", "method", "unit")


def read_rows(part: str) -> list[Row]:
    """Return the rows of a part."""
    with (ROWS / f"{part}.csv").open(newline="") as file:
        return [
            {key: text if key in TEXTS else number(text) for key, text in row.items()} for row in csv.DictReader(file)
        ]


def number(text: str) -> float | int:
    """Return a cell as it was written."""
    if not text:
        return math.nan
    return int(text) if text.lstrip("-").isdigit() else float(text)


def blocks() -> dict[str, str]:
    """Return the tables of the page, by the names of its blocks."""
    sheets = {name: part.table(read_rows(name)) for name, part in PARTS.items()} | {"curve": curve.table()}
    found = {}
    for name, sheet in sheets.items():
        found[name] = markdown(sheet.head, [[str(cell) for cell in row] for row in sheet.rows])
    return found | {"claims": claims(read_rows("arms"), read_rows("lipschitz"))}


def claims(arms: Sequence[Row], lipschitz: Sequence[Row]) -> str:
    """Return the claims about the two bandits at 100,000 pulls, each with its spread over the seeds."""
    last = 100_000
    base = at(arms, "10 arms", "base", last)
    lines = []
    for name in ("ucb1", "ucb1-half", "ts-beta"):
        other = at(arms, "10 arms", name, last)
        lines.append((f"`base` over `{name}`: regret", ratio(base["regret"], other["regret"])))
        lines.append((f"`base` over `{name}`: movement", ratio(base["movement"], other["movement"])))
    lines.append(("tours of `base`, at most", f"{base['tours'].max():g}"))
    for setting in dict.fromkeys(row["setting"] for row in lipschitz):
        blin, mesh = (at(lipschitz, setting, name, last) for name in ("blin", "mesh-ucb1"))
        both = [own["regret"] + own["movement"] for own in (blin, mesh)]
        lines.append((f"`blin` over `mesh-ucb1`, {setting}: regret + movement", ratio(*both)))
        lines.append((f"`blin` over `mesh-ucb1`, {setting}: regret", ratio(blin["regret"], mesh["regret"])))
    return markdown(("at T = 100,000", "ratio of means [95% interval]"), lines)


def at(rows: Sequence[Row], setting: str, method: str, trials: int) -> dict[str, np.ndarray]:
    """Return the numbers of a method after so many pulls, seed by seed."""
    own = [row for row in rows if (row["setting"], row["method"], row["trials"]) == (setting, method, trials)]
    own.sort(key=lambda row: row["seed"])
    return {key: np.array([row[key] for row in own]) for key in ("regret", "movement", "tours")}


def ratio(one: np.ndarray, other: np.ndarray) -> str:
    """Return the ratio of two means, with an interval by resampling the seeds."""
    drawn = np.random.default_rng(0).integers(len(one), size=(2000, len(one)))
    low, high = np.quantile(one[drawn].mean(axis=1) / other[drawn].mean(axis=1), [0.025, 0.975])
    return f"{one.mean() / other.mean():.3g} [{low:.3g}, {high:.3g}]"


def measure_million() -> str:
    """Return the seconds, the memory and the file size of a study of a million pulls, in words."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "arms.db"
        chances = np.linspace(0.1, 0.9, 10)
        began = time.perf_counter()
        study = wf.Study.create(
            wf.Places([[float(place)] for place in range(10)]),
            direction="maximize",
            travel=wf.Euclidean(unit="m"),
            trials=1_000_000,
            method="base",
            store=file,
        )
        while (trial := study.ask(count=True)) is not None:
            drawn = np.random.default_rng(trial.number).random(trial.count)
            study.tell(trial, (drawn < chances[int(trial.x[0])]).astype(float))
        seconds = time.perf_counter() - began
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        return (
            f"{study.state.used} pulls in {len(study.trials)} runs on {len(study.state.plans)} tours: "
            f"{seconds:.2f} s, {peak:.0f} MB at most, a file of {file.stat().st_size / 1e6:.3f} MB"
        )


def write_page() -> None:
    """Draw the pictures and fill the page."""
    for name, part in PARTS.items():
        with TemporaryDirectory() as folder:
            drawn = Path(folder) / "drawn.png"
            part.draw(read_rows(name)).savefig(drawn, dpi=150)
            save_small(drawn, PAGE.with_name(f"theory-{name}.png"))
    PAGE.write_text(fill_blocks(PAGE.read_text(), blocks()))
