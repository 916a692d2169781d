"""What the paper says of its experiments, claim by claim, beside the same quantities in our results."""

from collections.abc import Callable, Sequence

import numpy as np

from wayfare._core.arrays import Points, Values
from wayfare.bench.compare import Comparison, paired_ratio, pooled_ratio
from wayfare.bench.report import brief, markdown, ratio_in_short

Table = Callable[[Sequence[Comparison]], str]


def over(one: Comparison, method: str, baseline: str, measure: str) -> str:
    """Return the paired ratio of a measure, with its interval."""
    return ratio_in_short(paired_ratio(one.pairs(method, baseline, measure)))


def steps(one: Comparison, method: str, quantity: str) -> Values:
    """Return the regret or the legs of each trial, on average over the seeds."""
    runs = np.array([getattr(cell, quantity) for cell in one.cells[method].values()])
    return np.asarray(runs.mean(axis=0))


def late_over_early(one: Comparison, method: str, quantity: str) -> str:
    """Return the mean over the last quarter of the trials, divided by that over the first."""
    quarters = np.array_split(steps(one, method, quantity)[1:], 4)
    return brief(float(quarters[-1].mean() / quarters[0].mean())) if quarters[0].mean() > 0 else "-"


def penalty_table(every: Sequence[Comparison]) -> str:
    """Return how far GS moves and what it ends with, beside UCB and random places."""
    rows = [
        [
            one.setting.problem,
            over(one, "gs", "ucb", "mean_movement"),
            *(f"{one.mean(method, 'last_half_regret'):.3g}" for method in ("gs", "ucb", "random")),
        ]
        for one in every
    ]
    return markdown(["", "movement gs/ucb", "last-half regret gs", "ucb", "random"], rows)


def snake_table(every: Sequence[Comparison]) -> str:
    """Return how much is left of regret and of movement in the last quarter, for SnAKe and for TUCB."""
    rows = [
        [
            one.setting.problem,
            *(
                late_over_early(one, method, quantity)
                for quantity in ("regret", "legs")
                for method in ("snake", "tucb")
            ),
        ]
        for one in every
    ]
    return markdown(["last quarter / first", "regret snake", "tucb", "movement snake", "tucb"], rows)


def mini_table(every: Sequence[Comparison]) -> str:
    """Return MINI's movement and regret against UCB and TUCB, and who of those with a model moves least."""
    rows = []
    for one in every:
        # What hardly leaves its first place has not moved little: it has not searched.
        modelled = [name for name in one.cells if name not in ("gs", "dist-ucb") and "random" not in name]
        modelled = [name for name in modelled if not name.startswith("lhs")]
        least = min(modelled, key=lambda name: one.mean(name, "mean_movement"))
        ratios = [
            over(one, "mini", name, measure) for measure in ("mean_movement", "mean_regret") for name in ("ucb", "tucb")
        ]
        rows.append([one.setting.problem, *ratios, least])
    return markdown(["", "movement mini/ucb", "mini/tucb", "mean regret mini/ucb", "mini/tucb", "moves least"], rows)


def ucb_table(every: Sequence[Comparison]) -> str:
    """Return UCB's mean leg in each quarter of the trials."""
    rows = []
    for one in every:
        quarters = np.array_split(steps(one, "ucb", "legs")[1:], 4)
        means = (f"{quarter.mean():.3g}" for quarter in quarters)
        rows.append([f"{one.setting.problem} [{one.unit}]", *means])
    return markdown(["mean leg of ucb", "first quarter", "second", "third", "last"], rows)


def thompson_table(every: Sequence[Comparison]) -> str:
    """Return what planning ahead does to Thompson sampling, and how UCB compares with it."""
    rows = [
        [
            one.setting.problem,
            over(one, "tts", "ts", "mean_movement"),
            over(one, "tts", "ts", "mean_regret"),
            over(one, "ucb", "ts", "mean_movement"),
            over(one, "ucb", "ts", "mean_regret"),
        ]
        for one in every
    ]
    head = ["", "movement tts/ts", "mean regret tts/ts", "movement ucb/ts", "mean regret ucb/ts"]
    return markdown(head, rows)


def variants_table(every: Sequence[Comparison], siblings: dict[str, str]) -> str:
    """Return every variant over the method of the catalogue that it varies, problem by problem."""
    rows = []
    for variant, sibling in siblings.items():
        for one in every:
            measures = ("mean_movement", "mean_regret", "last_half_regret")
            ratios = (over(one, variant, sibling, measure) for measure in measures)
            rows.append([f"{short_name(variant)} / {sibling}", one.setting.problem, *ratios])
    return markdown(["", "on", "movement", "mean regret", "last-half regret"], rows)


def parts_table(every: Sequence[Comparison], parts: Sequence[tuple[str, str, str]]) -> str:
    """Return what each part is worth: a method with it over the same without it, over all problems.

    The range is that of the problems, each a geometric mean over its seeds. A part is left out where it was not run.
    """
    rows = []
    for part, with_it, without in parts:
        both = [one for one in every if with_it in one.cells and without in one.cells]
        if not both:
            continue
        row = [part, f"{short_name(with_it)} / {short_name(without)}"]
        for measure in ("mean_movement", "mean_regret", "last_half_regret"):
            pairs = pairs_by_problem(both, with_it, without, measure)
            row.append(ratio_in_short(pooled_ratio(pairs)))
            if measure == "mean_movement":
                means = [paired_ratio(own).mean for own in pairs]
                row.append(f"{brief(min(means))} to {brief(max(means))}")
        rows.append(row)
    head = ["part", "with it / without it", "movement", "problems from, to", "mean regret", "last-half regret"]
    return markdown(head, rows)


def rivals_table(every: Sequence[Comparison], methods: Sequence[str], baseline: str) -> str:
    """Return methods over a baseline, over all problems and numbers of trials."""
    measures = ("mean_movement", "mean_regret", "last_half_regret", "loss")
    rows = [
        [
            method,
            *(ratio_in_short(pooled_ratio(pairs_by_problem(every, method, baseline, measure))) for measure in measures),
        ]
        for method in methods
    ]
    return markdown([f"over {baseline}", "movement", "mean regret", "last-half regret", "L_T / T"], rows)


def pairs_by_problem(every: Sequence[Comparison], method: str, baseline: str, measure: str) -> list[Points]:
    """Return the pairs of a measure on each problem, whatever the number of trials."""
    found: dict[str, list[Points]] = {}
    for one in every:
        found.setdefault(one.setting.problem, []).append(one.pairs(method, baseline, measure))
    return [np.concatenate(own) for own in found.values()]


def short_name(method: str) -> str:
    """Return the name of a variant without its module."""
    return method.removeprefix("variants:")


CLAIMS: dict[str, Table] = {
    "penalty": penalty_table,
    "snake": snake_table,
    "mini": mini_table,
    "ucb": ucb_table,
    "thompson": thompson_table,
}
