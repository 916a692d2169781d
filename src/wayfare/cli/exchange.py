"""``wayfare export``, ``import``, ``sheet``, ``waypoints`` and ``plot``: a study as files for people and machines.

Everything about the options and the target file is refused before the study is read or a stop is handed out.
"""

import re
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import click
from click.core import ParameterSource

from wayfare import exchange
from wayfare._core.format import counted
from wayfare._core.parse import PLAIN, read_number
from wayfare.cli.files import check_target, format_of, format_option, write_file, write_text
from wayfare.cli.input import FILE, TAKE, as_option, force_option, is_usual_store, json_option, options, with_study
from wayfare.cli.output import busy, note, plain, print_json
from wayfare.cli.signature import events_in, key_option, open_key, signature_of, write_signature
from wayfare.cli.studies import open_study, read_study
from wayfare.errors import InvalidInput
from wayfare.exchange.navigation import goes_home, this_trip
from wayfare.exchange.runsheet import some_out, trials_out
from wayfare.exchange.table import DECIMALS
from wayfare.exchange.waypoints import number_axis, waypoints_of
from wayfare.exchange.xlsx import openpyxl
from wayfare.report.progress import nothing_left

if TYPE_CHECKING:
    pass

# The formats and their endings; the first is the default.
STUDY = {"csv": ".csv", "json": ".json", "xlsx": ".xlsx"}
SHEET = {"html": ".html", "csv": ".csv", "xlsx": ".xlsx"}
WAYPOINTS = {"gpx": ".gpx", "geojson": ".geojson", "qgc": ".plan"}
PICTURE = (".png", ".pdf", ".svg")
MOVING = (".gif", ".html")
VEHICLES = ("copter", "plane", "rover", "boat")
out_options = options(
    click.option("--out", type=FILE, metavar="FILE", help="Where to; else it is printed."), force_option, json_option
)


def _check_out(out: Path | None, force: bool, store: Path | str, as_json: bool, instead: str = "") -> None:
    """Refuse a target that must not be written, and ``--json`` without one."""
    if out is not None:
        check_target(out, force, store)
    elif as_json:
        raise InvalidInput(f"--json says what was written, so it needs --out{instead}")


def _check_binary(out: Path | None, kind: str) -> None:
    """Refuse to print a workbook, and to begin one without its package, before anything is handed out."""
    if kind == "xlsx":
        if out is None:
            raise InvalidInput("a workbook cannot be printed; give --out FILE.xlsx")
        openpyxl()


def _deliver(content: str | bytes, out: Path | None, as_json: bool, what: str, **record: Any) -> bool:
    """Print the content, or write it to a file and say so; return whether the file was told of in words."""
    if isinstance(content, str):
        write_text(out, content)
    elif out is not None:
        write_file(out, content)
    if out is None:
        return False
    if as_json:
        print_json({**record, "out": str(out)})
        return False
    click.echo(f"{plain(record['study'])}: {what} written to {plain(str(out))}")
    return True


