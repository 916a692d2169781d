"""``run_sheet``: the trials that are out as a page to print and fill in; ``sheet_csv``, as a table.

Only trials stand on it, no stops that are still ahead: a trial has a number, by which its result comes back,
and is never planned anew. A stop ahead has none, and a replan would make the paper wrong.
"""

import base64
import shlex
from collections.abc import Mapping, Sequence
from io import BytesIO
from typing import Any

import numpy as np

from wayfare.accounts import leg_besides, legs_besides
from wayfare.allowance import budget_in_words
from wayfare.exchange.cells import quoted
from wayfare.exchange.export import export_csv
from wayfare.exchange.handout import some_out
from wayfare.exchange.layout import Layout, layout_of
from wayfare.exchange.lines import read_lines
from wayfare.exchange.paper import Column, escaped, in_cell, make_page, make_table
from wayfare.learned import LearnedCost, learned_cost
from wayfare.records import Trial
from wayfare.spending import price, way_home
from wayfare.state import StudyState
from wayfare.study import Study
from wayfare.words import counted, rough, roughly, setting, side_by_side

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
    end, last = state.spec.limits.end, trials[-1]
    if end is not None and (leg := way_home(state, last.x)) is not None:
        settings = settings_of(last.params, state.spec.space.params(end), flat)
        way = dict(legs_besides(state, last.x, end[None, :], np.array([False]))[0])
        also = [f"{way[unit]:.6g}" if unit in way else "" for unit in besides]
        expected = [] if learned is None else [rough(price(state, last.x, end, travel=learned))]
        costs = [f"{leg:.6g}", *expected, f"{total + leg:.6g}", *also]
        rows.append(("here", ["home", *settings, *costs, *empty]))
    return rows


def expected_leg(state: StudyState, trial: Trial, learned: LearnedCost) -> float:
    """Return what a leg that is out will really cost by what was learned from earlier ones."""
    leg = price(state, state.origin(trial.number), trial.x, trial.home_first, learned)
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
