"""The log of a study as a CSV table, for a spreadsheet or an auditor: a row for every change."""

from collections.abc import Mapping
from typing import Any

from wayfare.exchange.table import guarded, write_lines
from wayfare.record.stamp import Stamp
from wayfare.report.log import COLUMNS, Log


def log_csv(log: Log) -> str:
    """Return the log as CSV: event, at, by, via, app, what, trial, field, before, after, why, request.

    Numbers are written in full. An entry without a change has one row; one with several has a row for each.
    """
    rows = ([_cell(value) for value in row] for row in log.rows())
    return write_lines([COLUMNS, *rows])


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, Mapping):
        return guarded(", ".join(f"{key}={_plain(one)}" for key, one in value.items()))
    if isinstance(value, str):
        return guarded(value)
    return _plain(value)


def _plain(value: Any) -> str:
    if hasattr(value, "isoformat"):
        return Stamp(value).time
    return str(value) if isinstance(value, str) else repr(value)
