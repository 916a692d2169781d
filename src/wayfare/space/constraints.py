"""Constraints between axes: sums, products and ratios, axes that belong to others, and rules of the user's own.

Each says which places keep it. How places that keep all of them are found is in ``region``.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from attrs import field, frozen

from wayfare._core import checks
from wayfare._core.arrays import Mask, Points, Values
from wayfare.errors import InvalidInput
from wayfare.space.axes import Axis, Choice, Scalar
from wayfare.space.reading import check_known, read_value

TOLERANCE = 1e-9
"""How far rounding may take a sum or product from its bound, as a share of its terms."""


class Constraint(Protocol):
    """A rule that every place keeps, once ``bind`` has told it the columns of its axes."""

    def bind(self, axes: Sequence[Axis], where: str) -> "Constraint":
        """Return the constraint for these axes, everything in it checked; ``where`` begins a refusal."""

    def keeps(self, x: Points) -> Mask:
        """Return which rows keep it."""


def _bounds(at_least: object, at_most: object, equals: object, what: str) -> tuple[float, float]:
    """Return the lower and the upper bound of a sum or product; infinite where it is open."""
    if equals is not None:
        if at_least is not None or at_most is not None:
            raise InvalidInput(f"{what}: equals excludes at_least and at_most; leave them out")
        number = checks.number(equals, f"{what}: equals")
        return number, number
    if at_least is None and at_most is None:
        raise InvalidInput(f"{what} has no bound; give at_most, at_least or equals")
    low = -math.inf if at_least is None else checks.number(at_least, f"{what}: at_least")
    high = math.inf if at_most is None else checks.number(at_most, f"{what}: at_most")
    if low > high:
        raise InvalidInput(f"{what}: at_least {low:g} is above at_most {high:g}; swap them")
    return low, high


def _numbers(of: object, what: str, noun: str) -> dict[str, float]:
    """Return the weights or powers by axis; a list of axes has 1 for each."""
    if isinstance(of, Sequence) and not isinstance(of, str) and len(set(of)) == len(of):
        of = dict.fromkeys(of, 1.0)
    if not isinstance(of, Mapping) or not of:
        raise InvalidInput(f"{what} takes a dict of {noun} by axis, or a list of axes, got {of!r}")
    numbers = {axis: checks.number(number, f"{what}: {noun} of {axis!r}") for axis, number in of.items()}
    if 0.0 in numbers.values():
        nothing = next(axis for axis, number in numbers.items() if number == 0)
        raise InvalidInput(f"{what}: {nothing!r} has 0, which says nothing; leave it out")
    return numbers


def _columns(of: Iterable[str], axes: Sequence[Axis], where: str) -> tuple[int, ...]:
    """Return the columns of axes of numbers."""
    names = [axis.name for axis in axes]
    check_known(of, names, where)
    found = tuple(names.index(name) for name in of)
    for column in found:
        if isinstance(axes[column], Choice):
            raise InvalidInput(f"{where}: axis {names[column]!r} is a choice, and has no numbers; use Only or a region")
    return found


def _check_units(axes: Sequence[Axis], where: str) -> None:
    """Refuse a plain sum of axes in different units; weights other than 1 may turn one into the other."""
    stated = {axis.unit: axis for axis in reversed(axes) if axis.unit}
    if len(stated) > 1:
        *_, (there, b), (here, a) = stated.items()
        raise InvalidInput(
            f"{where} adds {a.name!r} in {here} and {b.name!r} in {there}; give weights that make one unit of both"
        )


def _bounded(said: str, low: float, high: float) -> str:
    if low == high:
        return f"{said} = {low:.6g}"
    if high == math.inf:
        return f"{said} at least {low:.6g}"
    return f"{said} at most {high:.6g}" if low == -math.inf else f"{said} from {low:.6g} to {high:.6g}"


@frozen(init=False, repr=False)
class Linear:
    """A weighted sum of axes with a bound: ``Linear({"x": 1, "y": 1}, at_most=1)``; for a mixture ``equals=1``.

    Attributes:
        of: the weight of each axis; given as a list of axes, 1 each.
        low: what the sum must be at least.
        high: what it must be at most.
    """

    of: dict[str, float] = field(hash=False)
    low: float
    high: float
    columns: tuple[int, ...] = field(default=(), eq=False)

    def __init__(
        self,
        of: Mapping[str, float] | Sequence[str],
        *,
        at_most: float | None = None,
        at_least: float | None = None,
        equals: float | None = None,
    ) -> None:
        low, high = _bounds(at_least, at_most, equals, "Linear")
        self.__attrs_init__(_numbers(of, "Linear", "weight"), low, high)

    def bind(self, axes: Sequence[Axis], where: str) -> "Linear":
        """Return the constraint for these axes."""
        columns = _columns(self.of, axes, where)
        _check_units([axes[at] for at in columns if abs(self.of[axes[at].name]) == 1], where)
        bound = object.__new__(Linear)
        bound.__attrs_init__(self.of, self.low, self.high, columns)
        return bound

    @property
    def weights(self) -> Values:
        """The weights, in the order of ``columns``."""
        return np.array(list(self.of.values()))

    @property
    def is_equality(self) -> bool:
        """Whether the sum must have one value."""
        return self.low == self.high

    def excess(self, x: Points) -> Values:
        """Return how far the sum of each row is out of its bounds, as a share of the sum of its terms."""
        terms = x[:, list(self.columns)] * self.weights
        total = terms.sum(axis=1)
        return np.asarray(np.abs(np.clip(total, self.low, self.high) - total) / (np.abs(terms).sum(axis=1) + 1e-300))

    def keeps(self, x: Points) -> Mask:
        """Return which rows keep it, but for rounding."""
        terms = x[:, list(self.columns)] * self.weights
        slack = TOLERANCE * (np.abs(terms).sum(axis=1) + min(abs(self.low), abs(self.high)))
        total = terms.sum(axis=1)
        return np.asarray((total >= self.low - slack) & (total <= self.high + slack))

    def __str__(self) -> str:
        """Return the constraint in words: ``a + 2 b at most 1``."""
        terms = [
            f"{'- ' if w < 0 else '+ '}{'' if abs(w) == 1 else f'{abs(w):.6g} '}{axis}" for axis, w in self.of.items()
        ]
        return _bounded(" ".join(terms).removeprefix("+ "), self.low, self.high)

    def __repr__(self) -> str:
        return f"Linear({self.of!r}{_repr_bounds(self.low, self.high)})"


@frozen(init=False, repr=False)
class Product:
    """A product of powers of axes with a bound: ``Product({"flow": 1, "time": 1}, at_most=20)``; a ratio has -1.

    No axis of it may go below 0, nor one with a negative power be 0.

    Attributes:
        of: the power of each axis; given as a list of axes, 1 each.
        low: what the product must be at least.
        high: what it must be at most.
    """

    of: dict[str, float] = field(hash=False)
    low: float
    high: float
    columns: tuple[int, ...] = field(default=(), eq=False)

    def __init__(
        self, of: Mapping[str, float] | Sequence[str], *, at_most: float | None = None, at_least: float | None = None
    ) -> None:
        low, high = _bounds(at_least, at_most, None, "Product")
        if low == high:
            raise InvalidInput("Product: at_least equals at_most; leave room between them")
        self.__attrs_init__(_numbers(of, "Product", "power"), low, high)

    def bind(self, axes: Sequence[Axis], where: str) -> "Product":
        """Return the constraint for these axes."""
        columns = _columns(self.of, axes, where)
        for column, power in zip(columns, self.of.values(), strict=True):
            low: float = axes[column].low  # type: ignore[union-attr]  # choices were refused
            if low < 0 or (low == 0 and power < 0):
                least = "above 0, as it divides" if power < 0 else "0 or more"
                raise InvalidInput(f"{where}: low of axis {axes[column].name!r} must be {least}, got {low:g}; raise it")
        bound = object.__new__(Product)
        bound.__attrs_init__(self.of, self.low, self.high, columns)
        return bound

    def excess(self, x: Points) -> Values:
        """Return by which part of a factor of ten thousand the product of each row is out of its bounds."""
        with np.errstate(all="ignore"):
            logs = np.log(np.maximum(x[:, list(self.columns)], 1e-300)) @ np.array(list(self.of.values()))
            low, high = (np.log(max(bound, 1e-300)) for bound in (self.low, self.high))
        return np.asarray(np.abs(np.clip(logs, low, high) - logs) / np.log(1e4))

    def keeps(self, x: Points) -> Mask:
        """Return which rows keep it, but for rounding."""
        # Far outside its bounds an axis may be 0 or negative: no place of the space.
        with np.errstate(all="ignore"):
            product = np.prod(np.power(x[:, list(self.columns)], list(self.of.values())), axis=1)
            return np.asarray((product >= self.low * (1 - TOLERANCE)) & (product <= self.high * (1 + TOLERANCE)))

    def __str__(self) -> str:
        """Return the constraint in words: ``flow * time at most 20``."""
        above, below = (
            [f"{axis}{'' if abs(p) == 1 else f'^{abs(p):.6g}'}" for axis, p in self.of.items() if p * sign > 0]
            for sign in (1, -1)
        )
        return _bounded(" / ".join([" * ".join(above) or "1", *below]), self.low, self.high)

    def __repr__(self) -> str:
        return f"Product({self.of!r}{_repr_bounds(self.low, self.high)})"


@frozen(init=False, repr=False)
class Only:
    """An axis that is free only with certain values of a choice.

    ``Only("ligand", when={"metal": ["Pd", "Ni"]}, otherwise="none")``: no ligand without one of these metals. Wherever
    the condition does not hold, the axis has the value ``otherwise``.

    Attributes:
        axis: the axis that belongs to others.
        when: for each choice of the condition, the values with which the axis is free; all must hold.
        otherwise: its value where they do not.
    """

    axis: str
    when: dict[str, tuple[Scalar, ...]] = field(hash=False)
    otherwise: Scalar
    column: int = field(default=-1, eq=False)
    number: float = field(default=0.0, eq=False)
    """``otherwise`` as the number in a row."""
    conditions: tuple[tuple[int, tuple[float, ...]], ...] = field(default=(), eq=False)

    def __init__(self, axis: str, *, when: Mapping[str, Any], otherwise: Scalar) -> None:
        checks.name(axis, "Only: axis")
        if not isinstance(when, Mapping) or not when:
            raise InvalidInput(f"Only: when must be a dict of values by choice, got {when!r}")
        listed = {
            name: tuple(values) if isinstance(values, list | tuple | set | frozenset) else (values,)
            for name, values in when.items()
        }
        self.__attrs_init__(axis, listed, otherwise)

    def bind(self, axes: Sequence[Axis], where: str) -> "Only":
        """Return the constraint for these axes."""
        names = [axis.name for axis in axes]
        check_known([self.axis, *self.when], names, where)
        if self.axis in self.when:
            raise InvalidInput(f"{where}: axis {self.axis!r} cannot depend on itself")
        column, conditions = names.index(self.axis), []
        number = read_value(axes[column], self.otherwise, f"{where}: otherwise")
        if axes[column].snap(np.array([number]))[0] != number:
            raise InvalidInput(f"{where}: otherwise must be a value of axis {self.axis!r}, got {self.otherwise!r}")
        for name, values in self.when.items():
            axis = axes[names.index(name)]
            if not isinstance(axis, Choice):
                raise InvalidInput(f"{where}: a condition is on a choice, and axis {name!r} is {type(axis).__name__}")
            conditions.append((names.index(name), tuple(read_value(axis, value, where) for value in values)))
        bound = object.__new__(Only)
        bound.__attrs_init__(self.axis, self.when, self.otherwise, column, number, tuple(conditions))
        return bound

    def holds(self, x: Points) -> Mask:
        """Return at which rows the axis is free."""
        met = [np.isin(x[:, column], positions) for column, positions in self.conditions]
        return np.asarray(np.logical_and.reduce(met))

    def keeps(self, x: Points) -> Mask:
        """Return which rows keep it."""
        return np.asarray(self.holds(x) | (x[:, self.column] == self.number))

    def __str__(self) -> str:
        """Return the constraint in words: ``ligand only with metal Pd or Ni, otherwise none``."""
        when = " and ".join(f"{name} {' or '.join(map(str, values))}" for name, values in self.when.items())
        return f"{self.axis} only with {when}, otherwise {self.otherwise}"

    def __repr__(self) -> str:
        when = {name: list(values) for name, values in self.when.items()}
        return f"Only({self.axis!r}, when={when!r}, otherwise={self.otherwise!r})"


Function: TypeAlias = Callable[[dict[str, Any]], Any]
"""Takes the columns of many places by axis (numbers, or values of a choice), returns one boolean for each."""


@frozen(repr=False)
class Rule:
    """A vectorised function of the user's own: takes columns by axis, returns which places are allowed.

    A store keeps its name alone, so a study that is opened again is given its space again.
    """

    function: Function
    name: str = field(default="", eq=False)
    axes: tuple[Axis, ...] = field(default=(), eq=False)

    def bind(self, axes: Sequence[Axis], where: str) -> "Rule":
        """Return the rule for these axes."""
        if not callable(self.function):
            raise InvalidInput(f"{where} must be a Linear, a Product, an Only or a function, got {self.function!r}")
        name = self.name or getattr(self.function, "__name__", type(self.function).__name__)
        return Rule(self.function, name, tuple(axes))

    def keeps(self, x: Points) -> Mask:
        """Return which rows keep it."""
        columns = {
            axis.name: column if axis.choices is None else np.array(axis.choices, dtype=object)[column.astype(np.intp)]
            for axis, column in zip(self.axes, x.T, strict=True)
        }
        kept = np.asarray(self.function(columns))
        if kept.shape != (len(x),) or kept.dtype != np.bool_:
            raise InvalidInput(
                f"constraint {self.name} must return a boolean for each of {len(x)} places, got shape {kept.shape} of "
                f"{kept.dtype}; it is called with columns by axis, such as lambda x: x['a'] < x['b']"
            )
        return np.array(kept)

    def __str__(self) -> str:
        """Return the rule by its name."""
        return self.name

    def __repr__(self) -> str:
        return f"Rule({self.name})"


@frozen
class AbsentRule:
    """Stands in for a function that a store could not keep: only its name is known."""

    name: str

    def bind(self, axes: Sequence[Axis], where: str) -> "AbsentRule":
        """Return itself."""
        return self

    def keeps(self, x: Points) -> Mask:
        """Refuse: the function is not here."""
        raise InvalidInput(
            f"a constraint of this study is the Python function {self.name!r}, which cannot be kept; "
            "Study.open(..., space=...) supplies the space with it"
        )

    def __str__(self) -> str:
        """Return the name of the function."""
        return self.name


def read_constraints(constraints: object, axes: Sequence[Axis]) -> tuple[Constraint, ...]:
    """Return the constraints that the user stated, bound to the axes."""
    if isinstance(constraints, str) or not isinstance(constraints, Sequence):
        raise InvalidInput(f"constraints must be a list, got {constraints!r}")
    return tuple(
        (one if hasattr(one, "bind") else Rule(one)).bind(axes, f"constraints[{i}]")
        for i, one in enumerate(constraints)
    )


def broken_by(space: object, place: Values) -> Constraint | None:
    """Return the first constraint of a space that a place breaks; None if it breaks none."""
    constraints: tuple[Constraint, ...] = getattr(space, "constraints", ())
    return next((one for one in constraints if not one.keeps(place[None, :])[0]), None)


def _repr_bounds(low: float, high: float) -> str:
    if low == high:
        return f", equals={low!r}"
    ends = {"at_least": low, "at_most": high}
    return "".join(f", {name}={end!r}" for name, end in ends.items() if math.isfinite(end))
