"""A store in a PostgreSQL database, for studies that people share from several machines.

It keeps the promises of the SQLite store: events are appended by one statement that succeeds only after the expected
event, rows never change, each has a digest that covers the one before, and what is acknowledged is on the server's
disk.
"""

import logging
import os
import time
import weakref
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from hashlib import sha256
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from wayfare._core import checks
from wayfare._core.extras import install
from wayfare.errors import Conflict, InvalidInput, StoreError
from wayfare.record.stamp import Author
from wayfare.store.base import Decision, Rows, Stored
from wayfare.store.chain import START, event_link, study_link
from wayfare.store.database import PATIENCE, VERSION, NoStore
from wayfare.store.lock import PATIENCE as PLANNING_PATIENCE
from wayfare.store.register import STORE, Entry, became_of, check_register, history_of, next_entry

if TYPE_CHECKING:
    import psycopg

    Connection = psycopg.Connection[tuple[Any, ...]]

_MOST_IDLE = 4
"""Connections that are kept open for the next operations of a process."""
_FRESH = 1.0
"""Seconds for which a connection that was just used is taken for alive."""
_CHANNEL = "wayfare"
_UNSAFE_COMMITS = ("off", "local", "remote_write")
"""Settings of ``synchronous_commit`` under which what was acknowledged may be lost, on this server or its stand-by."""
_PLANNING, _REGISTER = 0x77617966, 0x77617967
"""The first halves of our advisory locks, which keep them apart from those of other programs."""

_log = logging.getLogger(__name__)

_STATEMENTS = (
    "CREATE SCHEMA wayfare",
    "CREATE TABLE wayfare.meta (application text NOT NULL, version integer NOT NULL)",
    f"INSERT INTO wayfare.meta VALUES ('wayfare', {VERSION})",
    "CREATE TABLE wayfare.study (id bigint PRIMARY KEY, spec text NOT NULL, link bytea NOT NULL, "
    "events bigint NOT NULL DEFAULT 0, head bytea NOT NULL)",
    "CREATE TABLE wayfare.event (study bigint NOT NULL REFERENCES wayfare.study (id), number bigint NOT NULL, "
    "body text NOT NULL, link bytea NOT NULL, PRIMARY KEY (study, number))",
    "CREATE TABLE wayfare.register (number bigint PRIMARY KEY, study bigint NOT NULL, name text, body text NOT NULL, "
    "link bytea NOT NULL)",
    "CREATE INDEX register_name ON wayfare.register (name)",
    "CREATE INDEX register_study ON wayfare.register (study, number)",
    # The rows of a study go with its name; nothing else is removed, and nothing changes but the count of a study.
    """CREATE FUNCTION wayfare.refuse() RETURNS trigger LANGUAGE plpgsql SET search_path = pg_catalog AS $$
    BEGIN
        IF TG_OP = 'DELETE' AND TG_NARGS = 1 AND EXISTS (
            SELECT FROM wayfare.register
            WHERE study = (to_jsonb(OLD) ->> TG_ARGV[0])::bigint AND name IS NULL AND study <> 0
        ) THEN RETURN OLD; END IF;
        RAISE EXCEPTION 'what a store holds never changes';
    END $$""",
    "CREATE TRIGGER no_update BEFORE UPDATE ON wayfare.study FOR EACH ROW WHEN (OLD.id <> NEW.id "
    "OR OLD.spec <> NEW.spec OR OLD.link <> NEW.link OR NEW.events <= OLD.events) EXECUTE FUNCTION wayfare.refuse()",
    "CREATE TRIGGER no_delete BEFORE DELETE ON wayfare.study FOR EACH ROW EXECUTE FUNCTION wayfare.refuse('id')",
    "CREATE TRIGGER no_delete BEFORE DELETE ON wayfare.event FOR EACH ROW EXECUTE FUNCTION wayfare.refuse('study')",
    "CREATE TRIGGER no_update BEFORE UPDATE ON wayfare.event FOR EACH ROW EXECUTE FUNCTION wayfare.refuse()",
    "CREATE TRIGGER no_change BEFORE UPDATE OR DELETE ON wayfare.register FOR EACH ROW "
    "EXECUTE FUNCTION wayfare.refuse()",
    *(
        f"CREATE TRIGGER no_truncate BEFORE TRUNCATE ON wayfare.{table} EXECUTE FUNCTION wayfare.refuse()"
        for table in ("study", "event", "register")
    ),
)
"""What makes the tables."""

