"""Axes and spaces as hypothesis draws them."""

from hypothesis import strategies as st

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
    return Integer(name, low, low + draw(st.integers(0, 40)), step=draw(st.integers(1, 7)))


@st.composite
def choices(draw, name="choice"):
    values = st.one_of(st.text("abc xyz", max_size=3), st.integers(-5, 5), st.floats(-5, 5))
    return Choice(name, draw(st.lists(values, min_size=1, max_size=6, unique=True)))


def axes(name="axis"):
    return st.one_of(reals(name), integers(name), choices(name))


@st.composite
def spaces(draw):
    return Space(*(draw(axes(f"x{i}")) for i in range(draw(st.integers(1, 5)))))
