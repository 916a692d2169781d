"""Moves of the local search, each against a plain way to the same answer."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.route.problems import around
from wayfare._core.rng import stream
from wayfare.route.moves import Directed, Join, Move, Ring, ThreeOpt, reconnect
from wayfare.route.search import near_stops


def legs(stops):
    return {frozenset(leg) for leg in pairwise([*stops, stops[0]])}


@st.composite
def cuts(draw):
    n = draw(st.integers(5, 20))
    x = draw(st.integers(0, n - 3))
    y = draw(st.integers(x + 1, n - 2))
    return n, draw(st.integers(0, n - 1)), draw(st.sampled_from([1, -1])), x, y


@given(cuts(), st.sampled_from(list(Join)))
def test_whichever_stretch_stays_the_ring_reads_as_named(cut, join):
    n, base, step, x, y = cut
    if join is Join.TURN:
        y = x
    ring = Ring(stream(n, base).permutation(n).tolist())
    path = [ring.stops[(base + step * k) % n] for k in range(n)]
    a, b, c = path[: x + 1], path[x + 1 : y + 1], path[y + 1 :]
    expected = {
        Join.TURN: a + c[::-1],
        Join.SWAP: a + c + b,
        Join.SWAP_TURN_B: a + c + b[::-1],
        Join.SWAP_TURN_C: a + c[::-1] + b,
        Join.TURN_BOTH: a + b[::-1] + c[::-1],
    }[join]
    before = list(ring.stops)
    reconnect(ring, Move(base, step, x, y, join))
    assert legs(ring.stops) == legs(expected)
    assert [ring.where[stop] for stop in ring.stops] == list(range(n))
    ring.undo()
    assert ring.stops == before
    assert [ring.where[stop] for stop in ring.stops] == list(range(n))


@given(st.integers(5, 25), st.integers(0, 99))
def test_three_opt_gains_what_it_says(n, seed):
    costs = stream(seed).random((n, n))
    costs = costs + costs.T + np.diag([np.inf] * n)
    ring = Ring(stream(seed, 1).permutation(n).tolist())
    rows = costs.tolist()
    before = around(ring.stops, rows)
    gain = ThreeOpt(rows, near_stops(costs, len(costs)))(ring, list(range(n)))
    assert before - gain == pytest.approx(around(ring.stops, rows))
    assert sorted(ring.stops) == list(range(n))


@given(st.integers(5, 25), st.integers(0, 99))
def test_turned_stretches_are_priced_in_full(n, seed):
    costs = stream(seed).random((n, n)) + np.diag([np.inf] * n)
    ring = Ring([0, *(1 + stream(seed, 1).permutation(n - 1)).tolist()])
    rows = costs.tolist()
    before = around(ring.stops, rows)
    gain = Directed(rows, near_stops(costs, len(costs)))(ring, list(range(n)))
    assert before - gain == pytest.approx(around(ring.stops, rows))
    assert ring.stops[0] == 0
    assert sorted(ring.stops) == list(range(n))
