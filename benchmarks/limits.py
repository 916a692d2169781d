"""Random studies with limits, walked to their end: is a budget, a trip or a step ever exceeded?

Run ``python benchmarks/limits.py``: it walks 10,000 studies, writes limits.md beside itself and exits with 1
if one of them exceeds its limits by more than rounding. All have a budget, and some have trips or a maximum
step. They differ in space, cost, method, start, end, limits, the cost of a result, shuffling and whether they
return to an anchor (``limits_studies``). Results come late, trials fail or are skipped, extra places are
inserted, routes are planned again, legs are told to cost less or more than was stated, settings are missed,
the traveller is put elsewhere by hand, and some studies are opened again from their file (``limits_walk``).
What must hold, and when, stands in ``limits_watch``; what is spent is added up in ``limits_books``.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from limits_books import CLOSE
from limits_studies import TOLD
from limits_walk import Walk, walk


def main() -> int:
    options = _options()
    seeds = range(options.seed, options.seed + options.studies)
    with ProcessPoolExecutor(options.processes) as pool:
        walks = list(pool.map(walk, seeds, chunksize=50))
    text = page(walks)
    Path(options.out).write_text(text)
    sys.stdout.write(text)
    return int(any(exceeds(one) or one.unlike for one in walks))


def exceeds(walk: Walk) -> bool:
    """Return whether a study exceeded a limit, or its ledger has other legs than its trials."""
    return max(walk.over, walk.beyond, walk.off) > CLOSE


def page(walks: Iterable[Walk]) -> str:
    """Return what was found, as Markdown."""
    walks = list(walks)
    worst = max(max(one.over, one.beyond) for one in walks)
    methods = Counter(one.method for one in walks)
    said = ", ".join(f"{name} {number:,}" for name, number in sorted(methods.items()))
    off = sum(one.off > CLOSE for one in walks)
    previewed, unlike = sum(one.previewed for one in walks), sum(one.unlike for one in walks)
    lines = [
        "# Travel budgets, trips and steps",
        "",
        f"{len(walks):,} random studies walked to their end by `python benchmarks/limits.py`. What was",
        "spent was added up from the trials alone: of every visit what was told of its leg, else the stated",
        "cost from where the traveller really was, and the cost of the results. It was held against the",
        "limits twice:",
        "",
        "- **Whenever a trial was handed out**, what was spent, what was out, the leg to the trial, its",
        "  results and the way home had to fit the budget and the trip under way, legs and ways ahead at the",
        "  dearer of what was stated and what was learned by then; and the leg, as stated, a step.",
        "- **After everything that happened**, what was spent or out and the way home, as stated, had to fit",
        "  the budget and the trip under way, unless there was a surprise since a trial was last handed out:",
        "  a leg told dearer than it was counted as then, a place that was missed, or a traveller put",
        "  elsewhere by hand. No study can promise that such a thing does not overdraw a budget.",
        "",
        *by_told(walks),
        "",
        "By learned: of the trials handed out, those before which something was learned of the cost of legs.",
        "Without surprises the limits were looked at after every move, the last included.",
        "",
        *by_limit(walks),
        "",
        *by_kind(walks),
        "",
        f"Methods: {said}. The most that a limit was exceeded by, in proportion, is {worst:.1e}; rounding",
        f"may take {CLOSE:g}. Used is what those ended by their budget without a surprise used of it, the",
        f"way home included. In {off or 'none'} of the studies the ledger had other legs than the trials.",
        f"Of {previewed:,} trials that the preview had shown as the next stop, {unlike or 'none'} went to",
        "another place, by another way or at another cost than was shown.",
        "",
    ]
    return "\n".join(lines)


def by_told(walks: list[Walk]) -> list[str]:
    """Return a table of what was looked at, by what was told of legs."""
    lines = [
        "| told of legs | studies | visits | handed out | by learned | surprises | looked at | exceeded |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for told in TOLD:
        of = [one for one in walks if one.told == told]
        numbers = ("visits", "handed_out", "by_learned", "surprises", "looks")
        sums = " | ".join(f"{sum(getattr(one, name) for one in of):,}" for name in numbers)
        exceeded = sum(max(one.over, one.beyond) > CLOSE for one in of)
        lines.append(f"| {told} | {len(of):,} | {sums} | {exceeded} |")
    return lines


def by_limit(walks: list[Walk]) -> list[str]:
    """Return a table by what there was besides the budget."""
    lines = [
        "| besides the budget | studies | visits | went home in between | budget exceeded | it exceeded |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for limit in sorted({one.limit for one in walks}):
        of = [one for one in walks if one.limit == limit]
        visits, homes = sum(one.visits for one in of), sum(one.homes for one in of)
        over = sum(one.over > CLOSE for one in of)
        beyond = "-" if limit == "budget alone" else str(sum(one.beyond > CLOSE for one in of))
        lines.append(f"| {limit} | {len(of):,} | {visits:,} | {homes:,} | {over} | {beyond} |")
    return lines


def by_kind(walks: list[Walk]) -> list[str]:
    """Return a table by space and cost."""
    lines = [
        "| space, cost | studies | visits | ended by the budget | used of the budget | exceeded |",
        "| --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    for kind in [*sorted({one.kind for one in walks}), "all"]:
        of = [one for one in walks if kind in (one.kind, "all")]
        spent = [one for one in of if one.left_trials]
        shares = [one.used for one in spent if not one.surprises]
        used = f"{100 * np.mean(shares):.0f}%" if shares else "-"
        over = sum(one.over > CLOSE for one in of)
        visits = sum(one.visits for one in of)
        lines.append(f"| {kind} | {len(of):,} | {visits:,} | {len(spent):,} | {used} | {over} |")
    return lines


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--studies", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--processes", type=int, default=2)
    parser.add_argument("--out", default=str(Path(__file__).with_suffix(".md")))
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
