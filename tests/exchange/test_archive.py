"""The whole study as JSON: the same text comes back, and what is no study is refused."""

import json

import pytest
from hypothesis import HealthCheck, given, settings

import wayfare as wf
from tests.exchange.studies import bare, exported
from wayfare.errors import Conflict, InvalidInput
from wayfare.exchange import export_csv, export_json, import_json
from wayfare.store import SqliteStore, sqlite

from .studies import studies

SPACE = wf.Space(wf.Real("a", 0.0, 10.0), wf.Choice("c", ["x", "y"]))


def make(**changes):
    options = {"direction": "minimize", "travel": wf.Fee(1.0, unit="s"), "trials": 6, "start": [1.0, 0.0]}
    study = wf.Study.create(SPACE, **(options | {"method": "random", "name": "lab"} | changes))
    study.tell(study.ask("ann"), -0.0)
    study.fail(study.ask(), "pump\0\n")
    study.skip(study.ask(), "tide")
    study.insert({"a": 2.0, "c": "y"})
    study.tell(3, 1 / 3, actual={"a": 5e-324}, spent=2.5)
    study.amend(0, 7.0, why="typo")
    study.replan({"a": 3.0}, why="drifted")
    study.ask()
    return study


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(studies())
def test_what_is_exported_comes_back_as_the_same_text(drawn):
    study, _ = drawn
    text = export_json(study)
    copy = import_json(wf.MemoryStore(), text)
    assert exported(copy) == bare(text)
    assert export_csv(copy) == export_csv(study)


def test_a_study_moves_from_one_file_to_another_and_goes_on_as_before(tmp_path):
    study = make(store=tmp_path / "here.db")
    copy = import_json(SqliteStore(tmp_path / "there.db"), export_json(study))
    assert exported(copy) == exported(study)
    assert copy.ask().params == study.ask().params
    for one in (study, copy):
        one.tell(one.ask(), 0.5)
    assert copy.ask().params == study.ask().params


def test_a_study_may_get_another_name():
    text = export_json(make())
    copy = import_json(wf.MemoryStore(), text, "other")
    assert exported(copy) == bare(text).replace('"name": "lab"', '"name": "other"')


def test_a_name_that_is_taken_is_a_conflict():
    store = wf.MemoryStore()
    study = make(store=store)
    with pytest.raises(Conflict, match="'lab' exists already"):
        import_json(store, export_json(study))


