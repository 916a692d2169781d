"""The chain: whatever is changed behind the store's back is named; what a chain cannot show, a noted head does."""

import random
import shutil
import sqlite3
from contextlib import closing
from hashlib import sha256

import pytest

from wayfare.errors import InvalidInput, StoreError
from wayfare.store import SqliteStore, database, verify
from wayfare.store.chain import START, entry_link, event_link, study_link
from wayfare.testing.store import FORM, line

EVENTS = 24
STUDIES = ("hill", "lake")
TRIGGERS = [text for text in database.STATEMENTS if text.startswith("CREATE TRIGGER")]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    """A store with two studies of many events."""
    path = tmp_path_factory.mktemp("whole") / "lab.db"
    store = SqliteStore(path)
    for name in STUDIES:
        store.create(name, FORM)
        store.append(name, 0, [line(number) for number in range(EVENTS)])
    return path


@pytest.fixture
def path(whole, tmp_path):
    return shutil.copyfile(whole, tmp_path / "lab.db")


def tampered(path, change):
    """Change a file as someone would who knows the tables: its triggers dropped and made again."""
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("BEGIN")
        for trigger in TRIGGERS:
            connection.execute(f"DROP TRIGGER {trigger.split()[2]}")
        said = change(connection)
        for trigger in TRIGGERS:
            connection.execute(trigger)
        connection.execute("COMMIT")
    return said


def rows_of(connection, study):
    found = connection.execute("SELECT body, link FROM event WHERE study = ? ORDER BY number", (study,))
    return [(body.encode(), link) for body, link in found]


def put(connection, study, rows):
    """Give a study these events, numbered from 0."""
    connection.execute("DELETE FROM event WHERE study = ?", (study,))
    numbered = ((study, number, body.decode(), link) for number, (body, link) in enumerate(rows))
    connection.executemany("INSERT INTO event VALUES (?, ?, ?, ?)", numbered)


def linked(connection, study, rows, since):
    """Work out all digests from an event on anew, as a forger would."""
    (before,) = connection.execute("SELECT link FROM study WHERE id = ?", (study,)).fetchone()
    if since:
        before = rows[since - 1][1]
    rows = list(rows)
    for number in range(since, len(rows)):
        before = event_link(before, number, rows[number][0])
        rows[number] = rows[number][0], before
    return rows


def other_text(body, rng):
    """An event with a digit or a letter changed, still text."""
    at = rng.randrange(len(body))
    other = rng.choice([one for one in b"0123456789abcdefgh" if one != body[at]])
    return body[:at] + bytes([other]) + body[at + 1 :]


def flip(rows, rng):
    at = rng.randrange(len(rows))
    body, link = rows[at]
    rows[at] = (other_text(body, rng), link) if rng.random() < 0.7 else (body, rng.randbytes(32))
    return at


def remove(rows, rng):
    at = rng.randrange(len(rows) - 1)  # but for the last, which a chain cannot miss
    del rows[at]
    return at


def reorder(rows, rng):
    one, other = sorted(rng.sample(range(len(rows)), 2))
    if rng.random() < 0.5:
        rows[one], rows[other] = rows[other], rows[one]
    else:
        rows.insert(one, rows.pop(other))
    return one


def insert(rows, rng):
    at = rng.randrange(len(rows))
    rows.insert(at, rng.choice([rng.choice(rows), (line(rng.randrange(100)).encode(), rng.randbytes(32))]))
    return at


KINDS = {"flipped": flip, "removed": remove, "reordered": reorder, "inserted": insert}


def one_tampering(path, whole, rng):
    """Tamper with one study, at random; return how, and the first event that is not as it was."""
    shutil.copyfile(whole, path)
    kind, study = rng.choice(list(KINDS)), rng.choice((1, 2))

    def change(connection):
        before = rows_of(connection, study)
        rows = list(before)
        at = KINDS[kind](rows, rng)
        while rows[at] == before[at]:  # an event put in may be the one that is there
            at += 1
        put(connection, study, rows)
        return at

    return kind, STUDIES[study - 1], tampered(path, change)


def check_tamperings(path, whole, times):
    rng, counted = random.Random(times), dict.fromkeys(KINDS, 0)
    for _ in range(times):
        kind, study, at = one_tampering(path, whole, rng)
        findings = verify(path).findings
        assert [text for text in findings if text.startswith(f"study '{study}': the chain breaks at event {at}:")], (
            kind,
            at,
            findings,
        )
        counted[kind] += 1
    assert min(counted.values()) > times / 8


def test_any_tampering_is_named_by_the_event_where_the_chain_breaks(path, whole):
    check_tamperings(path, whole, 200)


