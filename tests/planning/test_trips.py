"""Trips: every one fits, none is longer than it must be, and all of them are paid for."""

from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wayfare as wf
from tests.planning.test_layout import Between
from tests.planning.test_limits import LINE, MARKS, listed, make, walk
from wayfare._core.rng import stream
from wayfare.exchange import export_csv, export_json, import_csv, import_json
from wayfare.planning.itinerary import Itinerary
from wayfare.planning.layout import lay_out
from wayfare.planning.reach import Limits, Reach
from wayfare.planning.trips import Trips
from wayfare.policy import Runs
from wayfare.route import ShortRoute
from wayfare.store import SqliteStore, verify

HOME = np.array([0.0])
PLANE = wf.Space(wf.Real("x", -5.0, 5.0), wf.Real("y", -5.0, 5.0))


@st.composite
def journeys(draw):
    """Return a reach and stops in an order, each in range of a trip of its own; 0 is home, 1 is here."""
    n = draw(st.integers(1, 6))
    costs = np.array(draw(st.lists(st.integers(0, 9), min_size=(n + 2) ** 2, max_size=(n + 2) ** 2)), float)
    costs = costs.reshape(n + 2, n + 2)
    np.fill_diagonal(costs, 0.0)
    counts = np.array(draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    dwell = draw(st.sampled_from([0.0, 1.0]))
    alone = costs[0, 2:] + costs[2:, 0] + dwell * counts
    trip = float(alone.max()) + draw(st.integers(0, 12))
    limits = Limits(home=HOME, dwell=dwell, trip=trip, trip_cost=draw(st.sampled_from([0.0, 2.0])))
    reach = Reach(Between(costs), np.array([1.0]), limits, trip_left=draw(st.integers(0, int(trip))))
    return reach, np.arange(2.0, n + 2)[:, None], counts


def stops_at(x, counts, homes):
    """Return an itinerary through the places."""
    return Itinerary(x, np.arange(len(x)), np.zeros(len(x)), counts, homes=homes)


def cost_of(reach, x, counts, homes):
    """Return what the way costs with these visits home; None if a trip does not last."""
    here, left, paid = reach.position, reach.trip_left, 0.0
    for place, count, home in zip(x, counts, homes, strict=True):
        if home:
            paid += reach.travel(here[None, :], HOME[None, :])[0, 0] + reach.limits.trip_cost
            here, left = HOME, reach.limits.trip
        leg = reach.travel(here[None, :], place[None, :])[0, 0]
        paid, left, here = paid + leg, left - leg - count * reach.dwell, place
        if left < reach.travel(place[None, :], HOME[None, :])[0, 0] - 1e-6:
            return None
    return paid


@settings(max_examples=300)
@given(journeys())
def test_the_visits_home_are_the_cheapest_of_all_that_keep_every_trip_in_time(journey):
    reach, x, counts = journey
    every = [[bool(n >> at & 1) for at in range(len(x))] for n in range(2 ** len(x))]
    costs = [cost for homes in every if (cost := cost_of(reach, x, counts, homes)) is not None]
    least, homes = Trips.of(reach, x, counts).cheapest(range(len(x)))
    assert least == pytest.approx(min(costs))
    assert cost_of(reach, x, counts, homes) == pytest.approx(min(costs))
    walk = reach.walk(stops_at(x, counts, homes))
    assert walk.homes.tolist() == homes.tolist()
    assert walk.legs.sum() == pytest.approx(min(costs))


@settings(max_examples=200)
@given(journeys())
def test_without_a_plan_one_goes_home_only_where_the_trip_would_not_last(journey):
    reach, x, counts = journey
    walk = reach.walk(stops_at(x, counts, np.zeros(len(x), dtype=bool)))
    homes = walk.homes
    assert cost_of(reach, x, counts, homes) == pytest.approx(walk.legs.sum())
    for at in np.flatnonzero(homes):
        fewer = homes.copy()
        fewer[at:] = False
        assert cost_of(reach, x[: at + 1], counts[: at + 1], fewer[: at + 1]) is None


def test_routes_with_trips_are_nearly_as_short_as_can_be():
    excess = []
    for seed in range(40):
        x = stream(seed, "trips").uniform(-5, 5, size=(6, 2))
        limits = Limits(home=np.zeros(2), dwell=0.5, trip=18.0, trip_cost=1.0)
        reach = Reach(wf.Euclidean(), np.zeros(2), limits, trip_left=18.0)
        way = lay_out(reach, Runs(x, [1] * 6), ShortRoute(), stream(0), 99).itinerary
        assert sorted(map(tuple, way.places)) == sorted(map(tuple, x))
        trips = Trips.of(reach, x, np.ones(6, dtype=int))
        best = min(trips.cheapest(list(order))[0] for order in permutations(range(6)))
        excess.append(way.cost / best - 1)
    assert min(excess) > -1e-9
    assert np.mean(excess) < 0.01, np.mean(excess)


def test_a_known_answer_on_a_line():
    # All three take 6.75 and the way to 3 and back 6.25. Home is nearest from 1.
    study = make(MARKS, listed(3, 2, 1), 3, trip=6.5, home="start", dwell=0.25, trip_cost=0.5)
    assert walk(study) == [1.0, 2.0, 3.0]
    assert [trial.home_first for trial in study.trials] == [False, True, False]
    assert [trial.leg for trial in study.trials] == [1.0, 1.0 + 0.5 + 2.0, 1.0]
    ledger = study.ledger()
    assert (ledger.trips, ledger.paid, ledger.trip_left) == (2, 5.5, 3.0)
    assert ledger.unordered == 3.0 + 1.0 + (2.0 + 0.5 + 1.0)
    assert ledger.saved == 2.0


@pytest.mark.parametrize("method", ["wayfare", "ucb", "tucb", "tts", "snake", "random-route", "lhs-route"])
def test_no_trip_takes_longer_than_it_may_whatever_the_method(method):
    study = wf.maximize(
        lambda x, y: -(x**2) - y,
        PLANE,
        travel=wf.Euclidean(unit="min"),
        trials=15,
        start={"x": 0.0, "y": 0.0},
        method=method,
        trip=12.0,
        home="start",
        dwell=0.5,
        trip_cost=1.0,
    )
    assert len(study.trials) == 15
    here, used = study.spec.start, 0.0
    for trial in study.trials:
        if trial.home_first:
            here, used = study.spec.limits.home, 0.0
        used += np.linalg.norm(trial.x - here) + 0.5
        assert used + np.linalg.norm(trial.x) <= 12.0 + 1e-9
        here = trial.x
    assert study.ledger().trips == 1 + sum(trial.home_first for trial in study.trials) > 1


@pytest.mark.parametrize(("budget", "visits"), [(11.0, 2), (10.9, 1)])
def test_the_budget_pays_the_ways_home_in_between_too(budget, visits):
    # 2 and home, 3 and home, half a metre in between and a quarter for each result.
    places = wf.Places([[2.0], [3.0]], names=["x"], once=True)
    limits = {"trip": 6.3, "home": "start", "trip_cost": 0.5, "dwell": 0.25}
    study = make(places, listed(2, 3), 2, budget=budget, **limits)
    assert len(walk(study)) == visits
    assert study.ledger().left >= study.ledger().home


def test_a_stop_out_of_range_is_never_chosen_and_inserting_it_is_refused():
    study = make(trials=12, method="random-route", trip=8.0, home="start", dwell=1.0)
    walk(study)
    assert max(trial.params["x"] for trial in study.trials) <= 3.5
    again = make(trials=12, method="random", trip=8.0, home="start", dwell=1.0)
    with pytest.raises(wf.BudgetSpent, match=r"x=3.6 and home does not fit a trip of 8 m"):
        again.insert({"x": 3.6})
    again.insert({"x": 3.5})


def test_what_a_leg_really_took_is_taken_from_the_trip():
    study = make(MARKS, listed(1, 2, 3, 4), 4, trip=9.0, home="start")
    assert study.route().stops == ()
    first = study.ask()
    assert [stop.home_first for stop in study.route().stops] == [False, False, False]
    study.tell(first, 0.0, spent=4.5)
    # 4.5 left: 2 can still be seen, at 1 + 2 back; after it 3.5, too little for 3 and back.
    assert [stop.home_first for stop in study.route().stops] == [False, True, False]
    assert study.ledger().trip_left == 4.5
    second = study.ask()
    assert not second.home_first
    study.tell(second, 0.0)
    third = study.ask()
    assert third.home_first
    assert third.leg == 2.0 + 3.0


def test_a_skipped_stop_hands_its_visit_home_on():
    study = make(MARKS, listed(3, 2, 1), 3, trip=6.5, home="start", dwell=0.25, trip_cost=0.5)
    trials = [study.ask(wait=False) for _ in range(3)]
    assert [trial.home_first for trial in trials] == [False, True, False]
    study.skip(1)
    assert study.trials[1].leg == 0.0
    assert study.trials[2].home_first
    assert study.trials[2].leg == 1.0 + 0.5 + 3.0
    assert study.ledger().trips == 2


def test_a_stop_that_is_not_out_yet_is_handed_no_visit_home():
    study = make(MARKS, listed(3, 2, 1), 3, trip=6.5, home="start", dwell=0.25, trip_cost=0.5)
    study.tell(study.ask(), 0.0)
    second = study.ask()
    assert second.home_first
    study.skip(second)
    third = study.ask()  # 1.25 of the trip are gone, and 3 takes 2 there, 3 back and a quarter: just enough
    assert (third.params["x"], third.home_first, third.leg) == (3.0, False, 2.0)


def test_putting_the_traveller_home_begins_a_new_trip():
    study = make(trials=9, method="random-route", trip=8.0, home="start")
    study.tell(study.ask(), 0.0, spent=7.5)
    assert study.ledger().trip_left == 0.5
    study.replan({"x": 1.0})
    assert study.ledger().trip_left == 0.5
    assert study.ledger().trips == 1
    study.replan({"x": 0.0})
    assert study.ledger().trip_left == 8.0
    assert study.ledger().trips == 2


def test_a_trip_on_which_nothing_was_visited_is_not_counted_though_it_was_begun_by_hand():
    study = make(trials=9, method="random-route", trip=8.0, home="start")
    study.replan({"x": 0.0})
    assert study.ledger().trips == 1, "there was no visit yet"
    first = study.ask()
    study.replan({"x": 0.0})
    assert study.ledger().trips == 2
    study.replan({"x": 0.0})
    assert study.ledger().trips == 2
    study.skip(first)
    assert study.ledger().trips == 1, "the visit was not made"
    study.tell(study.insert({"x": 2.0}).trial, 0.0)
    study.replan({"x": 0.0})
    study.tell(study.insert({"x": 3.0}).trial, 0.0, spent=4.5)
    assert study.insert({"x": 3.5}).trial.home_first
    assert study.ledger().trips == 3, "one by hand, one by the way home"


def test_a_study_with_trips_is_kept_verified_and_carried_elsewhere(tmp_path):
    study = make(method="random-route", trip=8.0, home="start", dwell=1.0, trip_cost=1.5, store=tmp_path / "a.db")
    walk(study)
    assert any(trial.home_first for trial in study.trials)
    assert verify(tmp_path / "a.db").is_sound
    again = wf.Study.open(tmp_path / "a.db", "study")
    assert again.ledger() == study.ledger()
    import_json(SqliteStore(tmp_path / "b.db"), export_json(study))
    assert wf.Study.open(tmp_path / "b.db", "study").ledger() == study.ledger()


def test_words_say_where_to_go_home_and_what_is_left_of_the_trip():
    study = make(MARKS, listed(1, 2, 3, 4), 4, trip=9.0, home="start")
    study.tell(study.ask(), 0.0, spent=4.5)
    assert str(study.route()).splitlines()[1] == "2. home first, then x 2 → 3: leg 5 m, total 6 m"
    assert "1 visit on 1 route in 1 trip: " in str(study.ledger())
    assert str(study.ledger()).endswith("; 4.5 m of this trip left, home is 1 m away")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"trip": 5.0}, "trip needs a place to come back to: give home"),
        ({"trip": -1.0, "home": "start"}, "trip.* must be above 0"),
        ({"trip": 5.0, "home": "start", "max_step": 1.0}, "trip and max_step exclude each other"),
        ({"trip_cost": 1.0}, "no trip is given"),
        ({"trip": 5.0, "home": "start", "trip_cost": -1.0}, "trip_cost.* must not be negative"),
        ({"trip": 5.0, "home": {"x": -6.0}}, "trip is 5 m, but the way from start to home alone costs 6 m"),
        (
            {"trip": 5.0, "home": {"x": -4.0}},
            r"trip is 5 m, but from home to x=0 for one result and back costs 8 m, and no place less",
        ),
        ({"trip": 5.0, "home": "start", "dwell": 6.0}, r"from home to x=0 for one result and back costs 6 m"),
    ],
)
def test_trips_that_cannot_be_made_are_refused(options, words):
    with pytest.raises(wf.InvalidInput, match=words):
        make(LINE, **options)


