"""What the page can do, it does through the API; each move writes the events that the command line would."""

import base64
import json
import struct
from concurrent.futures import ThreadPoolExecutor
from urllib.parse import quote

import numpy as np
import pytest
from attrs import evolve
from starlette.testclient import TestClient

import wayfare as wf
import wayfare.web.ground as ground
from tests.web.conftest import Client, make_study
from wayfare.exchange.records import best_record, ledger_record, line_record, status_record, stop_records, trial_record
from wayfare.record.events import write_event
from wayfare.record.stamp import NO_STAMP
from wayfare.report.predict import believe
from wayfare.store import rename
from wayfare.web import make_app
from wayfare.web.app import THREADS
from wayfare.web.demo import begin
from wayfare.web.routes import API

FLOW = f"{API}/studies/flow"


def numbers(done):
    """Return the head of a binary answer and its numbers."""
    assert done.status_code == 200, done.text
    (length,) = struct.unpack_from("<I", done.content)
    head = json.loads(done.content[4 : 4 + length])
    assert (4 + length) % 8 == 0
    return head, np.frombuffer(done.content, dtype=head["dtype"], offset=4 + length).reshape(head["shape"])


def told(owner, many):
    for at in range(many):
        (trial,) = owner.post(f"{FLOW}/ask", json={}).json()["trials"]
        done = owner.post(f"{FLOW}/trials/{trial['number']}/tell", json={"value": float(at % 5)})
        assert done.status_code == 200, done.text


def plain(record):
    return json.loads(json.dumps(record))


def bare(event):
    """Return an event without what is another in every study: its stamp and its request."""
    more = {"request": ""} if hasattr(event, "request") else {}
    return write_event(evolve(event, stamp=NO_STAMP, **more))


def test_moves_over_the_api_write_the_same_events_as_in_python(owner, study, tmp_path):
    """The law behind the page: it is another door to the same moves, and adds nothing of its own."""
    twin = make_study(tmp_path / "twin.db")

    def post(path, **body):
        done = owner.post(f"{FLOW}/{path}", json=body)
        assert done.status_code == 200, done.text
        return done.json()

    for at in range(3):
        number = post("ask")["trials"][0]["number"]
        assert number == twin.ask().number
        post(f"trials/{number}/tell", value=0.5 * at, spent=3.0, why="calm")
        twin.tell(number, 0.5 * at, spent=3.0, why="calm")
    number = post("ask")["trials"][0]["number"]
    post(f"trials/{number}/fail", why="leak", actual={"flow": 1.2})
    twin.fail(twin.ask(), "leak", actual={"flow": 1.2})
    post(f"trials/{post('ask')['trials'][0]['number']}/skip", why="late")
    twin.skip(twin.ask(), "late")
    place = {"temp": 40, "flow": 1.0, "cat": "Ni"}
    price = post("insert", place=place, dry_run=True)
    assert price["detour"] == post("insert", place=place)["detour"] == twin.insert(place).cost
    post("trials/5/tell", value=[1.0, 2.0, 4.0])
    twin.tell(5, [1.0, 2.0, 4.0])
    post("trials/0/amend", value=0.25)
    twin.amend(0, 0.25)
    post("trials/1/amend", withdraw=True, why="dirty")
    twin.amend(1, withdraw=True, why="dirty")
    post("replan", position={"temp": 20}, why="moved by hand")
    twin.replan({"temp": 20}, why="moved by hand")
    text = "temp,flow,cat,value\n30,0.7,Pd,0.9\n"
    post("import", text=text)
    wf.exchange.import_csv(twin, text)
    made = post("change", toml='home = {temp = 20, flow = 1.0, cat = "Pd"}\n')
    assert made["changes"][0]["field"] == "home"
    twin.change(home={"temp": 20, "flow": 1.0, "cat": "Pd"})
    post("go-home", spent=2.5, why="dusk")
    twin.go_home(spent=2.5, why="dusk")

    assert [bare(event) for event in study.events] == [bare(event) for event in twin.events]
    ways = [event.stamp.via for event in study.events]
    assert (set(ways), ways.count("import")) == ({"web", "import"}, 2)  # the rows of the file
    assert {event.stamp.by for event in study.events} == {"olga"}


