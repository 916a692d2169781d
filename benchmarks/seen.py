"""What the results say of the paper's claims: a verdict and a figure for each, worked out from the committed rows.

``paper.py`` makes docs/paper.md of them. Nothing is run here, and no verdict about what can be measured is written
down: new results change it.
"""

import re
from collections.abc import Callable, Mapping
from functools import cache
from itertools import accumulate
from pathlib import Path

import numpy as np
from attrs import frozen

from claims import late_over_early, steps
from page import RESULTS, with_variants
from peaks import FILE as PEAKS_FILE
from peaks import counts
from theory import laws, paths
from theory.boxes import LAWS as BOX_LAWS
from theory.boxes import power
from theory.curve import table as curve_table
from theory.exponent import Exponent, slope
from theory.lipschitz import LAWS as LIPSCHITZ_LAWS
from theory.page import read_rows
from theory.part import Row
from wayfare._core.arrays import Points
from wayfare.bench.compare import Comparison, Ratio, paired_ratio, pooled_ratio
from wayfare.bench.report import brief, ratio_in_short
from wayfare.bench.results import read_results, rows_of
from wayfare.planning.catalogue import CATALOGUE
from wayfare.policy.bpe import most_batches
from wayfare.policy.schedule import Growing, OneByOne, Rolling
from wayfare.route import AsGiven

ROUTES = Path(__file__).with_name("routes.md")
HOLDS, PARTLY, FAILS, UNSEEN = "holds", "in part", "does not hold", "not measured"
VERDICTS = (HOLDS, PARTLY, FAILS, UNSEEN)


@frozen
class Seen:
    """What a measurement says of a claim: a verdict, and the figure."""

    verdict: str
    figure: str

    def __attrs_post_init__(self) -> None:
        if self.verdict not in VERDICTS:
            raise ValueError(f"{self.verdict!r} is no verdict")


def verdict(*passed: bool) -> str:
    """Return whether all hold, some, or none."""
    return HOLDS if all(passed) else PARTLY if any(passed) else FAILS


# What is measured on the paper's five functions.


@cache
def suite() -> tuple[Comparison, ...]:
    """Return the comparisons of the paper's suite, with the variants."""
    return tuple(with_variants(read_results(RESULTS, "paper")))


def ratio(method: str, baseline: str, measure: str = "mean_movement") -> Ratio:
    """Return a method over another, the geometric mean over the five functions."""
    pairs: list[Points] = [one.pairs(method, baseline, measure) for one in suite()]
    return pooled_ratio(pairs)


def compared(method: str, baseline: str) -> str:
    """Return movement and mean regret of a method over those of another."""
    movement, regret = (ratio_in_short(ratio(method, baseline, by)) for by in ("mean_movement", "mean_regret"))
    name = f"{method.removeprefix('variants:')} / {baseline.removeprefix('variants:')}"
    return f"{name}: movement {movement}, mean regret {regret}"


def on(problem: str) -> Comparison:
    """Return the comparison on one function."""
    return next(one for one in suite() if one.setting.problem == problem)


def headline() -> Seen:
    pairs = (("tucb", "ucb"), ("tts", "ts"))
    moves = all(ratio(*pair).high < 1 for pair in pairs)
    regrets = all(ratio(*pair, "mean_regret").low <= 1 for pair in pairs)
    return Seen(verdict(moves, regrets), "; ".join(compared(*pair) for pair in pairs))


def falling() -> Seen:
    """The mean leg of planned methods, late over early."""
    shares = {name: [float(late_over_early(one, name, "legs")) for one in suite()] for name in ("tucb", "tts")}
    words = [f"{name}: {brief(min(own))} to {brief(max(own))}" for name, own in shares.items()]
    fell = [share < 1 for own in shares.values() for share in own]
    return Seen(verdict(*fell), "mean leg in the last quarter over the first, five functions: " + "; ".join(words))


