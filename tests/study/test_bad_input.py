"""Whatever is wrong is refused in one clear error that names the field, before anything changes."""

import numpy as np
import pytest

import wayfare as wf

SPACE = wf.Space(wf.Real("a", 0.0, 10.0), wf.Integer("n", 1, 5), wf.Choice("s", ["x", "y"]))
NAN, INF = float("nan"), float("inf")


def create(space=SPACE, **changes):
    options = {"direction": "maximize", "travel": wf.Manhattan(), "trials": 5, "seed": 0} | changes
    return wf.Study.create(space, **options)


def raising(*_):
    raise RuntimeError("the map is wet")


def late_nan(origins, targets):
    """A cost that is fine on the sample and breaks near the start."""
    costs = np.abs(origins[:, None, 0] - targets[None, :, 0])
    costs[:, targets[:, 0] > 9.999] = NAN
    return costs


CASES = {
    "bounds reversed": (lambda: wf.Real("a", 2, 1), "a"),
    "bounds nan": (lambda: wf.Real("a", NAN, 1), "a"),
    "bounds infinite": (lambda: wf.Real("a", 0, INF), "a"),
    "integer bounds reversed": (lambda: wf.Integer("n", 3, 1), "n"),
    "no choices": (lambda: wf.Choice("s", []), "s"),
    "name empty": (lambda: wf.Real("", 0, 1), "name"),
    "names twice": (lambda: wf.Space(wf.Real("a", 0, 1), wf.Real("a", 0, 1)), "a"),
    "no axes": (lambda: wf.Space(), "axis|axes"),
    "no places at all": (lambda: wf.Places([]), "no places"),
    "unknown axis in a travel cost": (lambda: create(travel=wf.Ramp("b", up=1, down=1)), "b"),
    "axis of a switch unknown": (lambda: create(travel=wf.Switch("solvent", 1)), "solvent"),
    "cost nan": (lambda: create(travel=wf.Custom(lambda a, b: NAN)), "travel"),
    "cost negative": (lambda: create(travel=wf.Custom(lambda a, b: -1.0)), "travel"),
    "cost of wrong shape": (lambda: create(travel=wf.Custom(lambda a, b: [1.0], vectorized=True)), "shape"),
    "cost raising": (lambda: create(travel=wf.Custom(raising)), "the map is wet"),
    "cost not zero at home": (lambda: create(travel=wf.Custom(lambda a, b: 1.0)), "home"),
    "cost no cost": (lambda: create(travel=lambda a, b: 1.0), "Custom"),
    "space no space": (lambda: create(space=[(0, 1)]), "space"),
    "start of wrong shape": (lambda: create(start=[1.0, 2.0]), "start"),
    "start twice": (lambda: create(start=[[1, 2, 0], [1, 2, 0]]), "start"),
    "start misspelt": (lambda: create(start={"a": 1.0, "m": 2, "s": "x"}), "m"),
    "start nan": (lambda: create(start={"a": NAN, "n": 2, "s": "x"}), "a"),
    "start of unknown choice": (lambda: create(start={"a": 1.0, "n": 2, "s": "q"}), "q"),
    "direction missing": (lambda: wf.Study.create(SPACE, travel=wf.Manhattan(), trials=5), "direction"),
    "direction unknown": (lambda: create(direction="up"), "direction"),
    "trials zero": (lambda: create(trials=0), "trials"),
    "trials broken": (lambda: create(trials=2.5), "trials"),
    "trials true": (lambda: create(trials=True), "trials"),
    "seed negative": (lambda: create(seed=-1), "seed"),
    "seed text": (lambda: create(seed="1"), "seed"),
    "method unknown": (lambda: create(method="tucbb"), "tucb"),
    "method no method": (lambda: create(method=wf.UCB()), "method"),
    "name of study empty": (lambda: create(name=" "), "name"),
    "noise zero": (lambda: create(noise=0.0), "noise"),
    "noise nan": (lambda: create(noise=NAN), "noise"),
    "unit twice": (lambda: create(travel=wf.Manhattan(unit="m"), unit="km"), "unit"),
    "more trials than places": (
        lambda: create(wf.Places(np.arange(3.0)[:, None], once=True), travel=wf.Euclidean(), trials=4),
        "3 places",
    ),
    "function no function": (lambda: wf.maximize(3, SPACE, travel=wf.Manhattan(), trials=2), "function"),
    "order of nothing": (lambda: wf.order([], wf.Euclidean()), "no places"),
    "order with unknown effort": (lambda: wf.order([[0.0]], wf.Euclidean(), effort="max"), "effort"),
    "order from two starts": (lambda: wf.order([[0.0]], wf.Euclidean(), start=[[0.0], [1.0]]), "start"),
    "travel is a class": (lambda: create(travel=wf.Manhattan), "travel"),
    "space is a class": (lambda: create(space=wf.Space), "space"),
    "store is a number": (lambda: create(store=7), "store"),
    "store has no name": (lambda: create(store=""), "store"),
    "store is a class": (lambda: create(store=wf.MemoryStore), "store"),
    "order with a function": (lambda: wf.order([[0.0]], lambda a, b: 1.0), "Custom"),
    "order with a negative seed": (lambda: wf.order([[0.0]], wf.Euclidean(), seed=-1), "seed"),
    "policy by name": (lambda: wf.Method("ucb", wf.OneByOne()), "policy"),
    "schedule is a class": (lambda: wf.Method(wf.UCB(), wf.OneByOne), r"OneByOne\(...\)"),
    "elimination by name": (lambda: wf.Elimination("ucb"), "policy"),
    "growth by text": (lambda: wf.Growing("1.1"), "factor"),
    "worker a number": (lambda: create().ask(3), "worker"),
    "cost of a pair a vector": (lambda: create(travel=wf.Custom(lambda a, b: abs(a - b))), "one number per pair"),
    "eta negative": (lambda: wf.Elimination(wf.UCB(), eta=-1), "eta"),
    "beta negative": (lambda: wf.UCB(beta=-4), "beta"),
}


