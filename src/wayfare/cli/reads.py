"""The commands that only look: ``plan``, ``status``, ``trials``, ``best``, ``ledger`` and ``drift``."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wayfare._core.format import counted, in_words, mean_of, results, roughly, shown, side_by_side, with_unit
from wayfare.cli.input import json_option, note, open_study, print_json, with_study
from wayfare.cli.output import listing, paragraph, planning, route_table, stops, trial_table
from wayfare.cli.records import best_record, drift_record, ledger_record, status_record, stop_records, trial_record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wayfare.planning.reach import Limits
    from wayfare.report.ledger import Account
    from wayfare.report.route_ahead import RouteAhead
    from wayfare.study.study import Study


@click.command()
@with_study
@json_option
def plan(name: str, store: Path, as_json: bool) -> None:
    """Show the route ahead, stop by stop.

    Says what to change at each stop, what its leg costs, what it is expected to cost once enough legs were
    told, and the total from here; and where to go home first to begin a new trip.
    """
    study = open_study(store, name)
    route = study.route()
    if not route.stops:
        note(f"no stops are ahead: {why_none(study)}")
    elif as_json:
        for record in stop_records(route):
            print_json(record)
    else:
        click.echo(route_table(route))
        for said in (*route.remarks, at_the_end(study, route)):
            if said:
                click.echo(paragraph(said))


def why_none(study: Study) -> str:
    """Return why there is no stop ahead, and what the next ask will do."""
    from wayfare.report.allowance import budget_in_words, why_over

    if over := why_over(study.state):
        return over
    within = f", as far as the limits go: {said}" if (said := budget_in_words(study.state)) else ""
    return f"the next ask plans anew{within}"


def at_the_end(study: Study, route: RouteAhead) -> str:
    """Return what is left after the last stop that is within reach, and how far home is from there."""
    from wayfare.report.allowance import Allowance, budget_in_words, home_expected

    fit, limits = route.within_reach, study.spec.limits
    if not fit:
        return f"now {budget_in_words(study.state)}"
    last, really = route.stops[fit - 1], home_expected(study.state, study.state.stops_ahead[fit - 1])
    lefts = limits.budget, last.left, limits.trip, last.trip_left
    said = str(Allowance(route.unit, *lefts, last.home, really))
    when = "at the end" if fit == route.planned else f"after stop {fit}"
    return f"{when} {said}" if said else ""


@click.command()
@with_study
@json_option
def status(name: str, store: Path, as_json: bool) -> None:
    """Show how far a study has come and where the traveller stands."""
    study = open_study(store, name)
    route = study.route()
    record = status_record(study.state, route)
    if as_json:
        print_json(record)
        return
    from wayfare.report.allowance import budget_in_words
    from wayfare.report.drift import fixed_anchor

    states = ("told", "failed", "skipped", "out", "left")
    known = f"; {record['prior']} known before" if record["prior"] else ""
    here, best = record["position"], record["best"]
    found = "-"
    if best is not None:
        several = f" ({mean_of(best['count'])})" if best["count"] > 1 else ""
        found = f"{shown(best['value'])} observed{several}, trial {best['number']}"
    runs, watched = any(trial.count > 1 for trial in study.trials), fixed_anchor(study.spec) is not None
    entries = [
        ("study", f"{name}: {record['direction']} with {record['method']}, {record['trials']} trials"),
        ("trials", ", ".join(f"{record[state]} {state}" for state in states) + known),
        *([("visits", f"{record['visits']}, some for several results")] if runs else []),
        ("position", "anywhere: nobody said" if here is None else in_words(here)),
        ("moved", with_unit(record["moved"], record["unit"])),
        *([(allowed_by(study.spec.limits), said)] if (said := budget_in_words(study.state)) else []),
        ("ahead", "; ".join(filter(None, (stops(route), route.shortfall))) if route.planned else "no stops"),
        ("best", found),
        *([("drift", study.drift().in_short)] if watched else []),
    ]
    click.echo(listing([*entries, *(("out", in_hand(trial)) for trial in record["open"])]))


def allowed_by(limits: Limits) -> str:
    """Return what a line on the limits is about."""
    if limits.budget is not None:
        return "budget"
    return "home" if limits.trip is None else "trip"


def in_hand(trial: dict[str, Any]) -> str:
    """Return which trial is out, with whom, and for how many results."""
    worker = f", worker {trial['worker']}" if trial["worker"] else ""
    take = f", take {results(trial['count'])}" if trial["count"] > 1 else ""
    return f"trial {trial['number']}{worker}{take}"


@click.command()
@with_study
@json_option
def trials(name: str, store: Path, as_json: bool) -> None:
    """List the trials handed out so far, with what became of them."""
    study = open_study(store, name)
    found = study.trials
    if as_json:
        for trial in found:
            print_json(trial_record(trial))
    elif found:
        click.echo(trial_table(found, study.spec.space.names, study.spec.unit))
    else:
        note("no trials yet: ask hands out the first")


@click.command()
@with_study
@json_option
def best(name: str, store: Path, as_json: bool) -> None:
    """Show the best place, beside the best result observed.

    The best place is the visited one of best posterior mean; its sd says how sure that is.
    """
    study = open_study(store, name)
    with planning():
        found = study.best()
    if as_json:
        print_json(best_record(found))
        return
    several = found.observed_count > 1
    what, seen = ("result", f"{mean_of(found.observed_count)}, ") if several else ("single result", "")
    click.echo(paragraph(f"best place: mean {found.mean:.6g}, sd {found.sd:.2g} (trial {found.trial})"))
    click.echo(paragraph(in_words(found.params), "    "))
    click.echo(paragraph(f"best {what}: {shown(found.observed)} ({seen}trial {found.observed_trial})"))
    click.echo(paragraph(in_words(found.observed_params), "    "))


@click.command()
@with_study
@json_option
def ledger(name: str, store: Path, as_json: bool) -> None:
    """Show what the movement cost, and what ordering it saved.

    Beside what was paid stands what was predicted, and what the same places would have cost unordered; saved
    is that less what they cost in the order of the visits, by the travel cost: as predicted, unless a line
    says otherwise. Then, where there is any, what taking results cost (dwell), what shuffling cost, what is
    left of budget and trip, what legs have really cost, and all of it in further currencies.
    """
    study = open_study(store, name)
    found = study.ledger()
    if as_json:
        print_json(ledger_record(found))
        return
    brought = f" with {results(found.results)}" if found.results > found.visits else ""
    trips = "" if found.trips is None else f" in {counted(found.trips, 'trip')}"
    way = f"{counted(found.visits, 'visit')}{brought} on {counted(found.plans, 'route')}{trips}"
    also = [account for account in found.also if not account.remark]
    costs = {
        "paid": f"for {way}",
        "predicted": "as they were handed out",
        "unordered": "the same places in the order they were chosen",
        "ordered": "the same places in the order they were visited",
        "saved": "by ordering them",
    }
    if not found.basis and not any(account.has_basis for account in also):
        del costs["ordered"]
    if found.dwell or any(account.dwell for account in also):
        costs["dwell"] = "for taking results"
    entries = [
        (key, f"{side_by_side(getattr(found, key), found.unit, in_units(also, key))} {said}")
        for key, said in costs.items()
    ]
    entries += [(account.unit, account.remark) for account in found.also if account.remark]
    if found.shuffled is not None:
        entries.append(("shuffled", f"{roughly(found.shuffled, found.unit)} for leaving the order to chance"))
    if found.allowance:
        entries.append((allowed_by(study.spec.limits), found.allowance))
    if found.learned is not None:
        entries.append(("learned", str(found.learned)))
    click.echo(listing(entries))


def in_units(accounts: Sequence[Account], key: str) -> list[tuple[str, float]]:
    """Return an amount in each further currency, as far as it has one: nothing is predicted in them."""
    return [(account.unit, getattr(account, key)) for account in accounts if hasattr(account, key)]


@click.command()
@with_study
@json_option
def drift(name: str, store: Path, as_json: bool) -> None:
    """Say whether results change with time.

    Only places that were visited again can tell: a place that is better is no drift. Time is counted in
    visits.
    """
    found = open_study(store, name).drift()
    if as_json:
        print_json(drift_record(found))
    else:
        for line in str(found).splitlines():
            click.echo(paragraph(line))
