"""The commands that change a study.

``ask``, ``insert`` and ``replan`` give the traveller a place to go; ``tell``, ``fail``, ``skip`` and ``amend`` record
what became of a trial. Each makes one move, which reads the store once and writes once; what is printed comes from the
state that the move left.
"""

import shlex
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from wayfare._core import checks
from wayfare._core.format import results, side_by_side
from wayfare._core.parse import WHOLE, read_number
from wayfare.cli.input import (
    COUNT,
    DIGITS,
    NUMBER,
    SEVERAL,
    TAKE,
    Count,
    Length,
    Number,
    Signed,
    move_options,
    options,
    split_settings,
    with_study,
)
from wayfare.cli.output import busy, listing, note, paragraph, print_json, settings, trial_block
from wayfare.cli.studies import open_study
from wayfare.errors import InvalidInput
from wayfare.exchange.records import at_home_record, detour_record, new_route_record, trial_record
from wayfare.record.events import StudySpec, Trial, TrialState
from wayfare.record.state import StudyState
from wayfare.report.allowance import home_too_far
from wayfare.report.ledger import leg_besides
from wayfare.report.progress import nothing_left, trials_in_words
from wayfare.space import AnySpace
from wayfare.study.inputs import labelled
from wayfare.study.study import Snapshot, Study

COST = Number("cost", "what the leg cost")
place_option = partial(click.option, multiple=True, metavar="AXIS=VALUE")
worker_option = click.option("--worker", default="", metavar="NAME", help="Who goes there.")


@click.command()
@with_study
@worker_option
@click.option("--no-wait", is_flag=True, help="Go on to the next stop although results are out.")
@click.option(
    "-n", "n", type=TAKE, default=1, metavar="N|day", help="Hand out the next N stops at once, or those of the day."
)
@click.option("--count", is_flag=True, help="Take all results wanted there at once, as one trial.")
@click.option(
    "--take-over",
    type=Length(),
    metavar="TIME",
    help="Take over what another worker has had out for so long, such as 2h; first the oldest.",
)
@move_options
def ask(name: str, store: Path | str, no_wait: bool, n: Any, as_json: bool, **given: Any) -> None:
    """Say where to go next.

    A route is planned first, if the one before is at its end. Until a worker's trial has its outcome, asking
    again gives the same one. Where several results are wanted, they are handed out one by one, or with
    --count all at once.

    If a worker does not come back, another takes the trial over with --take-over TIME. The log keeps it, and
    the first is told so when asking again.
    """
    study = open_study(store, name)
    with busy():
        trials = [study.ask(wait=not no_wait, **given)] if n == 1 else study.ask(n=n, wait=not no_wait, **given)
    for lost in lost_trials(study.last.state, given["worker"]):
        to = lost.worker or "the worker without a name"
        note(f"{lost.title}, which you had, was taken over by {to} at {lost.issued.time}")
    for trial in trials or [None]:
        if trial is None:
            raise click.ClickException(nothing_left(study.last.state))
        if as_json:
            print_json(trial_record(trial))
            continue
        if trial.former:
            note(f"{trial.title} was taken over from {trial.former[-1] or 'the worker without a name'}")
        said = "" if trial.state == "asked" else f" ({trial.state})"
        _show_stop(study.last, trial, f"trial {trial.number}{said}")


def lost_trials(state: StudyState, worker: str) -> list[Trial]:
    """Return the trials that were taken over from a worker after the last one that this worker had an outcome for."""
    since = max((t.number for t in state.trials if t.worker == worker and t.state is not TrialState.ASKED), default=-1)
    return [trial for trial in state.trials[since + 1 :] if worker in trial.former and trial.worker != worker]


def _show_stop(now: Snapshot, trial: Trial, head: str) -> None:
    """Print where to go: the leg, how many results to take if several, and what to change."""
    here = now.state.origin(trial.number)
    before = None if here is None else now.spec.space.params(here)
    take = f", take {results(trial.count)} here" if trial.state == "asked" and trial.count > 1 else ""
    home = f" by way of home, where a new {now.spec.limits.called} begins" if trial.home_first else ""
    leg = side_by_side(trial.leg, trial.unit, leg_besides(now.state, trial))
    click.echo(paragraph(f"{head}, leg {leg}{home}{take}"))
    click.echo(settings(before, trial.params))


@click.command(cls=Signed)
@with_study
@click.argument("place", nargs=-1, required=True, metavar="AXIS=VALUE...")
@click.option("--count", type=SEVERAL, default=1, metavar="N", help="How many results to take there.")
@worker_option
@click.option("--dry-run", is_flag=True, help="Only say what it would cost.")
@move_options
def insert(name: str, store: Path | str, place: tuple[str, ...], dry_run: bool, as_json: bool, **given: Any) -> None:
    """Go to an extra place now; the rest of the route stays.

    Every axis must be given.
    """
    study = open_study(store, name)
    # The other options are named as the arguments of the move.
    detour = study.insert(read_place(study.spec.space, place, "place"), dry_run=dry_run, **given)
    if as_json:
        print_json({**detour_record(detour), **({"dry_run": True} if dry_run else {})})
        return
    _show_stop(study.last, detour.trial, f"{'would be ' if dry_run else ''}trial {detour.trial.number}")
    click.echo(paragraph(f"detour {side_by_side(detour.cost, detour.unit, detour.also)} on top of the route"))
    if dry_run:
        note("a dry run, nothing was written")


