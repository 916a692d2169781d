"""Every event says when it was stored, by whom and by which way; and none of that decides anything."""

import getpass
from datetime import UTC, datetime, timedelta

import pytest
from attrs import evolve

import wayfare as wf
from wayfare import exchange
from wayfare.record import stamp
from wayfare.record.events import read_event, write_event
from wayfare.record.stamp import NO_STAMP, VIAS, Stamp

SPACE = wf.Space(wf.Real("x", 0.0, 1.0), wf.Real("y", 0.0, 1.0))
NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)


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


def make(**options):
    usual = {"direction": "maximize", "travel": wf.Euclidean(), "trials": 12, "start": [0, 0], "name": "hill"}
    return wf.Study.create(SPACE, **(usual | options))


def walk(study, number):
    for _ in range(number):
        trial = study.ask()
        study.tell(trial, -float(trial.x @ trial.x))
    return study


def test_every_move_is_stamped_with_when_who_and_which_way(clock, tmp_path):
    study = make(store=tmp_path / "lab.db", by="ana")
    assert study.journal.created == (Stamp(NOON, "ana", "python", wf.__version__),)
    trial = study.ask()
    clock.append(NOON + timedelta(minutes=5))
    study = wf.Study.open(tmp_path / "lab.db", "hill", by="bo", via="web")
    assert study.journal.created == (Stamp(NOON, "ana", "python", wf.__version__),)
    study.tell(trial, 1.0)
    clock.append(NOON + timedelta(hours=1))
    study.amend(0, 2.0)
    study.insert([0.5, 0.5])
    study.fail(1)
    study.skip(study.ask())
    study.replan()
    said = [(type(event).__name__, event.stamp.at - NOON, event.stamp.by, event.stamp.via) for event in study.events]
    later = timedelta(hours=1)
    assert said[:4] == [
        ("Planned", timedelta(0), "ana", "python"),
        ("Asked", timedelta(0), "ana", "python"),
        ("Told", timedelta(minutes=5), "bo", "web"),
        ("Amended", later, "bo", "web"),
    ]
    assert {rest for _, *rest in map(tuple, said[3:]) for rest in [tuple(rest)]} == {(later, "bo", "web")}
    assert {event.stamp.app for event in study.events} == {wf.__version__}


def test_a_trial_says_when_it_was_handed_out_and_when_it_was_closed(clock):
    study = make(by="ana")
    trial = study.ask()
    assert (trial.issued.at, trial.issued.by, trial.closed) == (NOON, "ana", NO_STAMP)
    clock.append(NOON + timedelta(minutes=5))
    told = study.tell(trial, 1.0)
    assert (told.issued.at, told.closed.at) == (NOON, NOON + timedelta(minutes=5))
    clock.append(NOON + timedelta(minutes=9))
    assert study.amend(0, 2.0).closed.at == NOON + timedelta(minutes=9)


def test_an_import_is_stamped_as_one(clock):
    study = make(by="ana")
    exchange.import_csv(study, "x,y,value\n0.5,0.5,1\n")
    assert {event.stamp.via for event in study.events} == {"import"}
    assert {event.stamp.by for event in study.events} == {"ana"}


def test_a_study_in_a_file_keeps_its_stamps_and_the_import_of_it_is_known(clock):
    study = walk(make(by="ana", store=wf.MemoryStore()), 3)
    clock.append(NOON + timedelta(days=1))
    again = exchange.import_json(wf.MemoryStore(), exchange.export_json(study), by="bo")
    assert [event.stamp for event in again.events] == [event.stamp for event in study.events]
    assert again.journal.created == (study.journal.created[0], Stamp(clock[-1], "bo", "import", wf.__version__))


