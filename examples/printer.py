"""A 3D printer is tuned for strong parts: it heats fast, cools slowly, and a new filament takes a while.

How strong the parts are is made up: plausible, but measured nowhere. So are the speeds.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from beside import Figures, tell
from hours import draw_setting, hours
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import wayfare as wf
from wayfare.plot.style import INK, SERIES, SMALL, entitle, tidy

PRINT = 12  # minutes for a test part
NOISE = 0.8  # MPa
# Of each filament: the best nozzle and bed in degrees, and the strength there in MPa.
FILAMENTS = {"PLA": (205, 60, 44), "PETG": (238, 80, 48), "ABS": (248, 105, 38)}
COLOURS = dict(zip(FILAMENTS, (SERIES[3], SERIES[1], SERIES[6]), strict=True))

space = wf.Space(
    wf.Real("nozzle_C", 190, 260),
    wf.Real("bed_C", 40, 110),
    wf.Real("speed_mm_s", 20, 120),
    wf.Choice("filament", list(FILAMENTS)),
)
# Nozzle and bed heat side by side, in degrees per minute; the filament is changed once both are warm.
change = wf.parallel(
    wf.Ramp("nozzle_C", up=120, down=40, unit="min"), wf.Ramp("bed_C", up=20, down=4, unit="min")
) + wf.Switch("filament", 5, unit="min")
cold: dict[str, Any] = {"nozzle_C": 22, "bed_C": 22, "speed_mm_s": 40, "filament": "PLA"}


def strength(nozzle_C: float, bed_C: float, speed_mm_s: float, filament: str) -> float:  # noqa: N803
    """Return the strength in MPa, without noise: faster prints want a hotter nozzle, and lose a little."""
    nozzle, bed, top = FILAMENTS[filament]
    off = (nozzle_C - nozzle - 0.15 * (speed_mm_s - 45)) / 20, (bed_C - bed) / 30, (speed_mm_s - 45) / 80
    return float(top * np.exp(-np.square(off).sum()))


def run(method: str, seed: int, trials: int) -> wf.Study:
    """Print and break that many test parts."""
    rng = np.random.default_rng(seed)
    return wf.maximize(
        lambda **settings: strength(**settings) + NOISE * rng.standard_normal(),
        space, travel=change, start=cold, trials=trials, method=method, seed=seed,
    )  # fmt: skip


FIGURES: Figures[wf.Study] = {
    "paid [min]": lambda study: study.ledger().paid,
    "unordered [min]": lambda study: study.ledger().unordered,
    "filament changes": lambda study: changes([trial.params["filament"] for trial in study.trials]),
    "strength found [MPa]": lambda study: strength(**study.best().params),
    "PETG kept [0 or 1]": lambda study: study.best().params["filament"] == "PETG",
}


def changes(filaments: list[str]) -> int:
    """Return how often the filament was changed, from the one that was in at first."""
    return sum(old != new for old, new in zip([cold["filament"], *filaments], filaments, strict=False))


def draw(studies: Mapping[str, wf.Study]) -> Figure:
    """Return the day of each method: temperatures and strength over the hours, coloured by filament."""
    figure = Figure(figsize=(8.6, 5.0), layout="constrained")
    panels = figure.subplots(3, len(studies), sharex=True, sharey="row")
    for column, (method, study) in zip(panels.T, studies.items(), strict=True):
        legs = [trial.leg for trial in study.trials]
        colours = [COLOURS[trial.params["filament"]] for trial in study.trials]
        for ax, name in zip(column, ("nozzle_C", "bed_C"), strict=False):
            levels = [trial.params[name] for trial in study.trials]
            draw_setting(ax, legs, PRINT, levels, cold[name], colours)
            ax.set_ylabel(f"{name.removesuffix('_C')} [°C]")
        column[0].set_ylim(180, 265)  # not down to the cold start
        _, ended = hours(legs, PRINT)
        found = [strength(**trial.params) for trial in study.trials]
        column[2].scatter(ended, found, s=16, c=colours, edgecolors=INK, linewidths=0.4, clip_on=False)
        column[2].set(ylabel="strength\n[MPa]", xlabel="time [h]", ylim=(0, 52))
        best = strength(**study.best().params)
        caption = f"{len(legs)} parts in {ended[-1]:.1f} h; {best:.1f} MPa at the settings to keep"
        entitle(column[0], f"{method}: {study.ledger().paid:.0f} min of changing", caption)
        for ax in column:
            tidy(ax)
            ax.label_outer()
    panels[0, 0].set_xlim(left=0)
    figure.align_ylabels()
    handles = [Line2D([], [], color=colour, lw=3, label=name) for name, colour in COLOURS.items()]
    words = "thick: printing, thin: changing, drawn as a straight line"
    handles.append(Line2D([], [], color="#999999", lw=0.8, label=words))
    figure.legend(handles=handles, loc="outside lower center", ncols=4, frameon=False, fontsize=SMALL)
    return figure


if __name__ == "__main__":
    tell(run, FIGURES, draw, trials=40, short=12, truth="strongest there is: 48 MPa, of PETG")
