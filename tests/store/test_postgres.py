"""The PostgreSQL store keeps the contract, and loses and doubles nothing when connections and servers end."""

import os
import pickle
import re
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import psycopg
import pytest

import wayfare as wf
from tests.cli.studies import call, records
from wayfare.errors import Conflict, InvalidInput, StoreError, UnknownStudy
from wayfare.exchange import export_csv
from wayfare.store import (
    PostgresStore,
    SqliteStore,
    archive,
    archived,
    backup,
    copy,
    delete,
    log,
    rename,
    restore,
    upgrade,
    verify,
)
from wayfare.testing.store import FORM, StoreContract, line

SPACE = wf.Space(wf.Real("x", 0.0, 1.0), wf.Real("y", 0.0, 1.0))


class TestPostgresStore(StoreContract):
    @pytest.fixture
    def store(self, address):
        return PostgresStore(address)


def begun(store, name="hill", moves=3):
    """A study of a few moves."""
    study = wf.Study.create(
        SPACE, direction="maximize", travel=wf.Euclidean(), trials=12, start=[0, 0], store=store, name=name, by="ana"
    )
    for _ in range(moves):
        study.tell(study.ask(), 0.5, why="remark")
    return study


@pytest.fixture
def lab(address):
    """The address of a store with two studies."""
    begun(address)
    begun(address, "lake")
    return address


def sql(address, *statements):
    with psycopg.connect(address, autocommit=True) as connection:
        for statement in statements:
            found = connection.execute(statement)
        return found.fetchall() if found.description else []


def test_a_study_in_a_database_is_that_of_a_file(address, tmp_path):
    def story(store):
        study = begun(store)
        trial = study.ask(request="r")
        study.fail(trial, why="leak")
        study.skip(study.ask())
        study.insert({"x": 0.3, "y": 0.3})
        study.replan(why="again")
        study.ask()
        return study

    here, there = story(address), story(tmp_path / "lab.db")
    assert export_csv(here) == export_csv(there) == export_csv(wf.Study.open(address, "hill"))
    assert str(here.ledger()) == str(there.ledger())
    assert verify(address).is_sound


def test_studies_are_renamed_archived_and_deleted_as_in_a_file(lab, tmp_path):
    file = tmp_path / "lab.db"
    begun(file)
    begun(file, "lake")
    for store in (lab, file):
        rename(store, "hill", "Hügel 🚤", why="typo")
        archive(store, "lake")
        assert archived(store) == ["lake"]
        with pytest.raises(Conflict, match="archived already"):
            archive(store, "lake")
        with pytest.raises(UnknownStudy, match="it was renamed to 'Hügel 🚤'"):
            wf.Study.open(store, "hill")
        delete(store, "lake", why="a test")
        assert wf.Study.open(store, "Hügel 🚤").trials[0].value == 0.5
        with pytest.raises(Conflict, match="exists already"):
            wf.Study.create(SPACE, direction="maximize", travel=wf.Euclidean(), trials=2, store=store, name="Hügel 🚤")
        begun(store, "lake")  # a name is free again; the number is not
    said = [[(one.what, one.why, one.changes) for one in log(store) if one.what != "deleted"] for store in (lab, file)]
    assert said[0] == said[1]
    assert verify(lab).is_sound
    assert verify(lab).studies == verify(file).studies == 2
    assert sql(lab, "SELECT count(*) FROM wayfare.event WHERE study = 2") == [(0,)]


def test_copies_have_the_same_digests_there_and_back(lab, tmp_path):
    delete(lab, "lake")
    begun(lab, "bay")
    assert copy(lab, tmp_path / "lab.db") == 2
    assert set(verify(tmp_path / "lab.db").heads) == set(verify(lab).heads)
    rows = [store.rows([]) for store in (SqliteStore(tmp_path / "lab.db"), PostgresStore(lab))]
    assert all(sorted(here) == sorted(there) for here, there in zip(*rows, strict=True))
    with pytest.raises(Conflict, match="has studies already"):
        copy(tmp_path / "lab.db", lab)
    study = wf.Study.open(tmp_path / "lab.db", "bay")
    study.tell(study.ask(), 1.0)
    backup(lab, tmp_path / "backup.db")
    assert verify(tmp_path / "backup.db").heads == verify(lab).heads
    with pytest.raises(StoreError, match="exists already"):
        backup(lab, tmp_path / "backup.db")