@pytest.mark.slow
def test_five_thousand_random_tamperings_are_all_named(path, whole):
    check_tamperings(path, whole, 5_000)


@pytest.mark.parametrize("kind", KINDS)
def test_forged_digests_are_seen_by_a_head_noted_before(path, whole, kind):
    """Who works out all digests anew gives a sound chain, but another head."""
    heads = [head.digest for head in verify(whole).heads]
    for seed in range(20):
        rng = random.Random(seed)
        shutil.copyfile(whole, path)

        def forge(connection, rng=rng):
            rows = rows_of(connection, 1)
            before = list(rows)
            at = KINDS[kind](rows, rng)
            rows[at] = other_text(rows[at][0], rng), b""
            assert rows != before
            put(connection, 1, linked(connection, 1, rows, at))

        tampered(path, forge)
        assert not [text for text in verify(path).findings if "chain" in text]
        findings = verify(path, heads).findings
        assert [text for text in findings if f"the head {heads[0]} is in no chain" in text]
        assert not [text for text in findings if heads[1] in text or heads[2] in text]


@pytest.mark.parametrize("gone", [1, 5, EVENTS])
def test_a_missing_end_is_seen_by_a_head_noted_before_and_by_nothing_else(path, whole, gone):
    head = verify(whole).heads[0].digest
    tampered(path, lambda connection: put(connection, 1, rows_of(connection, 1)[:-gone]))
    assert not [text for text in verify(path).findings if "chain" in text or "missing" in text]
    assert [text for text in verify(path, [head]).findings if "its end is missing" in text]


def test_a_head_stays_good_as_the_study_goes_on(path):
    noted = verify(path).heads
    assert [(head.study, head.events) for head in noted] == [("hill", EVENTS), ("lake", EVENTS), ("", 2)]
    store = SqliteStore(path)
    store.append("hill", EVENTS, [line(99)])
    store.create("pond", FORM)
    verdict = verify(path, [head.digest.upper() for head in noted])
    assert verdict.noted == noted
    assert not [text for text in verdict.findings if "head" in text]
    assert [(head.study, head.events) for head in verdict.heads] == [
        ("hill", EVENTS + 1),
        ("lake", EVENTS),
        ("pond", 0),
        ("", 3),
    ]


@pytest.mark.parametrize("head", ["", "ab", "x" * 64, "ab" * 31, None])
def test_what_is_no_head_is_refused(path, head):
    with pytest.raises(InvalidInput, match="64 hexadecimal digits"):
        verify(path, [head])


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "UPDATE study SET spec = replace(spec, '5', '7') WHERE id = 2",
            "study 'lake': the digest of its specification",
        ),
        ("DELETE FROM study WHERE id = 2", "study 'lake' is missing, with all its events"),
        ("INSERT INTO study SELECT 3, spec, link FROM study WHERE id = 2", "study number 3: it is not in the register"),
        (
            "UPDATE event SET study = 2, number = 24 WHERE study = 1 AND number = 23",
            "study 'lake': the chain breaks at",
        ),
        ("UPDATE register SET name = 'pond' WHERE number = 2", "the register: the chain breaks at entry 2"),
        ("DELETE FROM register WHERE number = 1", "the register: the chain breaks at entry 1"),
        ("UPDATE register SET number = 3 WHERE number = 2", "the register: the chain breaks at entry 2"),
        ("INSERT INTO register VALUES (3, 2, NULL, '', x'00')", "the register: the chain breaks at entry 3"),
    ],
)
def test_studies_and_their_register_are_in_the_chain_too(path, statement, said):
    tampered(path, lambda connection: connection.execute(statement))
    assert [text for text in verify(path).findings if said in text], verify(path).findings
    if "event" not in statement:
        with pytest.raises(StoreError, match="damaged"):
            SqliteStore(path).names()


def test_two_studies_with_the_same_events_have_different_chains(path):
    heads = verify(path).heads
    assert len({head.digest for head in heads}) == 3


def test_the_digests_are_those_of_today():
    """The chain of a store must be worked out alike for ever."""
    link = study_link(1, b"hill", b"{}")
    assert bytes(32) == START
    assert link == sha256(b"study 1 4 hill {}").digest()
    assert event_link(link, 3, b"{}") == sha256(link + b" 3 {}").digest()
    assert entry_link(START, 1, 7, b"hill", b"why") == sha256(bytes(32) + b" 1 7 4 hill why").digest()
    assert entry_link(START, 2, 7, None, b"why") == sha256(bytes(32) + b" 2 7 - why").digest()
