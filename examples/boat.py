"""A boat looks for the worst of the algae on a lake, stays on water, and comes home on one tank.

The map is that of the lake Ypacaraí, the algae are made up; both come with the benchmarks.
"""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np
from beside import Figures, kept, tell
from maps import draw_journey, explain
from matplotlib.figure import Figure

import wayfare as wf
from wayfare._core.arrays import Points, Values
from wayfare.bench.problems.field import ALGAE_PEAKS, LAKE_CELL, algae, water
from wayfare.plot.style import entitle, ground, tidy
from wayfare.plot.surface import draw_scale

HEIGHT, WIDTH = LAKE_CELL * (np.array(water().shape) - 1)  # km, from middle to middle of the outermost cells
NOISE, TANK = 0.01, 40  # km that the tank lasts for

boat = wf.Raster(water(), "east_km", "north_km", columns=(0, WIDTH), rows=(HEIGHT, 0), moves="any", unit="km")
lake = boat.places()  # the cells of water
pier = lake.table[np.argmin(lake.table[:, 0])]  # on the western shore


def bloom(x: Points) -> Values:
    """Return the algae at places in km, without noise."""
    return algae(x / [WIDTH, HEIGHT], ALGAE_PEAKS[1])


def run(method: str, seed: int, trials: int) -> wf.Study:
    """Take that many samples, or as many as the tank allows, from the pier on and back to it."""
    rng = np.random.default_rng(seed)

    def sample(east_km: float, north_km: float) -> float:
        return float(bloom(np.array([[east_km, north_km]]))[0] + NOISE * rng.standard_normal())

    return wf.maximize(
        sample, lake, travel=boat, start=pier, home="start", budget=TANK, trials=trials, method=method, seed=seed
    )


def way_home(study: wf.Study) -> float:
    """Return the km from the last sample to the pier."""
    return study.ledger().home or 0.0


FIGURES: Figures[wf.Study] = {
    "samples": lambda study: len(study.trials),
    "paid [km]": lambda study: study.ledger().paid,
    "unordered [km]": lambda study: study.ledger().unordered,
    "way home [km]": way_home,
    "algae found [units]": lambda study: bloom(kept(study)[None, :])[0],
}


def over_water(study: wf.Study) -> Points:
    """Return the way the boat took, turn by turn, back to the pier in the end."""
    stops = [pier, *(trial.x for trial in study.trials), pier]
    bound = boat.bind(lake)
    return np.vstack([bound.way(here, there) for here, there in pairwise(stops)])


def draw(studies: Mapping[str, wf.Study]) -> Figure:
    """Return a map for each method."""
    figure = Figure(figsize=(7.4, 5.4), layout="compressed")
    panels = figure.subplots(1, len(studies), sharex=True, sharey=True)
    field = np.full(water().shape, np.nan)  # land stays empty
    field[tuple(boat.open_cells().T)] = bloom(lake.table)
    edges = (-LAKE_CELL / 2, WIDTH + LAKE_CELL / 2, -LAKE_CELL / 2, HEIGHT + LAKE_CELL / 2)
    for ax, (method, study) in zip(panels, studies.items(), strict=True):
        ax.set_facecolor("#efece6")
        shades = ax.imshow(field, extent=edges, cmap=ground(minimize=False), zorder=0)
        visits = np.array([trial.x for trial in study.trials])
        worst = lake.table[np.argmax(bloom(lake.table))]
        draw_journey(ax, [over_water(study)], visits, kept(study), worst, start="pier")
        entitle(ax, f"{method}: {study.ledger().paid + way_home(study):.1f} km, home again", f"{len(visits)} samples")
        ax.set_xlabel("east [km]")
        tidy(ax)
    panels[0].set_ylabel("north [km]")
    draw_scale(list(panels), shades, "algae without noise [units, made up]")
    explain(figure)
    return figure


if __name__ == "__main__":
    truth = f"worst of the lake: {bloom(lake.table).max():.4g} units"
    tell(run, FIGURES, draw, trials=30, short=12, truth=truth)
