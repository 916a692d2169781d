"""What is measured beside the value, in files: tables, JSON and run sheets."""

import csv
import json
import re
from io import StringIO

import pytest
from hypothesis import HealthCheck, assume, given, settings

import wayfare as wf
from tests.exchange.studies import exported
from wayfare.errors import InvalidInput
from wayfare.exchange import export_csv, export_json, import_csv, import_json, run_sheet, sheet_csv
from wayfare.exchange.runsheet import Layout, layout_of
from wayfare.store import MemoryStore

from .studies import studies

SLOW = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
LINE = wf.Space(wf.Real("a", 0.0, 100.0))
LIMITS = (wf.Measured("p", at_most=10, unit="bar"), wf.Measured("purity", at_least=0.9))
HEAD = "number,state,a,leg,value,p,purity,spent,worker,why,prior"


def make(space=LINE, measured=LIMITS, **changes):
    options = {"direction": "maximize", "travel": wf.Euclidean(unit="m"), "trials": 40, "start": [0.0] * space.d}
    method = wf.Method(wf.Uniform(), wf.Fixed(3))
    return wf.Study.create(space, **(options | {"method": method, "name": "lab", "measured": measured} | changes))


def walked():
    """A told trial, one told without a number, one failed, one out."""
    study = make()
    study.tell(study.insert({"a": 10.0}).trial, 3.0, measured={"p": 12.5, "purity": 1 / 3})
    study.tell(study.insert({"a": 20.0}).trial, 4.0, measured={"purity": 0.95})
    study.fail(study.insert({"a": 30.0}).trial, "rain")
    study.insert({"a": 40.0})
    return study


def numbers_of(study):
    return [dict(trial.measured) for trial in study.trials]


@SLOW
@given(studies())
def test_a_table_brings_back_what_was_measured(drawn):
    """Every number bit for bit, whatever it is called; and the table says the same again."""
    study, again = drawn
    assume(not study.state.moved)
    copy = again()
    text = export_csv(study)
    import_csv(copy, text)
    assert numbers_of(copy) == numbers_of(study)
    assert import_csv(study, text).same == sum(trial.state != "asked" for trial in study.trials)
    head = next(csv.reader(StringIO(text, newline="")))
    assert len(head) == len(set(head))


@SLOW
@given(studies())
def test_json_brings_back_what_was_measured_and_its_limits(drawn):
    study, _ = drawn
    copy = import_json(MemoryStore(), export_json(study))
    assert numbers_of(copy) == numbers_of(study)
    assert copy.spec.measured == study.spec.measured
    assert exported(copy) == exported(study)


def test_a_table_has_the_numbers_behind_the_value():
    assert export_csv(walked()) == (
        f"{HEAD}\n"
        "0,told,10.0,10.0,3.0,12.5,0.3333333333333333,,,,false\n"
        "1,told,20.0,10.0,4.0,,0.95,,,,false\n"
        "2,failed,30.0,10.0,,,,,,rain,false\n"
        "3,asked,40.0,10.0,,,,,,,false\n"
    )


def test_a_table_of_a_study_without_limits_is_as_it_was():
    study = make(measured=())
    study.tell(study.insert({"a": 10.0}).trial, 3.0)
    text = "number,state,a,leg,value,spent,worker,why,prior\n0,told,10.0,10.0,3.0,,,,false\n"
    assert export_csv(study) == text


def test_an_open_trial_gets_the_numbers_of_its_row():
    study = walked()
    assert import_csv(study, "number,a,value,purity,p\n3,40,7.5,,9.25\n").told == 1
    assert (study.trials[3].value, dict(study.trials[3].measured)) == (7.5, {"p": 9.25})


def test_new_visits_and_results_known_before_bring_their_numbers():
    study = make()
    import_csv(study, "a,value,p\n1,2.5,8\n2,3.5,\n")
    import_csv(study, "a,value,purity\n3,4.5,0.5\n", prior=True)
    assert numbers_of(study) == [{"p": 8.0}, {}, {"purity": 0.5}]
    assert study.trials[2].prior
    assert study.state.history.measured.shape == (3, 2)


