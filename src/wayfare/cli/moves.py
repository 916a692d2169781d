"""The moves that give a traveller somewhere to go: ``ask``, ``insert`` and ``replan``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from wayfare.cli.columns import listing
from wayfare.cli.options import (
    json_option,
    note,
    open_study,
    print_json,
    request_option,
    with_study,
    worker_option,
)
from wayfare.cli.progress import planning
from wayfare.cli.records import new_route_record, trial_record
from wayfare.cli.signed import Signed
from wayfare.cli.slips import note_position
from wayfare.cli.text import paragraph
from wayfare.cli.values import SEVERAL, read_place
from wayfare.cli.words import settings, stops

if TYPE_CHECKING:
    from wayfare.records import Trial
    from wayfare.study import Study


@click.command()
@with_study
@worker_option
@click.option("--no-wait", is_flag=True, help="Go on to the next stop although results are out.")
@click.option("--count", is_flag=True, help="Take all results wanted there at once, as one trial.")
@request_option
@json_option
def ask(
    name: str, store: Path, worker: str, no_wait: bool, count: bool, request: str | None, as_json: bool
) -> None:
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
    from wayfare.accounts import leg_besides
    from wayfare.words import results, side_by_side

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
        from wayfare.allowance import spent_in_words

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
    from wayfare.words import side_by_side

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
def replan(
    name: str, store: Path, position: tuple[str, ...], why: str, request: str | None, as_json: bool
) -> None:
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
        from wayfare.exchange.bounds import beyond

        for said in beyond(study.spec.space, study.spec.space.params(study.state.position)):
            note_position(name, said)
    if position and study.state.out:
        one = len(study.state.out) == 1
        still, it = ("is still out", "it") if one else ("are still out", "them")
        note(
            f"{which(study.state.out)} {still}; --from is where you stand after {it}; "
            f"skip {it} if you will not go"
        )
