"""Axes and spaces as hypothesis draws them."""

from hypothesis import reject
from hypothesis import strategies as st

from wayfare.errors import InvalidInput
from wayfare.space import Choice, Integer, Real, Space

FINITE = st.floats(-1e6, 1e6, allow_subnormal=False)


@st.composite
def reals(draw, name="real"):
    low = draw(FINITE)
    width = draw(st.one_of(st.just(0.0), st.floats(1e-3, 1e6)))
    if draw(st.booleans()):
        low = abs(low) + 1e-3
        return Real(name, low, low + width, log=True)
    return Real(name, low, low + width)


@st.composite
def integers(draw, name="integer"):
    low = draw(st.integers(-1000, 1000))
    log = low > 0 and draw(st.booleans())
    return Integer(name, low, low + draw(st.integers(0, 40)), step=draw(st.integers(1, 7)), log=log)


@st.composite
def stepped(draw, name="stepped"):
    """Return a real axis in decimal steps, as an instrument has them."""
    decimals = draw(st.integers(0, 4))
    step = draw(st.sampled_from([1, 2, 5])) / 10**decimals
    low = round(draw(st.integers(-500, 500)) * step, decimals)
    log = low > 0 and draw(st.booleans())
    return Real(name, low, low + draw(st.floats(0, 60)) * step, log=log, step=step, unit="°C")


@st.composite
def choices(draw, name="choice"):
    values = st.one_of(st.text("abc xyz", max_size=3), st.integers(-5, 5), st.floats(-5, 5))
    return Choice(name, draw(st.lists(values, min_size=1, max_size=6, unique=True)))


def axes(name="axis"):
    return st.one_of(reals(name), stepped(name), integers(name), choices(name))


@st.composite
def spaces(draw):
    return Space(*(draw(axes(f"x{i}")) for i in range(draw(st.integers(1, 5)))))


@st.composite
def sides(draw, axis):
    """Return what a region may cover of an axis, as a user writes it."""
    if isinstance(axis, Choice):
        return draw(st.lists(st.sampled_from(axis.values), min_size=1, max_size=3))
    within = st.floats(axis.low, axis.high)
    low, high = sorted([draw(within), draw(within)])
    return draw(st.sampled_from([(low, high), (low, None), (None, high)]))


@st.composite
def holed(draw):
    """Return a space with forbidden regions, overlapping or not."""
    axes = draw(spaces()).axes
    regions = []
    for _ in range(draw(st.integers(1, 3))):
        some = draw(st.lists(st.sampled_from(axes), min_size=1, max_size=3, unique=True))
        regions.append({axis.name: draw(sides(axis)) for axis in some})
    try:
        return Space(*axes, forbidden=regions)
    except InvalidInput as refused:
        assert "leaves no places at all" in str(refused)  # noqa: PT017
        reject()
