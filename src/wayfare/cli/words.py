"""A trial, a place, a route as a person reads them, within eighty columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from wayfare.cli.columns import columns, fits, listing
from wayfare.cli.text import NO_BREAK, paragraph, width

if TYPE_CHECKING:
    from wayfare.ahead import RouteAhead, Stop
    from wayfare.records import Trial

# A longer unit has no room in the head of a column.
LONGEST_UNIT = 8


def settings(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> str:
    """Return a place axis by axis, with what to change: ``temp_C  60 → 72``."""
    from wayfare.words import setting

    def change(axis: str, value: object) -> str:
        if before is None:
            return setting(axis, value)
        if before[axis] == value:
            return f"{setting(axis, value)} (same)"
        return f"{setting(axis, before[axis])} → {setting(axis, value)}"

    return listing([(axis, change(axis, value)) for axis, value in after.items()], indent="  ")


def trial_block(trial: Trial) -> str:
    """Return a trial in a few lines: its state, its place, and what else is known of it."""
    from wayfare.words import in_words, with_unit

    head = f"trial {trial.number} {trial.state}"
    if trial.value is not None:
        head += f": {in_full(trial.value)}"
    if trial.count > 1 and trial.state in ("told", "asked"):
        head += f", {run(trial)}"
    if trial.is_visit:
        head += f", leg {with_unit(trial.leg, trial.unit)}"
    if trial.worker:
        head += f", worker {trial.worker}"
    lines = [paragraph(head, hang="    "), paragraph(in_words(trial.params), "    ")]
    return "\n".join([*lines, *(paragraph(note, "    ") for note in notes(trial))])


def in_full(value: float) -> str:
    """Return a result with every digit it was told with."""
    return repr(value).removesuffix(".0")


def run(trial: Trial) -> str:
    """Return what a run has or is to bring: ``mean of 3 results, variance 0.04``, ``take 120 results``."""
    from wayfare.words import mean_of, results, shown

    if trial.value is None:
        return f"take {results(trial.count)}"
    return mean_of(trial.count) + ("" if trial.variance is None else f", variance {shown(trial.variance)}")


def notes(trial: Trial) -> list[str]:
    """Return what sets a trial apart: a missed setting, a reason, a correction, a cost as told."""
    from wayfare.words import in_words, with_unit

    said = []
    if trial.prior:
        said.append("known before the study")
    elif trial.stop is None:
        said.append("extra place")
    if trial.asked is not None:
        missed = {axis: value for axis, value in trial.asked.items() if value != trial.params[axis]}
        said.append(f"asked for {in_words(missed)}" if missed else "where it was asked for")
    if trial.home_first and trial.is_visit:
        said.append("went home first")
    if trial.spent is not None and trial.is_visit:
        said.append(f"leg as told, predicted {with_unit(trial.predicted, trial.unit)}")
    if trial.why:
        said.append(trial.why)
    if trial.earlier:
        values = ("no value" if value is None else in_full(value) for value in trial.earlier)
        said.append(f"earlier {', '.join(values)}")
    return said


def trial_table(trials: Sequence[Trial], names: Sequence[str], unit: str) -> str:
    """Return the trials as a table if it fits, with notes below; else in a few lines each."""
    from wayfare.words import setting, shown

    workers, runs = any(trial.worker for trial in trials), any(trial.count > 1 for trial in trials)
    worker, results = ["worker"] * workers, ["results"] * runs
    heads = ["trial", "state", *names, *worker, in_unit("leg", unit), "value", *results]
    rows = [
        [
            str(trial.number),
            str(trial.state),
            *(setting(name, trial.params[name]) for name in names),
            *([trial.worker] if workers else []),
            f"{trial.leg:.6g}" if trial.is_visit else "-",
            "-" if trial.value is None else shown(trial.value),
            *([str(trial.count) if trial.state in ("told", "asked") else "-"] if runs else []),
        ]
        for trial in trials
    ]
    table = columns(heads, rows, left=(1,))
    if not fits(table):
        return "\n".join(trial_block(trial) for trial in trials)
    noted = [
        paragraph(f"trial {trial.number}: {'; '.join(said)}", hang="    ")
        for trial in trials
        if (said := notes(trial))
    ]
    return "\n".join([table, *([""] if noted else []), *noted])


def route_table(route: RouteAhead) -> str:
    """Return the stops ahead: what changes at each, its leg, and the total from here."""
    from wayfare.words import rough

    runs, learned = route.results > len(route), route.expected is not None
    rows = [
        [
            str(at),
            change_by_change(stop),
            *([str(stop.count)] if runs else []),
            f"{stop.leg:.6g}",
            *([rough(stop.expected)] if stop.expected is not None else []),
            f"{stop.total:.6g}",
            *(f"{leg:.6g}" for _, leg in stop.also),
        ]
        for at, stop in enumerate(route.stops, 1)
    ]
    results = ["results"] if runs else []
    costs = [in_unit(head, route.unit) for head in ("leg", *(["expected"] if learned else []), "total")]
    heads = ["stop", "changes", *results, *costs]
    heads += [in_unit("leg", unit) for unit, _ in route.stops[0].also]
    return columns(heads, rows, left=(1,), fold=1)


def change_by_change(stop: Stop) -> str:
    """Return what changes at a stop, such that each change is kept on a line."""
    from wayfare.words import changes

    before = stop.before
    parts = (
        changes(None if before is None else {axis: before[axis]}, {axis: value})
        for axis, value in stop.params.items()
    )
    home = ["home first".replace(" ", NO_BREAK)] if stop.home_first else []
    return ", ".join([*home, *(part.replace(" ", NO_BREAK) for part in parts)])


def in_unit(head: str, unit: str) -> str:
    """Return the head of a column of costs, with their unit if it is short."""
    return f"{head} [{unit}]" if 0 < width(unit) <= LONGEST_UNIT else head


def stops(route: RouteAhead) -> str:
    """Return how long a route is and what it costs."""
    from wayfare.words import counted, results, roughly, with_unit

    take = f" for {results(route.results)}" if route.results > len(route) else ""
    really = "" if route.expected is None else f", expected {roughly(route.expected, route.unit)}"
    return f"{counted(len(route), 'stop')}{take}, {with_unit(route.cost, route.unit)}{really}"
