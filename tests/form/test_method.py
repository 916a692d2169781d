"""Every part that exists has a kind, and every field of it a plain form."""

import inspect
from typing import get_type_hints

import attrs
import pytest

import wayfare.policy
import wayfare.route
import wayfare.schedule
import wayfare.surrogate
import wayfare.travel
from wayfare.form.fields import LEAVES
from wayfare.form.method import PARTS, read_method, write_method
from wayfare.form.travel import FIELDS, KINDS
from wayfare.plan import Method
from wayfare.policy import UCB
from wayfare.schedule import OneByOne
from wayfare.surrogate.kernels import KERNELS
from wayfare.travel import Cost, Custom, Report

DEEDS = {
    wayfare.policy: "propose",
    wayfare.schedule: "batch_size",
    wayfare.surrogate: "fit",
    wayfare.route: "order",
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
        assert hint in (int, float, float | None, str, bool) or hint in PARTS or "Literal" in str(hint)


@pytest.mark.parametrize("kernel", KERNELS)
def test_every_kernel_is_kept_by_its_name(kernel):
    method = Method(UCB(), OneByOne(), wayfare.surrogate.GP(kernel))
    assert write_method(method, "method")["surrogate"] == {"kind": "gp", "kernel": kernel}
    assert read_method(write_method(method, "method"), "method", True) == method


def test_every_cost_there_is_has_a_kind_and_every_field_of_it_a_form():
    costs = {cls for _, cls in inspect.getmembers(wayfare.travel, inspect.isclass) if attrs.has(cls)}
    assert set(KINDS.values()) == costs - {Cost, Custom, Report}
    assert {one.name for cls in KINDS.values() for one in attrs.fields(cls)} == set(FIELDS)
    assert set(LEAVES) < set(FIELDS)


def test_only_the_policy_and_the_schedule_must_be_given():
    form = {"policy": {"kind": "ucb"}, "schedule": {"kind": "one_by_one"}}
    assert read_method(form, "method", True) == Method(UCB(), OneByOne())


def test_a_name_beside_its_own_composition_is_right():
    written = write_method(Method(UCB(4.0), OneByOne()), "method")
    assert written["name"] == "ucb"
    assert read_method(written, "method", True) == Method(UCB(4.0), OneByOne())
