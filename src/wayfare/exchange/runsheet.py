"""The run sheet: the trials that are out, as a page to print and fill in (``run_sheet``) or a table (``sheet_csv``).

A run sheet lists only issued trials, because each has a fixed number that links it to its result; a stop ahead has
none, and a replan would make the paper wrong. The page is one HTML file: everything in it is escaped, nothing fetched.
"""

import base64
import shlex
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from html import escape
from importlib.resources import files
from io import BytesIO
from string import Template
from typing import Any, TypeAlias

import numpy as np

from wayfare._core import checks
from wayfare._core.format import amount, cell, counted, head, in_brackets, rough, roughly, setting, side_by_side
from wayfare.errors import BudgetSpent, TooEarly
from wayfare.exchange.csv import trials_csv
from wayfare.exchange.navigation import legible
from wayfare.record.events import StudySpec, Trial
from wayfare.record.state import StudyState
from wayfare.report.allowance import budget_in_words
from wayfare.report.costs import learned_cost, leg_cost, return_cost
from wayfare.report.ledger import leg_besides, legs_besides
from wayfare.study.inputs import worker_name
from wayfare.study.study import Snapshot, Study
from wayfare.surrogate.measured import Measured


def hand_out(study: Study, number: int | str, worker: str | None = None) -> tuple[Trial, ...]:
    """Hand out stops until ``number`` trials are out, or all of a day's, or none are left; return those that are.

    Trials that are out already count, so a second call hands out no more. If the route ends before, the next one is
    planned from its end without the results that are out, as ``ask(wait=False)`` does.

    Args:
        study: the study to ask.
        number: how many trials are to be out; or "day", as for ``ask``.
        worker: hand them to this worker, and count only theirs; None: count all.
    """
    if number == "day":
        study.ask(worker or "", n="day", count=True)
        return trials_out(study.last.state, worker)
    number = checks.count(number, "number", 1)
    while len(out := trials_out(study.snapshot().state, worker)) < number:
        if study.ask(worker or "", wait=False, count=True) is None:
            break
    return out


def trials_out(state: StudyState, worker: str | None = None) -> tuple[Trial, ...]:
    """Return the trials without an outcome in visiting order, of one worker or of all."""
    whose = None if worker is None else worker_name(worker)
    out = (trial for trial in state.open_trials if whose is None or trial.worker == whose)
    return tuple(sorted(out, key=lambda trial: trial.number))


def some_out(state: StudyState, worker: str | None = None) -> tuple[Trial, ...]:
    """Return the trials that are out; there must be one at least."""
    trials = trials_out(state, worker)
    if trials:
        return trials
    whom = f" with {worker!r}" if worker else ""
    if not state.trials_left:
        raise BudgetSpent(f"no trial is out{whom}, and all {state.spec.trials} have been handed out")
    ahead = len(state.to_come)
    route = f"; the route ahead has {counted(ahead, 'stop')}" if ahead else ""
    raise TooEarly(f"no trial is out{whom}: hand some out first (--take 8, in Python hand_out){route}")


def sheet_csv(study: Study | Snapshot, *, worker: str | None = None) -> str:
    """Return the trials that are out as the rows of ``export_csv``; ``import_csv`` takes them back filled in.

    The result goes into ``value``. For a trial that failed or was skipped, write so in ``state`` instead of asked.
    """
    state = study.snapshot().state
    return trials_csv(state, some_out(state, worker))


def run_sheet(
    study: Study | Snapshot,
    *,
    worker: str | None = None,
    picture: bool = True,
    axes: tuple[str, str] | None = None,
    store: str = "",
) -> str:
    """Return the trials that are out as an HTML page that needs no other file and prints on A4 and Letter.

    Once legs have been learned, the expected cost of each stands beside the stated one.

    Args:
        study: has a trial that is out; ``hand_out`` issues some.
        worker: whose trials; None: all that are out.
        picture: draw the route over two axes of numbers, if there are two.
        axes: the two axes of the picture; None: those of a map, as longitude and latitude, else the busiest.
        store: the file that keeps the study, if the commands on the sheet must name it.
    """
    state = study.snapshot().state
    sheet = _Sheet(state, some_out(state, worker))
    drawn = _picture(state, sheet.trials, axes) if picture else ""
    listed = (layout := layout_of(state, sheet.trials)) is Layout.LISTED
    body = _table(sheet.columns(listed), sheet.rows(listed)) + drawn
    body += _commands(state.spec, sheet.trials[0].number, worker, store)
    return _page(state.spec.name, sheet.lead(), body, landscape=layout is not Layout.UPRIGHT)


