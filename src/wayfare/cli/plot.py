"""``wayfare plot``: a study as a picture."""

from __future__ import annotations

import re
from io import BytesIO
from pathlib import Path
from typing import Literal

import click

from wayfare.cli.input import FILE, check_target, open_study, with_study, write_file
from wayfare.errors import InvalidInput

Kind = Literal["route", "history"]
KINDS: tuple[Kind, ...] = ("route", "history")
ENDINGS = (".png", ".pdf", ".svg")


@click.command()
@with_study
@click.option(
    "--kind",
    type=click.Choice(KINDS),
    default="route",
    help="route: where it went (default); history: what it found and paid, trial by trial.",
)
@click.option("--axes", metavar="A,B", help="The one or two axes of a route.  [default: a map, or the busiest]")
@click.option("--out", type=FILE, metavar="FILE", help="The picture, .png, .pdf or .svg.  [default: NAME-KIND.png]")
def plot(name: str, store: Path, kind: Kind, axes: str | None, out: Path | None) -> None:
    """Draw the study NAME, over an earlier picture if there is one."""
    out = out or Path(f"{safe(name)}-{kind}.png")
    if out.suffix.lower() not in ENDINGS:
        raise InvalidInput(f"--out: {str(out)!r} must end in one of {', '.join(ENDINGS)}")
    if axes is not None and kind != "route":
        raise InvalidInput("--axes is for --kind route")
    check_target(out, True, store)
    study = open_study(store, name)
    import matplotlib as mpl

    # No window system is needed to write a file, and there may be none.
    mpl.use("Agg")
    from wayfare.plot import plot_history, plot_route

    if kind == "route":
        wanted = None if axes is None else tuple(axis.strip() for axis in axes.split(","))
        drawn = plot_route(study, axes=wanted)
    else:
        drawn = plot_history(study)[0]
    figure = drawn.get_figure(root=True)
    assert figure is not None
    picture = BytesIO()
    figure.savefig(picture, format=out.suffix.lower()[1:], dpi=200)
    write_file(out, picture.getvalue())
    click.echo(str(out))


def safe(name: str) -> str:
    """Return the name of a study as a file may be called anywhere."""
    return re.sub(r"[^\w.+-]+", "_", name).strip("._-")[:100] or "study"
