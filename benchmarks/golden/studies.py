"""The scripted studies: every method, every kind of space and cost, every limit and every mishap, briefly."""

import math
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any

import numpy as np

import wayfare as wf

from .names import keywords, order_keywords
from .record import Log, plain
from .worlds import (
    FIELD,
    ISLAND,
    LAKE,
    LINE,
    MIXED,
    OUTDOORS,
    PLANE,
    PLOTS,
    REACTOR,
    REACTOR_AXES,
    ROADS,
    SITES,
    World,
    asymmetric,
    log_axes,
    uneven_table,
)

Script = Callable[[Log], None]
Mishap = Callable[[Log, wf.Trial, float], Any]
STUDIES: dict[str, Script] = {}


def study(name: str) -> Callable[[Script], Script]:
    """Add a script under a name."""

    def add(script: Script) -> Script:
        if name in STUDIES:
            raise ValueError(f"two studies are called {name}")
        STUDIES[name] = script
        return script

    return add


# ------------------------------------------------------------------ what happens on the way


def spent(factor: float, more: float = 0.0) -> Mishap:
    """The leg cost so many times what was said, and more."""
    return lambda log, trial, value: log.move("tell", trial, value, spent=round(factor * trial.leg + more, 3))


def missed(**settings: Any) -> Mishap:
    """The setting was missed."""
    return lambda log, trial, value: log.move("tell", trial, value, actual=settings)


def failed(**more: Any) -> Mishap:
    """No value."""
    return lambda log, trial, value: log.move("fail", trial, "clogged", **more)


def skipped(log: Log, trial: wf.Trial, value: float) -> Any:
    """Not visited."""
    return log.move("skip", trial, "too steep")


def several(log: Log, trial: wf.Trial, value: float) -> Any:
    """Three results instead of one."""
    return log.move("tell", trial, [value, value + 0.02, value - 0.01], why="thrice")


def value_at(world: World, trial: wf.Trial, drift: float = 0.0) -> float:
    """Return what is found at a trial: the function, a little that looks like noise, and a drift."""
    noise = 0.02 * ((trial.number * 7919) % 13 / 13 - 0.5)
    return round(world.value(trial.params) + noise + drift * trial.number, 6)


def walk(
    log: Log,
    world: World,
    steps: int,
    *,
    at_once: int = 1,
    mishaps: Mapping[int, Mishap] | None = None,
    every: Mishap | None = None,
    drift: float = 0.0,
    reopen_at: int | None = None,
    **asking: Any,
) -> None:
    """Ask and tell for so many steps, or until it is over; of several out, the last comes back first."""
    made = 0
    while made < steps:
        out = []
        for worker in range(at_once):
            options = asking | ({"wait": False} if at_once > 1 else {})
            trial = log.ask(f"w{worker}" if at_once > 1 else "", **options)
            if trial is None:
                break
            out.append(trial)
        if not out:
            return
        for trial in reversed(out):
            value = value_at(world, trial, drift)
            happens = (mishaps or {}).get(trial.number, every)
            if happens is not None:
                happens(log, trial, value)
            elif trial.count > 1:
                log.move("tell", trial, [value + 0.01 * (k % 3) for k in range(trial.count)])
            else:
                log.move("tell", trial, value)
        made += len(out)
        if reopen_at is not None and made >= reopen_at:
            log.reopen()
            reopen_at = None


def add(name: str, world: World, steps: int, *, walking: Mapping[str, Any] | None = None, **options: Any) -> None:
    """Add a study of a world that is created with ``options`` and walked."""

    def script(log: Log) -> None:
        stated: dict[str, Any] = {"travel": world.travel, "start": world.start, "trials": steps} | options
        log.begin(world.space, **stated)
        walk(log, world, steps, **(walking or {}))

    study(name)(script)


def add_partly(name: str, world: World, steps: int, trials: int, **options: Any) -> None:
    """Add a study that is left before its end, so that stops are ahead."""
    walking = options.pop("walking", {})

    def script(log: Log) -> None:
        log.begin(world.space, **({"travel": world.travel, "start": world.start, "trials": trials} | options))
        walk(log, world, steps, **walking)

    study(name)(script)


# ------------------------------------------------------------------ every method

OF_TABLES = ("base", "base-minimax", "base-geometric", "ucb1", "ts-beta", "ts-gauss")
OF_BOXES = ("blin", "mesh-ucb1", "zooming")

