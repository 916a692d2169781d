"""How commands print: text within eighty columns, tables, and a trial, a place or a route as a person reads them.

Text that a user wrote is made safe first: nothing in it can command the terminal or break a line. The output is the
same in a pipe as on a terminal.
"""

from __future__ import annotations

import json
import re
import sys
import unicodedata
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from threading import Timer
from typing import TYPE_CHECKING, Any

import click

from wayfare._core.format import (
    amount,
    cell,
    changes,
    finite,
    head,
    in_words,
    mean_of,
    results,
    rough,
    setting,
    shown,
    unsafe_in,
    with_unit,
)

# `wayfare --version` imports this module, too, and must not load numpy.
if TYPE_CHECKING:
    from datetime import datetime

    from wayfare.record.events import Trial
    from wayfare.record.stamp import Stamp
    from wayfare.report.route_ahead import RouteAhead, Stop
    from wayfare.surrogate.measured import Measured

Record = dict[str, Any]  # an object as --json prints it
WIDTH = 80
NO_BREAK = "\u00a0"


def plain(text: str) -> str:
    """Return the text with control characters written out as Python would write them."""
    if not (unsafe := unsafe_in(text)):
        return text
    return "".join(one.encode("unicode_escape").decode("ascii") if one in unsafe else one for one in text)


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


def _pad(text: str, room: int, left: bool = True) -> str:
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


_GAP = "  "
_NARROWEST = 20  # a column folded to fewer characters is no longer readable


