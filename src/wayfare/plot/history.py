"""``plot_history``: the results of studies and the movement they cost, trial by trial."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from attrs import frozen
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import MaxNLocator

from wayfare._core.arrays import Mask, Values
from wayfare.errors import InvalidInput
from wayfare.plot.style import NORMAL, PRIOR_MARK, SMALL, colours_of, entitle, named, root_of, tidy, with_unit
from wayfare.plot.surface import Truth, values_at
from wayfare.plot.view import told_snapshot
from wayfare.record.state import StudyState
from wayfare.study.study import Snapshot, Study

MEAN_DASH, GREY = (0, (3, 1.5)), "#777777"
Studies = Study | Snapshot | Sequence[Study | Snapshot] | Mapping[str, Study | Snapshot]


def plot_history(
    studies: Studies,
    *,
    optimum: float | None = None,
    truth: Truth | None = None,
    axes: Sequence[Axes] | None = None,
    label: str | None = None,
) -> Figure:
    """Draw the best so far and the cumulative movement over the trials, and return the figure.

    Several studies, in a list or by label, are laid over one another. With ``optimum`` the upper panel shows the
    regret: that of the best visit so far, and dashed the mean over the results so far. A run of several results is
    one trial on the axis, at their mean.

    Args:
        studies: one study, a list of studies, or studies by label; snapshots will do.
        optimum: the best value possible, in the sign of the results.
        truth: the true function, as for ``plot_route``: the curves then show true values, not noisy results.
        axes: two axes to draw on, for the values and for the movement; None: a new figure.
        label: the label of a single study.
    """
    by_label = _by_label(studies, label)
    curves = {name: make_curves(told_snapshot(study, "plot_history").state, truth) for name, study in by_label.items()}
    _check_alike(list(curves.values()))
    if axes is None:
        _, (upper, lower) = plt.subplots(2, 1, sharex=True, figsize=(5.2, 4.4), layout="constrained")
    elif len(axes) == 2:
        upper, lower = axes
    else:
        raise InvalidInput(f"axes must be two, for what was found and for the movement; got {len(axes)}")
    for (name, curve), colour in zip(curves.items(), colours_of(curves), strict=True):
        _draw_found(upper, curve, optimum, name, colour)
        lower.plot(range(len(curve.movement)), curve.movement, color=colour, linewidth=1.4, label=name)
    upper.set_ylabel("value" if optimum is None else "regret")
    lower.set_ylabel(with_unit("cumulative movement", next(iter(curves.values())).unit))
    lower.set_ylim(bottom=0)
    for ax in (upper, lower):
        ax.margins(x=0.02)
        ax.xaxis.set_major_locator(MaxNLocator(integer=True, min_n_ticks=1, steps=[1, 2, 5, 10]))
        ax.spines[["top", "right"]].set_visible(False)
        tidy(ax)
    runs = any((curve.counts > 1).any() for curve in curves.values())
    # Panels one below the other share their numbers; panels side by side need a label each.
    for ax in (lower,) if upper.get_shared_x_axes().joined(upper, lower) else (upper, lower):
        ax.set_xlabel("trial (a run is one)" if runs else "trial", fontsize=NORMAL)
    if axes is None and len(curves) == 1:
        entitle(upper, named(next(iter(curves))))
    known = optimum is None and any(curve.known.any() for curve in curves.values())
    _explain(upper, lower, optimum, labelled=len(curves) > 1 or label is not None, known=known)
    return root_of(upper)


@frozen(eq=False)
class Curves:
    """A study trial by trial: the numbers of told trials, their values, and the movement of all trials.

    ``counts`` says of how many results each value is the mean, ``known`` which values were known before the study.
    """

    told: Values
    values: Values
    counts: Values
    movement: Values
    known: Mask
    sign: float
    unit: str

    def regret(self, optimum: float) -> Values:
        """Return by how much each value falls short of the optimum."""
        return self.sign * (optimum - self.values)

    def mean_regret(self, optimum: float) -> Values:
        """Return the mean regret of the results so far; each result of a run counts as one."""
        return np.asarray(np.cumsum(self.counts * self.regret(optimum)) / np.cumsum(self.counts))


def make_curves(state: StudyState, truth: Truth | None) -> Curves:
    """Return the curves of a study, of true values if the function is known, else of results."""
    told = [state.trials[number] for number in sorted(state.results)]
    columns = [(trial.number, trial.value, trial.count) for trial in told]
    numbers, values, counts = np.array(columns, dtype=np.float64).T
    if truth is not None:
        values = values_at(truth, np.array([trial.x for trial in told]))
    movement = np.cumsum([trial.leg if trial.is_visit else 0.0 for trial in state.trials])
    known = np.array([trial.prior for trial in told], dtype=np.bool_)
    return Curves(numbers, values, counts, movement, known, state.spec.sign, state.spec.unit)


def _draw_found(ax: Axes, curve: Curves, optimum: float | None, name: str, colour: str) -> None:
    """Draw values as dots under the best so far; or, with an optimum, the regret of the best and the mean."""
    if optimum is None:
        best = curve.sign * np.maximum.accumulate(curve.sign * curve.values)
        own = ~curve.known
        ax.plot(curve.told[own], curve.values[own], ".", color=colour, alpha=0.45, markersize=7, markeredgewidth=0)
        if curve.known.any():
            ax.plot(curve.told[curve.known], curve.values[curve.known], **PRIOR_MARK | {"clip_on": True})
        ax.step(curve.told, best, where="post", color=colour, linewidth=1.4, label=name)
        return
    best = np.minimum.accumulate(curve.regret(optimum))
    ax.step(curve.told, best, where="post", color=colour, linewidth=1.4, label=name)
    ax.plot(curve.told, curve.mean_regret(optimum), color=colour, linewidth=1.0, linestyle=MEAN_DASH)
    # A lucky result can lie beyond the optimum, and then there is no logarithm.
    lowest = min(float(np.min(line.get_ydata())) for line in ax.lines)
    ax.set_yscale("log" if lowest > 0 else "linear")


def _explain(upper: Axes, lower: Axes, optimum: float | None, labelled: bool, known: bool) -> None:
    """Explain the lines in the upper panel, and the studies in the lower, whose curves leave a corner free."""
    best = Line2D([], [], color=GREY, linewidth=1.4)
    if optimum is None:
        other, word = Line2D([], [], color=GREY, linestyle="none", marker=".", markersize=7), "each visit"
    else:
        other, word = Line2D([], [], color=GREY, linewidth=1.0, linestyle=MEAN_DASH), "mean so far"
    look: dict[str, Any] = {"fontsize": SMALL, "frameon": False, "handlelength": 1.8, "borderaxespad": 0.2}
    old = [Line2D([], [], **PRIOR_MARK)] if known else []
    upper.legend([best, other, *old], ["best so far", word, *(str(line.get_label()) for line in old)], **look)
    if labelled:
        lower.legend(loc="upper left", **look)


def _by_label(studies: Studies, label: str | None) -> dict[str, Study | Snapshot]:
    """Return the studies by label; those in a list go by their names, numbered if names repeat."""
    if isinstance(studies, Study | Snapshot):
        return {label or studies.spec.name: studies}
    if label is not None:
        raise InvalidInput("label names a single study; give several as a mapping from label to study")
    if isinstance(studies, Mapping):
        found = {str(name): study for name, study in studies.items()}
    else:
        listed = list(studies)
        repeat = len({study.spec.name for study in listed}) < len(listed)
        found = {f"{study.spec.name} {i}" if repeat else study.spec.name: study for i, study in enumerate(listed)}
    if not found:
        raise InvalidInput("plot_history: no study was given")
    return found


def _check_alike(curves: Sequence[Curves]) -> None:
    units, signs = {curve.unit for curve in curves}, {curve.sign for curve in curves}
    if len(units) > 1:
        raise InvalidInput(f"the studies move in different units, {sorted(units)}; draw them apart")
    if len(signs) > 1:
        raise InvalidInput("some studies maximize and some minimize; draw them apart")
