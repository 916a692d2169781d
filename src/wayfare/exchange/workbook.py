"""Workbooks: the results of a study (``export_xlsx``), and a form to fill in (``sheet_xlsx``).

Numbers are kept in full and shown with the digits that matter; text is never taken for a formula.
"""

import io
import math
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from wayfare._core import checks
from wayfare._core.format import LATITUDE, LONGITUDE, in_full, in_words
from wayfare.errors import InvalidInput
from wayfare.exchange.csv import Column, columns_of
from wayfare.exchange.records import counts, spec_record
from wayfare.exchange.runsheet import some_out
from wayfare.exchange.xlsx import MOST_CELLS, openpyxl
from wayfare.record.events import Trial, TrialState
from wayfare.record.state import StudyState
from wayfare.space import Integer, Real, Space
from wayfare.space.axes import Axis, Scalar
from wayfare.study.study import Snapshot, Study

EXTRA_ROWS = 5
"""Rows of a form for visits that were not planned."""
LONGEST = 40
"""Characters up to which a column is as wide as its cells."""


def export_xlsx(study: Study | Snapshot) -> bytes:
    """Return the trials as an .xlsx workbook: a sheet of results, and one that describes the study.

    It has all that ``export_csv(full=True)`` has; results known before the study stand on a grey ground. Numbers are
    shown with the digits that an axis resolves, and kept in full. ``read_results`` takes it back.
    """
    state = study.snapshot().state
    columns = columns_of(state, full=True)
    if len(state.trials) * len(columns) > MOST_CELLS:
        raise InvalidInput(f"a workbook has at most {MOST_CELLS:,} cells here; export CSV")
    book = openpyxl().Workbook()
    sheet = book.active
    sheet.title = "results"
    looks = _Looks()
    _write_head(sheet, columns, looks)
    for row, trial in enumerate(state.trials, 2):
        for at, column in enumerate(columns, 1):
            cell = _put(sheet.cell(row, at), _cell_value(column, trial), looks.formats(state, column))
            if trial.prior:
                cell.fill = looks.known
    sheet.freeze_panes = "C2"
    sheet.auto_filter.ref = sheet.dimensions
    _set_widths(sheet)
    _describe(book.create_sheet("study"), state, looks)
    return _saved(book)


def sheet_xlsx(study: Study | Snapshot, *, worker: str | None = None) -> bytes:
    """Return the trials that are out as a form in an .xlsx workbook; ``read_results`` takes it back filled in.

    The head and the settings are locked, without a password; results, states and remarks are to be filled in. Below are
    a few rows for visits that were not planned.

    Args:
        study: has a trial that is out; ``hand_out`` issues some.
        worker: whose trials; None: all that are out.
    """
    state = study.snapshot().state
    trials = some_out(state, worker)
    book = openpyxl().Workbook()
    sheet = book.active
    sheet.title = "form"
    looks = _Looks()
    # What is to be filled in stands behind what is to be set.
    filled = ["state", "value", *(limit.name for limit in state.spec.measured), "variance", "spent", "why"]
    by_name = {column.name: column for column in columns_of(state) if column.name != "prior"}
    columns = [column for name, column in by_name.items() if name not in filled]
    columns += [by_name[name] for name in filled if name in by_name]
    _write_head(sheet, columns, looks)
    for row, trial in enumerate([*trials, *[None] * EXTRA_ROWS], 2):
        for at, column in enumerate(columns, 1):
            value = None if trial is None else _cell_value(column, trial)
            cell = _put(sheet.cell(row, at), value, looks.formats(state, column))
            if column.name in filled or (trial is None and column.name not in ("number", "leg")):
                cell.protection, cell.fill, cell.border = looks.open, looks.box, looks.line
    sheet.freeze_panes = "B2"
    sheet.protection.enable()
    sheet.protection.formatColumns = sheet.protection.formatRows = False  # False allows it
    _add_rules(book, sheet, state, columns, len(trials))
    _set_widths(sheet)
    sheet.column_dimensions[sheet.cell(1, len(columns)).column_letter].width = LONGEST  # the remarks
    sheet.page_setup.orientation, sheet.page_setup.fitToHeight = "landscape", 0
    sheet.sheet_properties.pageSetUpPr.fitToPage = True
    sheet.print_title_rows = "1:1"
    _explain_form(book.create_sheet("how to"), state, looks)
    return _saved(book)


class _Looks:
    """The looks of cells."""

    def __init__(self) -> None:
        from openpyxl.styles import Alignment, Border, Font, PatternFill, Protection, Side

        self.bold, self.wrap = Font(bold=True), Alignment(wrap_text=True, vertical="top")
        self.head, self.known, self.box = (
            PatternFill("solid", start_color=color) for color in ("DCE6F1", "E7E6E6", "FFF9DB")
        )
        thin = Side(style="thin", color="BFBFBF")
        self.line = Border(left=thin, right=thin, top=thin, bottom=thin)
        self.open = Protection(locked=False)
        self._formats: dict[str, str] = {}

    def formats(self, state: StudyState, column: Column) -> str:
        """Return the number format of a column."""
        if column.name not in self._formats:
            self._formats[column.name] = _format_of(state, column)
        return self._formats[column.name]


