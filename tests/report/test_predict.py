"""What a study believes at places: known answers, every way to write places, and the probabilities beside."""

import sys

import numpy as np
import pytest

import wayfare as wf
from wayfare.surrogate.visit import VisitPosterior

LINE = wf.Space(wf.Real("x", 0.0, 10.0))
MIXED = wf.Space(wf.Real("temp_C", 40, 120), wf.Integer("stages", 1, 6), wf.Choice("metal", ["Pd", "Ni"]))
PLACE = {"temp_C": 60.0, "stages": 2, "metal": "Ni"}


def make(space=LINE, told=(), direction="maximize", noise=1e-4, travel=None):
    """A study that was told these values at these places."""
    travel = travel or (wf.Fee(1.0) if any(space.choices) else wf.Euclidean(unit="m"))
    study = wf.Study.create(space, direction=direction, travel=travel, trials=30, noise=noise)
    for place, value in told:
        study.tell(study.insert(place).trial, value)
    return study


TOLD = [({"x": 1.0}, 2.0), ({"x": 4.0}, 5.0), ({"x": 7.0}, 3.0), ({"x": 9.0}, -1.0)]


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_at_a_told_place_without_noise_the_mean_is_the_value_and_it_is_sure(direction):
    """In the user's sign, whichever way is better."""
    found = make(told=TOLD, direction=direction).predict([place for place, _ in TOLD])
    assert np.allclose(found.mean, [value for _, value in TOLD], atol=0.01)
    assert (found.sd < 0.01).all()


def test_the_interval_holds_95_percent_of_a_normal_distribution_and_is_wider_between_results():
    from scipy.stats import norm

    found = make(told=TOLD).predict([[4.0], [5.5], [100.0]])
    held = norm.cdf(found.high_95, found.mean, found.sd) - norm.cdf(found.low_95, found.mean, found.sd)
    assert np.allclose(held, 0.95)
    assert found.sd[0] < found.sd[1] < found.sd[2]


def test_the_prediction_is_that_of_the_best_place():
    study = make(told=TOLD)
    best, found = study.best(), study.predict(study.best().params)
    assert (found.mean[0], found.sd[0]) == pytest.approx((best.mean, best.sd), rel=1e-9)


def test_every_way_to_write_places_gives_the_same():
    study = make(MIXED, [(PLACE, 1.0), ({**PLACE, "temp_C": 80.0}, 2.0)])
    pandas = pytest.importorskip("pandas")
    expected = study.predict(PLACE)
    assert expected.params == (PLACE,)
    for places in ([PLACE], pandas.DataFrame([PLACE]), [60.0, 2, "Ni"], [[60.0, 2, "Ni"]], np.array([[60.0, 2, 1]])):
        found = study.predict(places)
        assert found.params == expected.params
        assert found.mean == expected.mean
        assert found.sd == expected.sd


def test_without_places_the_visited_ones_are_predicted_once_each():
    study = make(told=[*TOLD[:2], TOLD[0]])
    study.fail(study.insert({"x": 9.5}).trial)
    study.skip(study.insert({"x": 8.5}).trial)
    study.insert({"x": 3.5})
    assert [params["x"] for params in study.predict().params] == [1.0, 4.0, 9.5]


def test_without_places_all_of_a_table_are_predicted():
    table = wf.Places([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]], names=["a", "b"])
    study = make(table, [({"a": 3.0, "b": 4.0}, 1.5)])
    assert np.array_equal(study.predict().x, table.table)


def test_a_place_of_a_table_may_be_written_as_it_is_shown():
    table = wf.Places([[1 / 3, 2.0], [3.0, 4.0]], names=["a", "b"])
    study = make(table, [([3.0, 4.0], 1.5), ([1 / 3, 2.0], 0.5)])
    assert study.predict([{"a": 0.333333, "b": 2.0}, {"a": 3.0, "b": 4.0}]).x[0, 0] == 1 / 3


def test_the_probabilities_are_those_of_the_belief(monkeypatch):
    monkeypatch.setattr(VisitPosterior, "success", lambda self, x: x[:, 0] / 10)
    monkeypatch.setattr(VisitPosterior, "compliance", lambda self, x: 1 - x[:, 0] / 10)
    found = make(told=TOLD).predict([[2.0], [8.0]])
    assert found.success == pytest.approx([0.2, 0.8])
    assert found.compliance == pytest.approx([0.8, 0.2])
    assert str(found).splitlines()[0].endswith("success 20%, compliance 80%")


def test_without_failures_and_limits_a_visit_does():
    found = make(told=TOLD).predict([[2.0], [8.0]])
    assert found.compliance.tolist() == [1.0, 1.0]
    assert ((found.success > 0) & (found.success <= 1)).all()


def test_the_table_has_the_axes_and_the_belief():
    pytest.importorskip("pandas")
    frame = make(MIXED, [(PLACE, 1.0)]).predict([PLACE, {**PLACE, "metal": "Pd"}]).to_dataframe()
    expected = ["temp_C", "stages", "metal", "mean", "sd", "low_95", "high_95", "success", "compliance"]
    assert list(frame.columns) == expected
    assert frame["metal"].tolist() == ["Ni", "Pd"]
    assert frame["mean"][0] == pytest.approx(1.0, abs=0.01)
    assert (frame["low_95"] < frame["mean"]).all()


def test_an_axis_called_like_a_column_keeps_its_own():
    pytest.importorskip("pandas")
    space = wf.Space(wf.Real("mean", 0, 1))
    frame = make(space, [([0.5], 3.0)]).predict([0.5]).to_dataframe()
    assert list(frame.columns)[:2] == ["axis:mean", "mean"]
    assert frame["axis:mean"][0] == 0.5


def test_without_pandas_only_the_table_is_refused(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    found = make(told=TOLD).predict([4.0])
    assert found.mean[0] == pytest.approx(5.0, abs=0.01)
    with pytest.raises(wf.InvalidInput, match=r"pip install 'pandas>="):
        found.to_dataframe()


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ({"temp_C": 60.0}, "predict: the place lacks axes 'stages', 'metal'; give a value for each of"),
        ([PLACE, {"temp_C": 60.0, "stages": 2}], "predict: place 1 lacks axis 'metal'"),
        ({**PLACE, "metal": "Cu"}, "has no value 'Cu'"),
        ([], "no place was given"),
        ("Ni", "places must be a dict"),
    ],
)
def test_places_that_cannot_be_read_are_refused(places, words):
    with pytest.raises(wf.InvalidInput, match=words):
        make(MIXED, [(PLACE, 1.0)]).predict(places)


def test_before_the_first_result_it_is_too_early():
    with pytest.raises(wf.TooEarly, match="no trial of 'study' has been told yet"):
        make().predict([5.0])
