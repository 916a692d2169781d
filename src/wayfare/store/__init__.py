"""Where studies are kept."""

from wayfare.store.base import Store
from wayfare.store.memory import MemoryStore

__all__ = ["MemoryStore", "Store"]
