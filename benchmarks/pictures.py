"""The paper's first three figures: methods blind to movement, planned ones and one that fears it, on small problems."""

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from attrs import evolve, frozen
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from peaks import FILE, METHODS, NEAR, PLACES, SEEDS, TRIALS, counts, ends_near, peaks_table
from wayfare.bench.problems import Problem, problem_named
from wayfare.bench.results import rows_of
from wayfare.bench.run import Run, last_half, run_methods, run_problem
from wayfare.plot.comparison import draw_paths
from wayfare.plot.path import draw_visits, explain_below, frame_path, make_journey
from wayfare.plot.style import (
    INK,
    MARK,
    NORMAL,
    SERIES,
    SMALL,
    START_MARK,
    amount,
    colours_of,
    entitle,
    tidy,
    with_unit,
)
from wayfare.plot.surface import draw_scale, draw_surface
from wayfare.plot.view import View, frame_of, make_view

SEED = 0

PATHS = ("ts", "tts")
HALVES = ("ucb", "tucb")
LEVELS = np.linspace(-2, 0, 11)
"""Of the quadratic, whose values they span, and of the constant, which is its best value everywhere."""
BEFORE_MARK = MARK | {"marker": "o", "markersize": 4, "color": "#888888", "label": "the visit before"}
BETTER, ELSEWHERE = SERIES[3], SERIES[1]
MARKS = ("o", "s", "^", "D", "v", "P")


def draw_two_paths(trials: int = TRIALS, seed: int = SEED) -> Figure:
    """Return the path of a method blind to movement beside that of its planned sibling, on Branin."""
    problem = problem_named("branin")
    studies = {name: run.study for name, run in run_methods(problem, PATHS, trials, seed).items()}
    figure = Figure(figsize=(6.4, 3.9), layout="constrained")
    figure.suptitle(f"branin, T = {trials}, seed {seed}", fontsize=NORMAL)
    below = figure.subfigures(1, 1, squeeze=False)[0, 0]
    draw_paths(below, studies, problem.function, problem.optimum, None, None)
    for ax in below.axes[: len(studies)]:
        add_units(ax, problem.unit)
    return figure


def add_units(ax: Axes, unit: str) -> None:
    """Add the unit to the labels that are there: on a box, movement is measured in that of the axes."""
    for side in (ax.xaxis, ax.yaxis):
        if words := side.get_label_text():
            side.set_label_text(with_unit(words, unit))


def draw_last_halves(trials: int = TRIALS, seed: int = SEED) -> Figure:
    """Return the last half of the visits, blind and planned, on a quadratic and on a constant function."""
    figure = Figure(figsize=(8.6, 3.0), layout="compressed")
    panels: list[Axes] = list(figure.subplots(1, 4, sharex=True, sharey=True))
    rest = iter(panels)
    for problem in map(problem_named, ("quadratic", "constant")):
        for method in HALVES:
            ax = next(rest)
            surface = draw_last_half(ax, problem, run_problem(problem, method, trials, seed))
            ax.label_outer()
    draw_scale(panels, surface, "true value")
    figure.suptitle(f"trials {trials // 2} to {trials - 1} of T = {trials}, seed {seed}", fontsize=NORMAL)
    explain_below(figure, panels[0])
    return figure


def draw_last_half(ax: Axes, problem: Problem, run: Run) -> ScalarMappable:
    """Draw the visits of the last half, and the legs that led to them; return what a colour bar needs."""
    state, half = run.study.state, len(run.x) // 2
    view = make_view(state, None, run.x[-1])
    journey = make_journey(view, state)
    late = evolve(journey, visits=journey.visits[half:], trials=journey.trials[half:], near=journey.near[half:])
    surface = draw_surface(ax, view, state, problem.function, list(LEVELS))
    # From the visit before, so that the line is as long as the movement in the title.
    way = journey.visits[half - 1 :]
    ax.plot(*way[:1].T, **BEFORE_MARK, zorder=4)
    ax.plot(*way.T, color=INK, linewidth=0.8, alpha=0.75, solid_joinstyle="round", label="path", zorder=2)
    draw_visits(ax, late.visits, late)
    view.dress(ax)
    add_units(ax, problem.unit)
    frame_path(ax, view, way)
    ax.set(aspect="equal", xticks=(-1, 0, 1), yticks=(-1, 0, 1))
    tidy(ax)
    moved = amount(last_half(run.legs), problem.unit)
    entitle(ax, f"{run.method} on {problem.name}", f"movement {moved} per trial")
    return surface


def draw_two_peaks(trials: int = TRIALS, seeds: int = SEEDS) -> Figure:
    """Return where each method is at each trial, a line per seed, from the worse of two peaks.

    Beside the function are the methods blind to movement and one that fears the way; below, those that plan it, and how
    many seeds end at the better peak, by where that is.
    """
    problem = problem_named("two-peaks")
    figure = Figure(figsize=(10.4, 5.2), layout="constrained")
    upright = [figure.add_subplot(2, 4, 1)]
    upright += [figure.add_subplot(2, 4, at, sharey=upright[0]) for at in range(2, 8)]
    draw_function(upright[0], problem)
    for ax, method in zip(upright[1:], METHODS, strict=True):
        runs = [run_problem(problem, method, trials, seed) for seed in range(seeds)]
        draw_seeds(ax, problem, method, runs)
    draw_counts(figure.add_subplot(2, 4, 8), counts(rows_of(FILE)), problem.unit)
    for ax in upright:
        ax.axhline(problem.best[0], color=BETTER, lw=0.6, ls=":", zorder=1)
        ax.axhline(problem.start[0], color=ELSEWHERE, lw=0.6, ls=":", zorder=1)
        tidy(ax)
    for at, ax in enumerate(upright):
        ax.tick_params(labelleft=at % 4 == 0)
    for ax in upright[::4]:
        ax.set_ylabel(with_unit("place x1", problem.unit))
    figure.suptitle(f"two-peaks, T = {trials}, seeds 0 to {seeds - 1}, one line each", fontsize=NORMAL)
    handles = [
        Line2D([], [], **START_MARK),
        Line2D([], [], color=BETTER, label="a seed that ends at the better peak"),
        Line2D([], [], color=ELSEWHERE, label="a seed that ends elsewhere"),
    ]
    figure.legend(handles=handles, loc="outside lower center", ncols=3, frameon=False, fontsize=SMALL)
    return figure


