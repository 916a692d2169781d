"""Who may use the page: users with a role for each study, the links they sign in with, and their sessions.

All of it is in a small SQLite file beside the store, so that `wayfare users` takes effect at once and a session
outlives a restart. Of a token only the SHA-256 is kept: who reads the file cannot sign in with it.
"""

import hmac
import os
import secrets
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Literal, TypeAlias, cast

from attrs import field, frozen

from wayfare._core import checks
from wayfare.errors import InvalidInput, StoreError
from wayfare.record.stamp import person

Role: TypeAlias = Literal["read", "operate", "own"]
ROLES: tuple[Role, ...] = ("read", "operate", "own")
"""From the least to the most: to look, to make moves, to begin and change studies."""
EVERY = "*"
"""Stands for every study of the store; a study of this very name has no role of its own."""
DAY = 86_400.0
LINK_DAYS, SESSION_DAYS = 1.0, 30.0
MOST_SESSIONS = 1000
"""Sessions that are kept; of more, the oldest end."""

_SCHEMA = """
CREATE TABLE IF NOT EXISTS allowed (
    user TEXT NOT NULL, study TEXT NOT NULL, role TEXT NOT NULL, PRIMARY KEY (user, study)
);
CREATE TABLE IF NOT EXISTS token (
    digest BLOB PRIMARY KEY, user TEXT NOT NULL, kind TEXT NOT NULL, role TEXT, made REAL NOT NULL,
    expires REAL NOT NULL
);
CREATE TABLE IF NOT EXISTS address (url TEXT NOT NULL);
"""


@frozen
class Person:
    """A user who is signed in.

    Attributes:
        name: as it is kept with every move.
        grants: the role by study; ``*`` is every study.
        expires: when the session ends, in seconds since 1970.
    """

    name: str
    grants: Mapping[str, Role] = field(factory=dict)
    expires: float = 0.0

    def role(self, study: str = EVERY) -> Role | None:
        """Return the role for a study, or for the store as a whole; None without any."""
        found = [self.grants[key] for key in {EVERY, study} if key in self.grants]
        return max(found, key=ROLES.index, default=None)

    def may(self, role: Role, study: str = EVERY) -> bool:
        """Return whether the role is held, or one that includes it."""
        held = self.role(study)
        return held is not None and ROLES.index(held) >= ROLES.index(role)


