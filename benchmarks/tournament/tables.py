"""The tables of docs/evidence, docs/method.md and, in a sentence, README.md, made of the rows that are kept.

Two rows are a pair if they have the problem and the seed in common; then they have the noise, the start, the cost of
moving and the order of the values in common too.
"""

import math
from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from tournament.functions import function_named
from tournament.grounds import Part, grounds
from tournament.score import Logs, Ratio, ratio
from tournament.studies import Condition, Row
from wayfare.bench.report import markdown

BASELINE, SUBJECT, CONTROL, PLANNED = "ucb", "wayfare", "control", "tucb"
"""Against what it is compared, the method itself, the same without the paper's ideas, and whose planning is cheap."""
MEASURES = {"movement": 1e-12, "mean_regret": 1e-3, "last_half_regret": 1e-3, "simple_regret": 0.01}
"""What is compared, and the least of it that counts; of regrets as a part of what there is to gain."""
HORIZONS = (30, 60, 100, 300)
MAIN = 60
"""Where methods are compared; the subject alone is shown at every number of trials."""
ALLOWED = 300
"""The trials allowed with a budget."""
MOST = 0.8
"""The part of a budget that is to be used."""
METHODS = ("ucb-1sd", "eipu", "tucb", "tts", "thrifty", "lookahead", CONTROL, SUBJECT)
PARTS = (
    SUBJECT,
    "short-survey",
    "no-survey",
    "no-price",
    "no-batches",
    "settled",
    "always-explore",
    "ucb-first",
    CONTROL,
)
"""The method and what is left of it without each ingredient, on the problems it was searched on."""
NO_FARTHER = ("settled", "ucb-2sd")
"""The subject and the baseline where they do not look farther for choices."""
OPTUNA = ("optuna-tpe", "optuna-gp")
Pairs = Sequence[tuple[Row, Row]]


def chosen(
    rows: Sequence[Row], method: str, trials: int, condition: Condition = "plain", problems: Sequence[str] = ()
) -> list[Row]:
    """Return the rows of a method, on all problems or on some."""
    wanted = (method, trials, condition)
    return [
        row
        for row in rows
        if (row.method, row.trials, row.condition) == wanted and (not problems or row.problem in problems)
    ]


def paired(own: Sequence[Row], others: Sequence[Row]) -> list[tuple[Row, Row]]:
    """Return each row with the one of the others on the same problem under the same seed, where there is one."""
    theirs = {row.cell: row for row in others}
    return [(row, theirs[row.cell]) for row in own if row.cell in theirs]


def logs_of(pairs: Pairs, measure: str, least: float) -> Logs:
    """Return of each problem the logarithms of its paired ratios of a measure."""
    logs: Logs = defaultdict(list)
    for own, other in pairs:
        mine, theirs = (max(getattr(row, measure), least) for row in (own, other))
        logs[own.problem].append(math.log(mine / theirs))
    return logs


def ratio_of(pairs: Pairs, measure: str) -> Ratio:
    """Return the ratio of a measure."""
    return ratio(logs_of(pairs, measure, MEASURES.get(measure, 1e-12)))


def share_missed(rows: Sequence[Row]) -> float:
    """Return the part of the studies that keep a clearly worse place."""
    return float(np.mean([row.missed for row in rows]))


def lost_and_found(pairs: Pairs) -> tuple[int, int]:
    """Return how many studies missed where the other did not, and the reverse."""
    return (
        sum(row.missed and not other.missed for row, other in pairs),
        sum(other.missed and not row.missed for row, other in pairs),
    )


def compared(pairs: Pairs) -> tuple[str, ...]:
    """Return paired ratios to the baseline, how often each missed, and how often one did and not the other."""
    own, others = ([pair[side] for pair in pairs] for side in (0, 1))
    lost, found = lost_and_found(pairs)
    ratios = [str(ratio_of(pairs, measure)) for measure in MEASURES]
    return (*ratios, f"{share_missed(own):.0%}", f"{share_missed(others):.0%}", f"{lost}, {found}")


