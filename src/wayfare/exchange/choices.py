"""The values of a choice as cells: text, numbers and booleans, each coming back as what it was."""

from collections.abc import Sequence

from wayfare import door
from wayfare.errors import InvalidInput
from wayfare.exchange.cells import is_risky
from wayfare.space import AnySpace
from wayfare.space.axes import Scalar
from wayfare.typed import PLAIN, shown


class ChoiceCells:
    """How the ``values`` of one choice are written and read.

    Text that could be read as one of its numbers or booleans has an apostrophe in front, so that "1" and 1
    can stand in one column.
    """

    def __init__(self, values: Sequence[Scalar]) -> None:
        self._values = values
        others = [value for value in values if not isinstance(value, str)]
        self._flags = {str(value).lower(): value for value in others if isinstance(value, bool)}
        # Equal numbers have one key, whole or not; as a float, a long whole number would lose its end.
        self._numbers = {value: value for value in others if not isinstance(value, bool)}
        self._digits = {repr(value): value for value in self._numbers}
        self._cells = [self._written(value) for value in values]
        texts = [(cell, v) for cell, v in zip(self._cells, values, strict=True) if isinstance(v, str)]
        self._texts = {v: v for _, v in texts} | dict(texts)

    def write(self, position: float) -> str:
        """Return the cell of the value at a position."""
        return self._cells[round(position)]

    def read(self, cell: str, what: str) -> Scalar:
        """Return the value a cell stands for; ``what`` names the column in the refusal."""
        other = self._other(cell.strip(" "))
        if other is not None:
            return other
        for text in (cell, cell.removeprefix("'")):
            if text in self._texts:
                return self._texts[text]
        raise InvalidInput(
            f"{what} has no value {shown(cell)}; {door.nearest(cell[:80], self._values, 'values')}"
        )

    def _written(self, value: Scalar) -> str:
        if isinstance(value, bool):
            return str(value).lower()
        if not isinstance(value, str):
            return repr(value)
        return f"'{value}" if is_risky(value) or self._other(value.strip(" ")) is not None else value

    def _other(self, text: str) -> Scalar | None:
        """Return which of the numbers or booleans the text could be; None if none."""
        if text.lower() in self._flags:
            return self._flags[text.lower()]
        if text in self._digits:
            return self._digits[text]
        return self._numbers.get(float(text)) if PLAIN.fullmatch(text) else None


def choice_cells(space: AnySpace) -> list[ChoiceCells | None]:
    """Return for each axis how its cells are written, None where they hold numbers."""
    return [None if values is None else ChoiceCells(values) for values in space.choices]