# The study that has a name now: its last entry in the register says so. Its first entry has the name of its first link.
_FIND = """
SELECT study.id, study.spec, study.link, study.events, study.head,
    (SELECT name FROM wayfare.register WHERE study = study.id ORDER BY number LIMIT 1)
FROM wayfare.register AS said JOIN wayfare.study ON study.id = said.study
WHERE said.name = %s
    AND NOT EXISTS (SELECT FROM wayfare.register WHERE study = said.study AND number > said.number)
"""
_EVENTS = "SELECT number, body, link FROM wayfare.event WHERE study = %s AND number BETWEEN %s AND %s ORDER BY number"
# Only the writer who knows the last event moves the count on, and only then are its events inserted and others told.
_APPEND = """
WITH moved AS (
    UPDATE wayfare.study SET events = events + %(count)s, head = %(head)s
    WHERE id = %(study)s AND events = %(after)s AND head = %(last)s
    RETURNING id
), added AS (
    INSERT INTO wayfare.event SELECT moved.id, new.number, new.body, new.link
    FROM moved, unnest(%(numbers)s::bigint[], %(bodies)s::text[], %(links)s::bytea[]) AS new (number, body, link)
)
SELECT pg_notify(%(channel)s, id || ' ' || %(after)s + %(count)s) FROM moved
"""


class _Study(NamedTuple):
    """A study as it is in its table: its number, form, first link, number of events, head, and first name."""

    number: int
    form: str
    link: bytes
    events: int
    head: bytes
    created: str


