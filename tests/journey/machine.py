"""All moves in any order: a study opened anew for every call, one kept in memory, and a model agree."""

import math
import statistics

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import wayfare as wf
from tests.journey.model import DWELL, HOME, START, TRIALS, Model
from tests.journey.travellers import Refusal, record
from wayfare.record.events import Planned
from wayfare.record.state import StudyState, apply
from wayfare.report.costs import learned_cost

SPACE = wf.Space(wf.Real("a", 0.0, 10.0), wf.Real("b", 0.0, 10.0))
METHODS = {
    "tucb": "tucb",
    "random": "random",
    "batches": wf.Method(wf.Uniform(), wf.Fixed(3)),
    "rolling": wf.Method(wf.Uniform(), wf.Rolling()),
    "runs": "blin",
}

values = st.floats(-1e6, 1e6)
places = st.fixed_dictionaries({"a": st.floats(0, 10), "b": st.floats(0, 10)})
beyond = st.floats(-2, 12)
misses = st.one_of(st.none(), *(st.fixed_dictionaries({axis: beyond}) for axis in SPACE.names))
costs = st.one_of(st.none(), st.floats(0, 100))
workers = st.sampled_from(["", "w"])
LIMITS = [wf.Measured("p", at_most=0.0), wf.Measured("q", at_least=-1.0, unit="bar")]
readings = st.fixed_dictionaries({}, optional={"p": values, "q": values})
corrections = st.fixed_dictionaries({}, optional={"p": st.none() | values, "q": st.none() | values})


# What was found, as tell takes it: one number, a mean of several results, or all of them.
means = st.fixed_dictionaries(
    {"value": values, "count": st.integers(2, 3), "variance": st.one_of(st.none(), st.floats(0, 1e6))}
)
lists = st.fixed_dictionaries({"value": st.lists(st.integers(-9, 9).map(float), min_size=2, max_size=3)})
findings = st.one_of(st.fixed_dictionaries({"value": values}), means, lists)


def summary(found):
    """Return the value, the count and the variance of what was found, as a child would work them out."""
    value, count = found["value"], found.get("count", 1)
    if isinstance(value, list):
        return statistics.fmean(value), len(value), statistics.variance(value)
    return value, count, found.get("variance")


def near(number):
    """Return what equals a number that was worked out in another order."""
    return None if number is None else pytest.approx(number, rel=1e-12, abs=0)


