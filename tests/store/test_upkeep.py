"""New names, archived and deleted studies, upgrades, and backups put back: each leaves its entry, and a sound store."""

import json
import os
import shutil
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from time import sleep

import pytest

import wayfare as wf
from wayfare.errors import Conflict, InvalidInput, StoreError, UnknownStudy
from wayfare.exchange.records import trial_record
from wayfare.store import (
    SqliteStore,
    archive,
    archived,
    backup,
    database,
    delete,
    log,
    rename,
    restore,
    sqlite,
    upgrade,
    verify,
)
from wayfare.testing.store import line

GOLDEN = Path(__file__).parents[1] / "golden" / "stores"
SPACE = wf.Space(wf.Real("x", 0.0, 1.0), wf.Real("y", 0.0, 1.0))


def begun(path, name="hill", moves=2):
    """A study of a few moves in a store."""
    study = wf.Study.create(
        SPACE, direction="maximize", travel=wf.Euclidean(), trials=9, start=[0, 0], store=path, name=name, by="ana"
    )
    for _ in range(moves):
        study.tell(study.ask(), 0.5, why="secret remark")
    return study


@pytest.fixture
def path(tmp_path):
    begun(tmp_path / "lab.db")
    begun(tmp_path / "lab.db", "lake")
    return tmp_path / "lab.db"


def whats(path):
    return [entry.what for entry in log(path)]


def test_a_renamed_study_goes_on_under_its_new_name(path):
    before = wf.Study.open(path, "hill").trials
    rename(path, "hill", "Hügel 🚤", why="typo", by="bo")
    assert SqliteStore(path).names() == ["Hügel 🚤", "lake"]
    study = wf.Study.open(path, "Hügel 🚤")
    assert study.spec.name == "Hügel 🚤"
    assert [trial_record(trial) for trial in study.trials] == [trial_record(trial) for trial in before]
    study.tell(study.ask(), 1.0)
    assert verify(path).is_sound
    entry = log(path)[-1]
    assert (entry.what, entry.why, entry.stamp.by, entry.stamp.via) == ("renamed", "typo", "bo", "python")
    assert [(one.field, one.before, one.after) for one in entry.changes] == [("name", "hill", "Hügel 🚤")]
    assert [entry.what for entry in study.log()].count("renamed") == 1
    assert "renamed" not in [entry.what for entry in wf.Study.open(path, "lake").log()]


def test_a_program_that_has_it_open_is_told_what_became_of_it(path):
    study = wf.Study.open(path, "hill")
    rename(path, "hill", "peak")
    with pytest.raises(UnknownStudy, match="no study named 'hill': it was renamed to 'peak', `wayfare log`"):
        study.ask()
    delete(path, "peak")
    for name in ("hill", "peak"):
        with pytest.raises(UnknownStudy, match="it was deleted"):
            wf.Study.open(path, name)


def test_a_name_that_is_free_again_may_be_given_again(path):
    rename(path, "hill", "peak")
    begun(path, "hill", moves=1)
    assert [len(wf.Study.open(path, name).trials) for name in ("peak", "lake", "hill")] == [2, 2, 1]
    delete(path, "hill")
    begun(path, "hill", moves=0)
    assert not wf.Study.open(path, "hill").trials
    assert verify(path).is_sound
    numbers = [number for (number,) in sqlite3.connect(path).execute("SELECT id FROM study ORDER BY id")]
    assert numbers == [1, 2, 4], "no number is given twice"


@pytest.mark.parametrize("new", ["lake", "hill", "", "  ", "\ud800", 3])
def test_a_name_that_cannot_be_given_changes_nothing(path, new):
    before = path.read_bytes()
    with pytest.raises(Conflict if new == "lake" else InvalidInput):
        rename(path, "hill", new)
    assert path.read_bytes() == before


def test_an_archived_study_is_kept_and_goes_on(path):
    archive(path, "hill", why="done")
    assert archived(path) == ["hill"]
    study = wf.Study.open(path, "hill")
    study.tell(study.ask(), 1.0)
    rename(path, "hill", "peak")
    assert archived(path) == ["peak"]
    with pytest.raises(Conflict, match="archived already"):
        archive(path, "peak")
    archive(path, "peak", undo=True)
    assert archived(path) == []
    with pytest.raises(Conflict, match="not archived"):
        archive(path, "peak", undo=True)
    assert whats(path) == ["created", "created", "archived", "renamed", "unarchived"]
    assert verify(path).is_sound


