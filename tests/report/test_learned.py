"""A study learns what legs really cost from those told: planned with and shown, never written into prices."""

from itertools import pairwise

import numpy as np
import pytest

import wayfare as wf
from wayfare.record.events import Asked, Planned
from wayfare.report.costs import _told_legs, learned_cost, travel_of
from wayfare.store import verify

SQUARE = wf.Space(wf.Real("x", 0.0, 10.0), wf.Real("y", 0.0, 10.0))
SPREAD = wf.Method(wf.Uniform(), wf.Fixed(4), opening=wf.NoOpening())


def make(**changes):
    options = {
        "direction": "maximize",
        "travel": wf.Euclidean(unit="min"),
        "start": [5.0, 5.0],
        "trials": 60,
        "method": SPREAD,
    }
    return wf.Study.create(SQUARE, **(options | changes))


def travelled(study, trials, scale=1.3, offset=2.0, noise=None):
    """Tell what legs really cost by this scale and offset; the stated cost is worked out from the places."""
    for at in range(trials):
        trial = study.ask()
        leg = float(study.spec.travel(study.state.origin(trial.number)[None, :], trial.x[None, :])[0, 0])
        more = 0.0 if noise is None else float(noise[at])
        study.tell(trial, float(trial.x.sum()), spent=max(0.0, scale * leg + offset * (leg > 0) + more))
    return study


def test_a_study_learns_from_its_fifth_leg_on():
    study = make()
    for at in range(8):
        assert (study.learned() is None) == (at < 5)
        travelled(study, 1)
    learned = study.learned()
    assert (learned.scale, learned.offset) == (pytest.approx(1.3), pytest.approx(2.0))
    assert (learned.legs, learned.sd, learned.unit) == (8, pytest.approx(0.0, abs=1e-6), "min")
    assert str(learned).startswith("legs cost 1.3 x what was predicted + 2 min (8 legs told, off by ")
    assert travel_of(study.state) is learned_cost(study.state)


@pytest.mark.filterwarnings("ignore::wayfare.errors.GuaranteeWarning")
def test_a_cost_that_depends_on_the_direction_is_learned_in_it():
    ramps = wf.serial(wf.Ramp("x", up=1.0, down=4.0, unit="min"), wf.Ramp("y", up=0.5, down=2.0, unit="min"))
    learned = travelled(make(travel=ramps), 12, 0.7, 3.0).learned()
    assert (learned.scale, learned.offset) == (pytest.approx(0.7), pytest.approx(3.0))
    assert not learned.is_metric


def test_legs_are_taken_from_where_the_traveller_really_was():
    study = make(start=None, method=wf.Method(wf.Uniform(), wf.Fixed(9), opening=wf.NoOpening()))
    study.tell(study.ask(), 0.0, spent=999.0)  # from nowhere: says nothing
    study.insert([1.0, 1.0])
    study.tell(1, 0.0, actual=[2.0, 1.0], spent=50.0)
    study.insert([2.0, 4.0])
    study.skip(2)
    study.insert([2.0, 5.0])
    study.fail(3, spent=9.0)  # four from where trial 1 really was
    study.replan([9.0, 9.0])
    study.insert([9.0, 7.0])
    study.tell(4, 0.0, spent=5.0)  # two from where it was put
    study.insert([9.0, 7.0])
    study.tell(5, 0.0, spent=5.0)  # did not move
    study.insert([9.0, 1.0])
    study.tell(6, 0.0)  # nobody said
    stated, spent = _told_legs(study.state)
    here = study.trials[0].x
    assert stated.tolist() == pytest.approx([float(np.hypot(*(here - [2.0, 1.0]))), 4.0, 2.0])
    assert spent.tolist() == [50.0, 9.0, 5.0]
    study.amend(3, spent=8.0)
    assert _told_legs(study.state)[1].tolist() == [50.0, 8.0, 5.0]


def test_legs_that_all_cost_nothing_teach_nothing():
    assert travelled(make(), 8, 0.0, 0.0).learned() is None


def test_what_is_written_stays_by_the_stated_cost(tmp_path):
    study = travelled(make(store=tmp_path / "lab.db"), 24)
    cost, here = study.spec.travel, study.spec.start
    for plan in (event for event in study.events if isinstance(event, Planned)):
        ends = np.vstack([here, plan.stops])
        assert plan.legs == pytest.approx([cost(a[None], b[None])[0, 0] for a, b in pairwise(ends)])
        here = plan.stops[-1]
    noted = [plan.notes.get("travel") for plan in study.state.plans]
    assert noted[:2] == [None, None]
    assert noted[-1] == {"scale": pytest.approx(1.3), "offset": pytest.approx(2.0), "legs": 20}
    asked = [event.leg for event in study.events if isinstance(event, Asked)]
    assert asked == [trial.predicted for trial in study.trials]
    assert study.ledger().predicted == pytest.approx(sum(asked))
    assert study.ledger().paid == pytest.approx(1.3 * sum(asked) + 2.0 * 24)
    assert verify(tmp_path / "lab.db").is_sound


def test_plans_are_made_with_what_was_learned():
    seen = []

    class Looking:
        def propose(self, situation, size, rng):
            seen.append(situation.travel)
            return situation.space.sample(size, rng)

    study = make(method=wf.Method(Looking(), wf.Fixed(4), opening=wf.NoOpening()))
    travelled(study, 9)
    assert seen[:2] == [study.spec.travel, study.spec.travel]
    assert (seen[2].scale, seen[2].offset, seen[2].legs) == (pytest.approx(1.3), pytest.approx(2.0), 8)


def test_the_same_state_gives_the_same_plan_whoever_opens_it(tmp_path):
    study = travelled(make(store=tmp_path / "lab.db", seed=3), 9)
    again = wf.Study.open(tmp_path / "lab.db", "study")
    assert again.learned() == study.learned()
    twin = travelled(make(seed=3), 9)
    for one in (study, twin):
        travelled(one, 8)
    assert [t.params for t in study.trials] == [t.params for t in twin.trials]


def test_the_route_and_the_ledger_say_what_is_expected():
    study = travelled(make(), 9)
    study.tell(study.ask(), 0.0)
    route = study.route()
    assert [stop.expected for stop in route.stops] == pytest.approx([1.3 * s.leg + 2.0 for s in route.stops])
    assert route.expected == pytest.approx(1.3 * route.cost + 2.0 * len(route))
    first, *_, last = str(route).splitlines()
    assert f"leg {route.stops[0].leg:.4g} min, expected {1.3 * route.stops[0].leg + 2:.3g} min, total" in first
    assert last == f"expected {route.expected:.3g} min in all, by what legs have really cost"
    assert "; legs cost 1.3 x what was predicted + 2 min (9 legs told, off by " in str(study.ledger())


def test_while_nothing_is_learned_nothing_is_said():
    study = travelled(make(), 4)
    study.tell(study.ask(), 0.0)
    study.ask()
    assert {stop.expected for stop in study.route().stops} == {None}
    assert study.route().expected is None
    assert "expected" not in str(study.route())
    assert study.ledger().learned is None
    assert "legs cost" not in str(study.ledger())
    assert travel_of(study.state) is study.spec.travel


def test_a_slip_of_hundreds_of_digits_is_not_planned_with():
    study = make()
    for at in range(6):
        study.tell(study.ask(), 0.0, spent=1e300 if at else 0.0)
    assert study.learned() is None
    assert study.ask() is not None