def test_a_file_is_copied_into_an_empty_database_and_goes_on_there(address, tmp_path):
    begun(tmp_path / "lab.db")
    copy(tmp_path / "lab.db", address)
    assert verify(address).heads == verify(tmp_path / "lab.db").heads
    here, there = (wf.Study.open(store, "hill") for store in (address, tmp_path / "lab.db"))
    assert here.ask(request="a").params == there.ask(request="a").params
    assert verify(address).is_sound


def test_what_is_stored_cannot_be_changed(lab):
    before = verify(lab).heads
    for statement in (
        "UPDATE wayfare.event SET body = '{}' WHERE number = 0",
        "DELETE FROM wayfare.event",
        "DELETE FROM wayfare.study",
        "TRUNCATE wayfare.event",
        "TRUNCATE wayfare.register",
        "UPDATE wayfare.register SET name = 'mine'",
        "DELETE FROM wayfare.register",
        "UPDATE wayfare.study SET spec = '{}'",
        "UPDATE wayfare.study SET events = events - 1",
    ):
        with pytest.raises(psycopg.errors.RaiseException, match="never changes"):
            sql(lab, statement)
    assert verify(lab).heads == before


TAMPERED = {
    "UPDATE wayfare.event SET body = replace(body, '0.5', '0.6') WHERE study = 1": "breaks at event",
    "DELETE FROM wayfare.event WHERE study = 1 AND number = 2": "event 2 is missing",
    "DELETE FROM wayfare.event WHERE study = 1 AND number = (SELECT max(number) FROM wayfare.event WHERE study = 1)": (
        "counts"
    ),
    "UPDATE wayfare.study SET spec = replace(spec, '12', '13') WHERE id = 1": "specification differs",
    "UPDATE wayfare.register SET name = 'mine' WHERE number = 1": "breaks at entry 1",
    "DELETE FROM wayfare.register WHERE number = 2": "register",
}


@pytest.mark.parametrize(("statement", "said"), TAMPERED.items())
def test_verify_names_what_an_owner_of_the_server_changed(lab, statement, said):
    off = [f"ALTER TABLE wayfare.{table} DISABLE TRIGGER ALL" for table in ("study", "event", "register")]
    sql(lab, *off, statement)
    verdict = verify(lab)
    assert not verdict.is_sound
    assert said in " ".join(verdict.findings)


def test_reading_a_study_whose_events_were_changed_is_an_error(lab):
    off = "ALTER TABLE wayfare.event DISABLE TRIGGER ALL"
    sql(lab, off, "UPDATE wayfare.event SET body = replace(body, '0.5', '0.6') WHERE study = 1")
    sql(lab, off, "DELETE FROM wayfare.event WHERE study = 2 AND number > 3")
    for name, said in (("hill", "event .*digest differs"), ("lake", "end of its events is missing")):
        with pytest.raises(StoreError, match=said):
            wf.Study.open(lab, name)


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("postgresql://ana:secret@db.lab/wayfare", "has a password"),
        ("postgresql://db.lab/wayfare?password=secret", "has a password"),
        ("postgresql://db.lab/wayfare?colour=secret", "no address"),
        ("postgres://%zz:secret@", "no address"),
    ],
)
def test_an_address_with_a_password_or_of_no_database_is_refused(address, said):
    with pytest.raises(InvalidInput, match=said) as refused:
        wf.Study.open(address, "hill")
    assert "secret" not in str(refused.value)