# Layout: the settings have a column each if the page has room for them, else they are listed in one.
LONGEST_WORD = 16
"""Letters; a longer word is broken, or the table would be wider than the page."""
UPRIGHT_ROOM, LANDSCAPE_ROOM = 300, 490
"""Points beside the boxes to fill in, on the narrower of A4 and Letter."""
LETTER, GAP = 5.8, 10.5
"""Points that a bold letter takes, and the margins of a cell."""
ROOM_FOR_A_COST, ROOM_FOR_A_NUMBER = "1234.56", "12345.67"
"""Of a number written by hand, as much as a box has at least."""


class Layout(Enum):
    """The page upright or on its side, or on its side with all settings listed in one cell."""

    UPRIGHT = "upright"
    LYING = "lying"
    LISTED = "listed"


def layout_of(state: StudyState, trials: Sequence[Trial]) -> Layout:
    """Return the layout in which no column runs off the page."""
    unit, names = f"[{state.spec.unit}]", state.spec.space.names
    columns: list[Iterable[str]] = [
        ["trial", "from", *(str(trial.number) for trial in trials)],
        *([head(trials[0].params, name), *(cell(trial.params, name) for trial in trials)] for name in names),
        ["leg", unit, *(amount(trial.leg) for trial in trials)],
        *([] if learned_cost(state) is None else [["expected", unit, ROOM_FOR_A_COST]]),
        ["total", unit, amount(sum(trial.leg for trial in trials))],
        *(["leg", f"[{currency.unit}]", ROOM_FOR_A_COST] for currency in state.spec.also),
        *([ROOM_FOR_A_NUMBER, *_box(limit).split()] for limit in state.spec.measured),
    ]
    # A column is as wide as its longest word, for only words longer than LONGEST_WORD are broken.
    words = ([len(word) for text in column for word in text.split()] for column in columns)
    needed = sum(GAP + LETTER * min(max(lengths, default=0), LONGEST_WORD) for lengths in words)
    if needed <= UPRIGHT_ROOM:
        return Layout.UPRIGHT
    return Layout.LYING if needed <= LANDSCAPE_ROOM else Layout.LISTED


# The table: a row for where the route begins, one for each trial with empty boxes to fill in, and one for home.
_Columns: TypeAlias = list[tuple[str, str]]
"""The head of each column, and the class that gives its cells their look."""
_Rows: TypeAlias = list[tuple[str, list[str]]]
"""The class of each row, and its cells as HTML."""
BOXES = 4
"""Cells filled in by hand: the result, the real setting, the real cost of the leg, and a remark.

Behind the result, another for everything that is measured beside it.
"""


