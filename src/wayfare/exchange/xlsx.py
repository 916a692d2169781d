"""The sheets of .xlsx workbooks, read (``read_sheet``); ``workbook.py`` writes them.

Only plain sheets of a workbook are read: before openpyxl sees a file from a stranger, everything else is taken out of
it (macros, links to other files, pictures, charts), and its size is limited.
"""

import io
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from typing import Any
from zipfile import ZipFile

from attrs import evolve

from wayfare._core import checks
from wayfare._core.extras import install
from wayfare._core.parse import shown
from wayfare.errors import InvalidInput
from wayfare.exchange.table import Line, Suits, Table, guarded

MOST_UNPACKED = 50_000_000
"""Bytes of all sheets together, unpacked."""
MOST_CELLS = 1_000_000
"""Cells of a sheet, blank ones between them included."""
MOST_COLUMNS = 1_000
MOST_PARTS = 2_000


def openpyxl() -> Any:
    """Return openpyxl, which is an extra."""
    try:
        import openpyxl as module
    except ImportError as error:
        raise InvalidInput(f"an .xlsx workbook needs openpyxl: {install('openpyxl', 'xlsx')}; or use CSV") from error
    return module


_KEPT = re.compile(
    r"\[content_types\]\.xml|(_rels/\.|xl/_rels/|xl/workbook|xl/worksheets/|xl/styles|xl/sharedstrings).*",
    re.IGNORECASE,
)
"""The parts of a workbook that hold its sheets."""
_DECLARED = (b"<!DOCTYPE", *("<!DOCTYPE".encode(code) for code in ("utf-16-le", "utf-16-be")))
_MERGED = re.compile(rb"<(?:\w+:)?mergeCell\s[^>]*?ref\s*=\s*[\"']([A-Za-z]{1,3}[0-9]{1,7}):([A-Za-z]{1,3}[0-9]{1,7})")


def read_sheet(data: bytes, name: str | None, suits: Suits) -> Table:
    """Return the table on a sheet of a workbook; its first row that is not blank names the columns.

    Args:
        data: the file.
        name: of the sheet; None for the one whose header suits, or for the only one.
        suits: whether a header names what is needed.
    """
    module, parts = openpyxl(), _parts(data)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # openpyxl says what it passes over: pictures, validations, styles
        try:
            book = module.load_workbook(parts, read_only=True, keep_links=False)
            sheets = {sheet.title: sheet for sheet in book.worksheets}
            return _table_of(_chosen(sheets, name, suits), parts)
        except InvalidInput:
            raise
        except Exception as error:  # a spoilt file makes openpyxl raise anything
            raise InvalidInput(f"not a workbook that can be read: {_in_short(error)}") from error


def _in_short(error: Exception) -> str:
    said = " ".join(str(error).split())
    return f"{type(error).__name__} {said[:100]}".rstrip()


def _parts(data: bytes) -> io.BytesIO:
    """Return the workbook with its sheets alone, not packed, none of them larger than it may be."""
    kept = io.BytesIO()
    try:
        with ZipFile(io.BytesIO(data)) as packed, ZipFile(kept, "w") as plain:
            infos = [info for info in packed.infolist() if _KEPT.fullmatch(info.filename)]
            if len(infos) > MOST_PARTS or sum(info.file_size for info in infos) > MOST_UNPACKED:
                raise InvalidInput(
                    f"the workbook has more than {MOST_UNPACKED // 1_000_000} MB of cells; save it as CSV"
                )
            if len({info.filename for info in infos}) < len(infos):
                raise InvalidInput("not a workbook: two of its parts have one name")
            for info in infos:
                part = packed.read(info)
                if any(sign in part for sign in _DECLARED):
                    raise InvalidInput(f"not a workbook: {shown(info.filename)} declares a document type")
                plain.writestr(info.filename, part)
    except InvalidInput:
        raise
    except Exception as error:  # a spoilt archive raises BadZipFile, zlib.error, NotImplementedError, RuntimeError, ...
        raise InvalidInput(f"not a workbook that can be read: {_in_short(error)}") from error
    kept.seek(0)
    return kept


def _chosen(sheets: dict[str, Any], name: str | None, suits: Suits) -> Any:
    """Return the sheet that is named, else the one that has a table of results."""
    if name is not None:
        if name not in sheets:
            raise InvalidInput(f"there is no sheet {shown(name)}; {checks.nearest(name, sheets, 'sheets')}")
        return sheets[name]
    visible = [sheet for sheet in sheets.values() if sheet.sheet_state == "visible"]
    if len(visible) == 1:
        return visible[0]
    heads = {sheet.title: head for sheet in visible if (head := next(_lines(sheet), None)) is not None}
    if not heads:
        raise InvalidInput("the workbook is empty; the first row of a sheet names the columns")
    found = [title for title, head in heads.items() if len(heads) == 1 or suits(_head(head, _named(head)))]
    # If none will do, the only one with several columns is meant, and its header says what is wrong.
    wide = [title for title, head in heads.items() if len([cell for cell in head.cells if cell.strip()]) > 1]
    if len(found) == 1 or (not found and len(wide) == 1):
        return sheets[(found or wide)[0]]
    names = " and ".join(map(shown, found or heads))
    said = f"sheets {names} each have a table of results" if found else f"no sheet has the columns of results: {names}"
    raise InvalidInput(f"{said}; say which with --sheet NAME (in Python sheet=)")


