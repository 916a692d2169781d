"""A table from a file: text in the dialect that it shows by itself, or a sheet of a workbook (``read_table``).

What a file does not say without doubt is asked for: the refusal names the option that says it. Nothing is known here
of studies; cells are text, as they stand in the file.
"""

import codecs
import csv
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from io import StringIO
from types import MappingProxyType
from typing import Any, TypeAlias

from attrs import evolve, field, fields, frozen

from wayfare._core import checks
from wayfare._core.parse import shown
from wayfare.errors import InvalidInput
from wayfare.form.files import parse_toml

DELIMITERS = {"comma": ",", "semicolon": ";", "tab": "\t"}
DECIMALS = {"point": ".", "comma": ","}
ENCODINGS = ("utf-8", "utf-16", "cp1252", "cp1250", "cp1251", "latin-1", "mac-roman", "shift-jis", "gb18030")
"""Of text files that do not say theirs; UTF-8 and the marks of UTF-16 are recognised."""
EVERYTHING = "*"
"""In ``ignore``: all columns that are not known."""
LARGEST = 50_000_000
"""Bytes in a file: far beyond 100,000 trials."""
FORMULA = tuple("=+-@＝＋－＠")
"""The signs a formula begins with, leading spaces aside; some spreadsheets accept the wide ones too."""
_ZIP, _OLE = b"PK\x03\x04", bytes.fromhex("d0cf11e0a1b11ae1")
_MARKS = {codecs.BOM_UTF8: "utf-8-sig", codecs.BOM_UTF16_LE: "utf-16", codecs.BOM_UTF16_BE: "utf-16"}
_SEP = re.compile(r'"?sep=([,;\t])"?(?=[\r\n])', re.IGNORECASE)
"""The line by which a spreadsheet is told the delimiter."""
_POINT = re.compile(r"[+-]?[0-9]*\.[0-9]*([eE][+-]?[0-9]+)?")
_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]*([eE][+-]?[0-9]+)?")
_NUMBER = re.compile(r"[+-]?[0-9]*[.,]?[0-9]+([eE][+-]?[0-9]+)?")
_GROUPED = re.compile(r"[+-]?[1-9][0-9]{0,2}[.,][0-9]{3}")
"""A number that may have a decimal mark, or a mark between its thousands."""


def _optional(known: Iterable[str]) -> Callable[[Any, Any, object], None]:
    """Return a validator of a word, or None."""
    words = list(known)

    def check(form: Any, attribute: Any, value: object) -> None:
        if value is not None and value not in words:
            raise InvalidInput(f"{attribute.name} must be one of {', '.join(words)}, got {checks.brief(value)}")

    return check


def _as_columns(given: object) -> Mapping[str, str]:
    if not isinstance(given, Mapping):
        raise InvalidInput(f"columns must be a dict of names, got {checks.brief(given)}")
    names = {checks.name(ours, "a column"): checks.name(theirs, "a column") for ours, theirs in given.items()}
    return MappingProxyType(names)


def _as_names(given: object) -> tuple[str, ...]:
    if isinstance(given, str) or not isinstance(given, Iterable):
        raise InvalidInput(f"ignore must be a list of names, got {checks.brief(given)}")
    return tuple(checks.name(one, "a column to ignore") for one in given)


@frozen(kw_only=True)
class TableFormat:
    """How a file of results is to be read, as far as it does not say so itself.

    Attributes:
        delimiter: "comma", "semicolon" or "tab"; None: as the header shows.
        decimal: "point" or "comma"; None: as the numbers show.
        encoding: of a text file, one of ``ENCODINGS``; None: UTF-8 or UTF-16, else cp1252.
        sheet: the sheet of a workbook; None: the only one that has a table.
        columns: the columns of the file by the names that wayfare has for them: ``{"value": "Yield [%]"}``.
        ignore: columns of the file to pass over; ``"*"`` for all that are not known.
    """

    delimiter: str | None = field(default=None, validator=_optional(DELIMITERS))
    decimal: str | None = field(default=None, validator=_optional(DECIMALS))
    encoding: str | None = field(default=None, validator=_optional(ENCODINGS))
    sheet: str | None = None
    columns: Mapping[str, str] = field(factory=dict, converter=_as_columns)
    ignore: tuple[str, ...] = field(default=(), converter=_as_names)


def read_format(text: str) -> TableFormat:
    """Return the format that a TOML file states, by the names of ``TableFormat``; ``columns`` is a table."""
    try:
        given = parse_toml(text)
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"not valid TOML: {' '.join(str(error).split())}") from error
    names = [one.name for one in fields(TableFormat)]
    kinds = {"columns": dict, "ignore": list}
    for key, value in given.items():
        if key not in names:
            raise InvalidInput(f"unknown key {shown(key)}; {checks.nearest(key, names, 'keys')}")
        if not isinstance(value, kinds.get(key, str)):
            kind = {dict: "a table of names", list: "a list of names"}.get(kinds.get(key, str), "text")
            raise InvalidInput(f"{key} must be {kind}, got {checks.brief(value)}")
    return TableFormat(**given)


