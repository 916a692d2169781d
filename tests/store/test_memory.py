"""The memory store keeps the contract, and threads apart."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from wayfare.errors import Conflict
from wayfare.store import MemoryStore
from wayfare.testing.store import FORM, StoreContract, line


class TestMemoryStore(StoreContract):
    @pytest.fixture
    def store(self):
        return MemoryStore()


def test_of_threads_that_append_at_once_each_wins_once():
    store = MemoryStore()
    store.create("hill", FORM)

    def win(number: int) -> int:
        attempts = 0
        while True:
            attempts += 1
            try:
                store.append("hill", len(store.read("hill").events), [line(number)])
                return attempts
            except Conflict:
                continue

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(win, range(200)))
    assert sorted(store.read("hill").events) == sorted(map(line, range(200)))