class Users:
    """The users of a store and their tokens, in the SQLite file at ``path``; None keeps them in memory."""

    def __init__(self, path: Path | None = None) -> None:
        """Open the file, made for its owner alone if there is none."""
        self.path, self._lock = path, Lock()
        try:
            if path is not None:
                os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
            self._file = sqlite3.connect(
                ":memory:" if path is None else path, timeout=10, isolation_level=None, check_same_thread=False
            )
            with self._changing() as file:
                file.executescript(_SCHEMA)
        except (OSError, sqlite3.Error) as error:
            raise StoreError(f"the users cannot be kept in {path}: {error}") from error

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._file.close()

    @contextmanager
    def _changing(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            try:
                yield self._file
            except sqlite3.Error as error:
                raise StoreError(f"the users in {self.path} cannot be read or written: {error}") from error

    # Users.

    def add(self, name: str, role: str, study: str = EVERY) -> None:
        """Give a user a role, for one study or for all; a new user is made, an earlier role replaced.

        Args:
            name: of the user.
            role: ``read``, ``operate`` or ``own``.
            study: its name; ``*`` is every study of the store.
        """
        if role not in ROLES:
            raise InvalidInput(f"role must be one of {', '.join(ROLES)}, got {role!r}")
        name, study = person(name, "user"), checks.name(study, "study")
        with self._changing() as file:
            file.execute("INSERT OR REPLACE INTO allowed VALUES (?, ?, ?)", (name, study, role))

    def remove(self, name: str, study: str | None = None) -> None:
        """Take a role back, or a user with all roles, links and sessions."""
        self._check_known(name)
        with self._changing() as file:
            if study is None:
                file.execute("DELETE FROM token WHERE user = ?", (name,))
            file.execute("DELETE FROM allowed WHERE user = ? AND ? IN ('', study)", (name, study or ""))

    def everyone(self) -> dict[str, dict[str, Role]]:
        """Return the roles by study of every user, by name."""
        found: dict[str, dict[str, Role]] = {}
        with self._changing() as file:
            for name, study, role in file.execute("SELECT user, study, role FROM allowed ORDER BY user, study"):
                found.setdefault(name, {})[study] = role
        return found

    def _check_known(self, name: str) -> None:
        known = self.everyone()
        if name not in known:
            raise InvalidInput(f"there is no user {name!r}; {checks.nearest(name, known)}")

    # Tokens.

    def link(self, name: str, *, owner: bool = False, days: float = LINK_DAYS) -> str:
        """Return a new token to sign in with, once.

        Args:
            name: of the user.
            owner: this is who runs the server, and need not be a user: the session has the role ``own``.
            days: how long it may be used.
        """
        if not owner:
            self._check_known(name)
        return self._made(name, "link", "own" if owner else None, days)

    def script(self, name: str, days: float = 365.0) -> str:
        """Return a new token that a program sends with every request, in place of a session."""
        self._check_known(name)
        return self._made(name, "session", None, days)

    def trade(self, token: str) -> str | None:
        """Return a new session for the token of a link, which is used up by it; None if it is not good."""
        digest, now = digest_of(token), time.time()
        with self._changing() as file:
            # One statement, so that of two who come at once only one signs in.
            row = file.execute(
                "DELETE FROM token WHERE digest = ? AND kind = 'link' RETURNING digest, user, role, expires", (digest,)
            ).fetchone()
        if row is None or not hmac.compare_digest(row[0], digest) or row[3] < now:
            return None
        return self._made(row[1], "session", row[2], SESSION_DAYS)

    def who(self, token: str) -> Person | None:
        """Return the user who is signed in with this token; None if it is unknown or has expired."""
        digest = digest_of(token)
        with self._changing() as file:
            query = "SELECT digest, user, role, expires FROM token WHERE digest = ? AND kind = 'session'"
            row = file.execute(query, (digest,)).fetchone()
            if row is None or not hmac.compare_digest(row[0], digest) or row[3] < time.time():
                return None
            if row[2] is not None:
                return Person(row[1], {EVERY: cast(Role, row[2])}, row[3])
            grants = dict(file.execute("SELECT study, role FROM allowed WHERE user = ?", (row[1],)).fetchall())
        return Person(row[1], grants, row[3])

    def sign_out(self, token: str) -> None:
        """End a session."""
        with self._changing() as file:
            file.execute("DELETE FROM token WHERE digest = ?", (digest_of(token),))

    def sign_out_everywhere(self, name: str) -> int:
        """End all sessions and links of a user; return how many there were."""
        with self._changing() as file:
            return file.execute("DELETE FROM token WHERE user = ?", (name,)).rowcount

    @property
    def address(self) -> str:
        """Where the page was served last, for links made elsewhere; empty if it never was."""
        with self._changing() as file:
            row = file.execute("SELECT url FROM address").fetchone()
        return "" if row is None else str(row[0])

    def serve_at(self, url: str) -> None:
        """Note where the page is served, and end the links that an earlier run printed and that were not used."""
        with self._changing() as file:
            file.execute("DELETE FROM address")
            file.execute("INSERT INTO address VALUES (?)", (url,))
        self._forget_owner_links()

    def _forget_owner_links(self) -> None:
        """End the links that an earlier run printed and that were not used."""
        with self._changing() as file:
            file.execute("DELETE FROM token WHERE kind = 'link' AND role IS NOT NULL")

    def _made(self, name: str, kind: str, role: str | None, days: float) -> str:
        token, now = secrets.token_urlsafe(32), time.time()
        with self._changing() as file:
            file.execute("DELETE FROM token WHERE expires < ?", (now,))
            row = (digest_of(token), name, kind, role, now, now + days * DAY)
            file.execute("INSERT INTO token VALUES (?, ?, ?, ?, ?, ?)", row)
            file.execute(
                "DELETE FROM token WHERE digest IN (SELECT digest FROM token ORDER BY made DESC LIMIT -1 OFFSET ?)",
                (MOST_SESSIONS,),
            )
        return token


def digest_of(token: str) -> bytes:
    """Return the digest of a token, which is kept instead of it."""
    return sha256(token.encode(errors="surrogatepass")).digest()


def users_beside(store: Path) -> Path:
    """Return the file that keeps the users of a store."""
    return store.with_name(f"{store.name}.users")