@frozen
class Line:
    """A line of a table.

    Attributes:
        number: of the line in a text, or of the row in a sheet.
        cells: as text.
        names: of a sheet, what each cell is called there: B7.
        texts: of a sheet, the columns whose cells hold text, whatever it looks like.
        odd: why a cell of a sheet cannot be read, by column; dates are in ``dates``.
        dates: the columns whose cells hold a date.
    """

    number: int
    cells: Sequence[str]
    names: Sequence[str] = ()
    texts: frozenset[int] = frozenset()
    odd: Mapping[int, str] = field(factory=dict)
    dates: frozenset[int] = frozenset()

    @property
    def where(self) -> str:
        """The line in a refusal."""
        return f"row {self.number}" if self.names else f"line {self.number}"


@frozen
class Table:
    """The lines of a file, as wide as its header.

    Attributes:
        head: the line that names the columns.
        lines: the others, without blank ones.
        delimiter: between the columns of a text; empty for a sheet.
        notes: how it was read, where that was not plain.
    """

    head: Line
    lines: Sequence[Line]
    delimiter: str = ""
    notes: tuple[str, ...] = ()


Suits: TypeAlias = Callable[[Line], bool]
"""Whether a header names what is needed."""


def read_table(data: bytes | str, form: TableFormat | None = None, suits: Suits = lambda head: True) -> Table:
    """Return the table in a file: CSV, or the sheet of an .xlsx workbook.

    Args:
        data: the content of the file; text, if it was decoded already.
        form: how it is to be read; None: as it shows.
        suits: whether a header will do, which decides between delimiters and between sheets.
    """
    form = form or TableFormat()
    if len(data) > LARGEST:
        raise InvalidInput(f"the file is larger than {LARGEST // 1_000_000} MB")
    if isinstance(data, bytes) and data.startswith(_ZIP):
        from wayfare.exchange.xlsx import read_sheet  # which imports this module

        return read_sheet(data, form.sheet, suits)
    if isinstance(data, bytes) and data.startswith(_OLE):
        raise InvalidInput("an old workbook (.xls), or one with a password; save it as .xlsx without a password")
    if form.sheet is not None:
        raise InvalidInput(f"there is no sheet {shown(form.sheet)}: the file is text, not an .xlsx workbook")
    text, notes = (data, []) if isinstance(data, str) else _decoded(data, form.encoding)
    text = text.removeprefix("\ufeff")
    told = _SEP.match(text)
    if told is not None:
        text = text[told.end() :]  # its line end stays, so that lines keep their numbers
    given = DELIMITERS.get(form.delimiter or "", None if told is None else told[1])
    delimiter = given or _delimiter_of(text, suits)
    head, *lines = _lines(text, delimiter)
    return Table(head, lines, delimiter, tuple(notes))


def _decoded(data: bytes, encoding: str | None) -> tuple[str, list[str]]:
    """Return the text of a file, and a note if its encoding was guessed."""
    marked = next((name for mark, name in _MARKS.items() if data.startswith(mark)), None)
    if marked is None and encoding is None and b"\0" in data[:100]:
        raise InvalidInput("not text, or UTF-16 without its mark; --encoding utf-16 says so (in Python encoding=)")
    try:
        return data.decode(marked or encoding or "utf-8"), []
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        if marked is None and encoding is None:
            with suppress(UnicodeDecodeError):
                said = f"line {line} is not UTF-8: read as cp1252, as Excel writes; --encoding names another"
                return data.decode("cp1252"), [said]
        said = marked or encoding or "UTF-8"
        raise InvalidInput(
            f"line {line} is not {said.removesuffix('-sig')} text; save it as UTF-8, or name its encoding with "
            "--encoding (in Python encoding=)"
        ) from error


def _delimiter_of(text: str, suits: Suits) -> str:
    """Return the delimiter that a text shows without doubt: with it, header and rows have the same columns."""
    heads = {sign: head for sign in DELIMITERS.values() if (head := _head(text, sign)) and len(head.cells) > 1}
    if len(heads) < 2:
        return next(iter(heads), ",")
    fits = [sign for sign in heads if _is_even(text, sign)] or list(heads)
    named = fits if len(fits) == 1 else [sign for sign in fits if suits(heads[sign])]
    if len(named) == 1:
        return named[0]
    words = [word for word, sign in DELIMITERS.items() if sign in (named or fits)]
    raise InvalidInput(
        f"the columns may be separated by {' or '.join(words)}; say which with --delimiter (in Python delimiter=)"
    )


def _head(text: str, delimiter: str) -> Line | None:
    try:
        return next(_lines(text, delimiter))
    except InvalidInput:
        return None


