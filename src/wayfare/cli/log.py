"""``wayfare log``: the audit trail of a study, or of the store as a whole."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from wayfare._core.format import changes as place_changes
from wayfare._core.format import counted, shown, with_unit
from wayfare.cli.files import check_target, write_text
from wayfare.cli.input import FILE, force_option, json_option, options, store_option
from wayfare.cli.output import columns, in_utc, note, plain, print_json
from wayfare.cli.studies import open_study
from wayfare.errors import InvalidInput
from wayfare.exchange import log_csv
from wayfare.exchange.records import log_record
from wayfare.record.events import Trial
from wayfare.report.log import Change, LogEntry
from wayfare.store import log as store_log


@click.command()
@options(click.argument("name", required=False), store_option)
@click.option("--csv", "as_csv", is_flag=True, help="A table for a spreadsheet, a row for every change.")
@click.option("--out", type=FILE, metavar="FILE", help="Write that table to a file.")
@force_option
@json_option
def log(name: str | None, store: Path | str, as_csv: bool, out: Path | None, force: bool, as_json: bool) -> None:
    """Show what was changed, from what to what, why, by whom, when.

    Everything that ever happened to the study NAME, oldest first, times in UTC. Without NAME: what happened
    to the studies of the store as a whole, those that were deleted too.
    """
    if as_json and (as_csv or out is not None):
        raise InvalidInput("--json and --csv (or --out) exclude each other")
    if out is not None:
        check_target(out, force, store)
    if name is None:
        entries, words = store_log(store), _Words("", ())
    else:
        study = open_study(store, name)
        entries, words = study.log(), _Words(study.spec.unit, study.last.trials)
    if as_csv or out is not None:
        write_text(out, log_csv(entries))
        if out is not None:
            click.echo(f"{plain(name or str(store))}: {_counted(len(entries))} written to {plain(str(out))}")
    elif as_json:
        for entry in entries:
            print_json(log_record(entry))
    elif entries:
        numbers = name is not None
        rows = [_row(entry, words)[not numbers :] for entry in entries]
        heads = ("event", "at [UTC]", "by", "via", "what")[not numbers :]
        click.echo(columns(heads, rows, left=range(numbers, 5), fold=len(heads) - 1))
    else:
        note("nothing has happened yet")


def _counted(number: int) -> str:
    return f"{number} {'entry' if number == 1 else 'entries'}"


def _row(entry: LogEntry, words: "_Words") -> tuple[str, ...]:
    stamp, number = entry.stamp, "-" if entry.event is None else str(entry.event)
    return number, in_utc(stamp.at), stamp.by or "-", stamp.via or "-", words.of(entry)


class _Words:
    """How the entries of a study are said: ``trial 1 amended: value 0.05 → 0.07; wrong peak``."""

    def __init__(self, unit: str, trials: Sequence[Trial]) -> None:
        self.unit, self.trials = unit, trials

    def of(self, entry: LogEntry) -> str:
        """Return what happened, in a few words."""
        what = entry.what if entry.trial is None else f"{self.trials[entry.trial].title} {entry.what}"
        said = ", ".join(filter(None, (self._change(one, entry) for one in entry.changes)))
        return "; ".join(filter(None, (f"{what}: {said}" if said else what, entry.why)))

    def _change(self, one: Change, entry: LogEntry) -> str:
        """Return one change: ``value 0.05 → 0.07``; nothing where ``told`` or ``failed`` says it."""
        if entry.what == "changed":
            return str(one)
        match one.field:
            case "state" if entry.what != "amended":
                return ""
            case "stops":
                return counted(one.after, "stop")
            case "cost":
                return with_unit(one.after, self.unit)
        if isinstance(one.after, Mapping):
            before = one.before or {}
            moved = {axis: value for axis, value in one.after.items() if axis not in before or before[axis] != value}
            return place_changes(one.before, moved)
        field = one.field.removeprefix("place.").removeprefix("measured.")
        if entry.what == "deleted":
            return f"{field} {one.before}"
        whose = "" if one.trial is None or one.trial == entry.trial else f" of {self.trials[one.trial].title}"
        texts = [self._value(value, one.field) for value in (one.before, one.after)]
        return f"{field}{whose} " + (texts[1] if one.before is None else " → ".join(texts))

    def _value(self, value: Any, field: str) -> str:
        if value is None:
            return "none"
        return with_unit(value, self.unit) if field in ("leg", "spent", "way_home") else shown(value)
