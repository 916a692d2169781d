"""CSV out and in: the same table comes back, filled run sheets come in, and what contradicts is refused."""

import csv
from io import StringIO
from itertools import permutations
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare.errors import Conflict, InvalidInput
from wayfare.exchange import export_csv, export_json, import_csv, import_json
from wayfare.exchange.csv import prediction_csv
from wayfare.exchange.rows import read_places
from wayfare.record.events import TrialState
from wayfare.store.verify import verify

from .studies import studies

SPACE = wf.Space(wf.Real("a", 0.0, 10.0), wf.Real("b", 0.0, 10.0))
SLOW = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


def make(space=SPACE, **changes):
    options = {
        "direction": "maximize",
        "travel": wf.Euclidean(unit="m"),
        "trials": 12,
        "start": [1.0, 9.0],
        "method": "random",
        "seed": 3,
    }
    return wf.Study.create(space, **(options | changes))


@SLOW
@given(studies())
def test_what_is_exported_comes_back_as_the_same_text(drawn):
    study, again = drawn
    assume(not study.state.moved)  # a table does not say where the traveller was put by hand
    text = export_csv(study)
    copy = again()
    import_csv(copy, text)
    assert export_csv(copy) == text


@SLOW
@given(studies())
def test_stamps_in_a_table_are_passed_over_when_it_comes_back(drawn):
    study, _ = drawn
    version = study.state.version
    summary = import_csv(study, export_csv(study, stamps=True))
    assert study.state.version == version
    assert (summary.open, summary.same) == (len(study.state.out), len(study.trials) - len(study.state.out))


def test_an_axis_that_is_called_like_a_stamp_keeps_its_column():
    study = make(wf.Space(wf.Real("closed_by", 0.0, 10.0), wf.Real("b", 0.0, 10.0)))
    study.tell(study.ask(), 1.0)
    head, row = csv.reader(StringIO(export_csv(study, stamps=True)))
    assert head[-3:] == ["issued_at", "issued_by", "closed_at"]
    assert float(row[head.index("closed_by")]) == study.trials[0].params["closed_by"]
    assert import_csv(study, export_csv(study, stamps=True)).same == 1


@SLOW
@given(studies())
def test_what_was_imported_is_sound_and_cost_the_same(drawn):
    study, again = drawn
    with TemporaryDirectory() as folder:
        copy = again(store=Path(folder) / "lab.db")
        import_csv(copy, export_csv(study))
        assert verify(Path(folder) / "lab.db").findings == ()
        gone = [trial.number for trial in study.trials if trial.state is not TrialState.ASKED]
        assert [copy.trials[number].leg for number in gone] == [study.trials[number].leg for number in gone]


@SLOW
@given(studies())
def test_importing_into_the_study_itself_changes_nothing(drawn):
    study, _ = drawn
    version, text = study.state.version, export_csv(study)
    summary = import_csv(study, text)
    assert study.state.version == version
    assert (summary.open, summary.same) == (len(study.state.out), len(study.trials) - len(study.state.out))


@SLOW
@given(studies())
def test_importing_twice_changes_nothing_the_second_time(drawn):
    study, again = drawn
    copy, text = again(), export_csv(study)
    import_csv(copy, text)
    version = copy.state.version
    import_csv(copy, text)
    assert copy.state.version == version


@SLOW
@given(studies(), st.data())
def test_a_filled_run_sheet_does_what_the_moves_do(drawn, data):
    study, _ = drawn
    twin = import_json(wf.MemoryStore(), export_json(study))
    head, *rows = csv.reader(StringIO(export_csv(study), newline=""))
    sheet = []
    for trial in data.draw(st.permutations(study.state.open_trials)):
        state = data.draw(st.sampled_from(["told", "failed", "skipped"]))
        spent = None if state == "skipped" else data.draw(st.none() | st.just(3.25))
        cells = dict(zip(head, rows[trial.number], strict=True)) | {"state": state}
        if spent is not None:
            cells["spent"] = repr(spent)
        match state:
            case "told":
                # A run sheet says how many results were to be taken; the value is then their mean.
                study.tell(trial, 1.5, count=trial.count, spent=spent)
                cells |= {"state": data.draw(st.sampled_from(["asked", "told", ""])), "value": "1.5"}
            case "failed":
                study.fail(trial, spent=spent)
            case "skipped":
                study.skip(trial)
        sheet.append(list(cells.values()))
    summary = import_csv(twin, as_text([head, *sheet]))
    assert summary.told + summary.failed + summary.skipped == len(sheet)
    assert outcomes(twin) == outcomes(study)


