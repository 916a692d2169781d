"""A study can be copied and pickled, as other optimizers and parallel programs do; a copy goes its own way."""

import copy
import pickle

import numpy as np
import pytest
from attrs import fields

import wayfare as wf
from wayfare.planning.catalogue import CATALOGUE
from wayfare.record.events import write_event

SPACE = wf.Space(wf.Real("x", 0.0, 10.0), wf.Real("y", 0.0, 10.0))
MIXED = wf.Space(wf.Real("x", 0.0, 10.0), wf.Choice("c", ["a", "b"]))
ARMS = wf.Places([[at, at % 3] for at in range(9)], ["x", "y"])
GROUND = np.ones((6, 6))

COPIES = {"deepcopy": copy.deepcopy, "pickle": lambda study: pickle.loads(pickle.dumps(study))}
STUDIES = {
    "default": (SPACE, {"travel": wf.Euclidean(), "start": [0, 0]}),
    "machine": (MIXED, {"travel": wf.serial(wf.Ramp("x", 1, 2), wf.Switch("c", 3)), "start": {"x": 0, "c": "a"}}),
    "limits": (SPACE, {"travel": wf.Manhattan(unit="m"), "start": [0, 0], "home": "start", "trip": 60, "budget": 300}),
    "anchor": (SPACE, {"travel": wf.Chebyshev(), "start": [0, 0], "anchor": "best", "anchor_every": 3, "shuffle": 0.3}),
    "raster": (SPACE, {"travel": wf.Raster(GROUND, "x", "y", columns=(0, 10), rows=(0, 10)), "start": [1, 1]}),
    "arms": (ARMS, {"travel": wf.Euclidean(), "method": "base"}),
    "measured": (SPACE, {"travel": wf.Euclidean(), "measured": wf.Measured("p", at_most=1.0)}),
    "also": (SPACE, {"travel": wf.Euclidean(unit="m"), "also": [wf.Manhattan(unit="EUR")]}),
    "once": (wf.Places([[at, 0.0] for at in range(9)], ["x", "y"], once=True), {"travel": wf.Euclidean(), "trials": 9}),
}


def make(kind, **more):
    space, options = STUDIES[kind]
    return wf.Study.create(space, **({"direction": "maximize", "trials": 12, "by": "ana"} | options | more))


def walk(study, number):
    for _ in range(number):
        trial = study.ask()
        measured = {"p": 0.5} if study.spec.measured else None
        study.tell(trial, float(np.sin(trial.x).sum()), measured=measured)
    return study


@pytest.mark.filterwarnings("ignore::wayfare.GuaranteeWarning")
@pytest.mark.parametrize("kind", STUDIES)
@pytest.mark.parametrize("how", COPIES)
def test_a_copy_plans_as_the_study_does_and_leaves_it_alone(kind, how):
    study = walk(make(kind), 4)
    study.ask()
    before = [write_event(event) for event in study.events]
    copied = COPIES[how](study)
    assert [write_event(event) for event in copied.events] == before
    assert copied.journal.created == study.journal.created
    copied.tell(4, 0.5)
    places = [trial.x.tolist() for trial in walk(copied, 4).trials]
    assert [write_event(event) for event in study.events] == before
    study.tell(4, 0.5)
    assert [trial.x.tolist() for trial in walk(study, 4).trials] == places
    assert repr(study.ledger()) == repr(copied.ledger())
    assert {event.stamp.by for event in copied.events} == {"ana"}


@pytest.mark.parametrize("how", COPIES)
def test_a_copy_of_a_study_in_a_file_is_the_same_study(how, tmp_path):
    study = walk(make("default", store=tmp_path / "lab.db"), 2)
    copied = COPIES[how](study)
    walk(copied, 1)
    assert len(study.trials) == 3
    walk(study, 1)
    assert len(copied.trials) == 4


@pytest.mark.parametrize("how", COPIES)
def test_a_copied_trial_is_the_trial(how):
    study = walk(make("measured"), 2)
    study.amend(1, 2.0, actual={"x": 3.0}, measured={"p": 2.0})
    for trial in study.trials:
        copied = COPIES[how](trial)
        for one in fields(wf.Trial):
            assert one.name == "x" or getattr(copied, one.name) == getattr(trial, one.name)
        assert copied.x.tolist() == trial.x.tolist()
        assert not copied.x.flags.writeable
        with pytest.raises(TypeError):
            copied.params["x"] = 5.0


def test_a_copied_store_has_all_studies_and_is_its_own():
    store = wf.MemoryStore()
    for name in ("hill", "lake"):
        walk(make("default", store=store, name=name), 1)
    copied = copy.deepcopy(store)
    assert copied.names() == ["hill", "lake"]
    walk(wf.Study.open(copied, "hill"), 1)
    assert len(wf.Study.open(store, "hill").trials) == 1
    copied.create("pond", "{}")
    assert store.names() == ["hill", "lake"]


@pytest.mark.parametrize("how", COPIES.values(), ids=COPIES)
def test_a_copied_store_without_studies_is_a_store(how):
    study = wf.Study.create(SPACE, direction="maximize", travel=wf.Euclidean(), trials=3, store=how(wf.MemoryStore()))
    assert study.ask().number == 0


def test_a_copied_study_has_a_copied_store():
    """Two studies in one store keep sharing it in a copy of both."""
    store = wf.MemoryStore()
    first, second = (make("default", store=store, name=name) for name in ("hill", "lake"))
    one, two = copy.deepcopy([first, second])
    walk(one, 1)
    assert len(wf.Study.open(two.journal._store, "hill").trials) == 1
    assert not first.trials


def test_every_method_of_the_catalogue_can_be_copied():
    for name, entry in CATALOGUE.items():
        assert pickle.loads(pickle.dumps(entry.build())) is not None, name