for number, method in enumerate(wf.CATALOGUE):
    runs: dict[str, Any] = {"method": method, "seed": number, "walking": {"count": number % 2 == 0}}
    if method in OF_TABLES:
        add_partly(f"method-{method}", SITES, 18, 90, **runs)
    elif method in OF_BOXES:
        add_partly(f"method-{method}", PLANE, 18, 120, noise=0.05, **runs)
    else:
        add_partly(f"method-{method}", (PLANE, MIXED, LINE)[number % 3], 14, 20, method=method, seed=number)

# ------------------------------------------------------------------ spaces and costs

add("box-1d", LINE, 14)
add("box-2d-free-start", PLANE, 12, start=None, seed=3)
add("box-minimize", PLANE, 12, direction="minimize", seed=4)
add_partly("box-4d", FIELD, 14, 24, seed=5)
add_partly("box-4d-tucb", FIELD, 12, 24, method="tucb", seed=6)
add_partly("box-log", log_axes(), 12, 20, seed=7)
add_partly("box-integers-manhattan", MIXED, 12, 20, method="tts", seed=8)
add_partly("box-noise-known", PLANE, 12, 20, noise=0.05, seed=9, method="tei")
add("table-once", PLOTS, 16, seed=1)
add("table-once-all", PLOTS, 24, method="random-route")
add_partly("table-revisit", SITES, 14, 24, seed=2)
add_partly("table-matrix-asymmetric", uneven_table(), 14, 20, method="tucb", seed=3)
add_partly("map-raster", LAKE, 12, 18, seed=1)
add_partly("map-raster-snake", LAKE, 8, 14, method="snake", seed=2)
add_partly("map-polygons", ISLAND, 10, 16, seed=1)
add_partly("map-roads", ROADS, 12, 18, seed=1)
add_partly("map-roads-directed", ROADS.with_travel("directed"), 10, 16, method="tucb", seed=2)
add_partly("earth", OUTDOORS, 12, 18, seed=1)
add_partly("earth-minutes", OUTDOORS.with_travel("minutes"), 10, 18, method="lhs-route", dwell=3, home="start")
add_partly("reactor", REACTOR, 14, 24, seed=7, unit="s")
add_partly("reactor-settling", REACTOR.with_travel("settling"), 12, 20, seed=1, method="tucb")
add_partly("reactor-fees", REACTOR.with_travel("fees"), 12, 20, seed=2, method="tts")
add_partly("reactor-switch-matrix", REACTOR.with_travel("matrix"), 12, 20, seed=3)
add_partly("asymmetric-plane", asymmetric(), 12, 20, seed=4)
add_partly("chebyshev-scaled", PLANE.with_travel("chebyshev"), 12, 20, seed=5, method="bpe-heuristic")


@study("custom-cost")
def custom_cost(log: Log) -> None:
    """A cost that is a function: it must be given again when the file is opened."""

    def uphill(origin: Mapping[str, float], target: Mapping[str, float]) -> float:
        rise = target["y"] - origin["y"]
        return abs(target["x"] - origin["x"]) + (2.0 * rise if rise > 0 else -rise)

    cost = wf.Custom(uphill, named=True, unit="min")
    log.begin(PLANE.space, travel=cost, trials=12, start=PLANE.start, seed=2, method="tucb")
    walk(log, PLANE, 5)
    log.reopen(travel=cost)
    walk(log, PLANE, 4)
    found = cost.check(PLANE.space)
    log.note("check", None, str(found))


@study("own-method")
def own_method(log: Log) -> None:
    """Methods put together by hand."""
    made = wf.Method(
        wf.Elimination(wf.UCB(beta=2.0), eta=1.0),
        wf.Fixed(4),
        surrogate=wf.GP(),
        planner=wf.ShortRoute(),
        opening=wf.Survey(least=5, designs=4),
    )
    log.begin(PLANE.space, travel=PLANE.travel, trials=16, start=PLANE.start, method=made, seed=5)
    walk(log, PLANE, 10)


@study("own-method-as-given")
def own_method_as_given(log: Log) -> None:
    """A method that does not order its stops."""
    made = wf.Method(wf.Uniform(), wf.Fixed(5), planner=wf.AsGiven(), opening=wf.JustStart())
    log.begin(PLANE.space, travel=PLANE.travel, trials=16, start=PLANE.start, method=made, seed=6)
    walk(log, PLANE, 9)


