"""Several results for one trial, typed one after another or as their mean."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from wayfare.errors import InvalidInput

if TYPE_CHECKING:
    from wayfare.study import Study


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


def check_run(
    study: Study, number: int, values: tuple[float, ...], count: int | None, request: str | None
) -> None:
    """Refuse a single number for a run, in the words of the command line."""
    trials = study.trials
    if len(values) != 1 or count is not None or number >= len(trials) or trials[number].count == 1:
        return
    if request in study.state.requests:  # it happened before, and happens once
        return
    from wayfare.words import results

    raise InvalidInput(
        f"trial {number} is a run of {results(trials[number].count)}, and one number was given; "
        "give all of them, or their mean with --count and --variance"
    )
