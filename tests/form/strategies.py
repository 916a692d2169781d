"""Specifications as hypothesis draws them, and what makes two of them the same."""

import json

import numpy as np
from hypothesis import strategies as st

from wayfare import form
from wayfare._core.rng import stream
from wayfare.planning.method import Method
from wayfare.planning.opening import JustStart, ShowValues, Survey
from wayfare.policy import (
    UCB,
    EIOnTheWay,
    Elimination,
    ExploreFirst,
    LogEI,
    OnTheWay,
    PureExploration,
    Thompson,
    Uniform,
)
from wayfare.policy.schedule import Fixed, Growing, Horizon, LogLog, OneByOne, Rolling
from wayfare.record.spec import COLUMNS, make_spec
from wayfare.route import AsGiven, FastTsp, HeldKarp, NearestNext, ShortRoute
from wayfare.space import Choice, Integer, Places, Space
from wayfare.surrogate import GP, Measured
from wayfare.travel import Chebyshev, Euclidean, Fee, Manhattan, Parallel, Ramp, Scaled, Serial, Switch, Table

from ..space.strategies import holed, spaces

POSITIVE = st.floats(1e-9, 1e9)
AMOUNTS = st.one_of(st.just(-0.0), st.just(5e-324), st.floats(0, 1e9))
LIMITS = st.floats(-1e300, 1e300)
ANYWHERE = st.one_of(st.just(-0.0), st.just(5e-324), st.just(-5e-324), st.floats(-1e60, 1e60))
NAMES = st.text(min_size=1, max_size=8).filter(lambda text: text.strip())
UNITS = st.sampled_from(["", "s", "€"])


@st.composite
def places(draw):
    n = draw(st.integers(1, 6))
    kinds = {
        "whole": st.integers(-(2**60), 2**60),
        "float": st.floats(-1e6, 1e6),
        "text": st.text("ab\n€", max_size=2),
        "flag": st.booleans(),
    }
    names = draw(st.lists(NAMES, min_size=1, max_size=4, unique=True))
    columns = {}
    for name in names:
        cells = kinds[draw(st.sampled_from(sorted(kinds)))]
        columns[name] = draw(st.lists(cells, min_size=n, max_size=n))
    columns["number"] = list(range(n))  # so that no two rows are alike
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    return Places(rows, once=draw(st.booleans()))


@st.composite
def matrices(draw, n):
    matrix = draw(st.lists(st.lists(AMOUNTS, min_size=n, max_size=n), min_size=n, max_size=n))
    return np.array(matrix) * (1 - np.eye(n))


@st.composite
def leaves(draw, space, unit):
    """Return a cost that holds no further one."""
    numeric = [name for name, values in zip(space.names, space.choices, strict=True) if values is None]
    any_axis = st.sampled_from(space.names)
    kinds = ["switch", "fee", "fee on some"]
    kinds += ["norm", "norm on some", "ramp"] if numeric else []
    kinds += ["matrix"] if len(numeric) < space.d else []
    kinds += ["table"] if isinstance(space, Places) else []
    some = st.lists(st.sampled_from(numeric), min_size=1, unique=True) if numeric else st.nothing()
    norm = draw(st.sampled_from([Euclidean, Manhattan, Chebyshev]))
    match draw(st.sampled_from(kinds)):
        case "switch":
            return Switch(draw(any_axis), draw(AMOUNTS), unit)
        case "fee":
            return Fee(draw(AMOUNTS), unit=unit)
        case "fee on some":
            return Fee(draw(AMOUNTS), draw(st.lists(any_axis, min_size=1, unique=True)), unit)
        case "norm":
            return norm(scale=draw(POSITIVE), unit=unit)
        case "norm on some":
            axes = draw(some)
            return norm(axes, {axis: draw(POSITIVE) for axis in axes[1:]} or draw(POSITIVE), unit)
        case "ramp":
            return Ramp(draw(st.sampled_from(numeric)), draw(POSITIVE), draw(POSITIVE), unit)
        case "matrix":
            axis = draw(any_axis.filter(lambda name: name not in numeric))
            k = len(space.choices[space.column(axis)])
            return Switch(axis, draw(matrices(k)), unit)
        case "table":
            return Table(space, draw(matrices(space.size)), unit)


@st.composite
def costs(draw, space, unit, depth=3):
    kind = draw(st.sampled_from(["leaf", "serial", "parallel", "scaled"])) if depth else "leaf"
    if kind == "leaf":
        return draw(leaves(space, unit))
    within = costs(space, unit, depth - 1)
    if kind == "scaled":
        return Scaled(draw(within), draw(POSITIVE), unit)
    parts = tuple(draw(st.lists(within, min_size=1, max_size=3)))
    return Serial(parts) if kind == "serial" else Parallel(parts)


POLICIES = st.recursive(
    st.one_of(
        st.builds(UCB, st.floats(0, 1e6)),
        st.builds(EIOnTheWay, st.floats(0, 0.99), st.floats(1e-3, 1e3)),
        st.builds(OnTheWay, st.floats(0, 1e6), st.floats(0, 0.99), st.floats(1e-3, 1e3)),
        st.builds(PureExploration, st.booleans()),
        st.sampled_from([Thompson(), LogEI(), Uniform()]),
    ),
    lambda within: st.one_of(
        st.builds(Elimination, within, st.floats(0, 1e6), st.booleans()),
        st.builds(ExploreFirst, within, within, st.floats(0, 1e6), within),
    ),
    max_leaves=3,
)
SCHEDULES = st.one_of(
    st.sampled_from([OneByOne(), LogLog(), Rolling(), Horizon()]),
    st.builds(Fixed, st.integers(1, 99)),
    st.builds(Growing, st.floats(1.0001, 9), st.integers(1, 9), st.sampled_from(["floor", "ceil"])),
)
PLANNERS = st.one_of(
    st.sampled_from([AsGiven(), NearestNext()]),
    st.builds(ShortRoute, st.integers(1, 12), st.integers(0, 9)),
    st.builds(HeldKarp, st.integers(0, 12)),
    st.builds(FastTsp, st.floats(0.1, 99), st.integers(0, 9)),
)
OPENINGS = st.one_of(
    st.sampled_from([JustStart(), ShowValues()]),
    st.builds(Survey, st.integers(1, 99), st.integers(1, 99), st.booleans()),
)
METHODS = st.builds(
    Method, POLICIES, SCHEDULES, st.builds(GP, st.sampled_from(["auto", "rbf", "matern52"])), PLANNERS, OPENINGS
)


