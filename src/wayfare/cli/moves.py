"""The moves that give a traveller somewhere to go: ``ask``, ``insert`` and ``replan``."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wayfare.cli.input import (
    NUMBER,
    SEVERAL,
    Signed,
    actual_option,
    count_option,
    json_option,
    note,
    number_argument,
    open_study,
    print_json,
    read_place,
    request_option,
    spent_option,
    variance_option,
    why_option,
    with_study,
    worker_option,
)
from wayfare.cli.output import listing, paragraph, planning, settings, stops, trial_block
from wayfare.cli.records import new_route_record, trial_record
from wayfare.errors import InvalidInput

if TYPE_CHECKING:
    from wayfare.record.events import Trial
    from wayfare.study.study import Study


# Several results for one trial, typed one after another or as their mean.


class Values(click.Argument):
    """One value or several; what is wrong is wrong with one of them."""

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """Return the name of one value."""
        return super().get_error_hint(ctx).replace("...", "")


def one_or_all(values: tuple[float, ...]) -> float | tuple[float, ...]:
    """Return the only value, or several as they were typed."""
    return values[0] if len(values) == 1 else values


def check_summary(values: tuple[float, ...], count: int | None, variance: float | None) -> None:
    """Refuse a count or a variance of anything but a mean."""
    if count is None and variance is None:
        return
    if len(values) != 1:
        raise click.UsageError(f"--count and --variance describe one VALUE, the mean; got {len(values)}")
    if variance is not None and count in (None, 1):
        raise click.UsageError("--variance needs --count: of how many results, at least 2")


def check_run(study: Study, number: int, values: tuple[float, ...], count: int | None, request: str | None) -> None:
    """Refuse a single number for a run, in the words of the command line."""
    trials = study.trials
    if len(values) != 1 or count is not None or number >= len(trials) or trials[number].count == 1:
        return
    if request in study.state.requests:  # it happened before, and happens once
        return
    from wayfare._core.format import results

    raise InvalidInput(
        f"trial {number} is a run of {results(trials[number].count)}, and one number was given; "
        "give all of them, or their mean with --count and --variance"
    )


# A note for a place beyond the bounds or forbidden: it is taken as it happened, but most such are slips.


def note_missed(name: str, number: int, said: str) -> None:
    """Note what is odd about where a trial really was, and how to correct it."""
    note(f"trial {number}: {said}; {way_out('amend', name, str(number), '--actual')}")


def note_position(name: str, said: str) -> None:
    """Note what is odd about where the traveller really is, and how to correct it."""
    note(f"--from: {said}; {way_out('replan', name, '--from')}")


def way_out(*words: str) -> str:
    """Return the command that corrects a slip, as it is typed."""
    return f"if that is a slip, `{shlex.join(['wayfare', *words])} AXIS=VALUE` corrects it"


@click.command()
@with_study
@worker_option
@click.option("--no-wait", is_flag=True, help="Go on to the next stop although results are out.")
@click.option("--count", is_flag=True, help="Take all results wanted there at once, as one trial.")
@request_option
@json_option
def ask(name: str, store: Path, worker: str, no_wait: bool, count: bool, request: str | None, as_json: bool) -> None:
    """Say where to go next.

    A route is planned first, if the one before is at its end. Until a worker's trial has its outcome, asking
    again gives the same one. Where several results are wanted, they are handed out one by one, or with
    --count all at once.
    """
    study = open_study(store, name)
    with planning():
        trial = study.ask(worker, wait=not no_wait, count=count, request=request)
    if trial is None:
        raise click.ClickException(nothing_left(study))
    if as_json:
        print_json(trial_record(trial))
        return
    said = "" if trial.state == "asked" else f" ({trial.state})"
    show_stop(study, trial, f"trial {trial.number}{said}")


def show_stop(study: Study, trial: Trial, head: str) -> None:
    """Print where to go: the leg, how many results to take if several, and what to change."""
    from wayfare._core.format import results, side_by_side
    from wayfare.report.ledger import leg_besides

    here = study.state.origin(trial.number)
    before = None if here is None else study.spec.space.params(here)
    take = f", take {results(trial.count)} here" if trial.state == "asked" and trial.count > 1 else ""
    home = " by way of home, where a new trip begins" if trial.home_first else ""
    leg = side_by_side(trial.leg, trial.unit, leg_besides(study.state, trial))
    click.echo(paragraph(f"{head}, leg {leg}{home}{take}"))
    click.echo(settings(before, trial.params))


def nothing_left(study: Study) -> str:
    """Say that no trials are left, or that no place is within reach, and which trials are still out."""
    state = study.state
    if state.trials_left:
        from wayfare.report.allowance import spent_in_words

        still = f"; {len(state.out)} still out ({which(state.out)})" if state.out else ""
        return spent_in_words(state) + still
    said = f"no trials are left: all {state.spec.trials} have been handed out"
    if not state.out:
        return f"{said} and have their outcome"
    return f"{said}, {len(state.out)} still out ({which(state.out)})"


def which(numbers: Sequence[int]) -> str:
    """Return trials by their numbers: ``trial 3``, ``trials 3, 4 and 7``."""
    shown = [str(number) for number in numbers[:10]]
    if len(numbers) > 10:
        return f"trials {', '.join(shown)}, …"
    *before, last = shown
    return f"trials {', '.join(before)} and {last}" if before else f"trial {last}"


@click.command(cls=Signed)
@with_study
@click.argument("place", nargs=-1, required=True, metavar="AXIS=VALUE...")
@click.option("--count", type=SEVERAL, default=1, metavar="N", help="How many results to take there.")
@worker_option
@request_option
@click.option("--dry-run", is_flag=True, help="Only say what it would cost.")
@json_option
def insert(
    name: str,
    store: Path,
    place: tuple[str, ...],
    count: int,
    worker: str,
    request: str | None,
    dry_run: bool,
    as_json: bool,
) -> None:
    """Go to an extra place now; the rest of the route stays.

    Every axis must be given.
    """
    study = open_study(store, name)
    wanted = read_place(study.spec.space, place, "place")
    detour = study.insert(wanted, count=count, worker=worker, dry_run=dry_run, request=request)
    if as_json:
        also = [{"unit": unit, "detour": cost} for unit, cost in detour.also]
        record = trial_record(detour.trial) | {"detour": detour.cost, "also": also}
        print_json(record | {"dry_run": True} if dry_run else record)
        return
    from wayfare._core.format import side_by_side

    show_stop(study, detour.trial, f"{'would be ' if dry_run else ''}trial {detour.trial.number}")
    click.echo(paragraph(f"detour {side_by_side(detour.cost, detour.unit, detour.also)} on top of the route"))
    if dry_run:
        note("a dry run, nothing was written")


@click.command(cls=Signed)
@with_study
@click.option(
    "--from",
    "position",
    multiple=True,
    metavar="AXIS=VALUE",
    help="Where the traveller really is, if elsewhere; once per axis that differs.",
)
@click.option("--why", default="", metavar="TEXT", help="The reason, kept in the study's history.")
@request_option
@json_option
def replan(name: str, store: Path, position: tuple[str, ...], why: str, request: str | None, as_json: bool) -> None:
    """Drop the rest of the route and plan anew.

    Says what the rest would have cost from where you stand, and what the new route costs.
    """
    study = open_study(store, name)
    here = read_place(study.spec.space, position, "--from") if position else None
    with planning():
        made = study.replan(here, why=why, request=request)
    if as_json:
        print_json(new_route_record(made))
    else:
        click.echo(listing([("dropped", stops(made.dropped)), ("planned", stops(made.route))]))
    if here is not None and study.state.position is not None:
        from wayfare.exchange.imports import beyond

        for said in beyond(study.spec.space, study.spec.space.params(study.state.position)):
            note_position(name, said)
    if position and study.state.out:
        one = len(study.state.out) == 1
        still, it = ("is still out", "it") if one else ("are still out", "them")
        note(f"{which(study.state.out)} {still}; --from is where you stand after {it}; skip {it} if you will not go")


# The moves that say what became of a trial: ``tell``, ``fail``, ``skip`` and ``amend``.


@click.command(cls=Signed)
@with_study
@number_argument
@click.argument("value", cls=Values, type=NUMBER, nargs=-1, required=True)
@count_option
@variance_option
@why_option
@actual_option
@spent_option
@request_option
@json_option
def tell(
    name: str,
    store: Path,
    number: int,
    value: tuple[float, ...],
    count: int | None,
    variance: float | None,
    why: str,
    actual: tuple[str, ...],
    spent: float | None,
    request: str | None,
    as_json: bool,
) -> None:
    """Record what was found at trial NUMBER.

    Several results taken there are given one after another, or as their mean with --count.
    """
    check_summary(value, count, variance)
    study = open_study(store, name)
    check_run(study, number, value, count, request)
    place = actual_place(study, actual)
    trial = study.tell(
        number, one_or_all(value), count=count, variance=variance, actual=place, spent=spent, why=why, request=request
    )
    show(study, trial, place, as_json)


@click.command(cls=Signed)
@with_study
@number_argument
@why_option
@actual_option
@spent_option
@request_option
@json_option
def fail(
    name: str,
    store: Path,
    number: int,
    why: str,
    actual: tuple[str, ...],
    spent: float | None,
    request: str | None,
    as_json: bool,
) -> None:
    """Record that trial NUMBER was visited, but has no value."""
    study = open_study(store, name)
    place = actual_place(study, actual)
    trial = study.fail(number, why, actual=place, spent=spent, request=request)
    show(study, trial, place, as_json)


@click.command(cls=Signed)
@with_study
@number_argument
@why_option
@request_option
@json_option
def skip(name: str, store: Path, number: int, why: str, request: str | None, as_json: bool) -> None:
    """Record that trial NUMBER was not visited.

    No movement is counted, and no trial is spent.
    """
    study = open_study(store, name)
    show(study, study.skip(number, why, request=request), None, as_json)


@click.command(cls=Signed)
@with_study
@number_argument
@click.argument("value", cls=Values, type=NUMBER, nargs=-1)
@count_option
@variance_option
@click.option("--withdraw", is_flag=True, help="Take the value back: the trial counts as failed.")
@why_option
@actual_option
@spent_option
@request_option
@json_option
def amend(
    name: str,
    store: Path,
    number: int,
    value: tuple[float, ...],
    count: int | None,
    variance: float | None,
    withdraw: bool,
    why: str,
    actual: tuple[str, ...],
    spent: float | None,
    request: str | None,
    as_json: bool,
) -> None:
    """Correct trial NUMBER: its value, its place, what its leg cost.

    What is not given stays, and the values it had before stay readable. Several results are given as to
    tell.
    """
    check_summary(value, count, variance)
    study = open_study(store, name)
    check_run(study, number, value, count, request)
    place = actual_place(study, actual)
    trial = study.amend(
        number,
        one_or_all(value) if value else None,
        count=count,
        variance=variance,
        withdraw=withdraw,
        why=why,
        actual=place,
        spent=spent,
        request=request,
    )
    show(study, trial, place, as_json)


def actual_place(study: Study, settings: tuple[str, ...]) -> dict[str, Any] | None:
    """Return where a trial really was, as far as it was typed."""
    return read_place(study.spec.space, settings, "--actual") if settings else None


def show(study: Study, trial: Trial, actual: Mapping[str, Any] | None, as_json: bool) -> None:
    """Print a trial as it is now; note a place beyond the bounds, which may be a slip, and a home too far."""
    from wayfare.report.allowance import home_too_far

    if as_json:
        print_json(trial_record(trial))
    else:
        click.echo(trial_block(trial))
    if actual is not None:
        from wayfare.exchange.imports import beyond

        for said in beyond(study.spec.space, trial.params):
            note_missed(study.spec.name, trial.number, said)
    if said := home_too_far(study.state):
        note(said)
