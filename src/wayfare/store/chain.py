"""The chain of digests (SHA-256) over what a store holds: each covers the one before it and its own row.

A row that is changed, removed, moved or put in breaks the chain there. The last digest of a chain, its head, stands
for all of it: noted elsewhere, it shows whether anything before it was changed since, even by someone who worked out
all digests again, and whether the end is missing.
"""

from hashlib import sha256

START = bytes(32)
"""What stands for the digest before the first row of the register."""


def study_link(number: int, name: bytes, form: bytes) -> bytes:
    """Return the digest of a study as it was created, the first link of its chain."""
    return sha256(b"study %d %d %b %b" % (number, len(name), name, form)).digest()


def event_link(before: bytes, number: int, body: bytes) -> bytes:
    """Return the digest of an event.

    Args:
        before: digest of the event before, or for the first that of the study.
        number: of the event, from 0.
        body: its text.
    """
    return sha256(b"%b %d %b" % (before, number, body)).digest()


def entry_link(before: bytes, number: int, study: int, name: bytes | None, body: bytes) -> bytes:
    """Return the digest of an entry of the register.

    Args:
        before: digest of the entry before, or ``START``.
        number: of the entry, from 1.
        study: number of the study it is about, 0 for the store itself.
        name: what the study is called from now on; None if it has no name any more.
        body: what was said of it.
    """
    called = b"-" if name is None else b"%d %b" % (len(name), name)
    return sha256(b"%b %d %d %b %b" % (before, number, study, called, body)).digest()