def test_a_missed_place_is_paid_by_way_of_home_too():
    study = make(MARKS, listed(3, 2, 1), 3, trip=6.5, home="start", dwell=0.25, trip_cost=0.5)
    study.tell(study.ask(), 0.0)
    second = study.ask()
    assert second.home_first
    assert study.tell(second, 0.0, actual={"x": 2.5}).leg == 1.0 + 0.5 + 2.5


@given(journeys(), st.integers(0, 40))
def test_a_place_fits_exactly_if_going_there_straight_or_by_way_of_home_does(journey, left):
    reach, x, counts = journey
    reach = Reach(reach.travel, reach.position, reach.limits, float(left), reach.trip_left)
    for place, count in zip(x, counts, strict=True):
        ways = [cost_of(reach, place[None, :], [count], [home]) for home in (False, True)]
        home = reach.travel(place[None, :], HOME[None, :])[0, 0] + count * reach.dwell
        can = any(way is not None and way + home <= left for way in ways)
        assert reach.fits(place[None, :], count)[0] == can
        walk = reach.walk(Itinerary.to(place, count))
        assert walk.whole == can
        if ways[0] is not None and ways[0] + home <= left:
            assert not walk.homes[0]


def test_other_currencies_pay_the_ways_home_but_not_what_a_new_trip_costs():
    euros = wf.Scaled(wf.Euclidean(), 10.0, "EUR")
    study = make(MARKS, listed(3, 2, 1), 3, trip=6.5, home="start", dwell=0.25, trip_cost=0.5, also=[euros])
    first = study.ask()
    assert [stop.also for stop in study.route().stops] == [(("EUR", 30.0),), (("EUR", 10.0),)]
    study.tell(first, 0.0)
    walk(study)
    (account,) = study.ledger().also
    assert (account.paid, account.unordered) == (50.0, 70.0)