def test_a_server_that_cannot_be_reached_is_said_in_one_line(tmp_path):
    with pytest.raises(StoreError, match="cannot be reached") as refused:
        PostgresStore(f"postgresql:///none?host={tmp_path}").names()
    assert "\n" not in str(refused.value)


def test_a_database_without_tables_gets_them_by_create_or_upgrade(address):
    for use in (PostgresStore.names, lambda s: s.read("hill"), lambda s: s.append("hill", 0, [line(0)])):
        with pytest.raises(StoreError, match=r"no store at .*wayfare upgrade"):
            use(PostgresStore(address))
    assert upgrade(address) == (0, 2)
    assert upgrade(address) == (2, 2)
    assert PostgresStore(address).names() == []


def test_settings_under_which_results_could_be_lost_are_mended_or_refused(server):
    address = server.database()
    sql(address, f"ALTER DATABASE {address.split('/')[3].split('?')[0]} SET synchronous_commit = off")
    PostgresStore(address).create("hill", FORM)
    with PostgresStore(address)._connection() as connection:
        assert connection.execute("SHOW synchronous_commit").fetchone() == ("on",)
    latin = server.database("ENCODING 'LATIN1' LOCALE 'C' TEMPLATE template0")
    with pytest.raises(StoreError, match=r"encoding LATIN1.*createdb"):
        PostgresStore(latin).create("hill", FORM)


def test_a_schema_of_another_program_and_a_newer_store_are_left_alone(server):
    foreign, newer = server.database(), server.database()
    sql(foreign, "CREATE SCHEMA wayfare", "CREATE TABLE wayfare.mine (a int)")
    upgrade(newer)
    sql(newer, "UPDATE wayfare.meta SET version = 99")
    for address, said in ((foreign, "not a store; it was left alone"), (newer, "newer wayfare")):
        with pytest.raises(StoreError, match=said):
            PostgresStore(address).create("hill", FORM)


def test_a_backup_is_not_restored_over_a_database(lab, tmp_path):
    backup(lab, tmp_path / "backup.db")
    with pytest.raises(InvalidInput, match="wayfare copy"):
        restore(tmp_path / "backup.db", lab)


PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "team.md"


def blocks(kind):
    return re.findall(rf"```{kind}\n(.*?)```", PAGE.read_text(), re.DOTALL)


