"""``run_sheet``: the trials that are out as a page to print and fill in; ``sheet_csv``, as a table.

Only trials stand on it, no stops that are still ahead: a trial has a number, by which its result comes back,
and is never planned anew. A stop ahead has none, and a replan would make the paper wrong.
"""

import base64
import shlex
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from html import escape
from io import BytesIO
from typing import Any

import numpy as np
from attrs import frozen

from wayfare._core import checks
from wayfare._core.format import counted, rough, roughly, setting, side_by_side
from wayfare.errors import BudgetSpent, TooEarly
from wayfare.exchange.csv import export_csv, quoted, read_lines
from wayfare.exchange.navigation import legible
from wayfare.record.events import Trial
from wayfare.record.state import StudyState
from wayfare.report.allowance import budget_in_words
from wayfare.report.costs import learned_cost, leg_cost, return_cost
from wayfare.report.ledger import leg_besides, legs_besides
from wayfare.study.inputs import worker_name
from wayfare.study.study import Study
from wayfare.travel.learned import LearnedCost

# A page that is printed and filled in by hand: one HTML file, everything in it escaped, nothing fetched.


LONGEST_WORD = 16
"""A longer one is broken, or the table would be wider than the page."""
# The page may hold text from anywhere: even if some of it got through, it could load and run nothing.
POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:"

STYLE = """
:root { color: #1a1a1a; font: 10pt/1.35 "Helvetica Neue", Helvetica, Arial, sans-serif; }
body { max-width: 62em; margin: 2em auto; padding: 0 1em; }
header { display: flex; justify-content: space-between; align-items: baseline; gap: 2em; }
h1 { font-size: 16pt; font-weight: 600; margin: 0; overflow-wrap: anywhere; }
h1 small { font-size: 10pt; font-weight: 400; color: #555; margin-left: 0.6em; }
h2 { font-size: 10pt; margin: 0 0 0.4em; }
p.lead { margin: 0.4em 0 1em; }
p.blank { margin: 0; white-space: nowrap; }
p.blank span { display: inline-block; width: 8em; border-bottom: 0.6pt solid #1a1a1a; margin-left: 0.4em; }
p.blank span:first-of-type { margin-right: 1.4em; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
th, td { border: 0.5pt solid #999; padding: 0.3em 0.5em; text-align: right; vertical-align: middle; }
th { font-size: 8.5pt; font-weight: 600; background: #f0f0f0; vertical-align: bottom; text-align: right; }
th.box, th.all { text-align: left; }
td { height: 2.5em; color: #555; }
.long { overflow-wrap: anywhere; display: inline-block; min-width: 9em; }
td b, td.number { color: #1a1a1a; font-weight: 700; }
td.number small { display: block; font-weight: 400; color: #555; }
td.cost { color: #1a1a1a; }
td.box { min-width: 4.6em; }
td.wide { min-width: 8em; width: 22%; }
td.all { text-align: left; width: 36%; }
td.all div { display: inline-block; min-width: 8em; margin-right: 0.6em; }
tr.here td { height: auto; border-left-color: transparent; border-right-color: transparent; }
tr.here td.number { font-weight: 400; color: #555; }
figure { margin: 1em 0; text-align: center; }
figure img { max-width: 100%; max-height: 8.4cm; }
figcaption { font-size: 8.5pt; color: #555; }
section.back { margin-top: 1.2em; font-size: 8.5pt; color: #333; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.15em 1.2em; margin: 0; }
dd { margin: 0; overflow-wrap: anywhere; }
code { font: 8.5pt ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace; }
@page { margin: 14mm 12mm 16mm; }
@page { @bottom-right { content: counter(page) " / " counter(pages); font-size: 8pt; } }
@media print {
  body { max-width: none; margin: 0; padding: 0; }
  thead { display: table-header-group; }
  tr, figure, section.back { break-inside: avoid; }
  th { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
}
"""
LYING = "@page { size: landscape; }\n"


@frozen
class Column:
    """A column: what its head says, and the class that gives its cells their look."""

    head: str
    look: str