class PostgresStore:
    """Studies in a PostgreSQL database, at an address such as ``postgresql://db.lab/wayfare?service=lab``.

    ``create`` makes the tables, in a schema ``wayfare`` of their own, if the user may. Threads may share the object;
    after a fork, the child opens connections of its own.
    """

    def __init__(self, address: str) -> None:
        """Name the database; no connection is opened yet.

        Args:
            address: as PostgreSQL's own programs take it, without a password. That comes from a service file, the
                password file (``~/.pgpass``, ``PGPASSFILE``) or ``PGPASSWORD``.
        """
        self.address = address
        _check_address(address)
        self._renew()

    def __repr__(self) -> str:
        """Return the class and the address."""
        return f"PostgresStore({self.address!r})"

    def __str__(self) -> str:
        """Return the address."""
        return self.address

    def __getstate__(self) -> dict[str, Any]:
        """Return the address: a copy opens connections of its own."""
        return {"address": self.address}

    def __setstate__(self, kept: dict[str, Any]) -> None:
        """Name the database again."""
        self.__init__(kept["address"])  # type: ignore[misc]  # the same as a new one

    # The promises of every store.

    def names(self) -> list[str]:
        """Return the names of the studies, oldest first."""
        query = """
            SELECT name FROM (SELECT DISTINCT ON (study) study, name FROM wayfare.register ORDER BY study, number DESC)
            AS said WHERE study > 0 AND name IS NOT NULL ORDER BY study
        """
        with self._connection() as connection:
            return [name for (name,) in connection.execute(query)]

    def create(self, name: str, form: str, events: Sequence[str] = ()) -> None:
        """Begin a study, and make the tables if there are none; raise ``Conflict`` if the name is taken.

        Args:
            name: of the study.
            form: what it is.
            events: its first events, stored with it or not at all.
        """
        checks.name(name, "name")
        try:
            name_bytes = name.encode()
        except UnicodeEncodeError as error:
            raise InvalidInput(f"name {name!r} holds half a character; write it again") from error
        if "\0" in name:
            raise InvalidInput(f"name {name!r} holds a zero character, which PostgreSQL does not keep")
        try:
            with self._connection(make=True) as connection, self._register(connection):
                if _found(connection, name) is not None:
                    raise Conflict(f"a study named {name!r} exists already; choose another name")
                entries = _entries(connection)
                number = 1 + max((entry.study for entry in entries), default=0)  # no number is given twice
                link = study_link(number, name_bytes, form.encode())
                rows = list(_chained(link, 0, events))
                head = rows[-1][2] if rows else link
                study = (number, form, link, len(rows), head)
                connection.execute("INSERT INTO wayfare.study VALUES (%s, %s, %s, %s, %s)", study)
                _enter(connection, entries, number, name, "")
                _insert(connection, number, rows)
        except StoreError as error:
            # The connection may end after COMMIT reached the server; read again to find out.
            if not self._holds(name, form, error):
                raise

    def _holds(self, name: str, form: str, error: StoreError) -> bool:
        """Return whether a study is there although creating it ended in ``error``."""
        try:
            with self._connection() as connection:
                study = _found(connection, name)
            return study is not None and study.form == form
        except NoStore:
            return False
        except StoreError:
            raise StoreError(
                f"{error}. Whether study {name!r} was made cannot be read now; look before you send it again"
            ) from error

    def read(self, name: str, since: int = 0) -> Stored:
        """Return the form and all events but the first ``since``, each digest checked."""
        first = max(since, 0)
        with self._connection() as connection:
            study = _study(connection, name)
            # Events are only ever added, so those up to the count read first are the study as of that moment.
            rows = connection.execute(_EVENTS, (study.number, max(first - 1, 0), study.events - 1)).fetchall()
        last, expected = study.link, first
        if first and rows:
            last, rows = rows[0][2], rows[1:]
        for expected, (number, body, link) in enumerate(rows, first):
            if number != expected or event_link(last, number, body.encode()) != link:
                raise StoreError(f"event {expected} of study {name!r} is damaged: its digest differs; restore a backup")
            last = link
        if study.events < since:
            raise StoreError(
                f"study {name!r} has {study.events} events, and had {since}: was the database replaced by an older "
                "copy? Open it again"
            )
        if len(rows) != study.events - first or last != (study.head if rows else last):
            raise StoreError(f"study {name!r} is damaged: the end of its events is missing; restore a backup")
        return Stored(study.form, [body for _, body, _ in rows])

    def append(self, name: str, after: int, events: Sequence[str]) -> None:
        """Add events, all or none, if there are exactly ``after`` so far; else raise ``Conflict``.

        Args:
            name: of the study.
            after: number of events that the study must have so far.
            events: to be added, in this order.
        """
        with self._connection() as connection:
            study = _study(connection, name)
            rows = list(_chained(study.head, after, events))
            if study.events == after and not rows:
                return
            if study.events == after:
                numbers, bodies, links = (list(column) for column in zip(*rows, strict=True))
                new = {"numbers": numbers, "bodies": bodies, "links": links, "count": len(rows), "head": links[-1]}
                known = {"study": study.number, "after": after, "last": study.head, "channel": _CHANNEL}
                if connection.execute(_APPEND, new | known).fetchone() is not None:
                    return
                study = _study(connection, name)  # another was faster
        raise Conflict(f"study {name!r} has {study.events} events, not {after}: it changed in between")

    @contextmanager
    def planning(self, name: str) -> Iterator[None]:
        """Hold a lock of the server, which ends with this connection, so that no other worker plans this study."""
        key = int.from_bytes(sha256(name.encode(errors="surrogatepass")).digest()[:4], "big", signed=True)
        with self._connection() as connection:
            until = time.monotonic() + PLANNING_PATIENCE
            connection.execute("SELECT set_config('lock_timeout', %s, false)", (f"{PLANNING_PATIENCE:.0f}s",))
            try:
                connection.execute("SELECT pg_advisory_lock(%s, %s)", (_PLANNING, key))
            except _psycopg().errors.LockNotAvailable:
                waited = PLANNING_PATIENCE + time.monotonic() - until
                _log.warning("another worker has held the plan of %r for %.0f s; planning beside it", name, waited)
            try:
                yield
            finally:
                with suppress(_psycopg().Error):  # a connection that is lost has given it back
                    connection.execute("SELECT pg_advisory_unlock_all()")
                    connection.execute("SELECT set_config('lock_timeout', %s, false)", (f"{PATIENCE:.0f}s",))

    def watch(self, name: str, since: int, seconds: float) -> int:
        """Return how many events the study has once these are more than ``since``, or after that many seconds.

        Args:
            name: of the study.
            since: number of events that are known.
            seconds: to wait at most.
        """
        until = time.monotonic() + seconds
        with self._connection() as connection:
            connection.execute(f"LISTEN {_CHANNEL}")
            try:
                while True:
                    study = _study(connection, name)
                    if study.events > since or (left := until - time.monotonic()) <= 0:
                        return study.events
                    for notice in connection.notifies(timeout=left):
                        number, events = map(int, notice.payload.split())
                        if number == study.number and events > since:
                            break
            finally:
                with suppress(_psycopg().Error):
                    connection.execute(f"UNLISTEN {_CHANNEL}")

    # The promises of a store that lasts.

    def head(self, name: str, events: int) -> str:
        """Return the head of the chain of a study after so many events; ``verify`` finds it again, be there more."""
        with self._connection() as connection:
            study = _study(connection, name)
            found = connection.execute(_EVENTS, (study.number, events - 1, events - 1)).fetchone() if events else None
        if events and found is None:
            raise StoreError(f"study {name!r} has less than {events} events")
        return (study.link if found is None else bytes(found[2])).hex()

    def history(self, name: str) -> list[str]:
        """Return the register's entries about a study since it was created, and about the store, as lines of JSON."""
        with self._connection() as connection:
            return history_of(_entries(connection), _study(connection, name).number)

    def entries(self) -> list[Entry]:
        """Return the register, oldest entry first."""
        with self._connection() as connection:
            return _entries(connection)

    def enter(self, decide: Decision, who: Author) -> None:
        """Add to the register what is decided, in one transaction; if a study has no name any more, its rows go.

        Args:
            decide: given all entries, returns what is to be added.
            who: does it.
        """
        locked = "SELECT events, head FROM wayfare.study WHERE id = %s FOR UPDATE"
        with self._connection() as connection, self._register(connection):

            def ends(number: int) -> tuple[int, bytes]:
                found = connection.execute(locked, (number,)).fetchone()
                if found is None:
                    raise StoreError(f"study number {number} is missing, with all its events; restore a backup")
                return int(found[0]), bytes(found[1])

            entries = _entries(connection)
            study, name, body = decide(entries, ends)
            _enter(connection, entries, study, name, body)
            if name is None and study != STORE:
                connection.execute("DELETE FROM wayfare.event WHERE study = %s", (study,))
                connection.execute("DELETE FROM wayfare.study WHERE id = %s", (study,))

    def forms(self) -> dict[int, bytes]:
        """Return the forms of the studies by their numbers."""
        with self._connection() as connection:
            return {number: form.encode() for number, form in connection.execute("SELECT id, spec FROM wayfare.study")}

    def rows(self, findings: list[str]) -> Rows:
        """Return all rows as of one moment; a study whose count is not that of its events is a finding."""
        with self._connection() as connection, connection.transaction():
            connection.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            register = connection.execute("SELECT * FROM wayfare.register ORDER BY number").fetchall()
            studies = connection.execute("SELECT * FROM wayfare.study ORDER BY id").fetchall()
            events = connection.execute("SELECT * FROM wayfare.event ORDER BY study, number").fetchall()
        ends = {study: (number + 1, link) for study, number, _, link in events}
        for number, _, link, count, head in studies:
            if ends.get(number, (0, link)) != (count, head):
                findings.append(f"study number {number} counts {count} events and has others: their end was changed")
        return Rows(
            [(*row[:2], None if row[2] is None else row[2].encode(), row[3].encode(), row[4]) for row in register],
            [(number, form.encode(), link) for number, form, link, _, _ in studies],
            [(study, number, body.encode(), link) for study, number, body, link in events],
        )

    def fill(self, rows: Rows) -> None:
        """Take over all rows of another store, in one transaction, into a database without studies."""
        ends = {study: (number + 1, link) for study, number, _, link in sorted(rows.events)}
        with self._connection(make=True) as connection, self._register(connection):
            if _entries(connection):
                raise Conflict(f"{self.address} has studies already; copy to an empty database")
            tables = {
                "study": [(*row, *ends.get(row[0], (0, row[2]))) for row in rows.studies],
                "register": rows.register,
                "event": rows.events,
            }
            for table, values in tables.items():
                with connection.cursor().copy(f"COPY wayfare.{table} FROM STDIN") as stream:
                    for row in values:
                        stream.write_row(_as_columns(table, row))

    def upgrade(self, who: Author) -> int:
        """Make the tables if there are none; return the format that the store had, 0 if there were none.

        Args:
            who: does it; the register of a new store has no entry for it.
        """
        before = VERSION
        try:
            with self._connection():
                pass
        except NoStore:
            before = 0
            with self._connection(make=True):
                pass
        return before

    def server(self) -> str:
        """Return the version of the server, the format of the tables, and how it keeps what it acknowledged."""
        with self._connection() as connection:
            query = "SELECT current_setting('server_version'), current_setting('synchronous_commit')"
            version, commit = connection.execute(query).fetchone() or ("", "")
        return f"PostgreSQL {version}, format {VERSION}, synchronous_commit {commit}, fsync on"

    # Connections.

    def _renew(self) -> None:
        self._idle: list[tuple[float, Connection]] = []
        self._lock, self._process = Lock(), os.getpid()
        weakref.finalize(self, _end, self._idle, self._process)

    @contextmanager
    def _connection(self, make: bool = False) -> Iterator["Connection"]:
        """Give a connection for one operation, an idle one or a new one; every error becomes a ``StoreError``.

        If the connection is lost in the middle, wait until the server has ended what was under way: then it can be read
        whether that was written.
        """
        connection = self._take(make)
        backend = connection.info.backend_pid
        try:
            yield connection
        except _psycopg().Error as error:
            lost = connection.closed or connection.broken
            connection.close()
            if lost:
                self._wait_for_end(backend)
            raise StoreError(_explain(error, self.address)) from error
        except BaseException:
            if connection.info.transaction_status != 0:  # not idle: an operation was cut off
                connection.close()
            raise
        finally:
            self._give_back(connection)

    def _take(self, make: bool) -> "Connection":
        if self._process != os.getpid():
            # After a fork: the connections are the parent's, and closing them here would end them there.
            _OF_PARENTS.extend(connection for _, connection in self._idle)
            self._renew()
        while True:
            with self._lock:
                if not self._idle:
                    break
                since, connection = self._idle.pop()
            try:
                if time.monotonic() - since > _FRESH:
                    connection.execute("SELECT 1")
                return connection
            except _psycopg().Error:
                connection.close()
        try:
            return self._connect(make)
        except _psycopg().Error as error:
            raise StoreError(_explain(error, self.address)) from error

    def _give_back(self, connection: "Connection") -> None:
        if connection.closed:
            return
        with self._lock:
            if len(self._idle) < _MOST_IDLE:
                self._idle.append((time.monotonic(), connection))
                return
        connection.close()

    def _connect(self, make: bool) -> "Connection":
        """Return a new connection, its settings made and read back, and the tables checked."""
        psycopg = _psycopg()
        waits = {"connect_timeout": round(PATIENCE), "tcp_user_timeout": round(1000 * PATIENCE)}
        connection: Connection = psycopg.connect(
            self.address, autocommit=True, application_name="wayfare", client_encoding="UTF8", **waits
        )
        try:
            _settle(connection, self.address)
            version = _version(connection, self.address)
            if not version and make:
                with self._register(connection):
                    if not _version(connection, self.address):  # another was faster
                        for statement in _STATEMENTS:
                            connection.execute(statement)
            elif not version:
                raise NoStore(
                    f"no store at {self.address}: the database has no tables of wayfare; "
                    f"`wayfare upgrade --store {self.address}` makes them, run by their owner"
                )
        except BaseException:
            connection.close()
            raise
        return connection

    @contextmanager
    def _register(self, connection: "Connection") -> Iterator[None]:
        """Hold a transaction in which no other changes the register."""
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(%s, 0)", (_REGISTER,))
            yield

    def _wait_for_end(self, backend: int) -> None:
        """Return when the server process of a lost connection has ended; what it was to write is then decided."""
        until, pause = time.monotonic() + PATIENCE, 0.01
        while time.monotonic() < until:
            with suppress(StoreError, _psycopg().Error):
                connection = self._connect(make=False)
                with connection:
                    alive = connection.execute("SELECT FROM pg_stat_activity WHERE pid = %s", (backend,)).fetchone()
                if alive is None:
                    return
            time.sleep(pause)
            pause = min(2 * pause, 1.0)


