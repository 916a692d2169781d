"""A backup is whole or not there at all."""

import os
import sqlite3
import threading
from contextlib import closing

import pytest

from wayfare.errors import Conflict, StoreError
from wayfare.store import SqliteStore, backup, database, sqlite, verify
from wayfare.testing.store import FORM, line


@pytest.fixture
def path(tmp_path):
    store = SqliteStore(tmp_path / "lab.db")
    store.create("hill", FORM)
    store.create("lake", FORM)
    store.append("hill", 0, [line(n) for n in range(20)])
    return store.path


def test_a_backup_holds_everything_and_can_be_gone_on_with(path, tmp_path):
    backup(path, tmp_path / "copy.db")
    copy = SqliteStore(tmp_path / "copy.db")
    assert copy.names() == ["hill", "lake"]
    assert copy.read("hill") == (FORM, [line(n) for n in range(20)])
    copy.append("lake", 0, [line(0)])
    assert SqliteStore(path).read("lake").events == []
    assert sorted(os.listdir(tmp_path)) == ["copy.db", "lab.db"]


def test_a_backup_never_overwrites(path, tmp_path):
    (tmp_path / "copy.db").write_text("my only notes")
    (tmp_path / "dangling.db").symlink_to(tmp_path / "nowhere")
    for target in ("copy.db", "lab.db", "dangling.db"):
        with pytest.raises(StoreError, match="exists already"):
            backup(path, tmp_path / target)
    assert (tmp_path / "copy.db").read_text() == "my only notes"


def test_a_file_that_appears_meanwhile_is_not_overwritten_either(path, tmp_path, monkeypatch):
    target = tmp_path / "copy.db"
    sync = sqlite.sync

    def appear(part):
        if not target.exists():
            target.write_text("mine")
        sync(part)

    monkeypatch.setattr(sqlite, "sync", appear)
    with pytest.raises(StoreError, match="exists already"):
        backup(path, target)
    assert target.read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["copy.db", "lab.db"]


def test_where_there_are_no_hard_links_the_backup_is_renamed(path, tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    backup(path, tmp_path / "copy.db")
    assert SqliteStore(tmp_path / "copy.db").names() == ["hill", "lake"]
    assert sorted(os.listdir(tmp_path)) == ["copy.db", "lab.db"]


def test_the_copy_is_on_the_disk_before_it_has_its_name(path, tmp_path, monkeypatch):
    target, done = tmp_path / "copy.db", []
    fsync, link = os.fsync, os.link
    monkeypatch.setattr(os, "fsync", lambda handle: (done.append("sync"), fsync(handle)))
    monkeypatch.setattr(os, "link", lambda *names: (done.append("name"), link(*names)))
    backup(path, target)
    assert done == ["sync", "name", "sync"]


def test_what_is_no_good_store_is_not_backed_up(path, tmp_path):
    with pytest.raises(StoreError, match="no store"):
        backup(tmp_path / "nowhere.db", tmp_path / "copy.db")
    with pytest.raises(StoreError, match="no folder"):
        backup(path, tmp_path / "nowhere" / "copy.db")
    data = bytearray(path.read_bytes())
    data[-4096:-4000] = bytes(96)
    path.write_bytes(data)
    with pytest.raises(StoreError, match="damaged"):
        backup(path, tmp_path / "copy.db")
    assert os.listdir(tmp_path) == ["lab.db"]


def test_a_backup_of_a_store_in_use_is_one_moment_of_it(path, tmp_path):
    store, stop = SqliteStore(path), threading.Event()

    def write():
        while not stop.is_set():
            count = len(store.read("lake").events)
            try:
                store.append("lake", count, [line(count), line(count + 1)])
            except Conflict:
                continue

    writers = [threading.Thread(target=write) for _ in range(2)]
    for writer in writers:
        writer.start()
    try:
        counts = []
        for n in range(8):
            backup(path, tmp_path / f"copy{n}.db")
            kept = SqliteStore(tmp_path / f"copy{n}.db").read("lake").events
            assert kept == [line(n) for n in range(len(kept))]
            counts.append(len(kept))
    finally:
        stop.set()
        for writer in writers:
            writer.join()
    assert counts == sorted(counts)
    assert all(count % 2 == 0 for count in counts)
    # The events here are told without having been asked, so only the pages and checksums can be right.
    assert not [what for what in verify(tmp_path / "copy7.db").findings if "cannot be read back" not in what]


def test_a_full_disk_leaves_no_half_backup(path, tmp_path, monkeypatch):
    def fill(part):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(sqlite, "sync", fill)
    with pytest.raises(StoreError, match="No space left"):
        backup(path, tmp_path / "copy.db")
    assert os.listdir(tmp_path) == ["lab.db"]


def test_whoever_writes_for_too_long_stops_a_backup_with_a_reason(path, tmp_path, monkeypatch):
    monkeypatch.setattr(database, "PATIENCE", 0.05)
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(StoreError, match="in use"):
            backup(path, tmp_path / "copy.db")
    assert os.listdir(tmp_path) == ["lab.db"]