def escaped(text: str) -> str:
    """Return text as HTML shows it: nothing in it is a tag, and nothing hides or turns what follows."""
    return escape(legible(text))


def in_cell(text: str) -> str:
    """Return text for a cell as HTML: numbers and short words in one piece, only long words are broken."""
    shown = escaped(text)
    broken = any(len(word) > LONGEST_WORD for word in text.split())
    return f'<span class="long">{shown}</span>' if broken else shown


def make_table(columns: Sequence[Column], rows: Sequence[tuple[str, Sequence[str]]]) -> str:
    """Return a table whose head is repeated on every page; ``rows`` are classes and cells in HTML."""
    heads = "".join(f'<th scope="col" class="{column.look}">{in_cell(column.head)}</th>' for column in columns)
    lines = [f"<table>\n<thead><tr>{heads}</tr></thead>\n<tbody>\n"]
    for look, cells in rows:
        line = "".join(f'<td class="{column.look}">{cell}</td>' for column, cell in zip(columns, cells, strict=True))
        lines.append(f'<tr class="{look}">{line}</tr>\n')
    return "".join([*lines, "</tbody>\n</table>\n"])


def make_page(name: str, lead: str, body: str, lying: bool) -> str:
    """Return the whole page; ``lying`` on its side when printed."""
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{escape(POLICY)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escaped(name)}: run sheet</title>
<style>{STYLE}{LYING if lying else ""}</style>
</head>
<body>
<header><h1>{escaped(name)}<small>run sheet</small></h1>
<p class="blank">Date<span></span>By<span></span></p></header>
<p class="lead">{escaped(lead)}</p>
{body}
</body>
</html>
"""


# How a run sheet is laid out: settings in columns of their own where there is room, else listed in one.


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


# Stops handed out ahead of their results, so that they can be taken along on paper, each with its number.


def hand_out(study: Study, number: int, worker: str | None = None) -> tuple[Trial, ...]:
    """Hand out stops until ``number`` trials are out, or none are left; return those that are.

    Those out already count, so doing it twice hands out no more. Where the route ends before, the next is
    planned from its end without the results that are out, as ``ask(wait=False)`` does.

    Args:
        study: whose stops.
        number: how many trials are to be out.
        worker: hand them to this worker, and count only theirs; None: count everybody's.
    """
    number = checks.count(number, "number", 1)
    while len(trials_out(study.state, worker)) < number:
        if study.ask(worker or "", wait=False, count=True) is None:
            break
    return trials_out(study.state, worker)


def trials_out(state: StudyState, worker: str | None = None) -> tuple[Trial, ...]:
    """Return the trials without an outcome in visiting order, of one worker or of all."""
    wanted = None if worker is None else worker_name(worker)
    return tuple(
        trial
        for trial in sorted(state.open_trials, key=lambda trial: trial.number)
        if wanted is None or trial.worker == wanted
    )


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


BOXES = 4
"""What is filled in by hand: result, setting, what the leg really cost, and a remark."""


def sheet_csv(study: Study, *, worker: str | None = None) -> str:
    """Return the trials that are out as the rows of ``export_csv``; ``import_csv`` takes them back filled in.

    ``value`` is what was found. A trial that failed or was skipped says so in ``state`` instead of asked.
    """
    numbers = {str(trial.number) for trial in some_out(study.state, worker)}
    (_, heads), *rows = read_lines(export_csv(study))
    kept = [heads, *(cells for _, cells in rows if cells[0] in numbers)]
    return "".join(",".join(map(quoted, cells)) + "\n" for cells in kept)


def run_sheet(
    study: Study,
    *,
    worker: str | None = None,
    picture: bool = True,
    axes: tuple[str, str] | None = None,
    store: str = "",
) -> str:
    """Return the trials that are out as an HTML page that needs no other file and prints on A4 and Letter.

    Once legs have been learned, what each is expected to cost stands beside what was stated.

    Args:
        study: has a trial that is out; ``hand_out`` takes some along.
        worker: whose trials; None: all that are out.
        picture: draw the way over two axes of numbers, where there are two.
        axes: which; None: those of a map, as longitude and latitude, else the busiest.
        store: the file that keeps the study, where the commands on the sheet must name it.
    """
    state = study.state
    trials = some_out(state, worker)
    drawn = draw(study, trials, axes) if picture else ""
    spec = state.spec
    besides = {unit: sum(legs) for unit, legs in besides_of(state, trials).items()}
    cost = side_by_side(sum(trial.leg for trial in trials), spec.unit, list(besides.items()))
    better = "larger" if spec.direction == "maximize" else "smaller"
    learned = learned_cost(state)
    if learned is not None:
        really = sum(expected_leg(state, trial, learned) for trial in trials)
        cost += f" of way, expected {roughly(really, spec.unit)} by what legs have really cost"
    else:
        cost += " of way"
    left = f" Once all that are out are visited: {said}." if (said := budget_in_words(state)) else ""
    lead = (
        f"{counted(len(trials), 'trial')}, {cost}. The {better} the result, the better. "
        f"What changes is set in bold.{left}"
    )
    layout = layout_of(state, trials)
    flat = layout is not Layout.LISTED
    table = make_table(columns_of(state, flat, list(besides)), rows_of(state, trials, flat))
    body = table + drawn + way_back(spec.name, trials, worker, store)
    return make_page(spec.name, lead, body, lying=layout is not Layout.UPRIGHT)


def columns_of(state: StudyState, flat: bool, besides: Sequence[str]) -> list[Column]:
    """Return what stands in the head of the table; ``flat``, with a column for every axis."""
    names = state.spec.space.names
    settings = [Column(name, "setting") for name in names] if flat else [Column("settings", "all")]
    unit = f" [{state.spec.unit}]" if state.spec.unit else ""
    expected = [] if learned_cost(state) is None else [f"expected{unit}"]
    heads = [f"leg{unit}", *expected, f"total{unit}", *(f"leg [{its}]" for its in besides)]
    boxes = [Column(head, "box") for head in ("result", "really set, if missed", f"spent{unit}")]
    costs = [Column(head, "cost") for head in heads]
    return [Column("trial", "number"), *settings, *costs, *boxes, Column("remark", "box wide")]


def rows_of(state: StudyState, trials: Sequence[Trial], flat: bool) -> list[tuple[str, list[str]]]:
    """Return the rows as HTML cells: where it begins, a row for each trial with its empty boxes, and home."""
    empty, total, besides = [""] * BOXES, 0.0, besides_of(state, trials)
    learned = learned_cost(state)
    rows: list[tuple[str, list[str]]] = []
    for at, trial in enumerate(trials):
        here = state.origin(trial.number)
        before = None if here is None else state.spec.space.params(here)
        if not rows and before is not None:
            nothing = [""] * (2 + (learned is not None) + len(besides))
            rows.append(("here", ["from", *settings_of(before, before, flat), *nothing, *empty]))
        total += trial.leg
        worker = f"<small>{in_cell(trial.worker)}</small>" if trial.worker else ""
        settings = settings_of(before, trial.params, flat)
        expected = [] if learned is None else [rough(expected_leg(state, trial, learned))]
        also = [f"{legs[at]:.6g}" for legs in besides.values()]
        costs = [f"{trial.leg:.6g}", *expected, f"{total:.6g}", *also]
        head = f"{trial.number}{worker}{to_take(trial)}{home_first(trial)}"
        rows.append(("visit", [head, *settings, *costs, *empty]))
    end, last = state.spec.limits.home, trials[-1]
    if end is not None and (leg := return_cost(state, last.x)) is not None:
        settings = settings_of(last.params, state.spec.space.params(end), flat)
        way = dict(legs_besides(state, last.x, end[None, :], np.array([False]))[0])
        also = [f"{way[unit]:.6g}" if unit in way else "" for unit in besides]
        expected = [] if learned is None else [rough(leg_cost(state, last.x, end, travel=learned))]
        costs = [f"{leg:.6g}", *expected, f"{total + leg:.6g}", *also]
        rows.append(("here", ["home", *settings, *costs, *empty]))
    return rows


def expected_leg(state: StudyState, trial: Trial, learned: LearnedCost) -> float:
    """Return what a leg that is out will really cost by what was learned from earlier ones."""
    leg = leg_cost(state, state.origin(trial.number), trial.x, via_home=trial.home_first, travel=learned)
    return leg + state.spec.limits.trip_cost * trial.home_first


def besides_of(state: StudyState, trials: Sequence[Trial]) -> dict[str, list[float]]:
    """Return the legs of the trials in each further currency in which all of them can be worked out."""
    legs = [dict(leg_besides(state, trial)) for trial in trials]
    units = [currency.unit for currency in state.spec.also]
    return {unit: [leg[unit] for leg in legs] for unit in units if all(unit in leg for leg in legs)}


def to_take(trial: Trial) -> str:
    """Return how many results a run has, as HTML; nothing for a single one."""
    return f"<small>take {trial.count:,}</small>" if trial.count > 1 else ""


def home_first(trial: Trial) -> str:
    """Return that the way goes home first, as HTML."""
    return "<small>home first</small>" if trial.home_first else ""


def settings_of(before: Mapping[str, Any] | None, after: Mapping[str, Any], flat: bool) -> list[str]:
    """Return a place as HTML cells, what changes in bold."""
    cells = []
    for axis, value in after.items():
        text = in_cell(setting(axis, value))
        if before is None or before[axis] != value:
            text = f"<b>{text}</b>"
        cells.append(text if flat else f"<div><span>{in_cell(axis)}</span> {text}</div>")
    return cells if flat else ["".join(cells)]


def way_back(name: str, trials: Sequence[Trial], worker: str | None, store: str) -> str:
    """Return how the results come back: the commands, with the number of the first trial."""
    number, elsewhere = str(trials[0].number), ["--store", store] if store else []
    whose = ["--worker", worker] if worker else []

    def command(verb: str, *words: str, then: str = "") -> str:
        typed = shlex.join(["wayfare", verb, name, *words, *elsewhere])
        return f"<code>{escaped(typed + then)}</code>"

    ways = [
        ("one result", command("tell", number, then=" RESULT")),
        ("the setting was missed", command("tell", number, then=" RESULT --actual AXIS=VALUE")),
        ("the way cost something else", command("tell", number, then=" RESULT --spent COST")),
        ("no result", command("fail", number, then=' --why "REMARK"')),
        ("not visited", command("skip", number, then=' --why "REMARK"')),
        ("all in a table to fill in", command("sheet", *whose, "--out", "sheet.csv")),
        ("and back from there", command("import", "sheet.csv")),
    ]
    rows = "".join(f"<dt>{what}</dt><dd>{how}</dd>" for what, how in ways)
    return f'<section class="back"><h2>Bringing the results back</h2><dl>{rows}</dl></section>'


def draw(study: Study, trials: Sequence[Trial], axes: tuple[str, str] | None) -> str:
    """Return the way through the trials as an inlined picture; nothing without two axes to draw."""
    import matplotlib as mpl
    from matplotlib.figure import Figure

    from wayfare.plot.stops import explained, plot_stops, stop_axes

    across = stop_axes(study.state) if axes is None else axes
    if across is None:
        return ""
    # Text stays text, which the reader's fonts can show; the same study gives the same bytes.
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "wayfare"}):
        figure = Figure(figsize=(6.6, 3.3), layout="constrained")
        ax = plot_stops(study, [trial.number for trial in trials], across, figure.subplots())
        svg = BytesIO()
        figure.savefig(svg, format="svg", metadata={"Date": None})
    data = base64.b64encode(svg.getvalue()).decode("ascii")
    said = escaped(f"the way through the trials over {across[0]} and {across[1]}")
    image = f'<img alt="{said}" src="data:image/svg+xml;base64,{data}">'
    return f"<figure>{image}<figcaption>{explained(ax)}</figcaption></figure>\n"