@pytest.mark.parametrize("order", list(permutations([1, 3, 4, 6, 8]))[::5])
def test_visits_skipped_in_any_order_leave_the_legs_that_skip_leaves(order):
    study = make()
    import_csv(study, "a,b,value,state\n" + "".join(f"{n * n},{n},,asked\n" for n in range(1)))
    study.replan({"a": 9.0, "b": 0.0})
    import_csv(study, "a,b,value,state\n" + "".join(f"{n * n},{n},,asked\n" for n in range(1, 9)))
    study.tell(7, 1.0, spent=2.0)
    twin = import_json(wf.MemoryStore(), export_json(study))
    head, *rows = csv.reader(StringIO(export_csv(twin)))
    skipped = [[cell.replace("asked", "skipped") for cell in rows[n]] for n in order]
    extra = ["", "", "7", "7", "", "1", "", "", "", ""]
    import_csv(twin, as_text([head, *skipped, extra]), extra=True)
    for number in order:
        study.skip(number)
    import_csv(study, "a,b,value\n7,7,1\n", extra=True)
    assert outcomes(twin) == outcomes(study)


def as_text(rows):
    out = StringIO(newline="")
    csv.writer(out).writerows(rows)
    return out.getvalue()


def outcomes(study):
    return [(t.state, t.leg, t.value, t.spent, t.why, t.count, t.variance) for t in study.trials]


def test_a_table_has_a_row_per_trial_with_numbers_in_full():
    study = make()
    study.tell(study.ask("ann"), 1 / 3)
    study.fail(study.ask(), "pump")
    place = study.trials[1].params
    assert export_csv(study) == (
        "number,state,a,b,leg,value,spent,worker,why,prior\n"
        "0,told,1.0,9.0,0.0,0.3333333333333333,,ann,,false\n"
        f"1,failed,{place['a']!r},{place['b']!r},{study.trials[1].leg!r},,,,pump,false\n"
    )


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@A1", "\t1", "\r1", "\n1", " =1", "'x", "＝1"])
def test_no_text_cell_begins_like_a_formula(text):
    space = wf.Space(wf.Choice(text, [text, "b"]))
    study = make(space, travel=wf.Fee(1.0), start={text: text})
    study.skip(study.ask(text), text)
    header, row = csv.reader(StringIO(export_csv(study), newline=""))
    for cell in (header[2], row[2], *row[-3:-1]):
        assert cell == f"'{text}"
    copy = make(space, travel=wf.Fee(1.0), start={text: text})
    import_csv(copy, export_csv(study))
    trial = copy.trials[0]
    assert (trial.params[text], trial.worker, trial.why) == (text, text, text)


def test_negative_numbers_stay_numbers():
    study = make(wf.Space(wf.Choice("c", [-1, "x"]), wf.Real("a", -5, 5)), travel=wf.Fee(1.0), start=[0, -2.5])
    study.tell(study.ask(), -0.5)
    assert export_csv(study).splitlines()[1] == "0,told,-1,-2.5,0.0,-0.5,,,,false"


def test_an_apostrophe_written_by_hand_stays():
    study = make()
    import_csv(study, "a,b,value,state,why\n1,2,,failed,'tis broken\n")
    assert study.trials[0].why == "'tis broken"


NUMBERS, FLAGS = ["1", 1, "'1", "x"], ["true", True, "x", ""]


