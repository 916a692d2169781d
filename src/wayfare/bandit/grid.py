"""When batches end: times fixed beforehand, between which nothing is learned."""

import math


def minimax_ends(horizon: int, batches: int) -> list[int]:
    """Return floor(a^(2 - 2^(1 - m))) for m = 1 … M, a = T^(1 / (2 - 2^(1 - M))) (Gao et al. 2019).

    The first batch is about sqrt(T) long, the second ends at T^(3/4). For T = 1000 and M = 3: 51, 372, 1000.
    """
    a = horizon ** (1 / (2 - 2.0 ** (1 - batches)))
    return _whole([a ** (2 - 2.0 ** (1 - m)) for m in range(1, batches + 1)], horizon)


def geometric_ends(horizon: int, batches: int) -> list[int]:
    """Return floor(T^(m / M)) for m = 1 … M (Gao et al. 2019). For T = 1000 and M = 3: 10, 100, 1000."""
    return _whole([horizon ** (m / batches) for m in range(1, batches + 1)], horizon)


def root_ends(horizon: int, batches: int) -> list[int]:
    """Return sqrt(T), and from there to T by equal factors. For T = 1000 and M = 3: 31, 177, 1000."""
    steps = range(batches)
    return _whole([horizon ** ((1 + m / max(1, batches - 1)) / 2) for m in steps], horizon)


def _whole(ends: list[float], horizon: int) -> list[int]:
    """Return the ends rounded down, each once, the last at the horizon."""
    # A hair above, so that 1000^(1/3) is 10 and not 9.999…
    inner = {max(1, math.floor(end * (1 + 1e-12))) for end in ends[:-1]}
    return [*sorted(end for end in inner if end < horizon), horizon]
