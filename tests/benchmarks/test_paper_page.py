"""docs/paper.md says of every claim of the paper what the committed results say."""

import re
from pathlib import Path

import numpy as np
import pytest

import paper
import peaks
import seen
from blocks import block_names, fill_blocks
from tests.bench.cells import measured
from theory.catalogue import PARTS
from wayfare.bench.compare import comparisons
from wayfare.bench.suites import SUITES

ROOT = Path(__file__).parents[2]
TEXT = paper.PAGE.read_text()
EVERY = [claim for claims in paper.CLAIMS.values() for claim in claims]


def test_the_page_is_that_of_the_results():
    made = paper.blocks()
    assert block_names(TEXT) == made.keys()
    assert fill_blocks(TEXT, made) == TEXT, "python benchmarks/paper.py writes it anew"


@pytest.mark.parametrize("claim", EVERY, ids=lambda claim: claim.words[:40])
def test_a_claim_names_code_and_a_command_that_are_there(claim):
    for path in claim.code:
        assert (ROOT / path).is_file(), path
    words = claim.command.split()
    match words:
        case ["python", "-m", "benchmarks.theory", "run", "--parts", parts]:
            assert set(parts.split(",")) <= PARTS.keys()
        case ["python", "-m", "benchmarks.theory", "page"] | ["wayfare", "methods"]:
            pass
        case ["wayfare", "bench", "run", suite]:
            assert suite in SUITES
        case ["make", target]:
            assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)
        case ["python" | "pytest", file, *_]:
            assert (ROOT / file).is_file()
        case _:
            pytest.fail(claim.command)


def test_every_part_of_the_paper_has_its_claims():
    assert list(paper.CLAIMS) == ["abstract", "figures", "section-4", "section-5", "section-6"]
    assert len(EVERY) > 35
    words = " ".join(claim.words for claim in EVERY)
    for named in ("Algorithm 1", "Algorithm 2", "Remark 4", "Theorem 5", "Remark 6", "Corollary 7", "Theorem 8"):
        assert named in words, named
    for named in ("Corollary 9", "K arms", "Any factor", "in high dimensions"):
        assert named.lower() in words.lower(), named
    for named in ("Lipschitz", "GS", "SnAKe", "MINI", "UCB", "TTS"):
        assert named in words, named


def test_every_link_leads_somewhere():
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", TEXT):
        assert (paper.PAGE.parent / target).exists(), target


def test_it_agrees_with_the_page_of_the_benchmarks():
    """The headline is told there in words, too."""
    found = seen.ratio("tucb", "ucb")
    told = (ROOT / "docs" / "benchmarks.md").read_text()
    assert f"it moves {found.mean:.2f} as much ({found.low:.2f} to {found.high:.2f}" in told


def suite_of(legs, regrets):
    """Return comparisons on two problems in which methods have these legs and regrets, more or less."""
    cells = [
        measured(method, seed, [regrets[method] * shake] * 8, [leg * shake] * 8, problem=problem)
        for problem in ("hill", "dale")
        for seed, shake in ((0, 0.99), (1, 1.0), (2, 1.01))
        for method, leg in legs.items()
    ]
    return tuple(comparisons(cells))


@pytest.mark.parametrize(
    ("moves", "regret", "verdict"),
    [(0.5, 1.0, seen.HOLDS), (0.5, 2.0, seen.PARTLY), (2.0, 1.0, seen.PARTLY), (2.0, 2.0, seen.FAILS)],
)
def test_the_headline_holds_only_if_it_does(monkeypatch, moves, regret, verdict):
    legs = {"ucb": 1.0, "ts": 1.0, "tucb": moves, "tts": moves}
    regrets = {"ucb": 1.0, "ts": 1.0, "tucb": regret, "tts": regret}
    monkeypatch.setattr(seen, "suite", lambda: suite_of(legs, regrets))
    found = seen.headline()
    assert found.verdict == verdict
    assert f"tucb / ucb: movement {moves:.2f}" in found.figure


@pytest.mark.parametrize(("moved", "verdict"), [(0.5, seen.HOLDS), (3.0, seen.FAILS)])
def test_mini_moves_least_only_if_it_does(monkeypatch, moved, verdict):
    legs = {"ucb": 1.0, "tucb": 0.6, "mini": moved}
    monkeypatch.setattr(seen, "suite", lambda: suite_of(legs, dict.fromkeys(legs, 1.0)))
    assert seen.mini_moves_least().verdict == verdict


