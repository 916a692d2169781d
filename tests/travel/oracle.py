"""Shortest ways by the book, to compare with."""

import heapq
import math


def dijkstra(steps_from, origin):
    """The costs from one node to all that can be reached; ``steps_from(node)`` has (node, cost) pairs."""
    costs, ahead, done = {origin: 0.0}, [(0.0, origin)], set()
    while ahead:
        paid, node = heapq.heappop(ahead)
        if node in done:
            continue
        done.add(node)
        for to, cost in steps_from(node):
            if paid + cost < costs.get(to, math.inf):
                costs[to] = paid + cost
                heapq.heappush(ahead, (paid + cost, to))
    return costs


def passed(step, parts=720):
    """What a line between the middles of two cells passes through, by looking at many points of it.

    The share in each cell, and for points where four cells meet the two that the line only touches.
    """
    down, right = step
    shares, corners = {}, []
    for i in range(parts):
        t = (i + 0.5) / parts
        cell = (math.floor(t * down + 0.5), math.floor(t * right + 0.5))
        shares[cell] = shares.get(cell, 0) + 1 / parts
    for i in range(2 * parts + 1):
        row, column = i * down / (2 * parts) + 0.5, i * right / (2 * parts) + 0.5
        if abs(row - round(row)) < 1e-9 and abs(column - round(column)) < 1e-9:
            r, c = round(row), round(column)
            around = {(r - 1, c - 1), (r - 1, c), (r, c - 1), (r, c)}
            corners.append(tuple(sorted(around - set(shares))))
    return shares, corners


OFFSETS = {
    "eight": [(r, c) for r in (-1, 0, 1) for c in (-1, 0, 1) if (r, c) != (0, 0)],
    "any": [
        (r, c)
        for r in range(-3, 4)
        for c in range(-3, 4)
        if math.gcd(r, c) == 1 and (max(abs(r), abs(c)) < 3 or min(abs(r), abs(c)) > 0)
    ],
}
PASSED = {step: passed(step) for step in OFFSETS["any"]}


def steps_over(rates, width, height, moves):
    """The steps from a cell of a map."""

    def is_open(cell):
        return 0 <= cell[0] < len(rates) and 0 <= cell[1] < len(rates[0]) and rates[cell] > 0

    def steps_from(cell):
        for down, right in OFFSETS[moves]:
            shares, corners = PASSED[down, right]
            at = {(cell[0] + r, cell[1] + c): share for (r, c), share in shares.items()}
            if not all(map(is_open, at)):
                continue
            if not all(any(is_open((cell[0] + r, cell[1] + c)) for r, c in two) for two in corners):
                continue
            rate = sum(share * rates[there] for there, share in at.items())
            yield (cell[0] + down, cell[1] + right), math.hypot(down * height, right * width) * rate

    return steps_from
