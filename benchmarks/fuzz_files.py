"""Hostile files: sound ones of every format, and what is done to them.

A case is a number: the same seed and case give the same file, so that a failure can be looked at again. Files are
spoilt as bytes, as texts whose numbers and words become absurd ones, as trees whose nodes are exchanged; and in stores
also the texts within, with the chain of digests worked out anew, as someone would who knows the format.
"""

import io
import json
import random
import re
import sqlite3
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

import wayfare as wf
from wayfare.exchange import export_csv, export_json, export_xlsx
from wayfare.store import SqliteStore
from wayfare.store.chain import START, entry_link, event_link, study_link

STORES = Path(__file__).parents[1] / "tests" / "golden" / "stores"
KINDS = ("db", "json", "toml", "geojson", "csv", "xlsx")
"""The formats, in the order of the cases."""

STUDY_FILE = """name = "snar"
direction = "maximize"
trials = 12
seed = 7
noise = 0.02
unit = "min"
budget = 480.0
home = "start"
dwell = 2
shuffle = 0.1
anchor = "best"
anchor_every = 4
start = {temp_C = 25.0, flow = 1, catalyst = "Pd"}
method = {policy = {kind = "ucb", beta = 4.0}, schedule = {kind = "fixed", size = 3}, opening = {kind = "survey"}}
[[axis]]
name = "temp_C"
low = 20.0
high = 120.0
[[axis]]
name = "flow"
kind = "integer"
low = 1
high = 20
step = 1
[[axis]]
name = "catalyst"
kind = "choice"
values = ["Pd", "Ni"]
[[forbidden]]
temp_C = [100, inf]
catalyst = ["Ni"]
[[measured]]
name = "pressure_bar"
at_most = 10
[travel]
kind = "serial"
parts = [
    {kind = "ramp", axis = "temp_C", up = 5.0, down = 2.0},
    {kind = "switch", axis = "catalyst", fee = 15},
]
[[also]]
kind = "fee"
amount = 2.5
unit = "EUR"
"""
PLACES_FILE = """name = "wells"
direction = "minimize"
trials = 9
[places]
file = "sites.csv"
once = true
[travel]
kind = "euclidean"
unit = "m"
"""
MAP_FILE = """name = "boat"
direction = "maximize"
trials = 5
[map]
allowed = "lake.geojson"
obstacles = "isle.geojson"
cell = 400
"""
SITES = "x,y,rock\n" + "".join(f"{i * 7 % 11},{i * 5 % 13 + 0.5},{'ab'[i % 2]}\n" for i in range(30))
LAKE = [[[9.40, 47.55], [9.44, 47.55], [9.44, 47.57], [9.40, 47.57], [9.40, 47.55]]]
ISLE = [[[9.415, 47.555], [9.425, 47.555], [9.425, 47.565], [9.415, 47.565], [9.415, 47.555]]]
SHAPES = (
    {"type": "Polygon", "coordinates": LAKE},
    {"type": "MultiPolygon", "coordinates": [LAKE, ISLE]},
    {"type": "Feature", "properties": {}, "geometry": {"type": "Polygon", "coordinates": LAKE}},
    {
        "type": "FeatureCollection",
        "features": [{"type": "Feature", "properties": None, "geometry": {"type": "Polygon", "coordinates": LAKE}}],
    },
    {"type": "GeometryCollection", "geometries": [{"type": "Polygon", "coordinates": LAKE}]},
)