def test_shuffled_stops_are_walked_in_trips_too():
    study = make(LINE, "random-route", 9, trip=8.0, home="start", dwell=0.5, shuffle=1.0, start={"x": 0.0})
    visited = walk(study)
    assert visited != sorted(visited)
    assert study.ledger().trips > 1
    assert study.ledger().shuffled > 0


def test_trips_are_planned_with_what_legs_really_cost():
    study = make(LINE, "random-route", 40, trip=12.0, home="start", anchor="start", anchor_every=30)
    for x in (1.0, 2.0, 3.0, 2.0, 1.0, 0.0):
        trial = study.insert({"x": x}).trial
        study.tell(trial, 0.0, spent=2 * trial.leg)
    assert study.learned().scale == pytest.approx(2.0)
    study.replan({"x": 0.0})
    assert max(stop.params["x"] for stop in study.route().stops) <= 3.0, "twelve there and back"
    for stop in study.route().stops:
        assert stop.expected == pytest.approx(2 * stop.leg)


TRACK = wf.Places([[1.0], [2.0], [3.0], [4.0]], names=["x"])


@pytest.mark.parametrize("factor", [0.5, 1.0, 2.0])
def test_what_was_told_of_a_leg_by_way_of_home_is_shared_between_the_two_trips(factor):
    study = make(TRACK, "random", 20, start={"x": 4.0}, home={"x": 0.0}, trip=9.0)
    for x in (4.0, 1.0):
        study.tell(study.insert({"x": x}).trial, 1.0)
    third = study.insert({"x": 4.0}).trial
    assert (third.home_first, third.leg) == (True, 5.0)
    study.tell(third, 1.0, spent=factor * 5.0)
    assert study.ledger().trip_left == pytest.approx(9.0 - factor * 4.0)