@click.command()
@with_study
@format_option(STUDY, ".")
@click.option("--stamps", is_flag=True, help="CSV: when each trial was handed out and closed, and by whom.")
@click.option("--full", is_flag=True, help="CSV: these, missed settings, corrected values and all units, as in .xlsx.")
@click.option("--decimal", type=click.Choice(list(DECIMALS)), help="CSV: 'comma' writes semicolons, too.")
@click.option("--signed", is_flag=True, help="Sign it: FILE.sig beside it; `wayfare check` finds any change.")
@key_option
@out_options
def export(
    name: str,
    store: Path | str,
    form: str | None,
    stamps: bool,
    full: bool,
    decimal: str | None,
    signed: bool,
    key_file: Path | None,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write down the study NAME, as CSV, JSON or .xlsx.

    CSV has a row per trial and opens in a spreadsheet; fill in the open trials and import it again. An .xlsx
    workbook has all of it in a form to read, and a sheet about the study; import takes it back, too. JSON has
    the whole study, plans, corrections and stamps too.
    """
    kind = format_of(out, form, STUDY)
    for option, given in (("stamps", stamps), ("full", full), ("decimal", decimal)):
        if given and kind != "csv":
            reason = "JSON has it anyway" if kind == "json" else "a workbook has it anyway"
            raise InvalidInput(f"--{option} is for CSV; {reason if option != 'decimal' else 'leave it out'}")
    _check_binary(out, kind)
    _check_out(out, force, store, as_json, "; for JSON, --format json")
    secret = None
    if not signed and click.get_current_context().get_parameter_source("key_file") is ParameterSource.COMMANDLINE:
        raise InvalidInput("--key is for --signed; without it, nothing is signed")
    if signed:
        if out is None:
            raise InvalidInput("--signed writes a second file, so it needs --out")
        check_target(signature_of(out), force, store)
        secret = open_key(key_file)
    study = open_study(store, name)
    now = study.snapshot()
    content: str | bytes
    if kind == "xlsx":
        content = exchange.export_xlsx(now)
    elif kind == "csv":
        content = exchange.export_csv(now, stamps=stamps, full=full, decimal=decimal or "point")
    else:
        content = exchange.export_json(study)
    trials = len(now.trials)
    if secret is not None and out is not None:
        # First the signature: a file that is not there yet is better than one that is not signed yet.
        data = content if isinstance(content, bytes) else content.encode()
        write_signature(out, data, secret, study, events_in(content, kind, study))
    _deliver(content, out, as_json, counted(trials, "trial"), study=name, format=kind, trials=trials)


@click.command()
@with_study
@click.option(
    "--take",
    type=TAKE,
    metavar="N|day",
    help="First hand out stops until so many trials are out; day: up to the next return home.",
)
@click.option("--worker", metavar="NAME", help="Only the trials of this worker; --take hands out to them.")
@format_option(SHEET, ".  [default: html]")
@click.option("--axes", metavar="A,B", help="The two axes of the picture.  [default: a map, or the busiest]")
@click.option("--no-picture", is_flag=True, help="Leave the picture out.")
@click.option("--out", type=FILE, metavar="FILE", help="Where to, .html, .csv or .xlsx; else it is printed.")
@force_option
@as_option
@json_option
def sheet(
    name: str,
    store: Path | str,
    take: Any,
    worker: str | None,
    form: str | None,
    axes: str | None,
    no_picture: bool,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write a run sheet of the trials that are out.

    HTML is a page to print and fill in by hand. CSV is a table to fill in, and .xlsx a form with locked
    settings and drop-downs; import takes both back. --take goes on handing out stops although no results are
    in, as ask --no-wait does; those that are out already count, so the same command gives the same sheet
    again.
    """
    kind = format_of(out, form, SHEET)
    _check_binary(out, kind)
    if kind != "html" and (axes is not None or no_picture):
        raise InvalidInput(f"{'--no-picture' if no_picture else '--axes'} is for --format html")
    if axes is not None and no_picture:
        raise InvalidInput("--axes and --no-picture contradict each other")
    _check_out(out, force, store, as_json)
    study = open_study(store, name)
    across = None
    if axes is not None:  # before anything is handed out for a picture that cannot be drawn
        names = [number_axis(study.spec.space, axis.strip(), "--axes") for axis in axes.split(",")]
        if len(names) != 2 or len(set(names)) != 2:
            raise InvalidInput(f"--axes: name two different axes, got {axes!r}")
        across = names[0], names[1]
    if take is None:
        now = study.snapshot()
    else:
        with busy():
            exchange.hand_out(study, take, worker)
        now = study.last  # as handing out left it
        if now.state.trials_left and not trials_out(now.state, worker):
            raise click.ClickException(nothing_left(now.state))
    numbers = [trial.number for trial in some_out(now.state, worker)]
    trials = counted(len(numbers), "trial")
    if isinstance(take, int) and len(numbers) < take:
        why = nothing_left(now.state) if now.state.trials_left else "no more are left"
        note(f"{trials} out, not {take}: {why}")
    content: str | bytes
    if kind == "xlsx":
        content = exchange.sheet_xlsx(now, worker=worker)
    elif kind == "csv":
        content = exchange.sheet_csv(now, worker=worker)
    else:
        kept = "" if is_usual_store(store) else str(store)
        content = exchange.run_sheet(now, worker=worker, picture=not no_picture, axes=across, store=kept)
    _deliver(content, out, as_json, trials, study=name, format=kind, trials=numbers)


@click.command()
@with_study
@format_option(WAYPOINTS, " (.gpx, .geojson, .plan).  [default: gpx]")
@click.option("--lat", metavar="AXIS", help="The latitude in degrees.  [default: lat, latitude]")
@click.option("--lon", metavar="AXIS", help="The longitude.  [default: lon, lng, long, longitude]")
@click.option(
    "--alt",
    metavar="AXIS|METRES",
    help="The altitude: an axis, or one for all. Above sea level in GPX and GeoJSON, above home in qgc.",
)
@click.option("--visited", is_flag=True, help="The visits made, too.")
@click.option("--vehicle", type=click.Choice(VEHICLES), help="Of a qgc plan.  [default: copter]")
@click.option("--takeoff", is_flag=True, default=None, help="Begin a qgc plan with a takeoff.")
@click.option(
    "--return-home/--no-return-home",
    default=None,
    help="End a qgc plan with the return home.  [default: if the study has a home]",
)
@out_options
def waypoints(
    name: str,
    store: Path | str,
    form: str | None,
    visited: bool,
    out: Path | None,
    force: bool,
    as_json: bool,
    **given: Any,
) -> None:
    """Write down the route ahead as waypoints.

    First the trials that are out, by their numbers, then the stops ahead that can be paid, and home, if the
    study has one; once no stop is left, the return home alone. GPX is for GPS receivers, GeoJSON for maps,
    and qgc is a plan for QGroundControl. Visits home between trips are waypoints, too; a plan is one trip.
    Over a map with obstacles the route turns where it must: in GPX and in a plan the turns are points, in
    GeoJSON the line goes through them.
    """
    kind = format_of(out, form, WAYPOINTS)
    _check_out(out, force, store, as_json, "; for JSON, --format geojson")
    if kind == "qgc" and visited:
        raise InvalidInput("--visited is not for --format qgc: the vehicle would go there again")
    plan = {key: given[key] for key in ("vehicle", "takeoff", "return_home") if given[key] is not None}
    if kind != "qgc" and plan:
        raise InvalidInput(f"--{next(iter(plan)).replace('_', '-')} is for --format qgc")
    now = read_study(store, name)  # once: the file and the message must agree
    # An altitude is an axis by its name, or metres.
    across, alt = {"lat": given["lat"], "lon": given["lon"]}, given["alt"]
    if alt is not None and alt not in now.spec.space.names and PLAIN.fullmatch(alt) is not None:
        alt = read_number(alt, "--alt")
    if kind == "qgc":
        text = exchange.export_qgc(now, **across, alt=alt, **plan)
    else:
        to_text = exchange.export_gpx if kind == "gpx" else exchange.export_geojson
        text = to_text(now, **across, alt=alt, visited=visited)
    way = waypoints_of(now, **across, visited=visited)
    if way.remark:
        note(f"{way.remark}; stops that cannot be paid are left out")
    # A plan for a vehicle is one trip; the stops after the next visit home are left for later ones.
    written = this_trip(way.stops) if kind == "qgc" else way.stops
    home = goes_home(now.spec, plan.get("return_home")) if kind == "qgc" else way.last is not None
    number, later = len(written), sum(not stop.is_home for stop in way.stops) - len(written)
    what = " and ".join([*[counted(number, "waypoint")] * (number > 0), *["the way home"] * home])
    told = _deliver(text, out, as_json, what, study=name, format=kind, waypoints=number, home=home)
    if told and kind == "qgc" and later:
        note(f"a plan is one trip: {counted(later, 'stop')} left for later ones")


@click.command()
@with_study
@click.option(
    "--kind",
    type=click.Choice(["route", "history", "belief", "importance"]),
    default="route",
    help="route: where it went (default); history: what it found and paid, trial by trial; "
    "belief: what is believed of the function, and how sure that is.",
)
@click.option(
    "--axes", metavar="A,B", help="The one or two axes of a route or a belief.  [default: a map, or the busiest]"
)
@click.option("--out", type=FILE, metavar="FILE", help="The picture, .png, .pdf or .svg.  [default: NAME-KIND.png]")
@click.option(
    "--animate", "moving", type=FILE, metavar="FILE", help="The route after each result, moving: .gif or .html."
)
def plot(
    name: str,
    store: Path | str,
    kind: Literal["route", "history", "belief", "importance"],
    axes: str | None,
    out: Path | None,
    moving: Path | None,
) -> None:
    """Draw the study NAME, over an earlier picture if there is one."""
    if moving is not None and (kind != "route" or out is not None):
        raise InvalidInput("--animate shows the route, in a file of its own; leave --kind and --out out")
    option, endings = ("--out", PICTURE) if moving is None else ("--animate", MOVING)
    out = moving or out or Path(f"{safe(name)}-{kind}.png")
    if out.suffix.lower() not in endings:
        raise InvalidInput(f"{option}: {str(out)!r} must end in one of {', '.join(endings)}")
    if axes is not None and kind in ("history", "importance"):
        raise InvalidInput("--axes is for --kind route and --kind belief")
    check_target(out, True, store)  # an earlier picture may go, the store may not
    study = open_study(store, name)
    import matplotlib as mpl

    mpl.use("Agg")  # writing a file needs no window system, and there may be none
    from wayfare.plot import animate, plot_belief, plot_history, plot_importance, plot_route

    across = None if axes is None else tuple(axis.strip() for axis in axes.split(","))
    ending = out.suffix.lower()[1:]
    with busy("drawing"):
        if moving is not None:
            drawn = animate(study, kind="gif" if ending == "gif" else "html", axes=across)
        else:
            if kind == "belief":
                figure = plot_belief(study, axes=across)
            elif kind == "importance":
                figure = plot_importance(study)
            else:
                figure = plot_route(study, axes=across) if kind == "route" else plot_history(study)
            picture = BytesIO()
            figure.savefig(picture, format=ending, dpi=200)
            drawn = picture.getvalue()
    write_file(out, drawn)
    click.echo(str(out))


def safe(name: str) -> str:
    """Return the name of a study as a file may be called anywhere."""
    return re.sub(r"[^\w.+-]+", "_", name).strip("._-")[:100] or "study"