def columns(baseline: str = f"`{BASELINE}`") -> tuple[str, ...]:
    """Return the heads of the columns that ``compared`` fills."""
    return (*(name.replace("_", " ") for name in MEASURES), "missed", f"missed by {baseline}", "lost, found")


def groups(part: Part) -> dict[str, list[str]]:
    """Return the problems by what they are compared as: all, each kind, and those of many axes."""
    every = grounds(part)
    found = {"all": list(every)}
    for kind in dict.fromkeys(ground.kind for ground in every.values()):
        found[kind] = [name for name, ground in every.items() if ground.kind == kind]
    return found | {"d >= 6": [name for name, ground in every.items() if ground.d >= 6]}


def line(pairs: Pairs, trials: int) -> tuple[str, ...]:
    """Return a comparison, and which part of the visits were to new places, and to places that were known."""
    shares = (sum(getattr(row, count) for row, _ in pairs) / (trials * len(pairs)) for count in ("places", "idle"))
    return (*compared(pairs), *(f"{share:.0%}" for share in shares))


def summary(
    rows: Sequence[Row],
    methods: Sequence[str],
    trials: int,
    baseline: str = BASELINE,
    condition: Condition = "plain",
    *,
    by_group: bool = True,
) -> str:
    """Return a line per method and group of problems."""
    lines = []
    others = chosen(rows, baseline, trials, condition)
    for method in methods:
        pairs = paired(chosen(rows, method, trials, condition), others)
        for group, names in groups(rows[0].part).items():
            mine = [pair for pair in pairs if pair[0].problem in names]
            if mine and (by_group or group == "all"):
                problems = len({row.problem for row, _ in mine})
                lines.append((f"`{method}`", f"{group} ({problems})", *line(mine, trials)))
    return markdown(("method", "problems", *columns(f"`{baseline}`"), "new places", "idle"), lines)


def over_trials(rows: Sequence[Row], method: str = SUBJECT, baseline: str = BASELINE) -> dict[int, Pairs]:
    """Return the pairs of each number of trials, but of those that were run on some problems alone."""
    every = {trials: paired(chosen(rows, method, trials), chosen(rows, baseline, trials)) for trials in HORIZONS}
    problems = {trials: len({own.problem for own, _ in pairs}) for trials, pairs in every.items()}
    return {trials: pairs for trials, pairs in every.items() if problems[trials] == max(problems.values()) > 0}


def in_short(rows: Sequence[Row], method: str = SUBJECT, baseline: str = BASELINE) -> str:
    """Return how a method compares on all problems together, a line per number of trials that all were run with."""
    lines = [(str(trials), *compared(pairs)) for trials, pairs in over_trials(rows, method, baseline).items()]
    return markdown(("T", *columns(f"`{baseline}`")), lines)


def problems_table(rows: Sequence[Row]) -> str:
    """Return the subject relative to the baseline on each problem."""
    lines = []
    pairs = paired(chosen(rows, SUBJECT, MAIN), chosen(rows, BASELINE, MAIN))
    for name, ground in grounds("report").items():
        mine = [pair for pair in pairs if pair[0].problem == name]
        if mine:
            about = ", ".join(function_named(name).characters) if ground.kind == "box" else ground.kind
            lines.append((name, str(ground.d), about, *compared(mine)))
    return markdown(("problem", "d", "character", *columns()), lines)


def cpu_table(rows: Sequence[Row]) -> str:
    """Return the CPU time that planning took, relative to other methods."""
    lines = []
    for other in (PLANNED, BASELINE):
        pairs = paired(chosen(rows, SUBJECT, MAIN), chosen(rows, other, MAIN))
        lines.append((f"`{other}`", str(ratio_of(pairs, "planner_cpu"))))
    return markdown(("planner CPU relative to", "ratio"), lines)


