"""Workers who share a study: one plans at a time, and what a plan saw is what the log says it saw."""

import random
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import numpy as np
import pytest
from attrs import evolve

import wayfare as wf
from wayfare.record.events import Planned, Told, write_event
from wayfare.record.stamp import NO_STAMP
from wayfare.record.state import replay
from wayfare.study import journal, moves

SPACE = wf.Space(wf.Real("x", 0.0, 1.0), wf.Real("y", 0.0, 1.0))


def make(store, **changes):
    usual = {"direction": "maximize", "travel": wf.Euclidean(), "trials": 40, "name": "hill", "seed": 5}
    return wf.Study.create(SPACE, store=store, **(usual | changes))


def three_out(store, method):
    """Return a study whose workers a, b and c have one trial each out, and whose route is at its end."""
    study = make(store, method=method)
    for worker in ("a", "b", "c"):
        study.ask(worker)
    assert not len(study.state.itinerary)
    return study


BY_THREES = wf.Method(wf.UCB(), wf.Fixed(3))


class Busy(wf.MemoryStore):
    """A store to which another worker writes just before a plan is stored, once."""

    def __init__(self, meanwhile=None):
        super().__init__()
        self.meanwhile = meanwhile

    def append(self, name, after, events):
        if self.meanwhile is not None and '"kind":"planned"' in "".join(events):
            move, self.meanwhile = self.meanwhile, None
            move(wf.Study.open(self, name))
        super().append(name, after, events)


@pytest.fixture
def planned(monkeypatch):
    """Return the versions of the study from which routes were computed."""
    versions, plan = [], moves.plan

    def counted(state):
        versions.append(state.version)
        return plan(state)

    monkeypatch.setattr(moves, "plan", counted)
    return versions


def seen(events, at):
    """Return what the log says that the plan at that place saw: all before it but the results that came too late."""
    before = events[:at]
    told = [event for event in before if isinstance(event, Told)]
    late = told[events[at].told :]
    return [event for event in before if event not in late]


def assert_plans_follow_from_what_they_saw(study):
    events = study.events
    for at, event in enumerate(events):
        if isinstance(event, Planned):
            again = moves.plan(replay(study.spec, seen(events, at)))
            assert write_event(again) == write_event(evolve(event, stamp=NO_STAMP))


@pytest.mark.parametrize("method", ["wayfare", "tucb", "rolling", "bpe"])
def test_every_plan_of_a_crowd_follows_from_what_the_log_says_it_saw(method, planned):
    store = wf.MemoryStore()
    method = wf.Method(wf.UCB(), wf.Rolling()) if method == "rolling" else method
    study = make(store, method=method)
    computed = len(planned)

    def work(worker):
        mine, chance = wf.Study.open(store, "hill"), random.Random(worker)
        while (trial := mine.ask(worker)) is not None:
            mine.tell(trial, chance.random())

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, "abcd"))
    assert len(planned) - computed == len(study.state.plans)
    assert len(study.trials) == len(study.state.results) == 40
    assert_plans_follow_from_what_they_saw(study)


def test_a_take_over_meanwhile_does_not_discard_a_plan(planned):
    """A plan does not know who has a trial."""
    store = Busy()
    study = three_out(store, BY_THREES)
    before = len(planned)
    store.meanwhile = lambda other: other.ask("e", take_over=timedelta())
    study.ask("d")
    assert len(planned) == before + 1
    assert study.trials[0].former == ("a",)
    assert_plans_follow_from_what_they_saw(study)


def test_a_tell_meanwhile_does_not_discard_a_plan(planned):
    store = Busy()
    study = three_out(store, BY_THREES)
    study.tell(0, 0.5)
    before = len(planned)
    store.meanwhile = lambda other: other.tell(1, 0.7)
    trial = study.ask("d")
    assert len(planned) == before + 1
    told, plan, asked = study.events[-3:]
    assert (told.number, plan.told, asked.number) == (1, 1, trial.number)
    assert study.state.news == 1
    assert_plans_follow_from_what_they_saw(study)


