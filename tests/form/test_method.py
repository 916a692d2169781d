"""Every part that exists has a kind, and every field of it a plain form."""

import inspect
from typing import get_type_hints

import attrs
import pytest

import wayfare.planning.opening
import wayfare.policy
import wayfare.policy.schedule
import wayfare.route
import wayfare.surrogate
import wayfare.travel
from wayfare.form.method import PARTS, read_method, write_method
from wayfare.form.travel import FIELDS, KINDS, kept_fields
from wayfare.planning.catalogue import CATALOGUE, DEFAULT, EVERYWHERE
from wayfare.planning.method import Method
from wayfare.planning.opening import JustStart, ShowValues, Survey
from wayfare.policy import UCB, OnTheWay
from wayfare.policy.schedule import Growing, OneByOne
from wayfare.surrogate.kernels import KERNELS
from wayfare.travel import Cost, Custom, Embedding, Report

DEEDS = {
    wayfare.policy: "propose",
    wayfare.policy.bandit: "propose",
    wayfare.policy.schedule: "batch_size",
    wayfare.surrogate: "fit",
    wayfare.route: "order",
    wayfare.planning.opening: "places",
}
OURS = [
    cls
    for module, deed in DEEDS.items()
    for _, cls in inspect.getmembers(module, inspect.isclass)
    if inspect.isfunction(getattr(cls, deed, None)) and not getattr(cls, "_is_protocol", False)
]


def test_every_part_there_is_has_a_kind():
    assert {cls for kinds in PARTS.values() for cls in kinds.values()} == set(OURS)
    assert len(OURS) > 15


@pytest.mark.parametrize("cls", OURS)
def test_every_field_of_a_part_is_a_number_text_a_boolean_or_a_part(cls):
    for one in attrs.fields(cls):
        hint = get_type_hints(cls)[one.name]
        plain = (int, int | None, float, float | None, str, bool)
        assert hint in plain or hint in PARTS or "Literal" in str(hint)


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_kernel_is_kept_by_its_name(kernel):
    method = Method(UCB(), OneByOne(), wayfare.surrogate.GP(kernel))
    assert write_method(method, "method")["surrogate"] == {"kind": "gp", "kernel": kernel}
    assert read_method(write_method(method, "method"), "method", True) == method


def test_every_cost_there_is_has_a_kind_and_every_field_of_it_a_form():
    costs = {cls for _, cls in inspect.getmembers(wayfare.travel, inspect.isclass) if attrs.has(cls)}
    assert set(KINDS.values()) == costs - {Cost, Custom, Embedding, Report}
    assert {one.name for cls in KINDS.values() for one in kept_fields(cls)} == set(FIELDS)


def test_only_the_policy_and_the_schedule_must_be_given():
    form = {"policy": {"kind": "ucb"}, "schedule": {"kind": "one_by_one"}}
    assert read_method(form, "method", True) == Method(UCB(), OneByOne())


def test_a_name_beside_its_own_composition_is_right():
    written = write_method(Method(UCB(4.0, per_combination=True), OneByOne()), "method")
    assert written["name"] == "ucb"
    assert read_method(written, "method", True) == Method(UCB(4.0, per_combination=True), OneByOne())


@pytest.mark.parametrize("new", [True, False])
def test_ucb_kept_before_it_knew_combinations_goes_on_as_it_was(new):
    kept = write_method(CATALOGUE["ucb"].build(), "method")
    kept.pop("name")
    assert kept["policy"].pop("per_combination") is True
    assert read_method(kept, "method", new) == Method(UCB(4.0), OneByOne())


@pytest.mark.parametrize("new", [True, False])
@pytest.mark.parametrize("name", [name for name in EVERYWHERE if name not in (DEFAULT, "thrifty")])
def test_what_was_kept_before_there_were_openings_begins_as_methods_do_by_default(name, new):
    method = CATALOGUE[name].build()
    kept = write_method(method, "method")
    assert kept.pop("opening") == {"kind": "just_start" if method.opening == JustStart() else "show_values"}
    kept.pop("name")
    assert read_method(kept, "method", new) == attrs.evolve(method, opening=ShowValues())


def test_a_survey_on_the_way_is_kept_with_its_numbers():
    method = Method(OnTheWay(beta=1.0, price=0.5, reach=0.3), Growing(1.1), opening=Survey(least=3, designs=2))
    written = write_method(method, "method")
    assert written["policy"] == {
        "kind": "on_the_way",
        "beta": 1.0,
        "price": 0.5,
        "reach": 0.3,
        "per_combination": False,
    }
    assert written["opening"] == {"kind": "survey", "least": 3, "designs": 2, "covering": False}
    assert read_method(written, "method", True) == method


def test_an_opening_of_the_users_own_is_kept_by_name_and_refuses_when_it_is_needed():
    class Mine(Survey):
        pass

    kept = write_method(Method(UCB(), OneByOne(), opening=Mine()), "method")
    assert kept["opening"] == {"kind": "custom", "class": "Mine"}
    with pytest.raises(wayfare.InvalidInput, match=r"'Mine'.*method=\.\.\.\) supplies it"):
        read_method(kept, "method", False).opening.places(None, None, None, None)
