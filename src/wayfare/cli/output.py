"""Text that a user wrote, made fit for a terminal: nothing in it can command the terminal or break a line."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wayfare.record.events import Trial
    from wayfare.report.route_ahead import RouteAhead, Stop


WIDTH = 80
NO_BREAK = "\u00a0"

# Control characters, line separators, halves of characters, and marks that turn or hide text.
UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
# Joiners, without which some scripts and emoji are misspelt.
HARMLESS = {"\u200c", "\u200d"}


def plain(text: str) -> str:
    """Return the text with control characters written out as Python would write them."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_safe, text))


def _safe(character: str) -> str:
    if unicodedata.category(character) not in UNSAFE or character in HARMLESS:
        return character
    return character.encode("unicode_escape").decode("ascii")


def one_line(text: str) -> str:
    """Return a message on one line, whatever a user's text brought into it."""
    return plain(" ".join(text.split()))


def width(text: str) -> int:
    """Return how many columns a terminal needs for the text."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def pad(text: str, room: int, left: bool = True) -> str:
    """Return the text filled with blanks to ``room`` columns, flush left or right."""
    blanks = " " * (room - width(text))
    return text + blanks if left else blanks + text


def wrap(text: str, room: int) -> list[str]:
    """Return the text in lines of at most ``room`` columns, broken at blanks, inside words if need be.

    Words joined by a ``NO_BREAK`` blank stay together, as long as they fit.
    """
    lines = [""]
    for word in plain(text).split(" "):
        for piece in _chopped(word, room):
            line = f"{lines[-1]} {piece}" if lines[-1] else piece
            if width(line) <= room:
                lines[-1] = line
            else:
                lines.append(piece)
    return [line.replace(NO_BREAK, " ") for line in lines]


def _chopped(word: str, room: int) -> list[str]:
    pieces, used = [""], 0
    for character in word:
        used += _columns(character)
        if used > room and pieces[-1]:
            pieces.append("")
            used = _columns(character)
        pieces[-1] += character
    return pieces


def paragraph(text: str, indent: str = "", hang: str | None = None) -> str:
    """Return the text within eighty columns, each line indented, all but the first by ``hang``."""
    hang = indent if hang is None else hang
    first, *rest = wrap(text, WIDTH - max(width(indent), width(hang)))
    return "\n".join([indent + first, *(hang + line for line in rest)])


# Plain text in columns, the same in a pipe as on a terminal.


GAP = "  "
# A column folded narrower than this is no longer readable.
NARROWEST = 20


def columns(
    heads: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[int] = (0,), fold: int | None = None
) -> str:
    """Return a table, two spaces between its columns.

    The columns numbered in ``left`` are flush left, the others flush right. The column ``fold`` is broken
    into several lines if the table would be wider than a terminal.
    """
    table = [[plain(cell) for cell in row] for row in (heads, *rows)]
    widths = [max(width(row[at]) for row in table) for at in range(len(heads))]
    if fold is not None:
        others = sum(widths) - widths[fold] + len(GAP) * (len(heads) - 1)
        # A number broken in two is set wrongly: a table that needs it is wider than a terminal instead.
        longest = max(width(word) for row in table for word in row[fold].split(" "))
        widths[fold] = min(widths[fold], max(WIDTH - others, NARROWEST, min(longest, WIDTH // 2)))
    lines = []
    for row in table:
        folded = [wrap(cell, widths[at]) if at == fold else [cell] for at, cell in enumerate(row)]
        for level in range(max(map(len, folded))):
            cells = [cell[level] if level < len(cell) else "" for cell in folded]
            padded = (pad(cell, widths[at], at in left) for at, cell in enumerate(cells))
            lines.append(GAP.join(padded).rstrip())
    return "\n".join(lines)


def fits(table: str) -> bool:
    """Return whether a table is no wider than a terminal."""
    return all(width(line) <= WIDTH for line in table.splitlines())


def listing(entries: Sequence[tuple[str, str]], indent: str = "") -> str:
    """Return names and what stands behind them, a line each or as many as it takes.

    A name that leaves too little room stands on a line of its own.
    """
    keys = [plain(key) for key, _ in entries]
    room = max((width(key) for key in keys), default=0)
    if width(indent) + room + len(GAP) > WIDTH - NARROWEST:
        return "\n".join(_below(key, text, indent) for key, (_, text) in zip(keys, entries, strict=True))
    lines = []
    for key, (_, text) in zip(keys, entries, strict=True):
        first, *rest = wrap(text, WIDTH - width(indent) - room - len(GAP))
        lines.append(indent + pad(key, room) + GAP + first)
        lines.extend(indent + " " * room + GAP + line for line in rest)
    return "\n".join(line.rstrip() for line in lines)


def _below(key: str, text: str, indent: str) -> str:
    names = wrap(key, WIDTH - width(indent))
    texts = wrap(text, WIDTH - width(indent) - 4)
    return "\n".join([*(indent + line for line in names), *(f"{indent}    {line}" for line in texts)])


# A trial, a place, a route as a person reads them, within eighty columns.


# A longer unit has no room in the head of a column.
LONGEST_UNIT = 8


def settings(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> str:
    """Return a place axis by axis, with what to change: ``temp_C  60 → 72``."""
    from wayfare._core.format import setting

    def change(axis: str, value: object) -> str:
        if before is None:
            return setting(axis, value)
        if before[axis] == value:
            return f"{setting(axis, value)} (same)"
        return f"{setting(axis, before[axis])} → {setting(axis, value)}"

    return listing([(axis, change(axis, value)) for axis, value in after.items()], indent="  ")


def trial_block(trial: Trial) -> str:
    """Return a trial in a few lines: its state, its place, and what else is known of it."""
    from wayfare._core.format import in_words, with_unit

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
    from wayfare._core.format import mean_of, results, shown

    if trial.value is None:
        return f"take {results(trial.count)}"
    return mean_of(trial.count) + ("" if trial.variance is None else f", variance {shown(trial.variance)}")


def notes(trial: Trial) -> list[str]:
    """Return what sets a trial apart: a missed setting, a reason, a correction, a cost as told."""
    from wayfare._core.format import in_words, with_unit

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
    from wayfare._core.format import setting, shown

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
        paragraph(f"trial {trial.number}: {'; '.join(said)}", hang="    ") for trial in trials if (said := notes(trial))
    ]
    return "\n".join([table, *([""] if noted else []), *noted])


def route_table(route: RouteAhead) -> str:
    """Return the stops ahead: what changes at each, its leg, and the total from here."""
    from wayfare._core.format import rough

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
    from wayfare._core.format import changes

    before = stop.before
    parts = (
        changes(None if before is None else {axis: before[axis]}, {axis: value}) for axis, value in stop.params.items()
    )
    home = ["home first".replace(" ", NO_BREAK)] if stop.home_first else []
    return ", ".join([*home, *(part.replace(" ", NO_BREAK) for part in parts)])


def in_unit(head: str, unit: str) -> str:
    """Return the head of a column of costs, with their unit if it is short."""
    return f"{head} [{unit}]" if 0 < width(unit) <= LONGEST_UNIT else head


def stops(route: RouteAhead) -> str:
    """Return how long a route is and what it costs."""
    from wayfare._core.format import counted, results, roughly, with_unit

    take = f" for {results(route.results)}" if route.results > len(route) else ""
    really = "" if route.expected is None else f", expected {roughly(route.expected, route.unit)}"
    return f"{counted(len(route), 'stop')}{take}, {with_unit(route.cost, route.unit)}{really}"


# A sign of life on a terminal while a route is planned; nothing in a pipe.


PATIENCE = 0.5
"""Seconds before anything is shown: a stop that was planned before comes at once."""


@contextmanager
def planning() -> Iterator[None]:
    """Show that planning goes on, if it takes long and someone is looking."""
    if not sys.stderr.isatty():
        yield
        return
    shown: list[Any] = []

    def show() -> None:
        from rich.console import Console

        status = Console(stderr=True).status("planning ...")
        shown.append(status)
        status.start()

    timer = Timer(PATIENCE, show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        for status in shown:
            status.stop()