def test_of_a_deleted_study_only_the_log_is_left(path):
    head = next(head for head in verify(path).heads if head.study == "hill")
    study = wf.Study.open(path, "hill")
    delete(path, "hill", why="asked for", by="bo")
    assert SqliteStore(path).names() == ["lake"]
    with pytest.raises(UnknownStudy):
        study.tell(study.ask(), 1.0)
    entry = log(path)[-1]
    assert (entry.what, entry.why, entry.stamp.by) == ("deleted", "asked for", "bo")
    said = {one.field: one.before for one in entry.changes}
    assert said == {"name": "hill", "events": head.events, "head": head.digest}
    verdict = verify(path)
    assert verdict.is_sound
    assert (verdict.studies, verdict.trials) == (1, 2)


def test_what_is_deleted_is_not_in_the_file_any_more(tmp_path):
    begun(tmp_path / "lab.db", moves=8)
    assert b"secret remark" in (tmp_path / "lab.db").read_bytes()
    delete(tmp_path / "lab.db", "hill")
    assert b"secret remark" not in (tmp_path / "lab.db").read_bytes()


@pytest.mark.parametrize("table", ["study", "event", "register"])
def test_only_the_rows_of_a_deleted_study_can_go(path, table):
    with closing(sqlite3.connect(path)) as connection:
        with pytest.raises(sqlite3.IntegrityError, match="never changes"):
            connection.execute(f"DELETE FROM {table}")
        connection.rollback()
        delete(path, "hill")
        with pytest.raises(sqlite3.IntegrityError, match="never changes"):
            connection.execute(f"DELETE FROM {table}")


def test_a_failure_in_the_middle_of_deleting_leaves_all_of_the_study(path, monkeypatch):
    before = [trial_record(trial) for trial in wf.Study.open(path, "hill").trials]
    entries = whats(path)

    def full(*arguments):
        raise StoreError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(sqlite, "end_of", full)
        with pytest.raises(StoreError, match="disk is full"):
            delete(path, "hill")
    assert [trial_record(trial) for trial in wf.Study.open(path, "hill").trials] == before
    assert whats(path) == entries


@pytest.mark.parametrize("why", [None, 3, "x" * 10_001])
def test_a_reason_that_cannot_be_kept_is_refused(path, why):
    before = path.read_bytes()
    for change in (lambda: rename(path, "hill", "peak", why=why), lambda: delete(path, "hill", why=why)):
        with pytest.raises(InvalidInput, match="why must be text"):
            change()
    assert path.read_bytes() == before


@pytest.mark.parametrize("change", [rename, archive, delete])
def test_a_study_that_is_not_there_is_unknown(path, change):
    with pytest.raises(UnknownStudy, match="no study named 'pond'"):
        change(path, "pond", *(["new"] if change is rename else []))


def test_a_store_of_before_is_upgraded_once_and_says_so(tmp_path):
    path = shutil.copyfile(GOLDEN / "mishaps.db", tmp_path / "lab.db")
    before = tuple(SqliteStore(path).read("mishaps"))
    assert upgrade(path, by="bo") == (1, database.VERSION)
    after = path.read_bytes()
    assert upgrade(path) == (database.VERSION, database.VERSION)
    assert path.read_bytes() == after
    assert tuple(SqliteStore(path).read("mishaps")) == before
    entry = log(path)[-1]
    assert (entry.what, entry.stamp.by) == ("upgraded", "bo")
    assert [(one.field, one.before, one.after) for one in entry.changes] == [("format", 1, 2)]
    assert verify(path).is_sound


@pytest.mark.parametrize("change", [rename, archive, delete])
def test_a_store_of_before_can_be_changed_at_once(tmp_path, change):
    path = shutil.copyfile(GOLDEN / "mishaps.db", tmp_path / "lab.db")
    change(path, "mishaps", *(["new"] if change is rename else []), by="bo")
    assert whats(path)[:2] == ["created", "upgraded"]
    assert verify(path).is_sound


def test_a_restored_store_is_the_backup_and_the_old_one_is_kept(path):
    copy = path.with_name("copy.db")
    backup(path, copy)
    study = wf.Study.open(path, "hill")
    study.tell(study.ask(), 9.0)
    later, unchanged = path.read_bytes(), copy.read_bytes()
    aside = restore(copy, path, why="wrong button", by="bo")
    assert aside.read_bytes() == later
    assert copy.read_bytes() == unchanged
    assert len(wf.Study.open(path, "hill").trials) == 2
    entry = log(path)[-1]
    assert (entry.what, entry.why, entry.stamp.by) == ("restored", "wrong button", "bo")
    assert {one.field: one.after for one in entry.changes} == {"from": "copy.db", "replaced": aside.name}
    with pytest.raises(StoreError, match=r"older copy|was replaced"):
        study.ask()
    assert verify(path).is_sound
    assert verify(aside).is_sound
    assert sorted(one.name for one in path.parent.iterdir()) == sorted(["lab.db", "copy.db", aside.name])


