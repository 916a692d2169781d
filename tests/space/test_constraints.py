"""Constraints between axes: whatever a space gives keeps them, and what they leave is found and filled."""

import numpy as np
import pytest
from benchmarks.constraints import random_space
from hypothesis import given, settings
from hypothesis import strategies as st

from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.space import Choice, Integer, Linear, Only, Product, Real, Space
from wayfare.testing.space import SpaceContract

relaxed = settings(deadline=None, max_examples=15)
PARTS = [f"c{i}" for i in range(4)]
MIXTURE = Space(*(Real(part, 0, 1) for part in PARTS), constraints=[Linear(PARTS, equals=1)])
METALS = Choice("metal", ["Pd", "Ni", "none"]), Choice("ligand", ["a", "b", "none"])
LIGAND = Only("ligand", when={"metal": ["Pd", "Ni"]}, otherwise="none")


class TestMixture(SpaceContract):
    @pytest.fixture
    def space(self):
        return MIXTURE


class TestMixtureInSteps(SpaceContract):
    @pytest.fixture
    def space(self):
        parts = [Real(f"c{i}", 0, 1, step=0.02) for i in range(5)]
        return Space(*parts, constraints=[Linear([part.name for part in parts], equals=1)])


class TestConditionalSpace(SpaceContract):
    @pytest.fixture
    def space(self):
        amount = Only("amount", when={"metal": "Pd"}, otherwise=0)
        axes = *METALS, Real("amount", 0, 5), Integer("n", 1, 900, log=True)
        return Space(*axes, forbidden=[{"n": (500, None), "metal": "Ni"}], constraints=[LIGAND, amount])


class TestRatiosAndSums(SpaceContract):
    @pytest.fixture
    def space(self):
        rules = [Linear({"x": 2, "y": -1}, at_least=-1, at_most=2), Product({"x": 1, "y": 1}, at_most=6)]
        rules.append(Product({"x": 1, "y": -1}, at_least=0.5))
        return Space(Real("x", 0.1, 9, log=True), Real("y", 0.1, 9), constraints=rules)


class TestFiniteSpace(SpaceContract):
    @pytest.fixture
    def space(self):
        return Space(
            Integer("a", 0, 9), Integer("b", 0, 9), *METALS, constraints=[Linear(["a", "b"], at_most=9), LIGAND]
        )


@relaxed
@given(st.integers(0, 10**6), st.floats(1e-4, 0.5))
def test_all_that_a_constrained_space_gives_keeps_its_constraints(seed, radius):
    """A small version of ``python -m benchmarks.constraints``, and any row is snapped to what is allowed."""
    space, rng = random_space(stream(seed)), stream(seed, "look")
    x = space.sample(12, rng)
    anywhere = space.whole.sample(12, rng)
    for places in (x, space.around(x, radius, 3, rng), space.survey(x[0], 5, rng), space.snap(anywhere)):
        assert space.contains(places).all()
        for rule in space.constraints:
            assert rule.keeps(places).all()
    allowed = space.contains(anywhere)
    assert np.array_equal(space.snap(anywhere)[allowed], anywhere[allowed])


def test_a_sample_of_a_mixture_is_even():
    """Of a Dirichlet distribution with all parameters 1: mean 1/4, variance 3/80, by far more than rounding."""
    x = MIXTURE.sample(4000, stream(0))
    assert x.mean(axis=0) == pytest.approx([0.25] * 4, abs=0.02)
    assert x.std(axis=0) == pytest.approx([(3 / 80) ** 0.5] * 4, rel=0.12)
    assert x.sum(axis=1) == pytest.approx(1)


def test_a_sample_of_a_triangle_is_even():
    x = Space(Real("x", 0, 1), Real("y", 0, 1), constraints=[Linear(["x", "y"], at_most=1)]).sample(4000, stream(1))
    assert x.mean(axis=0) == pytest.approx([1 / 3] * 2, abs=0.02)
    assert x.std(axis=0) == pytest.approx([(1 / 18) ** 0.5] * 2, rel=0.08)


def test_a_thin_region_in_many_dimensions_is_found_and_moved_in():
    names = [f"x{i}" for i in range(12)]
    rules = [
        Linear(names, equals=3.5),
        Linear({"x0": 1, "x1": -1}, equals=0),
        Linear({"x2": 5, "x3": -1}, at_least=3.9),
    ]
    space = Space(*(Real(name, 0, 1) for name in names), constraints=rules)
    x = space.sample(200, stream(2))
    assert len(np.unique(x, axis=0)) > 180
    assert x[:, 11].std() > 0.1
    near = space.around(x[:4], 0.05, 10, stream(3))
    assert np.abs(near - np.repeat(x[:4], 10, axis=0)).max() < 0.6
    assert (near != np.repeat(x[:4], 10, axis=0)).any(axis=1).mean() > 0.9


