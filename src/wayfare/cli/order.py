"""``wayfare order``: the route alone, for a table of places made elsewhere."""

from pathlib import Path
from typing import Any

import click

from wayfare._core.format import amount, counted, with_unit
from wayfare.cli.files import check_target, naming, read_text, write_text
from wayfare.cli.input import COUNT, FILE, force_option, json_option, split_settings
from wayfare.cli.output import in_unit, plain, print_json, table_or_lists
from wayfare.errors import InvalidInput
from wayfare.exchange import route_csv
from wayfare.exchange.route_table import TravelRefused, heads_of
from wayfare.exchange.table import LARGEST
from wayfare.form import read_study_file

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
@force_option
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
    if out is not None:
        check_target(out, force)
    cost = _travel_form(travel, metric, unit)
    text = read_text(file, LARGEST)
    wanted = None if axes is None else [axis.strip() for axis in axes.split(",")]
    with naming(file):
        heads = heads_of(text)
    # The values of both ends are read later, with the table.
    first, last = split_settings(start, heads, "--start") or None, split_settings(end, heads, "--end") or None
    try:
        route = route_csv(text, cost, axes=wanted, start=first, end=last, thorough=effort == "high", seed=seed)
    except TravelRefused as error:  # the fault is in the other file
        raise InvalidInput(f"{travel}: {error}" if travel else str(error)) from error
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {error}") from error
    if out is not None:
        write_text(out, route.to_csv())
    stops = list(zip(route.order, route.rows, route.legs.tolist(), route.totals.tolist(), strict=True))
    if as_json:
        # ``row`` counts the rows of the file from 0.
        for at, (row, cells, leg, total) in enumerate(stops, 1):
            named = dict(zip(route.heads, cells, strict=True))
            print_json({"stop": at, "row": int(row), "cells": named, "leg": leg, "total": total, "unit": route.unit})
    elif out is None:
        heads = ["stop", *route.heads, in_unit("leg", route.unit), in_unit("total", route.unit)]
        rows = [[str(at), *cells, amount(leg), amount(total)] for at, (_, cells, leg, total) in enumerate(stops, 1)]
        click.echo(table_or_lists(heads, rows, left=()))
    # On stderr how much shorter the route is: "40 places by east, north: as given 812 m, ordered 341 m".
    axes_used, given = ", ".join(map(plain, route.axes)), with_unit(route.given, route.unit)
    last_leg = f", of which {with_unit(route.last_leg, route.unit)} to the end" if route.last_leg else ""
    said = f"as given {given}, ordered {with_unit(route.cost, route.unit)}{last_leg}"
    click.echo(f"{counted(len(route.rows), 'place')} by {axes_used}: {said}", err=True)


def _travel_form(file: Path | None, metric: str | None, unit: str | None) -> dict[str, Any]:
    """Return the travel cost as a study file states it."""
    if file is None:
        return {"kind": metric or METRICS[0], "unit": unit or ""}
    if metric is not None or unit is not None:
        raise InvalidInput("--travel says what moving costs; leave --metric and --unit out")
    form = read_study_file(file)
    cost = form.get("travel", form)
    if not isinstance(cost, dict):
        raise InvalidInput(f"{file}: travel must be a table")
    return cost
