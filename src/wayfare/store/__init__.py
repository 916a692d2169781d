"""Where studies are kept, as plain text: in memory, a SQLite file, a PostgreSQL database, or a store of your own."""

from wayfare.store.address import as_store
from wayfare.store.base import KeptStore, Store, Stored
from wayfare.store.memory import MemoryStore
from wayfare.store.postgres import PostgresStore
from wayfare.store.sqlite import SqliteStore
from wayfare.store.upkeep import archive, archived, backup, copy, delete, log, rename, restore, upgrade
from wayfare.store.verify import Verdict, verify

__all__ = [
    "KeptStore",
    "MemoryStore",
    "PostgresStore",
    "SqliteStore",
    "Store",
    "Stored",
    "Verdict",
    "archive",
    "archived",
    "as_store",
    "backup",
    "copy",
    "delete",
    "log",
    "rename",
    "restore",
    "upgrade",
    "verify",
]