@study("fixed-axes")
def fixed_axes(log: Log) -> None:
    """Axes of a single value."""
    space = wf.Space(
        wf.Real("x", 0, 10), wf.Real("y", 0, 10), wf.Integer("batch", 3, 3), wf.Choice("operator", ["only"])
    )
    start = {"x": 1, "y": 2, "batch": 3, "operator": "only"}
    log.begin(space, travel=wf.Euclidean(axes=["x", "y"], unit="m"), trials=14, start=start, seed=1)
    walk(log, PLANE, 10)


@study("forbidden")
def forbidden(log: Log) -> None:
    """Regions where nobody may go."""
    regions: list[Any] = [{"x": (2, 6), "y": (3, None)}, {"x": (8, None), "y": (None, 1)}]
    space = wf.Space(wf.Real("x", 0, 10), wf.Real("y", 0, 10), forbidden=regions)
    log.begin(space, travel=PLANE.travel, trials=18, start=PLANE.start, seed=1)
    walk(log, PLANE, 8)
    log.insert({"x": 4, "y": 8})
    log.insert({"x": 9, "y": 0.5})
    walk(log, PLANE, 4, mishaps={10: missed(x=4.0, y=5.0)})


@study("forbidden-choice")
def forbidden_choice(log: Log) -> None:
    """A region that names a choice."""
    space = wf.Space(*REACTOR_AXES, forbidden=[{"temp_C": (95, None), "catalyst": ["Ni"]}])
    log.begin(space, travel=REACTOR.travel, trials=16, start=REACTOR.start, seed=2, method="tucb")
    walk(log, REACTOR, 12)


# ------------------------------------------------------------------ limits, one at a time

HOME: dict[str, Any] = {"home": "start"}
add("budget", PLANE, 16, budget=30, seed=1)
add("budget-home", PLANE, 16, budget=30, dwell=0.5, seed=1, **HOME)
add("budget-home-elsewhere", PLANE, 16, budget=26, home={"x": 12, "y": -1}, seed=2)
add("budget-tight", PLANE, 16, budget=9, dwell=0.25, seed=3, **HOME)
add("budget-told", PLANE, 16, budget=40, seed=4, walking={"every": spent(1.4, 0.2)}, **HOME)
add("budget-overdrawn", PLANE, 16, budget=22, seed=5, walking={"mishaps": {2: spent(6.0)}}, **HOME)
add("budget-at-once", PLANE, 18, budget=40, seed=6, walking={"at_once": 3}, method="tucb", **HOME)
add(
    "budget-at-once-told",
    PLANE,
    18,
    budget=45,
    seed=7,
    walking={"at_once": 3, "every": spent(1.3, 0.1)},
    method="random-route",
    **HOME,
)
add("budget-table-once", PLOTS, 16, budget=40, dwell=0.5, seed=8, **HOME)
add("budget-raster", LAKE, 14, budget=40, dwell=0.5, seed=9, **HOME)
add("budget-roads", ROADS, 14, budget=70, dwell=1, seed=9, **HOME)
add("budget-reactor", REACTOR, 16, budget=9000, dwell=60, seed=10, unit="s")
add("budget-earth", OUTDOORS, 14, budget=30, seed=11, **HOME)
add("budget-bandit", SITES, 24, budget=60, method="base", dwell=0.25, walking={"count": True}, **HOME)
add_partly("dwell-only", PLANE, 8, 14, dwell=1.5, seed=2)
add_partly("home-only", PLANE, 8, 14, seed=2, method="random-route", **HOME)
add("max-step", PLANE, 20, max_step=2, seed=1, method="random-route")
add("max-step-wayfare", PLANE, 18, max_step=1.5, seed=2)
add("max-step-budget", PLANE, 20, max_step=2, budget=28, dwell=0.2, seed=3, method="tucb", **HOME)
add("max-step-told", PLANE, 16, max_step=2.5, seed=4, walking={"every": spent(1.2)})
add("anchor-start", PLANE, 20, anchor="start", anchor_every=4, seed=1, noise=0.05, walking={"drift": -0.05})
add("anchor-best", PLANE, 18, anchor="best", anchor_every=3, seed=2)
add("anchor-place-budget", PLANE, 18, anchor={"x": 5, "y": 5}, anchor_every=4, budget=40, seed=3, **HOME)
add("anchor-max-step", PLANE, 18, anchor="start", anchor_every=5, max_step=2.5, seed=4, method="random-route")
add("drift-random", PLANE, 22, anchor="start", anchor_every=3, method="random", walking={"drift": -0.2})
add_partly("shuffle-quarter", PLANE, 8, 16, shuffle=0.25, method="random-route", seed=1)
add("shuffle-all-budget", PLANE, 16, shuffle=1, budget=45, method="tucb", seed=2, **HOME)
add_partly("shuffle-table", PLOTS, 10, 18, shuffle=0.5, method="lhs-route", seed=3)
add_partly("learned", PLANE, 9, 18, method="random-route", seed=1, walking={"every": spent(1.5, 0.2)})
add_partly(
    "currencies",
    REACTOR,
    10,
    18,
    also=[wf.Fee(20, unit="EUR"), wf.Scaled(wf.Ramp("temp_C", 1, 1), 0.5, unit="kWh")],
    dwell={"s": 30, "EUR": 3, "kWh": 0.5},
    seed=1,
    unit="s",
)
add("currencies-budget", PLANE, 14, also=[wf.Fee(2, unit="EUR")], budget=30, seed=2, **HOME)
add_partly("at-once", PLANE, 12, 20, seed=3, walking={"at_once": 4})
add_partly("at-once-table-once", PLOTS, 12, 20, seed=3, method="tts", walking={"at_once": 3})
add_partly("reopened", PLANE, 12, 20, seed=5, walking={"reopen_at": 5})

