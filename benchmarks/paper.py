"""Fill docs/paper.md: every claim of the paper, where it is in the code, how it is seen, and whether it holds here.

Run ``python benchmarks/paper.py`` after any of the results it reads was made anew: those of the suites and of the two
peaks in ``results/``, those of ``theory/results/``, and routes.md. It runs nothing else.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

from attrs import frozen

import seen
from blocks import fill_blocks
from seen import Seen, by_construction
from wayfare.bench.report import markdown

PAGE = Path(__file__).parents[1] / "docs" / "paper.md"


@frozen
class Claim:
    """A claim of the paper in our words: where it is in the code, the command that shows it, and what is seen."""

    words: str
    code: Sequence[str]
    command: str
    see: Callable[[], Seen]


def theory(parts: str) -> str:
    """Return the command that measures parts of the theory benchmark."""
    return f"python -m benchmarks.theory run --parts {parts}"


PLAN = "src/wayfare/planning/plan.py"
CATALOGUE = "src/wayfare/planning/catalogue.py"
ELIMINATION = "src/wayfare/policy/elimination.py"
SCHEDULE = "src/wayfare/policy/schedule.py"
ROUTE = "src/wayfare/route/route.py"
SEARCH = "src/wayfare/route/search.py"
BPE = "src/wayfare/policy/bpe.py"
PENALISED = "src/wayfare/policy/penalised.py"
THOMPSON = "src/wayfare/policy/thompson.py"
GREEDY = "src/wayfare/policy/greedy.py"
VARIANTS = "benchmarks/variants.py"
DIMENSION = "src/wayfare/analysis/dimension.py"
ARMS, CUBES = "src/wayfare/policy/bandit/arms.py", "src/wayfare/policy/bandit/cubes.py"
PROOF = "docs/theory.md"
SUITE = "wayfare bench run paper"
PARTS = "make bench-page"
"""The suites with the variants that differ in one part."""

CLAIMS: dict[str, Sequence[Claim]] = {
    "abstract": (
        Claim(
            "A plug-in for batched algorithms: their batches are observed along a short path",
            (PLAN, CATALOGUE),
            "wayfare methods",
            seen.plug_in,
        ),
        Claim(
            "A guarantee that movement converges: its average goes to zero",
            (PROOF, "src/wayfare/planning/guarantee.py"),
            theory("boxes"),
            seen.movement_falls,
        ),
        Claim("Average movement falls over time", (PLAN,), SUITE, seen.falling),
        Claim("Regret stays comparable to that of conventional methods", (PLAN, ELIMINATION), SUITE, seen.headline),
        Claim(
            "Promising for other bandits, too: regret and movement together are smaller",
            (ARMS, CUBES),
            theory("arms"),
            seen.few_moves_among_arms,
        ),
    ),
    "figures": (
        Claim(
            "Figure 1: aware of movement or not, the methods visit similar places; the path between them is shorter",
            ("benchmarks/pictures.py", VARIANTS),
            PARTS,
            seen.similar_places,
        ),
        Claim(
            "Figure 2, quadratic: movement dies out by itself where one place is clearly best",
            ("benchmarks/pictures.py",),
            SUITE,
            seen.ucb_settles,
        ),
        Claim(
            "Figure 3: a method that penalizes movement never leaves the worse of two peaks",
            (PENALISED, "benchmarks/peaks.py"),
            "python benchmarks/peaks.py",
            seen.penalty_stays,
        ),
        Claim(
            "Figure 3: planning ahead leaves it",
            (PLAN, "benchmarks/peaks.py"),
            "python benchmarks/peaks.py",
            seen.planners_leave,
        ),
    ),
    "section-4": (
        Claim(
            "Algorithm 1: select a batch, plan a path through it, observe it to its end, select the next",
            (PLAN, "src/wayfare/planning/layout.py"),
            "pytest tests/planning/test_paper_methods.py",
            by_construction("`plan-ucb`, `plan-ts`; equal places are one stop and visited in a row"),
        ),
        Claim(
            "Algorithm 2: the same, among the places that no belief so far has ruled out",
            (PLAN, ELIMINATION),
            "pytest tests/planning/test_paper_methods.py",
            by_construction("`tucb-paper`, `tts-paper`; `tucb` and `tts` ask the present belief alone"),
        ),
        Claim(
            "The same places are tested as by the batched algorithm, in another order",
            (ROUTE, VARIANTS),
            PARTS,
            seen.same_places,
        ),
        Claim(
            "Any batched policy will do: Thompson sampling, UCB, BPE",
            (GREEDY, THOMPSON, BPE),
            "wayfare methods",
            seen.any_acquisition,
        ),
        Claim(
            "Responses need not come in batches: each is known at once",
            ("src/wayfare/study/study.py",),
            "pytest tests/study/test_study.py",
            by_construction("`study.tell` after every trial; a route is still walked to its end"),
        ),
        Claim(
            "Methods that go one by one may converge faster in practice than batched ones",
            (SCHEDULE, VARIANTS),
            PARTS,
            seen.greedy_is_faster,
        ),
        Claim("Successive elimination makes up for that", (ELIMINATION,), SUITE, seen.elimination_helps),
        Claim(
            "A place whose upper bound is below the highest lower bound is not the best, with high probability",
            (ELIMINATION, BPE),
            theory("growth"),
            seen.ruled_out,
        ),
    ),
    "section-5": (
        Claim(
            "Any n points of the unit cube have a path of length O(n^(1 - 1/d)) (Few; Beardwood, Halton, Hammersley)",
            (ROUTE, "benchmarks/theory/paths.py"),
            theory("paths"),
            seen.few,
        ),
        Claim(
            "Remark 4: no fewer balls cover a space than pack it, and no more than pack it at a quarter of the radius",
            (DIMENSION,),
            "pytest tests/analysis/test_dimension.py",
            by_construction(
                "a net of places r apart covers at radius r and packs at r/2, so half the radius is enough"
            ),
        ),
        Claim(
            "Theorem 5: so have n points of any connected, totally bounded metric space whose dimension is d",
            (PROOF, "benchmarks/theory/curve.py"),
            "python -m benchmarks.theory page",
            seen.curve,
        ),
        Claim("Theorem 5: the bound is tight", (PROOF, "benchmarks/theory/paths.py"), theory("paths"), seen.tight),
        Claim(
            "Remark 6: a constant factor changes nothing, such as 2 for a walk around the cheapest spanning tree",
            (SEARCH, ROUTE),
            "python benchmarks/routes.py --bound",
            seen.routes,
        ),
        Claim(
            "The more places are planned ahead, the shorter the average way to the next",
            (ROUTE,),
            theory("paths"),
            seen.shorter_legs,
        ),
        Claim(
            "Corollary 7: with N(T) = o(T^(1/d)) batches cumulative movement is o(T)",
            (PROOF, SCHEDULE),
            theory("boxes"),
            seen.movement_falls,
        ),
        Claim(
            "Theorem 8 (Li and Scarlett): O(log log T) batches, regret sqrt(gamma_T T) but for logarithms",
            (BPE, SCHEDULE),
            theory("growth,boxes"),
            seen.proven_regret,
        ),
        Claim(
            "BPE on short paths moves O(T^(1 - 1/d) log log T) in all, or less",
            (BPE, ROUTE),
            theory("growth,boxes"),
            seen.proven_movement,
        ),
        Claim(
            "Corollary 9: a loss L_T of T^(1 - 1/d) + sqrt(gamma_T T), but for logarithms",
            (BPE, ROUTE),
            theory("boxes"),
            seen.proven_loss,
        ),
        Claim(
            "K arms: regret sqrt(K T) and movement log log T, but for logarithms", (ARMS,), theory("arms"), seen.arms
        ),
        Claim(
            "Lipschitz functions: regret T^((d + 1)/(d + 2)) and less movement, but for logarithms",
            (CUBES,),
            theory("lipschitz"),
            seen.lipschitz,
        ),
        Claim(
            "In high dimensions movement may grow faster than regret (section 7)",
            (PROOF,),
            theory("boxes"),
            seen.dimension_cost,
        ),
    ),
    "section-6": (
        Claim("Batches that grow by 1.1 are O(log T) in number", (SCHEDULE,), "wayfare methods", seen.batch_count),
        Claim(
            "The faster batches grow, the less movement, and the slower the method adapts",
            (SCHEDULE, VARIANTS),
            PARTS,
            seen.larger_batches,
        ),
        Claim(
            "Any factor above 1 has the same guarantees, but for a constant",
            (SCHEDULE, PROOF),
            "pytest tests/policy/test_schedule.py",
            seen.any_factor,
        ),
        Claim("Comparable regret at less movement, over all", (PLAN, ELIMINATION), SUITE, seen.headline),
        Claim(
            "First: `GS` hardly moves in some cases, and its regret stays", (PENALISED,), SUITE, seen.gs_hardly_moves
        ),
        Claim("`GS` works very well on Branin, where every peak is a best one", (PENALISED,), SUITE, seen.gs_on_branin),
        Claim("Second: `SnAKe` hardly converges, in regret or in movement", (THOMPSON,), SUITE, seen.snake_stays),
        Claim(
            "That is a side effect of deleting draws near visited places", (THOMPSON, VARIANTS), PARTS, seen.deletion
        ),
        Claim(
            "So is that it changes its plan at every result, which forfeits what planning saves",
            (THOMPSON, SCHEDULE),
            SUITE,
            seen.replanning,
        ),
        Claim("Third: `MINI` moves least", (PENALISED,), SUITE, seen.mini_moves_least),
        Claim("`MINI` is almost always slower than `UCB` and `TUCB`", (PENALISED,), SUITE, seen.mini_is_slower),
        Claim(
            "Fourth: `UCB` moves little where there is a clear best place, such as on Ackley",
            (GREEDY,),
            SUITE,
            seen.ucb_settles,
        ),
        Claim("Finally: `UCB` outperforms `TS`, which moves more", (GREEDY, THOMPSON), SUITE, seen.ucb_beats_ts),
        Claim("With planning the movement of `TTS` falls significantly", (PLAN, THOMPSON), SUITE, seen.tts_moves_less),
    ),
}
"""The claims by section."""


def blocks() -> dict[str, str]:
    """Return the tables of the page, by the names of its blocks."""
    return {name: table(claims) for name, claims in CLAIMS.items()}


def table(claims: Sequence[Claim]) -> str:
    """Return a row for each claim."""
    rows = []
    for claim in claims:
        found = claim.see()
        links = ", ".join(link(path) for path in claim.code)
        rows.append([claim.words, links, f"`{claim.command}`", f"**{found.verdict}**", found.figure])
    head = ["claim", "where", "seen by", "holds here", "figure"]
    # Words, all of them: flush left.
    return markdown(head, rows).replace("---:", "---")


def link(path: str) -> str:
    """Return a file of the project as a link from the page."""
    return f"[{Path(path).name}]({path.removeprefix('docs/') if path.startswith('docs/') else f'../{path}'})"


def main() -> None:
    """Fill the page."""
    PAGE.write_text(fill_blocks(PAGE.read_text(), blocks()))
    print(f"docs/{PAGE.name}")


if __name__ == "__main__":
    main()