def greedy_is_faster() -> Seen:
    every = [("variants:ucb_batched_unordered", "ucb"), ("variants:plan_ucb_unordered", "ucb")]
    every += [("variants:ts_batched_unordered", "ts"), ("variants:plan_ts_unordered", "ts")]
    found = [ratio(*pair, "mean_regret") for pair in every]
    names = [pair[0].removeprefix("variants:").removesuffix("_unordered") for pair in every]
    words = "; ".join(f"{name} {ratio_in_short(one)}" for name, one in zip(names, found, strict=True))
    clear = [one.low > 1 for one in found]
    said = HOLDS if all(clear) else PARTLY if all(one.mean > 1 for one in found) else FAILS
    return Seen(said, f"mean regret of batches over one by one: {words}")


def elimination_helps() -> Seen:
    every = (("tucb-paper", "plan-ucb"), ("tts-paper", "plan-ts"))
    found = [ratio(*pair, "mean_regret") for pair in every]
    said = HOLDS if all(one.high < 1 for one in found) else PARTLY if all(one.mean < 1 for one in found) else FAILS
    return Seen(said, "; ".join(compared(*pair) for pair in every))


def same_places() -> Seen:
    words = "; ".join(compared(*pair) for pair in ORDERED)
    regrets = [ratio(*pair, "mean_regret") for pair in ORDERED]
    moves = [ratio(*pair).high < 1 for pair in ORDERED]
    return Seen(verdict(*moves, *(one.low <= 1 <= one.high for one in regrets)), words)


ORDERED = (("plan-ucb", "variants:plan_ucb_unordered"), ("plan-ts", "variants:plan_ts_unordered"))


def larger_batches() -> Seen:
    """Published batches, fourteen in a hundred trials, over ours, twenty-seven; no elimination in either."""
    pairs = (("plan-ucb", "variants:ucb_batched"), ("plan-ts", "variants:ts_batched"))
    moves, regrets = [ratio(*pair) for pair in pairs], [ratio(*pair, "mean_regret") for pair in pairs]
    clear = all(one.high < 1 for one in moves) and all(one.low > 1 for one in regrets)
    so = all(one.mean < 1 for one in moves) and all(one.mean > 1 for one in regrets)
    return Seen(HOLDS if clear else PARTLY if so else FAILS, "; ".join(compared(*pair) for pair in pairs))


def gs_hardly_moves() -> Seen:
    still = [one.setting.problem for one in suite() if one.mean("gs", "mean_movement") < 0.1 * mean_ucb(one)]
    left = [float(late_over_early(on(name), "gs", "regret")) for name in still]
    figure = f"less than a tenth of the movement of `ucb` on {', '.join(still)}; "
    figure += f"there regret in the last quarter over the first is {brief(min(left))} to {brief(max(left))}"
    return Seen(verdict(bool(still), min(left) > 0.9), figure)


def mean_ucb(one: Comparison) -> float:
    """Return the mean movement of UCB."""
    return one.mean("ucb", "mean_movement")


def gs_on_branin() -> Seen:
    found = paired_ratio(on("branin").pairs("gs", "ucb", "mean_regret"))
    moved = paired_ratio(on("branin").pairs("gs", "ucb", "mean_movement"))
    figure = f"on Branin gs / ucb: mean regret {ratio_in_short(found)}, movement {ratio_in_short(moved)}"
    return Seen(verdict(found.low <= 1, moved.high < 1), figure)


def snake_stays() -> Seen:
    regret, moved = ([float(late_over_early(one, "snake", by)) for one in suite()] for by in ("regret", "legs"))
    figure = f"last quarter over the first: regret {brief(min(regret))} to {brief(max(regret))}, "
    figure += f"movement {brief(min(moved))} to {brief(max(moved))}"
    return Seen(verdict(min(moved) > 0.5, min(regret) > 0.2), figure)