# ------------------------------------------------------------------ budgets with trips

add("trip", PLANE, 14, trip=25, trip_cost=1, dwell=0.5, method="random-route", seed=1, **HOME)
add("trip-wayfare", PLANE, 16, trip=20, seed=2, **HOME)
add("trip-tucb", PLANE, 16, trip=22, trip_cost=0.5, seed=3, method="tucb", **HOME)
add("trip-tight", PLANE, 14, trip=12, seed=4, home={"x": 5, "y": 5})
add("trip-budget", PLANE, 16, trip=22, trip_cost=1, budget=60, dwell=0.5, seed=5, **HOME)
add("trip-budget-tight", PLANE, 16, trip=15, trip_cost=2, budget=30, dwell=0.5, seed=6, **HOME)
add("trip-budget-very-tight", PLANE, 16, trip=9, trip_cost=0.5, budget=14, dwell=0.25, seed=7, **HOME)
add("trip-budget-random", PLANE, 18, trip=22, budget=70, seed=8, method="random-route", **HOME)
add("trip-budget-tts", PLANE, 14, trip=24, budget=75, dwell=0.3, seed=9, method="tts", **HOME)
add("trip-budget-snake", PLANE, 12, trip=24, budget=60, seed=10, method="snake", **HOME)
add("trip-budget-told", PLANE, 16, trip=25, trip_cost=1, budget=90, seed=11, walking={"every": spent(1.3, 0.1)}, **HOME)
add("trip-budget-cheaper", PLANE, 16, trip=22, budget=50, seed=12, walking={"every": spent(0.7)}, **HOME)
add(
    "trip-budget-at-once",
    PLANE,
    18,
    trip=24,
    trip_cost=1,
    budget=80,
    seed=13,
    walking={"at_once": 3},
    method="tucb",
    **HOME,
)
add(
    "trip-budget-at-once-told",
    PLANE,
    16,
    trip=25,
    budget=70,
    seed=14,
    walking={"at_once": 2, "every": spent(1.25)},
    method="random-route",
    **HOME,
)
add("trip-budget-table", PLOTS, 18, trip=24, trip_cost=1, budget=70, dwell=0.5, seed=15, **HOME)
add("trip-budget-sites", SITES, 18, trip=24, budget=60, seed=16, method="tucb", **HOME)
add("trip-budget-raster", LAKE, 14, trip=32, trip_cost=1, budget=80, dwell=0.5, seed=17, **HOME)
add("trip-budget-roads", ROADS, 14, trip=40, budget=110, dwell=1, seed=18, **HOME)
add("trip-budget-earth", OUTDOORS, 14, trip=22, trip_cost=0.5, budget=60, seed=19, **HOME)
add("trip-budget-asymmetric", asymmetric(), 14, trip=40, trip_cost=1, budget=110, dwell=0.5, seed=20, **HOME)
add("trip-budget-anchor", PLANE, 16, trip=24, budget=90, anchor="best", anchor_every=4, seed=21, **HOME)
add("trip-budget-shuffle", PLANE, 16, trip=24, budget=90, shuffle=0.5, method="tucb", seed=22, **HOME)
add("trip-currencies", PLANE, 14, trip=24, trip_cost=1, also=[wf.Fee(2, unit="EUR")], dwell=0.4, seed=23, **HOME)
add_partly("trip-under-way", PLANE, 7, 18, trip=24, budget=90, method="random-route", seed=24, **HOME)
add_partly("trip-elsewhere", LINE, 8, 16, trip=22, trip_cost=1, seed=25, method="tucb", home={"depth_m": 0})