@pytest.mark.parametrize(
    "meanwhile",
    {
        "a place missed": lambda other: other.tell(1, 0.7, actual={"x": 0.5}),
        "a cost of its own": lambda other: other.tell(1, 0.7, spent=3.0),
        "another number of results": lambda other: other.tell(1, [0.7, 0.8]),
        "a failure": lambda other: other.fail(1),
        "a skip": lambda other: other.skip(1),
        "a correction": lambda other: other.amend(0, 0.6),
        "another place": lambda other: other.insert({"x": 0.5, "y": 0.5}, worker="e"),
        "a tell and a failure": lambda other: (other.tell(1, 0.7), other.fail(2)),
    }.items(),
    ids=lambda item: item[0],
)
def test_all_else_meanwhile_is_planned_with(meanwhile, planned):
    store = Busy()
    study = three_out(store, BY_THREES)
    study.tell(0, 0.5)
    before = len(planned)
    store.meanwhile = meanwhile[1]
    study.ask("d")
    assert len(planned) == before + 2
    assert study.state.plans[-1].told == len(study.state.results)
    assert_plans_follow_from_what_they_saw(study)


def test_a_replan_keeps_its_route_over_a_tell(planned):
    store = Busy()
    study = three_out(store, BY_THREES)
    before = len(planned)
    store.meanwhile = lambda other: other.tell(1, 0.7)
    made = study.replan({"x": 0.2, "y": 0.2})
    assert len(planned) == before + 1
    assert len(made.route.stops) == 3
    assert study.state.plans[-1].told == 0
    assert_plans_follow_from_what_they_saw(study)


def test_several_stops_keep_all_of_their_routes_over_a_tell(planned):
    store = Busy()
    study = three_out(store, BY_THREES)
    before = len(planned)
    store.meanwhile = lambda other: other.tell(1, 0.7)
    assert len(study.ask("d", n=7)) == 7
    assert len(planned) == before + 3
    assert [plan.told for plan in study.state.plans[-3:]] == [0, 0, 0]
    assert_plans_follow_from_what_they_saw(study)


def test_a_schedule_that_replans_at_news_hears_what_its_plan_did_not(planned):
    store = Busy()
    study = make(store, method=wf.Method(wf.UCB(), wf.Rolling()))
    for worker in ("a", "b"):
        study.ask(worker)
    study.tell(0, 0.5)
    before = len(planned)
    store.meanwhile = lambda other: other.tell(1, 0.7)
    study.ask("d")
    study.ask("e")
    study.ask("f")
    assert len(planned) == before + 2  # for d without the second result, for e with it


def test_a_route_that_another_stored_first_is_followed(planned):
    class Hasty(Busy):
        planning = None  # so that the other worker does not wait for its turn

    store = Hasty()
    study = three_out(store, BY_THREES)
    store.meanwhile = lambda other: other.ask("e")
    assert study.ask("d").number == 4
    assert len(study.state.plans) == 3  # d threw its own away


class Elsewhere:
    """A store that was made before there was ``planning``."""

    def __init__(self):
        self.kept = wf.MemoryStore()
        self.names, self.create, self.read = self.kept.names, self.kept.create, self.kept.read
        self.append = self.kept.append


def test_a_store_without_planning_works():
    store = Elsewhere()
    study = make(store, trials=20)

    def work(worker):
        mine = wf.Study.open(store, "hill")
        while (trial := mine.ask(worker)) is not None:
            mine.tell(trial, float(np.sum(trial.x)))

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, "abc"))
    assert len(study.state.results) == 20
    assert_plans_follow_from_what_they_saw(study)


class Restless(wf.MemoryStore):
    """A store in which another worker is always faster."""

    def append(self, name, after, events):
        request = f'"request":"{after}"'
        super().append(name, after, [f'{{"kind":"replanned","position":null,"why":"","at":null,{request}}}'])
        super().append(name, after, events)


def test_a_move_that_others_always_forestall_ends_with_an_error(monkeypatch):
    monkeypatch.setattr(journal, "ATTEMPTS", 5)
    study = make(Restless(), method="random")
    with pytest.raises(wf.Conflict, match=r"changed by others 5 times in a row .* not written\. Send it again"):
        study.insert({"x": 0.5, "y": 0.5})
    assert study.state.version == 5
    assert not study.trials


def test_waiting_draws_from_no_random_stream_of_the_user(monkeypatch):
    monkeypatch.setattr(journal, "ATTEMPTS", 3)
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    with pytest.raises(wf.Conflict):
        make(Restless(), method="random").insert({"x": 0.5, "y": 0.5})
    assert (random.getstate(), np.random.get_state()[1].tolist()) == before  # noqa: NPY002