@pytest.mark.parametrize(("call", "named"), CASES.values(), ids=CASES)
def test_wrong_input_is_refused_by_name(call, named):
    with pytest.raises((wf.InvalidInput, ValueError, TypeError), match=named) as caught:
        call()
    if not isinstance(caught.value, TypeError):  # a missing argument is Python's own error
        assert isinstance(caught.value, wf.WayfareError)


@pytest.mark.parametrize(
    "value", [NAN, INF, -INF, True, np.bool_(False), "1.0", None, 1j, [True], [[1.0]], np.array(NAN), 1e301]
)
def test_a_value_that_is_no_finite_number_is_refused_and_nothing_changes(value):
    study = create()
    trial = study.ask()
    before = study.state.version
    with pytest.raises(wf.InvalidInput, match=r"trial 0: value (must be a finite number|1e\+301 is beyond)"):
        study.tell(trial, value)
    assert study.state.version == before
    study.tell(trial, 1.0)


@pytest.mark.parametrize("value", [1, -0.0, np.float32(2.5), np.int64(3), 5e-324, 1e300, np.array(1.5)])
def test_any_finite_number_is_taken(value):
    study = create()
    study.tell(study.ask(), value)
    assert study.trials[0].value == float(value)


@pytest.mark.parametrize("number", [-1, 1, 99])
def test_a_trial_never_asked_is_unknown(number):
    study = create()
    study.ask()
    with pytest.raises((wf.UnknownTrial, wf.InvalidInput), match="trial"):
        study.tell(number, 1.0)


@pytest.mark.parametrize("number", ["0", 0.0, True, None])
def test_a_trial_number_that_is_no_number_is_refused(number):
    study = create()
    study.ask()
    with pytest.raises(wf.InvalidInput, match="trial"):
        study.tell(number, 1.0)


def test_a_trial_told_twice_keeps_its_first_value():
    study = create()
    trial = study.ask()
    study.tell(trial, 1.0)
    with pytest.raises(wf.AlreadyTold, match=r"trial 0 already has the value 1\.0"):
        study.tell(trial, 2.0)
    assert study.trials[0].value == 1.0


def test_best_before_any_result_says_what_to_do():
    with pytest.raises(wf.TooEarly, match="no trial has been told"):
        create().best()


def test_an_unknown_study_is_named_plainly():
    with pytest.raises(wf.UnknownStudy) as caught:
        wf.Study.open(wf.MemoryStore(), "nowhere")
    assert str(caught.value) == "no study named 'nowhere'"


def test_a_cost_that_breaks_later_leaves_no_mark():
    space = wf.Space(wf.Real("a", 0.0, 10.0))
    with pytest.warns(wf.GuaranteeWarning):
        study = wf.Study.create(
            space,
            direction="maximize",
            travel=wf.Custom(late_nan, vectorized=True),
            trials=6,
            start=[5.0],
            method=wf.Method(wf.UCB(beta=1e6), wf.OneByOne()),
        )
    study.tell(study.ask(), 0.0)
    before = study.state.version
    with pytest.raises(wf.InvalidInput, match="late_nan asks nan"):
        study.ask()  # a beta that large goes for the edge
    assert study.state.version == before


def test_a_refusal_says_where_the_trial_of_an_insert_is_and_how_to_ask_for_several():
    space = wf.Space(wf.Real("a", 0, 1))
    study = wf.Study.create(space, direction="maximize", travel=wf.Euclidean(), trials=5, start={"a": 0})
    detour = study.insert({"a": 0.5})
    for wrong, kind in ((detour, "Detour"), (detour.trial.params, "mappingproxy"), (1.0, "float"), (True, "bool")):
        with pytest.raises(
            wf.InvalidInput, match=rf"trial must be what ask returned.*got a {kind}; of insert.* \.trial"
        ):
            study.tell(wrong, 1.0)
    with pytest.raises(wf.InvalidInput, match=r"worker must be a name, got 4; several stops are ask\(n=4\)"):
        study.ask(4)
    assert study.tell(detour.trial, 1.0).value == 1.0