def test_answers_are_the_records_of_json(owner, study):
    """One module makes both, so the page and `--json` cannot say different things."""
    told(owner, 6)
    owner.post(f"{FLOW}/ask", json={})
    now = study.snapshot()
    card = owner.get(FLOW).json()
    assert card["status"] == plain(status_record(now.state, now.route(), None))
    assert card["route"] == plain(stop_records(now.route()))
    assert card["version"] == now.state.version
    assert [one["trial"] for one in card["open"]] == json.loads(
        json.dumps([trial_record(t) for t in now.state.open_trials])
    )
    assert owner.get(f"{FLOW}/ledger").json() == plain(ledger_record(now.ledger()))
    best = owner.get(f"{FLOW}/best").json()
    assert {key: best[key] for key in best if key != "progress"} == plain(best_record(now.best()))
    (line,) = owner.get(f"{API}/studies").json()["studies"]
    assert line.items() >= line_record(now.state).items()
    assert line["last"]["what"] == "asked"
    for path in ("drift", "progress", "importance", "why", "route", "log", "trials", "ground", "trials/2"):
        assert owner.get(f"{FLOW}/{path}").status_code == 200, path
    place = {"temp": 50, "flow": 1.0, "cat": "Pd"}
    predicted = owner.get(f"{FLOW}/predict", params={"place": json.dumps(place)}).json()
    assert predicted["mean"] == pytest.approx(float(now.predict(place).mean[0]))


def test_trials_and_the_log_come_in_pages(owner, study):
    told(owner, 7)
    page = owner.get(f"{FLOW}/trials", params={"from": 2, "limit": 3}).json()
    assert [one["number"] for one in page["trials"]] == [2, 3, 4]
    assert page["total"] == 7
    newest = owner.get(f"{FLOW}/trials", params={"order": "newest", "limit": 2}).json()
    assert [one["number"] for one in newest["trials"]] == [6, 5]
    log = owner.get(f"{FLOW}/log", params={"limit": 1}).json()
    assert (log["entries"][0]["what"], log["total"]) == ("told", len(study.events) + 1)  # and that it was created
    owner.post(f"{FLOW}/trials/0/amend", json={"value": 9.0})
    values = {trial.number: trial.value for trial in study.snapshot().trials}
    for of in (None, "told", "asked"):
        asked = {"order": "best"} | ({} if of is None else {"of": of})
        best = [one["number"] for one in owner.get(f"{FLOW}/trials", params=asked).json()["trials"]]
        assert sorted(best) == ([] if of == "asked" else list(range(7)))
        assert [values[number] for number in best] == sorted((values[one] for one in best), reverse=True)
    for query in ({"limit": 501}, {"limit": 0}, {"from": -1}, {"order": "worst"}, {"of": "lost"}):
        assert owner.get(f"{FLOW}/trials", params=query).status_code == 422


def test_card_is_small_however_long_the_study(owner, store):
    """What a phone fetches after every event does not grow with the trials, the route or the trials that are out."""
    space = wf.Space(wf.Real("a", 0, 1), wf.Real("b", 0, 1))
    options = {"direction": "maximize", "travel": wf.Euclidean(), "trials": 300, "method": "random-route"}
    study = wf.Study.create(space, store=store, name="long", **options)
    rows = "".join(f"{at / 10_000},{(at * 7 % 10_000) / 10_000},{at % 9}\n" for at in range(10_000))
    owner.post(f"{API}/studies/long/import", json={"text": f"a,b,value\n{rows}", "prior": True})
    for _ in range(2):
        assert len(study.ask(n=75, wait=False)) == 75
    done = owner.get(f"{API}/studies/long")
    card = done.json()
    assert (card["status"]["told"], card["status"]["prior"], card["status"]["out"]) == (0, 10_000, 150)
    assert (len(card["open"]), len(card["status"]["open"]), len(card["route"])) == (100, 100, 50)
    assert len(done.content) < 150_000


@pytest.mark.parametrize("axes", [("temp", "flow"), ("flow", "cat"), ("temp", None)])
def test_surface_is_the_belief_over_its_axes(owner, study, axes):
    told(owner, 6)
    across, up = axes
    query = {key: axis for key, axis in zip("xy", axes, strict=True) if axis} | {"fine": 9}
    head, found = numbers(owner.get(f"{FLOW}/surface", params=query))
    assert head["layers"] == ["mean", "sd", "acquisition"]
    assert found.shape == (3, len(head["y"]["ticks"]) if up else 1, len(head["x"]["ticks"]))

    def value(axis, at):
        return axis["values"][at] if axis["values"] else axis["ticks"][at]

    corners = [(0, 0), (found.shape[1] - 1, found.shape[2] - 1)]
    for row, column in corners:
        place = dict(head["at"]) | {across: value(head["x"], column)} | ({up: value(head["y"], row)} if up else {})
        at = study.predict(place)
        assert found[:2, row, column] == pytest.approx([at.mean[0], at.sd[0]], rel=1e-5, abs=1e-6)
    assert (found[2] >= 0).all()


