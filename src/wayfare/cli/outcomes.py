"""The moves that say what became of a trial: ``tell``, ``fail``, ``skip`` and ``amend``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from wayfare.cli.options import (
    actual_option,
    count_option,
    json_option,
    note,
    number_argument,
    open_study,
    print_json,
    request_option,
    spent_option,
    variance_option,
    why_option,
    with_study,
)
from wayfare.cli.records import trial_record
from wayfare.cli.several import Values, check_run, check_summary, one_or_all
from wayfare.cli.signed import Signed
from wayfare.cli.slips import note_missed
from wayfare.cli.values import NUMBER, read_place
from wayfare.cli.words import trial_block

if TYPE_CHECKING:
    from wayfare.records import Trial
    from wayfare.study import Study


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
        number,
        one_or_all(value),
        count=count,
        variance=variance,
        actual=place,
        spent=spent,
        why=why,
        request=request,
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
    from wayfare.allowance import home_too_far

    if as_json:
        print_json(trial_record(trial))
    else:
        click.echo(trial_block(trial))
    if actual is not None:
        from wayfare.exchange.bounds import beyond

        for said in beyond(study.spec.space, trial.params):
            note_missed(study.spec.name, trial.number, said)
    if said := home_too_far(study.state):
        note(said)