def test_a_user_is_who_the_environment_says_else_the_login_name(monkeypatch):
    monkeypatch.setenv("WAYFARE_USER", " ana ")
    assert stamp.user() == "ana"
    monkeypatch.setenv("WAYFARE_USER", " ")
    assert stamp.user() == getpass.getuser()

    def none():
        raise KeyError("getpwuid(): uid not found: 7")

    monkeypatch.setattr(getpass, "getuser", none)
    monkeypatch.setattr(stamp, "_login", stamp._login.__wrapped__)  # what is not kept from before
    assert stamp.user() == ""
    study = make()
    study.ask()
    assert {event.stamp.by for event in study.events} == {""}


BAD = ["", "  ", "a\nb", "\x1b[31m", "a\u2028b", "a\u202eb", "\ud800", "x" * 201, 3]


@pytest.mark.parametrize("by", BAD)
def test_a_name_that_cannot_be_shown_is_refused_before_anything_is_written(by, tmp_path):
    with pytest.raises(wf.InvalidInput, match="by "):
        make(store=tmp_path / "lab.db", by=by)
    assert not (tmp_path / "lab.db").exists()


def test_an_environment_that_names_nobody_who_can_be_shown_is_refused(monkeypatch):
    monkeypatch.setenv("WAYFARE_USER", "a\x1b[31m")
    with pytest.raises(wf.InvalidInput, match="WAYFARE_USER holds a control character"):
        make()


@pytest.mark.parametrize("by", ["Zoë", "北京 🚤", "می‌خواهم", "o'neil; drop", "x" * 200])
def test_any_other_name_is_kept_letter_for_letter(by):
    study = make(by=by)
    study.ask()
    assert read_event(write_event(study.events[-1])).stamp.by == by


def test_a_way_that_is_none_is_refused():
    with pytest.raises(wf.InvalidInput, match="via must be one of cli, web, python, import, plug, got 'phone'"):
        make(via="phone")
    for via in VIAS:
        assert make(via=via).journal.created[0].via == via


@pytest.mark.parametrize(
    ("old", "new"),
    [('"by":"ana"', '"by":"a\\u001b[31m"'), ('"via":"python"', '"via":"phone"'), ('"app":"', '"app":"\\n')],
)
@pytest.mark.parametrize("where", ["created", "events"])
def test_a_stamp_in_a_strangers_file_is_checked(where, old, new):
    text = exchange.export_json(walk(make(by="ana", store=wf.MemoryStore()), 1)).replace('": "', '":"')
    head, mark, events = text.partition('"events"')
    text = head.replace(old, new) + mark + events if where == "created" else head + mark + events.replace(old, new)
    with pytest.raises(wf.InvalidInput, match=f"^{where}.*(control character|via must be one of)"):
        exchange.import_json(wf.MemoryStore(), text)


def test_clocks_and_names_decide_nothing(monkeypatch):
    """The same study under a clock that jumps to and fro, and under many names, plans and adds up alike."""

    class Jumping(datetime):
        calls = 0

        @classmethod
        def now(cls, tz=None):
            cls.calls += 1
            return NOON + timedelta(days=(-1) ** cls.calls * 1000 * cls.calls)

    def told(by):
        study = walk(make(by=by, anchor="best", anchor_every=4), 12)
        bare = [write_event(evolve(event, stamp=NO_STAMP, **no_request(event))) for event in study.events]
        return bare, repr(study.ledger()), repr(study.best())

    before = told("ana")
    monkeypatch.setattr(stamp, "datetime", Jumping)
    assert told("bo") == before
    assert Jumping.calls > 12


def no_request(event):
    return {"request": ""} if hasattr(event, "request") else {}


def test_users_who_act_on_one_open_study_each_sign_their_own_moves(tmp_path):
    """A server opens a study once: its users share what was read, and no move of one is another's."""
    study = make(store=tmp_path / "lab.db")
    ana, ben = study.acting("ana", "web"), study.acting("ben")
    ben.tell(ana.ask(), 1.0)
    assert [(event.stamp.by, event.stamp.via) for event in study.events[-2:]] == [("ana", "web"), ("ben", "python")]
    assert study.snapshot().state.results == (0,)
    with pytest.raises(wf.InvalidInput, match="control character"):
        study.acting("a\x07", "web")
