"""Studies in constrained spaces: what is handed out keeps the constraints, and a function is supplied again."""

import numpy as np
import pytest
from benchmarks.constraints import METHODS, keeps_all, plans, random_space
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.plot import plot_route

PARTS = ["a", "b", "c"]
MIXTURE = wf.Space(*(wf.Real(part, 0, 1) for part in PARTS), constraints=[wf.Linear(PARTS, equals=1)])


def apart(x):
    return np.abs(x["a"] - x["b"]) > 0.2


def begin(space=MIXTURE, **changes):
    options = {"direction": "maximize", "travel": wf.Manhattan(), "trials": 12, "start": [0.2, 0.3, 0.5], "seed": 2}
    return wf.Study.create(space, **(options | changes))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from(list(METHODS)))
def test_openings_and_batches_of_every_method_keep_the_constraints_of_random_spaces(seed, name):
    """A small version of ``python -m benchmarks.constraints``, at seeds that it does not have."""
    space = random_space(stream(seed, "test"))
    for places in plans(space, METHODS[name], stream(seed)):
        assert len(places)
        assert keeps_all(space, places)


@pytest.mark.filterwarnings("ignore::wayfare.GuaranteeWarning")
@pytest.mark.parametrize(
    "limits", [{}, {"budget": 1.5, "home": "start"}, {"max_step": 0.4}, {"trip": 1.2, "home": "start"}]
)
def test_whatever_is_handed_out_keeps_the_constraints_within_any_limits(limits):
    study = begin(**limits)
    while (trial := study.ask()) is not None:
        assert MIXTURE.contains(trial.x[None, :])[0]
        study.tell(trial.number, -abs(trial.x[0] - 0.6))
    assert len(study.trials) >= 3


def test_an_extra_place_that_breaks_a_constraint_is_refused_with_one_that_does_not():
    study = begin()
    with pytest.raises(
        InvalidInput, match=r"breaks a constraint \(a \+ b \+ c = 1\); an allowed place near it has a="
    ) as no:
        study.insert([0.5, 0.5, 0.5])
    assert "a=0.333333, b=0.333333, c=0.333333" in str(no.value)
    study.tell(study.ask().number, 1.0, actual={"a": 0.3})  # it happened, so it is kept
    assert study.trials[0].params["a"] == 0.3


def test_a_study_with_a_function_goes_on_once_its_space_is_supplied(tmp_path):
    space = wf.Space(*(wf.Real(part, 0, 1) for part in PARTS), constraints=[apart])
    study = begin(space, store=tmp_path / "lab.db", name="lab", start=[0.9, 0.3, 0.5])
    study.tell(study.ask().number, 1.0)
    alone = wf.Study.open(tmp_path / "lab.db", "lab")
    assert len(alone.trials) == 1
    again = wf.Study.open(tmp_path / "lab.db", "lab", space=space)
    assert again.ask().params == study.ask().params


def test_pictures_hatch_what_breaks_a_constraint():
    space = wf.Space(wf.Real("a", 0, 1), wf.Real("b", 0, 1), constraints=[wf.Linear(["a", "b"], at_most=1)])
    study = begin(space, start=[0.2, 0.3])
    study.tell(study.ask().number, 1.0)
    figure = plot_route(study).get_figure()
    assert any(getattr(shape, "hatches", [None])[0] == "////" for ax in figure.axes for shape in ax.collections)