class _Sheet:
    """The contents of a run sheet, all from one state."""

    def __init__(self, state: StudyState, trials: Sequence[Trial]) -> None:
        self.state, self.spec, self.trials, self.learned = state, state.spec, trials, learned_cost(state)
        # The legs in each further currency in which all of them have a price.
        legs = [dict(leg_besides(state, trial)) for trial in trials]
        units = [currency.unit for currency in state.spec.also]
        self.besides = {unit: [leg[unit] for leg in legs] for unit in units if all(unit in leg for leg in legs)}

    def lead(self) -> str:
        """Return the sentences above the table."""
        unit, trials = self.spec.unit, self.trials
        besides = [(other, sum(legs)) for other, legs in self.besides.items()]
        cost = f"{side_by_side(sum(trial.leg for trial in trials), unit, besides)} of way"
        if self.learned is not None:
            really = roughly(sum(map(self.expected, trials)), unit)
            cost += f", expected {really} by what legs have really cost"
        better = "larger" if self.spec.direction == "maximize" else "smaller"
        left = f" Once all that are out are visited: {said}." if (said := budget_in_words(self.state)) else ""
        kept = f"To be kept: {'; '.join(map(str, self.spec.measured))}. " if self.spec.measured else ""
        return (
            f"{counted(len(trials), 'trial')}, {cost}. The {better} the result, the better. {kept}"
            f"What changes is set in bold.{left}{self.issued()}"
        )

    def issued(self) -> str:
        """Return when the trials were handed out and by whom, to the day; empty if that is unknown."""
        stamps = [trial.issued for trial in self.trials if trial.issued.at is not None]
        days = sorted({one.time[:10] for one in stamps})
        whom = sorted({one.by for one in stamps if one.by})
        by = f" by {', '.join(whom)}" if whom else ""
        return f" Handed out{by}: {' to '.join(days[:1] + days[1:][-1:])} (UTC)." if days else ""

    def expected(self, trial: Trial) -> float:
        """Return the expected cost of a trial's leg, learned from the real cost of earlier ones."""
        origin = self.state.origin(trial.number)
        leg = leg_cost(self.state, origin, trial.x, via_home=trial.home_first, travel=self.learned)
        return leg + self.spec.limits.trip_cost * trial.home_first

    def columns(self, listed: bool) -> _Columns:
        """Return the head of the table; ``listed``, with one column for all axes."""
        unit = f" [{self.spec.unit}]" if self.spec.unit else ""
        here = self.trials[0].params
        settings = [("settings", "all")] if listed else [(head(here, name), "setting") for name in here]
        expected = [] if self.learned is None else [f"expected{unit}"]
        costs = [f"leg{unit}", *expected, f"total{unit}", *(f"leg [{other}]" for other in self.besides)]
        boxes = ["result", *map(_box, self.spec.measured), "really set, if missed", f"spent{unit}"]
        looks = [*((head, "cost") for head in costs), *((head, "box") for head in boxes)]
        return [("trial", "number"), *settings, *looks, ("remark", "box wide")]

    def rows(self, listed: bool) -> _Rows:
        """Return the rows of the table."""
        empty, total, rows = [""] * (BOXES + len(self.spec.measured)), 0.0, _Rows()
        params, end, last = self.spec.space.params, self.spec.limits.home, self.trials[-1]
        # 1. Where the route begins, if that is known.
        if (here := self.state.origin(self.trials[0].number)) is not None:
            nothing = [""] * (2 + (self.learned is not None) + len(self.besides))
            rows.append(("here", ["from", *_settings(params(here), params(here), listed), *nothing, *empty]))
        # 2. The trials, each with what changes from the place before.
        for at, trial in enumerate(self.trials):
            here = self.state.origin(trial.number)
            total += trial.leg
            settings = _settings(None if here is None else params(here), trial.params, listed)
            expected = [] if self.learned is None else [rough(self.expected(trial))]
            also = [amount(legs[at]) for legs in self.besides.values()]
            costs = [amount(trial.leg), *expected, amount(total), *also]
            rows.append(("visit", [_number_cell(trial), *settings, *costs, *empty]))
        # 3. Home, unless the last trial is there.
        if end is not None and (leg := return_cost(self.state, last.x)) is not None:
            way = dict(legs_besides(self.state, last.x, end[None, :], np.array([False]))[0])
            also = [amount(way[unit]) if unit in way else "" for unit in self.besides]
            expected = [] if self.learned is None else [rough(leg_cost(self.state, last.x, end, travel=self.learned))]
            costs = [amount(leg), *expected, amount(total + leg), *also]
            rows.append(("here", ["home", *_settings(last.params, params(end), listed), *costs, *empty]))
        return rows


def _box(limit: Measured) -> str:
    """Return the head of the cells for a measured number: its name and unit."""
    return in_brackets(limit.name, limit.unit)


def _number_cell(trial: Trial) -> str:
    run, home = f"take {trial.count:,}" if trial.count > 1 else "", "home first" if trial.home_first else ""
    notes = [note for note in (_in_cell(trial.worker), run, home) if note]
    return f"{trial.number}{''.join(f'<small>{note}</small>' for note in notes)}"