@pytest.mark.parametrize("told", [False, True])
def test_a_leg_by_way_of_home_is_shared_between_the_two_trips_as_legs_were_learned_to_cost(told):
    study = make(LINE, "random", 60, home="start", trip=30.0)
    for x in (1.0, 2.0, 3.0, 4.0, 5.0, 9.0):
        study.replan({"x": 0.0})
        study.tell(study.insert({"x": x}).trial, 0.0, spent=x + 5.0)
    study.insert({"x": 10.0})
    third = study.insert({"x": 1.0}).trial
    assert third.home_first
    if told:
        study.tell(third, 0.0, spent=15.0 + 6.0)
    assert study.ledger().trip_left == pytest.approx(24.0), "six of it on the new trip, not two"
    assert study.insert({"x": 8.0}).trial.home_first, "twelve to get there and thirteen home"


class Given:
    def propose(self, situation, size, rng):
        x = np.array([[0.6, 0.4], [0.5, 0.6], [0.6, 0.1], [0.4, 0.5]])
        return x[situation.space.contains(x)][:size]


def test_a_visit_home_that_was_planned_is_made_only_if_the_budget_pays_it():
    space = wf.Space(wf.Real("x", 0, 1), wf.Real("y", 0, 1))
    study = make(
        space,
        wf.Method(Given(), wf.Fixed(4), opening=wf.NoOpening()),
        4,
        travel=wf.Manhattan(unit="m"),
        start=[0, 0],
        home="start",
        trip=2.2,
        budget=4.5,
    )
    late = 0.6
    while (trial := study.ask()) is not None:
        study.tell(trial, 0.0, spent=trial.leg + late)
        late = 0.0
        assert study.ledger().left >= study.ledger().home - 1e-9