def test_snapping_goes_to_the_nearest_place_of_a_half_space():
    space = Space(Real("x", 0, 1), Real("y", 0, 1), constraints=[Linear(["x", "y"], at_most=1)])
    assert space.snap(np.array([[0.9, 0.9], [0.2, 0.3]])) == pytest.approx(np.array([[0.5, 0.5], [0.2, 0.3]]), abs=1e-9)


def test_a_function_takes_columns_by_axis():
    space = Space(Real("a", 0, 1), METALS[0], constraints=[lambda x: (x["a"] < 0.5) | (x["metal"] == "Pd")])
    x = space.sample(300, stream(4))
    assert ((x[:, 0] < 0.5) | (x[:, 1] == 0)).all()
    assert (x[:, 0] >= 0.5).any()


def test_constraints_say_what_they_are_and_spaces_with_them_are_values():
    assert str(Linear({"a": 1, "b": 2, "c": -1}, at_most=3)) == "a + 2 b - c at most 3"
    assert str(Linear(["a", "b"], equals=1)) == "a + b = 1"
    assert str(Product({"flow": 1, "time": 1}, at_most=20)) == "flow * time at most 20"
    assert str(Product({"x": 2, "y": -1}, at_least=0.5, at_most=2)) == "x^2 / y from 0.5 to 2"
    assert str(LIGAND) == "ligand only with metal Pd or Ni, otherwise none"
    again = Space(*MIXTURE.axes, constraints=[Linear(PARTS, equals=1)])
    assert again == MIXTURE
    assert MIXTURE.whole != MIXTURE
    assert eval(repr(MIXTURE)) == MIXTURE


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        ("x", "constraints must be a list"),
        ([3], r"constraints\[0\] must be a Linear, a Product, an Only or a function, got 3"),
        ([Linear({"a": 1, "z": 1}, at_most=1)], r"constraints\[0\] has 'z', which is no axis"),
        ([Linear(["metal"], at_most=1)], "axis 'metal' is a choice, and has no numbers"),
        ([Linear(["a", "b"], at_least=3)], r"no place keeps them all \(a \+ b at least 3\); loosen one of them"),
        ([Linear(["a", "b"], equals=1), Linear({"a": 1, "b": -1}, at_least=1.5)], "no place keeps them all"),
        ([Product({"a": 1, "b": -1}, at_most=1)], "low of axis 'b' must be above 0, as it divides, got 0"),
        ([Product(["a", "b"], at_least=2)], "no place keeps them all"),
        ([lambda x: x["a"] > 2], "no place keeps them all"),
        ([lambda x: 1], r"must return a boolean for each of \d+ places"),
        ([Only("a", when={"b": 1}, otherwise=0)], "a condition is on a choice, and axis 'b' is Real"),
        ([Only("a", when={"metal": "Cu"}, otherwise=0)], "axis 'metal' has no value 'Cu'"),
        ([Only("a", when={"metal": "Pd"}, otherwise=7)], "otherwise must be a value of axis 'a', got 7"),
    ],
)
def test_what_is_wrong_with_a_constraint_is_refused_by_name(rules, message):
    with pytest.raises(InvalidInput, match=message):
        Space(Real("a", 0, 1), Real("b", 0, 1), METALS[0], constraints=rules)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Linear({}, at_most=1), "takes a dict of weight by axis"),
        (lambda: Linear({"a": 0}, at_most=1), "'a' has 0, which says nothing"),
        (lambda: Linear(["a"]), "Linear has no bound; give at_most, at_least or equals"),
        (lambda: Linear(["a"], equals=1, at_most=2), "equals excludes at_least and at_most"),
        (lambda: Product(["a"], at_least=2, at_most=1), "at_least 2 is above at_most 1; swap them"),
        (lambda: Only("a", when={}, otherwise=1), "when must be a dict of values by choice"),
    ],
)
def test_a_constraint_without_sense_is_refused(make, message):
    with pytest.raises(InvalidInput, match=message):
        make()


def test_a_plain_sum_of_different_units_is_refused():
    temp, water, acid = Real("temp", 20, 80, unit="°C"), Real("water", 0, 9, unit="mL"), Real("acid", 0, 1, unit="mL")
    with pytest.raises(InvalidInput, match=r"constraints\[0\] adds 'temp' in °C and 'water' in mL; give weights"):
        Space(temp, water, constraints=[Linear(["temp", "water"], at_most=60)])
    Space(
        temp,
        water,
        acid,
        constraints=[Linear({"temp": 0.1, "water": 1}, at_most=60), Linear(["water", "acid"], at_most=5)],
    )


def test_what_looks_for_corners_prints_nothing(capfd):
    """HiGHS once did, in the middle of the answers of ``--json``."""
    random_space(stream(308))
    assert capfd.readouterr() == ("", "")