def test_surface_goes_through_the_place_asked_for(owner, study):
    told(owner, 5)
    head, _ = numbers(owner.get(f"{FLOW}/surface", params={"x": "temp", "at": '{"flow": 0.9}', "fine": 9}))
    assert head["at"]["flow"] == 0.9
    for query in ({"x": "tmp"}, {"x": "temp", "y": "temp"}, {"fine": 500}, {"at": '{"flw": 1}'}):
        done = owner.get(f"{FLOW}/surface", params=query)
        assert done.status_code == 422, query


def test_surface_of_a_table_has_a_number_for_each_place(owner, store):
    study = begin(store, "lagoon", 0)
    for _ in range(4):
        study.tell(study.ask(), 1.0)
    study.fail(study.ask())
    path = f"{API}/studies/lagoon"
    head, found = numbers(owner.get(f"{path}/surface"))
    assert head["layers"] == ["mean", "sd", "success", "acquisition"]
    assert found.shape == (4, 1, study.spec.space.size)
    ground = owner.get(f"{path}/ground").json()
    assert (ground["degrees"], ground["terrain"]["x"]) == ({"lat": "lat", "lon": "lon"}, "lon")
    head, cells = numbers(owner.get(f"{path}/obstacles"))
    assert (cells > 0).sum() == study.spec.space.size
    head, rows = numbers(owner.get(f"{path}/visits"))
    assert rows[:, 0].tolist() == [0, 1, 2, 3, 4]
    assert [head["states"][int(state)] for state in rows[:, 1]] == ["told"] * 4 + ["failed"]
    study.ask()
    assert "<gpx" in owner.get(f"{path}/files/route.gpx").text


def test_ground_has_what_a_picture_needs(owner, store):
    space = wf.Space(wf.Real("a", 0, 1), wf.Real("b", 1, 100, log=True, unit="mm"), forbidden=[{"a": (0.5, None)}])
    wf.Study.create(
        space, direction="minimize", travel=wf.Manhattan(), trials=3, store=store, name="ground/1", start=[0, 1]
    )
    ground = owner.get(f"{API}/studies/ground%2F1/ground").json()
    assert [axis["kind"] for axis in ground["axes"]] == ["real", "real"]
    assert ground["axes"][1]["log"] is True
    assert ground["forbidden"] == [
        {"said": "a 0.5 or more", "sides": [{"axis": "a", "low": 0.5, "high": None, "values": None}]}
    ]
    assert ground["view"] == ["a", "b"]
    assert ground["start"] == {"a": 0.0, "b": 1.0}


def test_tell_sent_a_hundred_times_is_stored_once(owner, study):
    owner.post(f"{FLOW}/ask", json={})
    with ThreadPoolExecutor(8) as pool:
        done = list(
            pool.map(lambda _: owner.post(f"{FLOW}/trials/0/tell", json={"value": 1.5, "request": "p-1"}), range(100))
        )
    assert {one.status_code for one in done} == {200}
    assert len({one.text for one in done}) == 1
    assert [event.value for event in study.events if type(event).__name__ == "Told"] == [1.5]