def deletion() -> Seen:
    found = {one.setting.problem: one.pairs("variants:snake_resampling", "snake", "mean_movement") for one in suite()}
    ratios = {name: paired_ratio(pairs) for name, pairs in found.items()}
    less = [name for name, one in ratios.items() if one.high < 1]
    figure = "movement without deletion: " + "; ".join(f"{name} {ratio_in_short(one)}" for name, one in ratios.items())
    return Seen(verdict(*(name in less for name in ratios)), figure)


def replanning() -> Seen:
    """SnAKe, whose route is planned again at every result, over Thompson batches whose routes are walked to the end."""
    moved = ratio("snake", "plan-ts")
    late = {name: [float(late_over_early(one, name, "legs")) for one in suite()] for name in ("snake", "plan-ts")}
    words = [f"{name} {brief(min(own))} to {brief(max(own))}" for name, own in late.items()]
    figure = f"snake / plan-ts: movement {ratio_in_short(moved)}; last quarter over the first: {', '.join(words)}"
    fades = [walked < again for again, walked in zip(late["snake"], late["plan-ts"], strict=True)]
    return Seen(verdict(moved.low > 1, *fades), figure)


def mini_moves_least() -> Seen:
    moved = ratio("mini", "ucb")
    least = [one for one in suite() if one.mean("mini", "mean_movement") <= min(mean_ucb(one), tucb_moves(one))]
    return Seen(verdict(len(least) == len(suite())), f"mini / ucb: movement {ratio_in_short(moved)}")


def tucb_moves(one: Comparison) -> float:
    """Return the mean movement of TUCB."""
    return one.mean("tucb", "mean_movement")


def mini_is_slower() -> Seen:
    slower = {name: ratio("mini", name, "mean_regret") for name in ("ucb", "tucb")}
    figure = "; ".join(f"mini / {name}: mean regret {ratio_in_short(one)}" for name, one in slower.items())
    return Seen(verdict(*(one.mean > 1.005 for one in slower.values())), figure)


def ucb_settles() -> Seen:
    quarters = np.array_split(steps(on("ackley"), "ucb", "legs")[1:], 4)
    early, late = float(quarters[0].mean()), float(quarters[-1].mean())
    return Seen(
        verdict(late < 0.1 * early),
        f"mean leg of `ucb` on Ackley: {early:.3g} in the first quarter, {late:.2g} in the last",
    )


def ucb_beats_ts() -> Seen:
    found = [ratio("ucb", "ts", by) for by in ("mean_regret", "mean_movement")]
    return Seen(verdict(*(one.high < 1 for one in found)), compared("ucb", "ts"))


def tts_moves_less() -> Seen:
    return Seen(verdict(ratio("tts", "ts").high < 1, ratio("tts", "ts", "mean_regret").low <= 1), compared("tts", "ts"))


def any_acquisition() -> Seen:
    found = [ratio(method, blind).mean < 1 for method, blind in PLANNED]
    words = "; ".join(f"{method} / {blind} {ratio_in_short(ratio(method, blind))}" for method, blind in PLANNED)
    return Seen(verdict(*found), f"movement: {words}")


PLANNED = (("tucb", "ucb"), ("tts", "ts"), ("tei", "ei"))


# The figures.


def similar_places() -> Seen:
    one = on("branin")
    found = {name: paired_ratio(one.pairs("tts", "ts", name)) for name in ("mean_movement", "mean_regret")}
    words = f"on Branin tts / ts: movement {ratio_in_short(found['mean_movement'])}; of that order alone "
    words += ratio_in_short(paired_ratio(one.pairs("tts", "variants:tts_unordered", "mean_movement")))
    return Seen(PARTLY if found["mean_movement"].high < 1 else FAILS, words)


def peaks(method: str) -> str:
    """Return how many seeds end at the better peak, by where that is."""
    found = counts(rows_of(PEAKS_FILE))[method]
    return f"{method} " + ", ".join(str(well) for well in found.values())