def _format_of(state: StudyState, column: Column) -> str:
    """Return a number format with the digits that matter: those of the axis, and four of a cost."""
    axis = _axis(state, column.axis)
    if column.name.endswith("_at"):
        return "yyyy-mm-dd hh:mm"
    if isinstance(axis, Integer):
        return "0"
    if isinstance(axis, Real):
        if axis.grid is not None and axis.grid.decimals is not None:
            return _fixed(axis.grid.decimals)
        if column.axis.lower() in LATITUDE + LONGITUDE:
            return _fixed(6)
        return _digits(axis.low if axis.log else axis.high - axis.low)
    if column.name in ("leg", "spent"):
        return _digits(max((trial.leg for trial in state.trials), default=0.0))
    return "General"


def _axis(state: StudyState, name: str) -> Axis | None:
    space = state.spec.space
    return next((axis for axis in space.axes if axis.name == name), None) if isinstance(space, Space) else None


def _digits(number: float) -> str:
    """Return the format that shows a number with four digits, and all that it has before the point."""
    if number == 0:
        return "General"
    power = math.floor(math.log10(number))
    return _fixed(max(0, 3 - power)) if -3 <= power < 9 else "0.000E+00"


def _fixed(decimals: int) -> str:
    return "0." + "0" * decimals if decimals else "0"


def _cell_value(column: Column, trial: Trial) -> object:
    """Return the content of a cell: a time as one, in UTC; a whole number that a sheet would round as text."""
    value = column.value(trial)
    if value is not None and column.name.endswith("_at") and isinstance(value, str):
        return datetime.fromisoformat(value.replace("Z", "+00:00")).replace(tzinfo=None)
    if isinstance(value, int) and abs(value) > checks.LARGEST_WHOLE:
        return str(value)
    return value


def _put(cell: Any, value: object, form: str = "General") -> Any:
    """Fill a cell; text is never taken for a formula, and what XML cannot hold is replaced."""
    from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE

    if isinstance(value, str):
        cell.value = ILLEGAL_CHARACTERS_RE.sub("\ufffd", value)
        cell.data_type, cell.quotePrefix = "s", value.startswith(("=", "+", "-", "@"))
    elif isinstance(value, float):
        cell.value, cell.data_type = repr(value), "n"  # openpyxl would write 16 digits, one too few
    elif value is not None:
        cell.value = value
    if form != "General":
        cell.number_format = form
    return cell


def _write_head(sheet: Any, columns: Sequence[Column], looks: _Looks) -> None:
    for at, column in enumerate(columns, 1):
        cell = _put(sheet.cell(1, at), column.head)
        cell.font, cell.fill, cell.alignment = looks.bold, looks.head, looks.wrap


def _set_widths(sheet: Any) -> None:
    """Make every column as wide as its words and its numbers as they are shown."""
    from openpyxl.utils import get_column_letter

    for at, (head, *cells) in enumerate(sheet.iter_cols(), 1):
        word = max(map(len, str(head.value).split()), default=0) + 3  # and room for the button of a filter
        widest = max((_width(cell) for cell in cells), default=0)
        sheet.column_dimensions[get_column_letter(at)].width = max(9, min(max(word, widest + 2), LONGEST))


def _width(cell: Any) -> int:
    if cell.value is None:
        return 0
    if cell.is_date:
        return len(cell.number_format)
    if cell.data_type != "n" or cell.number_format == "General":
        return min(len(str(cell.value)), LONGEST if cell.data_type == "s" else 11)
    _, _, decimals = cell.number_format.partition(".")
    return 12 if "E" in decimals else len(f"{float(cell.value):.0f}") + len(decimals) + 1


