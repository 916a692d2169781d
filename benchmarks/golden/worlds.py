"""Where the scripted studies take place: a space, what moving costs, where one stands, what is found."""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

import wayfare as wf

RNG_SEED = 11


class World(NamedTuple):
    """A space with its cost and its function."""

    space: Any
    travel: Any
    start: Any
    value: Callable[[Mapping[str, Any]], float]
    others: Mapping[str, Any] = {}  # further costs, by name

    def with_travel(self, name: str) -> "World":
        """Return the same with another of its costs."""
        return self._replace(travel=self.others[name])


def hill(place: Mapping[str, Any]) -> float:
    """Return a hill with a ripple over x and y from 0 to 10."""
    x, y = float(place["x"]), float(place["y"])
    return 1.0 - ((x - 7) / 6) ** 2 - ((y - 4) / 6) ** 2 + 0.1 * math.sin(2 * x + y)


PLANE = World(
    wf.Space(wf.Real("x", 0, 10), wf.Real("y", 0, 10)),
    wf.Euclidean(unit="km"),
    {"x": 0, "y": 0},
    hill,
    {"chebyshev": wf.Scaled(wf.Chebyshev(scale={"x": 2.0}), 3.0, unit="min")},
)
LINE = World(
    wf.Space(wf.Real("depth_m", 0, 10)),
    wf.Manhattan(unit="m"),
    {"depth_m": 1},
    lambda place: math.sin(0.9 * place["depth_m"]) - 0.05 * place["depth_m"],
)
FIELD = World(
    wf.Space(*(wf.Real(f"x{k}", -1, 1) for k in range(4))),
    wf.Euclidean(unit="m"),
    dict.fromkeys(("x0", "x1", "x2", "x3"), 0.0),
    lambda place: -sum((place[f"x{k}"] - 0.2 * k) ** 2 for k in range(4)),
)
MIXED = World(
    wf.Space(wf.Real("a", 0.1, 10.0, log=True), wf.Integer("b", 0, 12, step=2), wf.Choice("c", ["u", "v", "w"])),
    wf.Manhattan(axes=["a", "b"], scale={"a": 2.0}, unit="min") + wf.Switch("c", 4.0),
    {"a": 1.0, "b": 0, "c": "u"},
    lambda place: -(math.log10(place["a"]) ** 2) - ((place["b"] - 8) / 6) ** 2 + 0.3 * (place["c"] == "v"),
)


def asymmetric() -> World:
    """Return the plane where climbing is slower than coming down."""
    cost = wf.serial(wf.Ramp("x", up=1.0, down=2.0, unit="min"), wf.Ramp("y", up=0.5, down=1.5))
    return PLANE._replace(travel=cost)


def log_axes() -> World:
    """Return a box of two log axes, with a start out of bounds."""
    space = wf.Space(wf.Real("flow", 0.01, 10, log=True), wf.Real("ratio", 1, 1000, log=True))
    cost = wf.parallel(wf.Ramp("flow", up=1.0, down=1.0, unit="min"), wf.Ramp("ratio", up=100, down=100))
    return World(
        space,
        cost,
        {"flow": 0.001, "ratio": 1},
        lambda place: -((math.log10(place["flow"]) + 0.5) ** 2) - (math.log10(place["ratio"]) - 2) ** 2,
    )


def _rows(n: int) -> list[dict[str, float]]:
    rng = np.random.default_rng(RNG_SEED + n)
    table = rng.uniform(0, 10, (n, 2)).round(2)
    return [dict(zip("xy", row, strict=True)) for row in dict.fromkeys(map(tuple, table.tolist()))]


def share(place: Mapping[str, Any]) -> float:
    """Return the hill squeezed between 0 and 1, as some bandits want it."""
    return 0.1 + 0.8 / (1 + math.exp(-hill(place)))


SITES = World(wf.Places(_rows(9)), wf.Euclidean(unit="km"), {"x": 0, "y": 0}, share)
PLOTS = World(wf.Places(_rows(30), once=True), wf.Euclidean(unit="km"), {"x": 0, "y": 0}, hill)