def test_straight_is_not_taken_where_only_the_way_by_home_can_be_paid():
    costs = np.array([[0.0, 1.0, 1.0], [1.0, 0.0, 10.0], [1.0, 10.0, 0.0]])
    places = wf.Places([[0.0], [1.0], [2.0]], names=["x"])
    with pytest.warns(wf.GuaranteeWarning):
        study = make(places, "random", 9, travel=wf.Table(places, costs), home="start", trip=30.0, budget=9.0)
    study.tell(study.insert({"x": 1.0}).trial, 0.0)
    second = study.insert({"x": 2.0}).trial
    assert (second.home_first, second.leg) == (True, 2.0)


def test_an_anchor_that_no_trip_reaches_any_more_does_not_end_the_study():
    space = wf.Space(wf.Real("x", 0, 1), wf.Real("y", 0, 1))
    options = {"start": [0, 0], "home": "start", "trip": 3.0, "anchor": [0.9, 0.9], "anchor_every": 4}
    study = make(space, "random", 25, **options)
    while (trial := study.ask()) is not None:
        study.tell(trial, 0.0, spent=1.5 * trial.leg)
    assert len(study.trials) == 25


@pytest.mark.parametrize("factor", [0.7, 1.0, 1.6])
def test_the_route_shown_is_the_one_that_is_handed_out(factor):
    study = make(LINE, "random-route", 30, trip=7.0, home="start", dwell=0.1, shuffle=0.5)
    while (trial := study.ask()) is not None:
        study.tell(trial, 0.0, spent=factor * trial.leg)
        ahead = study.route().stops[:1]
        if ahead and (following := study.ask()) is not None and following.plan == trial.plan:
            assert (ahead[0].leg, ahead[0].home_first) == (pytest.approx(following.leg), following.home_first)


def test_a_table_of_visits_comes_back_with_its_trips():
    study, again = (make(LINE, "random-route", 12, trip=8.0, home="start", dwell=0.5) for _ in range(2))
    walk(study)
    import_csv(again, export_csv(study))
    assert [trial.home_first for trial in again.trials] == [trial.home_first for trial in study.trials]
    assert again.ledger().paid == pytest.approx(study.ledger().paid)
    assert again.learned() is None


def test_a_table_loses_a_visit_home_that_its_leg_does_not_show_and_an_archive_keeps_it():
    sides = wf.Places([[-3.0], [2.0], [3.0]], names=["x"])
    study, again = (make(sides, "random", 9, trip=9.0, home="start") for _ in range(2))
    for x in (2.0, 3.0, 2.0, -3.0):  # the last one beyond home, which lies on the way
        study.tell(study.insert({"x": x}).trial, 0.0)
    import_csv(again, export_csv(study))
    copy = import_json(wf.MemoryStore(), export_json(study))
    homes = [[trial.home_first for trial in one.trials] for one in (study, copy, again)]
    assert homes == [[False, False, False, True]] * 2 + [[False] * 4]


def test_the_detour_of_an_extra_place_has_the_way_home():
    study = make(LINE, listed(3), 9, trip=8.0, home="start")
    study.tell(study.insert({"x": 3.5}).trial, 0.0)
    detour = study.insert({"x": 4.0})
    study.tell(detour.trial, 0.0, spent=1.0)  # half a metre more than it should have been
    again = study.insert({"x": 3.0})
    assert again.trial.home_first
    assert again.cost == again.trial.leg == 4.0 + 3.0


