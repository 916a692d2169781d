"""Fill docs/belief.md with the tables and the picture of the committed rows.

``python -m benchmarks.belief page`` writes it; the words are written by hand, the blocks and the picture are made here.
A number with ± is a mean over functions and its standard error; each function counts once, by its mean over the seeds.
"""

import argparse
import math
from collections.abc import Iterable, Iterator, Sequence
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
from attrs import evolve
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from belief import variants
from belief.calibration import BEFORE, GATHERED, PEER_SEEDS, PEER_SIZES, ROWS, SIZES, UNIFORM, Row, read_rows
from belief.functions import Function, functions
from belief.models import MODELS, OURS
from blocks import fill_blocks, save_small
from wayfare.bench.report import markdown
from wayfare.plot.style import BROWN, SKY, SMALL, colour_of, colours_of, entitle, tidy
from wayfare.space import Choice, Integer

PAGE = Path(__file__).resolve().parents[2] / "docs" / "belief.md"
PICTURE = PAGE.with_suffix(".png")
KINDS = ("real", "mixed")
BAND = (0.92, 0.98)
"""Where the mean coverage of 95% intervals on uniform designs is to be."""
LEAST_GATHERED, MOST_ABOVE, LEAST_WINS = 0.85, 0.5, 0.8
"""The other limits: coverage on gathered data, the share above as part of what it was, cells with a lower NLL."""
BEFORE_NAME = "wayfare, before"
RECOMMENDED = "BoTorch's choice"
"""BoTorch as its manual has it: MixedSingleTaskGP where there are choices, SingleTaskGP elsewhere."""
NAMES = {
    OURS: "**wayfare**",
    BEFORE_NAME: BEFORE_NAME,
    "botorch": "BoTorch SingleTaskGP",
    "botorch-mixed": "BoTorch MixedSingleTaskGP",
    RECOMMENDED: RECOMMENDED,
    "scikit-learn": "scikit-learn",
}


def all_rows() -> list[Row]:
    """Return the committed rows; those of our model as it was are named ``wayfare, before``."""
    return read_rows(ROWS) + [evolve(row, model=BEFORE_NAME) for row in read_rows(BEFORE)]


def blocks(rows: Sequence[Row]) -> dict[str, str]:
    """Return what the page shows, by the names of its blocks."""
    uniform = [row for row in rows if row.design == UNIFORM]
    found = {"limits": "\n".join(f"- {line}" for line in verdicts(rows)), "functions": functions_table()}
    for kind in KINDS:
        own = [row for row in uniform if row.kind == kind]
        found[f"coverage-{kind}"] = by_size(own, "coverage95")
        found[f"inner-{kind}"] = inner_table(own)
        found[f"error-{kind}"] = error_table(own)
    found["wins"] = wins_table(uniform)
    found["better"] = "\n".join(f"- {line}" for line in where_better(uniform))
    found["gathered"] = gathered_table(rows)
    found["peers"] = peers_table(rows)
    found["variants"] = variants.table(variants.read_rows())
    if find_spec("belief.finding") is not None:
        found["finding"] = import_module("belief.finding").section().strip()
    return found


# Means over functions.


def per_function(rows: Iterable[Row], measure: str) -> dict[str, float]:
    """Return the mean over the rows of each function."""
    values: dict[str, list[float]] = {}
    for row in rows:
        values.setdefault(row.function, []).append(getattr(row, measure))
    return {name: float(np.mean(own)) for name, own in values.items()}


def mean_of(rows: Iterable[Row], measure: str) -> float:
    """Return the mean over functions; nan if there are none."""
    values = list(per_function(rows, measure).values())
    return float(np.mean(values)) if values else math.nan


def with_error(values: Iterable[float], digits: int = 2) -> str:
    """Return a mean and its standard error, as text."""
    own = np.array(list(values))
    if not len(own):
        return "-"
    error = own.std(ddof=1) / math.sqrt(len(own)) if len(own) > 1 else math.nan
    return f"{own.mean():.{digits}f} ± {error:.{digits}f}"


def models_in(rows: Sequence[Row]) -> list[str]:
    """Return the models of the rows, ours first, as it was second."""
    there = {row.model for row in rows}
    return [model for model in NAMES if model in there]


