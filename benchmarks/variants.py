"""Methods that differ from one of our catalogue in one part: what is the difference worth?

Four are as others run them; the others take one part from a method, or give it one, so that ``page.py`` can say what
batches, the order, elimination, the survey and the price are worth. ``make bench-page`` runs them in this folder, where
``python variants.py`` prints the names of the latter, and ``python variants.py FOLDER`` joins the results there, of all
three suites, into ``results/variants.csv`` and its companions.
"""

import math
import sys
from pathlib import Path

import numpy as np
from attrs import evolve, frozen
from numpy.random import Generator

from wayfare._core.arrays import Points
from wayfare.bench.results import read_results, write_results
from wayfare.planning.catalogue import method_named
from wayfare.planning.method import Method
from wayfare.planning.opening import ShowValues
from wayfare.policy import UCB, Elimination, ExploreFirst, LogEI, Policy, Runs, Snake, Thompson
from wayfare.policy.base import Situation
from wayfare.policy.schedule import Growing, Horizon, OneByOne, Rolling
from wayfare.route import AsGiven


@frozen
class RawRepeated:
    """MINI's repeats as in the authors' code: ``ceil((C^2 - 1) / s^2)``, whatever the noise."""

    policy: Policy
    shrink: float = 1.1

    def propose(self, situation: Situation, size: int, rng: Generator) -> Points:
        """Return one place, up to ``size`` times."""
        place = Runs.of(self.policy.propose(situation, 1, rng)).places[:1]
        variance = float(situation.expected.marginals(place).sd[0]) ** 2
        times = math.ceil(min((self.shrink**2 - 1) / max(variance, 1e-12), size))
        return np.repeat(place, min(times, size), axis=0)


def unordered(method: Method) -> Method:
    """Return a method that visits its batches in the order in which the policy chose their places."""
    return evolve(method, planner=AsGiven())


mini_raw = Method(RawRepeated(UCB()), Horizon())
snake_resampling = Method(Snake("none"), Rolling())
snake_truncated = Method(Snake("eps", step=0.1), Rolling())
snake_stopping = Method(Snake("eps", stop=0.5), Rolling())

ucb_eliminated = Method(Elimination(UCB()), OneByOne())
ucb_batched = Method(UCB(), Growing())
ucb_batched_unordered = unordered(ucb_batched)
tucb_unordered = unordered(method_named("tucb"))
plan_ucb_unordered = unordered(method_named("plan-ucb"))

ts_eliminated = Method(Elimination(Thompson()), OneByOne())
ts_batched = Method(Thompson(), Growing())
ts_batched_unordered = unordered(ts_batched)
tts_unordered = unordered(method_named("tts"))
plan_ts_unordered = unordered(method_named("plan-ts"))

wayfare_unordered = unordered(method_named("wayfare"))
wayfare_one_by_one = evolve(method_named("wayfare"), schedule=OneByOne())
wayfare_no_survey = evolve(method_named("wayfare"), opening=ShowValues())
wayfare_no_price = evolve(method_named("wayfare"), policy=ExploreFirst(LogEI(), UCB(1.0)))

SIBLINGS = {
    "variants:mini_raw": "mini",
    "variants:snake_resampling": "snake",
    "variants:snake_truncated": "snake",
    "variants:snake_stopping": "snake",
    "tucb-paper": "tucb",
    "tts-paper": "tts",
    "plan-ucb": "tucb",
    "plan-ts": "tts",
}
"""Methods as others run them, and ours that each differs from."""

PARTS = (
    ("batches, in the order chosen", "variants:ucb_batched_unordered", "ucb"),
    ("order", "variants:ucb_batched", "variants:ucb_batched_unordered"),
    ("elimination", "tucb", "variants:ucb_batched"),
    ("elimination alone", "variants:ucb_eliminated", "ucb"),
    ("batches and order after that", "tucb", "variants:ucb_eliminated"),
    ("order alone after that", "tucb", "variants:tucb_unordered"),
    ("all", "tucb", "ucb"),
    ("published batches, in the order chosen", "variants:plan_ucb_unordered", "ucb"),
    ("order of these", "plan-ucb", "variants:plan_ucb_unordered"),
    ("Algorithm 1", "plan-ucb", "ucb"),
    ("nested elimination after it", "tucb-paper", "plan-ucb"),
    ("batches, in the order chosen", "variants:ts_batched_unordered", "ts"),
    ("order", "variants:ts_batched", "variants:ts_batched_unordered"),
    ("elimination", "tts", "variants:ts_batched"),
    ("elimination alone", "variants:ts_eliminated", "ts"),
    ("batches and order after that", "tts", "variants:ts_eliminated"),
    ("order alone after that", "tts", "variants:tts_unordered"),
    ("all", "tts", "ts"),
    ("published batches, in the order chosen", "variants:plan_ts_unordered", "ts"),
    ("order of these", "plan-ts", "variants:plan_ts_unordered"),
    ("Algorithm 1", "plan-ts", "ts"),
    ("nested elimination after it", "tts-paper", "plan-ts"),
    ("survey", "wayfare", "variants:wayfare_no_survey"),
    ("price", "wayfare", "variants:wayfare_no_price"),
    ("batches and order", "wayfare", "variants:wayfare_one_by_one"),
    ("order", "wayfare", "variants:wayfare_unordered"),
)
"""What each part is worth: its name, a method with it, and the same method without it."""

DECOMPOSED = tuple(dict.fromkeys(name for _, *pair in PARTS for name in pair if name.startswith("variants:")))

SUITES = ("paper", "field", "authors")


def join(folder: Path, results: Path) -> None:
    """Write the results of the variants in all suites as one."""
    write_results([cell for suite in SUITES for cell in read_results(folder, suite)], results, "variants")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        join(Path(sys.argv[1]), Path(__file__).with_name("results"))
    else:
        print(",".join(DECOMPOSED))
