"""What only Python can hold: kept by name, absent when read, and supplied again."""

import numpy as np
import pytest
from attrs import frozen

from wayfare.errors import InvalidInput
from wayfare.form import method_name, read_spec, write_spec
from wayfare.planning.catalogue import CATALOGUE, method_named
from wayfare.planning.method import Method
from wayfare.policy import UCB, Elimination
from wayfare.policy.schedule import Growing, OneByOne
from wayfare.travel import Custom, Euclidean, Fee, Serial

from .strategies import assert_same, through_json
from .test_round_trip import spec_of

X = np.array([[0.0, 0.0], [3.0, 4.0]])


def drive(a, b):
    return float(np.abs(a - b).sum())


class Ferry:
    """A cost that owes nothing to wayfare but the protocol."""

    is_metric = True
    unit = "€"

    def bind(self, space):
        return self

    def __call__(self, origins, targets):
        return np.zeros((len(origins), len(targets)))


@frozen
class MyUCB(UCB):
    """A policy of the user's own, though of our family."""


@frozen
class Every:
    """A schedule of the user's own."""

    def is_due(self, news):
        return True

    def batch_size(self, handed_out, left):
        return 1


def test_of_a_python_function_the_name_is_kept():
    form = write_spec(spec_of(travel=Custom(drive, metric=True, unit="s")))
    assert form["travel"] == {"kind": "custom", "function": "drive", "metric": True, "unit": "s"}


def test_of_a_cost_of_another_make_the_class_is_kept():
    form = write_spec(spec_of(travel=Serial((Ferry(), Fee(1.0)))))
    assert form["travel"]["parts"][0] == {"kind": "custom", "function": "Ferry", "metric": True, "unit": "€"}


def test_a_study_is_read_without_its_python_function_which_refuses_when_it_is_called():
    spec = spec_of(travel=Custom(drive, unit="s"), start=X[1])
    form = through_json(write_spec(spec))
    again = read_spec(form, new=False)
    assert (again.unit, again.travel.unit, again.travel.is_metric) == ("s", "s", False)
    assert again.start.tolist() == [3.0, 4.0]
    said = r"the Python function 'drive'.*Study\.open\(\.\.\., travel=\.\.\.\) supplies it"
    with pytest.raises(InvalidInput, match=said):
        again.travel(X, X)
    assert write_spec(again) == form


def test_a_sum_with_an_absent_part_refuses_when_it_is_called():
    spec = spec_of(travel=Serial((Fee(1.0, None, "s"), Custom(drive))))
    again = read_spec(through_json(write_spec(spec)), new=False)
    assert again.unit == "s"
    with pytest.raises(InvalidInput, match="'drive'"):
        again.travel(X, X)


def test_the_python_function_can_be_supplied():
    cost = Serial((Fee(1.0), Custom(drive)))
    spec = spec_of(travel=cost, unit="s")
    again = read_spec(through_json(write_spec(spec)), travel=cost, new=False)
    assert_same(again, spec)
    assert again.travel(X, X).tolist() == [[0.0, 8.0], [8.0, 0.0]]


def test_a_function_may_have_been_renamed():
    form = write_spec(spec_of(travel=Custom(drive)))
    again = read_spec(form, travel=Custom(lambda a, b: 1.0, metric=True), new=False)
    assert again.travel.is_metric


def test_the_rest_of_a_cost_must_be_what_the_study_was_made_with():
    form = write_spec(spec_of(travel=Serial((Fee(1.0), Custom(drive)))))
    for other in (Serial((Fee(2.0), Custom(drive))), Euclidean(), Serial((Fee(1.0),))):
        with pytest.raises(InvalidInput, match="travel: what is supplied differs from what the study was made"):
            read_spec(form, travel=other, new=False)


def test_a_supplied_cost_that_is_none_is_refused():
    with pytest.raises(InvalidInput, match="is not a travel cost; wrap a function in Custom"):
        read_spec(write_spec(spec_of()), travel=drive, new=False)


def test_the_same_cost_may_be_supplied_though_the_form_has_it():
    form = {"name": "a", "direction": "maximize", "trials": 2, "travel": {"kind": "euclidean"}}
    form["axis"] = [{"name": "x", "low": 0, "high": 1}]
    assert read_spec(form, travel=Euclidean()).travel == Euclidean()


METHOD = Method(Elimination(MyUCB(9.0), eta=0.5), Every())


def test_of_a_part_of_the_users_own_the_class_is_kept():
    form = write_spec(spec_of(method=METHOD))["method"]
    assert form["policy"]["policy"] == {"kind": "custom", "class": "MyUCB"}
    assert form["schedule"] == {"kind": "custom", "class": "Every"}
    assert "name" not in form


@pytest.mark.parametrize(("part", "deed"), [("policy", "propose"), ("schedule", "is_due"), ("schedule", "batch_size")])
def test_an_absent_part_refuses_when_it_is_needed(part, deed):
    form = through_json(write_spec(spec_of(method=METHOD)))
    again = read_spec(form, new=False)
    absent = getattr(again.method, part)
    said = r"the Python class '(MyUCB|Every)'.*Study\.open\(\.\.\., method=\.\.\.\) supplies it"
    with pytest.raises(InvalidInput, match=said):
        getattr(getattr(absent, "policy", absent), deed)(None, 1, None)
    assert write_spec(again) == form


def test_the_parts_can_be_supplied():
    spec = spec_of(method=METHOD)
    again = read_spec(through_json(write_spec(spec)), method=METHOD, new=False)
    assert again.method == METHOD


def test_the_rest_of_a_method_must_be_what_the_study_was_made_with():
    form = write_spec(spec_of(method=METHOD))
    with pytest.raises(InvalidInput, match=r"method: .* differs .* in method\.policy\.eta; supply the same"):
        read_spec(form, method=Method(Elimination(MyUCB(9.0), eta=1.5), Every()), new=False)
    with pytest.raises(InvalidInput, match="method must be a name from the catalogue or a Method"):
        read_spec(form, method=OneByOne(), new=False)


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_method_of_the_catalogue_is_known_by_its_composition(name):
    method = method_named(name)
    assert method_name(method) == name
    assert write_spec(spec_of(method=method))["method"]["name"] == name


def test_any_other_method_is_custom():
    assert method_name(Method(UCB(1.0), Growing(1.1))) == "custom"


def test_a_later_catalogue_does_not_change_a_study_that_was_kept():
    form = write_spec(spec_of(method="tucb"))
    form["method"]["policy"]["eta"] = 3.0  # as if tucb had been that when the study was made
    again = read_spec(form, new=False)
    assert again.method == Method(Elimination(UCB(4.0), eta=3.0), Growing(1.1))
    assert method_name(again.method) == "custom"
