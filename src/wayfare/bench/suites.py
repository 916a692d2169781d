"""Suites: the methods, problems, numbers of trials, delays and seeds of a comparison."""

from itertools import product

from attrs import evolve, field, frozen

from wayfare._core import checks
from wayfare.bench.cell import Cell, Start
from wayfare.bench.named import find_method, find_problem
from wayfare.bench.problems import AUTHORS, FIELD, PAPER
from wayfare.errors import InvalidInput
from wayfare.planning.catalogue import EVERYWHERE

Names = tuple[str, ...]


def _each_once(suite: object, attribute: object, values: tuple[object, ...]) -> None:
    # Two cells of one name would share a file.
    if len(set(values)) < len(values):
        raise InvalidInput(f"{getattr(attribute, 'name', 'suite')}: each only once, got {list(values)}")


@frozen
class Suite:
    """A comparison: every method on every problem, for every number of trials, delay and seed.

    Names are ours or ``module:attribute``; ``check`` looks them up. Seeds count from 0, ``delays`` are the numbers of
    trials by which results come late, and ratios are taken against the ``baseline``.
    """

    name: str
    summary: str
    methods: Names = field(validator=_each_once)
    problems: Names = field(validator=_each_once)
    trials: tuple[int, ...] = field(validator=_each_once)
    seeds: int
    delays: tuple[int, ...] = field(default=(0,), validator=_each_once)
    start: Start = "drawn"
    baseline: str = "ucb"

    def check(self) -> None:
        """Refuse a suite that cannot be run."""
        for method in self.methods:
            find_method(method)
        for problem in self.problems:
            find_problem(problem)
        for axis, given, least in (("trials", self.trials, 2), ("delays", self.delays, 0), ("seeds", (self.seeds,), 1)):
            for value in given:
                checks.count(value, axis, least)

    def cells(self) -> list[Cell]:
        """Return the cells in the order of the file of results."""
        axes = product(self.problems, self.trials, self.delays, self.methods, range(self.seeds))
        return [Cell(*keys, start=self.start) for keys in axes]

    @property
    def command(self) -> str:
        """The command that runs it: its name, and its differences from the suite of that name."""
        usual = SUITES.get(self.name, self)
        parts = [f"wayfare bench run {self.name}"]
        for axis in ("methods", "problems", "trials"):
            if (own := getattr(self, axis)) != getattr(usual, axis):
                parts.append(f"--{axis} {','.join(map(str, own))}")
        if self.seeds != usual.seeds:
            parts.append(f"--seeds {self.seeds}")
        return " ".join(parts)

    def restricted(
        self, methods: Names = (), problems: Names = (), seeds: int | None = None, trials: int | None = None
    ) -> "Suite":
        """Return the suite with other methods, problems, seeds or trials; those not given stay as they are."""
        methods, problems = methods or self.methods, problems or self.problems
        counts = self.trials if trials is None else (trials,)
        return evolve(self, methods=methods, problems=problems, seeds=seeds or self.seeds, trials=counts)


_PAPER = "the paper's five functions and all methods, as the paper ran them"
_AUTHORS = "the authors' later five functions, after 2 d places given for nothing"
_FIELD = "a flow reactor, a boat on a lake and a drill rig, each from its own start"
_QUICK = ("wayfare", "ucb", "ts", "tucb", "tts", "random")
_PUBLISHED = ("wayfare", "tucb", "tts", "ucb", "ts", "mini", "snake", "gs", "lhs-route", "random")
_LATE = ("wayfare", "ucb", "tucb", "tts", "snake")

SUITES = {
    suite.name: suite
    for suite in (
        Suite("quick", "a first look, in minutes", _QUICK, ("branin", "dropwave"), (40,), 3),
        Suite("paper", _PAPER, EVERYWHERE, tuple(PAPER), (100,), 5),
        Suite("authors", _AUTHORS, _PUBLISHED, tuple(AUTHORS), (200,), 10),
        Suite("field", _FIELD, EVERYWHERE, tuple(FIELD), (30, 60), 10, start="own"),
        Suite("delay", "results that come 10 and 25 trials late", _LATE, ("branin", "ackley"), (100,), 5, (0, 10, 25)),
    )
}
"""The suites by name: name, summary, methods, problems, trials, seeds, and delays."""


def suite_named(name: str) -> Suite:
    """Return the suite of that name."""
    if name not in SUITES:
        raise InvalidInput(f"suite: none is called {name!r}; {checks.nearest(name, SUITES, 'suites')}")
    return SUITES[name]