@study("trip-mishaps")
def trip_mishaps(log: Log) -> None:
    """Trips with skipped stops, missed settings, an extra place, and the traveller put home by hand."""
    limits: dict[str, Any] = {"trip": 24, "trip_cost": 1, "budget": 95, "dwell": 0.5, "home": "start"}
    log.begin(PLANE.space, travel=PLANE.travel, trials=22, start=PLANE.start, method="random-route", seed=26, **limits)
    walk(log, PLANE, 4, mishaps={1: skipped, 2: missed(x=6.5), 3: spent(2.0)})
    log.insert({"x": 2.0, "y": 3.0}, dry_run=True)
    log.insert({"x": 2.0, "y": 3.0})
    log.move("tell", 4, 0.3)
    log.replan(PLANE.start, why="battery changed early")
    walk(log, PLANE, 4, mishaps={6: failed(spent=3.0)})
    log.replan({"x": 5, "y": 5})
    log.insert({"x": 9.9, "y": 9.9})
    walk(log, PLANE, 6)
    log.move("amend", 2, actual={"x": 7.5}, spent=2.5, why="misread")
    walk(log, PLANE, 4)


# ------------------------------------------------------------------ the world as it is


@study("mishaps")
def mishaps(log: Log) -> None:
    """Everything that can happen to a trial, and what is refused."""
    log.begin(PLANE.space, travel=PLANE.travel, trials=24, start=PLANE.start, seed=3, method="tucb")
    happen: dict[int, Mishap] = {1: spent(1.2), 2: missed(x=3.3), 3: failed(), 4: skipped, 5: several}
    walk(log, PLANE, 8, mishaps=happen)
    log.move("amend", 1, 0.75, why="wrong peak")
    log.move("amend", 2, actual={"y": 4.4})
    log.move("amend", 0, spent=1.5)
    log.move("amend", 6, withdraw=True, why="leak")
    log.insert({"x": 5.0, "y": 5.0}, dry_run=True)
    log.insert({"x": 5.0, "y": 5.0}, count=2, worker="night")
    log.move("tell", 8, 0.4, count=2, variance=0.01)
    log.move("tell", 8, 0.5)
    log.move("tell", 99, 0.5)
    log.move("tell", 0, float("nan"))
    log.insert({"x": 50.0, "y": 5.0})
    log.replan({"x": 0.5}, why="moved the rig")
    log.replan()
    walk(log, PLANE, 5, mishaps={9: missed(x=-1.0, y=12.0), 10: failed(actual={"x": 1.0}, spent=4.0)})
    log.ask("late", wait=False)
    log.ask("later", wait=False)


@study("mishaps-reactor")
def mishaps_reactor(log: Log) -> None:
    """The same with choices and an asymmetric cost."""
    log.begin(REACTOR.space, travel=REACTOR.travel, trials=20, start=REACTOR.start, seed=5, unit="s")
    happen: dict[int, Mishap] = {
        1: missed(temp_C=78.5),
        2: missed(catalyst="Ni"),
        3: failed(actual={"flow": 0.2}),
        4: skipped,
        5: spent(1.1, 30),
    }
    walk(log, REACTOR, 9, mishaps=happen)
    log.insert({"temp_C": 80, "flow": 1.0, "catalyst": "Pd"})
    log.replan({"temp_C": 30.0})
    walk(log, REACTOR, 3)


@study("mishaps-table-once")
def mishaps_table_once(log: Log) -> None:
    """Skipped and failed places of a table that is visited once."""
    log.begin(PLOTS.space, travel=PLOTS.travel, trials=14, start=PLOTS.start, seed=6, budget=60, home="start")
    walk(log, PLOTS, 6, mishaps={1: skipped, 2: failed(), 4: spent(1.5)})
    place = dict(log.on.trials[1].params)
    log.insert(place)
    walk(log, PLOTS, 6)


