"""Flip bits in a store's file: whatever is read must be right, or an error."""

import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from wayfare.errors import StoreError
from wayfare.store import SqliteStore
from wayfare.testing.store import one_of_each, same, spec_named


def flip_every_byte(folder: Path, rng: random.Random, progress: Callable[[str], None], every: int = 1) -> Counter[str]:
    """Flip one bit of each byte, or of every so many-th, and read; count "right", "error" and "wrong"."""
    store = SqliteStore(folder / "lab.db")
    for name in ("hill", "lake"):
        store.create(spec_named(name))
        for _ in range(3):
            store.append(name, len(store.events(name)), one_of_each())
    good = store.path.read_bytes()
    expected = [*store.events("hill"), *store.events("lake")]
    tally: Counter[str] = Counter()
    for place in range(0, len(good), every):
        damaged = bytearray(good)
        damaged[place] ^= 1 << rng.randrange(8)
        store.path.write_bytes(damaged)
        try:
            names, trials = store.names(), store.spec("hill").trials
            events = [*store.events("hill"), *store.events("lake")]
        except StoreError:
            tally["error"] += 1
            continue
        right = (names, trials, len(events)) == (["hill", "lake"], 5, len(expected))
        tally["right" if right and all(map(same, events, expected)) else "wrong"] += 1
        if place % 4096 == 0:
            progress(f"flipped {place:,} of {len(good):,} bytes")
    return tally
