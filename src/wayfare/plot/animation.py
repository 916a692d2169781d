"""``animate``: a study as it went, a picture after each result, as a GIF or as a page that plays by itself."""

import base64
import json
from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import Literal

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from PIL import Image

from wayfare._core import html
from wayfare._core.format import counted
from wayfare.errors import InvalidInput
from wayfare.plot import path
from wayfare.plot.route import plot_route
from wayfare.plot.style import amount, named
from wayfare.plot.surface import Truth
from wayfare.plot.view import make_view, told_snapshot
from wayfare.record.events import Event, StudySpec, Told
from wayfare.record.state import StudyState, apply, replay
from wayfare.study.study import Snapshot, Study

FRAME, LAST = 400, 2500
"""Milliseconds that a picture stays, and the last one."""
DPI = 110


def animate(
    study: Study,
    *,
    kind: Literal["gif", "html"] = "gif",
    axes: tuple[str, ...] | None = None,
    truth: Truth | None = None,
    frames: int = 60,
) -> bytes:
    """Return a study as it went: the path and the belief after each result.

    All pictures have the axes, the colours and the legend of the last one.

    Args:
        study: a study with results.
        kind: "gif", or "html": a page of its own with a slider, which loads nothing.
        axes: the names of one or two axes to draw; None: as ``plot_route`` chooses them at the end.
        truth: the true function, as for ``plot_route``, drawn instead of the belief.
        frames: how many pictures at most; of more results, some are passed over.
    """
    if kind not in ("gif", "html"):
        raise InvalidInput(f"kind must be 'gif' or 'html', got {kind!r}")
    if frames < 2:
        raise InvalidInput(f"frames must be 2 at least, got {frames}")
    now = told_snapshot(study, "animate").state
    states = _chosen(list(_after_results(now.created, study.journal.events)), frames)
    end = states[-1]
    view = make_view(end, axes, end.trials[Snapshot(end).best().trial].x)
    names = tuple(axis.name for axis in view.axes)
    last = _draw(end, names, truth, None)
    pictures = [_picture(_draw(state, names, truth, last)) for state in states[:-1]]
    pictures.append(_picture(_draw(end, names, truth, last)))
    return _gif(pictures) if kind == "gif" else _page(pictures, end.spec.name)


def _after_results(spec: StudySpec, events: Iterable[Event]) -> Iterator[StudyState]:
    """Yield the state after each result that was told, in the order of their telling."""
    state = replay(spec, [])
    for event in events:
        state = apply(state, [event])
        if isinstance(event, Told) and state.results:
            yield state


def _chosen(states: Sequence[StudyState], most: int) -> list[StudyState]:
    """Return some of the states, evenly apart, the last one among them."""
    rows = np.unique(np.linspace(0, len(states) - 1, min(most, len(states))).round().astype(int))
    return [states[row] for row in rows]


def _draw(state: StudyState, names: tuple[str, ...], truth: Truth | None, last: Axes | None) -> Axes:
    """Draw the route of a state, like the last one if there is one."""
    figure = Figure(figsize=(6.4, 5.0), layout="constrained")
    ax = figure.subplots()
    now = Snapshot(state)
    visits = counted(sum(trial.is_visit for trial in state.trials), "visit")
    paid = amount(now.ledger().paid, state.spec.unit)
    levels = None if last is None or len(names) < 2 else list(last.collections[0].norm.boundaries)  # type: ignore[attr-defined]
    title = f"{named(state.spec.name)} after {visits}: movement {paid}"
    plot_route(now, truth=truth, axes=names, ax=ax, levels=levels, numbered=0, title=title, legend=False)
    if last is not None:
        ax.set(xlim=last.get_xlim(), ylim=last.get_ylim())
        path.explain_below(figure, last)
    return ax


def _picture(ax: Axes) -> Image.Image:
    """Return the figure as an image of 256 colours, in which each mark keeps its own."""
    drawn = BytesIO()
    ax.figure.savefig(drawn, format="png", dpi=DPI)  # type: ignore[union-attr]  # no part of a figure
    return Image.open(drawn).convert("RGB").quantize(256, Image.Quantize.FASTOCTREE)


def _gif(pictures: Sequence[Image.Image]) -> bytes:
    made = BytesIO()
    times = [FRAME] * (len(pictures) - 1) + [LAST]
    pictures[0].save(made, "GIF", save_all=True, append_images=list(pictures[1:]), duration=times, loop=0)
    return made.getvalue()


def _page(pictures: Sequence[Image.Image], name: str) -> bytes:
    """Return a page that shows one picture after another, with a slider and a button; all is in the page itself."""
    shown = []
    for picture in pictures:
        made = BytesIO()
        picture.save(made, "PNG", optimize=True)
        shown.append(f"data:image/png;base64,{base64.b64encode(made.getvalue()).decode('ascii')}")
    title = html.text(name)
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title>
<style>body{{font:16px sans-serif;max-width:720px;margin:1em auto}}img{{width:100%}}input{{width:80%}}</style></head>
<body><img id="picture" alt="The study {title} after each result">
<p><button id="play">Pause</button> <input id="at" type="range" min="0" max="{len(shown) - 1}" value="0"
aria-label="after which result"></p>
<script>
const pictures = {json.dumps(shown)};
const [picture, at, play] = ["picture", "at", "play"].map((id) => document.getElementById(id));
let playing = true, timer;
function show(number) {{ at.value = number; picture.src = pictures[number]; }}
function go() {{
  clearTimeout(timer);
  if (!playing) return;
  const number = Number(at.value), last = number === pictures.length - 1;
  timer = setTimeout(() => {{ show(last ? 0 : number + 1); go(); }}, last ? {LAST} : {FRAME});
}}
function pause(now) {{ playing = !now; play.textContent = playing ? "Pause" : "Play"; go(); }}
play.onclick = () => pause(playing);
at.oninput = () => {{ pause(true); show(Number(at.value)); }};
show(0); go();
</script></body></html>
""".encode()
