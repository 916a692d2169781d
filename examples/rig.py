"""A drill rig looks for the richest of 10,000 sites; every move has a set-up, and it crawls.

The map of grades is made up, and comes with the benchmarks. The default method is the wrong one here: the map
has many hills, and it stays on a lesser one.
"""

from collections.abc import Mapping

import numpy as np
from beside import Figures, kept, tell
from maps import draw_journey, explain
from matplotlib.figure import Figure

import wayfare as wf
from wayfare.bench.problems.field import LITHIUM_CELL, grade, grades
from wayfare.plot.style import entitle, ground, tidy
from wayfare.plot.surface import draw_scale

SPEED = 1000 / 60  # metres per minute
SET_UP = 30  # minutes at every new site
NOISE = 30  # of a grade, in the units of the map

middles = LITHIUM_CELL * (np.arange(len(grades())) + 0.5)
sites = wf.Places([(east, north) for north in middles for east in middles], names=["east_m", "north_m"])
rig = wf.Euclidean(scale=1 / SPEED, unit="min") + wf.Fee(SET_UP, unit="min")
camp = sites.table[0]  # the south-western corner


def run(method: str, seed: int, trials: int) -> wf.Study:
    """Drill that many holes, from the camp on."""
    rng = np.random.default_rng(seed)

    def drill(east_m: float, north_m: float) -> float:
        return float(grade(np.array([[east_m, north_m]]))[0] + NOISE * rng.standard_normal())

    return wf.maximize(drill, sites, travel=rig, start=camp, trials=trials, method=method, seed=seed)


FIGURES: Figures[wf.Study] = {
    "paid [min]": lambda study: study.ledger().paid,
    "unordered [min]": lambda study: study.ledger().unordered,
    "set-ups": lambda study: sum(trial.leg > 0 for trial in study.trials),
    "grade found [map units]": lambda study: grade(kept(study)[None, :])[0],
}


def draw(studies: Mapping[str, wf.Study]) -> Figure:
    """Return a map for each method."""
    figure = Figure(figsize=(9.2, 3.6), layout="compressed")
    panels = figure.subplots(1, len(studies), sharex=True, sharey=True)
    side = LITHIUM_CELL * len(grades())
    for ax, (method, study) in zip(panels, studies.items(), strict=True):
        shades = ax.imshow(grades(), extent=(0, side, 0, side), cmap=ground(minimize=False), zorder=0)
        visits = np.array([trial.x for trial in study.trials])
        richest = sites.table[np.argmax(grade(sites.table))]
        draw_journey(ax, [np.vstack([camp, visits])], visits, kept(study), richest, start="camp")
        found, set_ups = grade(kept(study)[None, :])[0], FIGURES["set-ups"](study)
        caption = f"{study.ledger().paid:.0f} min of moving, {set_ups} set-ups"
        entitle(ax, f"{method}: grade {found:.0f} found", caption)
        ax.set(xlim=(-25, side + 25), ylim=(-25, side + 25), xlabel="east [m]")
        tidy(ax)
    panels[0].set_ylabel("north [m]")
    draw_scale(list(panels), shades, "true grade [map units]")
    explain(figure)
    return figure


if __name__ == "__main__":
    truth = f"richest site: {grades().max():.0f} map units"
    tell(run, FIGURES, draw, trials=30, short=12, truth=truth, methods=("wayfare", "tucb", "ucb"))