def test_what_is_refused_says_why_in_one_line_and_writes_nothing(owner, study):
    told(owner, 1)
    owner.post(f"{FLOW}/ask", json={"request": "mine"})
    before = len(study.events)
    cases = [
        ("trials/0/tell", {"value": 2.0}, 409, "already-told"),
        ("trials/1/tell", {"value": "2"}, 422, "invalid"),
        ("trials/1/tell", {"value": True}, 422, "invalid"),
        ("trials/1/tell", {"valeu": 2.0}, 422, "invalid"),
        ("trials/1/tell", {}, 422, "invalid"),
        ("trials/1/tell", {"value": 2.0, "spent": -1}, 422, "invalid"),
        ("trials/1/tell", {"value": 1e301}, 422, "invalid"),
        ("trials/1/tell", {"value": 2.0, "by": "mallory"}, 422, "invalid"),
        ("trials/1/tell", {"value": 2.0, "via": "cli"}, 422, "invalid"),
        ("trials/1/amend", {"value": 2.0}, 409, "too-early"),
        ("trials/9/tell", {"value": 2.0}, 404, "unknown-trial"),
        ("trials/k3/amend", {"value": 2.0}, 404, "unknown-trial"),
        ("ask", {"worker": "other", "request": "mine"}, 409, "conflict"),
        ("ask", {"n": 1000}, 422, "invalid"),
        ("insert", {"place": {"temp": 41, "flow": 1.0, "cat": "Pd"}}, 422, "invalid"),
        ("insert", {"place": {"temp": 40}}, 422, "invalid"),
        ("replan", {"position": {"tmp": 40}}, 422, "invalid"),
        ("import", {"text": "temp,flow\n1,2\n"}, 422, "invalid"),
    ]
    for path, body, status, kind in cases:
        done = owner.post(f"{FLOW}/{path}", json=body)
        said = done.json()
        assert (done.status_code, said["type"]) == (status, f"urn:wayfare:{kind}"), (path, body, said)
        assert done.headers["content-type"] == "application/problem+json"
        assert said["detail"]
        assert "\n" not in said["detail"]
    assert owner.post(f"{FLOW}/trials/0/tell", json={"value": 2.0}).json()["trial"]["value"] == 0.0
    assert len(study.events) == before


def test_new_study_from_toml_form_and_archive(owner, study):
    toml = """
    name = "made"
    direction = "minimize"
    trials = 5
    [[axis]]
    name = "x"
    low = 0
    high = 1
    [travel]
    kind = "euclidean"
    """
    dry = owner.post(f"{API}/studies", json={"toml": toml, "dry_run": True})
    assert dry.status_code == 201
    assert any("opening" in head for head, _ in dry.json()["explained"])
    assert len(owner.get(f"{API}/studies").json()["studies"]) == 1
    assert owner.post(f"{API}/studies", json={"toml": toml}).status_code == 201
    assert owner.post(f"{API}/studies", json={"toml": toml}).status_code == 201  # sent again, it is begun once
    assert owner.post(f"{API}/studies", json={"toml": toml.replace("5", "6")}).status_code == 409
    form = {
        "name": "form",
        "direction": "maximize",
        "trials": 3,
        "axis": [{"name": "x", "low": 0, "high": 1}],
        "travel": {"kind": "euclidean"},
    }
    assert owner.post(f"{API}/studies", json={"form": form}).status_code == 201
    told(owner, 2)
    archive = owner.get(f"{FLOW}/files/study.json").text
    assert owner.post(f"{API}/studies", json={"archive": archive, "name": "copy"}).status_code == 201
    assert owner.get(f"{API}/studies/copy").json()["status"]["told"] == 2
    names = [one["name"] for one in owner.get(f"{API}/studies").json()["studies"]]
    assert names == ["flow", "made", "form", "copy"]


def test_change_is_priced_first_and_then_made(owner, study, signed_in):
    told(owner, 2)
    before = len(study.events)
    form = owner.get(f"{FLOW}/form").json()["form"]
    axes = [axis | {"high": 100} if axis["name"] == "temp" else axis for axis in form["axis"]]
    body = {"form": {"trials": 20, "axis": axes}, "why": "a better heater"}
    dry = owner.post(f"{FLOW}/change", json={**body, "dry_run": True}).json()
    assert (dry["dry_run"], dry["trials_left"]) == (True, 18)
    assert [one["field"] for one in dry["changes"]] == ["trials", "axis.temp.high"]
    assert len(study.events) == before
    for _ in range(2):  # sent again, it happens once
        made = owner.post(f"{FLOW}/change", json={**body, "request": "c-1"}).json()
    assert made["version"] == before + 1
    assert study.events[-1].why == "a better heater"
    assert owner.get(f"{FLOW}/ground").json()["axes"][0]["high"] == 100
    assert owner.get(FLOW).json()["spec"]["trials"] == 20
    assert owner.post(f"{FLOW}/change", json={"form": {"places": {"file": "/etc/passwd"}}}).status_code == 422
    assert owner.post(f"{FLOW}/change", json={"form": {"trails": 3}}).status_code == 422
    assert signed_in("otto", "operate").post(f"{FLOW}/change", json=body).status_code == 403
    assert len(study.events) == before + 1