def _describe(sheet: Any, state: StudyState, looks: _Looks) -> None:
    """Fill the sheet that describes a study."""
    spec = state.spec
    record = spec_record(spec, "")
    axes = [str(axis) for axis in spec.space.axes] if isinstance(spec.space, Space) else list(spec.space.names)
    here = state.position
    entries: list[tuple[str, object]] = [
        ("study", spec.name),
        *((key, record[key]) for key in ("direction", "trials", "method", "seed", "unit")),
        *(("axis", axis) for axis in axes),
        *((key, said) for key in ("forbidden", "constraints") for said in record[key]),
        *(("measured", str(limit)) for limit in spec.measured),
        ("start", None if spec.start is None else in_words(spec.space.params(spec.start))),
        ("home", None if spec.limits.home is None else in_words(spec.space.params(spec.limits.home))),
        *((key, _amount(record[key], spec.unit)) for key in ("budget", "dwell", "trip", "trip_cost", "max_step")),
        ("position", None if here is None else in_words(spec.space.params(here))),
        *counts(state).items(),
        ("grey rows", "results known before the study; nothing moved for them" if counts(state)["prior"] else None),
        ("to go on", f"wayfare import {spec.name} FILE takes the sheet 'results' back"),
    ]
    for row, (name, said) in enumerate(((name, said) for name, said in entries if said not in (None, "", 0.0)), 1):
        _put(sheet.cell(row, 1), name).font = looks.bold
        _put(sheet.cell(row, 2), said).alignment = looks.wrap
    sheet.column_dimensions["A"].width, sheet.column_dimensions["B"].width = 14, 80


def _amount(cost: object, unit: str) -> str | None:
    return in_full(cost, unit) if isinstance(cost, int | float) and cost else None


def _add_rules(book: Any, sheet: Any, state: StudyState, columns: Sequence[Column], trials: int) -> None:
    """Add the drop-downs, and the checks of numbers."""
    from openpyxl.utils import get_column_letter
    from openpyxl.worksheet.datavalidation import DataValidation

    last = 1 + trials + EXTRA_ROWS
    lists = None
    for at, column in enumerate(columns, 1):
        letter, first = get_column_letter(at), 2
        axis = _axis(state, column.axis)
        if column.name == "state":
            states = ",".join(one for one in TrialState if one is not TrialState.ASKED)
            rule = DataValidation("list", formula1=f'"{states}"', error="told, failed or skipped")
        elif column.choice is not None:
            # A list of its own, because a text of all values may be too long, and a value may have a comma in it.
            lists = lists or book.create_sheet("lists")
            for row, value in enumerate(column.choice.values, 1):
                _put(lists.cell(row, at), _plain(value))
            end = f"${letter}${len(column.choice.values)}"
            rule = DataValidation("list", formula1=f"lists!${letter}$1:{end}", error="one of the list")
            first = 2 + trials
        elif column.axis:
            rule = DataValidation("decimal", formula1="-1E+150", formula2="1E+150", error=f"{column.head}: a number")
            if isinstance(axis, Real | Integer):
                kind = "whole" if isinstance(axis, Integer) else "decimal"
                said = f"{column.head}: from {axis.low:g} to {axis.high:g}"
                rule = DataValidation(kind, formula1=repr(axis.low), formula2=repr(axis.high), error=said)
                rule.errorStyle = "warning"  # a visit out of bounds may have happened
            first = 2 + trials
        elif column.name in ("spent", "variance"):
            rule = DataValidation("decimal", operator="greaterThanOrEqual", formula1="0", error="a number, 0 or more")
        elif column.name == "count":
            rule = DataValidation(
                "whole", operator="greaterThanOrEqual", formula1="1", error="a whole number, 1 or more"
            )
        elif column.name in ("number", "leg", "worker", "why"):
            continue
        else:
            rule = DataValidation("decimal", formula1="-1E+300", formula2="1E+300", error=f"{column.head}: a number")
        rule.showErrorMessage, rule.allow_blank = True, True
        sheet.add_data_validation(rule)
        rule.add(f"{letter}{first}:{letter}{last}")
    if lists is not None:
        lists.sheet_state = "hidden"


def _plain(value: Scalar) -> object:
    return str(value) if isinstance(value, int) and abs(value) > checks.LARGEST_WHOLE else value


def _explain_form(sheet: Any, state: StudyState, looks: _Looks) -> None:
    """Fill the sheet that says how a form is filled in."""
    name = state.spec.name
    better = "larger" if state.spec.direction == "maximize" else "smaller"
    lines = [
        f"Form of the study {name}. The {better} the value, the better.",
        "Fill in the yellow cells of the sheet 'form': the value, or failed or skipped in 'state' if there is none.",
        "'spent' is what the leg really cost, if that is known; 'why' is a remark or a reason.",
        "Rows without a number are for visits that were not planned: their place and value; "
        f"wayfare import {name} FILE --extra takes them.",
        f"A setting that was missed is told by itself: wayfare tell {name} NUMBER VALUE --actual AXIS=VALUE.",
        f"Then: wayfare import {name} FILE. Rows still blank stay open, and importing twice does no harm.",
    ]
    for row, line in enumerate(lines, 1):
        _put(sheet.cell(row, 1), line).alignment = looks.wrap
    sheet.column_dimensions["A"].width = 100


def _saved(book: Any) -> bytes:
    book.properties.creator = "wayfare"
    out = io.BytesIO()
    try:
        book.save(out)
    except UnicodeEncodeError as error:
        raise InvalidInput("a text of this study holds half a character: it cannot be exported") from error
    return out.getvalue()