@study("budget-insert")
def budget_insert(log: Log) -> None:
    """Extra places that a budget allows and refuses; legs still out that are expected to cost more."""
    log.begin(
        PLANE.space,
        travel=PLANE.travel,
        trials=24,
        start=PLANE.start,
        seed=8,
        budget=45,
        dwell=0.3,
        home="start",
        method="random-route",
    )
    walk(log, PLANE, 7, every=spent(1.4, 0.1))
    log.ask("a", wait=False)
    log.ask("b", wait=False)
    log.preview()
    log.insert({"x": 9.5, "y": 9.5})
    log.insert({"x": 3.0, "y": 3.0})
    walk(log, PLANE, 6)


@study("requests")
def requests(log: Log) -> None:
    """The same request sent twice happens once."""
    log.begin(PLANE.space, travel=PLANE.travel, trials=12, start=PLANE.start, seed=9)
    walk(log, PLANE, 3)
    for _ in range(2):
        log.run("ask", log.name, "--json")
        log.requests -= 1
    log.requests += 1
    for _ in range(2):
        log.run("tell", log.name, "3", "0.5", "--spent", "2", "--json")
        log.requests -= 1
    log.requests += 1
    log.reopen()
    walk(log, PLANE, 3)


@study("refusals")
def refusals(log: Log) -> None:
    """What is refused at the door."""
    log.begin(PLANE.space, travel=PLANE.travel, trials=6, start=PLANE.start)
    base: dict[str, Any] = {"travel": PLANE.travel, "trials": 6, "start": PLANE.start, "store": None}
    wrong: list[dict[str, Any]] = [
        {"trials": 0},
        {"budget": -1},
        {"trip": 5},
        {"trip": 5, "home": "start", "max_step": 1},
        {"trip_cost": 1, "home": "start"},
        {"trip": 0.01, "home": {"x": -40, "y": 0}},
        {"budget": 1, "home": {"x": 300, "y": 0}},
        {"anchor": "best"},
        {"anchor": {"x": 99, "y": 0}, "anchor_every": 3},
        {"shuffle": 2},
        {"method": "tucbb"},
        {"method": "ucb1"},
        {"direction": "up"},
        {"start": {"x": 1}},
        {"also": [wf.Fee(1)]},
        {"home": "nowhere"},
        {"dwell": -1},
        {"noise": -1},
        {"seed": -1},
    ]
    kept = log.study
    for options in wrong:
        with suppress(RuntimeError):
            log.begin(PLANE.space, **(base | options))
    log.study = kept
    walk(log, PLANE, 4)


@study("several-results")
def several_results(log: Log) -> None:
    """Runs: as lists, as means, fewer and more than were asked for, and taken one by one."""
    log.begin(SITES.space, travel=SITES.travel, trials=150, start=SITES.start, method="base", seed=2, dwell=0.1)
    walk(log, SITES, 5, count=True)
    trial = log.ask(count=True)
    if trial is not None:
        log.move("tell", trial, 0.4)
        log.move("tell", trial, 0.4, count=trial.count + 1, variance=0.02)
        log.move("amend", trial, [0.3, 0.5])
    walk(log, SITES, 5)


@study("in-memory")
def in_memory(log: Log) -> None:
    """A store in memory that two studies share."""
    store = wf.MemoryStore()
    log.begin(PLANE.space, travel=PLANE.travel, trials=10, start=PLANE.start, store=store, method="tucb")
    walk(log, PLANE, 6)
    log.note("trials", [trial.leg for trial in wf.Study.open(store, log.name).trials])
    log.begin(LINE.space, travel=LINE.travel, trials=8, start=LINE.start, store=store, name="other")
    walk(log, LINE, 5)
    log.note("best", None, str(log.on.best()))