def test_import_is_previewed_first(owner, study):
    """What the dry run shows is what is done; if the study has changed since, nothing is."""
    body = {"text": "temp;flow;cat;Yield\n20;0,5;Pd;1,0\n900;0,5;Ni;2,0\n", "columns": {"value": "Yield"}}
    dry = owner.post(f"{FLOW}/import", json={**body, "dry_run": True}).json()
    assert (dry["visits"], dry["dry_run"]) == (2, True)
    assert [(row["use"], row["number"], row["value"]) for row in dry["preview"]] == [
        ("new visit", 0, 1.0),
        ("new visit", 1, 2.0),
    ]
    assert any("outside 20 to 80" in note for note in dry["notes"])
    assert study.events == []
    body |= {"version": dry["version"], "request": "file-1"}
    study.ask()
    assert owner.post(f"{FLOW}/import", json=body).json()["type"] == "urn:wayfare:conflict"
    study.skip(0)
    body["version"] = owner.post(f"{FLOW}/import", json={**body, "dry_run": True, "version": None}).json()["version"]
    assert owner.post(f"{FLOW}/import", json=body).json()["visits"] == 2
    assert owner.post(f"{FLOW}/import", json=body).json()["same"] == 2  # sent again: done before
    assert len(study.snapshot().trials) == 3


def test_import_takes_any_file_in_base64(owner, study):
    data = base64.b64encode("temp,flow,cat,value\n20,0.5,Pd,1.0\n".encode("utf-16")).decode()
    assert owner.post(f"{FLOW}/import", json={"data": data}).json()["visits"] == 1
    for body in ({}, {"text": "", "data": ""}, {"data": "=="}, {"text": "temp", "delimiter": "|"}):
        assert owner.post(f"{FLOW}/import", json=body).status_code == 422
    blank = "temp,flow,cat,value\n20,0.5,Pd,2.0\n" + "\n" * 100_000
    for body in ({"text": blank}, {"data": base64.b64encode(blank.encode()).decode()}):
        assert "more than 100,000 lines" in owner.post(f"{FLOW}/import", json=body).json()["detail"]
    assert len(study.snapshot().trials) == 1


KINDS = ["sheet.html", "sheet.csv", "sheet.xlsx", "trials.csv", "trials.xlsx", "study.json", "log.csv"]


@pytest.mark.parametrize("kind", KINDS)
def test_files_are_those_of_the_command_line(owner, study, kind):
    told(owner, 2)
    owner.post(f"{FLOW}/ask", json={})
    done = owner.get(f"{FLOW}/files/{kind}")
    assert done.status_code == 200
    assert done.content.startswith(b"PK") == kind.endswith(".xlsx")
    same = {"trials.csv": wf.exchange.export_csv(study, stamps=True), "study.json": wf.exchange.export_json(study)}
    if kind in same:
        assert done.text == same[kind]
    is_sheet = kind == "sheet.html"
    assert done.headers.get("content-disposition", "") == (
        "" if is_sheet else f"attachment; filename*=UTF-8''flow-{kind}"
    )
    assert ("sandbox" in done.headers["content-security-policy"]) == is_sheet


def test_study_that_another_process_moves_is_up_to_date(owner, study, store):
    """The server holds studies open, and reads only what is new: also after a rename, and a new study of the name."""
    told(owner, 1)
    other = wf.Study.open(store, "flow")
    other.tell(other.ask(), 7.0)
    assert owner.get(FLOW).json()["status"]["told"] == 2
    rename(store, "flow", "old")
    assert owner.get(FLOW).status_code == 404
    make_study(store, "flow")
    assert owner.get(FLOW).json()["status"]["told"] == 0
    assert owner.get(f"{API}/studies/old").json()["status"]["told"] == 2


def test_names_of_any_kind_are_found(app, owner, store):
    for name in ("a/b", "ümlaut %2F", "<script>alert(1)</script>", "with space?and#more"):
        make_study(store, name)
        done = owner.get(f"{API}/studies/{quote(name, safe='')}")
        assert done.json()["spec"]["name"] == name


def test_two_browsers_of_two_users_sign_what_they_do(signed_in, study):
    ana, ben = signed_in("ana", "operate"), signed_in("ben", "operate", "flow")
    ana.post(f"{FLOW}/ask", json={})
    ben.post(f"{FLOW}/trials/0/tell", json={"value": 1.0})
    assert [event.stamp.by for event in study.events] == ["ana", "ana", "ben"]