class Journey(RuleBasedStateMachine):
    """The rules; a subclass says how its moves are made."""

    def traveller(self, space, **options):
        raise NotImplementedError

    @initialize(
        seed=st.integers(0, 5),
        method=st.sampled_from(sorted(METHODS)),
        begins=st.booleans(),
        budget=st.sampled_from([None, 12.0, 40.0, 400.0]),
    )
    def begin(self, seed, method, begins, budget):
        start = START if begins else None
        options = {
            "direction": "minimize" if seed % 2 else "maximize",
            "travel": wf.Euclidean(unit="m"),
            "trials": TRIALS,
            "start": start,
            "method": METHODS[method],
            "seed": seed,
            "noise": 0.5 if method == "runs" else None,
        }
        self.limited = seed % 3 > 0
        if self.limited:
            options["measured"] = LIMITS
        if budget is not None:
            options |= {"budget": budget, "home": HOME, "dwell": DWELL}
        self.kept = wf.Study.create(SPACE, name="s", **options)
        self.there = self.traveller(SPACE, name="s", **options)
        self.model = Model(start, budget)
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

    @rule(worker=workers, wait=st.booleans(), whole=st.booleans())
    def ask(self, worker, wait, whole):
        mine, left = self.model.open_of(worker), self.model.left()
        state = self.kept.state
        promised = None if self.rolling else next(iter(self.kept.route().stops), None)
        trial = self.make("ask", worker=worker, wait=wait, count=whole)
        if wait and mine:
            assert trial.number == mine[0]
        elif left == 0:
            assert trial is None
        elif trial is None:
            assert self.model.budget is not None
            assert self.dearer or not self.model.affords_to_stay()
        else:
            # The stored route is the truth, unless the budget no longer pays its next stop.
            count = promised.count if promised and whole else 1
            if promised and self.model.affords(promised.params, count) and not self.dearer:
                assert trial.params == promised.params
            else:
                promised = None
            assert SPACE.contains(trial.x[None, :]).all()
            assert self.kept.state.version > state.version
            assert trial.count <= (left if whole else 1), "never more results than there are trials"
            assert promised is None or not whole or trial.count == promised.count
            self.model.hand_out(trial.number, dict(trial.params), worker, count=trial.count)
            assert self.model.budget is None or self.model.spare() >= -1e-9 * self.model.budget

    @precondition(lambda self: self.model.open_of())
    @rule(data=st.data(), found=findings, actual=misses, spent=costs, measured=readings)
    def tell(self, data, found, actual, spent, measured):
        number = data.draw(st.sampled_from(self.model.open_of()))
        if self.model.trials[number]["count"] > 1 and list(found) == ["value"] and type(found["value"]) is float:
            self.refuse("tell", number, **found)  # nobody said whether it is one result or the mean of all
            return
        if not self.limited and measured:
            self.refuse("tell", number, **found, measured=measured)
            measured = {}
        self.make("tell", number, **found, actual=actual, spent=spent, measured=measured)
        value, count, variance = summary(found)
        self.model.close(number, "told", value, actual, spent, count, variance, measured)

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

    @rule(place=places, worker=workers, count=st.integers(1, 3))
    def insert(self, place, worker, count):
        if not self.model.affords(place, count):
            self.refuse("insert", place, worker=worker, count=count)
            return
        if self.dearer:
            return  # whether it can be paid as legs really cost is not for a child to say
        route = self.kept.route()
        trial = self.make("insert", place, worker=worker, count=count)
        assert dict(trial.params) == place
        self.model.hand_out(trial.number, place, worker, inserted=True, count=count)
        ahead = self.kept.route()
        assert [stop.params for stop in route.stops][: len(ahead)] == [stop.params for stop in ahead.stops]
        stays = min(route.results, self.model.left())
        assert ahead.results == stays or (self.model.budget is not None and ahead.results < stays)

    @precondition(lambda self: self.model.closed())
    @rule(
        data=st.data(),
        found=st.one_of(means, lists),
        withdraw=st.booleans(),
        actual=misses,
        spent=costs,
        measured=corrections,
    )
    def amend(self, data, found, withdraw, actual, spent, measured):
        number = data.draw(st.sampled_from(self.model.closed()))
        measured = measured if self.limited and not withdraw else {}
        options = {"withdraw": True} if withdraw else found | {"measured": measured}
        self.make("amend", number, actual=actual, spent=spent, **options)
        value, count, variance = (None, None, None) if withdraw else summary(found)
        self.model.amend(number, value, actual, spent, count, variance, measured)

    @precondition(lambda self: self.limited and self.model.closed())
    @rule(data=st.data(), measured=corrections)
    def amend_what_was_measured(self, data, measured):
        number = data.draw(st.sampled_from(self.model.closed()))
        trial = self.model.trials[number]
        if not measured or trial["value"] is None:
            self.refuse("amend", number, measured=measured)  # nothing to amend, or no value that it goes with
            return
        self.make("amend", number, measured=measured)
        self.model.amend(number, trial["value"], None, None, trial["count"], trial["variance"], measured)

    @precondition(lambda self: any(self.model.trials[n]["count"] == 1 for n in self.model.closed()))
    @rule(data=st.data(), value=values)
    def amend_one_result(self, data, value):
        number = data.draw(st.sampled_from([n for n in self.model.closed() if self.model.trials[n]["count"] == 1]))
        self.make("amend", number, value=value)
        self.model.amend(number, value, None, None, 1)

    @precondition(lambda self: self.model.left())
    @rule(position=st.one_of(st.none(), places, misses))
    def replan(self, position):
        if position is not None and len(position) < 2 and self.model.position() is None:
            self.refuse("replan", position=position)  # nothing to complete it from
            return
        if self.dearer or (self.model.budget is not None and not self.model.affords_to_stay()):
            return  # whether another place is within reach is not for a child to say
        self.make("replan", position=position)
        if position is not None:
            self.model.put(position)
        if self.dearer or (self.model.budget is not None and not self.model.affords_to_stay()):
            return
        assert 0 < len(self.kept.route()) <= self.kept.route().results <= self.model.left()

    @rule(spent=costs)
    def go_home(self, spent):
        if self.model.budget is None or self.model.is_home():
            self.refuse("go_home", spent=spent)  # there is no home, or the traveller is there
            return
        ahead = [stop.params for stop in self.kept.route().stops]
        self.make("go_home", spent=spent)
        self.model.go_home(spent)
        if spent is None and not self.dearer:
            stays = [stop.params for stop in self.kept.route().stops]
            assert stays == ahead[: len(stays)], "the route stays, as far as it can still be paid"

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
        assert state.trials_left == self.model.left()
        for trial, model in zip(state.trials, self.model.trials, strict=True):
            assert str(trial.state) == model["state"]
            assert trial.value == near(model["value"])
            assert (trial.count, trial.variance) == (model["count"], near(model["variance"]))
            assert dict(trial.params) == model["place"]
            assert dict(trial.measured) == model["measured"]
            assert list(trial.earlier) == [near(value) for value in model["earlier"]]
            assert (trial.stop is None) == model["inserted"]

    @property
    def dearer(self):
        """Whether the study has a budget and learned from the legs told that others cost more than stated."""
        learned = learned_cost(self.kept.state)
        return self.model.budget is not None and learned is not None and (learned.scale > 1 or learned.offset > 0)

    @invariant()
    def movement_is_what_was_travelled(self):
        state, (legs, here) = self.kept.state, self.model.walk()
        assert [trial.leg for trial in state.trials] == pytest.approx(legs, rel=1e-12, abs=1e-12)
        assert self.kept.ledger().paid == pytest.approx(math.fsum([*legs, *self.model.ways]), rel=1e-9, abs=1e-9)
        position = None if state.position is None else SPACE.params(state.position)
        assert position == here

    @invariant()
    def the_ledger_knows_what_is_left_of_the_budget_and_the_way_home(self):
        ledger, budget = self.kept.ledger(), self.model.budget
        if budget is None:
            assert (ledger.left, ledger.home) == (None, None)
        else:
            home, stated = ledger.home or 0.0, self.model.way_home()
            assert ledger.left + ledger.owed - stated == pytest.approx(self.model.spare(), rel=1e-9, abs=1e-9)
            # Once legs were told to cost more than stated, what is out and the way home are dearer too.
            if self.dearer:
                assert ledger.owed >= 0
                assert home >= stated - 1e-9
            else:
                assert (ledger.owed, home) == pytest.approx((0.0, stated), rel=1e-9, abs=1e-9)

    @invariant()
    def every_route_starts_where_the_traveller_stood(self):
        state = StudyState(self.kept.spec)
        for event in self.kept.events:
            if isinstance(event, Planned):
                assert sorted(event.picked) == list(range(len(event.stops)))
                assert event.each.sum() <= state.trials_left
                if state.position is not None:
                    first = math.dist(event.stops[0], state.position)
                    assert event.legs[0] == pytest.approx(first, rel=1e-12, abs=1e-12)
            state = apply(state, [event])
