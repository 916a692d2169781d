"""A plain loop of gest-api with our generator makes the very trials that a plain study makes."""

import copy
import multiprocessing
import pickle
import warnings

import pytest
from gest_api.vocs import VOCS, ContextualVariable

import wayfare as wf
from tests.plug.same import START, TRAVEL, bare, measure, moves_of, plain
from wayfare.plug.gest import WayfareGenerator

VARIABLES = {"t": [20.0, 120.0], "p": [0.001, 1.0], "n": {1, 3, 5, 7, 9}, "s": {"a", "b", "c"}}
SPACE = wf.Space(
    wf.Real("t", 20.0, 120.0), wf.Real("p", 0.001, 1.0), wf.Integer("n", 1, 9, step=2), wf.Choice("s", ["a", "b", "c"])
)
STATED = {"travel": TRAVEL, "start": START, "seed": 3, "trials": 12}


def vocs(**more):
    return VOCS(**{"variables": VARIABLES, "objectives": {"f": "MAXIMIZE"}, **more})


def generator(**more):
    return WayfareGenerator(vocs(), **{**STATED, **more})


def evaluated(points):
    return [{**point, "f": measure(**{name: point[name] for name in VARIABLES})} for point in points]


def ours():
    study = wf.Study.create(SPACE, direction="maximize", **STATED)
    while (trial := study.ask()) is not None:
        study.tell(trial, measure(**trial.params))
    return study


def test_a_loop_of_the_host_makes_the_route_of_a_plain_study():
    made = generator()
    for number in range(12):
        points = made.suggest(1)
        assert points[0]["_id"] == number
        made.ingest(evaluated(points))
    made.finalize()
    assert bare(made.study) == bare(ours())
    assert made.study.events[0].stamp.via == "plug"
    assert made.should_stop() == (True, "all 12 trials have been handed out")
    with pytest.raises(ValueError, match="0 are left"):
        made.suggest()
    number, params, found = made.get_best_points()[0]
    assert params == dict(made.study.best().params)
    assert (number, found["f"]) == (made.study.best().trial, made.study.best().mean)


def test_a_study_in_a_store_goes_on_after_a_crash(tmp_path):
    made = generator(store=tmp_path / "lab.db")
    for _ in range(5):
        made.ingest(evaluated(made.suggest(1)))
    del made
    again = generator(store=tmp_path / "lab.db")
    while not again.should_stop()[0]:
        again.ingest(evaluated(again.suggest(1)))
    assert bare(again.study) == bare(ours())
    with pytest.raises(wf.InvalidInput, match="another seed"):
        generator(store=tmp_path / "lab.db", seed=4)
    assert generator(store=tmp_path / "lab.db", trials=20).study.spec.trials == 20


def test_without_a_store_the_host_brings_its_data_back_as_known_results():
    made = generator()
    points = [one for _ in range(5) for one in evaluated(made.suggest(1)) if made.ingest([one]) is None]
    again = generator(start=None)
    again.ingest([{key: value for key, value in point.items() if key != "_id"} for point in points])
    assert [trial.prior for trial in again.study.trials] == [True] * 5
    assert again.study.ledger().paid == 0.0
    (there,) = again.suggest(1)
    trial = again.study.trials[there["_id"]]
    place = SPACE.points({name: points[-1][name] for name in VARIABLES})
    assert trial.leg == pytest.approx(TRAVEL.bind(SPACE)(place, trial.x[None, :])[0, 0])
    before = len(again.study.events)
    again.ingest([{key: value for key, value in point.items() if key != "_id"} for point in points])
    assert len(again.study.events) == before  # it knows them


def test_late_failed_and_missed_results():
    made = generator()
    first, second, third = (made.suggest(1)[0] for _ in range(3))
    made.ingest(evaluated([second]))
    made.ingest([{**third, "f": float("nan")}])
    fourth = made.suggest(1)[0]
    made.ingest([{**fourth, "f": 0.5, "t": fourth["t"] + 1.0, "spent": 4.5}])
    made.ingest(
        [{key: value for key, value in one.items() if key != "_id"} for one in evaluated([first])]
    )  # found again
    fifth = made.suggest(1)[0]
    made.ingest([{**fifth, "xopt_error": True, "xopt_error_str": "Traceback ...\nOSError: leak", "f": None}])
    there = {name: fourth[name] for name in VARIABLES} | {"t": fourth["t"] + 1.0}
    moves = ["ask", "ask", "ask", (1, evaluated([second])[0]["f"], {}), (2, None, {"why": "there is no value"}), "ask"]
    moves += [(3, 0.5, {"actual": there, "spent": 4.5}), (0, evaluated([first])[0]["f"], {}), "ask"]
    moves += [(4, None, {"why": "OSError: leak"})]
    assert bare(made.study) == bare(plain(SPACE, moves, direction="maximize", **STATED))