def _settings(before: Mapping[str, Any] | None, after: Mapping[str, Any], listed: bool) -> list[str]:
    cells = []
    for axis, value in after.items():
        text = _in_cell(setting(after, axis) if listed else cell(after, axis))
        if before is None or before[axis] != value:
            text = f"<b>{text}</b>"
        cells.append(f"<div><span>{_in_cell(axis)}</span> {text}</div>" if listed else text)
    return ["".join(cells)] if listed else cells


def _commands(spec: StudySpec, number: int, worker: str | None, store: str) -> str:
    elsewhere = ["--store", store] if store else []
    whose = ["--worker", worker] if worker else []
    measured = "".join(f" --measured {shlex.quote(limit.name)}=NUMBER" for limit in spec.measured)
    commands = {
        "one result": (["tell", str(number)], f" RESULT{measured}"),
        "the setting was missed": (["tell", str(number)], " RESULT --actual AXIS=VALUE"),
        "the way cost something else": (["tell", str(number)], " RESULT --spent COST"),
        "no result": (["fail", str(number)], ' --why "REMARK"'),
        "not visited": (["skip", str(number)], ' --why "REMARK"'),
        "all in a table to fill in": (["sheet", *whose, "--out", "sheet.csv"], ""),
        "and back from there": (["import", "sheet.csv"], ""),
    }
    rows = ""
    for what, ((verb, *words), then) in commands.items():
        typed = shlex.join(["wayfare", verb, spec.name, *words, *elsewhere]) + then
        rows += f"<dt>{what}</dt><dd><code>{_escaped(typed)}</code></dd>"
    return f'<section class="back"><h2>Bringing the results back</h2><dl>{rows}</dl></section>'


def _picture(state: StudyState, trials: Sequence[Trial], axes: tuple[str, str] | None) -> str:
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from wayfare.plot.stops import explained, plot_stops, stop_axes

    across = stop_axes(state) if axes is None else axes
    if across is None:
        return ""
    # Text stays text, which the reader's fonts can show; the same study gives the same bytes.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "wayfare"}):
        figure = Figure(figsize=(6.6, 3.3), layout="constrained")
        ax = plot_stops(state, [trial.number for trial in trials], across, figure.subplots())
        svg = BytesIO()
        figure.savefig(svg, format="svg", metadata={"Date": None})
    data = base64.b64encode(svg.getvalue()).decode("ascii")
    said = _escaped(f"the way through the trials over {across[0]} and {across[1]}")
    image = f'<img alt="{said}" src="data:image/svg+xml;base64,{data}">'
    return f"<figure>{image}<figcaption>{explained(ax)}</figcaption></figure>\n"


def _escaped(text: str) -> str:
    """Return text as HTML shows it: nothing in it is a tag, and nothing hides or turns the text after it."""
    return escape(legible(text))


def _in_cell(text: str) -> str:
    """Return text for a cell as HTML: numbers and short words in one piece, only long words are broken."""
    broken = any(len(word) > LONGEST_WORD for word in text.split())
    return f'<span class="long">{_escaped(text)}</span>' if broken else _escaped(text)


def _table(columns: _Columns, rows: _Rows) -> str:
    heads = "".join(f'<th scope="col" class="{look}">{_in_cell(head)}</th>' for head, look in columns)
    body = ""
    for kind, cells in rows:
        line = "".join(f'<td class="{look}">{cell}</td>' for (_, look), cell in zip(columns, cells, strict=True))
        body += f'<tr class="{kind}">{line}</tr>\n'
    return f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"


def _page(name: str, lead: str, body: str, landscape: bool) -> str:
    """Return the whole page; its security policy lets nothing load or run, even if some foreign text got through."""
    template = Template(files("wayfare.exchange").joinpath("runsheet.html").read_text(encoding="utf-8"))
    size = "@page { size: landscape; }\n" if landscape else ""
    return template.substitute(name=_escaped(name), lead=_escaped(lead), body=body, size=size)