def test_the_roles_of_the_page_may_do_what_it_says(server, lab):
    (roles,) = blocks("sql")
    sql(lab, "DROP ROLE IF EXISTS ana, bo, wayfare_worker, wayfare_reader", roles)
    sql(lab, "CREATE ROLE ana LOGIN IN ROLE wayfare_reader", "CREATE ROLE bo LOGIN IN ROLE wayfare_worker")
    reader, worker = (server.address("postgres", user) for user in ("ana", "bo"))
    assert wf.Study.open(reader, "hill").trials[0].value == 0.5
    assert verify(reader).is_sound
    for move in (
        lambda: wf.Study.open(reader, "hill").ask(),
        lambda: begun(reader, "mine"),
        lambda: rename(reader, "hill", "mine"),
        lambda: delete(worker, "hill"),
    ):
        with pytest.raises(StoreError, match=r"may not be used so by this user; docs/how-to/team\.md"):
            move()
    study = wf.Study.open(worker, "hill")
    study.tell(study.ask(), 0.75)
    begun(worker, "mine")
    rename(worker, "mine", "ours")
    assert PostgresStore(reader).names() == ["hill", "lake", "ours"]
    for statement in ("UPDATE wayfare.event SET body = ''", "DELETE FROM wayfare.event", "TRUNCATE wayfare.study"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            sql(worker, statement)
    sql(
        lab,
        "DROP OWNED BY ana, bo, wayfare_worker, wayfare_reader",
        "DROP ROLE ana, bo, wayfare_worker, wayfare_reader",
    )
    assert verify(lab).is_sound


def test_the_python_of_the_page_runs(lab):
    (code,) = blocks("py")
    names = {"address": lab}
    exec(compile(code.replace('"snar"', '"hill"'), "page", "exec"), names)
    assert names["events"] == len(names["store"].read("hill").events)


def test_commands_take_the_address_of_a_database(server, lab, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("WAYFARE_STORE", lab)
    before = len(records("trials", "hill"))
    number = records("ask", "hill")[0]["number"]
    assert records("tell", "hill", str(number), "0.9", "--store", lab)[0]["value"] == 0.9
    assert len(records("trials", "hill")) == before + 1
    assert [one["name"] for one in records("list")] == ["hill", "lake"]
    assert records("copy", "--from", lab, "--to", "lab.db")[0]["studies"] == ["hill", "lake"]
    assert records("verify", "--store", "lab.db")[0]["sound"]
    assert records("backup", "today.db")[0]["studies"] == ["hill", "lake"]
    assert records("rename", "lake", "bay")
    assert {one["what"] for one in records("log")} == {"created", "renamed"}
    assert all(one["ok"] is not False for one in records("doctor"))
    assert sorted(os.listdir()) == ["lab.db", "today.db"]


def test_a_command_line_with_a_password_is_refused():
    done = call("list", "--store", "postgresql://ana:secret@db.lab/lab")
    assert done.exit_code == 2
    assert done.stderr.startswith("Error: store: the address 'postgresql://ana@db.lab/lab' has a password")
    assert "secret" not in done.output + done.stderr


# Connections and servers that end.


class Faults:
    """Ends the connection at the n-th statement of a store, before the server has it or after it was carried out."""

    def __init__(self, monkeypatch, after):
        self.left, self.hits = None, 0
        execute = psycopg.Connection.execute

        def disturbed(connection, query, *arguments, **options):
            is_hit = self.left == 0
            if self.left is not None:
                self.left = None if is_hit else self.left - 1
            if not is_hit:
                return execute(connection, query, *arguments, **options)
            if after:
                execute(connection, query, *arguments, **options)
            self.end(connection)
            return execute(connection, "SELECT 1")  # which meets the end

        monkeypatch.setattr(psycopg.Connection, "execute", disturbed)

    def meet(self, at, move):
        """Make a move whose statement ``at`` fails; make it again if that is an error."""
        self.left = at
        try:
            return move()
        except StoreError:
            self.left = None
            return move()
        finally:
            self.left = None

    def end(self, connection):
        self.hits += 1
        with psycopg.connect(connection.info.dsn, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(%s, 5000)", (connection.info.backend_pid,))


@pytest.mark.parametrize("after", [False, True])
def test_a_connection_that_ends_at_any_statement_loses_and_doubles_nothing(lab, monkeypatch, after):
    """Each move is stored once if it is acknowledged, and once or never if it is not; sent again, it happens once."""
    study = wf.Study.open(lab, "hill")
    faults = Faults(monkeypatch, after)
    for at in range(8):
        asked = faults.meet(at, partial(study.ask, request=f"ask {at}"))
        told = faults.meet(at, partial(study.tell, asked, 0.25, request=f"tell {at}"))
        seen = wf.Study.open(lab, "hill")
        assert {f"ask {at}", f"tell {at}"} <= set(seen.state.requests)
        assert seen.trials[told.number].value == 0.25
        assert len(seen.state.results) == len(seen.trials) == 4 + at
    assert faults.hits >= 6
    assert verify(lab).is_sound


def killed_at(statement, after, lab, move):
    """Make a move in a child that is killed before or after its n-th statement; return whether it was."""
    if (child := os.fork()) == 0:
        code = 1
        try:
            study, execute, left = wf.Study.open(lab, "hill"), psycopg.Connection.execute, statement

            def disturbed(connection, *arguments, **options):
                nonlocal left
                left -= 1
                if left == -1 and not after:
                    os.kill(os.getpid(), signal.SIGKILL)
                found = execute(connection, *arguments, **options)
                if left == -1:
                    os.kill(os.getpid(), signal.SIGKILL)  # the server has done it, and the client does not know
                return found

            psycopg.Connection.execute = disturbed
            move(study)
            code = 0
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL


@pytest.mark.subprocess
@pytest.mark.parametrize("after", [False, True])
def test_a_client_that_is_killed_at_any_statement_loses_and_doubles_nothing(lab, after):
    """Sent again by another process, each move is there once."""
    kills = 0
    for at in range(8):
        ask = partial(wf.Study.ask, request=f"ask {at}")
        kills += killed_at(at, after, lab, ask)
        asked = ask(wf.Study.open(lab, "hill"))
        tell = partial(wf.Study.tell, trial=asked.number, value=0.25, request=f"tell {at}")
        kills += killed_at(at, after, lab, tell)
        tell(wf.Study.open(lab, "hill"))
        seen = wf.Study.open(lab, "hill")
        assert len(seen.state.results) == len(seen.trials) == 4 + at
        assert seen.trials[asked.number].value == 0.25
    assert kills >= 6
    assert verify(lab).is_sound


def test_a_server_that_is_killed_and_comes_back_keeps_what_it_acknowledged(server, address):
    study, acknowledged = begun(address, moves=0), []
    stop = threading.Event()

    def work():
        while not stop.is_set():
            try:
                if (trial := study.ask()) is None:
                    return
                study.tell(trial, 0.5)
                acknowledged.append(trial.number)
            except StoreError:
                continue

    with ThreadPoolExecutor(1) as pool:
        working = pool.submit(work)
        for mode in ("immediate", "immediate", "fast"):
            server.stop(mode)
            server.start()
        working.result(timeout=120)
        stop.set()
    state = wf.Study.open(address, "hill").state
    assert set(acknowledged) <= set(state.results)
    assert len(state.trials) == len({trial.number for trial in state.trials}) == 12
    assert verify(address).is_sound


def test_a_killed_server_process_ends_the_others_and_the_store_goes_on(server, address):
    store = PostgresStore(address)
    store.create("hill", FORM)
    with store._connection() as connection:
        backend = connection.info.backend_pid
    server.kill(backend)
    try:
        store.append("hill", 0, [line(0)])
    except StoreError:
        store.append("hill", len(store.read("hill").events), [line(0)])
    assert list(store.read("hill").events) == [line(0)]


def test_a_fork_opens_connections_of_its_own(lab):
    store = PostgresStore(lab)
    assert store.names() == ["hill", "lake"]
    if (child := os.fork()) == 0:
        code = 1
        try:
            code = int(store.names() != ["hill", "lake"])
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert store.names() == ["hill", "lake"]
    assert pickle.loads(pickle.dumps(store)).names() == ["hill", "lake"]


def test_a_plan_that_another_worker_holds_is_waited_for_until_its_connection_ends(lab):
    store, order = PostgresStore(lab), []
    with store.planning("hill"), ThreadPoolExecutor(1) as pool:

        def wait():
            with PostgresStore(lab).planning("hill"):
                order.append("second")

        waiting = pool.submit(wait)
        while not sql(lab, "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"):
            pass
        assert store.read("lake").events  # reading needs no lock
        order.append("first")
        held = "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"
        sql(lab, held)
        waiting.result(timeout=30)
        assert order == ["first", "second"]


@pytest.mark.parametrize("kind", ["file", "database", "memory"])
def test_watching_hears_of_new_events_at_once_and_ends_in_time(kind, request, tmp_path):
    stores = {"file": lambda: SqliteStore(tmp_path / "lab.db"), "memory": wf.MemoryStore}
    store = stores[kind]() if kind in stores else PostgresStore(request.getfixturevalue("address"))
    store.create("hill", FORM)
    store.create("lake", FORM)
    assert store.watch("hill", 0, 0.05) == 0
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(store.watch, "hill", 0, 30.0)
        store.append("lake", 0, [line(0)])  # another study's events do not end it
        store.append("hill", 0, [line(0), line(1)])
        assert waiting.result(timeout=30) == 2
    assert store.watch("hill", 1, 30.0) == 2
