"""A trial whose worker vanished is taken over by another: when its lease is over, and never silently."""

import json
from datetime import UTC, datetime, timedelta

import pytest

import wayfare as wf
from wayfare.errors import AlreadyTold, Conflict, InvalidInput
from wayfare.exchange import export_json, import_json
from wayfare.record import stamp

SPACE = wf.Space(wf.Real("x", 0.0, 1.0), wf.Real("y", 0.0, 1.0))
NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands; ``clock.append`` sets it."""
    times = [NOON]

    class Clock(datetime):
        @classmethod
        def now(cls, tz=None):
            return times[-1]

    monkeypatch.setattr(stamp, "datetime", Clock)
    return times


def make(trials=6, **options):
    usual = {"direction": "maximize", "travel": wf.Euclidean(), "start": [0, 0], "name": "hill", "method": "random"}
    return wf.Study.create(SPACE, trials=trials, **(usual | options))


@pytest.fixture
def study(clock):
    """Ann and Bob have a trial each, Bob's since an hour later."""
    made = make()
    made.ask("ann")
    clock.append(NOON + HOUR)
    made.ask("bob")
    return made


@pytest.mark.parametrize(
    ("hours", "lease", "taken"),
    [(1, 2, None), (1.99, 2, None), (2, 2, 0), (2.5, 2, 0), (2.5, 1, 0), (1, 0, 0), (-5, 2, None), (9, 10**8, None)],
)
def test_the_trial_out_longest_is_taken_over_once_its_lease_is_over(study, clock, hours, lease, taken):
    """Whether or not clocks jump: a lease is over when the taker's clock says so, and nothing happens by itself."""
    clock.append(NOON + hours * HOUR)
    trial = study.ask("cy", take_over=min(lease * HOUR, timedelta.max) if lease < 10**8 else timedelta.max)
    assert trial.number == (2 if taken is None else taken)
    assert trial.former == (() if taken is None else ("ann",))
    assert trial.worker == "cy"
    assert [one.worker for one in study.trials][:2] == (["ann", "bob"] if taken is None else ["cy", "bob"])


def test_place_leg_and_plans_stay_and_the_lease_begins_anew(study, clock):
    before = study.trials[0]
    clock.append(NOON + 3 * HOUR)
    taken = study.ask("cy", take_over=HOUR)
    assert (taken.number, taken.params, taken.leg, taken.plan) == (0, before.params, before.leg, before.plan)
    assert taken.issued.at == NOON + 3 * HOUR
    assert study.ask("dan", take_over=HOUR).number == 1
    assert study.ask("eve", take_over=HOUR).number == 2  # both leases began just now
    clock.append(NOON + 4 * HOUR)
    assert study.ask("fay", take_over=HOUR).former == ("ann", "cy")


def test_with_the_same_results_the_plans_are_those_without_a_take_over(study, clock):
    other = make()
    other.ask("ann")
    other.ask("bob")
    study.ask("cy", take_over=timedelta())
    for one in (study, other):
        one.tell(0, 1.0)
        one.tell(1, 2.0)
    assert [study.ask().params for _ in range(3)] == [other.ask().params for _ in range(3)]


def test_a_worker_keeps_the_own_trial_first_and_never_takes_it_from_itself(study):
    assert study.ask("bob", take_over=timedelta()).number == 1
    assert study.ask("bob", take_over=timedelta(), wait=False).number == 0
    assert study.ask("bob", take_over=timedelta(), wait=False).number == 2


def test_the_last_trial_can_be_taken_over_when_none_are_left(clock):
    study = make(trials=1)
    study.ask("ann")
    assert study.ask("bob") is None
    assert study.ask("bob", take_over=HOUR) is None
    clock.append(NOON + HOUR)
    assert study.ask("bob", take_over=HOUR).number == 0


def test_the_log_keeps_who_took_what_from_whom(study):
    study.ask("cy", take_over=timedelta(), request="mine")
    entry = study.log()[-1]
    assert (entry.what, entry.trial, entry.request) == ("reassigned", 0, "mine")
    assert [(one.field, one.before, one.after) for one in entry.changes] == [("worker", "ann", "cy")]


def test_a_take_over_sent_twice_happens_once(study):
    first = study.ask("cy", take_over=timedelta(), request="mine")
    assert study.ask("cy", take_over=timedelta(), request="mine") == first or first.number == 0
    assert len(study.events) == 5
    with pytest.raises(Conflict, match="request 'mine' was already used, for trial 0 reassigned"):
        study.ask("dan", take_over=timedelta(), request="mine")


def test_the_first_result_counts_whoever_tells_it(study):
    study.ask("cy", take_over=timedelta())
    study.tell(0, 1.0)
    with pytest.raises(AlreadyTold):
        study.tell(0, 2.0)


def test_one_of_two_who_take_over_at_once_gets_the_trial(study, clock):
    """Between the look of one and its write, another was faster."""
    store = wf.MemoryStore()
    make(store=store).ask("ann")
    clock.append(NOON + 2 * HOUR)
    append, done = store.append, []

    def busy(name, after, events):
        if not done:
            done.append(wf.Study.open(store, "hill"))
            assert done[0].ask("fast", take_over=HOUR).number == 0
        append(name, after, events)

    store.append = busy
    assert wf.Study.open(store, "hill").ask("slow", take_over=HOUR).number == 1
    assert wf.Study.open(store, "hill").trials[0].worker == "fast"


@pytest.mark.parametrize("lease", [2, 2.0, "2h", -HOUR, True])
def test_a_lease_that_is_no_time_is_refused(study, lease):
    with pytest.raises(InvalidInput, match=r"take_over must be a time such as timedelta\(hours=2\)"):
        study.ask("cy", take_over=lease)
    with pytest.raises(InvalidInput, match="leave n out"):
        study.ask("cy", take_over=HOUR, n=2)
    assert len(study.events) == 4


def test_a_study_with_one_moves_as_json_and_one_that_cannot_be_is_refused(study):
    study.ask("cy", take_over=timedelta())
    text = export_json(study)
    copy = import_json(wf.MemoryStore(), text)
    assert export_json(copy).split('"events"')[1] == text.split('"events"')[1]
    assert copy.trials[0].former == ("ann",)
    for change, said in (({"number": 7}, "trial 7"), ({"worker": "w" * 10_001}, "worker has 10001 characters")):
        form = json.loads(text)
        form["events"][-1] |= change
        with pytest.raises(InvalidInput, match=said):
            import_json(wf.MemoryStore(), json.dumps(form))
    form = json.loads(text)
    form["events"].append({**form["events"][-1], "kind": "skipped", "why": "", "request": "s"})
    del form["events"][-1]["worker"]
    form["events"].append({**form["events"][-2], "request": "t"})
    with pytest.raises(InvalidInput, match="trial 0 is skipped: not to be taken over"):
        import_json(wf.MemoryStore(), json.dumps(form))


def test_trials_of_old_stores_have_been_out_long(tmp_path):
    """Their time is unknown; wayfare 0.2 wrote none."""
    study = make()
    study.ask("ann")
    text = export_json(study)
    form = json.loads(text)
    for event in form["events"]:
        for key in ("at", "by", "via", "app"):
            event.pop(key)
    copy = import_json(wf.MemoryStore(), json.dumps(form))
    assert copy.ask("bob", take_over=timedelta(days=10_000)).former == ("ann",)
