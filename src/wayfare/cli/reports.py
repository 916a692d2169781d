"""The commands that only look: ``plan``, ``status``, ``trials``, ``best``, ``predict``, ``ledger`` and ``drift``.

Each reads the store once, so that everything it prints is true of the same moment.
"""

from collections.abc import Callable, Mapping
from pathlib import Path

import click

from wayfare._core.format import (
    cell,
    counted,
    estimate,
    head,
    in_words,
    mean_of,
    results,
    rough,
    roughly,
    shown,
    side_by_side,
    with_unit,
)
from wayfare.cli.files import check_target, naming, read_bytes, write_text
from wayfare.cli.input import COUNT, FILE, force_option, json_option, with_study
from wayfare.cli.moves import read_place
from wayfare.cli.output import (
    busy,
    in_utc,
    listing,
    note,
    paragraph,
    plain,
    print_json,
    route_table,
    table_or_lists,
    times_table,
    trial_table,
)
from wayfare.cli.studies import open_study, read_study
from wayfare.errors import InvalidInput
from wayfare.exchange.records import (
    KeptRecord,
    best_record,
    drift_record,
    importance_records,
    ledger_record,
    prediction_records,
    progress_record,
    reasons_record,
    status_record,
    stop_records,
    trial_record,
)
from wayfare.planning.reach import Limits
from wayfare.record.state import StudyState
from wayfare.report.allowance import Allowance, budget_in_words, home_expected, why_over
from wayfare.report.drift import fixed_anchor
from wayfare.report.predict import Prediction
from wayfare.report.progress import trials_in_words
from wayfare.report.route_ahead import RouteAhead
from wayfare.study.study import Snapshot

STATES = ("told", "failed", "skipped", "out", "left")
MOST_NOTES = 5  # on places beyond their bounds; the rest is counted


def _report(command: Callable[..., None]) -> click.Command:
    """Make a command of NAME, ``--store`` and ``--json``."""
    return click.command()(with_study(json_option(command)))


@_report
def plan(name: str, store: Path | str, as_json: bool) -> None:
    """Show the route ahead, stop by stop.

    Says what to change at each stop, what its leg costs, what it is expected to cost once enough legs were
    told, and the total from here; and where to go home first to begin a new trip.
    """
    now = read_study(store, name)
    route = now.route()
    if not route.planned:
        limits = budget_in_words(now.state)
        more = f", as far as the limits go: {limits}" if limits else ""
        note(f"no stops are ahead: {why_over(now.state) or f'the next ask plans a route{more}'}")
    elif as_json:
        for record in stop_records(route):
            print_json(record)
    else:
        if route.stops:  # perhaps none of the planned ones can be paid any more
            click.echo(route_table(route))
        for said in filter(None, (*route.remarks, _at_the_end(now.state, route))):
            click.echo(paragraph(said))


def _at_the_end(state: StudyState, route: RouteAhead) -> str:
    """Return the allowance after the last stop within reach, and how far home is from there."""
    fit, limits = route.within_reach, state.spec.limits
    if not fit:
        return f"now {budget_in_words(state)}"
    last = route.stops[fit - 1]
    back = home_expected(state, state.stops_ahead[fit - 1])
    lefts = limits.budget, last.left, limits.trip, last.trip_left
    left = Allowance(route.unit, *lefts, last.home, back, called=limits.called)
    when = "at the end" if fit == route.planned else f"after stop {fit}"
    return f"{when} {left}" if str(left) else ""