@pytest.mark.parametrize(("again", "late"), [(3.0, 1.0), (0.5, 1.0), (0.5, 0.1)])
def test_replanning_is_blamed_only_where_it_costs_movement(monkeypatch, again, late):
    """SnAKe's legs are ``again`` times those of the batches, and late in the run ``late`` times its own early ones."""
    cells = [
        measured(name, seed, [1.0] * 9, [leg * shake * (share if at > 4 else 1.0) for at in range(9)], problem=problem)
        for problem in ("hill", "dale")
        for seed, shake in ((0, 0.99), (1, 1.0), (2, 1.01))
        for name, leg, share in (("snake", again, late), ("plan-ts", 1.0, 0.5))
    ]
    monkeypatch.setattr(seen, "suite", lambda: tuple(comparisons(cells)))
    expected = {(3.0, 1.0): seen.HOLDS, (0.5, 1.0): seen.PARTLY, (0.5, 0.1): seen.FAILS}
    assert seen.replanning().verdict == expected[again, late]


def test_planners_leave_the_worse_peak_if_nine_of_ten_seeds_do(monkeypatch):
    def ended(**stays):
        return {name: {peak: 10 - stays.get(name, 0) for peak in peaks.PLACES} for name in peaks.METHODS}

    monkeypatch.setattr(seen, "counts", lambda rows: ended(tts=1))
    assert seen.planners_leave().verdict == seen.HOLDS
    monkeypatch.setattr(seen, "counts", lambda rows: ended(tts=2))
    assert seen.planners_leave().verdict == seen.PARTLY
    assert seen.penalty_stays().verdict == seen.FAILS


def test_regret_that_grows_like_t_at_the_end_is_found(monkeypatch):
    def grown(setting, method, seed, power):
        trials = np.array([1e3, 1e4, 3e4, 1e5])
        return [{"setting": setting, "method": method, "seed": seed, "trials": t, "regret": t**power} for t in trials]

    rows = [
        row
        for setting in ("interval", "square")
        for method, power in (("tucb", 1.0), ("tts", 0.4), ("tucb-proof", 0.5), ("tts-proof", 0.0))
        for seed in (0, 1)
        for row in grown(setting, method, seed, power if seed else 0.3)
    ]
    monkeypatch.setattr(seen, "rows", lambda part: rows)
    assert seen.lost("tucb") == [("interval", 1), ("square", 1)]
    assert seen.lost("tts") == []
    found = seen.ruled_out()
    assert found.verdict == seen.PARTLY
    assert found.figure == "of 4 functions, regret grows like T at the end on: tucb 2, tts 0, tucb-proof 0, tts-proof 0"


@pytest.mark.parametrize(("more", "verdict"), [(0, seen.HOLDS), (1, seen.PARTLY)])
def test_the_proven_policy_is_held_to_its_number_of_batches(monkeypatch, more, verdict):
    real = {part: seen.rows(part) for part in ("growth", "boxes")}
    monkeypatch.setattr(seen, "rows", lambda part: tuple(row | {"tours": row["tours"] + more} for row in real[part]))
    found = seen.proven_regret()
    assert found.verdict == verdict
    assert found.figure.endswith(f"tours at most {5 + more} in 100 trials, {6 + more} in 100,000 trials")


@pytest.mark.parametrize(("power", "verdict"), [(0.0, seen.HOLDS), (1.0, seen.PARTLY)])
def test_the_proven_policy_is_held_to_its_bound_on_movement(monkeypatch, power, verdict):
    """Movement like T in the grids alone is beyond the bound there."""
    real = {part: seen.rows(part) for part in ("growth", "boxes")}
    grown = {part: power if part == "growth" else 0.0 for part in real}
    monkeypatch.setattr(
        seen, "rows", lambda part: tuple(row | {"movement": row["trials"] ** grown[part]} for row in real[part])
    )
    assert seen.proven_movement().verdict == verdict


def test_a_verdict_is_one_of_four_words():
    with pytest.raises(ValueError, match="'perhaps' is no verdict"):
        seen.Seen("perhaps", "")
    assert seen.verdict(True, True) == seen.HOLDS
    assert seen.verdict(True, False) == seen.PARTLY
    assert seen.verdict(False) == seen.FAILS