def penalty_stays() -> Seen:
    ended = counts(rows_of(PEAKS_FILE))
    figure = f"seeds of ten at the better peak, at 9, 7.5, 6.5: {peaks('gs')}"
    return Seen(verdict(*(well == 0 for well in ended["gs"].values())), figure)


def planners_leave() -> Seen:
    ended = counts(rows_of(PEAKS_FILE))
    well = [number >= 9 for name in ("tucb", "tts", "wayfare") for number in ended[name].values()]
    figure = f"{peaks('tucb')}; {peaks('tts')}; {peaks('wayfare')}"
    return Seen(verdict(*well), figure)


# Theory.


@cache
def rows(part: str) -> tuple[Row, ...]:
    """Return the rows of a part of the theory benchmark."""
    return tuple(read_rows(part))


def cubes() -> Mapping[str, Exponent]:
    """Return the exponents of paths in the cubes."""
    return {name: one for name, one in paths.exponents(rows("paths")).items() if name.startswith("cube")}


def few() -> Seen:
    gaps = {name: one.value - paths.bound(paths.NAMED[name].d) for name, one in cubes().items()}
    words = ", ".join(f"d = {name.removeprefix('cube ')}: {one.value:.3f}" for name, one in cubes().items())
    return Seen(verdict(*(abs(gap) <= 0.03 for gap in gaps.values())), f"exponents of random points: {words}")


def curve() -> Seen:
    *_, (_, places, length, longer) = curve_table().rows
    figure = f"x sin(1/x), of dimension 1: {places} places need a tree of {length}, {longer} at each halving of the gap"
    return Seen(PARTLY, figure)


def tight() -> Seen:
    found = cubes()
    attained = all(one.high >= paths.bound(paths.NAMED[name].d) - 0.03 for name, one in found.items())
    figure = "points at random in the cubes attain the exponents above; with the limit alone n^o(1) may be missing"
    return Seen(PARTLY if attained else FAILS, figure)


def shorter_legs() -> Seen:
    own = [row for row in rows("paths") if row["set"] == "cube 2"]
    stops = sorted({row["n"] for row in own})
    legs = {n: float(np.mean([row["length"] for row in own if row["n"] == n])) / n for n in (stops[0], stops[-1])}
    first, last = legs.values()
    figure = "mean leg in the square: " + ", ".join(f"{leg:.3f} for {n} places" for n, leg in legs.items())
    return Seen(verdict(last < first), figure)


def routes() -> Seen:
    found = dict(re.findall(r"^\| ([^|]+) \| ([^|]+) \|$", ROUTES.read_text().split("begin bound")[1], re.MULTILINE))
    most = float(found["the same, at most (2 is proved)"])
    figure = f"{found['instances']} routes: at most {most:.2f} times a bound that no route beats"
    return Seen(verdict(most <= 2), figure)


def movement_falls() -> Seen:
    words, fell, last = [], [], 0.0
    for setting in ("interval", "square", "cube"):
        for name in ("wayfare", "tucb", "tts", "bpe"):
            trials, moved = laws.means(rows("boxes"), (setting, name), "movement")
            fell.append(moved[-1] / trials[-1] < moved[0] / trials[0])
        own = [laws.means(rows("boxes"), (setting, name), "movement") for name in ("wayfare", "tucb")]
        words.append(f"{setting} " + ", ".join(f"{m[0] / t[0]:.3f} to {m[-1] / t[-1]:.4f}" for t, m in own))
        last = own[0][0][-1]
    figure = f"movement per trial of wayfare, tucb from T = 100 to {last:,.0f}: " + "; ".join(words)
    return Seen(verdict(*fell), figure)


def proven(part: str, setting: str, quantity: str) -> tuple[Exponent, float]:
    """Return the exponent of ``bpe``, and that of its bound over the same T."""
    key, bound = (setting, "bpe"), {"regret": "rate", "movement": "bound"}[quantity]
    return laws.fitted(rows(part), key, quantity), float(laws.grown(rows(part), key, bound))


