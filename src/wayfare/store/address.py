"""The store that a user names: by a path, the address of a database, or an object that has a store's methods."""

from pathlib import Path
from typing import cast

from wayfare._core.parse import DATABASES
from wayfare.errors import InvalidInput
from wayfare.store.base import KeptStore, Store
from wayfare.store.memory import MemoryStore
from wayfare.store.postgres import PostgresStore
from wayfare.store.sqlite import SqliteStore

_METHODS = ("names", "create", "read", "append")
_KEPT = (*_METHODS, "head", "history", "entries", "enter", "forms", "rows", "fill")


def as_store(store: Store | str | Path | None) -> Store:
    """Return the store itself, the one in that file or database, or for None a new one in memory."""
    if store is None:
        return MemoryStore()
    if isinstance(store, str) and store.startswith(DATABASES):
        return PostgresStore(store)
    if isinstance(store, str | Path):
        return SqliteStore(store)
    if isinstance(store, type) or not all(hasattr(store, method) for method in _METHODS):
        raise InvalidInput(f"store must be a path, such as 'lab.db', an address, or a store, got {store!r}")
    return store


def kept_store(store: Store | str | Path) -> KeptStore:
    """Return a store that has a register and chains; refuse any other."""
    kept = as_store(store)
    if not all(hasattr(kept, method) for method in _KEPT):
        raise InvalidInput(f"store must be the path of a file or the address of a database for this, got {store!r}")
    return cast(KeptStore, kept)
