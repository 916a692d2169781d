"""The log of what a run of moves writes to disk, recorded with strace, and the moments of acknowledgement."""

import base64
import gzip
import json
import os
import re
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from attrs import frozen

import wayfare as wf
from crashes.child import ACKNOWLEDGED, run
from crashes.script import NAME, SCRIPT, create, move

RECORDED = Path(__file__).parent / "writes.json.gz"
"""A log recorded earlier, for machines without strace."""
_ACKS = "acknowledged"
_TRACED = "openat,write,pwrite64,fsync,fdatasync,ftruncate,unlink,rename"
_LINE = re.compile(r"^(\w+)\((.*)\)\s+= (-?\d+)")
_HANDLE = re.compile(r"^\d+<([^>]*)>")


@frozen
class Entry:
    """One thing done to the disk: to which file, at which place, with which bytes.

    ``what`` is "create", "write", "truncate", "unlink", "sync" or "acknowledge"; the folder's name is "".
    """

    what: str
    name: str
    place: int = 0
    data: bytes = b""


def record(folder: Path, setting: "Setting", moves: int = len(SCRIPT)) -> list[Entry]:
    """Return the log of making a study and so many moves, with SQLite set as ``setting`` says."""
    folder = folder.resolve()
    path = folder / "lab.db"

    def work() -> None:
        acks = os.open(folder / _ACKS, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
        setting.impose(path)
        study = create(path)
        os.write(acks, b"+")
        for step in range(moves):
            move(study if step % 2 else wf.Study.open(path, NAME), step)
            os.write(acks, b"+")

    names = ["lab.db", "lab.db-journal", "lab.db-wal", _ACKS]
    files = (folder, *(folder / name for name in names))
    ending = run(work, "-y", "-xx", "-s", "200000", "-e", f"trace={_TRACED}", files=files)
    if ending.how != ACKNOWLEDGED:
        raise RuntimeError(f"the recording ended {ending.how}: {ending.why}")
    return parse(ending.lines, folder)


def parse(lines: list[str], folder: Path) -> list[Entry]:
    """Return what strace saw as entries; calls that failed and files that were only read are left out."""
    entries: list[Entry] = []
    exists: set[str] = set()
    for line in lines:
        found = _LINE.match(line)
        if not found or int(found[3]) < 0:
            continue
        call, arguments = found[1], found[2]
        name = _name(call, arguments, folder)
        if name is None:
            continue
        texts = re.findall(r'"((?:\\x[0-9a-f]{2})*)"', arguments)
        if call == "openat":
            if "O_CREAT" in arguments and name not in exists:
                exists.add(name)
                entries.append(Entry("create", name))
        elif name == _ACKS:
            entries.append(Entry("acknowledge", ""))
        elif call in ("pwrite64", "write"):
            assert call == "pwrite64", f"a write without a place: {line[:80]}"
            place = int(arguments.rsplit(",", 1)[1])
            data = _bytes(texts[0])
            assert len(data) == int(found[3]), f"not all bytes were recorded: {line[:80]}"
            entries.append(Entry("write", name, place, data))
        elif call == "ftruncate":
            entries.append(Entry("truncate", name, int(arguments.rsplit(",", 1)[1])))
        elif call == "unlink":
            exists.discard(name)
            entries.append(Entry("unlink", name))
        elif call in ("fsync", "fdatasync"):
            entries.append(Entry("sync", name))
        else:
            raise RuntimeError(f"a system call nobody expected: {line[:80]}")
    return [entry for entry in entries if entry.name != _ACKS]


def _name(call: str, arguments: str, folder: Path) -> str | None:
    """Return the file's name in the folder, "" for the folder itself, None for any other file."""
    if call in ("openat", "unlink", "rename"):
        path = _bytes(re.findall(r'"([^"]*)"', arguments)[0]).decode()
    else:
        handle = _HANDLE.match(arguments)
        assert handle, arguments[:80]
        path = _bytes(handle[1]).decode() if handle[1].startswith("\\x") else handle[1]
    path = path.removesuffix("(deleted)")
    if Path(path) == folder:
        return ""
    return Path(path).name if Path(path).parent == folder else None


def _bytes(text: str) -> bytes:
    return bytes.fromhex(text.replace("\\x", ""))


@frozen
class Setting:
    """How SQLite is set: ours, or a weaker way that the simulation must tell from it."""

    journal: str = "DELETE"
    synchronous: str = "EXTRA"

    def __str__(self) -> str:
        """Return it as one says it."""
        return f"{self.journal}, synchronous={self.synchronous}"

    def impose(self, path: Path) -> None:
        """Make every connection that this process opens from now on weaker, behind the store's back."""
        if self == Setting():
            return
        swaps: dict[str, tuple[str, str]] = {
            "PRAGMA journal_mode = DELETE": (f"PRAGMA journal_mode = {self.journal}", "SELECT 'delete'"),
            "PRAGMA synchronous = EXTRA": (f"PRAGMA synchronous = {self.synchronous}", "SELECT 3"),
            "PRAGMA synchronous": ("SELECT 3", "SELECT 3"),
        }

        class Weaker(sqlite3.Connection):
            def execute(self, sql: str, *rest: Any) -> sqlite3.Cursor:
                if sql not in swaps:
                    return super().execute(sql, *rest)
                for swapped in swaps[sql]:
                    cursor = super().execute(swapped)
                return cursor

        connect: Callable[..., sqlite3.Connection] = sqlite3.connect
        self._keep_open(connect, path)
        setattr(sqlite3, "connect", partial(connect, factory=Weaker))  # noqa: B010

    def _keep_open(self, connect: Callable[..., sqlite3.Connection], path: Path) -> None:
        # A write-ahead log is folded in when the last connection closes; as a rule one stays open.
        if self.journal == "WAL":
            _KEPT.append(connect(path))
            _KEPT[-1].execute("PRAGMA journal_mode = WAL")
            _KEPT[-1].execute("SELECT * FROM sqlite_schema").fetchall()


_KEPT: list[sqlite3.Connection] = []


def save(entries: list[Entry]) -> None:
    """Keep a log for machines without strace."""
    rows = [(e.what, e.name, e.place, base64.b64encode(e.data).decode()) for e in entries]
    RECORDED.write_bytes(gzip.compress(json.dumps(rows).encode(), mtime=0))


def load() -> list[Entry]:
    """Return the log that was kept."""
    rows = json.loads(gzip.decompress(RECORDED.read_bytes()))
    return [Entry(what, name, place, base64.b64decode(data)) for what, name, place, data in rows]
