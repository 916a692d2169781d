"""Every way to cut a ring in two or three places and join it differently, done in the cheapest way."""

from enum import Enum
from typing import NamedTuple

from wayfare.route.ring import Ring

A, B, C = 0, 1, 2
Part = tuple[int, bool]
"""One of the stretches A, B, C; True if it is turned around."""


class Join(Enum):
    """How the ring reads after stretch A; a prime marks a stretch that is turned around.

    Three stretches can be written anew in three ways that give the same circle (as it may be
    read from anywhere and, where costs are symmetric, from either side): any one of them stays
    in place and the other two follow it. The values say what follows A, B and C if they stay.
    """

    TURN = (((C, True),), (), ((A, True),))
    """A C': 2-opt; B is empty."""
    SWAP = (((C, False), (B, False)), ((A, False), (C, False)), ((B, False), (A, False)))
    """A C B: Or-opt of a stretch of any length, nothing turned around."""
    SWAP_TURN_B = (((C, False), (B, True)), ((C, True), (A, True)), ((B, True), (A, False)))
    """A C B': Or-opt, turned around."""
    SWAP_TURN_C = (((C, True), (B, False)), ((A, False), (C, True)), ((A, True), (B, True)))
    """A C' B: Or-opt, turned around."""
    TURN_BOTH = (((B, True), (C, True)), ((A, True), (C, False)), ((B, False), (A, True)))
    """A B' C': two neighbouring stretches turned around."""


class Move(NamedTuple):
    """A reconnection of the path that starts at position ``base`` and runs in direction ``step``.

    Along that path A is the stops 0..x, B is x+1..y and C all the rest.
    """

    base: int
    step: int
    x: int
    y: int
    join: Join


def reconnect(ring: Ring, move: Move) -> None:
    """Cut and join the ring, leaving its longest stretch where it is."""
    n = len(ring)
    base, step, x, y, join = move
    begin = (0, x + 1, y + 1)
    length = (x + 1, y - x, n - 1 - y)
    stays = length.index(max(length))
    new: list[int] = []
    for part, turned in join.value[stays]:
        stretch = ring.read(_leftmost(base, step, begin[part], length[part]), length[part])
        if turned != (step < 0):
            stretch.reverse()
        new += stretch
    if step < 0:
        new.reverse()
    follows = begin[stays] + length[stays]
    ring.write(_leftmost(base, step, follows, len(new)), new)


def _leftmost(base: int, step: int, begin: int, length: int) -> int:
    """Return the lowest ring position of a stretch given along the path."""
    return base + begin if step > 0 else base - (begin + length - 1)
