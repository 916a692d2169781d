"""Where studies are kept, as plain text: in memory, in an SQLite file, or in a store of the user's own."""

from pathlib import Path

from wayfare.errors import InvalidInput
from wayfare.store.base import Store, Stored
from wayfare.store.memory import MemoryStore
from wayfare.store.sqlite import SqliteStore, backup
from wayfare.store.upkeep import archive, archived, delete, log, rename, restore, upgrade
from wayfare.store.verify import Verdict, verify

__all__ = [
    "MemoryStore",
    "SqliteStore",
    "Store",
    "Stored",
    "Verdict",
    "archive",
    "archived",
    "as_store",
    "backup",
    "delete",
    "log",
    "rename",
    "restore",
    "upgrade",
    "verify",
]

_METHODS = ("names", "create", "read", "append")


def as_store(store: Store | str | Path | None) -> Store:
    """Return the store itself, the one in the file of that path, or for None a new one in memory."""
    if store is None:
        return MemoryStore()
    if isinstance(store, str | Path):
        return SqliteStore(store)
    if isinstance(store, type) or not all(hasattr(store, method) for method in _METHODS):
        raise InvalidInput(f"store must be a path, such as 'lab.db', or a store, got {store!r}")
    return store