@click.command(cls=Signed)
@with_study
@place_option("--from", "position", help="Where the traveller really is, if elsewhere; once per axis that differs.")
@click.option("--why", default="", metavar="TEXT", help="The reason, kept in the study's history.")
@move_options
def replan(
    name: str, store: Path | str, position: tuple[str, ...], why: str, request: str | None, as_json: bool
) -> None:
    """Drop the rest of the route and plan a new one.

    Says what the rest would have cost from where you stand, and what the new route costs.
    """
    study = open_study(store, name)
    space = study.spec.space
    here = read_place(space, position, "--from") if position else None
    with busy():
        made = study.replan(here, why=why, request=request)
    if as_json:
        print_json(new_route_record(made))
    else:
        click.echo(listing([("dropped", made.dropped.in_short), ("planned", made.route.in_short)]))
    now = study.last.state
    if here is None:
        return
    if now.position is not None:
        _note_beyond(space, space.params(now.position), "--from", "replan", name, "--from")
    if now.out:
        still, it = ("is still out", "it") if len(now.out) == 1 else ("are still out", "them")
        note(f"{trials_in_words(now.out)} {still}; --from is where you stand after {it}; skip {it} if you will not go")


@click.command("go-home")
@with_study
@click.option("--spent", type=COST, help="What the way home really cost, in the study's unit.")
@click.option("--why", default="", metavar="TEXT", help="The reason, kept in the study's history.")
@move_options
def go_home(name: str, store: Path | str, as_json: bool, **given: Any) -> None:
    """Go home now: pay the way home, and begin the next day or trip.

    The rest of the route stays, and ask goes on with it from home; replan plans again. Results may come in later.
    """
    study = open_study(store, name)
    made = study.go_home(**given)
    if as_json:
        print_json(at_home_record(made))
        return
    click.echo(paragraph(str(made)))
    now = study.last.state
    if now.out:
        still, it = ("is still out", "it") if len(now.out) == 1 else ("are still out", "them")
        note(f"{trials_in_words(now.out)} {still}: tell {it} as the results come in, or skip what was not visited")
    if len(made.route):
        note(f"still ahead: {made.route.in_short}; replan plans again")


class Values(click.Argument):
    """One value or several; the hint of an error names one of them."""

    def get_error_hint(self, ctx: click.Context | None) -> str:
        """Return the name of one value."""
        return super().get_error_hint(ctx).replace("...", "")


VARIANCE = Number("variance", "a variance")


class Label(Count):
    """The number of a trial, or the label of an old result: 14, k3."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number, or the label as it is."""
        is_label = isinstance(value, str) and value[:1] == "k" and DIGITS.fullmatch(value[1:]) is not None
        return value if is_label else super().convert(value, param, ctx)


value_argument = partial(click.argument, "value", cls=Values, type=NUMBER, nargs=-1)
withdraw_option = click.option(
    "--withdraw", is_flag=True, help="Take the value back, and what was measured: the trial counts as failed."
)
summary_options = options(
    click.option("--count", type=SEVERAL, metavar="N", help="Of how many results VALUE is the mean."),
    click.option("--variance", type=VARIANCE, metavar="V", help="How those results varied: their sample variance."),
)
measured_option = partial(click.option, "--measured", multiple=True, metavar="NAME=NUMBER")
why_option = click.option("--why", default="", metavar="TEXT", help="The reason, kept with the trial.")
visit_options = options(
    why_option,
    place_option("--actual", help="Where it really was, if the setting was missed; once per axis."),
    click.option(
        "--spent", type=COST, help="What the leg really cost, in the study's unit; by way of home, all of it."
    ),
)


def _on_trial(*more: Callable[[Any], Any], kind: Count = COUNT) -> Callable[[Any], click.Command]:
    """Make a command of NAME, NUMBER and more, ended by the options of every move."""
    return options(click.command(cls=Signed), with_study, click.argument("number", type=kind), *more, move_options)


@_on_trial(
    value_argument(required=True),
    summary_options,
    measured_option(help="What else was measured; once per name. Of several results, their mean."),
    visit_options,
)
def tell(**given: Any) -> None:
    """Record what was found at trial NUMBER.

    Several results taken there are given one after another, or as their mean with --count.
    """
    _record(Study.tell, **given)


@_on_trial(visit_options)
def fail(**given: Any) -> None:
    """Record that trial NUMBER was visited, but has no value."""
    _record(Study.fail, **given)