def test_a_result_that_the_host_corrects_is_amended():
    made = generator()
    (point,) = made.suggest(1)
    made.ingest([{**point, "f": 1.0}])
    made.ingest([{**point, "f": 1.0}])
    assert len(made.study.events) == 3
    made.ingest([{**point, "f": 2.0}])
    assert made.study.trials[0].value == 2.0
    assert made.study.trials[0].earlier == (1.0,)


def test_a_batch_has_as_many_as_asked_for_or_none():
    made = generator(trials=5)
    assert [point["_id"] for point in made.suggest(3)] == [0, 1, 2]
    with pytest.raises(ValueError, match="3 points were asked for, and 2 are left"):
        made.suggest(3)
    assert [str(trial.state) for trial in made.study.trials[3:]] == ["skipped", "skipped"]
    assert len(made.suggest(2)) == 2


def test_failures_and_places_of_the_users_own():
    made = generator()
    points = made.suggest(1)
    made.register_failures(points)
    made.register_failures(points)
    assert str(made.study.trials[0].state) == "failed"
    (own,) = made.register_suggestions([{"t": 90.0, "p": 0.5, "n": 3, "s": "c"}])
    assert own["_id"] == 1
    made.ingest([{"_id": 1, "f": 3.0}])  # blop sends back no more than this
    assert made.study.trials[1].value == 3.0
    assert dict(made.study.trials[1].params) == {"t": 90.0, "p": 0.5, "n": 3, "s": "c"}
    with pytest.raises(ValueError, match="not handed out"):
        made.ingest([{"_id": 7, "f": 3.0}])
    with pytest.raises(ValueError, match="lacks t"):
        made.ingest([{"p": 0.5, "n": 3, "s": "c", "f": 3.0}])


def test_constraints_are_limits_and_constants_are_handed_on():
    stated = vocs(constraints={"c": ["LESS_THAN", 0.5], "d": ["BOUNDS", 0, 2]}, constants={"alpha": 0.55})
    made = WayfareGenerator(stated, **STATED)
    (point,) = made.suggest()
    assert point["alpha"] == 0.55
    made.ingest([{**point, "f": 1.0, "c": 0.7, "d": 1.0}])
    assert dict(made.study.trials[0].measured) == {"c": 0.7, "d": 1.0}
    assert [(one.name, one.low, one.high) for one in made.study.spec.measured][1] == ("d", 0.0, 2.0)


def test_what_it_cannot_do_is_refused_by_name():
    for stated, said in [
        (vocs(objectives={"f": "MAXIMIZE", "g": "MINIMIZE"}), "one objective"),
        (vocs(objectives={"f": "EXPLORE"}), "does not explore"),
        (vocs(variables={**VARIABLES, "w": ContextualVariable()}), "'w' is contextual"),
    ]:
        with pytest.raises(ValueError, match=said):
            WayfareGenerator(stated, **STATED)
    with pytest.raises(ValueError, match="axes must be the variables"):
        generator(space=wf.Space(wf.Real("t", 0, 1)))


def test_a_copy_goes_on_by_itself():
    made = generator()
    made.ingest(evaluated(made.suggest(1)))
    for twin in (copy.deepcopy(made), pickle.loads(pickle.dumps(made))):
        assert twin.suggest(1) == copy.deepcopy(made).suggest(1)
    assert len(made.study.trials) == 1


def work(path):
    warnings.simplefilter("ignore")
    made = generator(store=path)
    for _ in range(6):
        made.ingest(evaluated(made.suggest(1)))


@pytest.mark.slow
@pytest.mark.subprocess
def test_two_processes_share_the_traveller(tmp_path):
    spawned = multiprocessing.get_context("spawn")
    workers = [spawned.Process(target=work, args=(tmp_path / "lab.db",)) for _ in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(120)
    own = wf.Study.open(tmp_path / "lab.db", "study")
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert len({tuple(trial.x) for trial in own.trials}) == len(own.trials) == 12
    assert bare(own) == bare(plain(SPACE, moves_of(own), direction="maximize", **STATED))
