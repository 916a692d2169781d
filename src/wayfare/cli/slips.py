"""A note for a place beyond the bounds or forbidden: it is taken as it happened, but most such are slips."""

from __future__ import annotations

import shlex

from wayfare.cli.options import note


def note_missed(name: str, number: int, said: str) -> None:
    """Note what is odd about where a trial really was, and how to correct it."""
    note(f"trial {number}: {said}; {way_out('amend', name, str(number), '--actual')}")


def note_position(name: str, said: str) -> None:
    """Note what is odd about where the traveller really is, and how to correct it."""
    note(f"--from: {said}; {way_out('replan', name, '--from')}")


def way_out(*words: str) -> str:
    """Return the command that corrects a slip, as it is typed."""
    return f"if that is a slip, `{shlex.join(['wayfare', *words])} AXIS=VALUE` corrects it"