def proven_regret() -> Seen:
    """The exponents of regret, and how many tours there are: the way to the first place is one of its own."""
    words, within = exponents("regret")
    walked = [row for part in ("growth", "boxes") for row in rows(part) if row["method"] == "bpe"]
    few = all(row["tours"] <= most_batches(int(row["trials"])) + 1 for row in walked)
    least, most = (end(row["trials"] for row in walked) for end in (min, max))
    tours = {end: max(row["tours"] for row in walked if row["trials"] == end) for end in (least, most)}
    counted = ", ".join(f"{number:.0f} in {end:,.0f} trials" for end, number in tours.items())
    return Seen(verdict(few, *within), f"exponents of `bpe`: {words}; tours at most {counted}")


def proven_movement() -> Seen:
    words, within = exponents("movement")
    return Seen(verdict(*within), f"exponents of `bpe`: {words}")


def exponents(quantity: str) -> tuple[str, list[bool]]:
    """Return the exponents of ``bpe`` beside those of its bounds, and which are within."""
    words, within = [], []
    for part, settings in (("growth", ("interval", "square")), ("boxes", ("interval", "square", "cube"))):
        for setting in settings:
            found, bound = proven(part, setting, quantity)
            within.append(found.low <= bound)
            words.append(f"{setting} {found}, bound {bound:.2f}")
        words[-1] += " (grid)" if part == "growth" else " (box)"
    return "; ".join(words), within


def proven_loss() -> Seen:
    words, within = [], []
    for setting in ("interval", "square", "cube"):
        own = [row | {"loss": row["regret"] + row["movement"]} for row in rows("boxes")]
        found = laws.fitted(own, (setting, "bpe"), "loss")
        law = BOX_LAWS[setting, "bpe"]
        exact = max(law.regret or 0.0, law.movement or 0.0)
        bound = max(exact, *(proven("boxes", setting, by)[1] for by in ("regret", "movement")))
        within.append(found.low <= bound)
        words.append(f"{setting} {found}, power {exact:.2f}, with its logarithms {bound:.2f}")
    return Seen(verdict(*within), "exponents of L_T of `bpe`: " + "; ".join(words))


def arms() -> Seen:
    key = ("10 arms", "base-minimax")
    regret, moved = (laws.fitted(rows("arms"), key, by) for by in ("regret", "movement"))
    tours = max(row["tours"] for row in rows("arms") if row["method"] == key[1])
    figure = f"`base-minimax` to a million pulls: regret T^{regret}, movement T^{moved}, {tours:.0f} tours at most"
    return Seen(verdict(regret.low <= 0.5, moved.low <= 0, tours <= 10), figure)


def lipschitz() -> Seen:
    words, within = [], []
    for d in (1, 2):
        key = (f"needle, d = {d}", "blin")
        law = LIPSCHITZ_LAWS[key]
        regret = laws.fitted(rows("lipschitz"), key, "regret", law.log)
        moved = laws.fitted(rows("lipschitz"), key, "movement")
        within += [regret.low <= (law.regret or 0), moved.value < (law.regret or 0)]
        words.append(f"d = {d}: regret T^{regret} against {law.regret:.3g}, movement T^{moved}")
    return Seen(verdict(*within), "`blin` on the needle: " + "; ".join(words))


def few_moves_among_arms() -> Seen:
    own = [row | {"loss": row["regret"] + row["movement"]} for row in rows("arms")]
    found = {name: laws.means(own, ("10 arms", name), "loss") for name in ("base", "ucb1")}
    at = {name: float(loss[list(trials).index(100_000)]) for name, (trials, loss) in found.items()}
    figure = ", ".join(f"{name} {loss:.0f}" for name, loss in at.items())
    return Seen(verdict(at["base"] < at["ucb1"]), f"regret and movement of ten arms after 100,000 pulls: {figure}")