def columns(
    heads: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[int] = (0,), fold: int | None = None
) -> str:
    """Return a table, two spaces between its columns.

    Args:
        heads: of the columns.
        rows: as many cells each as there are heads.
        left: the columns that are flush left; the others are flush right.
        fold: the column that is broken into several lines if the table would be wider than a terminal.
    """
    table = [[plain(cell) for cell in row] for row in (heads, *rows)]
    widths = [max(width(row[at]) for row in table) for at in range(len(heads))]
    if fold is not None:
        others = sum(widths) - widths[fold] + len(_GAP) * (len(heads) - 1)
        # A number must not be broken in two: a table that would need it becomes wider than a terminal instead.
        longest = max(width(word) for row in table for word in row[fold].split(" "))
        widths[fold] = min(widths[fold], max(WIDTH - others, _NARROWEST, min(longest, WIDTH // 2)))
    lines = []
    for row in table:
        folded = [wrap(cell, widths[at]) if at == fold else [cell] for at, cell in enumerate(row)]
        for level in range(max(map(len, folded))):
            cells = [cell[level] if level < len(cell) else "" for cell in folded]
            padded = (_pad(cell, widths[at], at in left) for at, cell in enumerate(cells))
            lines.append(_GAP.join(padded).rstrip())
    return "\n".join(lines)


def _fits(table: str) -> bool:
    return all(width(line) <= WIDTH for line in table.splitlines())


def table_or_lists(heads: Sequence[str], rows: Sequence[Sequence[str]], left: Collection[int] = (0,)) -> str:
    """Return a table as ``columns`` does if it fits a terminal, else every row in a few lines."""
    table = columns(heads, rows, left)
    return table if _fits(table) else "\n\n".join(listing(list(zip(heads, row, strict=True))) for row in rows)


def listing(entries: Sequence[tuple[str, str]], indent: str = "") -> str:
    """Return names with a text each, on a line or as many as it takes.

    A name that leaves too little room stands on a line of its own.
    """
    keys = [plain(key) for key, _ in entries]
    room = max(map(width, keys), default=0)
    beside = width(indent) + room + len(_GAP) <= WIDTH - _NARROWEST
    lines = []
    for key, (_, text) in zip(keys, entries, strict=True):
        hang = " " * (room + len(_GAP)) if beside else "    "
        texts = wrap(text, WIDTH - width(indent) - len(hang))
        if beside:
            lines.append(_pad(key, room) + _GAP + texts.pop(0))
        else:
            lines.extend(wrap(key, WIDTH - width(indent)))
        lines.extend(hang + line for line in texts)
    return "\n".join((indent + line).rstrip() if beside else indent + line for line in lines)


def settings(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> str:
    """Return a place axis by axis, with what to change: ``temp  60 → 72 °C``."""

    def change(axis: str) -> str:
        now = setting(after, axis)
        if before is None:
            return now
        return f"{now} (same)" if before[axis] == after[axis] else f"{cell(before, axis)} → {now}"

    return listing([(axis, change(axis)) for axis in after], indent="  ")


def trial_block(trial: Trial, limits: Sequence[Measured] = ()) -> str:
    """Return a trial in a few lines: its state, its place, and what else is known of it."""
    asked, told = (trial.count > 1 and trial.state == state for state in ("asked", "told"))
    parts = (
        f"{trial.title} {trial.standing}" + ("" if trial.value is None else f": {_in_full(trial.value)}"),
        f"take {results(trial.count)}" if asked else "",
        mean_of(trial.count) if told else "",
        f"variance {shown(trial.variance)}" if told and trial.variance is not None else "",
        f"leg {with_unit(trial.leg, trial.unit)}" if trial.is_visit else "",
        f"worker {trial.worker}" if trial.worker else "",
    )
    lines = [paragraph(", ".join(filter(None, parts)), hang="    "), paragraph(in_words(trial.params), "    ")]
    said = [_measured(limit, trial) for limit in limits] if trial.state == "told" else []
    return "\n".join([*lines, *(paragraph(note, "    ") for note in (*said, *_notes(trial)))])


def _measured(limit: Measured, trial: Trial) -> str:
    """Return the number measured at a trial, and if it breaks its limit: ``pressure 12 bar, not at most 10 bar``."""
    number = trial.measured.get(limit.name)
    if number is None:
        return f"{limit.name} not measured"
    said = f"{limit.name} {_in_full(number)} {limit.unit}".rstrip()
    return said if limit.holds(number) else f"{said}, not {limit.limit}"


def _in_full(value: float) -> str:
    """Return a result with every digit it was told with."""
    return repr(value).removesuffix(".0")


def _notes(trial: Trial) -> list[str]:
    """Return the remarks on a trial: a missed setting, a reason, a correction, a cost as told."""
    asked = trial.asked or {}
    missed = [axis for axis, value in asked.items() if value != trial.params[axis]]
    price = with_unit(trial.predicted, trial.unit)
    values = ", ".join("no value" if value is None else _in_full(value) for value in trial.earlier)
    said = (
        "" if trial.prior else "extra place" if trial.stop is None else "",
        f"asked for {in_words(asked, missed)}" if missed else "" if trial.asked is None else "where it was asked for",
        "went home first" if trial.home_first and trial.is_visit else "",
        f"leg as told, predicted {price}" if trial.spent is not None and trial.is_visit else "",
        f"taken over from {' and '.join(name or 'the worker without a name' for name in trial.former)}"
        if trial.former
        else "",
        trial.why,
        f"earlier {values}" if values else "",
    )
    return list(filter(None, said))


BREAKS = "!"
"""Behind a measured number that breaks its limit."""


def trial_table(trials: Sequence[Trial], names: Sequence[str], unit: str, limits: Sequence[Measured] = ()) -> str:
    """Return the trials as a table if it fits, with notes below; else in a few lines each.

    Args:
        trials: one row each.
        names: of the axes.
        unit: of the legs.
        limits: on what is measured, a column each.
    """
    workers, runs = any(trial.worker for trial in trials), any(trial.count > 1 for trial in trials)
    axes = [head(trials[0].params, name) for name in names] if trials else names
    heads = ["trial", "state", *axes, *["worker"] * workers, in_unit("leg", unit), "value", *["results"] * runs]
    heads += [in_unit(limit.name, limit.unit) for limit in limits]
    rows = [
        [
            trial.label,
            trial.standing,
            *(cell(trial.params, name) for name in names),
            *[trial.worker] * workers,
            amount(trial.leg) if trial.is_visit else "-",
            "-" if trial.value is None else shown(trial.value),
            *[str(trial.count) if trial.state in ("told", "asked") else "-"] * runs,
            *(_measured_cell(limit, trial.measured.get(limit.name)) for limit in limits),
        ]
        for trial in trials
    ]
    table = columns(heads, rows, left=(1,))
    if not _fits(table):
        return "\n".join(trial_block(trial, limits) for trial in trials)
    said = [(trial.title, "; ".join(notes)) for trial in trials if (notes := _notes(trial))]
    noted = [paragraph(f"{title}: {notes}", hang="    ") for title, notes in said]
    if known := sum(trial.prior for trial in trials):
        noted.insert(0, paragraph(f"k0 to k{known - 1}: known before the study" if known > 1 else "k0: known before"))
    if marked := [str(limit) for limit in limits if any(limit.is_broken_by(trial.measured) for trial in trials)]:
        noted.append(paragraph(f"{BREAKS} breaks its limit: {'; '.join(marked)}", hang="    "))
    return "\n".join([table, *[""] * bool(noted), *noted])


def times_table(trials: Sequence[Trial]) -> str:
    """Return when each trial was handed out and got its outcome or last correction, and by whom."""
    heads = ("trial", "state", "issued [UTC]", "by", "closed [UTC]", "by")
    rows = [
        [trial.label, trial.standing, *(text for one in (trial.issued, trial.closed) for text in _stamp(one))]
        for trial in trials
    ]
    return columns(heads, rows, left=(1, 2, 3, 4, 5))


def _stamp(stamp: Stamp) -> tuple[str, str]:
    return in_utc(stamp.at), stamp.by or "-"


def in_utc(at: datetime | None) -> str:
    """Return a time to the second, in UTC; a dash if it is unknown."""
    return "-" if at is None else at.strftime("%Y-%m-%d %H:%M:%S")


def _measured_cell(limit: Measured, number: float | None) -> str:
    if number is None:
        return "-"
    return shown(number) if limit.holds(number) else f"{shown(number)}{BREAKS}"


def route_table(route: RouteAhead) -> str:
    """Return the stops ahead: what changes at each, its leg, and the total from here."""
    runs, learned = route.results > len(route), route.expected is not None
    rows = [
        [
            str(at),
            _changes(stop),
            *[str(stop.count)] * runs,
            amount(stop.leg),
            *([rough(stop.expected)] if stop.expected is not None else []),
            amount(stop.total),
            *(amount(leg) for _, leg in stop.also),
        ]
        for at, stop in enumerate(route.stops, 1)
    ]
    costs = [in_unit(head, route.unit) for head in ("leg", *["expected"] * learned, "total")]
    besides = [in_unit("leg", unit) for unit, _ in route.stops[0].also]
    return columns(["stop", "changes", *["results"] * runs, *costs, *besides], rows, left=(1,), fold=1)


def _changes(stop: Stop) -> str:
    """Return the changes at a stop, each of which stays on one line."""
    parts = (changes(stop.before, stop.params, [axis]) for axis in stop.params)
    return ", ".join(part.replace(" ", NO_BREAK) for part in (*["home first"] * stop.home_first, *parts))


def in_unit(head: str, unit: str) -> str:
    """Return the head of a column of costs, with their unit if it has at most 8 letters."""
    return f"{head} [{unit}]" if 0 < width(unit) <= 8 else head


def note(text: str) -> None:
    """Print on stderr a remark that is no error."""
    click.echo(f"Note: {plain(text)}", err=True)


# JSON leaves these as they are; a terminal or a reader of lines would take them for commands or line ends.
_UNSAFE_IN_JSON = re.compile("[\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def print_json(record: Mapping[str, object]) -> None:
    """Print one object on one line, every float in full, no control character raw."""
    readable = (getattr(sys.stdout, "encoding", None) or "").lower().startswith("utf")
    text = json.dumps(finite(record), ensure_ascii=not readable, allow_nan=False)
    click.echo(_UNSAFE_IN_JSON.sub(lambda match: f"\\u{ord(match[0]):04x}", text))


PATIENCE = 0.5
"""Seconds before anything is shown: a stop that was planned before comes at once."""


@contextmanager
def busy(what: str = "planning") -> Iterator[None]:
    """Show on a terminal that work goes on, if it takes long; nothing in a pipe."""
    if not sys.stderr.isatty():
        yield
        return
    started: list[Any] = []

    def show() -> None:
        from rich.console import Console

        started.append(Console(stderr=True).status(f"{what} ..."))
        started[-1].start()

    timer = Timer(PATIENCE, show)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()
        for status in started:
            status.stop()