def _is_even(text: str, delimiter: str) -> bool:
    try:
        return all(True for _ in _lines(text, delimiter))
    except InvalidInput:
        return False


def _lines(text: str, delimiter: str) -> Iterator[Line]:
    """Yield the lines, the header first; blank ones are left out.

    A cell in quotes may hold line ends; the number is that of the line on which the row begins.
    """
    reader = csv.reader(StringIO(text, newline=""), strict=True, delimiter=delimiter)
    number, width = 1, 0
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                if width and len(cells) != width:
                    raise InvalidInput(f"line {number}: {len(cells)} cells, but there are {width} columns")
                width = len(cells)
                yield Line(number, cells)
            number = reader.line_num + 1
    except csv.Error as error:
        raise InvalidInput(f"line {number}: not valid CSV: {error}") from error
    if not width:
        raise InvalidInput("the file is empty; its first line names the columns")


def decimal_of(cells: Iterable[tuple[Line, str]], delimiter: str, given: str | None) -> str:
    """Return the decimal mark of numbers, or ask for it if it is in doubt.

    Args:
        cells: those that should hold numbers, each with its line.
        delimiter: between columns; with commas between them, and in a sheet, numbers have points.
        given: the mark as stated, in a word.
    """
    if given is not None or delimiter in (",", ""):
        return DECIMALS[given or "point"]
    found: dict[str, tuple[Line, str]] = {}
    sure = set()
    for line, cell in cells:
        cell = cell.strip(" ")
        mark = "." if _POINT.fullmatch(cell) else "," if _COMMA.fullmatch(cell) else ""
        if mark:
            found.setdefault(mark, (line, cell))
            if not _GROUPED.fullmatch(cell):
                sure.add(mark)
    if len(found) == 1 and not sure:
        ((line, cell),) = found.values()
        plain = cell.replace(",", ".")
        raise InvalidInput(
            f"{line.where}: {shown(cell)} may be {plain} or {plain.replace('.', '')}; say which with --decimal comma "
            "or --decimal point (in Python decimal=)"
        )
    if len(found) == 2:
        (one, a), (other, b) = found.values()
        raise InvalidInput(
            f"{one.where} has {shown(a)} and {other.where} has {shown(b)}; correct one, and say --decimal comma or "
            "--decimal point (in Python decimal=)"
        )
    return next(iter(found), ".")


def plain_numbers(table: Table) -> Table:
    """Return the table with decimal points in every column that holds nothing but numbers."""
    columns = [
        at
        for at in range(len(table.head.cells))
        if all(_NUMBER.fullmatch(line.cells[at].strip(" ")) for line in table.lines)
    ]
    decimal = decimal_of(((line, line.cells[at]) for line in table.lines for at in columns), table.delimiter, None)
    if decimal == ".":
        return table
    lines = [
        evolve(
            line, cells=[cell.replace(decimal, ".") if at in columns else cell for at, cell in enumerate(line.cells)]
        )
        for line in table.lines
    ]
    return evolve(table, lines=lines)


def with_point(cell: str, decimal: str, what: str) -> str:
    """Return a number written with a decimal point; ``what`` names it if it has another mark than it should."""
    if decimal == ".":
        return cell
    if _POINT.fullmatch(cell.strip(" ")):
        raise InvalidInput(f"{what} has {shown(cell)}, but numbers have decimal commas; write a comma")
    return cell.replace(",", ".") if _COMMA.fullmatch(cell.strip(" ")) else cell


@contextmanager
def located(where: str) -> Iterator[None]:
    """Put ``where`` in front of a refusal: ``line 3: column 'value' is blank``."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from error


# Writing.


def write_lines(rows: Iterable[Iterable[str]], delimiter: str = ",") -> str:
    """Return rows of cells as CSV text; a cell stands in quotes if it would be misread without."""
    return "".join(delimiter.join(_quoted(cell, delimiter) for cell in cells) + "\n" for cells in rows)


def _quoted(cell: str, delimiter: str) -> str:
    if any(sign in cell for sign in (delimiter, '"', "\r", "\n")) or cell != cell.strip():
        return '"' + cell.replace('"', '""') + '"'
    return cell


def guarded(text: str) -> str:
    """Return text with an apostrophe in front if a spreadsheet would take it for a formula."""
    return f"'{text}" if is_risky(text) else text


def bare(cell: str) -> str:
    """Return the text without the apostrophe that ``guarded`` put in front; any other apostrophe stays."""
    return cell[1:] if cell.startswith("'") and is_risky(cell[1:]) else cell


def is_risky(text: str) -> bool:
    """Return whether a spreadsheet would take a text for a formula, or for one that is guarded."""
    return text.startswith(("'", "\t", "\r", "\n")) or text.lstrip().startswith(FORMULA)
