"""A journal reads its store no more than it must, and never decides on an old state."""

import json

import numpy as np
import pytest

import wayfare as wf
from wayfare.form import stored
from wayfare.record.events import read_event
from wayfare.travel import Euclidean

SPACE = wf.Space(wf.Real("x", 0.0, 1.0))


class Counting(wf.MemoryStore):
    """A store that notes its calls."""

    def __init__(self):
        super().__init__()
        self.calls = []

    def read(self, name, since=0):
        self.calls.append("read")
        return super().read(name, since)

    def append(self, name, after, events):
        self.calls.append("append")
        super().append(name, after, events)


def make(store, **changes):
    usual = {"direction": "maximize", "travel": Euclidean(), "trials": 9, "method": "random", "name": "hill"}
    return wf.Study.create(SPACE, store=store, **(usual | changes))


def test_a_move_takes_one_read_to_open_and_one_append():
    store = Counting()
    study = make(store)
    study.ask()
    assert store.calls == ["read", "append"]  # another worker may have planned while this one waited for its turn
    store.calls.clear()
    wf.Study.open(store, "hill").tell(0, 1.0)
    assert store.calls == ["read", "append"]


def test_reading_sees_what_happened_since_opening():
    store = wf.MemoryStore()
    study = make(store)
    opened = wf.Study.open(store, "hill")
    study.ask()
    assert len(opened.trials) == 1
    study.tell(0, 1.0)
    assert opened.snapshot().trials[0].value == 1.0


def test_a_first_move_is_not_refused_for_what_was_true_at_opening():
    store = wf.MemoryStore()
    study = make(store)
    teller, asker = (wf.Study.open(store, "hill") for _ in range(2))
    trial = study.ask("crew")
    assert teller.tell(trial, 1.0).value == 1.0  # when it was opened, there was no such trial
    assert asker.ask("crew").number == 1


def test_a_first_ask_shows_the_trial_that_is_out_now():
    store = wf.MemoryStore()
    study = make(store)
    study.ask("crew")
    opened = wf.Study.open(store, "hill")
    study.tell(0, 1.0)
    assert study.ask("crew").number == opened.ask("crew").number == 1


def test_a_refusal_right_after_opening_reads_once_more_and_stays():
    store = Counting()
    make(store)
    with pytest.raises(wf.UnknownTrial):
        wf.Study.open(store, "hill").tell(3, 1.0)
    assert store.calls == ["read", "read"]


def test_a_specification_that_could_not_be_read_again_is_refused_before_a_file_is_made(tmp_path, monkeypatch):
    def refuse(form, new):
        raise wf.InvalidInput("this cannot be read")

    monkeypatch.setattr(stored, "read_spec", refuse)
    with pytest.raises(wf.InvalidInput, match="cannot be read"):
        make(tmp_path / "lab.db")
    assert not (tmp_path / "lab.db").exists()


@pytest.mark.parametrize(
    "form", ["", "3", "[]", "{", "{}", "[" * 100_000, '{"name":"hill"}'], ids=lambda form: form[:20]
)
def test_a_form_that_is_none_is_a_store_error(form):
    store = wf.MemoryStore()
    store.create("hill", form)
    with pytest.raises(wf.StoreError, match="'hill' cannot be read by this version"):
        wf.Study.open(store, "hill")


def test_a_store_holds_nothing_but_text():
    store = wf.MemoryStore()
    study = make(store)
    study.tell(study.ask(), 1 / 3)
    form, events = store.read("hill")
    assert json.loads(form)["trials"] == 9
    assert all(type(text) is str and text.isascii() and "\n" not in text for text in (form, *events))
    assert [read_event(text) for text in events[1:]] == study.events[1:]


@pytest.mark.filterwarnings("ignore::wayfare.errors.GuaranteeWarning")
def test_a_cost_of_the_users_own_is_given_again_in_memory_too():
    def far(a, b):
        return float(np.abs(a - b).sum())

    store = wf.MemoryStore()
    study = make(store, travel=wf.Custom(far), start=[0.0])
    study.tell(study.ask(), 1.0)
    with pytest.raises(wf.InvalidInput, match="'far', which cannot be kept"):
        wf.Study.open(store, "hill").ask()
    assert wf.Study.open(store, "hill", travel=wf.Custom(far)).ask().number == 1


def test_only_a_study_without_a_store_may_have_a_space_of_the_users_own():
    class Own(wf.Space):
        pass

    make(None).ask()
    usual = {"direction": "maximize", "travel": Euclidean(), "trials": 3, "method": "random"}
    study = wf.Study.create(Own(wf.Real("x", 0.0, 1.0)), **usual)
    study.tell(study.ask(), 1.0)
    assert study.trials[0].value == 1.0
    with pytest.raises(wf.InvalidInput, match="only a Space or Places can be kept"):
        wf.Study.create(Own(wf.Real("x", 0.0, 1.0)), store=wf.MemoryStore(), **usual)


class Stubborn(wf.MemoryStore):
    """A store that always says another writer was faster."""

    def append(self, name, after, events):
        raise wf.Conflict("it changed in between")


def test_a_conflict_without_a_change_is_an_error_and_no_endless_loop():
    study = make(Stubborn())
    with pytest.raises(wf.StoreError, match="'hill' cannot be written: its store says it changed, but it did not"):
        study.ask()