@_report
def status(name: str, store: Path | str, as_json: bool) -> None:
    """Show how far a study has come and where the traveller stands."""
    now = read_study(store, name)
    route = now.route()
    with busy():  # the model is fitted for what is still to be gained
        gain = progress_record(now.state)
    record = status_record(now.state, route, gain)
    if as_json:
        print_json(record)
        return
    number: Mapping[str, object] = record
    known = f"; {record['prior']} known before" if record["prior"] else ""
    here, best = record["position"], record["best"]
    found = "none: every result breaks a limit" if now.state.results else "-"
    if best is not None:
        several = f" ({mean_of(best['count'])})" if best["count"] > 1 else ""
        found = f"{shown(best['value'])} observed{several}, {now.trials[best['number']].title}"
    runs, watched = any(trial.count > 1 for trial in now.trials), fixed_anchor(now.spec) is not None
    entries = [
        ("study", f"{name}: {record['direction']} with {record['method']}, {record['trials']} trials"),
        ("trials", ", ".join(f"{number[state]} {state}" for state in STATES) + known),
        ("visits", f"{record['visits']}, some for several results" if runs else ""),
        ("position", "anywhere: no start was given" if here is None else in_words(here)),
        ("moved", with_unit(record["moved"], record["unit"])),
        (_limit(now.spec.limits), budget_in_words(now.state)),
        ("ahead", "; ".join(filter(None, (route.in_short, route.shortfall))) if route.planned else "no stops"),
        ("best", found),
        ("to gain", now.progress().in_short if gain else ""),
        ("lately", now.progress().repeated if gain and gain["lately"] else ""),
        *(("measured", _kept(limit)) for limit in record["measured"]),
        ("drift", now.drift().in_short if watched else ""),
        ("last", _last(now.state)),
    ]
    alike: dict[tuple[str, int], list[int]] = {}
    for trial in record["open"]:
        alike.setdefault((trial["worker"], trial["count"]), []).append(trial["number"])
    for (who, count), numbers in alike.items():
        worker, take = f", worker {who}" if who else "", f", take {results(count)}" if count > 1 else ""
        entries.append(("out", f"{trials_in_words(numbers)}{worker}{take}"))
    click.echo(listing([(key, text) for key, text in entries if text]))  # without what the study does not have


def _last(state: StudyState) -> str:
    """Return what happened last, who did it and when: ``told trial 9, by ana, 2026-11-18 20:00:00 UTC``."""
    event = state.last
    if event is None or event.stamp.at is None:
        return ""
    number = getattr(event, "number", None)
    what = type(event).__name__.lower() + ("" if number is None else f" trial {number}")
    return ", ".join(
        filter(None, (what, f"by {event.stamp.by}" * bool(event.stamp.by), f"{in_utc(event.stamp.at)} UTC"))
    )


def _kept(limit: KeptRecord) -> str:
    """Return a limit on what is measured, and how often it was kept: ``flow at least 2: 3 keep it, 1 breaks it``."""
    kept, broken, missing = limit["kept"], limit["broken"], limit["not_measured"]
    said = (
        f"{kept} {'keeps' if kept == 1 else 'keep'} it",
        f"{broken} {'breaks' if broken == 1 else 'break'} it" if broken else "",
        f"{missing} not measured" if missing else "",
    )
    return f"{limit['limit']}: {', '.join(filter(None, said))}" if kept + broken + missing else limit["limit"]


def _limit(limits: Limits) -> str:
    return "budget" if limits.budget is not None else "home" if limits.trip is None else limits.called


@click.command()
@with_study
@click.option("--times", is_flag=True, help="When each was handed out and closed, and by whom.")
@json_option
def trials(name: str, store: Path | str, times: bool, as_json: bool) -> None:
    """List the trials handed out so far, with what became of them.

    `wayfare log` has everything that happened to them, corrections too.
    """
    now = read_study(store, name)
    if as_json:
        for trial in now.trials:
            print_json(trial_record(trial))
    elif now.trials and times:
        click.echo(times_table(now.trials))
    elif now.trials:
        click.echo(trial_table(now.trials, now.spec.space.names, now.spec.unit, now.spec.measured))
    else:
        note("no trials yet: ask hands out the first")


