"""Further costs of a study, each in a currency of its own: reported beside the one that is planned with."""

from collections.abc import Mapping, Sequence

from attrs import frozen

from wayfare._core import checks
from wayfare._core.arrays import Values
from wayfare.errors import InvalidInput
from wayfare.space import AnySpace
from wayfare.travel import TravelCost, as_cost, check, priced

TAKING = "dwell, what taking one result costs,"


@frozen
class Currency:
    """What moving costs besides, and taking one result, in ``unit``. ``travel`` is bound to the space."""

    travel: TravelCost
    dwell: float = 0.0

    @property
    def unit(self) -> str:
        """The unit of its amounts."""
        return self.travel.unit


def make_currencies(
    also: object, dwell: object, space: AnySpace, start: Values | None, unit: str, new: bool
) -> tuple[Currency, ...]:
    """Return the currencies reported beside ``unit``; of a ``new`` study, if their costs can be used."""
    if not isinstance(also, Sequence) or isinstance(also, str):
        raise InvalidInput(f"also must be a list of travel costs, each in a unit of its own, got {also!r}")
    costs = [_bound(cost, space, f"also[{i}]") for i, cost in enumerate(also)]
    units = [unit]
    for i, cost in enumerate(costs):
        _check_unit(cost.unit, units, f"also[{i}]")
        units.append(cost.unit)
        if new:
            _check_usable(cost, space, start, f"also[{i}]")
    amounts = _amounts(dwell, units)
    return tuple(Currency(cost, amounts.get(cost.unit, 0.0)) for cost in costs)


def own_dwell(dwell: object, unit: str) -> float:
    """Return what taking one result costs in the study's own unit: a number, or one of several by unit."""
    own = dwell.get(unit, 0.0) if isinstance(dwell, Mapping) else dwell
    return checks.not_negative(own, TAKING)


def _bound(cost: TravelCost, space: AnySpace, where: str) -> TravelCost:
    try:
        return as_cost(cost).bind(space)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from error


def _check_unit(unit: str, others: list[str], where: str) -> None:
    if not unit:
        raise InvalidInput(f"{where} has no unit to be told apart by; give the cost one, such as unit='EUR'")
    if unit in others:
        beside = "the study's own" if unit == others[0] else "that of another"
        raise InvalidInput(
            f"{where} is in {unit!r}, and so is {beside}; give it another unit, or join the costs with + or parallel"
        )


def _check_usable(cost: TravelCost, space: AnySpace, start: Values | None, where: str) -> None:
    report = check(cost, space)
    if not report.is_usable:
        raise InvalidInput(f"{where}: this cost cannot be used. {report}")
    if start is not None:
        try:
            priced(cost, start[None, :], space.snap(start[None, :]))
        except InvalidInput as error:
            raise InvalidInput(f"{where}: from start: {error}") from error


def _amounts(dwell: object, units: list[str]) -> dict[str, float]:
    """Return what taking one result costs by unit, if it is stated so."""
    if not isinstance(dwell, Mapping):
        return {}
    for unit in dwell:
        if unit not in units:
            raise InvalidInput(
                f"dwell has an amount in {unit!r}; {checks.nearest(unit, units, 'units')}; a cost in it stands in also"
            )
    return {unit: checks.not_negative(amount, TAKING) for unit, amount in dwell.items()}
