"""All moves in any order: a study opened anew for every call, one kept in memory, and a model agree."""

import math

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import wayfare as wf
from tests.journey.model import START, TRIALS, Model
from tests.journey.travellers import Refusal, record
from wayfare.records import Planned
from wayfare.replay import apply
from wayfare.state import StudyState

SPACE = wf.Space(wf.Real("a", 0.0, 10.0), wf.Real("b", 0.0, 10.0))
METHODS = {
    "tucb": "tucb",
    "random": "random",
    "batches": wf.Method(wf.Uniform(), wf.Fixed(3)),
    "rolling": wf.Method(wf.Uniform(), wf.Rolling()),
}

values = st.floats(-1e6, 1e6)
places = st.fixed_dictionaries({"a": st.floats(0, 10), "b": st.floats(0, 10)})
beyond = st.floats(-2, 12)
misses = st.one_of(st.none(), *(st.fixed_dictionaries({axis: beyond}) for axis in SPACE.names))
costs = st.one_of(st.none(), st.floats(0, 100))
workers = st.sampled_from(["", "w"])


class Journey(RuleBasedStateMachine):
    """The rules; a subclass says how its moves are made."""

    def traveller(self, space, **options):
        raise NotImplementedError

    @initialize(seed=st.integers(0, 5), method=st.sampled_from(sorted(METHODS)), begins=st.booleans())
    def begin(self, seed, method, begins):
        start = START if begins else None
        options = {
            "direction": "minimize" if seed % 2 else "maximize",
            "travel": wf.Euclidean(unit="m"),
            "trials": TRIALS,
            "start": start,
            "method": METHODS[method],
            "seed": seed,
        }
        self.kept = wf.Study.create(SPACE, name="s", **options)
        self.there = self.traveller(SPACE, name="s", **options)
        self.model = Model(start)
        self.rolling = method == "rolling"
        self.requests = []

    def make(self, name, *arguments, **options):
        """Make a move in both places; return the trial, which must be the same."""
        request = f"r{len(self.requests)}"
        ours = getattr(self.kept, name)(*arguments, request=request, **options)
        theirs = self.there.move(name, *arguments, request=request, **options)
        ours = getattr(ours, "trial", ours)
        if isinstance(ours, wf.Trial):
            assert {**record(ours), **theirs} == {**theirs, **record(ours)}
            assert theirs.items() >= record(ours).items()
        self.requests.append((name, arguments, options))
        return ours

    def refuse(self, name, *arguments, **options):
        """Try a move that both must refuse, and that must leave no mark."""
        before, trials = self.kept.state.version, self.there.trials()
        with pytest.raises(wf.WayfareError):
            getattr(self.kept, name)(*arguments, **options)
        with pytest.raises(Refusal):
            self.there.move(name, *arguments, **options)
        assert self.kept.state.version == before
        assert self.there.trials() == trials

    @rule(worker=workers, wait=st.booleans())
    def ask(self, worker, wait):
        mine, left = self.model.open_of(worker), self.model.left()
        state = self.kept.state
        promised = None if self.rolling else next(iter(self.kept.route().stops), None)
        trial = self.make("ask", worker=worker, wait=wait)
        if wait and mine:
            assert trial.number == mine[0]
        elif left == 0:
            assert trial is None
        else:
            assert promised is None or trial.params == promised.params, "the stored route is the truth"
            assert SPACE.contains(trial.x[None, :]).all()
            assert self.kept.state.version > state.version
            self.model.hand_out(trial.number, dict(trial.params), worker)

    @precondition(lambda self: self.model.open_of())
    @rule(data=st.data(), value=values, actual=misses, spent=costs)
    def tell(self, data, value, actual, spent):
        number = data.draw(st.sampled_from(self.model.open_of()))
        self.make("tell", number, value, actual=actual, spent=spent)
        self.model.close(number, "told", value, actual, spent)

    @precondition(lambda self: self.model.open_of())
    @rule(data=st.data(), why=st.text(max_size=5), actual=misses, spent=costs)
    def fail(self, data, why, actual, spent):
        number = data.draw(st.sampled_from(self.model.open_of()))
        self.make("fail", number, why=why, actual=actual, spent=spent)
        self.model.close(number, "failed", None, actual, spent)

    @precondition(lambda self: self.model.open_of())
    @rule(data=st.data())
    def skip(self, data):
        number = data.draw(st.sampled_from(self.model.open_of()))
        self.make("skip", number, why="the gate is locked")
        self.model.close(number, "skipped")

    @rule(place=places, worker=workers)
    def insert(self, place, worker):
        route = self.kept.route()
        trial = self.make("insert", place, worker=worker)
        assert dict(trial.params) == place
        self.model.hand_out(trial.number, place, worker, inserted=True)
        ahead = [stop.params for stop in self.kept.route().stops]
        assert [stop.params for stop in route.stops][: self.model.left()] == ahead

    @precondition(lambda self: self.model.closed())
    @rule(data=st.data(), value=values, withdraw=st.booleans(), actual=misses, spent=costs)
    def amend(self, data, value, withdraw, actual, spent):
        number = data.draw(st.sampled_from(self.model.closed()))
        value = None if withdraw else value
        options = {"withdraw": True} if withdraw else {}
        self.make("amend", number, *[value] * (not withdraw), actual=actual, spent=spent, **options)
        self.model.amend(number, value, actual, spent)

    @precondition(lambda self: self.model.left())
    @rule(position=st.one_of(st.none(), places, misses))
    def replan(self, position):
        if position is not None and len(position) < 2 and self.model.position() is None:
            self.refuse("replan", position=position)  # nothing to complete it from
            return
        self.make("replan", position=position)
        if position is not None:
            self.model.put(position)
        assert 0 < len(self.kept.route()) <= self.model.left()

    @precondition(lambda self: self.requests)
    @rule(data=st.data())
    def send_a_request_again(self, data):
        at = data.draw(st.integers(0, len(self.requests) - 1))
        name, arguments, options = self.requests[at]
        if name == "ask" and f"r{at}" not in self.kept.state.requests:
            return  # it had an open trial then, and left no mark
        before = self.there.trials()
        getattr(self.kept, name)(*arguments, request=f"r{at}", **options)
        self.there.move(name, *arguments, request=f"r{at}", **options)
        assert self.there.trials() == before

    @precondition(lambda self: self.model.results)
    @rule(data=st.data())
    def tell_again(self, data):
        self.refuse("tell", data.draw(st.sampled_from(self.model.results)), 0.5)

    @rule(number=st.integers(0, 30))
    def tell_unasked(self, number):
        if number >= len(self.model.trials):
            self.refuse("tell", number, 0.5)

    @rule(place=st.fixed_dictionaries({"a": st.floats(10.5, 20), "b": st.floats(0, 10)}))
    def insert_outside(self, place):
        self.refuse("insert", place)

    @precondition(lambda self: any(t["state"] == "skipped" for t in self.model.trials))
    @rule()
    def amend_a_skipped_one(self):
        number = next(n for n, t in enumerate(self.model.trials) if t["state"] == "skipped")
        self.refuse("amend", number, 1.0)

    @invariant()
    def the_file_and_the_memory_agree(self):
        assert self.there.trials() == [record(trial) for trial in self.kept.trials]

    @invariant()
    def every_trial_is_as_the_model_has_it(self):
        state = self.kept.state
        assert state.results == tuple(self.model.results)
        assert [trial.number for trial in state.open_trials] == self.model.open_of()
        assert state.left == self.model.left()
        for trial, model in zip(state.trials, self.model.trials, strict=True):
            assert str(trial.state) == model["state"]
            assert trial.value == model["value"]
            assert dict(trial.params) == model["place"]
            assert list(trial.earlier) == model["earlier"]
            assert (trial.stop is None) == model["inserted"]

    @invariant()
    def movement_is_what_was_travelled(self):
        state, (legs, here) = self.kept.state, self.model.walk()
        assert [trial.leg for trial in state.trials] == pytest.approx(legs, rel=1e-12, abs=1e-12)
        assert self.kept.ledger().paid == pytest.approx(math.fsum(legs), rel=1e-9, abs=1e-9)
        position = None if state.position is None else SPACE.params(state.position)
        assert position == here

    @invariant()
    def every_route_starts_where_the_traveller_stood(self):
        state = StudyState(self.kept.spec)
        for event in self.kept.events:
            if isinstance(event, Planned):
                assert sorted(event.picked) == list(range(len(event.stops)))
                assert len(event.stops) <= state.left
                if state.position is not None:
                    first = math.dist(event.stops[0], state.position)
                    assert event.legs[0] == pytest.approx(first, rel=1e-12, abs=1e-12)
            state = apply(state, [event])