@pytest.mark.parametrize(
    ("values", "cell", "value"),
    [
        (NUMBERS, "1", 1),
        (NUMBERS, "1.0", 1),
        (NUMBERS, " 1", 1),
        (NUMBERS, "'1", "1"),
        (NUMBERS, "''1", "'1"),
        (NUMBERS, "x", "x"),
        (FLAGS, "true", True),
        (FLAGS, "TRUE", True),
        (FLAGS, "'true", "true"),
        (FLAGS, "", ""),
        (["1", "2"], "1", "1"),
        (["1", "2"], "'1", "1"),
    ],
)
def test_the_values_of_a_choice_are_told_apart(values, cell, value):
    study = make(wf.Space(wf.Choice("c", values)), travel=wf.Fee(1.0), start=None)
    import_csv(study, f"c,value\n{cell},0\n")
    found = study.trials[0].params["c"]
    assert (found, type(found)) == (value, type(value))


def test_a_table_of_axes_and_values_alone_is_a_list_of_visits():
    study = make()
    summary = import_csv(study, "b,a,value\n9,1,0.5\n9,4,0.25\n")
    assert str(summary) == "2 rows: 2 new visits"
    assert [trial.leg for trial in study.trials] == [0.0, 3.0]
    assert [trial.value for trial in study.trials] == [0.5, 0.25]
    assert study.state.trials_left == 10


def test_a_place_beyond_the_bounds_is_taken_as_it_happened():
    study = make()
    import_csv(study, "a,b,value\n-30,90,0.5\n")
    assert study.trials[0].params == {"a": -30.0, "b": 90.0}


def test_results_known_before_cost_no_movement_and_no_trial():
    study = make()
    summary = import_csv(study, "a,b,value,leg,spent\n2,2,0.5,7,7\n3,3,0.25,1,\n", prior=True)
    assert str(summary) == "2 rows: 2 known before"
    assert study.state.trials_left == 12
    assert study.ledger().paid == 0.0
    assert study.state.history.told == 2
    assert np.array_equal(study.state.position, [1.0, 9.0])


def test_the_prior_column_says_it_row_by_row():
    study = make()
    assert str(import_csv(study, "a,b,value,prior\n2,2,1,true\n1,7,2,false\n3,3,3,\n")) == (
        "3 rows: 2 new visits, 1 known before"
    )
    assert [trial.leg for trial in study.trials[:2]] == [0.0, 2.0]


def test_a_run_sheet_rounded_by_a_spreadsheet_still_comes_in():
    study = make()
    study.tell(study.ask(), 1 / 3)
    trial = study.ask()
    a, b = (f"{trial.params[axis]:.9f}" for axis in "ab")
    sheet = f"number,state,a,b,value\n0,told,1,9,0.333333333\n1,asked,{a},{b},0.5\n"
    assert str(import_csv(study, sheet)) == "2 rows: 1 told, 1 already there"
    assert study.trials[1].params == trial.params
    assert study.trials[1].asked is None


@pytest.mark.parametrize("cell", ["2", "2.3", "2.41", "2.400001"])
def test_a_value_that_differs_in_a_digit_it_shows_is_another_value(cell):
    study = make()
    study.tell(study.ask(), 2.4)
    with pytest.raises(InvalidInput, match=r"already has the value 2\.4"):
        import_csv(study, f"number,a,b,value\n0,1,9,{cell}\n")


def test_a_sheet_from_before_the_results_changes_nothing():
    study = make()
    study.ask()
    sheet = export_csv(study)
    study.tell(0, 0.5, actual={"a": 2.0}, spent=3.0)
    assert str(import_csv(study, sheet)) == "1 row: 1 already there"


def test_a_row_without_a_number_at_the_end_of_a_sheet_is_a_visit_more():
    study = make()
    study.ask()
    sheet = export_csv(study).replace(",,,,,false", ",0.5,,,,false") + ",,4,9,,0.75,,,,\n"
    assert str(import_csv(study, sheet)) == "2 rows: 1 told, 1 new visit"
    assert study.trials[1].leg == 3.0


