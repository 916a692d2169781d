"""An export or a picture speaks of one moment: it reads the store once."""

import matplotlib.pyplot as plt
import pytest

import wayfare as wf
from wayfare.exchange import export_csv, export_geojson, export_gpx, export_json, export_qgc, run_sheet, sheet_csv
from wayfare.plot import plot_belief, plot_comparison, plot_history, plot_route
from wayfare.policy import Uniform
from wayfare.policy.schedule import Fixed


class Counting(wf.MemoryStore):
    """A store that counts how often it is read."""

    reads = 0

    def read(self, *wanted):
        self.reads += 1
        return super().read(*wanted)


@pytest.mark.parametrize(
    "write",
    [
        export_csv,
        export_json,
        export_gpx,
        export_geojson,
        lambda study: export_qgc(study, alt=30.0),
        sheet_csv,
        run_sheet,
        plot_route,
        plot_history,
        plot_belief,
        lambda study: plot_comparison({"lake": study}, truth=lambda x: x[:, 0], optimum=48.0),
    ],
)
def test_one_moment_is_read_once(write):
    store = Counting()
    study = wf.Study.create(
        wf.Space(wf.Real("lat", 47, 48), wf.Real("lon", 9, 10)),
        direction="maximize",
        travel=wf.Haversine("lat", "lon", unit="km"),
        trials=6,
        method=wf.Method(Uniform(), Fixed(6)),
        store=store,
    )
    study.tell(study.ask(), 1.0)
    study.ask()
    store.reads = 0
    write(study)
    plt.close("all")
    assert store.reads == 1
