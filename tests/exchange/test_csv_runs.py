"""Runs in files: tables with count and variance come back exactly, and what cannot be is refused."""

import csv
import json
from io import StringIO

import pytest
from hypothesis import HealthCheck, assume, given, settings

import wayfare as wf
from tests.exchange.studies import exported
from wayfare.errors import InvalidInput
from wayfare.exchange import export_csv, export_json, import_csv, import_json
from wayfare.policy import Runs
from wayfare.record.events import TrialState

from .studies import studies

LINE = wf.Space(wf.Real("a", 0.0, 100.0))
SLOW = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
HEAD = "number,state,a,leg,value,spent,worker,why,prior"


class Marks:
    """Proposes the marks 10, 20 and 30, for three, five and one results."""

    def propose(self, situation, size, rng):
        return Runs([[10.0], [20.0], [30.0]], [3, 5, 1])


def make(space=LINE, **changes):
    method = wf.Method(Marks(), wf.Horizon(), opening=wf.NoOpening())
    options = {"direction": "maximize", "travel": wf.Euclidean(unit="m"), "trials": 40, "start": [0.0]}
    return wf.Study.create(space, **(options | {"method": method, "name": "lab"} | changes))


def walked():
    """The first run told, the second out, an extra one skipped, another failed."""
    study = make()
    study.tell(study.ask(count=True), [1.0, 2.0, 6.0])
    study.ask("ann", count=True)
    study.skip(study.insert({"a": 50.0}, count=4).trial)
    study.fail(study.insert({"a": 60.0}, count=4).trial, "rain")
    return study


@SLOW
@given(studies())
def test_a_table_brings_back_every_run_and_uses_up_as_many_trials(drawn):
    study, again = drawn
    assume(not study.state.moved)
    copy = again()
    import_csv(copy, export_csv(study))
    kept = [[(t.value, t.count, t.variance) for t in one.trials if t.value is not None] for one in (study, copy)]
    assert kept[0] == kept[1]
    withdrawn = sum(t.count - 1 for t in study.trials if t.is_visit and t.state is TrialState.FAILED)
    assert copy.state.used == study.state.used - withdrawn


@SLOW
@given(studies())
def test_the_columns_of_runs_are_there_if_and_only_if_there_is_a_run(drawn):
    study, _ = drawn
    head = next(csv.reader(StringIO(export_csv(study), newline="")))  # an axis may have a line end in its name
    assert (head[-3:] == ["prior", "count", "variance"]) == any(trial.count > 1 for trial in study.trials)


def test_a_table_with_runs_has_count_and_variance():
    assert export_csv(walked()) == (
        f"{HEAD},count,variance\n"
        "0,told,10.0,10.0,3.0,,,,false,3,7.0\n"
        "1,asked,20.0,10.0,,,ann,,false,5,\n"
        "2,skipped,50.0,0.0,,,,,false,4,\n"
        "3,failed,60.0,40.0,,,,rain,false,,\n"
    )


@pytest.mark.parametrize(
    ("cells", "kept"),
    [("4.5,,,,false,5,2.5", (4.5, 5, 2.5)), ("4.5,,,,,4,", (4.5, 4, None)), ("4.5,,,,,1,", (4.5, 1, None))],
)
def test_a_filled_row_of_a_run_is_its_mean(cells, kept):
    study = walked()
    done = import_csv(study, f"{HEAD},count,variance\n1,asked,20,,{cells}\n")
    assert done.told == 1
    trial = study.trials[1]
    assert (trial.value, trial.count, trial.variance) == kept
    assert study.state.used == 3 + kept[1] + 1


def test_new_visits_and_results_known_before_may_be_runs():
    study = make()
    import_csv(study, "a,value,count,variance\n1,2.5,100,0.25\n2,3.5,,\n")
    import_csv(study, "a,value,count\n3,4.5,1000\n", prior=True)
    assert [(t.value, t.count, t.variance, t.prior) for t in study.trials] == [
        (2.5, 100, 0.25, False),
        (3.5, 1, None, False),
        (4.5, 1000, None, True),
    ]
    assert study.state.used == 101


def test_a_row_that_differs_in_its_count_alone_is_no_twin():
    study = make()
    import_csv(study, "a,value,count\n1,2.5,100\n")
    assert import_csv(study, "a,value\n1,2.5\n").visits == 1
    for text in ("a,value,count\n1,2.5,100\n", "a,value\n1,2.5\n"):
        with pytest.raises(InvalidInput, match="line 2 is trial"):
            import_csv(study, text)


def test_an_axis_called_count_keeps_its_name_until_there_are_runs():
    space = wf.Space(wf.Real("count", 0.0, 9.0), wf.Real("b", 0.0, 9.0))
    study = make(space, start=[1.0, 2.0], method="random")
    import_csv(study, "count,b,value\n4,5,6\n")
    assert export_csv(study).startswith("number,state,count,b,leg")
    import_csv(study, "axis:count,b,value,count\n4,5,7,3\n")
    text = export_csv(study)
    assert text.startswith("number,state,axis:count,b,leg,value,spent,worker,why,prior,count,variance\n")
    assert (study.trials[1].params["count"], study.trials[1].count) == (4.0, 3)
    copy = make(space, start=[1.0, 2.0], method="random")
    import_csv(copy, text)
    assert export_csv(copy) == text