def test_client_is_told_who_it_is(app, owner):
    assert owner.get(f"{API}/session").json()["user"] == "olga"
    stranger = Client(app)
    assert stranger.get(f"{API}/session").json()["user"] is None
    owner.delete(f"{API}/session")
    assert owner.get(FLOW).status_code == 401


def test_outcome_kept_for_days_is_not_taken_for_another_trial(owner, store, study):
    """A phone kept it; meanwhile another store was served here, or a backup was restored: the number means another."""
    owner.post(f"{FLOW}/ask", json={})
    issued = owner.get(f"{FLOW}/trials/0").json()["issued"]["at"]
    kept = {"value": 2.0, "request": "phone-1", "issued": issued}
    rename(store, "flow", "old")
    make_study(store, "flow").ask()
    done = owner.post(f"{FLOW}/trials/0/tell", json=kept)
    assert (done.status_code, done.json()["type"]) == (409, "urn:wayfare:conflict")
    assert owner.get(FLOW).json()["status"]["told"] == 0
    for _ in range(2):
        assert owner.post(f"{API}/studies/old/trials/0/tell", json=kept).json()["trial"]["value"] == 2.0
    for move in ("fail", "skip"):
        assert owner.post(f"{FLOW}/trials/0/{move}", json={"issued": issued}).status_code == 409


def test_many_who_look_at_once_have_a_report_made_once(owner, monkeypatch):
    told(owner, 4)
    made = []
    monkeypatch.setattr(ground, "believe", lambda state: made.append(state) or believe(state))
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: owner.get(f"{FLOW}/surface").content, range(20)))
    assert len(set(answers)) == 1
    assert len(made) <= THREADS["look"]
    assert owner.get(f"{FLOW}/surface", params={"x": "flow", "y": "temp"}).content != answers[0]
    owner.post(f"{FLOW}/trials/0/amend", json={"value": 5.0})
    assert owner.get(f"{FLOW}/surface").content != answers[0]


def test_stops_up_to_the_next_return_home_are_asked_for_at_once(owner, store):
    space = wf.Space(wf.Real("x", 0, 10), wf.Real("y", 0, 10))
    more = {"start": {"x": 0, "y": 0}, "home": "start", "day": 40, "trials": 20, "seed": 1}
    options = {"direction": "maximize", "travel": wf.Manhattan(unit="min"), "method": "random-route"} | more
    study = wf.Study.create(space, store=store, name="boat", **options)
    done = owner.post(f"{API}/studies/boat/ask", json={"n": "day"}).json()["trials"]
    assert 1 < len(done) == len(study.snapshot().state.out) < 20
    assert owner.post(f"{API}/studies/boat/ask", json={"n": "week"}).status_code == 422


def test_study_is_renamed_and_archived(owner, study, signed_in):
    otto = signed_in("otto", "operate")
    for path, body in (("rename", {"name": "esters"}), ("archive", {"archived": True})):
        assert otto.post(f"{FLOW}/{path}", json=body).status_code == 403
    assert owner.post(f"{FLOW}/rename", json={"name": "--all"}).status_code == 422
    for _ in range(2):  # twice is once
        assert owner.post(f"{FLOW}/archive", json={"archived": True}).json() == {"name": "flow", "archived": True}
    assert owner.get(f"{API}/studies").json()["studies"] == []
    assert [one["name"] for one in owner.get(f"{API}/studies?all=true").json()["studies"]] == ["flow"]
    owner.post(f"{FLOW}/archive", json={"archived": False})
    assert owner.post(f"{FLOW}/rename", json={"name": "esters", "why": "clearer"}).json()["name"] == "esters"
    assert owner.get(FLOW).status_code == 404
    last = owner.get(f"{API}/studies/esters/log").json()["entries"][0]
    assert (last["what"], last["by"], last["via"], last["why"]) == ("renamed", "olga", "web", "clearer")


def test_two_servers_of_one_machine_keep_a_browser_signed_in_at_both(tmp_path):
    """Browsers give the cookies of a host to all its ports: each server has a name of its own."""
    names = set()
    for port in (8421, 8422):
        base = f"http://127.0.0.1:{port}"
        app = make_app(tmp_path / f"{port}.db", base=base)
        browser = TestClient(app, base_url=base, headers={"origin": base})
        names |= set(browser.post(f"{API}/session", json={"token": app.state.token}).cookies)
    assert names == {"wayfare-8421", "wayfare-8422"}
