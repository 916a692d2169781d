"""Draw docs/architecture.png: how data flows through the packages. Run ``python docs/architecture.py``."""

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

LAYERS = {"world": "#dcebf7", "known": "#e3f1df", "choice": "#fbefd5", "kept": "#f3e0ea"}
BOXES = {
    # name: (x, y, layer, second line)
    "space": (0.0, 3.0, "world", "Real, Integer, Choice; Places"),
    "travel": (0.0, 2.0, "world", "norms, Ramp, Switch, Table, Custom"),
    "history": (1.0, 3.0, "known", "results, pending, position"),
    "surrogate": (2.0, 3.0, "known", "GP: fit, condition, paths"),
    "schedule": (1.0, 2.0, "choice", "how far ahead, when again"),
    "policy": (2.0, 2.0, "choice", "UCB, Thompson, EI; Elimination"),
    "route": (2.0, 1.0, "choice", "merge, order, expand"),
    "study": (1.0, 1.0, "kept", "ask, tell, snapshot"),
    "store": (0.0, 1.0, "kept", "append-only events"),
}
ARROWS = [
    ("store", "study", "events"),
    ("study", "history", ""),
    ("space", "history", ""),
    ("history", "surrogate", "fit"),
    ("surrogate", "policy", "posterior"),
    ("schedule", "policy", "size"),
    ("policy", "route", "batch"),
    ("route", "study", "itinerary"),
    ("travel", "route", "costs"),
]
WIDTH, HEIGHT, DX, DY = 2.5, 0.62, 3.5, 1.15


def middle(name: str) -> tuple[float, float]:
    """Return the middle of a box."""
    x, y, *_ = BOXES[name]
    return x * DX + WIDTH / 2, y * DY + HEIGHT / 2


def edge(start: tuple[float, float], end: tuple[float, float]) -> tuple[float, float]:
    """Return where the line from a box's middle leaves it."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    reach = min(
        (WIDTH / 2 + 0.06) / abs(dx) if dx else float("inf"), (HEIGHT / 2 + 0.05) / abs(dy) if dy else float("inf")
    )
    return start[0] + dx * reach, start[1] + dy * reach


figure, ax = plt.subplots(figsize=(9, 4.3), layout="constrained")
for name, (x, y, layer, second) in BOXES.items():
    at = (x * DX, y * DY)
    ax.add_patch(
        FancyBboxPatch(at, WIDTH, HEIGHT, "round,pad=0.03", facecolor=LAYERS[layer], edgecolor="#444444", linewidth=0.9)
    )
    ax.text(at[0] + WIDTH / 2, at[1] + 0.41, name, ha="center", va="center", fontsize=12, weight="bold")
    ax.text(at[0] + WIDTH / 2, at[1] + 0.15, second, ha="center", va="center", fontsize=8, color="#333333")
for start, end, label in ARROWS:
    a, b = middle(start), middle(end)
    bend = 0.0
    if (start, end) == ("study", "history"):
        a, b = (a[0] - WIDTH / 2 - 0.06, a[1] + 0.1), (b[0] - WIDTH / 2 - 0.06, b[1] - 0.15)
        bend = -0.22
    elif (start, end) == ("travel", "route"):
        a = (a[0] + 0.6, a[1] - HEIGHT / 2 - 0.05)
        b = (b[0] - WIDTH / 2 + 0.2, b[1] + HEIGHT / 2 + 0.06)
    else:
        a, b = edge(a, b), edge(b, a)
    style = {"arrowstyle": "<|-|>" if start == "store" else "-|>", "connectionstyle": f"arc3,rad={bend}"}
    ax.add_patch(
        FancyArrowPatch(a, b, **style, mutation_scale=13, color="#444444", linewidth=1.2, shrinkA=0, shrinkB=0)
    )
    if label:
        vertical = abs(a[0] - b[0]) < 0.3
        at = ((a[0] + b[0]) / 2 + (0.08 if vertical else 0), (a[1] + b[1]) / 2 + (0 if vertical else 0.1))
        ax.text(*at, label, fontsize=8, color="#333333", ha="left" if vertical else "center", va="center")
captions = {"world": "the world", "known": "what is known", "choice": "where to go", "kept": "the journey, kept"}
for i, (layer, caption) in enumerate(captions.items()):
    ax.add_patch(plt.Rectangle((i * 2.5 + 0.1, 0.42), 0.28, 0.2, facecolor=LAYERS[layer], edgecolor="#444444", lw=0.7))
    ax.text(i * 2.5 + 0.5, 0.52, caption, fontsize=9, va="center")
ax.set_xlim(-0.2, 2 * DX + WIDTH + 0.2)
ax.set_ylim(0.3, 3 * DY + HEIGHT + 0.15)
ax.set_axis_off()
figure.savefig(Path(__file__).with_name("architecture.png"), dpi=160)