def select(rows: Iterable[Row], **wanted: object) -> list[Row]:
    """Return the rows with these values."""
    return [row for row in rows if all(getattr(row, name) == value for name, value in wanted.items())]


# Uniform designs.


def by_size(rows: Sequence[Row], measure: str) -> str:
    """Return a table of a measure: a line per model, a column per number of results."""
    lines = [
        [NAMES[model], *(with_error(per_function(select(rows, model=model, n=n), measure).values()) for n in SIZES)]
        for model in models_in(rows)
    ]
    return markdown(("model", *(f"n = {n}" for n in SIZES)), lines)


def inner_table(rows: Sequence[Row]) -> str:
    """Return the coverage of the 50% and 80% intervals."""
    lines = []
    for model in models_in(rows):
        pairs = (
            [mean_of(select(rows, model=model, n=n), measure) for measure in ("coverage50", "coverage80")]
            for n in SIZES
        )
        lines.append([NAMES[model], *(f"{half:.2f}, {most:.2f}" for half, most in pairs)])
    return markdown(("50%, 80% intervals", *(f"n = {n}" for n in SIZES)), lines)


def error_table(rows: Sequence[Row]) -> str:
    """Return the median NLL over functions, and the mean RMSE."""
    lines = []
    for model in models_in(rows):
        cells = []
        for n in SIZES:
            own = select(rows, model=model, n=n)
            cells.append(f"{np.median(list(per_function(own, 'nll').values())):.2f}, {mean_of(own, 'rmse'):.2f}")
        lines.append([NAMES[model], *cells])
    return markdown(("median NLL, mean RMSE", *(f"n = {n}" for n in SIZES)), lines)


def recommended(rows: Sequence[Row]) -> list[Row]:
    """Return the rows of BoTorch as its manual has it, function by function."""
    mixed = select(rows, model="botorch-mixed")
    there = {row.function for row in mixed}
    return mixed + [row for row in select(rows, model="botorch") if row.function not in there]


def of_peer(rows: Sequence[Row], peer: str) -> list[Row]:
    """Return the rows of a peer, or of BoTorch's choice."""
    return recommended(rows) if peer == RECOMMENDED else select(rows, model=peer)


def wins(rows: Sequence[Row], peer: str, n: int | None = None) -> dict[str, float]:
    """Return, for each function, the share of sizes at which our mean NLL is below the peer's."""
    found: dict[str, list[bool]] = {}
    for size in SIZES if n is None else (n,):
        ours = per_function(select(rows, model=OURS, n=size), "nll")
        theirs = per_function(select(of_peer(rows, peer), n=size), "nll")
        for name in theirs.keys() & ours.keys():
            found.setdefault(name, []).append(ours[name] < theirs[name])
    return {name: float(np.mean(found[name])) for name in functions() if name in found}


def wins_table(rows: Sequence[Row]) -> str:
    """Return the share of function-by-n cells in which our NLL is the lower one."""
    peers = [model for model in NAMES if model != OURS and of_peer(rows, model)]
    lines = []
    for peer in peers:
        parts: list[tuple[list[Row], int | None]] = [(list(rows), None)]
        parts += [(select(rows, kind=kind), None) for kind in KINDS]
        parts += [(list(rows), n) for n in SIZES]
        shares = [[100 * share for share in wins(own, peer, n).values()] for own, n in parts]
        lines.append([NAMES[peer], *(with_error(own, 0) for own in shares)])
    return markdown(
        ("NLL below that of", "all, %", *(f"{kind}" for kind in KINDS), *(f"n = {n}" for n in SIZES)), lines
    )


def where_better(rows: Sequence[Row]) -> Iterator[str]:
    """Yield where each peer's NLL is clearly lower: by more than two standard errors of the differences by seed."""
    for peer in ("botorch", "botorch-mixed", "scikit-learn"):
        cells, total = [], 0
        for name in functions():
            sizes = []
            for n in SIZES:
                ours, theirs = (
                    {row.seed: row.nll for row in select(rows, model=model, function=name, n=n)}
                    for model in (OURS, peer)
                )
                apart = np.array([ours[seed] - theirs[seed] for seed in ours.keys() & theirs.keys()])
                total += len(apart) > 0
                if len(apart) > 1 and apart.mean() > 2 * apart.std(ddof=1) / math.sqrt(len(apart)):
                    sizes.append(str(n))
            if sizes:
                cells.append(f"{name} ({', '.join(sizes)})")
        count = sum(cell.count(",") + 1 for cell in cells)
        yield f"{NAMES[peer]}, {count} of {total} cells: {'; '.join(cells) or 'nowhere'}."