@st.composite
def starts(draw, space):
    axes = space.frame.axes if isinstance(space, Places) else space.axes
    values = {
        Choice: lambda axis: draw(st.sampled_from(axis.values)),
        Integer: lambda axis: draw(st.integers(-(2**53), 2**53)),
    }
    return {axis.name: values.get(type(axis), lambda _: draw(ANYWHERE))(axis) for axis in axes}


@st.composite
def specs(draw):
    space = draw(st.one_of(spaces(), holed(), places()))
    own, unit = draw(UNITS), draw(UNITS)
    also = draw(st.lists(st.sampled_from(["m", "kWh", "¥"]), unique=True, max_size=2))
    stated = draw(options(space)) | {"also": [Scaled(draw(costs(space, one)), 1.0, one) for one in also]}
    if also and draw(st.booleans()):
        stated["dwell"] = {one: draw(POSITIVE) for one in [own or unit, *also]}
    return make_spec(
        space,
        draw(st.sampled_from(["maximize", "minimize"])),
        draw(costs(space, own)),
        draw(st.integers(1, space.size if space.once else 10**6)),
        draw(st.one_of(st.none(), starts(space))),
        draw(st.one_of(st.sampled_from(["ucb", "tts", "bpe", "bpe-heuristic"]), METHODS)),
        draw(st.integers(0, 2**128)),
        unit if not own else "",
        draw(st.one_of(st.none(), st.floats(5e-324, 1e300))),
        draw(NAMES),
        check_cost=False,
        **stated,
    )


@st.composite
def options(draw, space):
    """Return limits and checks that a study of this space may have."""
    stated = {
        "budget": draw(st.one_of(st.none(), POSITIVE)),
        "home": draw(st.one_of(st.none(), starts(space))),
        "dwell": draw(st.one_of(st.just(0.0), POSITIVE)),
    }
    if stated["home"] is not None and draw(st.booleans()):
        stated |= {"trip": draw(POSITIVE), "trip_cost": draw(st.one_of(st.just(0.0), POSITIVE))}
    elif draw(st.booleans()):
        stated["max_step"] = draw(POSITIVE)
    if not space.once and draw(st.booleans()):
        inside = space.params(space.sample(1, stream(0, "anchor"))[0])
        stated |= {"anchor": draw(st.sampled_from(["best", inside])), "anchor_every": draw(st.integers(1, 99))}
    stated["stop"] = draw(st.none() | st.builds(dict, gain_below=st.floats(1e-6, 1e6)))
    return stated | {"shuffle": draw(st.floats(0.0, 1.0)), "measured": draw(measured(space))}


def measured(space):
    """Return limits on what is measured, none of which is called like an axis."""
    names = NAMES.filter(lambda name: name == name.strip() and name not in (*space.names, *COLUMNS))
    return st.lists(limits(names), max_size=3, unique_by=lambda limit: limit.name)


@st.composite
def limits(draw, names):
    low, high = draw(st.tuples(LIMITS, LIMITS).map(sorted).filter(lambda pair: pair[0] < pair[1]))
    sides = draw(st.sampled_from([{"at_most": high}, {"at_least": low}, {"at_least": low, "at_most": high}]))
    return Measured(draw(names), **sides, unit=draw(UNITS))


def through_json(written):
    return json.loads(json.dumps(written))


def assert_same(one, other):
    """Refuse any difference between two specifications, to the last bit."""
    fields = ("name", "direction", "trials", "method", "seed", "unit", "noise", "space", "travel")
    for field in fields:
        assert getattr(one, field) == getattr(other, field), field
    for field in ("budget", "dwell", "trip", "trip_cost", "max_step"):
        assert getattr(one.limits, field) == getattr(other.limits, field), field
    assert type(one.space) is type(other.space)
    assert repr(one.travel) == repr(other.travel)  # -0.0 is equal to 0.0, but not the same
    assert repr(one.noise) == repr(other.noise)
    assert one.shuffle == other.shuffle
    assert one.gain_below == other.gain_below
    assert one.also == other.also
    assert repr(one.also) == repr(other.also)
    assert repr(one.measured) == repr(other.measured)
    assert (one.anchor is None) == (other.anchor is None)
    places = [(one.start, other.start), (one.limits.home, other.limits.home)]
    if one.anchor is not None:
        assert one.anchor.every == other.anchor.every
        places.append((one.anchor.place, other.anchor.place))
    for ours, theirs in places:
        assert (ours is None) == (theirs is None)
        assert ours is None or ours.tobytes() == theirs.tobytes()
    if isinstance(one.space, Places):
        assert one.space.table.tobytes() == other.space.table.tobytes()
        assert one.space._whole == other.space._whole
        assert one.space.choices == other.space.choices
        assert one.space.frame == other.space.frame
    else:
        assert isinstance(one.space, Space)
    assert json.dumps(form.write_spec(one)) == json.dumps(form.write_spec(other))