_OF_PARENTS: list["Connection"] = []
"""Connections of a parent process, kept for ever: to end one would end the parent's."""


def _end(idle: list[tuple[float, "Connection"]], process: int) -> None:
    """Close the connections of a store that is no longer used, in the process that opened them."""
    if process == os.getpid():
        for _, connection in idle:
            connection.close()


def _check_address(address: str) -> None:
    psycopg = _psycopg()
    try:
        parts = psycopg.conninfo.conninfo_to_dict(address)
    except psycopg.Error as error:
        raise InvalidInput(
            f"store: {_without_password(address)!r} is no address of a PostgreSQL database, such as "
            "postgresql://db.lab/wayfare"
        ) from error
    if "password" in parts:
        raise InvalidInput(
            f"store: the address {_without_password(address)!r} has a password, which lists of processes and logs "
            "would show; put it into the file ~/.pgpass, a service file, or PGPASSWORD"
        )


def _without_password(address: str) -> str:
    """Return an address as it may be shown: nothing between a colon and the at sign, and no options."""
    scheme, _, rest = address.partition("://")
    login, at, place = rest.partition("@")
    return f"{scheme}://{login.partition(':')[0]}{at}{place}".partition("?")[0] if at else address.partition("?")[0]


def _psycopg() -> Any:
    try:
        import psycopg
    except ImportError as error:
        raise InvalidInput(
            f"a store in PostgreSQL needs psycopg, which is not installed; {install('psycopg', 'postgres')}"
        ) from error
    return psycopg


