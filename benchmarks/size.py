"""What a long study costs: opening it, asking for the next stop, and ``wayfare status``.

Run ``python benchmarks/size.py``; it writes size.md beside itself and exits with 1 if a target is missed. The
figures are medians of several runs; ``ask`` hands out stops of a stored plan in a study that is open.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np
from rich.console import Console
from rich.table import Table

import wayfare as wf
from tables import as_markdown
from wayfare.record.events import Asked, Event, Planned, Told, write_event
from wayfare.store import as_store

SIZES = (0, 1_250, 2_500, 5_000, 10_000)
MOST_STATUS = 1.0  # seconds
MOST_ASK = 5.0  # milliseconds over an empty study's
MOST_BEND = 1.5  # the cost per trial of the largest over that of the next smaller one
SPACE = wf.Space(wf.Real("temp_C", 40, 120), wf.Real("flow", 0.1, 2.0), wf.Choice("catalyst", ["Pd", "Ni"]))


def make_study(path: Path | str, told: int) -> wf.Study:
    """Return a study in a file or database, with so many results and a plan that goes on for 50 stops more."""
    study = wf.Study.create(
        SPACE,
        direction="maximize",
        travel=wf.Manhattan(axes=["temp_C", "flow"], unit="s"),
        trials=told + 50,
        method=wf.Method(wf.Uniform(), wf.Fixed(50)),
        store=path,
        name="long",
    )
    rng = np.random.default_rng(0)
    events: list[Event] = []
    for number in range(0, told + 50, 50):
        stops, legs = SPACE.sample(50, rng), rng.random(50)
        notes = {"step": "map", "lengths": [0.5, 0.25, 1.0], "variance": 1.0, "noise": 0.1}
        events.append(Planned(stops, legs, np.arange(50), number, notes, 0, wf.__version__))
        for stop in range(min(50, told - number)):
            at = number + stop
            events.append(Asked(at, stop, float(legs[stop]), "", f"ask {at}"))
            events.append(Told(at, float(rng.normal()), f"tell {at}"))
    as_store(path).append("long", 0, [write_event(event) for event in events])
    return study


def seconds(call: Callable[[], object], times: int) -> list[float]:
    taken = []
    for _ in range(times):
        begun = time.perf_counter()
        call()
        taken.append(time.perf_counter() - begun)
    return taken


def measure(told: int, folder: Path) -> dict[str, float]:
    path = folder / f"{told}.db"
    make_study(path, told)
    opening = seconds(lambda: wf.Study.open(path, "long").state, 7)
    study = wf.Study.open(path, "long")
    study.ask("first")
    asking = seconds(lambda: study.ask(wait=False), 31)
    command = [sys.executable, "-c", "from wayfare.cli import main; main()"]
    status = seconds(
        lambda: subprocess.run([*command, "status", "long", "--store", str(path)], check=True, capture_output=True), 5
    )
    return {"open": median(opening), "ask": median(asking), "status": median(status), "size": path.stat().st_size}


def main() -> int:
    console = Console()
    with tempfile.TemporaryDirectory() as name:
        rows = {}
        for told in SIZES:
            with console.status(f"{told} trials"):
                rows[told] = measure(told, Path(name))
    heads = ("trials", "open ms", "open µs per trial", "ask ms", "ask over empty ms", "status s", "file MB")
    table = Table(*heads)
    for column in table.columns:
        column.justify = "right"
    empty = rows[0]
    for told, row in rows.items():
        each = (row["open"] - empty["open"]) / told * 1e6 if told else 0.0
        table.add_row(
            f"{told}",
            f"{1000 * row['open']:.1f}",
            f"{each:.1f}" if told else "-",
            f"{1000 * row['ask']:.2f}",
            f"{1000 * (row['ask'] - empty['ask']):.2f}" if told else "-",
            f"{row['status']:.2f}",
            f"{row['size'] / 1e6:.2f}",
        )
    console.print(table)
    last, before = rows[SIZES[-1]], rows[SIZES[-2]]
    bend = ((last["open"] - empty["open"]) / SIZES[-1]) / ((before["open"] - empty["open"]) / SIZES[-2])
    asking = 1000 * (last["ask"] - empty["ask"])
    checks = Table("of 10,000 trials", "measured", "at most", "")
    for name, value, limit, unit in (
        ("wayfare status", last["status"], MOST_STATUS, "s"),
        ("ask from a stored plan, over an empty study's", asking, MOST_ASK, "ms"),
        ("opening, per trial, over 5,000 trials'", bend, MOST_BEND, "x"),
    ):
        held = "holds" if value <= limit else "MISSED"
        checks.add_row(name, f"{value:.2f} {unit}", f"{limit:g} {unit}", held)
    console.print(checks)
    page = f"# Long studies\n\n{__doc__}\n{as_markdown(table)}\n\n{as_markdown(checks)}\n"
    Path(__file__).with_suffix(".md").write_text(page)
    return int("MISSED" in page)


if __name__ == "__main__":
    sys.exit(main())
