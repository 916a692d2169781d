"""docs/belief.md shows what the committed rows say."""

import re

import numpy as np
import pytest
from attrs import evolve

from belief import page
from belief.calibration import BEFORE, GATHERED, ROWS, SIZES, UNIFORM, Row, read_rows
from belief.functions import functions
from belief.models import MODELS, OURS, suits
from blocks import block_names, fill_blocks

TEXT = page.PAGE.read_text()


@pytest.fixture(scope="module")
def rows():
    return page.all_rows()


def test_the_page_is_that_of_the_rows(rows):
    made = page.blocks(rows)
    assert block_names(TEXT) == made.keys() | {"finding"}
    assert fill_blocks(TEXT, made) == TEXT, "python -m benchmarks.belief page writes it anew"
    assert f"]({page.PICTURE.name})" in TEXT
    assert page.PICTURE.exists()


def test_every_file_it_points_to_exists():
    for target in re.findall(r"\]\(([^)#]+)", TEXT):
        assert (page.PAGE.parent / target).exists(), target


def test_every_function_was_measured_at_every_size_under_the_same_seeds(rows):
    designs = {UNIFORM: [*MODELS, page.BEFORE_NAME]} | {key: [OURS, page.BEFORE_NAME] for key in GATHERED}
    seeds = {(row.design, row.function, row.n, row.model): set() for row in rows}
    for row in rows:
        seeds[row.design, row.function, row.n, row.model].add(row.seed)
    for design, models in designs.items():
        for name, function in functions().items():
            for model in models:
                if suits(model, function.space):
                    assert all(seeds[design, name, n, model] == set(range(10)) for n in SIZES), (design, name, model)


def test_rows_of_a_model_on_a_design_are_of_one_version_and_the_same_data():
    data = {}
    for file in (ROWS, BEFORE):
        own = read_rows(file)
        versions = {(row.model, row.design): set() for row in own}
        for row in own:
            versions[row.model, row.design].add(row.version)
        assert all(len(found) == 1 for found in versions.values())
        for row in own:
            if row.design == UNIFORM:
                data.setdefault((row.function, row.n, row.seed), set()).add(row.data)
    assert all(len(digests) == 1 for digests in data.values())


def made_up(function, n, model, nll, seed=0, design=UNIFORM, **other):
    kind = functions()[function].kind
    return evolve(Row(function, kind, design, n, seed, model, 0.5, 0.8, 0.9, nll, 0.1, 0.3, "data", "1"), **other)


def test_wins_count_cells_of_function_and_size_by_means_over_seeds():
    rows = [made_up("branin", 10, OURS, 1.0), made_up("branin", 10, OURS, 2.0, seed=1)]
    rows += [made_up("branin", 10, "botorch", 1.6), made_up("branin", 10, "botorch", 1.6, seed=1)]
    rows += [made_up("branin", 20, OURS, 1.0), made_up("branin", 20, "botorch", 0.9)]
    rows += [made_up("moved3", 10, OURS, 1.0), made_up("moved3", 10, "botorch", 2.0)]
    rows += [made_up("moved3", 10, "botorch-mixed", 0.5)]
    assert page.wins(rows, "botorch") == {"branin": 0.5, "moved3": 1.0}
    assert page.wins(rows, page.RECOMMENDED) == {"branin": 0.5, "moved3": 0.0}
    assert page.wins(rows, "botorch", 20) == {"branin": 0.0}
    assert page.wins(rows, "scikit-learn") == {}


def test_a_peer_is_better_where_the_differences_by_seed_are_clear():
    theirs = {10: [1.0, 1.1, 0.9, 1.0], 20: [1.0, 3.0, -1.0, 0.9], 50: [2.1, 2.0, 2.2, 2.1]}
    rows = []
    for n, values in theirs.items():
        rows += [made_up("branin", n, "botorch", value, seed) for seed, value in enumerate(values)]
        rows += [made_up("branin", n, OURS, 2.0 if n != 20 else 1.2, seed) for seed in range(4)]
    lines = list(page.where_better(rows))
    assert lines[0] == "BoTorch SingleTaskGP, 1 of 3 cells: branin (10)."
    assert lines[2] == "scikit-learn, 0 of 0 cells: nowhere."


def test_peers_count_on_gathered_data_only_if_it_is_ours():
    rows = [made_up("branin", 20, model, 1.0, design="ucb") for model in (OURS, "botorch")]
    other = made_up("branin", 20, "scikit-learn", 1.0, design="ucb", data="older")
    assert page.on_same_data([*rows, other]) == rows


def test_a_mean_counts_every_function_once():
    rows = [made_up("branin", 10, OURS, 1.0, seed) for seed in range(3)] + [made_up("kinks", 10, OURS, 3.0)]
    assert page.mean_of(rows, "nll") == 2.0
    assert page.with_error([1.0, 3.0]) == "2.00 ± 1.00"
    assert page.with_error([]) == "-"
    assert np.isnan(page.mean_of([], "nll"))


def test_verdicts_follow_the_limits(rows):
    good = []
    for row in rows:
        if row.model == OURS:
            good.append(evolve(row, coverage95=0.95, nll=-100.0, above=0.0))
        else:
            good.append(row)
    assert all(line.endswith(": holds") for line in page.verdicts(good))
    bad = [evolve(row, coverage95=0.5, nll=1e9, above=1.0) if row.model == OURS else row for row in rows]
    assert all(line.endswith(": **missed**") for line in page.verdicts(bad))


def test_the_picture_has_both_panels_with_the_band(rows):
    left, right = page.draw(rows).axes
    for ax in (left, right):
        (low, high), _ = np.array(ax.patches[0].get_bbox().intervaly), None
        assert (low, high) == page.BAND
    assert len(left.containers) == 4
    assert len(right.containers) >= 6
