import numpy as np
import pytest

from wayfare._core.rng import stream
from wayfare.errors import InvalidInput
from wayfare.travel import Custom, Euclidean, priced

from .worlds import LAB, PLANE

A, B = PLANE.sample(4, stream(0)), PLANE.sample(3, stream(1))


def test_pairs_and_whole_tables_give_the_same():
    one_by_one = Custom(lambda a, b: np.hypot(*(a - b)))
    at_once = Custom(lambda a, b: np.sqrt(((a[:, None] - b) ** 2).sum(axis=2)), vectorized=True)
    assert one_by_one(A, B) == pytest.approx(Euclidean()(A, B))
    assert at_once(A, B) == pytest.approx(Euclidean()(A, B))


def test_a_named_function_sees_the_users_values():
    seen = []
    cost = Custom(lambda a, b: seen.append((a, b)) or 0.0, named=True).bind(LAB)
    x = LAB.points([[50, 1, 2, "Pd"], [60, 2, 3, "Cu"]])
    cost(x[:1], x[1:])
    assert seen == [
        (
            {"temp": 50.0, "flow": 1.0, "cycles": 2, "catalyst": "Pd"},
            {"temp": 60.0, "flow": 2.0, "cycles": 3, "catalyst": "Cu"},
        )
    ]


def test_a_function_is_a_metric_only_when_declared():
    assert not Custom(abs).is_metric
    assert Custom(abs, metric=True).is_metric


def test_a_raising_function_is_named_with_what_it_raised():
    def broken(a, b):
        raise ZeroDivisionError("no fuel")

    for pay in (lambda: Custom(broken)(A, B), lambda: priced(Custom(broken, vectorized=True), A, B)):
        with pytest.raises(InvalidInput, match="travel cost broken raised ZeroDivisionError: no fuel") as refused:
            pay()
        assert isinstance(refused.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Custom(3), "must be callable, got 3"),
        (lambda: Custom(abs, vectorized=True, named=True), "not both"),
        (lambda: Custom(abs, named=True)(A, B), "call cost.bind(space) first"),
        (lambda: Custom(lambda a, b: float("nan"))(A, B), "asks nan from"),
        (lambda: Custom(lambda a, b: -2.0)(A, B), "asks -2 from"),
        (lambda: Custom(lambda a, b: float("inf"))(A, B), "asks inf from"),
        (lambda: Custom(lambda a, b: "far")(A, B), "it must return numbers"),
        (lambda: Custom(lambda a, b: [1.0, 2.0])(A, B), "must return one number per pair, got [1.0, 2.0]"),
        (lambda: Custom(lambda a, b: np.zeros(3), vectorized=True)(A, B), "returned shape (3,), not (4, 3)"),
        (lambda: Custom(lambda a, b: np.zeros((3, 4)), vectorized=True)(A, B), "returned shape (3, 4), not (4, 3)"),
        (lambda: Custom(lambda a, b: None, vectorized=True)(A, B), "returned shape (), not (4, 3)"),
    ],
)
def test_bad_functions_are_refused(make, message):
    with pytest.raises(InvalidInput) as refused:
        make()
    assert message in str(refused.value)