# Data that studies gathered.


def gathered_table(rows: Sequence[Row]) -> str:
    """Return coverage over the whole space and the share above, now and before."""
    lines = []
    for kind, design in product(KINDS, GATHERED):
        own = select(rows, kind=kind, design=design)
        cells = []
        for measure, n in product(("coverage95", "above"), SIZES):
            now, then = (mean_of(select(own, model=model, n=n), measure) for model in (OURS, BEFORE_NAME))
            cells.append(f"{now:.2f} ({then:.2f})")
        lines.append([f"`{design}`, {kind}", *cells])
    head = [f"{words}, n = {n}" for words, n in product(("coverage", "above"), SIZES)]
    return markdown(("study", *head), lines)


def on_same_data(rows: Sequence[Row]) -> list[Row]:
    """Return the rows on gathered data that all peers were judged on, ours among them; none of other data."""
    ours = {
        (row.function, row.design, row.n, row.seed): row.data
        for row in select(rows, model=OURS)
        if row.design != UNIFORM and row.n in PEER_SIZES and row.seed < PEER_SEEDS
    }
    own = [row for row in rows if row.model in MODELS]
    return [row for row in own if ours.get((row.function, row.design, row.n, row.seed)) == row.data]


def peers_table(rows: Sequence[Row]) -> str:
    """Return how the peers do on the data that our studies gathered."""
    same = on_same_data(rows)
    lines = []
    for kind in KINDS:
        own = select(same, kind=kind)
        for model in models_in(own):
            cells = []
            for n in PEER_SIZES:
                mine = select(own, model=model, n=n)
                nll = np.median(list(per_function(mine, "nll").values())) if mine else math.nan
                cells += [f"{mean_of(mine, measure):.2f}" for measure in ("coverage95", "above", "rmse")]
                cells.append(f"{nll:.2f}")
            lines.append([f"{NAMES[model]}, {kind}", *cells])
    head = [f"{words}, n = {n}" for n in PEER_SIZES for words in ("coverage", "above", "RMSE", "median NLL")]
    return markdown(("model, functions", *head), lines)


# The limits.


