"""``wayfare order``: the route alone, for a table of places made elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wayfare._core.format import counted, with_unit
from wayfare.cli.input import (
    COUNT,
    FILE,
    check_target,
    encoded,
    json_option,
    print_json,
    read_text,
    split_setting,
    write_file,
)
from wayfare.cli.output import columns, fits, in_unit, listing, plain
from wayfare.errors import InvalidInput

if TYPE_CHECKING:
    from wayfare.exchange import RouteTable


METRICS = ("euclidean", "manhattan", "chebyshev")


@click.command()
@click.argument("file", type=FILE)
@click.option("--start", multiple=True, metavar="AXIS=VALUE", help="Where one stands; once per axis.")
@click.option("--end", multiple=True, metavar="AXIS=VALUE", help="Where to end; once per axis.")
@click.option("--axes", metavar="A,B", help="The columns that say where.  [default: the numbers]")
@click.option("--metric", type=click.Choice(METRICS), help="How far it is.  [default: euclidean]")
@click.option("--unit", metavar="TEXT", help="Of the distance, such as m.")
@click.option("--travel", type=FILE, metavar="FILE.toml", help="A file with a [travel] table instead.")
@click.option("--effort", type=click.Choice(["normal", "high"]), default="normal", help="high: 10 s more.")
@click.option("--seed", type=COUNT, default=0, show_default=True, help="The same seed, the same route.")
@click.option("--out", type=FILE, metavar="FILE.csv", help="Write the table there instead of printing it.")
@click.option("--force", is_flag=True, help="Write over the file if it is there.")
@json_option
def order(
    file: Path,
    start: tuple[str, ...],
    end: tuple[str, ...],
    axes: str | None,
    metric: str | None,
    unit: str | None,
    travel: Path | None,
    effort: str,
    seed: int,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Put the places of a CSV FILE in a short visiting order.

    Its first line names the columns. Prints the rows with each leg and the total so far.
    """
    from wayfare.exchange import route_csv
    from wayfare.exchange.csv import LARGEST
    from wayfare.exchange.route_table import TravelRefused, heads_of

    if out is not None:
        check_target(out, force)
    cost = travel_form(travel, metric, unit)
    text = read_text(file, LARGEST)
    wanted = None if axes is None else [axis.strip() for axis in axes.split(",")]
    try:
        heads = heads_of(text)
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {error}") from error
    ends = [settings(given, heads, option) for given, option in ((start, "--start"), (end, "--end"))]
    try:
        route = route_csv(text, cost, axes=wanted, start=ends[0], end=ends[1], thorough=effort == "high", seed=seed)
    except TravelRefused as error:
        raise InvalidInput(f"{travel}: {error}" if travel else str(error)) from error
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {error}") from error
    if out is not None:
        write_file(out, encoded(route.to_csv()))
    if as_json:
        for record in records(route):
            print_json(record)
    elif out is None:
        click.echo(table(route))
    click.echo(summary(route), err=True)


def travel_form(file: Path | None, metric: str | None, unit: str | None) -> dict[str, Any]:
    """Return what moving costs, as a study file says it."""
    from wayfare.form import read_study_file

    if file is None:
        return {"kind": metric or METRICS[0], "unit": unit or ""}
    if metric is not None or unit is not None:
        raise InvalidInput("--travel says what moving costs; leave --metric and --unit out")
    form = read_study_file(file)
    cost = form.get("travel", form)
    if not isinstance(cost, dict):
        raise InvalidInput(f"{file}: travel must be a table")
    return cost


def settings(given: Sequence[str], heads: Sequence[str], option: str) -> dict[str, str] | None:
    """Return a place typed as ``axis=value`` settings; the values are read later, with the table."""
    place: dict[str, str] = {}
    for setting in given:
        axis, value = split_setting(setting, heads, option)
        if axis in place:
            raise InvalidInput(f"{option}: axis {axis!r} is given twice")
        place[axis] = value
    return place or None


def records(route: RouteTable) -> list[dict[str, Any]]:
    """Return the stops as plain data; ``row`` counts the rows of the file from 0."""
    return [
        {
            "stop": at,
            "row": int(row),
            "cells": dict(zip(route.heads, cells, strict=True)),
            "leg": leg,
            "total": total,
            "unit": route.unit,
        }
        for at, (row, cells, leg, total) in enumerate(
            zip(route.order, route.rows, route.legs.tolist(), route.totals.tolist(), strict=True), 1
        )
    ]


def table(route: RouteTable) -> str:
    """Return the stops as a table if it fits, else a few lines each."""
    heads = ["stop", *route.heads, in_unit("leg", route.unit), in_unit("total", route.unit)]
    rows = [
        [str(at), *cells, f"{leg:.6g}", f"{total:.6g}"]
        for at, (cells, leg, total) in enumerate(zip(route.rows, route.legs, route.totals, strict=True), 1)
    ]
    made = columns(heads, rows, left=())
    if fits(made):
        return made
    return "\n\n".join(listing(list(zip(heads, row, strict=True))) for row in rows)


def summary(route: RouteTable) -> str:
    """Say how much shorter the route is: ``40 places by east, north: as given 812 m, ordered 341 m``."""
    count = counted(len(route.rows), "place")
    axes = ", ".join(map(plain, route.axes))
    given, ordered = with_unit(route.given, route.unit), with_unit(route.cost, route.unit)
    last = f", of which {with_unit(route.last_leg, route.unit)} to the end" if route.last_leg else ""
    return f"{count} by {axes}: as given {given}, ordered {ordered}{last}"
