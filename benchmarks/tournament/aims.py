"""What was aimed at before the default was searched for, and whether it was reached on the problems to report on."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from tournament.studies import Row
from tournament.tables import (
    ALLOWED,
    BASELINE,
    CONTROL,
    HORIZONS,
    MAIN,
    MOST,
    PLANNED,
    SUBJECT,
    Pairs,
    chosen,
    groups,
    lost_and_found,
    paired,
    ratio_of,
    share_missed,
    used,
)
from wayfare.bench.report import markdown


class Aim(NamedTuple):
    """Where something is measured, what was found, and what was aimed at."""

    where: str
    of: str
    found: str
    limit: str
    holds: bool


def aims(rows: Sequence[Row]) -> list[Aim]:
    """Return every aim whose studies were run."""
    return [*against_baseline(rows), *against_control(rows), *under_conditions(rows), *of_itself(rows)]


def aims_table(rows: Sequence[Row]) -> str:
    """Return them as a table."""
    lines = [(*aim[:-1], "holds" if aim.holds else "missed") for aim in aims(rows)]
    return markdown(("where", "of", "found", "aimed at", ""), lines)


def at_most(where: str, pairs: Pairs, limits: Mapping[str, float]) -> Iterator[Aim]:
    """Yield limits on ratios."""
    for measure, most in limits.items():
        found = ratio_of(pairs, measure)
        yield Aim(where, measure.replace("_", " "), str(found), f"at most {most:.2f}", found.mean <= most)


def how_many(pairs: Pairs) -> str:
    """Return on how many problems the pairs are: all, or a number."""
    problems = {own.problem for own, _ in pairs}
    return "all" if problems == set(groups("report")["all"]) else f"{len(problems)} problems"


def no_more_missed(where: str, pairs: Pairs, more: float = 0.0, times: float = 1.0) -> Aim:
    """Return a limit on the part of the studies that missed, against the other's."""
    own, theirs = (share_missed([pair[side] for pair in pairs]) for side in (0, 1))
    most = times * theirs + more
    return Aim(where, "missed", f"{own:.1%}", f"at most {most:.1%}", own <= most)


def against_baseline(rows: Sequence[Row]) -> Iterator[Aim]:
    """Yield what was aimed at against the baseline, at every number of trials."""
    every = groups("report")
    against = {trials: paired(chosen(rows, SUBJECT, trials), chosen(rows, BASELINE, trials)) for trials in HORIZONS}
    for trials in (60, 100):
        where, pairs = f"T = {trials}, all", against[trials]
        limits = {"movement": 0.45, "simple_regret": 0.9, "mean_regret": 1.0, "last_half_regret": 1.0}
        yield from at_most(where, pairs, limits)
        lost, found = lost_and_found(pairs)
        yield Aim(where, "lost", str(lost), f"at most {found}, as found", lost <= found)
        by_problem = {name: [pair for pair in pairs if pair[0].problem == name] for name in every["all"]}
        worst = max(by_problem, key=lambda name: ratio_of(by_problem[name], "simple_regret").mean)
        yield from at_most(f"T = {trials}, worst: {worst}", by_problem[worst], {"simple_regret": 2.0})
        lost, name = max((lost_and_found(by_problem[name])[0], name) for name in every["field"])
        most = len(by_problem[name]) // 4
        yield Aim(f"T = {trials}, worst in the field: {name}", "lost", str(lost), f"at most {most}", lost <= most)
        for group in ("d >= 6", "mixed"):
            mine = [pair for pair in pairs if pair[0].problem in every[group]]
            yield from at_most(f"T = {trials}, {group}", mine, {"movement": 0.5})
            yield no_more_missed(f"T = {trials}, {group}", mine)
    yield from at_most("T = 30, all", against[30], {"movement": 0.5})
    yield no_more_missed("T = 30, all", against[30], more=0.05)
    if against[300]:
        yield from at_most(f"T = 300, {how_many(against[300])}", against[300], {"movement": 0.3, "simple_regret": 1.0})


def against_control(rows: Sequence[Row]) -> Iterator[Aim]:
    """Yield what the paper's ideas were to add."""
    for trials in (60, 100):
        pairs = paired(chosen(rows, SUBJECT, trials), chosen(rows, CONTROL, trials))
        where = f"T = {trials}, against `{CONTROL}`"
        yield from at_most(where, pairs, {"movement": 0.75, "simple_regret": 1.0})
        yield no_more_missed(where, pairs)


def under_conditions(rows: Sequence[Row]) -> Iterator[Aim]:
    """Yield what was aimed at with a budget, with old results and with results out."""
    own = chosen(rows, SUBJECT, ALLOWED, "budget")
    pairs = paired(own, chosen(rows, BASELINE, ALLOWED, "budget"))
    if pairs:
        where = f"equal budget, {how_many(pairs)}"
        yield from at_most(where, pairs, {"simple_regret": 0.5})
        yield no_more_missed(where, pairs, times=0.5)
        yield Aim(where, "budget used", f"{used(own):.0%}", f"at least {MOST:.0%}", used(own) >= MOST)
    plain = chosen(rows, SUBJECT, MAIN)
    old, out = (paired(chosen(rows, SUBJECT, MAIN, condition), plain) for condition in ("old", "out"))
    yield from at_most("old results, against none", old, {"simple_regret": 1.0})
    yield no_more_missed("old results, against none", old)
    yield from at_most("ten results out, against none", out, {"movement": 2.0, "simple_regret": 1.2})


def of_itself(rows: Sequence[Row]) -> Iterator[Aim]:
    """Yield what was aimed at for repeats and for planning."""
    for trials in (60, 100):
        mine = chosen(rows, SUBJECT, trials, "watched")
        if mine:
            idle = sum(row.idle for row in mine) / (trials * len(mine))
            where = f"T = {trials}, before it says that it is done"
            yield Aim(where, "visits to a known place", f"{idle:.0%}", "at most 33%", idle <= 1 / 3)
    pairs = paired(chosen(rows, SUBJECT, MAIN), chosen(rows, PLANNED, MAIN))
    yield from at_most(f"T = {MAIN}, against `{PLANNED}`", pairs, {"planner_cpu": 2.0})
