"""docs/theory.md shows what the committed rows say, and they say what is claimed."""

import math

import pytest

import wayfare as wf
from blocks import block_names, fill_blocks
from theory import boxes, laws, page, paths
from theory.arms import LAWS as ARM_LAWS
from theory.catalogue import PARTS
from theory.lipschitz import LAWS as LIPSCHITZ_LAWS

LAST = 100_000


def test_the_page_is_that_of_the_rows():
    text = page.PAGE.read_text()
    made = page.blocks()
    assert block_names(text) == made.keys()
    assert fill_blocks(text, made) == text
    for part in PARTS:
        assert f"theory-{part}.png" in text
        assert page.PAGE.with_name(f"theory-{part}.png").exists()


def test_paths_grow_by_the_power_of_the_theorem_in_the_cubes():
    fitted = paths.exponents(page.read_rows("paths"))
    cubes = {name: paths.NAMED[name].d for name in fitted if name.startswith("cube")}
    assert set(cubes.values()) == {1, 2, 3, 6}
    for name, d in cubes.items():
        assert fitted[name].value == pytest.approx(1 - 1 / d, abs=0.03)


def test_dimensions_are_found():
    rows = page.read_rows("dimension")
    known = {"line": 1, "square": 2, "cube": 3, "Cantor set, 4096 places": math.log(2) / math.log(3)}
    for name, truth in known.items():
        found = {row["estimate"] for row in rows if row["set"] == name}
        assert len(found) >= 4
        assert all(abs(estimate - truth) <= 0.1 for estimate in found)


def test_base_has_ucb1s_regret_at_a_hundredth_of_its_movement():
    rows = page.read_rows("arms")
    base, ucb1 = (page.at(rows, "10 arms", name, LAST) for name in ("base", "ucb1"))
    assert len(base["regret"]) == len(ucb1["regret"]) == 20
    assert base["regret"].mean() <= 1.5 * ucb1["regret"].mean()
    assert base["movement"].mean() < 0.01 * ucb1["movement"].mean()
    assert base["tours"].max() <= 2 * math.ceil(math.log2(math.log2(LAST))) + 2
    assert ("10 arms", "base") in ARM_LAWS


@pytest.mark.parametrize("d", [1, 2])
def test_blin_loses_less_than_the_mesh_and_grows_by_the_power_of_the_theorem(d):
    rows = page.read_rows("lipschitz")
    for shape in ("hill", "needle"):
        blin, mesh = (page.at(rows, f"{shape}, d = {d}", name, LAST) for name in ("blin", "mesh-ucb1"))
        assert len(blin["regret"]) == 20
        assert (blin["regret"] + blin["movement"]).mean() < (mesh["regret"] + mesh["movement"]).mean()
    key = (f"needle, d = {d}", "blin")
    fitted = laws.fitted(rows, key, "regret", LIPSCHITZ_LAWS[key].log)
    assert fitted.low <= (d + 1) / (d + 2) <= fitted.high


@pytest.mark.parametrize("setting", ["interval", "square"])
def test_bpe_has_the_exponent_of_its_proof_on_a_grid(setting):
    """The square root of T is in the interval of the exponent of regret; movement grows by no power at all."""
    rows = page.read_rows("growth")
    regret, movement = (laws.fitted(rows, (setting, "bpe"), quantity) for quantity in ("regret", "movement"))
    assert len({row["seed"] for row in rows}) == 8
    assert regret.low <= 0.5 <= regret.high
    assert regret.high < float(laws.grown(rows, (setting, "bpe"), "rate"))
    assert movement.low <= 0


@pytest.mark.parametrize(("setting", "d"), [("interval", 1), ("square", 2), ("cube", 3)])
def test_bpe_grows_no_faster_than_its_bounds_in_a_box(setting, d):
    rows, key = page.read_rows("boxes"), (setting, "bpe")
    assert len({row["seed"] for row in rows}) == 4
    assert max(row["trials"] for row in rows if row["method"] == "bpe") == boxes.TRIALS[-1]
    regret, movement = (laws.fitted(rows, key, quantity) for quantity in ("regret", "movement"))
    assert regret.low <= boxes.power(d)
    assert regret.low <= float(laws.grown(rows, key, "rate"))
    assert movement.low <= 1 - 1 / d
    assert movement.low <= float(laws.grown(rows, key, "bound"))


def test_movement_in_boxes_stays_below_the_bound_and_below_the_power():
    rows = page.read_rows("boxes")
    assert {row["method"] for row in rows} == set(boxes.METHODS)
    assert all(row["movement"] <= row["bound"] for row in rows)
    for (setting, name), law in boxes.LAWS.items():
        if law.movement:
            assert laws.fitted(rows, (setting, name), "movement").value < law.movement


def test_a_million_pulls_are_a_few_rows(tmp_path):
    file = tmp_path / "arms.db"
    study = wf.Study.create(
        wf.Places([[float(place)] for place in range(10)]),
        direction="maximize",
        travel=wf.Euclidean(),
        trials=1_000_000,
        method="base",
        store=file,
    )
    while (trial := study.ask(count=True)) is not None:
        study.tell(trial, trial.x[0] / 10, count=trial.count, variance=0.25 if trial.count > 1 else None)
    assert study.state.used == 1_000_000
    assert len(study.trials) < 200
    assert file.stat().st_size < 1_000_000
