"""The suites: which methods are run on which problems, how long and how often."""

from itertools import product

from attrs import evolve, field, frozen

from wayfare._core import checks
from wayfare.bench.cell import Cell, Start
from wayfare.bench.named import find_method, find_problem
from wayfare.errors import InvalidInput
from wayfare.planning.catalogue import EVERYWHERE


def _each_once(suite: object, attribute: object, values: tuple[object, ...]) -> None:
    # Two cells of one name would share a file.
    if len(set(values)) < len(values):
        raise InvalidInput(f"{getattr(attribute, 'name', 'suite')}: each only once, got {list(values)}")


@frozen
class Suite:
    """A comparison: every method on every problem, for every number of trials, delay and seed.

    ``seeds`` counts them from 0. ``delays`` are by how many trials results come late. Ratios are taken
    against the ``baseline``. Names are ours or ``module:attribute``; they are looked up when a suite is
    checked.
    """

    name: str
    summary: str
    methods: tuple[str, ...] = field(validator=_each_once)
    problems: tuple[str, ...] = field(validator=_each_once)
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
        for trials in self.trials:
            checks.count(trials, "trials", 2)
        for delay in self.delays:
            checks.count(delay, "delays", 0)
        checks.count(self.seeds, "seeds", 1)

    def cells(self) -> list[Cell]:
        """Return the cells in the order of the file of results."""
        axes = product(self.problems, self.trials, self.delays, self.methods, range(self.seeds))
        return [Cell(*keys, start=self.start) for keys in axes]

    @property
    def command(self) -> str:
        """The command that runs it: its name, and in what it differs from the suite of that name."""
        usual = SUITES.get(self.name, self)
        parts = [f"wayfare bench run {self.name}"]
        for axis in ("methods", "problems", "trials"):
            if (own := getattr(self, axis)) != getattr(usual, axis):
                parts.append(f"--{axis} {','.join(map(str, own))}")
        if self.seeds != usual.seeds:
            parts.append(f"--seeds {self.seeds}")
        return " ".join(parts)

    def restricted(
        self,
        methods: tuple[str, ...] | None = None,
        problems: tuple[str, ...] | None = None,
        seeds: int | None = None,
        trials: int | None = None,
    ) -> "Suite":
        """Return the suite with other methods, problems, seeds or trials; None leaves them as they are."""
        return evolve(
            self,
            methods=self.methods if methods is None else methods,
            problems=self.problems if problems is None else problems,
            seeds=self.seeds if seeds is None else seeds,
            trials=self.trials if trials is None else (trials,),
        )


SUITES = {
    suite.name: suite
    for suite in (
        Suite(
            "quick",
            "a first look, in minutes",
            ("wayfare", "ucb", "ts", "tucb", "tts", "random"),
            ("branin", "dropwave"),
            (40,),
            seeds=3,
        ),
        Suite(
            "paper",
            "the paper's five functions and all methods, as the paper ran them",
            EVERYWHERE,
            ("ackley", "branin", "dropwave", "griewank", "levy"),
            (100,),
            seeds=5,
        ),
        Suite(
            "authors",
            "the authors' later five functions, after 2 d places given for nothing",
            ("wayfare", "tucb", "tts", "ucb", "ts", "mini", "snake", "gs", "lhs-route", "random"),
            ("griewank2", "dropwave2", "levy4", "ackley8", "hartmann6"),
            (200,),
            seeds=10,
        ),
        Suite(
            "field",
            "a flow reactor, a boat on a lake and a drill rig, each from its own start",
            EVERYWHERE,
            ("snar", "lake1", "lake2", "lake3", "lithium"),
            (30, 60),
            seeds=10,
            start="own",
        ),
        Suite(
            "delay",
            "results that come 10 and 25 trials late",
            ("wayfare", "ucb", "tucb", "tts", "snake"),
            ("branin", "ackley"),
            (100,),
            seeds=5,
            delays=(0, 10, 25),
        ),
    )
}


def suite_named(name: str) -> Suite:
    """Return the suite of that name."""
    if name not in SUITES:
        raise InvalidInput(f"suite: none is called {name!r}; {checks.nearest(name, SUITES, 'suites')}")
    return SUITES[name]