@_report
def best(name: str, store: Path | str, as_json: bool) -> None:
    """Show the best place, beside the best result observed.

    The best place is the visited one of best posterior mean; its sd says how sure that is. If limits are set on what
    is measured, both are the best that keep them, the place by all that is known.
    """
    now = read_study(store, name)
    with busy():  # the model is fitted for this
        found, gain = now.best(), progress_record(now.state)
    if as_json:
        print_json(best_record(found) | {"progress": gain})
        return
    several = found.observed_count > 1
    what, seen = ("result", f"{mean_of(found.observed_count)}, ") if several else ("single result", "")
    click.echo(paragraph(f"best place: mean {estimate(found.mean, found.sd)}, sd {rough(found.sd, 2)} ({found.title})"))
    click.echo(paragraph(in_words(found.params), "    "))
    if found.compliance is not None:
        click.echo(paragraph(f"keeps its limits with a probability of {found.compliance:.0%}", "    "))
    click.echo(paragraph(f"best {what}: {shown(found.observed)} ({seen}{found.observed_title})"))
    click.echo(paragraph(in_words(found.observed_params), "    "))
    if found.remark:
        note(found.remark)
    if gain:
        click.echo(paragraph(now.progress().in_short))
        click.echo(paragraph(f"more trials would gain: {now.progress().offer}"))


@_report
def importance(name: str, store: Path | str, as_json: bool) -> None:
    """Show how much each axis matters.

    The share of the variation over the space that involves the axis (its total Sobol index, by the belief after all
    results), and the length-scale of the belief along it, as a part of its range: a short one means fast changes.
    """
    now = read_study(store, name)
    with busy():  # the model is fitted for this
        found = now.importance()
    if as_json:
        for one in importance_records(found):
            print_json(one)
    else:
        click.echo(table_or_lists(["axis", "share", "length-scale"], found.rows))


@click.command()
@with_study
@click.argument("number", type=COUNT, required=False)
@json_option
def why(name: str, store: Path | str, number: int | None, as_json: bool) -> None:
    """Say why trial NUMBER was chosen.

    Without a number it is the trial that is out, else the last. By what was known when its route was planned: the
    expected value, what a result there teaches, what the leg costs, and the next best places with their legs.
    """
    study = open_study(store, name)
    with busy():  # the model is fitted for this
        found = study.why(number)
    if as_json:
        print_json(reasons_record(found))
        return
    click.echo(paragraph(f"{found.title}: {in_words(found.params)}", hang="    "))
    click.echo(listing(found.entries, indent="  "))


@_report
def progress(name: str, store: Path | str, as_json: bool) -> None:
    """Say what is still to be gained, and what more trials would buy.

    Judged by functions drawn from the belief: how probably the best place is found, by how much another may plausibly
    be better, how often the last visits repeated a place. docs/progress.md says how often such statements hold.
    """
    now = read_study(store, name)
    with busy():  # the model is fitted for this
        found = now.progress()
    if as_json:
        print_json(progress_record(now.state, len(now.state.results)) or {})
    else:
        for line in str(found).splitlines():
            click.echo(paragraph(line))


@click.command()
@with_study
@click.argument("place", nargs=-1, metavar="[AXIS=VALUE]...")
@click.option("--csv", "file", type=FILE, metavar="FILE", help="Several places: a table with a column for each axis.")
@click.option("--out", type=FILE, metavar="FILE.csv", help="Write the table there instead of printing it.")
@force_option
@json_option
def predict(
    name: str,
    store: Path | str,
    place: tuple[str, ...],
    file: Path | None,
    out: Path | None,
    force: bool,
    as_json: bool,
) -> None:
    """Show what is believed at places, and how sure that is.

    Give one place, axis by axis, or several in a file (- for standard input). Without either it shows every
    place of a table, or else the places visited so far. Mean, sd and the 95% interval are those of the function
    itself; a single result varies more by its noise. Where a visit has failed, or where limits are set, the
    probabilities of success and of compliance stand beside them.
    """
    if place and file is not None:
        raise InvalidInput("give one place, or --csv with several; not both")
    if out is not None:
        check_target(out, force, store)
    now = read_study(store, name)
    places: object | None = None
    if place:
        places = read_place(now.spec.space, place, "place")
    elif file is not None:
        from wayfare.exchange.rows import read_places
        from wayfare.exchange.table import LARGEST

        data = read_bytes(file, LARGEST)
        with naming(file):
            places = read_places(now.spec.space, data)
    with busy():  # the model is fitted for this
        found = now.predict(places)
    if out is not None:
        from wayfare.exchange.csv import prediction_csv

        write_text(out, prediction_csv(now.spec.space, found))
    if as_json:
        for record in prediction_records(found):
            print_json(record)
    elif out is not None:
        click.echo(f"{plain(name)}: {counted(len(found), 'place')} written to {plain(str(out))}")
    else:
        click.echo(_prediction_table(now, found))
    if places is not None:
        _note_extrapolated(now, found)