def test_a_backup_can_be_restored_where_there_is_no_store(path):
    backup(path, path.with_name("copy.db"))
    path.unlink()
    assert restore(path.with_name("copy.db"), path) is None
    assert SqliteStore(path).names() == ["hill", "lake"]


def test_a_backup_of_before_can_be_restored(path):
    aside = restore(GOLDEN / "mishaps.db", path)
    assert SqliteStore(path).names() == ["mishaps"]
    assert whats(path) == ["created", "upgraded", "restored"]
    assert verify(aside).is_sound


@pytest.mark.parametrize("content", [b"junk", b"", b"SQLite format 3\0" + b"x" * 5000, None])
def test_a_damaged_store_is_put_aside_as_it_is(path, content):
    backup(path, path.with_name("copy.db"))
    content = path.read_bytes()[:-5000] if content is None else content
    path.write_bytes(content)
    path.with_name("lab.db-journal").write_bytes(b"of the damaged file")
    aside = restore(path.with_name("copy.db"), path)
    assert aside.read_bytes() == content
    assert verify(path).is_sound
    assert not path.with_name("lab.db-journal").exists()


def test_an_unsound_backup_is_refused_and_nothing_changes(path):
    copy = path.with_name("copy.db")
    backup(path, copy)
    copy.write_bytes(copy.read_bytes().replace(b"secret", b"forged"))
    before = path.read_bytes()
    with pytest.raises(StoreError, match=r"copy.db is not sound: .*restore another backup"):
        restore(copy, path)
    assert path.read_bytes() == before
    assert sorted(one.name for one in path.parent.iterdir()) == ["copy.db", "lab.db"]


def test_the_store_itself_is_no_backup(path):
    link = path.with_name("link.db")
    link.symlink_to(path)
    for source in (path, link):
        with pytest.raises(InvalidInput, match="is the store itself"):
            restore(source, path)


def test_a_link_to_the_store_stays_a_link(path):
    backup(path, path.with_name("copy.db"))
    link = path.with_name("link.db")
    link.symlink_to(path)
    restore(path.with_name("copy.db"), link)
    assert link.is_symlink()
    assert whats(path)[-1] == "restored"


def test_a_result_told_while_a_store_is_replaced_is_not_acknowledged_and_lost(path, monkeypatch):
    """It waits for the lock of the old file, and must not be written there as if that were the store."""
    copy = path.with_name("copy.db")
    backup(path, copy)
    store = SqliteStore(path)
    count = len(store.read("hill").events)
    replace = os.replace
    with ThreadPoolExecutor(1) as pool:
        waiting = []

        def slow(*arguments):
            if not waiting:
                waiting.append(pool.submit(store.append, "hill", count, [line(99)]))
                sleep(0.5)
            replace(*arguments)

        monkeypatch.setattr(os, "replace", slow)
        aside = restore(copy, path)
        error = waiting[0].exception()
    told = [line(99) in SqliteStore(one).read("hill").events for one in (path, aside)]
    assert told == [error is None, False]
    assert error is None or "replaced by another file" in str(error)
    assert verify(path).is_sound
    assert verify(aside).is_sound


def test_a_disk_that_is_full_leaves_the_store_as_it_was(path, monkeypatch):
    copy = path.with_name("copy.db")
    backup(path, copy)
    before = path.read_bytes()

    def full(handle):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(StoreError, match="No space left"):
            restore(copy, path)
    assert path.read_bytes() == before
    assert sorted(one.name for one in path.parent.iterdir()) == ["copy.db", "lab.db"]


def test_every_entry_says_when_by_whom_and_by_which_way(path):
    for change in (lambda: rename(path, "hill", "peak"), lambda: archive(path, "peak"), lambda: delete(path, "peak")):
        change()
    for entry in log(path)[2:]:
        assert entry.stamp.at is not None
        assert entry.stamp.by
        assert (entry.stamp.via, entry.stamp.app) == ("python", wf.__version__)
    bodies = [body for (body,) in sqlite3.connect(path).execute("SELECT body FROM register WHERE body <> ''")]
    assert [json.loads(body)["kind"] for body in bodies] == ["renamed", "archived", "deleted"]