BAD_ROWS = {
    "a value and no count": ("1,asked,20,,4.5,,,,,,", "trial 1 is a run of 5 results; say in a column 'count'"),
    "a count of nothing": ("1,asked,20,,4.5,,,,,0,", "column 'count' must be at least 1, got 0"),
    "a negative count": ("1,asked,20,,4.5,,,,,-2,", "column 'count' must not be negative"),
    "a broken count": ("1,asked,20,,4.5,,,,,2.5,", "column 'count' must be a whole number"),
    "a count in words": ("1,asked,20,,4.5,,,,,two,", "column 'count' must be a finite number"),
    "a negative variance": ("1,asked,20,,4.5,,,,,5,-1", "column 'variance' must not be negative"),
    "a variance beyond 1e300": ("1,asked,20,,4.5,,,,,5,1e301", "variance 1e.301 is beyond 1e300"),
    "a variance of one result": ("1,asked,20,,4.5,,,,,1,2", "column 'variance' is filled, but 'count'"),
    "a variance of nobody knows how many": (",,20,,4.5,,,,,,2", "column 'variance' is filled, but 'count'"),
    "a variance without a value": ("1,asked,20,,,,,,,5,2", "column 'variance' is filled, but there is no value"),
    "another count": ("0,told,10,,3,,,,,4,", "trial 0: column 'count' has 4, the study 3; amend"),
    "another variance": ("0,told,10,,3,,,,,3,7.5", "trial 0: column 'variance' has 7.5, the study 7.0; amend"),
}


@pytest.mark.parametrize("case", BAD_ROWS)
def test_a_row_that_cannot_be_is_refused_and_changes_nothing(case):
    study, (row, words) = walked(), BAD_ROWS[case]
    before = study.state.version
    with pytest.raises(InvalidInput, match=f"line 2: .*{words}"):
        import_csv(study, f"{HEAD},count,variance\n{row}\n")
    assert study.state.version == before


def test_a_variance_where_the_study_has_none_is_another():
    study = make()
    study.tell(study.ask(count=True), 2.0, count=3)
    with pytest.raises(InvalidInput, match=r"'variance' has 7\.0, the study None"):
        import_csv(study, "number,a,value,count,variance\n0,10,2,3,7\n")


def test_a_study_of_runs_goes_on_elsewhere_where_it_was():
    study = walked()
    study.amend(0, 2.5, count=2, variance=0.5)
    study.tell(1, 4.5, count=5, variance=0.25)
    copy = import_json(wf.MemoryStore(), export_json(study))
    assert exported(copy) == exported(study)
    assert (copy.state.used, copy.state.taken, copy.state.ahead) == (8, 0, 1)
    assert copy.ask(count=True).params == {"a": 30.0}


def test_a_stop_half_taken_is_half_taken_elsewhere():
    study = make()
    study.tell(study.ask(), 1.0)
    copy = import_json(wf.MemoryStore(), export_json(study))
    assert copy.state.itinerary.counts.tolist() == study.state.itinerary.counts.tolist() == [2, 5, 1]
    assert copy.ask(count=True).count == 2


def changed(kind, **changes):
    """Return how to change the first event of a kind."""

    def change(events):
        next(event for event in events if event["kind"] == kind).update(changes)

    return change


BAD_STORIES = {
    "too few counts": (changed("planned", counts=[3, 5]), "3 stops needs 3 counts"),
    "too many counts": (changed("planned", counts=[3, 5, 1, 1]), "3 stops needs 3 counts"),
    "a stop for no results": (changed("planned", counts=[3, 5, 0]), "not an event"),
    "counts that are one number": (changed("planned", counts=3), "not an event"),
    "counts that are broken": (changed("planned", counts=[3, 5, 1.5]), "not an event"),
    "more handed out than planned": (changed("asked", count=4), "4 results of a stop were handed out, 3 planned"),
    "nothing handed out": (changed("asked", count=0), "not an event"),
    "a count that is true": (changed("asked", count=True), "not an event"),
    "a mean of nothing": (changed("told", count=0), "not an event"),
    "a mean of less": (changed("told", count=-3), "not an event"),
    "a negative variance": (changed("told", variance=-1.0), "variance must not be negative"),
    "a variance beyond 1e300": (changed("told", variance=1e301), "beyond 1e300"),
    "a variance of one result": (changed("told", count=1), "one result has no variance"),
    "a variance that is text": (changed("told", variance="7"), "not an event"),
    "an extra place for nothing": (changed("inserted", count=0), "not an event"),
    "an amendment to nothing": (changed("amended", count=0), "not an event"),
    "an amendment to a negative variance": (changed("amended", variance=-0.5), "variance must not be negative"),
}


@pytest.mark.parametrize("case", BAD_STORIES)
def test_a_story_that_cannot_be_is_refused_and_nothing_is_made(case):
    study, (spoil, words) = walked(), BAD_STORIES[case]
    study.amend(0, 2.5, count=2, variance=0.5)
    form = json.loads(export_json(study))
    spoil(form["events"])
    store = wf.MemoryStore()
    with pytest.raises(InvalidInput, match=rf"events\[\d+\]: .*{words}"):
        import_json(store, json.dumps(form))
    assert list(store.names()) == []


def test_a_stop_taken_twice_over_is_refused():
    study = make()
    for _ in range(3):
        study.ask(wait=False)
    form = json.loads(export_json(study))
    form["events"][3]["count"] = 2
    with pytest.raises(InvalidInput, match="4 results of a stop were handed out, 3 planned"):
        import_json(wf.MemoryStore(), json.dumps(form))


def test_a_withdrawn_run_with_a_variance_is_refused():
    study = walked()
    study.amend(0, withdraw=True)
    form = json.loads(export_json(study))
    changed("amended", variance=-1.0)(form["events"])
    with pytest.raises(InvalidInput, match="variance"):
        import_json(wf.MemoryStore(), json.dumps(form))