def test_a_detour_is_what_the_way_by_it_costs_more_than_without():
    # On to 4 straight, as 1.5 lies between; but once two results were taken there, by way of home.
    options = {"trip": 10.0, "home": "start", "dwell": 1.0}
    assert extra(options, 1) == pytest.approx(1.5 + 2.5 - 4.0)
    assert extra(options, 2) == pytest.approx(1.5 + (1.5 + 4.0) - 4.0)
    # Home first to 4 as it is, since 4.5 m are left of this trip; 1.5 lies on the way home.
    tired = {"start": {"x": 3.0}, "trip": 12.0, "home": {"x": 0.0}, "dwell": 1.0}
    assert extra(tired, 1, 7.5) == pytest.approx(1.5 + (1.5 + 4.0) - (3.0 + 4.0))


def extra(options, count, spent=0.0):
    """Return the detour by 1.5 on the way to 4, for so many results."""
    study = make(LINE, listed(9, 4), 9, **options)
    if spent:
        study.tell(study.insert(options["start"]).trial, 0.0, spent=spent - 1.0)
    study.replan()
    return study.insert({"x": 1.5}, count=count).cost


def test_a_trip_that_took_too_long_is_said_to_be_overdrawn():
    study = make(LINE, "random", 9, trip=8.0, home="start")
    study.tell(study.insert({"x": 2.0}).trial, 0.0, spent=9.5)
    assert "this trip overdrawn by 1.5 m, home is 2 m away" in str(study.ledger())


def test_the_last_places_within_reach_are_looked_for_in_range_of_home():
    # Many places can be reached straight and paid, but few of them on a trip from home and back.
    space = wf.Space(wf.Real("x", 0, 1), wf.Real("y", 0, 1))
    limits = {"start": [1, 1], "home": [0, 0], "trip": 1.6156764225229447, "budget": 1.4916863050998428, "seed": 120}
    study = make(space, "tts", 10, **limits)
    while (trial := study.ask()) is not None:
        study.tell(trial, -((trial.params["x"] - 0.6) ** 2) - (trial.params["y"] - 0.6) ** 2)
    assert len(study.trials) == 10


def test_rounding_ends_no_trip():
    places = wf.Places([[0.1], [0.2], [0.30000000000000004]], names=["x"], once=True)
    options = {"trip": 0.6, "home": "start"}
    assert 2 * 0.30000000000000004 > 0.6, "the way home does not fit to the last digit"
    study = make(places, "random-route", 3, **options)
    walk(study)
    assert not any(trial.home_first for trial in study.trials)
    assert "0.3 m of this trip left, home is 0.3 m away" in str(study.ledger())
    # On a trip of its own as well: there and back is 0.6000000000000001.
    alone = make(wf.Places(places.table[2:], names=["x"]), "random", 2, **options)
    assert len(walk(alone)) == 2


def test_a_table_that_says_two_visits_in_a_row_were_left_out_hands_the_way_home_on_twice():
    studies = [make(LINE, "random", 9, trip=8.0, home="start") for _ in range(2)]
    for study in studies:
        for x in (3.5, 3.0, 2.0, 3.9):
            study.insert({"x": x})
        assert [trial.home_first for trial in study.trials] == [False, False, False, True]
        study.skip(2)
    later, told = studies  # what comes next is on the trip that began on the way to 3.9
    for study in studies:
        study.insert({"x": 1.0})
        study.insert({"x": 1.05})
    told.skip(3)
    told.skip(4)
    import_csv(later, "number,x,value,state\n3,3.9,,skipped\n4,1,,skipped\n")
    assert [trial.leg for trial in later.trials] == [trial.leg for trial in told.trials]
    assert [trial.home_first for trial in later.trials] == [trial.home_first for trial in told.trials]
    assert told.trials[5].home_first


def test_a_budget_is_not_called_spent_where_no_trip_lasts():
    study = make(TRACK, "random", 20, budget=1000.0, trip=9.0, home="start")
    for x in (1.0, 2.0, 1.0, 2.0, 1.0):
        study.tell(study.insert({"x": x}).trial, 0.0)
    for number in range(5):
        study.amend(number, spent=10.0)
    assert study.ask() is None
    with pytest.raises(wf.BudgetSpent, match=r"^no place is within reach \(.* of 1000 m left, this trip over"):
        study.replan()