def test_what_a_person_said_beside_a_value_is_kept():
    study = make()
    import_csv(study, "a,b,value,why\n1,9,0.5,cloudy\n")
    assert (study.trials[0].value, study.trials[0].why) == (0.5, "cloudy")


def test_what_a_leg_really_cost_is_its_leg():
    study = make()
    import_csv(study, "a,b,value,spent\n5,9,0.5,7.5\n")
    assert (study.trials[0].leg, study.trials[0].predicted) == (7.5, 4.0)


def test_a_leg_that_the_travel_cost_does_not_confirm_was_really_spent():
    study = make()
    import_csv(study, "a,b,value,state,leg\n5,9,0.5,told,7.5\n5,9,,failed,0\n6,9,,asked,7.5\n")
    assert [(t.leg, t.predicted, t.spent) for t in study.trials] == [
        (7.5, 4.0, 7.5),
        (0.0, 0.0, None),
        (1.0, 1.0, None),
    ]


def test_a_leg_that_differs_in_its_last_digits_is_kept_bit_for_bit():
    study = make()
    import_csv(study, "a,b,value,leg\n5,9,0.5,4.0000000000000009\n")
    assert (study.trials[0].leg, study.trials[0].spent) == (4.000000000000001, None)


def test_legs_are_kept_where_the_travel_cost_is_not_at_hand(tmp_path):
    custom = wf.Custom(lambda a, b: abs(a[0] - b[0]), metric=True)
    make(travel=custom, store=tmp_path / "lab.db", name="own")
    study = wf.Study.open(tmp_path / "lab.db", "own")
    import_csv(study, "a,b,value,leg\n5,9,0.5,7.5\n")
    assert study.trials[0].leg == 7.5
    with pytest.raises(InvalidInput, match="line 2"):
        import_csv(study, "a,b,value\n5,9,0.5\n")


@pytest.mark.parametrize(
    "text",
    [
        "\ufeffa,b,value\n1,9,1\n",
        "a,b,value\r\n1,9,1\r\n",
        "a,b,value\r1,9,1\r",
        "\n\na,b,value\n,,\n\n1,9,1",
        '"a","b","value"\n"1","9","1"\n',
        " a , b ,value\n 1 , 9 ,1\n",
    ],
)
def test_line_ends_marks_quotes_and_blanks_do_no_harm(text):
    study = make()
    assert str(import_csv(study, text)) == "1 row: 1 new visit"


def test_a_dry_run_says_the_same_and_writes_nothing():
    study = make()
    text = "a,b,value\n1,9,1\n"
    said = import_csv(study, text, dry_run=True)
    assert study.state.version == 0
    assert import_csv(study, text) == said


def test_the_same_request_happens_once_and_another_file_under_it_is_a_conflict():
    study = make()
    first, other = "a,b,value\n1,9,1\n", "a,b,value\n1,9,2\n"
    import_csv(study, first, request="monday")
    assert str(import_csv(study, first, request="monday")) == "1 row: 1 already there"
    with pytest.raises(Conflict, match="monday"):
        import_csv(study, other, request="monday")
    assert len(study.trials) == 1


def test_a_place_visited_only_once_is_not_imported_again_without_its_number():
    places = wf.Places([[0.0, 0.0], [1.0, 1.0], [2.0, 2.0]], ["a", "b"], once=True)
    study = make(places, trials=3, start=None)
    import_csv(study, "a,b,value\n0,0,1\n")
    for text in ("a,b,value\n0,0,1\n", "a,b,value\n1,1,1\n1,1,2\n"):
        with pytest.raises(InvalidInput, match=r"line [23]: .* visited only once"):
            import_csv(study, text)


def test_thousands_can_be_skipped_in_one_sheet():
    study = make(trials=3_000)
    import_csv(study, "a,b,value,state\n" + "1,2,,asked\n" * 3_000)
    import_csv(study, export_csv(study).replace("asked", "skipped"))
    assert all(trial.state is TrialState.SKIPPED for trial in study.trials)


