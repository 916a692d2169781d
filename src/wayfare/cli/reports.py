"""The commands that only look: ``plan``, ``status``, ``trials``, ``best``, ``ledger`` and ``drift``.

Each reads the store once, so that everything it prints is true of the same moment.
"""

from collections.abc import Callable
from pathlib import Path

import click

from wayfare._core.format import counted, in_words, mean_of, results, roughly, shown, side_by_side, with_unit
from wayfare.cli.input import json_option, with_study
from wayfare.cli.output import listing, note, paragraph, planning, print_json, route_in_short, route_table, trial_table
from wayfare.cli.records import best_record, drift_record, ledger_record, status_record, stop_records, trial_record
from wayfare.cli.studies import read_study
from wayfare.planning.reach import Limits
from wayfare.record.state import StudyState
from wayfare.report.allowance import Allowance, budget_in_words, home_expected, why_over
from wayfare.report.drift import fixed_anchor
from wayfare.report.route_ahead import RouteAhead


def _report(command: Callable[..., None]) -> click.Command:
    """Make a command of NAME, ``--store`` and ``--json``."""
    return click.command()(with_study(json_option(command)))


@_report
def plan(name: str, store: Path, as_json: bool) -> None:
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
    left = Allowance(route.unit, limits.budget, last.left, limits.trip, last.trip_left, last.home, back)
    when = "at the end" if fit == route.planned else f"after stop {fit}"
    return f"{when} {left}" if str(left) else ""


@_report
def status(name: str, store: Path, as_json: bool) -> None:
    """Show how far a study has come and where the traveller stands."""
    now = read_study(store, name)
    route = now.route()
    record = status_record(now.state, route)
    if as_json:
        print_json(record)
        return
    states = ("told", "failed", "skipped", "out", "left")
    known = f"; {record['prior']} known before" if record["prior"] else ""
    here, best, found = record["position"], record["best"], "-"
    if best is not None:
        several = f" ({mean_of(best['count'])})" if best["count"] > 1 else ""
        found = f"{shown(best['value'])} observed{several}, trial {best['number']}"
    runs, watched = any(trial.count > 1 for trial in now.trials), fixed_anchor(now.spec) is not None
    entries = [
        ("study", f"{name}: {record['direction']} with {record['method']}, {record['trials']} trials"),
        ("trials", ", ".join(f"{record[state]} {state}" for state in states) + known),
        ("visits", f"{record['visits']}, some for several results" if runs else ""),
        ("position", "anywhere: no start was given" if here is None else in_words(here)),
        ("moved", with_unit(record["moved"], record["unit"])),
        (_limit(now.spec.limits), budget_in_words(now.state)),
        ("ahead", "; ".join(filter(None, (route_in_short(route), route.shortfall))) if route.planned else "no stops"),
        ("best", found),
        ("drift", now.drift().in_short if watched else ""),
    ]
    for trial in record["open"]:
        worker = f", worker {trial['worker']}" if trial["worker"] else ""
        take = f", take {results(trial['count'])}" if trial["count"] > 1 else ""
        entries.append(("out", f"trial {trial['number']}{worker}{take}"))
    click.echo(listing([(key, text) for key, text in entries if text]))  # without what the study does not have


def _limit(limits: Limits) -> str:
    return "budget" if limits.budget is not None else "home" if limits.trip is None else "trip"


@_report
def trials(name: str, store: Path, as_json: bool) -> None:
    """List the trials handed out so far, with what became of them."""
    now = read_study(store, name)
    if as_json:
        for trial in now.trials:
            print_json(trial_record(trial))
    elif now.trials:
        click.echo(trial_table(now.trials, now.spec.space.names, now.spec.unit))
    else:
        note("no trials yet: ask hands out the first")


@_report
def best(name: str, store: Path, as_json: bool) -> None:
    """Show the best place, beside the best result observed.

    The best place is the visited one of best posterior mean; its sd says how sure that is.
    """
    now = read_study(store, name)
    with planning():  # the model is fitted for this
        found = now.best()
    if as_json:
        print_json(best_record(found))
        return
    several = found.observed_count > 1
    what, seen = ("result", f"{mean_of(found.observed_count)}, ") if several else ("single result", "")
    click.echo(paragraph(f"best place: mean {found.mean:.6g}, sd {found.sd:.2g} (trial {found.trial})"))
    click.echo(paragraph(in_words(found.params), "    "))
    click.echo(paragraph(f"best {what}: {shown(found.observed)} ({seen}trial {found.observed_trial})"))
    click.echo(paragraph(in_words(found.observed_params), "    "))


@_report
def ledger(name: str, store: Path, as_json: bool) -> None:
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
    trips = "" if found.trips is None else f" in {counted(found.trips, 'trip')}"
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
def drift(name: str, store: Path, as_json: bool) -> None:
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