def uneven_table() -> World:
    """Return a table with measured costs that differ there and back."""
    places = wf.Places([{"site": f"s{k}", "height": float(k * k % 7)} for k in range(10)])
    matrix = np.random.default_rng(4).uniform(1, 9, (10, 10)).round(1)
    np.fill_diagonal(matrix, 0.0)
    return World(
        places,
        wf.Table(places, matrix, unit="min"),
        {"site": "s0", "height": 0.0},
        lambda place: -((place["height"] - 4) ** 2) / 9,
    )


def _lake() -> World:
    grid = np.ones((11, 11))
    grid[2:9, 4:6] = 0
    grid[7:10, 8] = 3
    water = wf.Raster(grid, "x", "y", columns=(0, 10), rows=(0, 10), moves="eight", unit="km")
    return World(water.places(), water, {"x": 0, "y": 0}, hill)


def _island() -> World:
    lake = {"type": "Polygon", "coordinates": [[(0, 0), (10, 0), (10, 10), (0, 10), (0, 0)]]}
    island = {"type": "Polygon", "coordinates": [[(3, 1), (7, 1), (7, 9), (3, 9), (3, 1)]]}
    water = wf.Raster.from_polygons(
        geographic=False, allowed=lake, obstacles=island, cell=1.0, moves="any", unit="km", snap="nearest"
    )
    return World(water.places(), water, {"x": 0.5, "y": 0.5}, hill)


LAKE = _lake()
ISLAND = _island()


def _roads() -> World:
    names = [f"n{k}" for k in range(12)]
    rng = np.random.default_rng(6)
    edges: list[Any] = [(names[k], names[(k + 1) % 12], float(rng.integers(2, 8))) for k in range(12)]
    edges += [(names[k], "crossing", float(rng.integers(3, 6))) for k in (0, 4, 8)]
    edges += [("crossing", names[k], 2.5) for k in (0, 4, 8)]
    places = wf.Places([{"node": name, "load": float((5 * k) % 12)} for k, name in enumerate(names)])
    return World(
        places,
        wf.Network(edges, "node", unit="min"),
        {"node": "n0", "load": 0.0},
        lambda place: -(((place["load"] - 7) / 5) ** 2),
        {"directed": wf.Network(edges, "node", directed=True, unit="min")},
    )


ROADS = _roads()


def _warmth(place: Mapping[str, Any]) -> float:
    lat, lon = float(place["lat"]), float(place["lon"])
    return 20 - ((lat - 47.58) * 40) ** 2 - ((lon - 9.44) * 25) ** 2


OUTDOORS = World(
    wf.Space(wf.Real("lat", 47.54, 47.62), wf.Real("lon", 9.36, 9.52)),
    wf.Haversine("lat", "lon", unit="km"),
    {"lat": 47.56, "lon": 9.38},
    _warmth,
    {"minutes": wf.Haversine("lat", "lon", speed=8.0, unit="min")},
)


def _yield(place: Mapping[str, Any]) -> float:
    temperature, flow = float(place["temp_C"]), float(place["flow"])
    nickel = 0.5 if place["catalyst"] == "Ni" else 0.0
    return -(((temperature - 80) / 40) ** 2) - (flow - 1) ** 2 + nickel


_RAMPS = wf.parallel(wf.Ramp("temp_C", up=5 / 60, down=2 / 60, unit="s"), wf.Ramp("flow", up=0.5, down=0.5, unit="s"))
REACTOR_AXES = (wf.Real("temp_C", 40, 120), wf.Real("flow", 0.1, 2.0), wf.Choice("catalyst", ["Pd", "Ni", "none"]))
REACTOR = World(
    wf.Space(*REACTOR_AXES),
    _RAMPS + wf.Switch("catalyst", 900),
    {"temp_C": 25, "flow": 0.1, "catalyst": "Pd"},
    _yield,
    {
        "settling": wf.parallel(
            wf.Settling("temp_C", speed=2.0, threshold=5.0, per_fold=4.0, unit="min"), wf.Ramp("flow", up=1.0, down=1.0)
        )
        + wf.Switch("catalyst", 10.0),
        "fees": wf.serial(
            wf.Fee(2.0, unit="min"),
            wf.Fee(5.0, axes=["catalyst"]),
            wf.Chebyshev(axes=["temp_C", "flow"], scale={"temp_C": 0.1}),
        ),
        "matrix": _RAMPS + wf.Switch("catalyst", [[0, 450, 200], [600, 0, 200], [300, 300, 0]]),
    },
)