def draw_function(ax: Axes, problem: Problem) -> None:
    """Draw the function of one axis upright, the place along the vertical, with its peaks and the start."""
    view = View(frame_of(problem.space), (0,), problem.start, loose=False)
    x = view.grid()
    ax.plot(problem.function(x), x[:, 0], color=INK, lw=1.4)
    for peak, colour, words in ((problem.best, BETTER, "better peak"), (problem.start, ELSEWHERE, "worse peak")):
        top = problem.function(peak[None, :])[0]
        ax.plot(top, peak[0], "o", ms=6, color=colour, mec=INK, zorder=3)
        ax.annotate(words, (0.1, peak[0]), xytext=(0, 3), textcoords="offset points", fontsize=SMALL, color=INK)
    ax.plot(0, problem.start[0], **START_MARK, zorder=4)
    ax.set_xlim(0, 1.1)
    ax.set_ylim(view.span(0))
    ax.set_xlabel("true value")
    entitle(ax, "the function", f"noise sd {problem.noise:g}")


def draw_seeds(ax: Axes, problem: Problem, method: str, runs: Sequence[Run]) -> None:
    """Draw the places of each run over the trials, and say how many runs end at the better peak."""
    ended = [ends_near(run.x[:, 0], problem.best[0]) for run in runs]
    for run, well in zip(runs, ended, strict=True):
        colour = BETTER if well else ELSEWHERE
        ax.plot(run.x[:, 0], color=colour, lw=0.7, alpha=0.6, clip_on=False, zorder=2)
    ax.set_xlim(0, len(runs[0].x) - 1)
    ax.set_xlabel("trial")
    moved = amount(float(np.mean([run.movement for run in runs])), problem.unit)
    entitle(ax, f"{method}: {sum(ended)} of {len(runs)} at the better peak", f"movement {moved} on average")


def draw_counts(ax: Axes, ended: Mapping[str, Mapping[float, int]], unit: str) -> None:
    """Draw how many seeds of each method end at the better peak, by where that is."""
    for at, ((method, by_peak), colour) in enumerate(zip(ended.items(), colours_of(ended), strict=True)):
        # A little apart, for some are equal.
        shift = 0.06 * (at - (len(ended) - 1) / 2)
        x, y = np.array(list(by_peak)) + shift, list(by_peak.values())
        ax.plot(x, y, marker=MARKS[at], color=colour, lw=1.0, ms=4.5, label=method, clip_on=False)
    ax.set_xticks(PLACES, [f"{peak:g}" for peak in PLACES])
    ax.set_ylim(0, SEEDS)
    ax.set_xlabel(with_unit("where the better peak is", unit))
    ax.set_ylabel("seeds that end there")
    ax.legend(frameon=False, fontsize=SMALL, ncols=2, loc="center left")
    entitle(ax, "the better peak farther in", f"of {SEEDS} seeds, T = {TRIALS}")
    tidy(ax)


@frozen
class Picture:
    """A figure that makes runs of its own: its file, the words beside it, and the function that draws it."""

    file: str
    words: str
    draw: Callable[[], Figure]


PICTURES = (
    Picture(
        "paths.png",
        f"Thompson sampling on Branin, blind to movement (`ts`) and planned (`tts`), T = {TRIALS}, from the "
        f"problem's own start: seed {SEED} alone, and how much is saved differs from seed to seed. The paper says of "
        "its figure that both visit similar places. Here both know the same valleys, but `tts` rules "
        "places out and goes there no more: what it saves is not the route's alone "
        "([what the parts are worth](#what-the-parts-are-worth)).",
        draw_two_paths,
    ),
    Picture(
        "quadratic-constant.png",
        f"The last half of the visits of `ucb` and `tucb`, and the legs that led to them, T = {TRIALS}, seed "
        f"{SEED} alone: movement dies out by itself where one place is best, and must be planned away where "
        "all are, which succeeds better under this seed than under most.",
        draw_last_halves,
    ),
    Picture(
        "two-peaks.png",
        f"T = {TRIALS} from the worse of two peaks, seeds 0 to {SEEDS - 1}; a seed ends at the better "
        f"peak if most of its last quarter lies within {NEAR:g} u of it. The problem is kind to methods that look at "
        "the end of the axis early, for from there that peak is seen. The last panel and the table have it farther in, "
        "where that helps less.",
        draw_two_peaks,
    ),
)


def pictures_section() -> str:
    """Return the part of a report that shows the figures with their words."""
    parts = ["## The paper's first figures"]
    for picture in PICTURES:
        parts += [picture.words, f"![{picture.file.removesuffix('.png')}]({picture.file})"]
    parts.append(peaks_table())
    return "\n\n".join(parts)
