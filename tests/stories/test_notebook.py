"""A researcher in a notebook: tables, a policy of her own, callbacks, pictures, and a crash in the middle."""

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from attrs import frozen

import wayfare as wf
from wayfare.policy.acquisition import candidates, ucb

mpl.use("Agg")
SPACE = wf.Space(
    wf.Real("temp_C", 40, 120, unit="°C"), wf.Real("time_min", 1, 30, log=True), wf.Choice("base", ["A", "B"])
)
TRAVEL = wf.Ramp("temp_C", up=4, down=2, unit="min") + wf.Switch("base", 10, unit="min")


def measure(temp_C, time_min, base):
    """Return a yield: best at 90 degrees, eight minutes and base B."""
    return float(np.exp(-(((temp_C - 90) / 30) ** 2) - np.log(time_min / 8) ** 2) - 0.2 * (base == "A"))


@frozen
class Curious:
    """The place of the highest upper bound, one at a time."""

    beta: float = 4.0

    def propose(self, situation, size, rng):
        x, bound = candidates(situation, lambda x, at: ucb(at.mean, at.sd, beta=self.beta), 1, rng)
        return x[[int(bound.argmax())]]


@pytest.mark.slow
def test_a_week_in_a_notebook(tmp_path):
    # 1. Old results from a table, and a study in memory: nothing moved for them.
    old = pd.DataFrame({"temp_C": [50.0, 80.0, 130.0], "time_min": [5.0, 5.0, 5.0], "base": ["A", "A", "A"]})
    old["value"] = [measure(**row) for row in old.to_dict("records")]
    options = {
        "direction": "maximize",
        "travel": TRAVEL,
        "trials": 16,
        "start": {"temp_C": 40, "time_min": 5, "base": "A"},
    }
    study = wf.Study.create(SPACE, known=old, seed=1, **options)
    assert study.ledger().paid == 0.0
    study.plot_route()  # before the first result
    study.add([{"temp_C": 60, "time_min": 20, "base": "B"}], [0.3], why="notebook 7")
    frame = study.to_dataframe()
    assert frame.loc[frame["prior"], "value"].tolist() == [*old["value"], 0.3]

    # 2. Several stops at once, told in any order; what a notebook shows of each.
    trials = study.ask(n=5)
    for trial in reversed(trials):
        study.tell(trial, measure(**trial.params))
    study.ask()
    shown = (study, study.trials[-1], study.route(), study.best(), study.ledger(), study.progress(), study.importance())
    for one in shown:
        assert str(one)
    for one in shown[:5]:
        assert one._repr_html_().startswith("<")
    assert len(str(study.trials[0]).splitlines()) == 2
    done = study.trials[-1]
    study.tell(done, measure(**done.params))
    assert study.why(done.number).title

    # 3. Reports as tables, and pictures that are figures of matplotlib.
    at = pd.DataFrame({"temp_C": [90.0, 45.0], "time_min": [8.0, 29.0], "base": ["B", "A"]})
    belief = study.predict(at).to_dataframe()
    assert belief["mean"][0] > belief["mean"][1]
    for figure in (study.plot_route(), study.plot_history(), study.plot_belief(), study.plot_importance()):
        assert isinstance(figure, mpl.figure.Figure)
        figure.savefig(tmp_path / "one.png")
    assert len(study.log().to_dataframe()) >= len(study.events)

    # 4. Her own policy, checked by the contract, in the loop; a crash in the middle costs no result.
    hers = wf.Method(Curious(), wf.OneByOne())
    seen = []

    def loop(crash=None):
        def f(temp_C, time_min, base):
            if crash is not None and len(seen) == crash:
                raise KeyboardInterrupt
            return measure(temp_C, time_min, base)

        def note(study, trial):
            seen.append(trial.number)
            return trial.value > 0.97

        kept = {"method": hers, "store": tmp_path / "lab.db", "name": "hers", "callbacks": [note], "seed": 2}
        return wf.maximize(f, SPACE, travel=TRAVEL, trials=14, **kept)

    with pytest.raises(KeyboardInterrupt):
        loop(crash=6)
    assert len(seen) == 6
    with pytest.warns(wf.GuaranteeWarning):
        result = loop()
    assert seen == sorted(set(seen)), "each result was told once"
    assert len(result.trials) <= 14

    # 5. Beside the default: the same axes, one picture, and the books of both.
    other = wf.maximize(measure, SPACE, travel=TRAVEL, trials=14, seed=2, name="default")
    figure = wf.plot.plot_history({"hers": result, "default": other})
    assert isinstance(figure, mpl.figure.Figure)
    assert max(result.best().observed, other.best().observed) > 0.8