def verdicts(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a line for each limit that was set: the number, the limit, and whether it holds."""

    def line(words: str, holds: bool) -> str:
        return f"{words}: {'holds' if holds else '**missed**'}"

    uniform = select(rows, design=UNIFORM, model=OURS)
    for kind in ("all", *KINDS):
        own = uniform if kind == "all" else select(uniform, kind=kind)
        means = [mean_of(select(own, n=n), "coverage95") for n in SIZES]
        shown = ", ".join(f"{mean:.3f}" for mean in means)
        words = f"95% intervals on uniform designs, {kind} functions: they hold the truth {shown} of the time at n = "
        words += f"{', '.join(map(str, SIZES))}, {BAND[0]} to {BAND[1]} each"
        yield line(words, all(BAND[0] <= mean <= BAND[1] for mean in means))
    for peer in ("botorch", "botorch-mixed", RECOMMENDED, "scikit-learn"):
        shares = wins(select(rows, design=UNIFORM), peer)
        mean = float(np.mean(list(shares.values()))) if shares else math.nan
        words = (
            f"NLL below that of {NAMES[peer]} in {mean:.0%} of the cells of function and n, at least {LEAST_WINS:.0%}"
        )
        yield line(words, mean >= LEAST_WINS)
    gathered = [row for row in rows if row.design != UNIFORM]
    now, then = (select(gathered, model=model) for model in (OURS, BEFORE_NAME))
    coverage = mean_of(now, "coverage95")
    words = f"95% intervals over the whole space on gathered data hold the truth {coverage:.3f} of the time on average "
    words += f"(before: {mean_of(then, 'coverage95'):.3f}), at least {LEAST_GATHERED}"
    yield line(words, coverage >= LEAST_GATHERED)
    above, was = mean_of(now, "above"), mean_of(then, "above")
    words = f"of the best 2% of the space {above:.3f} lies above the upper limit on gathered data (before: {was:.3f}), "
    yield line(words + "at most half of before", above <= MOST_ABOVE * was)


def functions_table() -> str:
    """Return the functions with their axes and noise."""
    lines = [[f"`{one.name}`", axes_in_words(one), f"{one.noise:g}"] for one in functions().values()]
    return markdown(("function", "axes", "noise, sd"), lines)


def axes_in_words(function: Function) -> str:
    """Return ``choice of 8, 2 real``."""
    words = [f"choice of {axis.size}" for axis in function.axes if isinstance(axis, Choice)]
    words += [f"integer, {axis.size} values" for axis in function.axes if isinstance(axis, Integer)]
    real = len(function.axes) - len(words)
    return ", ".join([*words, *([f"{real} real"] if real else [])])


# The picture.


def draw(rows: Sequence[Row]) -> Figure:
    """Return coverage over the number of results: on uniform designs left, on gathered data right."""
    figure = Figure(figsize=(8.6, 3.9), layout="constrained")
    left, right = figure.subplots(1, 2, sharey=True)
    uniform = select(rows, design=UNIFORM)
    peers = ((RECOMMENDED, BROWN, "s"), ("scikit-learn", SKY, "^"))
    ours = colour_of("wayfare")
    curve(left, select(uniform, model=OURS), "wayfare", color=ours, marker="o")
    curve(left, select(uniform, model=BEFORE_NAME), BEFORE_NAME, color=ours, marker="o", ls="--", mfc="white")
    for peer, colour, mark in peers:
        curve(left, of_peer(uniform, peer), peer, color=colour, marker=mark)
    for design, colour, mark in zip(GATHERED, colours_of(GATHERED), ("D", "v", "P"), strict=True):
        own = select(rows, design=design)
        curve(right, select(own, model=OURS), f"wayfare on data of {design}", color=colour, marker=mark)
        curve(right, select(own, model=BEFORE_NAME), "", color=colour, marker=mark, ls="--", mfc="white")
    same = on_same_data(rows)
    for peer, colour, mark in peers:
        curve(right, of_peer(same, peer), f"{peer}, all three", color=colour, marker=mark, ls=":")
    for ax, title in ((left, "Uniform designs"), (right, "Data that studies gathered (dashed: before)")):
        ax.axhspan(*BAND, color="#e4e4e4", zorder=0)
        ax.axhline(0.95, color="#888888", lw=0.6, zorder=0)
        ax.set_xscale("log")
        ax.set_xticks(SIZES, [str(n) for n in SIZES])
        ax.minorticks_off()
        ax.set_xlabel("results n")
        ax.legend(fontsize=SMALL, frameon=False, loc="lower right")
        entitle(ax, title)
        tidy(ax)
    left.set_ylim(min(0.6, left.get_ylim()[0]), 1.0)
    left.set_ylabel("share of the space in the 95% interval")
    return figure


def curve(ax: Axes, rows: Sequence[Row], label: str, **look: object) -> None:
    """Draw the mean over functions at each number of results, with its standard error."""
    sizes = [n for n in SIZES if select(rows, n=n)]
    if not sizes:
        return
    every = [np.array(list(per_function(select(rows, n=n), "coverage95").values())) for n in sizes]
    means = [own.mean() for own in every]
    errors = [own.std(ddof=1) / math.sqrt(len(own)) if len(own) > 1 else 0.0 for own in every]
    style = {"lw": 1.2, "ms": 4.5, "capsize": 2, "elinewidth": 0.7, "label": label or "_"} | look
    ax.errorbar(sizes, means, errors, **style)  # type: ignore[arg-type]  # a style is plain keywords


def main(arguments: list[str] | None = None) -> int:
    argparse.ArgumentParser(prog="python -m benchmarks.belief page", description=__doc__).parse_args(arguments)
    rows = all_rows()
    with TemporaryDirectory() as folder:
        drawn = Path(folder) / "drawn.png"
        draw(rows).savefig(drawn, dpi=150)
        save_small(drawn, PICTURE)
    PAGE.write_text(fill_blocks(PAGE.read_text(), blocks(rows)))
    print(f"{PAGE}\n{PICTURE}")
    return 0
