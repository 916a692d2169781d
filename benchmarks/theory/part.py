"""A part of the theory benchmark: cells to measure, and what is made of their rows."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from attrs import frozen

from wayfare.bench.harness import missing_extra
from wayfare.bench.report import Sheet

if TYPE_CHECKING:
    from matplotlib.figure import Figure


Row = dict[str, Any]
"""A row of the CSV file; all rows of a part have the same keys."""


@frozen
class Part:
    """One claim and its measurement.

    ``measure`` is a function of a module, and a cell plain data with its seed in it, so that other processes
    can have them and the rows are the same however many there are.
    """

    name: str
    summary: str
    cells: Callable[[int, bool], Sequence[Any]]
    """The cells for so many seeds; small ones if the second argument is true."""
    measure: Callable[[Any], list[Row]]
    """The rows of a cell."""
    table: Callable[[Sequence[Row]], Sheet]
    """The table for the terminal, its cells as text."""
    draw: "Callable[[Sequence[Row]], Figure]"


def run_part(
    part: Part,
    seeds: int,
    quick: bool = False,
    jobs: int = 1,
    on_begin: Callable[[int], None] = lambda cells: None,
    on_cell: Callable[[], None] = lambda: None,
) -> list[Row]:
    """Return the rows of all cells, in the order of the cells.

    ``on_begin`` is called with the number of cells, ``on_cell`` whenever one is done.
    """
    cells = part.cells(seeds, quick)
    on_begin(len(cells))
    rows: list[Row] = []
    for own in _measured(part.measure, cells, jobs):
        rows += own
        on_cell()
    return rows


def _measured(measure: Callable[[Any], list[Row]], cells: Sequence[Any], jobs: int) -> Iterator[list[Row]]:
    if jobs == 1:
        yield from map(measure, cells)
        return
    try:
        import joblib
    except ImportError as error:
        raise missing_extra("joblib", "bench") from error
    with joblib.parallel_config("loky", inner_max_num_threads=1):
        parallel = joblib.Parallel(n_jobs=jobs, return_as="generator", batch_size=1)
        yield from parallel(joblib.delayed(measure)(cell) for cell in cells)