def _settle(connection: "Connection", address: str) -> None:
    """Make the settings of a connection, and read back those on which the promises rest."""
    connection.execute(
        "SELECT set_config('lock_timeout', %s, false), set_config('search_path', 'pg_catalog', false), "
        "CASE WHEN current_setting('synchronous_commit') = ANY(%s) "
        "THEN set_config('synchronous_commit', 'on', false) END",
        (f"{PATIENCE:.0f}s", list(_UNSAFE_COMMITS)),
    )
    names = ("synchronous_commit", "fsync", "full_page_writes", "server_encoding")
    query = f"SELECT {', '.join(f'current_setting({name!r})' for name in names)}"
    found = dict(zip(names, connection.execute(query).fetchone() or (), strict=True))
    for name in ("fsync", "full_page_writes"):
        if found[name] != "on":
            raise StoreError(f"{address} cannot be written safely: the server runs with {name} = {found[name]}")
    if found["synchronous_commit"] in _UNSAFE_COMMITS:
        kept = found["synchronous_commit"]
        raise StoreError(f"{address} cannot be written safely: the server kept to synchronous_commit = {kept}")
    if found["server_encoding"] != "UTF8":
        raise StoreError(
            f"{address}: the database has the encoding {found['server_encoding']}, which does not keep every name; "
            "make one with createdb --encoding UTF8 --template template0"
        )


