"""How a run sheet is laid out: settings in columns of their own where there is room, else listed in one."""

from collections.abc import Iterable, Sequence
from enum import Enum

from wayfare.exchange.paper import LONGEST_WORD
from wayfare.learned import learned_cost
from wayfare.records import Trial
from wayfare.state import StudyState
from wayfare.words import setting

UPRIGHT_ROOM, LYING_ROOM = 300, 490
"""Points beside the boxes to fill in, on the narrower of A4 and Letter."""
ROOM_FOR_A_COST = "1234.56"
LETTER, GAP = 5.8, 10.5
"""Points that a bold letter takes, and the margins of a cell."""


class Layout(Enum):
    """The page upright or on its side, or on its side with all settings listed in one cell."""

    UPRIGHT = "upright"
    LYING = "lying"
    LISTED = "listed"


def layout_of(state: StudyState, trials: Sequence[Trial]) -> Layout:
    """Return the layout in which no column runs off the page."""
    names, unit = state.spec.space.names, f"[{state.spec.unit}]"
    total = sum(trial.leg for trial in trials)
    columns: list[Iterable[str]] = [
        ["trial", "from", *(str(trial.number) for trial in trials)],
        *([name, *(setting(name, trial.params[name]) for trial in trials)] for name in names),
        ["leg", unit, *(f"{trial.leg:.6g}" for trial in trials)],
        *([] if learned_cost(state) is None else [["expected", unit, ROOM_FOR_A_COST]]),
        ["total", unit, f"{total:.6g}"],
        *(["leg", f"[{currency.unit}]", ROOM_FOR_A_COST] for currency in state.spec.also),
    ]
    needed = sum(GAP + LETTER * max(map(longest_word, column)) for column in columns)
    if needed <= UPRIGHT_ROOM:
        return Layout.UPRIGHT
    return Layout.LYING if needed <= LYING_ROOM else Layout.LISTED


def longest_word(text: str) -> int:
    """Return how many letters must stand on one line."""
    return min(max(map(len, text.split()), default=0), LONGEST_WORD)