# fmt: off
NUMBERS = (
    "0", "-0.0", "1", "-1", "2", "0.5", "1e-320", "-1e-300", "1e16", "9007199254740993", "1e100", "-1e150", "1e160",
    "1e300", "1e308", "1e999", "-1e999", "nan", "inf", "NaN", "Infinity", "1000000", "1000000000", "1" + "0" * 30,
    "9" * 5000, "0x10", "1_000", "01", ".5", "5.",
)
WORDS = (
    "", " ", "name", "start", "best", "ucb", "wayfare", "blin", "bpe", "zooming", "snake", "mini", "random-route",
    "real", "integer", "choice", "euclidean", "manhattan", "ramp", "switch", "fee", "table", "custom", "parallel",
    "map", "-", "../../etc/passwd", "/etc/passwd", "/dev/zero", "con", "=1+2", "\\x1b[2J", "\\ud800", "\u202e",
    "a" * 300, "null", "true", "false", "[]", "{}", "None", "__class__", "%s%n", "'; DROP TABLE event; --",
    "x" * 30_000,
)
VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, -1, 2, 3, 0.5, -0.0, 1e-320, 1e16, 2**53 + 1, 1e100, 1e150, -1e160, 1e300, 1e308,
    10**6, 10**9, 10**12, 10**30, "", "x", "1", "start", "best", "a" * 300, [], {}, [[]], [0, 1], [1, 0], [None],
    ["x"], [1e160], {"kind": "ucb"}, {"kind": "fee", "amount": 1}, {"low": 0}, {"file": "/etc/passwd"},
    [[0.0, 1.0]], [[1e308] * 2] * 2,
)
# fmt: on


def corpus(kind: str) -> list[tuple[str, bytes]]:
    """Return the sound files of a format, by what they are."""
    if kind == "toml":
        return [
            (name, text.encode()) for name, text in (("study", STUDY_FILE), ("places", PLACES_FILE), ("map", MAP_FILE))
        ]
    if kind == "geojson":
        return [("map", json.dumps(shape).encode()) for shape in SHAPES]
    if kind == "csv":
        return [("places", SITES.encode()), *(("results", text.encode()) for text, _, _ in _exported())]
    if kind == "xlsx":
        return [("results", _exported()[0][2])]  # of the study that it is imported into
    if kind == "json":
        return [("archive", text.encode()) for _, text, _ in _exported()]
    return [("store", path.read_bytes()) for path in _stores()] + [("store", _of_today(path)) for path in _stores()]


def case(seed: int, number: int) -> tuple[str, str, bytes]:
    """Return the format of a case, what its file is, and the file."""
    rng = random.Random(f"{seed} {number}")
    kind = KINDS[number % len(KINDS)]
    what, data = rng.choice(_corpus(kind))
    if kind == "db" and rng.random() < 0.6:
        return kind, what, _spoil_rows(data, rng)
    spoil = rng.choice(_SPOILERS[kind])
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        data = spoil(data, rng)
    return kind, what, data


@cache
def _corpus(kind: str) -> list[tuple[str, bytes]]:
    return corpus(kind)


@cache
def _stores() -> list[Path]:
    return sorted(STORES.glob("*.db"))


@cache
def _exported() -> list[tuple[str, str, bytes]]:
    """Return the studies of the golden stores as CSV, as JSON and as workbooks."""
    texts = []
    with tempfile.TemporaryDirectory() as folder:
        for path in sorted(_stores(), key=lambda path: path.stem != "mishaps-reactor"):
            copy = Path(folder, path.name)
            copy.write_bytes(path.read_bytes())
            for name in SqliteStore(copy).names():
                study = wf.Study.open(copy, name)
                texts.append((export_csv(study), export_json(study), _packed(_parts(export_xlsx(study)))))
    return texts


@cache
def _of_today(path: Path) -> bytes:
    """Return a store as this version writes it."""
    with tempfile.TemporaryDirectory() as folder:
        old, new = Path(folder, "old.db"), SqliteStore(Path(folder, "new.db"))
        old.write_bytes(path.read_bytes())
        store = SqliteStore(old)
        for name in store.names():
            new.create(name, *store.read(name))
        return new.path.read_bytes()


# Workbooks: an archive of XML files.


