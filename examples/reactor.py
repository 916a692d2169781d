"""A flow reactor is tuned in one day of eight hours: whoever waits less for it to settle gets more runs in.

The chemistry is the published SnAr model of the benchmarks, measured with 1% of noise. Concentration and
residence time settle as there; that the oven heats at 8 degrees a minute and cools at 2 is made up.
"""

from collections.abc import Mapping

import numpy as np
from beside import Figures, tell
from hours import draw_setting, hours
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogLocator, NullFormatter, StrMethodFormatter

import wayfare as wf
from wayfare.bench.problems.field import measured_value, reactor_value, snar
from wayfare.plot.style import INK, SERIES, SMALL, entitle, tidy

DAY = 8 * 60  # minutes
RUN = 6  # minutes: fill the reactor, take a sample
PERCENT = 1.0  # of noise on every concentration

space = snar().space
idle = {"tau_min": 2.0, "eq": 1.0, "c0_M": 0.1, "temp_C": 40.0}
# All at the same time; the equivalents are a matter of the pumps, and change at once.
settle = wf.parallel(
    wf.Ramp("temp_C", up=8, down=2, unit="min"),
    wf.Settling("c0_M", speed=0.4, threshold=0.01, per_fold=2, unit="min"),
    wf.Settling("tau_min", speed=1.5, threshold=0.05, per_fold=3, unit="min"),
)


def run(method: str, seed: int, minutes: int) -> wf.Study:
    """Run the reactor until the next run would end after work."""
    most = minutes // RUN  # if nothing ever had to settle
    study = wf.Study.create(
        space, direction="maximize", travel=settle, start=idle, trials=most, method=method, seed=seed
    )
    rng, clock = np.random.default_rng(seed), 0.0
    while (trial := study.ask()) is not None:
        clock += trial.leg + RUN
        if clock > minutes:
            study.skip(trial)
            break
        study.tell(trial, float(measured_value(trial.x[None, :], PERCENT, rng)[0]))
    return study


def runs(study: wf.Study) -> list[wf.Trial]:
    """Return the trials that were run."""
    return [trial for trial in study.trials if trial.value is not None]


FIGURES: Figures[wf.Study] = {
    "runs": lambda study: len(runs(study)),
    "settling paid [min]": lambda study: study.ledger().paid,
    "unordered [min]": lambda study: study.ledger().unordered,
    "objective found": lambda study: reactor_value(study.trials[study.best().trial].x[None, :])[0],
    "mean of all runs": lambda study: reactor_value(np.array([trial.x for trial in runs(study)])).mean(),
}
SETTINGS = {"temp_C": "oven [°C]", "c0_M": "concentration\n[mol/L]", "tau_min": "residence\ntime [min]"}


def draw(studies: Mapping[str, wf.Study]) -> Figure:
    """Return the day of each method: settings and objective over the hours, runs as thick lines."""
    figure = Figure(figsize=(8.6, 5.6), layout="constrained")
    panels = figure.subplots(len(SETTINGS) + 1, len(studies), sharex=True, sharey="row")
    for column, (method, study) in zip(panels.T, studies.items(), strict=True):
        legs = [trial.leg for trial in runs(study)]
        for ax, (name, label) in zip(column, SETTINGS.items(), strict=False):
            draw_setting(ax, legs, RUN, [trial.params[name] for trial in runs(study)], idle[name])
            ax.set_ylabel(label)
        short = snar().regret(np.array([trial.x for trial in runs(study)]))
        _, ended = hours(legs, RUN)
        column[-1].semilogy(ended, short, "o", ms=3.5, color=SERIES[1], mec=INK, mew=0.4, clip_on=False)
        column[-1].set(ylabel="short of the\nbest objective", xlabel="time [h]", xlim=(0, np.ceil(ended[-1])))
        figures = {name: of(study) for name, of in FIGURES.items()}
        entitle(
            column[0],
            f"{method}: {figures['runs']} runs",
            f"{figures['settling paid [min]']:.0f} min of settling; "
            f"objective {figures['objective found']:.3f} at the settings to keep",
        )
        for ax in column:
            tidy(ax)
            ax.label_outer()
    for ax in panels[-1]:
        label_decades(ax)
    figure.align_ylabels()
    words = "thick: a run of 6 min; thin: changing and settling, drawn as a straight line"
    figure.supxlabel(words, fontsize=SMALL)
    return figure


def label_decades(ax: Axes) -> None:
    """Label decades on the vertical axis, and 2 and 5 in between where there are few."""
    low, high = ax.get_ylim()
    ax.yaxis.set_minor_formatter(NullFormatter())
    if high / low < 100:
        ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        ax.yaxis.set_major_formatter(StrMethodFormatter("{x:g}"))


if __name__ == "__main__":
    truth = f"best objective there is: {snar().optimum:.4g}"
    tell(run, FIGURES, draw, trials=DAY, short=2 * 60, in_what="minutes", truth=truth)