def _lines(sheet: Any) -> Iterator[Line]:
    """Yield the rows of a sheet that are not blank, not yet with the names of their cells."""
    sheet.reset_dimensions()  # what a file says of its size need not be true
    cells = 0
    for number, row in enumerate(sheet.iter_rows(), 1):
        cells += len(row) + 1
        if cells > MOST_CELLS or len(row) > MOST_COLUMNS:
            most = f"{MOST_COLUMNS:,} columns" if len(row) > MOST_COLUMNS else f"{MOST_CELLS:,} cells"
            raise InvalidInput(f"sheet {shown(sheet.title)} has more than {most}; save the table as CSV")
        if row:
            line = _line(number, row)
            if _named(line):
                yield line


def _line(number: int, row: Sequence[Any]) -> Line:
    texts, odd, dates, cells = set[int](), dict[int, str](), set[int](), list[str]()
    for at, cell in enumerate(row):
        value, kind = cell.value, cell.data_type
        if kind == "f":
            formula = f" ({value[:40]})" if isinstance(value, str) else ""
            odd[at] = f"cell {_name(at, number)} has a formula{formula}; copy it, and paste its value in its place"
        elif kind == "e":
            odd[at] = f"cell {_name(at, number)} shows the error {str(value)[:40]}; correct it, or clear it"
        elif isinstance(value, datetime | date | time | timedelta):
            dates.add(at)
        elif isinstance(value, str):
            texts.add(at)
        cells.append(_text(value))
    return Line(number, cells, (), frozenset(texts), odd, frozenset(dates))


def _name(column: int, row: int) -> str:
    from openpyxl.utils import get_column_letter

    return f"{get_column_letter(column + 1)}{row}"


def _text(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return repr(value)
    return value.isoformat(" ").removesuffix(" 00:00:00") if isinstance(value, datetime) else str(value)


def _table_of(sheet: Any, parts: io.BytesIO) -> Table:
    """Return the table of a sheet, without blank rows and blank columns."""
    rows = list(_lines(sheet))
    if not rows:
        raise InvalidInput(f"sheet {shown(sheet.title)} is empty; its first row names the columns")
    head = rows[0]
    used = [at for at in range(max(len(line.cells) for line in rows)) if any(_has(line, at) for line in rows)]
    _check_merged(sheet, parts, head.number, rows[-1].number, {at + 1 for at in used})
    for line in rows:
        for at in used:
            if _has(line, at) and not _has(head, at):
                raise InvalidInput(
                    f"cell {_name(at, line.number)} is in a column without a name; name it in row {head.number}"
                )
    return Table(_head(head, used), [_narrow(line, used) for line in rows[1:]])


def _head(line: Line, used: Sequence[int]) -> Line:
    """Return the header with its names as CSV has them."""
    narrow = _narrow(line, used)
    return evolve(narrow, cells=[guarded(cell) for cell in narrow.cells])


def _named(line: Line) -> list[int]:
    return [at for at in range(len(line.cells)) if _has(line, at)]


def _has(line: Line, at: int) -> bool:
    return at < len(line.cells) and (bool(line.cells[at].strip()) or at in line.odd)


def _narrow(line: Line, used: Sequence[int]) -> Line:
    """Return a line with the columns that are used alone, and the names of its cells."""

    def of(columns: Iterable[int]) -> frozenset[int]:
        kept = frozenset(columns)
        return frozenset(new for new, at in enumerate(used) if at in kept)

    return Line(
        line.number,
        [line.cells[at] if at < len(line.cells) else "" for at in used],
        [_name(at, line.number) for at in used],
        of(line.texts),
        {new: line.odd[at] for new, at in enumerate(used) if at in line.odd},
        of(line.dates),
    )


def _check_merged(sheet: Any, parts: io.BytesIO, first: int, last: int, columns: set[int]) -> None:
    """Refuse merged cells within a table: their value would belong to one row alone."""
    from openpyxl.utils.cell import coordinate_to_tuple

    with ZipFile(parts) as book:
        source = book.read(sheet._worksheet_path)  # openpyxl does not read them in this mode
    for found in _MERGED.finditer(source):
        a, b = (one.decode().upper() for one in found.groups())
        (top, left), (bottom, right) = coordinate_to_tuple(a), coordinate_to_tuple(b)
        if top <= last and bottom >= first and any(left <= column <= right for column in columns):
            raise InvalidInput(f"cells {a}:{b} are merged; unmerge them, and fill in each")
