"""libEnsemble's manager with our generator makes the very trials that a plain study makes."""

import pytest
from gest_api.vocs import VOCS
from libensemble import Ensemble
from libensemble.alloc_funcs.start_only_persistent import only_persistent_gens
from libensemble.specs import AllocSpecs, ExitCriteria, GenSpecs, LibeSpecs, SimSpecs

import wayfare as wf
from tests.plug.same import bare
from wayfare.plug.gest import WayfareGenerator

SPACE = wf.Space(wf.Real("t", 20.0, 120.0), wf.Real("p", 0.001, 1.0))
STATED = {"travel": wf.Ramp("t", up=2.0, down=0.5), "start": {"t": 20.0, "p": 0.01}, "seed": 3, "trials": 10}
TOLD = VOCS(variables={"t": [20.0, 120.0], "p": [0.001, 1.0]}, objectives={"f": "MAXIMIZE"})


def measure(inputs):
    return {"f": -((inputs["t"] - 70.0) ** 2) / 1000 - (inputs["p"] - 0.1) ** 2}


@pytest.mark.parametrize("workers", [1, 2])
def test_an_ensemble_makes_the_route_of_a_plain_study(tmp_path, monkeypatch, workers):
    monkeypatch.chdir(tmp_path)
    made = WayfareGenerator(TOLD, store=tmp_path / "lab.db", **STATED)
    host = Ensemble(
        libE_specs=LibeSpecs(comms="threads", gen_on_manager=True, nworkers=workers, disable_log_files=True),
        sim_specs=SimSpecs(simulator=measure, vocs=TOLD),
        gen_specs=GenSpecs(generator=made, batch_size=1, initial_batch_size=workers, vocs=TOLD),
        alloc_specs=AllocSpecs(alloc_f=only_persistent_gens),
        exit_criteria=ExitCriteria(sim_max=10),
    )
    history, _, flag = host.run()
    own = wf.Study.open(tmp_path / "lab.db", "study")
    assert flag == 0
    assert len(own.trials) == 10
    assert history["t"].tolist()[:10] == [trial.params["t"] for trial in own.trials]
    # It ends with the last simulation and does not return its result, so that is brought by hand; all else is known.
    rows = [{name: float(row[name]) for name in ("t", "p", "f")} for row in history[:10]]
    WayfareGenerator(TOLD, store=tmp_path / "lab.db", **STATED).ingest(rows)
    assert len(own.state.results) == 10
    if workers == 1:
        study = wf.Study.create(SPACE, direction="maximize", **STATED)
        while (trial := study.ask()) is not None:
            study.tell(trial, measure(trial.params)["f"])
        assert bare(own) == bare(study)