@study("one-call")
def one_call(log: Log) -> None:
    """The loop in one call, and a route alone."""

    def height(x: float, y: float) -> float:
        return PLANE.value({"x": x, "y": y})

    options: dict[str, Any] = {"trials": 14, "start": {"x": 0, "y": 0}, "seed": 4}
    limits: dict[str, Any] = keywords({"budget": 40, "home": "start", "dwell": 0.5})
    for call in (wf.maximize, wf.minimize):
        made = call(height, PLANE.space, travel=PLANE.travel, **(options | limits))
        log.note(call.__name__, [[trial.leg, *trial.x, trial.value] for trial in made.trials], str(made.ledger()))
    rng = np.random.default_rng(5)
    table = [dict(zip("xy", row, strict=True)) for row in rng.uniform(0, 10, (40, 2)).round(3).tolist()]
    for ends in ({}, {"start": table[3]}, {"start": table[3], "home": table[3]}, {"home": table[0]}):
        for cost in (PLANE.travel, asymmetric().travel):
            route = wf.order(table, cost, **order_keywords(ends))
            shown = [plain(route.order), plain(route.legs), route.last_leg, route.cost]
            log.note("order", shown, str(route))
    for world in (PLANE, LINE, REACTOR, LAKE):
        found = wf.dimension(world.space, world.travel)
        shown = [found.estimate, found.low, found.high, found.radii, found.balls]
        log.note("dimension", shown, str(found))


@study("plots")
def plots(log: Log) -> None:
    """The lines of the two pictures."""
    import matplotlib

    matplotlib.use("Agg")
    log.begin(PLANE.space, travel=PLANE.travel, trials=16, start=PLANE.start, seed=1, home="start", budget=60)
    walk(log, PLANE, 8)
    for name in ("plot_route", "plot_history"):
        drawn = getattr(log.on, name)()
        axes = (drawn[0] if isinstance(drawn, tuple) else drawn).figure.axes
        lines = [[line.get_xydata() for line in one.lines] for one in axes]
        labels = [[one.get_title(), one.get_xlabel(), one.get_ylabel()] for one in axes]
        log.note(name, lines, str(labels))


# ------------------------------------------------------------------ by the command line

SNAR = """
name = "cli-reactor"
direction = "maximize"
trials = 14
start = {temp_C = 25, flow_uL_min = 100, catalyst = "Pd"}
seed = 3
unit = "min"
budget = 600
home = "start"
dwell = {min = 2, EUR = 10}
method = {policy = {kind = "ucb", beta = 4.0}, schedule = {kind = "fixed", size = 4}}

[[axis]]
name = "temp_C"
kind = "integer"
low = 40
high = 120
step = 5

[[axis]]
name = "flow_uL_min"
kind = "integer"
low = 100
high = 2000
step = 100

[[axis]]
name = "catalyst"
kind = "choice"
values = ["Pd", "Ni"]

[[forbidden]]
temp_C = [110, inf]
catalyst = ["Ni"]

[travel]
kind = "serial"
unit = "min"
parts = [
    {kind = "parallel", parts = [
        {kind = "ramp", axis = "temp_C", up = 2.5, down = 1.0},
        {kind = "settling", axis = "flow_uL_min", speed = 100.0, threshold = 400.0, per_fold = 4.0},
    ]},
    {kind = "switch", axis = "catalyst", fee = [[0, 45], [60, 0]]},
]

[[also]]
kind = "fee"
amount = 4
unit = "EUR"
"""

OLD_RESULTS = "temp_C,flow_uL_min,catalyst,value\n80,800,Ni,0.69\n40,100,Pd,0.04\n95,700,Ni,0.85\n"


@study("cli-reactor")
def cli_reactor(log: Log) -> None:
    """A day at the reactor, with results from before the study."""
    name = log.name
    log.run("new", log.file("snar.toml", SNAR))
    old = log.file("old.csv", OLD_RESULTS)
    log.run("import", name, old, "--prior", "--dry-run")
    log.run("import", name, old, "--prior")
    log.run("import", name, old, "--prior")
    log.run("plan", name)
    for number, value in enumerate((0.1, 0.2), 3):
        log.run("ask", name)
        log.run("plan", name)
        log.run("tell", name, str(number), str(value))
    log.run("ask", name, "--json")
    log.run("tell", name, "5", "0.3", "--actual", "temp_C=78", "--spent", "22", "--why", "late")
    log.run("ask", name, "--worker", "ana")
    log.run("fail", name, "6", "--why", "clogged")
    log.run("ask", name)
    log.run("skip", name, "7", "--why", "pressure")
    log.run("insert", name, "temp_C=70", "flow_uL_min=400", "catalyst=Ni", "--dry-run")
    log.run("insert", name, "temp_C=70", "flow_uL_min=400", "catalyst=Ni", "--count", "2")
    log.run("insert", name, "temp_C=115", "flow_uL_min=400", "catalyst=Ni")
    log.run("tell", name, "8", "0.4")
    log.run("tell", name, "8", "0.4", "0.44")
    log.run("amend", name, "3", "0.15", "--why", "wrong peak")
    log.run("amend", name, "4", "--withdraw", "--json")
    log.run("replan", name, "--from", "temp_C=30", "--why", "cooled down")
    log.run("ask", name, "--no-wait")
    log.run("ask", name, "--no-wait", "--worker", "bo")
    log.run("tell", name, "nonsense", "1")
    log.run("tell", name, "77", "1")
    sheet = log.run("export", name, "--format", "csv")
    rows = [line.split(",") for line in str(sheet["data"]).splitlines()]
    value, state = rows[0].index("value"), rows[0].index("state")
    for row in rows[1:]:
        if row[state] == "asked":
            row[value] = "0.5"
    filled = log.file("filled.csv", "\n".join(map(",".join, rows)) + "\n")
    log.run("import", name, filled)
    log.run("import", name, filled)
    log.run("status", name)


