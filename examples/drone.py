"""A drone looks for the driest spot of a field, hovers where it measures, and has a battery.

The field is made up. Places are degrees of latitude and longitude, and moving costs minutes in the air. The
drone comes home for a new battery before the one it has is empty.
"""

from collections.abc import Mapping

import numpy as np
from beside import Figures, kept, tell
from maps import draw_journey, explain
from matplotlib.figure import Figure

import wayfare as wf
from wayfare._core.arrays import Points, Values
from wayfare.plot.style import entitle, ground, tidy
from wayfare.plot.surface import draw_scale

HOVER, BATTERY, SWAP = 0.75, 15, 2  # minutes: a measurement, a flight, a change of batteries
NOISE = 0.02
SOUTH, WEST = 51.9700, 5.6600
METRES = 111_195 * np.array([1, np.cos(np.radians(SOUTH))])  # in a degree of latitude, of longitude
SIZE = np.array([600, 900])  # metres to the north, to the east
DRY = [(0.75, 0.82, 1.0), (0.25, 0.30, 0.8), (0.80, 0.20, 0.6)]  # spots: north, east, as shares; how dry

NORTH, EAST = np.array([SOUTH, WEST]) + SIZE / METRES
field = wf.Space(wf.Real("lat", SOUTH, NORTH), wf.Real("lon", WEST, EAST))
flight = wf.Haversine("lat", "lon", speed=5, unit="min")  # metres per second
home = np.array([SOUTH, WEST])


def dryness(x: Points) -> Values:
    """Return how dry it is at these degrees, from 0 to about 1, without noise."""
    shares = (x - home) * METRES / SIZE
    spots = [top * np.exp(-np.square((shares - at) / 0.22).sum(axis=1)) for *at, top in DRY]
    return np.asarray(np.sum(spots, axis=0))


def run(method: str, seed: int, trials: int) -> wf.Study:
    """Measure that often, from home on."""
    rng = np.random.default_rng(seed)

    def measure(lat: float, lon: float) -> float:
        return float(dryness(np.array([[lat, lon]]))[0] + NOISE * rng.standard_normal())

    return wf.maximize(
        measure,
        field,
        travel=flight,
        start=home,
        home="start",
        trip=BATTERY,
        trip_cost=SWAP,
        dwell=HOVER,
        trials=trials,
        method=method,
        seed=seed,
    )


def trips(study: wf.Study) -> int:
    """Return how many batteries it took."""
    return study.ledger().trips or 1


FIGURES: Figures[wf.Study] = {
    "paid [min]": lambda study: study.ledger().paid,
    "saved by order [min]": lambda study: study.ledger().saved,
    "trips": trips,
    "dryness found [0 to 1]": lambda study: dryness(kept(study)[None, :])[0],
    "missed [0 or 1]": lambda study: dryness(kept(study)[None, :])[0] < 0.9,
}


def flown(study: wf.Study) -> list[Points]:
    """Return where the drone went on each trip, from home and back."""
    ways: list[list[Values]] = [[home]]
    for trial in study.trials:
        if trial.home_first:
            ways.append([home])
        ways[-1].append(trial.x)
    return [np.vstack([*way, home]) for way in ways]


LATS, LONS = np.linspace(SOUTH, NORTH, 121), np.linspace(WEST, EAST, 181)
GRID = np.array([(lat, lon) for lat in LATS for lon in LONS])


def on_map(x: Points) -> Points:
    """Return metres to the east and to the north of home."""
    return np.asarray((x - home) * METRES)[..., ::-1]


def draw(studies: Mapping[str, wf.Study]) -> Figure:
    """Return a map for each method, in metres from home."""
    figure = Figure(figsize=(9.2, 3.9), layout="compressed")
    panels = figure.subplots(1, len(studies), sharex=True, sharey=True)
    truth, colours = dryness(GRID).reshape(len(LATS), len(LONS)), ground(minimize=False)
    for ax, (method, study) in zip(panels, studies.items(), strict=True):
        shades = ax.imshow(truth, extent=(0, SIZE[1], 0, SIZE[0]), origin="lower", cmap=colours, zorder=0)
        visits = on_map(np.array([trial.x for trial in study.trials]))
        ways = [on_map(way) for way in flown(study)]
        driest = on_map(GRID[np.argmax(dryness(GRID))])
        draw_journey(ax, ways, visits, on_map(kept(study)), driest, start="home")
        found = FIGURES["dryness found [0 to 1]"](study)
        caption = f"{len(visits)} stops on {trips(study)} trips\ndryness {found:.2f} at the place to keep"
        entitle(ax, f"{method}: {study.ledger().paid:.1f} min on the way", caption)
        ax.set(xlim=(-25, SIZE[1] + 25), ylim=(-25, SIZE[0] + 25), xlabel="east of home [m]")
        tidy(ax)
    panels[0].set_ylabel("north of home [m]")
    draw_scale(list(panels), shades, "true dryness [0 to 1]")
    explain(figure)
    return figure


if __name__ == "__main__":
    tell(run, FIGURES, draw, trials=30, short=12, truth=f"driest spot: {dryness(GRID).max():.4g}")