def _prediction_table(now: Snapshot, found: Prediction) -> str:
    """Return the belief as a table; the probabilities only if something failed, or is limited."""
    names, history = now.spec.space.names, now.state.history
    chances = [*["success"] * (len(history.failed) > 0), *["compliance"] * (len(history.limits) > 0)]
    rows = [
        [
            *(cell(params, axis) for axis in names),
            estimate(record["mean"], record["sd"]),
            rough(record["sd"], 2),
            f"{record['low_95']:.4g} to {record['high_95']:.4g}",
            *(f"{getattr(found, chance)[at]:.0%}" for chance in chances),
        ]
        for at, (params, record) in enumerate(zip(found.params, prediction_records(found), strict=True))
    ]
    axes = [head(found.params[0], axis) for axis in names] if len(found) else names
    return table_or_lists([*axes, "mean", "sd", "95% interval", *chances], rows, left=())


def _note_extrapolated(now: Snapshot, found: Prediction) -> None:
    """Note the places beyond their bounds, where the belief is an extrapolation, or forbidden."""
    from wayfare.exchange.imports import beyond

    said = [words for params in found.params for words in beyond(now.spec.space, params)]
    for words in said[:MOST_NOTES]:
        note(f"{words}; the study will not go there")
    if len(said) > MOST_NOTES:
        note(f"{len(said) - MOST_NOTES} more values are outside their bounds")


@_report
def ledger(name: str, store: Path | str, as_json: bool) -> None:
    """Show what the movement cost, and what ordering it saved.

    Beside what was paid stands what was predicted, and what the same places would have cost unordered; saved
    is that less what they cost in the order of the visits, by the travel cost: as predicted, unless a line
    says otherwise. Then, where there is any, what taking results cost (dwell), what shuffling cost, what is
    left of budget and trip, what legs have really cost, and all of it in further currencies.
    """
    now = read_study(store, name)
    found = now.ledger()
    if as_json:
        print_json(ledger_record(found))
        return
    brought = f" with {results(found.results)}" if found.results > found.visits else ""
    trips = "" if found.trips is None else f" in {counted(found.trips, found.called)}"
    # A further currency in which some leg has no cost has a remark instead of amounts.
    also = [account for account in found.also if not account.remark]
    costs = {
        "paid": f"for {counted(found.visits, 'visit')}{brought} on {counted(found.plans, 'route')}{trips}",
        "predicted": "as they were handed out",
        "unordered": "the same places in the order they were chosen",
        "ordered": "the same places in the order they were visited",
        "saved": "by ordering them",
        "dwell": "for taking results",
    }
    if not found.basis and not any(account.has_basis for account in also):
        del costs["ordered"]
    if not found.dwell and not any(account.dwell for account in also):
        del costs["dwell"]
    entries = []
    for key, said in costs.items():
        # Nothing is predicted in further currencies.
        besides = [(account.unit, getattr(account, key)) for account in also if hasattr(account, key)]
        entries.append((key, f"{side_by_side(getattr(found, key), found.unit, besides)} {said}"))
    entries += [(account.unit, account.remark) for account in found.also if account.remark]
    if found.shuffled is not None:
        entries.append(("shuffled", f"{roughly(found.shuffled, found.unit)} for leaving the order to chance"))
    entries += [(_limit(now.spec.limits), found.allowance)] if found.allowance else []
    click.echo(listing(entries + ([] if found.learned is None else [("learned", str(found.learned))])))


@_report
def drift(name: str, store: Path | str, as_json: bool) -> None:
    """Say whether results change with time.

    Only places that were visited again can tell: a place that is better is no drift. Time is counted in
    visits.
    """
    found = read_study(store, name).drift()
    if as_json:
        print_json(drift_record(found))
    else:
        for line in str(found).splitlines():
            click.echo(paragraph(line))
