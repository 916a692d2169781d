"""The form of a study as a store keeps it: its specification as JSON text, and who created it when."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from wayfare.form.study import read_spec, write_spec
from wayfare.record.events import StudySpec
from wayfare.record.stamp import Stamp, stamp_form, take_stamp


def write_form(spec: StudySpec, created: Sequence[Stamp]) -> str:
    """Return the form as one line of JSON; refuse one that could not be read again."""
    form = json.dumps(write_spec(spec) | {"created": created_form(created)}, allow_nan=False, separators=(",", ":"))
    read_spec(read_form(form)[0], new=False)
    return form


def read_form(text: str | bytes) -> tuple[dict[str, Any], tuple[Stamp, ...]]:
    """Return the plain data of a specification, and its stamps: of its creation, then of every import.

    There are none in forms of wayfare 0.2 and before. Raise ``ValueError`` for text that ``write_form`` cannot have
    written.
    """
    form = json.loads(text)
    if not isinstance(form, dict):
        raise ValueError("it is no table")
    return form, read_created(form.pop("created", []))


def created_form(created: Iterable[Stamp]) -> list[dict[str, Any]]:
    """Return stamps as plain data."""
    return [stamp_form(stamp) for stamp in created]


def read_created(forms: Any) -> tuple[Stamp, ...]:
    """Return stamps from plain data; raise ``ValueError`` if they are none."""
    try:
        return tuple(take_stamp(dict(form)) for form in forms)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError("what it says of when it was created is no list of stamps") from error
