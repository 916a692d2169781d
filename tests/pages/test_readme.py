"""What the README shows works as shown."""

import json
import re
import tomllib
from pathlib import Path

import matplotlib as mpl
import pytest

import wayfare as wf
from wayfare.exchange import export_gpx
from wayfare.form import read_spec

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()


def test_the_example_runs_and_finds_its_optimum(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names: dict = {}
    exec(compile(code, "README.md", "exec"), names)  # in silence: a ramp costs a factor, and no guarantee
    assert names["travel"].check(names["space"]).asymmetry == pytest.approx(2.5)
    study = names["study"]
    assert len(study.trials) == 30
    assert study.best().params["catalyst"] == "Ni"
    assert study.best().mean > 0.5
    assert study.ledger().unit == "s"
    assert (tmp_path / "route.png").stat().st_size > 10_000


def test_the_study_of_the_boat_can_be_begun_and_taken_along(tmp_path):
    shapely = pytest.importorskip("shapely")
    lake, islands = (-57.40, -25.38, -57.28, -25.27), (-57.35, -25.33, -57.33, -25.30)
    for name, corners in {"lake": lake, "islands": islands}.items():
        shape = shapely.geometry.mapping(shapely.box(*corners))
        (tmp_path / f"{name}.geojson").write_text(json.dumps(shape))
    (form,) = re.findall(r"```toml\n(.*?)```", README, flags=re.DOTALL)
    spec = read_spec(tomllib.loads(form), folder=tmp_path)
    assert (spec.unit, spec.limits.budget) == ("m", 40_000)
    study = wf.Study.create(
        spec.space,
        direction=spec.direction,
        travel=spec.travel,
        trials=spec.trials,
        start=spec.start,
        budget=spec.limits.budget,
        home="start",
    )
    study.ask()
    assert "home" in export_gpx(study)


def test_every_method_it_names_is_in_the_catalogue():
    table = README[README.index("| method |") : README.index("`wayfare methods` prints")]
    assert set(re.findall(r"`([a-z0-9-]+)`", table)) == set(wf.CATALOGUE)


def test_every_file_and_command_it_points_to_exists():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
    makefile = (ROOT / "Makefile").read_text()
    for command in re.findall(r"make ([a-z-]+)", README):
        assert f"\n{command}:" in makefile, command


def test_every_measured_row_stands_in_the_committed_results():
    results = "".join((ROOT / "benchmarks" / name).read_text() for name in ("quality.md", "speed.md"))
    rows = [line for line in README.splitlines() if line.endswith(("| holds |", "| MISSED |"))]
    assert rows
    for row in rows:
        assert row in results