def _parts(book: bytes) -> dict[str, bytes]:
    """Return the files of a workbook, but for those that say when it was made."""
    with zipfile.ZipFile(io.BytesIO(book)) as archive:
        return {name: archive.read(name) for name in archive.namelist() if not name.startswith("docProps")}


def _packed(parts: dict[str, bytes]) -> bytes:
    """Return a workbook of these files, always the same bytes."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return out.getvalue()


def spoil_workbook(data: bytes, rng: random.Random) -> bytes:
    """Spoil one of the files in a workbook."""
    try:
        parts = _parts(data)
    except (zipfile.BadZipFile, KeyError, ValueError):
        return spoil_bytes(data, rng)
    name = rng.choice([*parts, *[one for one in parts if "sheets" in one] * 5])
    spoil: Callable[[bytes, random.Random], bytes] = rng.choice((spoil_text, spoil_text, spoil_bytes))
    return _packed(parts | {name: spoil(parts[name], rng)})


# Bytes.


def spoil_bytes(data: bytes, rng: random.Random) -> bytes:
    """Flip, cut, repeat, move or overwrite a few bytes."""
    if not data:
        return rng.randbytes(rng.randrange(100))
    at, length = rng.randrange(len(data)), rng.choice((1, 1, 2, 4, 16, 100, 1000))
    match rng.randrange(7):
        case 0:
            return data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :]
        case 1:
            return data[:at] + data[at + length :]
        case 2:
            return data[:at] + rng.randbytes(length) + data[at:]
        case 3:
            return data[:at] + data[at : at + length] * rng.choice((2, 10, 1000)) + data[at + length :]
        case 4:
            return data[:at]
        case 5:
            there = rng.randrange(len(data))
            return data[:at] + data[there : there + length] + data[at + length :]
        case _:
            fill = rng.choice((b"\0", b"\xff", b"9", b"[", b'"', b"\n", b",", b"{", b"."))
            return data[:at] + fill * length + data[at + length :]


# Text: numbers and words become others.

_NUMBER = re.compile(r"-?\d+(\.\d+)?([eE][+-]?\d+)?")
_WORD = re.compile(r"[A-Za-z_]\w*")


def spoil_text(data: bytes, rng: random.Random) -> bytes:
    """Put an absurd number or word in the place of one, or a line in the place of another."""
    text = data.decode(errors="replace")
    lines = text.split("\n")
    if rng.random() < 0.3:
        at, there = rng.randrange(len(lines)), rng.randrange(len(lines))
        many = rng.choice((1, 1, 1, 2, 500))
        lines[at : at + rng.randrange(2)] = [lines[there]] * many
        return "\n".join(lines).encode()
    pattern, others = rng.choice(((_NUMBER, NUMBERS), (_WORD, WORDS)))
    found = list(pattern.finditer(text))
    if not found:
        return spoil_bytes(data, rng)
    one = rng.choice(found)
    return (text[: one.start()] + rng.choice(others) + text[one.end() :]).encode(errors="replace")


# Trees: JSON, and the texts within a store.


def spoil_json(data: bytes, rng: random.Random) -> bytes:
    """Exchange, remove, repeat or wrap a node."""
    try:
        tree = json.loads(data)
    except (ValueError, RecursionError):
        return spoil_bytes(data, rng)
    return json.dumps(spoil_tree(tree, rng)).encode()


def spoil_tree(tree: Any, rng: random.Random) -> Any:
    """Return a tree with one of its nodes spoilt."""
    holders: list[Any] = []
    ahead = [tree]
    while ahead:
        one = ahead.pop()
        if isinstance(one, dict | list) and one:
            holders.append(one)
            ahead.extend(one.values() if isinstance(one, dict) else one)
    if not holders:
        return rng.choice(VALUES)
    holder = rng.choice(holders)
    key: Any = rng.choice(list(holder)) if isinstance(holder, dict) else rng.randrange(len(holder))
    match rng.randrange(8):
        case 0:
            del holder[key]
        case 1:
            donor = rng.choice(holders)
            holder[key] = rng.choice(list(donor.values()) if isinstance(donor, dict) else donor)
        case 2:
            for _ in range(rng.choice((1, 5, 50, 3000))):
                holder[key] = [holder[key]] if rng.random() < 0.5 else {"kind": holder[key]}
        case 3 if isinstance(holder, list):
            holder[key:key] = holder[key : key + 1] * rng.choice((1, 2, 1000))
        case 4 if isinstance(holder, list):
            rng.shuffle(holder)
        case 5 if isinstance(holder[key], int | float) and not isinstance(holder[key], bool):
            holder[key] = holder[key] + rng.choice((-1, 1, 1e-9, 0.5, 1e6))
        case 6 if isinstance(holder, dict):
            holder[rng.choice(WORDS)] = rng.choice(VALUES)
        case _:
            holder[key] = rng.choice(VALUES)
    try:
        json.dumps(tree)
    except (ValueError, RecursionError):  # a node put into itself, or nested too deep to be written
        return rng.choice(VALUES)
    return tree


def _spoil_rows(data: bytes, rng: random.Random) -> bytes:
    """Spoil texts within a store, and work out all digests anew."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "lab.db")
        path.write_bytes(data)
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA synchronous = OFF")
            connection.execute("PRAGMA journal_mode = MEMORY")
            if connection.execute("PRAGMA user_version").fetchone()[0] != 2:
                return spoil_bytes(data, rng)
            triggers = connection.execute("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
            for name, _ in triggers:
                connection.execute(f"DROP TRIGGER {name}")
            for _ in range(rng.choice((1, 1, 2, 5))):
                _spoil_row(connection, rng)
            _link_anew(connection)
            for _, statement in triggers:
                connection.execute(statement)
        return path.read_bytes()


def _spoil_row(connection: sqlite3.Connection, rng: random.Random) -> None:
    form = rng.random() < 0.3
    table, column, key = ("study", "spec", "id") if form else ("event", "body", "number")
    rows = connection.execute(f"SELECT {key}, {column} FROM {table}").fetchall()
    number, text = rng.choice(rows)
    spoil: Callable[[bytes, random.Random], bytes] = rng.choice((spoil_json, spoil_json, spoil_json, spoil_text))
    spoilt = spoil(text.encode(), rng).decode(errors="replace").replace("\0", "?")
    connection.execute(f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (spoilt, number))


def _link_anew(connection: sqlite3.Connection) -> None:
    last, names = START, dict[int, bytes]()
    for number, study, name, body in connection.execute("SELECT number, study, name, body FROM register").fetchall():
        called = None if name is None else name.encode()
        last = entry_link(last, number, study, called, body.encode())
        connection.execute("UPDATE register SET link = ? WHERE number = ?", (last, number))
        names.setdefault(study, called or b"")
    for study, form in connection.execute("SELECT id, spec FROM study").fetchall():
        head = study_link(study, names[study], form.encode())
        connection.execute("UPDATE study SET link = ? WHERE id = ?", (head, study))
        events = connection.execute("SELECT number, body FROM event WHERE study = ? ORDER BY number", (study,))
        for number, body in events.fetchall():
            head = event_link(head, number, body.encode())
            connection.execute("UPDATE event SET link = ? WHERE study = ? AND number = ?", (head, study, number))


_SPOILERS: dict[str, tuple[Callable[[bytes, random.Random], bytes], ...]] = {
    "db": (spoil_bytes,),
    "json": (spoil_json, spoil_json, spoil_json, spoil_text, spoil_bytes),
    "toml": (spoil_text, spoil_text, spoil_text, spoil_bytes),
    "geojson": (spoil_json, spoil_json, spoil_text, spoil_bytes),
    "csv": (spoil_text, spoil_text, spoil_bytes),
    "xlsx": (spoil_workbook, spoil_workbook, spoil_workbook, spoil_bytes),
}
