"""The memory store keeps the contract, and threads apart."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from wayfare.errors import Conflict
from wayfare.record.events import Told
from wayfare.store import MemoryStore
from wayfare.testing.store import StoreContract, spec_named


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self):
        return MemoryStore()


def test_of_threads_that_append_at_once_each_wins_once():
    store = MemoryStore()
    store.create(spec_named("hill"))

    def win(number: int) -> int:
        attempts = 0
        while True:
            attempts += 1
            try:
                store.append("hill", len(store.events("hill")), [Told(number, 0.0, str(number))])
                return attempts
            except Conflict:
                continue

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(win, range(200)))
    assert sorted(event.number for event in store.events("hill")) == list(range(200))
