"""``wayfare waypoints``: the route ahead for a GPS receiver, a map or an autopilot."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

import click

from wayfare._core.format import counted
from wayfare._core.parse import PLAIN, read_number
from wayfare.cli.input import (
    FILE,
    check_target,
    encoded,
    json_option,
    note,
    open_study,
    print_json,
    print_text,
    with_study,
    write_file,
)
from wayfare.cli.output import plain
from wayfare.errors import InvalidInput

Format: TypeAlias = Literal["gpx", "geojson", "qgc"]
ENDINGS: dict[Format, str] = {"gpx": ".gpx", "geojson": ".geojson", "qgc": ".plan"}
VEHICLES = ("copter", "plane", "rover", "boat")


@click.command()
@with_study
@click.option(
    "--format",
    "form",
    type=click.Choice(list(ENDINGS)),
    help="Instead of what the file's ending says (.gpx, .geojson, .plan).  [default: gpx]",
)
@click.option("--lat", metavar="AXIS", help="The latitude in degrees.  [default: lat, latitude]")
@click.option("--lon", metavar="AXIS", help="The longitude.  [default: lon, lng, long, longitude]")
@click.option(
    "--alt",
    metavar="AXIS|METRES",
    help="The altitude: an axis, or one for all. Above sea level in GPX and GeoJSON, above home in qgc.",
)
@click.option("--visited", is_flag=True, help="The visits made, too.")
@click.option("--vehicle", type=click.Choice(VEHICLES), help="Of a qgc plan.  [default: copter]")
@click.option("--takeoff", is_flag=True, help="Begin a qgc plan with a takeoff.")
@click.option(
    "--return-home/--no-return-home",
    default=None,
    help="End a qgc plan with the way home.  [default: if the study has an end]",
)
@click.option("--out", type=FILE, metavar="FILE", help="Where to; else it is printed.")
@click.option("--force", is_flag=True, help="Write over the file if it is there.")
@json_option
def waypoints(
    name: str,
    store: Path,
    form: Format | None,
    lat: str | None,
    lon: str | None,
    alt: str | None,
    visited: bool,
    vehicle: Literal["copter", "plane", "rover", "boat"] | None,
    takeoff: bool,
    return_home: bool | None,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write down the route ahead as waypoints.

    First the trials that are out, by their numbers, then the stops ahead that can be paid, and home, where
    the study has an end; once no stop is left, the way home alone. GPX is for GPS receivers, GeoJSON for
    maps, and qgc is a plan for QGroundControl. Visits home between trips are waypoints, too; a plan is one
    trip. Over a map with obstacles the way turns where it must: a route and a plan have the turns as points,
    the line of GeoJSON goes through them.
    """
    from wayfare.exchange import export_geojson, export_gpx, export_qgc
    from wayfare.exchange.navigation import goes_home, this_trip
    from wayfare.exchange.waypoints import waypoints_of

    kind = format_of(out, form)
    if out is not None:
        check_target(out, force, store)
    elif as_json:
        raise InvalidInput("--json says what was written, so it needs --out; for JSON, --format geojson")
    if kind == "qgc" and visited:
        raise InvalidInput("--visited is not for --format qgc: the vehicle would go there again")
    if kind != "qgc" and (vehicle or takeoff or return_home is not None):
        option = "--vehicle" if vehicle else "--takeoff" if takeoff else "--return-home"
        raise InvalidInput(f"{option} is for --format qgc")
    study = open_study(store, name)
    up = altitude(alt, study.spec.space.names)
    if kind == "qgc":
        text = export_qgc(
            study, lat=lat, lon=lon, alt=up, vehicle=vehicle or "copter", takeoff=takeoff, return_home=return_home
        )
    else:
        write = export_gpx if kind == "gpx" else export_geojson
        text = write(study, lat=lat, lon=lon, alt=up, visited=visited)
    way = waypoints_of(study, lat=lat, lon=lon, visited=visited)
    if way.remark:
        note(f"{way.remark}; stops that cannot be paid are left out")
    if out is None:
        print_text(text)
        return
    written = this_trip(way.stops) if kind == "qgc" else way.stops
    home = goes_home(study.spec, return_home) if kind == "qgc" else way.last is not None
    number, later = len(written), sum(not stop.is_home for stop in way.stops) - len(written)
    write_file(out, encoded(text))
    if as_json:
        print_json({"study": name, "format": kind, "waypoints": number, "home": home, "out": str(out)})
        return
    parts = [*([counted(number, "waypoint")] if number else []), *(["the way home"] if home else [])]
    what = " and ".join(parts)
    click.echo(f"{plain(name)}: {what} written to {plain(str(out))}")
    if kind == "qgc" and later:
        note(f"a plan is one trip: {counted(later, 'stop')} left for later ones")


def format_of(file: Path | None, said: Format | None) -> Format:
    """Return the format said, or that of the file's ending; GPX where there is no file."""
    if said is not None:
        return said
    if file is None:
        return "gpx"
    for form, ending in ENDINGS.items():
        if file.suffix.lower() == ending:
            return form
    raise InvalidInput(f"{file}: ends in none of {', '.join(ENDINGS.values())}; say which with --format")


def altitude(said: str | None, axes: tuple[str, ...]) -> str | float | None:
    """Return an axis by its name, or metres."""
    if said is None or said in axes or PLAIN.fullmatch(said) is None:
        return said
    return read_number(said, "--alt")
