"""The examples run, and their pages show what they print.

``python -m tests.examples.test_examples`` writes the pages anew with what the scripts print today, and draws
their pictures.
"""

import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from importlib import import_module
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import wayfare as wf
from tests.pages.test_operator_page import NUMBER

pytestmark = [pytest.mark.slow, pytest.mark.subprocess]

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "examples"
UNITS = {"boat": "km", "rig": "min", "reactor": "min", "printer": "min", "prices": "EUR", "drone": "min"}
CONSOLE = re.compile(r"```console\n\$ (.*)\n[^`]*```\n")


def ran(command, folder):
    """Return what a command of a page prints on stdout, run in the folder."""
    program, script, *options = shlex.split(command)
    assert program == "python"
    child = subprocess.run(
        [sys.executable, str(ROOT / script), *options], cwd=folder, capture_output=True, text=True, check=False
    )
    assert child.returncode == 0, child.stderr
    return child.stdout


def walked(page, folder):
    """Return the page with what its commands print."""
    return CONSOLE.sub(lambda found: f"```console\n$ {found[1]}\n{ran(found[1], folder)}```\n", page)


def page_of(name):
    return (PAGES / f"{name}.md").read_text()


@pytest.fixture
def example(monkeypatch):
    """Return what imports an example by its name."""
    monkeypatch.syspath_prepend(str(ROOT / "examples"))
    return import_module


@pytest.mark.parametrize("name", UNITS)
def test_the_short_version_reports_with_units_and_draws(name, tmp_path):
    printed = ran(f"python examples/{name}.py --short --out here/{name}.png", tmp_path)
    heading, *rows = printed.splitlines()
    assert f"[{UNITS[name]}]" in heading
    assert len(rows) >= 4, "two methods, what there was to find, and the picture"
    assert rows[-1] == f"drawn: here/{name}.png"
    picture = (tmp_path / "here" / f"{name}.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 20_000


def words(text):
    """Return the text without its numbers and the spaces that line them up."""
    return re.sub(r" +", " ", NUMBER.sub("#", text))


def means(text):
    """Return the numbers of the lines that are means over the seeds."""
    return [[float(number) for number in NUMBER.findall(line)] for line in text.splitlines() if " mean " in line]


@pytest.mark.parametrize("name", UNITS)
def test_the_page_shows_what_the_script_prints(name, tmp_path):
    # The same on one machine; on another the last digits of a fit differ, and then some choices do.
    page = page_of(name)
    assert len(CONSOLE.findall(page)) == 2
    printed = walked(page, tmp_path)
    assert words(printed) == words(page)
    for found, shown in zip(means(printed), means(page), strict=True):
        assert found == pytest.approx(shown, rel=0.5, abs=0.5)


@pytest.mark.parametrize("name", UNITS)
def test_the_code_on_the_page_stands_in_the_script(name):
    script = (ROOT / "examples" / f"{name}.py").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page_of(name), flags=re.DOTALL)
    assert code in script


def test_every_script_has_a_page_and_stands_in_the_list():
    scripts = {path.stem for path in (ROOT / "examples").glob("*.py") if "__main__" in path.read_text()}
    pages = {path.stem for path in PAGES.glob("*.md")} - {"README"}
    listed = set(re.findall(r"^\| \[.*?\]\((\w+)\.md\)", page_of("README"), flags=re.MULTILINE))
    assert scripts - {"beside"} == pages == listed == set(UNITS)


@pytest.mark.parametrize("name", [*UNITS, "README"])
def test_every_file_that_a_page_points_to_exists(name):
    for target in re.findall(r"\]\(([^)#]+)", page_of(name)):
        assert (PAGES / target).exists(), target


def test_the_boat_is_drawn_where_it_went_and_stays_on_water(example):
    boat = example("boat")
    study = boat.run("ucb", 0, 10)
    way = boat.over_water(study)
    walked = np.linalg.norm(np.diff(way, axis=0), axis=1).sum()
    assert walked == pytest.approx(study.ledger().paid + study.ledger().home)
    assert walked <= boat.TANK
    shares = np.linspace(0, 1, 52)[:, None, None]
    along = (1 - shares) * way[:-1] + shares * way[1:]
    assert boat.boat.covers(along.reshape(-1, 2)).all()


@pytest.mark.parametrize("minutes", range(60, 120, 6))
def test_the_reactor_stops_before_the_day_is_over(example, minutes):
    reactor = example("reactor")
    with pytest.warns(wf.GuaranteeWarning):
        study = reactor.run("ucb", 0, minutes)
    runs = reactor.runs(study)
    clock = sum(trial.leg + reactor.RUN for trial in runs)
    assert clock <= minutes < clock + study.trials[-1].predicted + reactor.RUN
    assert study.ledger().paid == pytest.approx(sum(trial.leg for trial in runs))


def test_the_index_alone_does_what_a_study_of_ucb1_does(example):
    prices = example("prices")
    would_pay = iter(np.random.default_rng(3).logistic(24, 5, 200))
    study = wf.maximize(
        lambda price: price / prices.HIGHEST if next(would_pay) >= price else 0.0,
        prices.shop,
        travel=prices.change,
        trials=200,
        method="ucb1",
    )
    charged = prices.run("ucb1", 3, 200)
    assert [trial.params["price"] for trial in study.trials] == charged.tolist()
    assert study.ledger().paid == prices.changes(charged)


def test_the_prices_of_base_change_as_often_as_its_study_paid_for(example, monkeypatch):
    prices = example("prices")
    studies = []
    maximize = wf.maximize
    monkeypatch.setattr(
        prices.wf, "maximize", lambda *args, **more: studies.append(maximize(*args, **more)) or studies[-1]
    )
    charged = prices.run("base", 0, 500)
    assert len(charged) == 500
    assert studies[0].ledger().paid == prices.changes(charged)


def test_the_drone_is_home_before_its_battery_is_empty(example):
    drone = example("drone")
    study = drone.run("wayfare", 0, 20)
    assert drone.trips(study) > 1
    ways = drone.flown(study)
    assert len(ways) == drone.trips(study)
    for way in ways:
        legs = [study.spec.travel(a[None, :], b[None, :]).item() for a, b in pairwise(way)]
        assert sum(legs) + drone.HOVER * (len(way) - 2) <= drone.BATTERY + 1e-9


def rewrite():
    """Write the pages anew, and draw their pictures."""
    for name in UNITS:
        with tempfile.TemporaryDirectory() as folder:
            page = walked(page_of(name), folder)
            shutil.copy(Path(folder, "docs", "examples", f"{name}.png"), PAGES)
        (PAGES / f"{name}.md").write_text(page)


if __name__ == "__main__":
    rewrite()