def test_a_study_and_its_events_are_stored_at_once(tmp_path, monkeypatch):
    """Cut off in the middle of its events, an import leaves no trace, and may be sent again."""
    text, store = export_json(make()), SqliteStore(tmp_path / "lab.db")
    store.create("other", "{}")
    before = store.path.read_bytes()

    def cut_off(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(sqlite, "event_link", cut_off)
        with pytest.raises(KeyboardInterrupt):
            import_json(store, text)
    assert store.path.read_bytes() == before
    assert exported(import_json(store, text)) == bare(text)


def test_a_cost_that_is_a_python_function_is_kept_by_name():
    study = wf.Study.create(
        SPACE, direction="maximize", travel=wf.Custom(lambda a, b: 1.0 * (a[0] != b[0]), metric=True), trials=3
    )
    text = export_json(study)
    assert exported(import_json(wf.MemoryStore(), text)) == bare(text)


def test_one_event_stands_on_each_line():
    study = make()
    lines = export_json(study).splitlines()
    assert sum(line.startswith('  {"kind"') for line in lines) == len(study.events)


def with_event(at, /, **changes):
    """The study with one event changed; None takes a field out."""

    def change(form):
        event = form["events"][at] | changes
        form["events"][at] = {key: value for key, value in event.items() if value is not None}

    return change


def without(key):
    return lambda form: form.pop(key)


def set_key(key, value):
    return lambda form: form.__setitem__(key, value)


def in_spec(key, value):
    return lambda form: form["spec"].__setitem__(key, value)


def noted(**notes):
    """The study with such notes of a plan by a Gaussian process; None takes one out."""
    usual = {"step": "map", "lengths": [1.0, 1.0], "offsets": [1.0], "variance": 1.0, "noise": 0.1, "kernel": "rbf"}
    kept = {key: value for key, value in (usual | {"peak": [0.0], "chosen": 3} | notes).items() if value is not None}
    return lambda form: form["events"][PLANNED].update(notes=kept)


GOOD = export_json(make())
KINDS = [event["kind"] for event in json.loads(GOOD)["events"]]
PLANNED, ASKED, TOLD, FAILED = map(KINDS.index, ["planned", "asked", "told", "failed"])
SKIPPED, INSERTED, AMENDED, REPLANNED = map(KINDS.index, ["skipped", "inserted", "amended", "replanned"])

BAD_FORMS = {
    "another format": (set_key("format", "a cake"), "not a study"),
    "no format": (without("format"), "not a study"),
    "a version to come": (set_key("version", 3), "version: this wayfare reads 1 to 2, the file has 3"),
    "a version that is true": (set_key("version", True), "version"),
    "no word of who created it": (without("created"), "created is missing"),
    "creation that is a number": (set_key("created", 7), "created: what it says of when it was created"),
    "creation without a name": (set_key("created", [{"at": "2026-11-18T20:00:00.000001Z"}]), "created: what it says"),
    "creation on no day": (set_key("created", [{"at": "", "by": "", "via": "", "app": ""}]), "created: what it says"),
    "a stamp of no day": (with_event(TOLD, at="2026-02-30T20:00:00.000001Z"), r"events\[\d+\]: not an event"),
    "a stamp by nobody": (with_event(TOLD, by=None), r"events\[\d+\]: not an event"),
    "a stamp that breaks the line": (with_event(TOLD, by="a\nb"), r"events\[\d+\]: by holds a control character"),
    "a stamp of an unknown way": (with_event(TOLD, via="fax"), r"events\[\d+\]: via must be one of"),
    "no specification": (without("spec"), "spec is missing"),
    "no events": (without("events"), "events is missing"),
    "a key too many": (set_key("colour", "red"), "'colour' is unknown"),
    "a specification that is a list": (set_key("spec", []), "spec must be a table"),
    "events that are a table": (set_key("events", {}), "events must be a list"),
    "an unknown key of the study": (in_spec("trails", 3), "spec: trails: unknown key; did you mean 'trials'"),
    "trials that are text": (in_spec("trials", "6"), "spec: trials must be"),
    "a direction nobody knows": (in_spec("direction", "up"), "spec: direction"),
    "an event that is a number": (lambda form: form["events"].append(7), r"events\[\d+\]: not an event"),
    "an event of no kind": (with_event(TOLD, kind=None), r"events\[\d+\]: not an event"),
    "an event of an unknown kind": (with_event(TOLD, kind="forgotten"), r"events\[\d+\]: not an event"),
    "an event with a field too many": (with_event(TOLD, colour="red"), r"events\[\d+\]: not an event"),
    "an event with a field too few": (with_event(ASKED, leg=None), r"events\[\d+\]: not an event"),
    "a value that is text": (with_event(TOLD, value="1"), r"events\[\d+\]: not an event"),
    "a value beyond 1e300": (with_event(TOLD, value=1e305), r"events\[\d+\]: .*beyond"),
    "a trial never handed out": (with_event(TOLD, number=5), r"events\[\d+\]: trial 5 was never handed out"),
    "a trial told twice": (with_event(FAILED, number=0), r"events\[\d+\]: trial 0 was told before"),
    "a number skipped": (with_event(ASKED, number=4), r"events\[\d+\]: number is 4, the next trial is 0"),
    "a stop that was not planned": (
        lambda form: form["events"].pop(PLANNED),
        "a stop was handed out that was not ahead",
    ),
    "a negative leg": (with_event(ASKED, leg=-1.0), r"events\[\d+\]: leg must not be negative"),
    "a negative cost": (with_event(FAILED, spent=-1.0), r"events\[\d+\]: spent must not be negative"),
    "a leg of no trial": (with_event(SKIPPED, legs=[[9, 1.0]]), r"events\[\d+\]: trial 9"),
    "a place with too few axes": (with_event(INSERTED, place=[1.0]), r"events\[\d+\]: place"),
    "a choice that is not there": (with_event(INSERTED, place=[1.0, 7.0]), r"events\[\d+\]: place.*positions"),
    "an actual place of no choice": (with_event(FAILED, actual=[1.0, 0.5]), r"events\[\d+\]: actual"),
    "a position of no choice": (with_event(REPLANNED, position=[1.0, -1.0]), r"events\[\d+\]: position"),
    "nothing to amend": (with_event(AMENDED, number=2), r"events\[\d+\]: trial 2 is skipped"),
    "a plan without stops": (
        with_event(PLANNED, stops=[], legs=[], picked=[]),
        "stops must be places of 2 axes, one or more",
    ),
    "a plan with a leg too many": (with_event(PLANNED, legs=[0.0, 1.0]), "needs 1 legs"),
    "a plan picked twice": (with_event(PLANNED, picked=[3]), "picked must number them"),
    "a plan that saw the future": (with_event(PLANNED, told=9), "told is 9, more than there were results"),
    "a request twice": (
        lambda form: form["events"][FAILED].update(request=form["events"][TOLD]["request"]),
        r"events\[\d+\]: request .* is there twice",
    ),
    "a request that is blank": (with_event(TOLD, request=" "), r"events\[\d+\]: request must not be empty"),
    "a text too long": (with_event(FAILED, why="y" * 20_001), "the text at 'why' has more than 20000 characters"),
    "a key too long": (with_event(FAILED, **{"y" * 20_001: 1}), "the text at 'yyy.* has more than 20000 characters"),
    # Notes decide the next plan.
    "notes that are a list": (lambda form: form["events"][PLANNED].update(notes=[]), r"events\[0\]: not an event"),
    "notes without a step": (noted(step=None), r"events\[0\]: notes: step must be text"),
    "notes of a step that is a list": (noted(step=[]), "step must be text"),
    "notes without a variance": (noted(variance=None), "notes: variance is missing"),
    "notes of no variance": (noted(variance=0.0), "notes: variance must be above 0"),
    "notes of a noise that is text": (noted(noise="1"), "notes: noise must be a number"),
    "notes of lengths that are text": (noted(lengths="11"), "notes: lengths must be a list"),
    "notes of a length that is a list": (noted(lengths=[[1.0], 1.0]), "notes: lengths must be a number"),
    "notes of a length too few": (noted(lengths=[1.0]), "notes: lengths must be 2 numbers above 0"),
    "notes of a length below 0": (noted(lengths=[1.0, -1.0]), "notes: lengths must be 2 numbers above 0"),
    "notes of offsets too many": (noted(offsets=[1.0] * 1000), "notes: offsets must be 1 numbers above 0"),
    "notes of an unknown kernel": (noted(kernel="k" * 1000), "notes: there is no kernel"),
    "notes of a kernel that is a table": (noted(kernel={}), "notes: there is no kernel"),
    "notes of a peak that is text": (noted(peak="top"), "notes: peak must be a list"),
    "notes of a peak beyond floats": (noted(peak=[10**400]), "notes: peak must be finite"),
    "notes of a choice by text": (noted(chosen="all"), "notes: chosen must be a whole number"),
    "notes of limits that are a list": (noted(limits=[1]), "notes: limits must be a table of tables"),
    "notes of a limit without a step": (noted(limits={"p at_most": {}}), "notes: step must be text"),
    # Legs are worked out again, and numbers are bounded.
    "a forged leg": (with_event(ASKED, leg=0.5), "events: the leg of trial 0 is kept as 0.5, but comes to 0.0"),
    "a forged leg of another trial": (with_event(FAILED, legs=[[0, 3.0]]), "events: the leg of trial 0 is kept as 3.0"),
    "a leg that takes spent back": (with_event(AMENDED, legs=[[3, 1.0]]), "events: the leg of trial 3"),
    "a trial of an endless number": (with_event(ASKED, number=10**30), r"events\[\d+\]: not an event"),
    "an amendment of an endless number": (with_event(AMENDED, number=10**30), r"events\[\d+\]: not an event"),
    "a stop of an endless number": (with_event(ASKED, stop=10**30), r"events\[\d+\]: not an event"),
    "legs of an endless number": (with_event(FAILED, legs=[[10**30, 1.0]]), r"events\[\d+\]: not an event"),
    "an endless count": (with_event(TOLD, count=10**30), r"events\[\d+\]: not an event"),
    "endless counts": (with_event(PLANNED, counts=[10**30]), r"events\[\d+\]: not an event"),
    "picked without end": (with_event(PLANNED, picked=[10**30]), r"events\[\d+\]: not an event"),
    "visits home without end": (with_event(PLANNED, homes=[10**30]), r"events\[\d+\]: not an event"),
    "results without end": (with_event(PLANNED, told=10**30), r"events\[\d+\]: not an event"),
    "a place beyond all distances": (with_event(INSERTED, place=[1e160, 0.0]), "place: axis 'a': 1e.160 is too far"),
    "a position beyond all distances": (with_event(REPLANNED, position=[-1e150, 1.0]), "position: axis 'a'"),
    # The specification, as in a study file.
    "endless trials": (in_spec("trials", 10**30), "spec: trials is 10+, more than can be counted"),
    "an endless seed below 0": (in_spec("seed", -(10**30)), "spec: seed must be a whole number"),
    "places of a file": (in_spec("places", {"file": "/etc/passwd"}), "spec: axis and places exclude each other"),
    "a map of a file": (in_spec("map", {"allowed": "/etc/passwd"}), "spec: "),
    "a method nested deep": (
        in_spec("method", json.loads('{"policy":' * 90 + '"ucb"' + "}" * 90)),
        "spec: .*nested too deep|spec: method.policy",
    ),
    "a thousand axes": (
        in_spec("axis", [{"name": f"a{i}", "low": 0, "high": 1} for i in range(1000)]),
        "64 axes at most",
    ),
    "a reason too long": (with_event(FAILED, why="y" * 20_000), r"events\[\d+\]: why has 20000"),
}
BAD_TEXTS = {
    "nothing": ("", "not valid JSON"),
    "half a file": (GOOD[: len(GOOD) // 2], "not valid JSON"),
    "two files": (GOOD + GOOD, "not valid JSON"),
    "a list": ("[]", "not a study"),
    "a number": ("7", "not a study"),
    "a CSV file": ("number,state,a,c,leg,value\n", "not valid JSON"),
    "nan": (GOOD.replace('"leg":0.0', '"leg":NaN', 1), "not valid JSON: NaN"),
    "a number beyond floats": (GOOD.replace('"leg":0.0', '"leg":1e999', 1), "not valid JSON: 1e999"),
    "a number of thousands of digits": (GOOD.replace('"leg":0.0', f'"leg":{"9" * 5000}', 1), "not valid JSON"),
    "a key twice": (GOOD.replace('"leg":0.0', '"leg":0.0,"leg":1.0', 1), "'leg' is there twice"),
    "a key twice among many": ("{" + "".join(f'"k{i}":1,' for i in range(200_000)) + '"k7":1}', "'k7' is there twice"),
    "deep nesting": ('{"format":' * 100_000, "nested too deep|not valid JSON"),
    "deep lists": ('{"format": "wayfare study", "events": ' + "[" * 100_000, "nested too deep|not valid JSON"),
    "half a character": (GOOD.replace('"why":"tide"', '"why":"\\ud800"', 1), "half a character"),
}


@pytest.mark.parametrize("case", BAD_FORMS)
def test_a_study_that_cannot_be_is_refused_and_nothing_is_made(tmp_path, case):
    spoil, words = BAD_FORMS[case]
    form = json.loads(GOOD)
    spoil(form)
    refuse(tmp_path, json.dumps(form), words)


@pytest.mark.parametrize("case", BAD_TEXTS)
def test_a_damaged_file_is_refused_and_nothing_is_made(tmp_path, case):
    refuse(tmp_path, *BAD_TEXTS[case])


def refuse(folder, text, words):
    make(store=folder / "lab.db", name="first")
    before = (folder / "lab.db").read_bytes()
    with pytest.raises(InvalidInput, match=words) as refused:
        import_json(SqliteStore(folder / "lab.db"), text)
    assert len(str(refused.value)) < 400
    assert (folder / "lab.db").read_bytes() == before
