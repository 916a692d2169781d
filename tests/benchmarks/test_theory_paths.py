"""The theory benchmark: exponents worked out by hand, short paths held between bounds, and a quick run."""

import csv
import math
from contextlib import redirect_stdout
from io import StringIO

import numpy as np
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.image import imread

from tests.route.problems import range_bound, spanning_tree_bound
from theory import curve
from theory.__main__ import main
from theory.catalogue import PARTS
from theory.dimensions import by_set, cantor_ends
from theory.exponent import exponent, slope
from theory.grounds import GREAT_CIRCLE, GROUNDS, cantor
from theory.part import run_part
from theory.paths import NAMED, PATHS, bound, exponents, measure, table
from wayfare._core.rng import stream
from wayfare.travel import Euclidean
from wayfare.travel.check import is_metric


@given(st.floats(-2, 2), st.floats(0.01, 100))
def test_the_slope_of_a_power_is_its_exponent(power, factor):
    x = np.array([1.0, 2.0, 8.0, 64.0])
    assert slope(x, factor * x**power) == pytest.approx(power, abs=1e-9)


def test_an_exponent_has_students_interval_over_the_seeds():
    one = exponent([0.4, 0.5, 0.6])
    # t(2, 0.975) = 4.303, the standard deviation 0.1
    assert (one.value, one.high - one.value) == pytest.approx((0.5, 4.303 * 0.1 / math.sqrt(3)), rel=1e-3)
    assert one.value - one.low == pytest.approx(one.high - one.value)
    assert exponent([0.4]).high == math.inf


def test_the_bound_is_that_of_the_theorem_and_zero_for_thin_sets():
    assert [bound(d) for d in (0.63, 1, 2, 3, 6)] == pytest.approx([0, 0, 1 / 2, 2 / 3, 5 / 6])


def made_up(name, power, seeds=2):
    return [
        {"set": name, "d": NAMED[name].d, "n": n, "seed": seed, "length": (1 + seed) * n**power, "unit": "side"}
        for seed in range(seeds)
        for n in (16, 32, 64)
    ]


def test_exponents_are_fitted_seed_by_seed_and_shown_beside_the_bound():
    rows = made_up("cube 2", 0.5) + made_up("cube 3", 0.7)
    fitted = exponents(rows)
    assert [one.value for one in fitted.values()] == pytest.approx([0.5, 0.7])
    # The seeds differ by a factor, which is no spread of the exponent.
    assert fitted["cube 3"].high == pytest.approx(0.7)
    assert table(rows).rows[1] == ("cube 3", "3", "0.700 [0.700, 0.700]", "0.667", "+0.033")


@pytest.mark.parametrize("ground", GROUNDS, ids=lambda ground: ground.name)
def test_every_ground_is_a_metric(ground):
    costs = ground.draw(40, stream(1, "test"))
    assert costs.shape == (40, 40)
    assert is_metric(costs)


def test_great_circles_go_over_the_ground():
    poles = np.array([[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [1.0, 0.0, 0.0]])
    quarter = math.pi / 2
    costs = GREAT_CIRCLE(poles, poles)
    assert costs == pytest.approx(quarter * np.array([[0.0, 2.0, 1.0], [2.0, 0.0, 1.0], [1.0, 1.0, 0.0]]))


@pytest.mark.parametrize("name", NAMED)
def test_a_measured_path_is_no_shorter_than_the_tree_and_little_longer(name):
    (row,) = measure((name, 60, 5))
    draw_rng, _ = stream(5, "theory", "paths", name, 60).spawn(2)
    between = NAMED[name].draw(60, draw_rng)
    tree = spanning_tree_bound(np.zeros(60), between)
    assert tree - 1e-9 <= row["length"] <= 1.5 * tree


def test_on_a_line_the_path_is_the_range():
    (row,) = measure(("cantor", 50, 2))
    draw_rng, _ = stream(2, "theory", "paths", "cantor", 50).spawn(2)
    x = cantor(1, 50, draw_rng)[:, 0]
    assert row["length"] == pytest.approx(range_bound(None, x))


def test_points_of_the_cantor_set_lie_in_its_intervals():
    x = cantor(2, 200, np.random.default_rng(0)).ravel()
    ends = cantor_ends(6).reshape(-1, 2)
    assert len(ends) == 64
    assert all(((ends[:, 0] - 1e-12 <= one) & (one <= ends[:, 1] + 1e-12)).any() for one in x)


def test_the_rows_are_the_same_however_many_jobs():
    few = evolve(PATHS, cells=lambda seeds, quick: [("cube 2", n, seed) for seed in range(seeds) for n in (12, 20)])
    counted = []
    alone = run_part(few, 2, on_begin=counted.append, on_cell=lambda: counted.append(1))
    assert counted == [4, 1, 1, 1, 1]
    assert [(row["n"], row["seed"]) for row in alone] == [(12, 0), (20, 0), (12, 1), (20, 1)]
    assert run_part(few, 2, jobs=2) == alone


OWN = ("paths", "dimension")


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    out = tmp_path_factory.mktemp("theory") / "new"
    with redirect_stdout(StringIO()) as printed:
        assert main(["run", "--parts", ",".join(OWN), "--quick", "--seeds", "2", "--quiet", "--out", str(out)]) == 0
    return printed.getvalue(), out


def test_a_quick_run_prints_a_table_per_part_within_eighty_columns(quick):
    text, out = quick
    lines = text.splitlines()
    assert max(len(line) for line in lines if not line.startswith(str(out))) <= 80
    for name in OWN:
        at = lines.index(f"{name}: {PARTS[name].summary}")
        assert "[95%]" in lines[at + 1]
        assert str(out / f"{name}.csv") in lines
    assert any(line.startswith("cube 6") and "0.833" in line for line in lines)


def test_a_quick_run_writes_rows_and_a_picture_per_part(quick):
    _, out = quick
    for name in OWN:
        with (out / f"{name}.csv").open() as file:
            rows = list(csv.DictReader(file))
        assert {row["seed"] for row in rows} == {"0", "1"}
        assert imread(out / f"{name}.png").shape[1] > 1000
        if name == "paths":
            assert len(rows) == 2 * len(GROUNDS) * 3
        else:
            assert all(len(own) == 2 for own in by_set(rows).values())


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (("--parts", "path"), "did you mean 'paths'?"),
        (("--seeds", "1"), "--seeds must be 2 or more"),
        (("--jobs", "0"), "--jobs 1 or more"),
    ],
)
def test_an_unknown_part_or_too_few_seeds_or_jobs_are_refused(tmp_path, capsys, wrong, said):
    assert main(["run", *wrong, "--out", str(tmp_path / "no")]) == 2
    assert said in capsys.readouterr().err
    assert not (tmp_path / "no").exists()


def test_the_curve_needs_longer_and_longer_trees_though_it_is_of_dimension_one():
    """Halving the gap adds ln(2) / pi to the shortest tree through the places, as the covering numbers say."""
    gaps = [2.0**-power for power in (6, 8, 10)]
    found = [curve.apart(gap) for gap in gaps]
    for gap, x in zip(gaps, found, strict=True):
        assert np.allclose(x[:, 1], x[:, 0] * np.sin(1 / x[:, 0]))
        apart = Euclidean()(x, x) + np.eye(len(x))
        assert apart.min() >= gap
    trees = [curve.tree_length(x) for x in found]
    assert np.diff(trees) == pytest.approx(2 * math.log(2) / math.pi, abs=0.03)
    assert math.log(len(found[-1])) / math.log(1 / gaps[-1]) < 1.2