def _version(connection: "Connection", address: str) -> int:
    """Return the version of the tables, 0 if there are none; refuse tables that are not ours, or newer."""
    there = "SELECT to_regclass('wayfare.meta') IS NOT NULL, to_regnamespace('wayfare') IS NOT NULL"
    has_tables, has_schema = connection.execute(there).fetchone() or (False, False)
    if not has_tables:
        if has_schema:
            raise StoreError(f"{address} has a schema 'wayfare' that is not a store; it was left alone")
        return 0
    rows = connection.execute("SELECT application, version FROM wayfare.meta").fetchall()
    if len(rows) != 1 or rows[0][0] != "wayfare":
        raise StoreError(f"{address} has a schema 'wayfare' that is not a store; it was left alone")
    version = int(rows[0][1])
    if version > VERSION:
        raise StoreError(
            f"{address} was made by a newer wayfare (its format is {version}, this one reads {VERSION}); "
            "update wayfare from where this one came, which `wayfare doctor` says"
        )
    return version


def _found(connection: "Connection", name: str) -> _Study | None:
    """Return the study that has this name now; None if there is none."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return None
    row = None if "\0" in name else connection.execute(_FIND, (name,)).fetchone()
    if row is None:
        return None
    study = _Study(*row)
    if study_link(study.number, study.created.encode(), study.form.encode()) != study.link:
        raise StoreError(f"study number {study.number} is damaged: its digest differs; restore a backup")
    return study


def _study(connection: "Connection", name: str) -> _Study:
    """Return a study by its name; if none has it, say what became of the one that had it."""
    if (study := _found(connection, name)) is None:
        raise became_of(_entries(connection), name)
    return study


def _entries(connection: "Connection") -> list[Entry]:
    """Return the register, checked, oldest entry first."""
    rows = connection.execute("SELECT * FROM wayfare.register ORDER BY number")
    entries = [
        Entry(number, study, None if name is None else name.encode(), body.encode(), link)
        for number, study, name, body, link in rows
    ]
    check_register(entries)
    return entries


def _enter(connection: "Connection", entries: Sequence[Entry], study: int, name: str | None, body: str) -> None:
    """Add an entry to the register, inside a transaction that holds it."""
    entry = next_entry(entries[-1].number if entries else 0, entries[-1].link if entries else START, study, name, body)
    row = (entry.number, study, name, body, entry.link)
    connection.execute("INSERT INTO wayfare.register VALUES (%s, %s, %s, %s, %s)", row)


def _chained(last: bytes, after: int, events: Sequence[str]) -> Iterator[tuple[int, str, bytes]]:
    """Yield the number, text and digest of events after so many others and their head."""
    for number, body in enumerate(events, after):
        last = event_link(last, number, body.encode())
        yield number, body, last


def _insert(connection: "Connection", study: int, rows: Sequence[tuple[int, str, bytes]]) -> None:
    values = [(study, *row) for row in rows]
    connection.cursor().executemany("INSERT INTO wayfare.event VALUES (%s, %s, %s, %s)", values)


def _as_columns(table: str, row: tuple[Any, ...]) -> list[Any]:
    """Return a row of ``Rows`` as its table has it: digests stay bytes, all other bytes are text."""
    digests = {"study": (2, 4), "event": (3,), "register": (4,)}[table]
    return [
        cell.decode() if isinstance(cell, bytes) and place not in digests else cell for place, cell in enumerate(row)
    ]


def _explain(error: Exception, address: str) -> str:
    """Return an error of PostgreSQL in the user's words, with the way out."""
    errors, detail = _psycopg().errors, " ".join(str(error).split())[:300]
    if isinstance(error, errors.InsufficientPrivilege):
        said = "may not be used so by this user; docs/how-to/team.md has the rights of readers, workers and owners"
    elif isinstance(error, errors.DiskFull):
        said = "could not be written, the server's disk is full; what was acknowledged is safe"
    elif isinstance(error, errors.LockNotAvailable):
        said = f"has been in use by another program for {PATIENCE:.0f} s; try again later"
    elif isinstance(error, errors.RaiseException):
        said = "was left as it is"
    elif isinstance(error, _psycopg().OperationalError):
        said = "cannot be reached, or the connection was lost; look at the server, the address and your password file"
    else:
        said = "could not be read or written"
    return f"{address} {said} ({detail})"
