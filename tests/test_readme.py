"""What the README shows works as shown."""

import re
from pathlib import Path

import matplotlib as mpl
import pytest

import wayfare as wf

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text()


def test_the_example_runs_and_finds_its_optimum(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    mpl.use("Agg")
    (code,) = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    names: dict = {}
    with pytest.warns(wf.GuaranteeWarning, match="not a metric"):
        exec(compile(code, "README.md", "exec"), names)
    study = names["study"]
    assert len(study.trials) == 30
    assert study.best().params["catalyst"] == "Ni"
    assert study.best().mean > 0.5
    assert study.ledger().unit == "s"
    assert (tmp_path / "route.png").stat().st_size > 10_000


def test_every_method_it_names_is_in_the_catalogue():
    table = README[README.index("| method |") : README.index("`wayfare methods` prints")]
    assert set(re.findall(r"`([a-z0-9-]+)`", table)) == set(wf.CATALOGUE)


def test_every_file_and_command_it_points_to_exists():
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
    makefile = (ROOT / "Makefile").read_text()
    for command in re.findall(r"make ([a-z-]+)", README):
        assert f"\n{command}:" in makefile, command


@pytest.mark.parametrize("page", ["README.md", "docs/design.md"])
def test_every_measured_row_stands_in_the_committed_results(page):
    results = "".join((ROOT / "benchmarks" / name).read_text() for name in ("quality.md", "speed.md"))
    rows = [
        line for line in (ROOT / page).read_text().splitlines() if line.endswith(("| holds |", "| MISSED |"))
    ]
    assert rows
    for row in rows:
        assert row in results