MAP = """
name = "cli-map"
direction = "maximize"
trials = 12
start = {lon = 9.38, lat = 47.56}
home = "start"
budget = 30000
dwell = 100
trip = 16000
trip_cost = 250
seed = 2

[map]
allowed = "lake.geojson"
obstacles = "island.geojson"
cell = 400
snap = "nearest"
"""
SHORE = (
    '{"type": "Polygon", "coordinates": [[[9.36, 47.54], [9.46, 47.54], [9.46, 47.60], [9.36, 47.60], [9.36, 47.54]]]}'
)
ISLET = (
    '{"type": "Polygon", "coordinates": [[[9.40, 47.55], [9.42, 47.55], [9.42, 47.585], [9.40, 47.585], '
    "[9.40, 47.55]]]}"
)


@study("cli-map")
def cli_map(log: Log) -> None:
    """A boat on a lake with an island, from files."""
    log.file("lake.geojson", SHORE)
    log.file("island.geojson", ISLET)
    log.run("new", log.file("boat.toml", MAP))
    log.reopen()
    walk(log, OUTDOORS, 7, mishaps={2: spent(1.3)})
    log.run("plan", log.name)


WELLS = """
name = "cli-wells"
direction = "minimize"
trials = 8
start = {east_m = 0, north_m = 0}
home = {east_m = 10, north_m = 0}
trip = 900
dwell = 5

[places]
file = "wells.csv"
names = ["east_m", "north_m"]
once = true

[travel]
kind = "euclidean"
unit = "m"
"""


@study("cli-wells")
def cli_wells(log: Log) -> None:
    """A table of places from a file, handed out on a sheet."""
    rng = np.random.default_rng(2)
    rows = rng.integers(-200, 200, (12, 2)).tolist()
    table = "well,east_m,north_m\n" + "".join(f"w{k},{x},{y}\n" for k, (x, y) in enumerate(rows))
    log.run("new", log.file("wells.toml", WELLS), "--json")
    log.file("wells.csv", table)
    log.run("new", log.file("wells.toml", WELLS), "--json")
    log.reopen()
    world = World(PLANE.space, PLANE.travel, None, lambda p: math.hypot(p["east_m"] - 50, p["north_m"] + 20) / 100)
    walk(log, world, 4)
    log.run("sheet", log.name, "--take", "2", "--format", "csv")
    log.run("tell", log.name, "4", "0.7")
    log.run("tell", log.name, "5", "0.8", "--spent", "400")
    log.reopen()
    walk(log, world, 4)


@study("cli-order")
def cli_order(log: Log) -> None:
    """A route through places made elsewhere, and the catalogue."""
    rng = np.random.default_rng(3)
    rows = rng.uniform(0, 10, (15, 2)).round(2).tolist()
    table = log.file("places.csv", "site,x,y\n" + "".join(f"s{k},{x},{y}\n" for k, (x, y) in enumerate(rows)))
    log.run("order", table)
    ends = ("--start", "x=0", "--start", "y=0", "--home", "x=5", "--home", "y=5")
    log.run("order", table, *ends, "--unit", "m", "--metric", "manhattan")
    log.run("order", table, "--json", *ends)
    parts = '{kind = "ramp", axis = "x", up = 1, down = 2}, {kind = "fee", amount = 1}'
    ramps = f'[travel]\nkind = "serial"\nparts = [{parts}]\n'
    log.run("order", table, "--travel", log.file("travel.toml", ramps), "--start", "x=1", "--start", "y=1")
    log.run("methods")
    log.run("methods", "--json")
