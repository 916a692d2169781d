"""What a caller supplies in place of a form, held against what the form says."""

from collections.abc import Mapping
from typing import Any

from wayfare.errors import InvalidInput
from wayfare.form.plain import path


def check_same(kept: Any, given: Any, where: str) -> None:
    """Refuse what differs from what was kept, but for the parts that only Python can hold."""
    at = _first_difference(kept, given, where)
    if at is not None:
        raise InvalidInput(
            f"{where}: what is supplied differs from what the study was made with, in {at}; supply the same"
        )


def _first_difference(kept: Any, given: Any, where: str) -> str | None:
    if isinstance(kept, Mapping) and kept.get("kind") == "custom":
        return None
    if isinstance(kept, Mapping) and isinstance(given, Mapping):
        for key in {**kept, **given}:
            if key not in kept or key not in given:
                return path(where, key)
            if (at := _first_difference(kept[key], given[key], path(where, key))) is not None:
                return at
        return None
    if isinstance(kept, list) and isinstance(given, list) and len(kept) == len(given):
        for i, (one, other) in enumerate(zip(kept, given, strict=True)):
            if (at := _first_difference(one, other, f"{where}[{i}]")) is not None:
                return at
        return None
    return None if kept == given else where