def test_a_remark_beside_a_value_is_kept_with_it():
    study = make()
    import_csv(study, "a,b,value,why\n1,2,3.5,peak was broad\n")
    assert [type(event).__name__ for event in study.events] == ["Inserted", "Told"]
    assert (study.trials[0].why, study.trials[0].earlier) == ("peak was broad", ())
    assert "peak was broad" in export_csv(import_json(wf.MemoryStore(), export_json(study)))


def test_only_rows_that_say_the_same_are_taken_for_the_same():
    study = make()
    text = "a,b,value\n1,2,3.5\n1,2,3.5\n"
    assert import_csv(study, text).visits == 2  # twice in one file: measured twice
    with pytest.raises(InvalidInput, match="line 2 is trial 0, line 3 is trial 0"):
        import_csv(study, text)
    assert import_csv(study, text, prior=True).prior == 2
    assert import_csv(study, text, again=True).visits == 2
    assert import_csv(study, "a,b,value,state\n1,2,,failed\n").visits == 1
    with pytest.raises(InvalidInput, match="line 2 is trial 6"):
        import_csv(study, "a,b,value,state\n1,2,,failed\n", dry_run=True)


def test_a_prediction_comes_back_as_the_same_places():
    space = wf.Space(wf.Real("mean", 0, 1), wf.Integer("n", -3, 3), wf.Choice("kind", ["=a", "1", 1, False]))
    study = make(space, travel=wf.Fee(1.0), start=None)
    for _ in range(6):
        study.tell(study.ask(), 1.0)
    found = study.predict()
    text = prediction_csv(space, found)
    assert text.splitlines()[0] == "axis:mean,n,kind,mean,sd,low_95,high_95,success,compliance"
    assert np.array_equal(read_places(space, text), found.x)
    assert [float(row["mean"]) for row in csv.DictReader(StringIO(text))] == found.mean.tolist()
    assert np.array_equal(read_places(space, export_csv(study)), [trial.x for trial in study.trials])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a,c\n1,2\n", "line 1: column 'b' is missing; every axis needs one"),
        ("a,b,a\n1,2,3\n", "line 1: column 'a' is there twice"),
        ("b,a\n", "no places, only a header"),
        ("b,a\n1,2\n3,x\n", "line 3: axis 'a' must be a finite number"),
        ("", "the file is empty"),
    ],
)
def test_places_that_cannot_be_read_are_refused_by_line(text, words):
    with pytest.raises(InvalidInput, match=words):
        read_places(SPACE, text)


def test_places_are_read_by_the_names_of_their_columns():
    assert read_places(SPACE, "note,b, a\nx,2,1\n\ny,4,3\n").tolist() == [[1, 2], [3, 4]]


def test_columns_of_a_table_name_the_units_and_come_back_with_or_without_them():
    space = wf.Space(wf.Real("temp", 20, 80, step=0.1, unit="°C"), wf.Choice("count", [1, 2], "mol%"))
    study = make(space, travel=wf.Manhattan(axes=["temp"], unit="min"), start=[20.3, 0])
    study.tell(study.ask().number, 1.5)
    text = export_csv(study)
    head, row = text.splitlines()
    assert head.startswith("number,state,temp [°C],count [mol%],leg")
    assert row.startswith("0,told,20.3,1,")
    for same in (text, text.replace(" [°C]", ""), text.replace(" [mol%]", "")):
        copy = make(space, travel=wf.Manhattan(axes=["temp"], unit="min"), start=[20.3, 0])
        import_csv(copy, same)
        assert export_csv(copy) == text
        assert read_places(space, same).tolist() == [[20.3, 0.0]]
    with pytest.raises(InvalidInput, match=r"column 'temp \[K\]' is in K, and 'temp' is in °C here; convert"):
        import_csv(study, text.replace("°C", "K"))