def test_rows_already_there_may_lack_numbers_and_rounded_ones_agree():
    study = walked()
    assert import_csv(study, "number,a,value,p,purity\n0,10,3,,\n").same == 1
    assert import_csv(study, "number,a,value,p,purity\n0,10,3,12.5,0.333333\n").same == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("number,a,value,p\n0,10,3,12.6\n", "trial 0: column 'p' has 12.6, the study 12.5; amend corrects it"),
        ("number,a,value,p\n1,20,4,9\n", "trial 1: column 'p' has 9.0, the study no number; amend corrects it"),
        ("number,a,value,p\n3,40,,9\n", "line 2: column 'p' is filled, but there is no value; clear it or give"),
        ("a,state,value,purity\n50,failed,,9\n", "line 2: column 'purity' is filled, but there is no value"),
        ("a,value,p\n50,1,high\n", "line 2: column 'p' must be a finite number such as 72.5, got 'high'"),
        ("a,value,p\n50,1,1e301\n", "line 2: trial 4: measured 'p' 1e\\+301 is beyond"),
        ("a,value,puritty\n50,1,1\n", "line 1: unknown column 'puritty'; did you mean 'purity'?"),
    ],
)
def test_an_import_refuses_what_contradicts_or_cannot_be(text, said):
    study = walked()
    version = study.state.version
    with pytest.raises(InvalidInput, match=said):
        import_csv(study, text, extra=True)
    assert study.state.version == version


def test_a_table_with_numbers_is_refused_by_a_study_without_limits():
    with pytest.raises(InvalidInput, match="line 1: unknown column 'p'"):
        import_csv(make(measured=()), "a,value,p\n1,2,3\n")


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"measured": {"q": 1.0}}, "events\\[1\\]: trial 0: the study does not measure 'q'"),
        ({"measured": {"p": 2e300}}, "events\\[1\\]: trial 0: measured 'p' 2e\\+300 is beyond"),
        ({"measured": {"p": None}}, "events\\[1\\]: not an event"),
    ],
)
def test_a_json_file_with_numbers_that_no_study_takes_is_refused(change, said):
    form = json.loads(export_json(walked()))
    form["events"][1] |= change
    with pytest.raises(InvalidInput, match=said):
        import_json(MemoryStore(), json.dumps(form))


def test_a_json_file_with_numbers_of_a_withdrawn_value_is_refused():
    study = walked()
    study.amend(0, withdraw=True)
    form = json.loads(export_json(study))
    form["events"][-1]["measured"] = {"p": 1.0}
    with pytest.raises(InvalidInput, match="trial 0: a value that was taken back has no variance, nothing measured"):
        import_json(MemoryStore(), json.dumps(form))


def test_a_sheet_as_a_table_has_a_blank_for_every_number():
    assert sheet_csv(walked()) == f"{HEAD}\n3,asked,40.0,10.0,,,,,,,false\n"


def test_a_sheet_to_print_has_a_box_for_every_number_and_says_the_limits():
    page = run_sheet(walked(), picture=False)
    heads = re.findall(r'<th scope="col" class="box">(.*?)</th>', page)
    assert heads == ["result", "p [bar]", "purity", "really set, if missed", "spent [m]"]
    assert "To be kept: p at most 10 bar; purity at least 0.9." in page
    assert "wayfare tell lab 3 RESULT --measured p=NUMBER --measured purity=NUMBER" in page
    rows = re.findall(r"<tr class=\"\w+\">(.*?)</tr>", page)
    assert {row.count('<td class="box') for row in rows} == {6}


def test_a_sheet_lies_down_where_boxes_for_numbers_need_the_room():
    limits = [wf.Measured(f"quantity_{n}", at_most=1) for n in range(8)]
    pages = []
    for measured in ((), limits[:3], limits):
        study = make(measured=measured)
        study.insert({"a": 40.0})
        pages.append(layout_of(study.state, study.state.open_trials))
    assert pages == [Layout.UPRIGHT, Layout.LYING, Layout.LISTED]
