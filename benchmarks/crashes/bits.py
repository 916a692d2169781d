"""Flip bits in a store's file: whatever is read must be right, or an error."""

import random
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from wayfare.errors import StoreError
from wayfare.store import SqliteStore, Stored
from wayfare.testing.store import FORM, line


def begin(folder: Path) -> tuple[SqliteStore, tuple[Sequence[str], Stored, Stored]]:
    """Return a store with two studies of 60 events, and what is read from it."""
    store = SqliteStore(folder / "lab.db")
    for name in ("hill", "lake"):
        store.create(name, FORM)
        for n in range(0, 60, 20):
            store.append(name, n, [line(number) for number in range(n, n + 20)])
    return store, (store.names(), store.read("hill"), store.read("lake"))


def flip_every_byte(folder: Path, rng: random.Random, progress: Callable[[str], None], every: int = 1) -> Counter[str]:
    """Flip one bit of each byte, or of every so many-th, and read; count "right", "error" and "wrong"."""
    store, expected = begin(folder)
    good = store.path.read_bytes()
    tally: Counter[str] = Counter()
    for place in range(0, len(good), every):
        damaged = bytearray(good)
        damaged[place] ^= 1 << rng.randrange(8)
        store.path.write_bytes(damaged)
        try:
            found = store.names(), store.read("hill"), store.read("lake")
        except StoreError:
            tally["error"] += 1
            continue
        tally["right" if found == expected else "wrong"] += 1
        if place % 4096 == 0:
            progress(f"flipped {place:,} of {len(good):,} bytes")
    return tally