@_on_trial(why_option)
def skip(**given: Any) -> None:
    """Record that trial NUMBER was not visited.

    No movement is counted, and no trial is spent.
    """
    _record(Study.skip, **given)


@_on_trial(
    value_argument(),
    summary_options,
    measured_option(help="What else was measured; NAME= takes it back."),
    withdraw_option,
    visit_options,
    kind=Label(),
)
def amend(**given: Any) -> None:
    """Correct trial NUMBER: its value, what was measured, its place, its cost.

    An old result has a label instead of a number, such as k3.

    What is not given stays, and the values it had before stay readable. Several results are given as to
    tell.
    """
    _record(Study.amend, **given)


def _record(
    move: Callable[..., Trial], name: str, store: Path | str, number: int | str, as_json: bool, **given: Any
) -> None:
    """Make a move that says what became of a trial, and print the trial as it is now.

    The options in ``given`` are named as the arguments of the move.
    """
    value: tuple[float, ...] = given.pop("value", ())
    actual: tuple[str, ...] = given.pop("actual", ())
    measured: tuple[str, ...] = given.pop("measured", ())
    # 1. A count or a variance describes a mean; anything else is misuse, whatever the study holds.
    count, variance = given.get("count"), given.get("variance")
    if len(value) != 1 and (count is not None or variance is not None):
        raise click.UsageError(f"--count and --variance describe one VALUE, the mean; got {len(value)}")
    if variance is not None and count in (None, 1):
        raise click.UsageError("--variance needs --count: of how many results, at least 2")
    study = open_study(store, name)
    number = labelled(study.last.state, number) if isinstance(number, str) else number
    if actual:
        given["actual"] = read_place(study.spec.space, actual, "--actual")
    if measured:
        given["measured"] = _read_measured(study.spec, measured, move is Study.amend)
    if value:  # an amendment may leave the value as it is
        given["value"] = value[0] if len(value) == 1 else value
    # 2. The move.
    try:
        trial = move(study, number, **given)
    except InvalidInput as error:
        now = study.last.state
        many = now.trials[number].count if number < len(now.trials) else 1
        if many > 1 and len(value) == 1 and count is None and given["request"] not in now.requests:
            # The study refuses a single number for a run; here in the words of the command line.
            said = f"trial {number} is a run of {results(many)}, and one number was given"
            raise InvalidInput(f"{said}; give all of them, or their mean with --count and --variance") from error
        raise
    # 3. The trial, a note on a place beyond the bounds, which may be a slip, and one on a home too far.
    if as_json:
        print_json(trial_record(trial))
    else:
        click.echo(trial_block(trial, study.spec.measured))
    if actual:
        _note_beyond(study.spec.space, trial.params, f"trial {number}", "amend", name, str(number), "--actual")
    if said := home_too_far(study.last.state):
        note(said)


def _note_beyond(space: AnySpace, params: Mapping[str, Any], what: str, *command: str) -> None:
    """Note values beyond their bounds or forbidden: they are recorded as told, but most are slips."""
    from wayfare.exchange.imports import beyond  # takes 30 ms, which most moves need not spend

    for said in beyond(space, params):
        note_slip(what, said, *command)


def note_slip(what: str, said: str, *command: str) -> None:
    """Note an odd place, and the command that corrects it."""
    note(f"{what}: {said}; if that is a slip, `{shlex.join(['wayfare', *command])} AXIS=VALUE` corrects it")


def _read_measured(spec: StudySpec, settings: Sequence[str], back: bool) -> dict[str, float | None]:
    """Return the numbers typed as ``name=number`` settings; ``back``: one without a number is taken back."""
    names = [limit.name for limit in spec.measured]
    texts = split_settings(settings, names, "--measured", "NAME=NUMBER", "")
    return {
        name: None if back and not text else read_number(text, f"--measured: {name!r}") for name, text in texts.items()
    }


def read_place(space: AnySpace, settings: Sequence[str], option: str) -> dict[str, Any]:
    """Return the place typed as ``axis=value`` settings; axes may be missing, none may be unknown."""
    texts = split_settings(settings, space.names, option)
    for axis in texts:
        if axis not in space.names:
            raise InvalidInput(f"{option}: there is no axis {axis!r}; {checks.nearest(axis, space.names)}")
    return {axis: _read_value(space, axis, text, option) for axis, text in texts.items()}


def _read_value(space: AnySpace, axis: str, text: str, option: str) -> Any:
    values = space.choices[space.column(axis)]
    if values is None:
        number = read_number(text, f"{option}: axis {axis!r}")
        return int(text) if WHOLE.fullmatch(text) and abs(number) <= checks.LARGEST_WHOLE else number
    # "1" may be the text or the number: a value is found by how it is written, text first.
    for value in sorted(values, key=lambda value: not isinstance(value, str)):
        if text == (str(value).lower() if isinstance(value, bool) else str(value)):
            return value
    raise InvalidInput(f"{option}: axis {axis!r} has no value {text!r}; {checks.nearest(text, values, 'values')}")