def ruled_out() -> Seen:
    """How many functions of the grids end with regret that grows like T."""
    words = [f"{name} {len(lost(name))}" for name in ("tucb", "tts", "tucb-proof", "tts-proof")]
    bold, proof = (any(lost(name) for name in names) for names in (("tucb", "tts"), ("tucb-proof", "tts-proof")))
    seeds = 2 * len({row["seed"] for row in rows("growth")})
    figure = f"of {seeds} functions, regret grows like T at the end on: " + ", ".join(words)
    return Seen(HOLDS if not bold else FAILS if proof else PARTLY, figure)


def lost(method: str) -> list[tuple[str, int]]:
    """Return the grids and seeds on which regret grew by a power above 0.95 over the last power of ten of T."""
    found = []
    for setting in ("interval", "square"):
        for seed in sorted({row["seed"] for row in rows("growth")}):
            own = [
                row for row in rows("growth") if (row["setting"], row["method"], row["seed"]) == (setting, method, seed)
            ]
            late = [row for row in own if row["trials"] >= 10_000]
            if slope([row["trials"] for row in late], [max(row["regret"], 1e-12) for row in late]) > 0.95:
                found.append((setting, seed))
    return found


def dimension_cost() -> Seen:
    """The powers of the two bounds by dimension, and the exponents that were measured in the cube."""
    powers = {d: (1 - 1 / d, power(d)) for d in (2, 3, 4, 6)}
    words = ", ".join(f"d = {d}: {movement:.2f} against {regret:.2f}" for d, (movement, regret) in powers.items())
    moved, lost = (laws.fitted(rows("boxes"), ("cube", "bpe"), by) for by in ("movement", "regret"))
    found = verdict(any(movement > regret for movement, regret in powers.values()), moved.low > lost.high)
    figure = f"powers of the bounds on movement and regret: {words}; `bpe` in the cube has {moved} against {lost}"
    return Seen(found, figure)


# Structure.


def plug_in() -> Seen:
    named = {name: entry.build() for name, entry in CATALOGUE.items()}
    batched = [name for name, one in named.items() if not isinstance(one.schedule, OneByOne | Rolling)]
    routed = [name for name in batched if not isinstance(named[name].planner, AsGiven)]
    return Seen(
        verdict(routed == batched), f"{len(routed)} methods of the catalogue go in batches, all on short routes"
    )


def batch_count() -> Seen:
    published, ours = Growing(1.1, rounding="ceil"), Growing(1.1)
    few, many = ([number(one, trials) for one in (published, ours)] for trials in (100, 10_000))
    figure = f"{few[0]} batches in 100 trials as published, {few[1]} as ours; {many[0]} and {many[1]} in 10,000"
    return Seen(verdict(all(most <= 4 * least for least, most in zip(few, many, strict=True))), figure)


def any_factor() -> Seen:
    """Any factor leaves O(log T) batches; what a policy loses on batches is for its own proof to say."""
    factors = (1.1, 1.5, 2.0)
    few, many = ([number(Growing(one, rounding="ceil"), trials) for one in factors] for trials in (100, 10_000))
    words = ", ".join(f"{one:g}: {least} and {most}" for one, least, most in zip(factors, few, many, strict=True))
    figure = f"batches in 100 and 10,000 trials by factor: {words}; of movement, that is all; regret is the policy's"
    return Seen(PARTLY if all(most <= 4 * least for least, most in zip(few, many, strict=True)) else FAILS, figure)


def number(schedule: Growing, trials: int) -> int:
    """Return how many batches a schedule has in so many trials."""
    return next(at for at, end in enumerate(accumulate(schedule.sizes()), start=1) if end >= trials)


def by_construction(words: str) -> Callable[[], Seen]:
    """Return what is seen where the code has no other way."""
    return lambda: Seen(HOLDS, words)