def conditions_table(rows: Sequence[Row]) -> str:
    """Return what old results, results that are out, and a budget do to each method, against itself without them."""
    lines = []
    conditions: dict[Condition, str] = {"old": "2 d old results", "out": "ten results out"}
    for condition, words in conditions.items():
        for method in (BASELINE, SUBJECT):
            pairs = paired(chosen(rows, method, MAIN, condition), chosen(rows, method, MAIN))
            lines.append((words, f"`{method}`", *compared(pairs)))
    return markdown(("with", "method", *columns("itself without")), lines)


def budget_table(rows: Sequence[Row]) -> str:
    """Return what is found on the same budget, how much of that is used, and in how many trials."""
    lines = []
    theirs = chosen(rows, BASELINE, ALLOWED, "budget")
    for method in (BASELINE, SUBJECT):
        own = chosen(rows, method, ALLOWED, "budget")
        pairs = paired(own, theirs)
        lost, found = lost_and_found(pairs)
        lines.append(
            (
                f"`{method}`",
                str(ratio_of(pairs, "simple_regret")),
                f"{share_missed(own):.0%}",
                f"{lost}, {found}",
                f"{used(own):.0%}",
                f"{np.mean([row.movement >= MOST * row.budget for row in own]):.0%}",
                f"{np.median([row.places for row in own]):.0f}",
            )
        )
    heads = ("simple regret", "missed", "lost, found", "budget used", f"used {MOST:.0%} or more", "places, median")
    return markdown(("method", *heads), lines)


def used(rows: Sequence[Row]) -> float:
    """Return which part of their budgets the studies used, on average."""
    return float(np.mean([row.movement / row.budget for row in rows]))


def peers_table(rows: Sequence[Row]) -> str:
    """Return how we and Optuna compare to the baseline, on the problems and seeds that Optuna was run on."""
    shared = {row.cell for row in chosen(rows, OPTUNA[0], MAIN)}
    mine = [row for row in rows if row.cell in shared]
    return summary(mine, (SUBJECT, *OPTUNA), MAIN, by_group=False)


def choices_table(rows: Sequence[Row]) -> str:
    """Return what looking farther does on the problems with choices."""
    names = groups("report")["mixed"]
    return summary([row for row in rows if row.problem in names], (SUBJECT, *NO_FARTHER), MAIN, by_group=False)


def in_a_sentence(rows: Sequence[Row]) -> str:
    """Return what is shown at once: movement and what is found, at the number of trials where methods are compared."""
    pairs = paired(chosen(rows, SUBJECT, MAIN), chosen(rows, BASELINE, MAIN))
    problems = len({row.problem for row, _ in pairs})
    moved, short = (ratio_of(pairs, measure) for measure in ("movement", "simple_regret"))
    return (
        f"On {problems} problems that nothing was chosen by, {MAIN} trials each, the default travels {moved} times\n"
        f"as far as the same model blind to movement (`{BASELINE}`), and the place that it keeps falls short\n"
        f"of the best by {short} times as much: geometric means with 95% intervals, `make bench-method`;\n"
        "[all tables, and where it is worse](docs/evidence/index.md)."
    )


def blocks(searched: Sequence[Row], reported: Sequence[Row]) -> dict[str, str]:
    """Return every table by the name of its block; what was not run has none."""
    ran = {(row.trials, row.condition) for row in reported}
    found = {f"report-{t}": summary(reported, (SUBJECT,), t) for t in HORIZONS if (t, "plain") in ran}
    if (ALLOWED, "budget") in ran:
        found["budget"] = budget_table(reported)
    if chosen(reported, OPTUNA[0], MAIN):
        found["peers"] = peers_table(reported)
    if chosen(reported, NO_FARTHER[0], MAIN):
        found["choices"] = choices_table(reported)
    if searched:
        found["parts"] = summary(searched, PARTS, MAIN, by_group=False)
    return found | {
        "report": in_short(reported),
        "evidence": in_a_sentence(reported),
        "rivals": summary(reported, METHODS, MAIN, by_group=False),
        "control": in_short(reported, baseline=CONTROL),
        "problems": problems_table(reported),
        "cpu": cpu_table(reported),
        "conditions": conditions_table(reported),
    }
