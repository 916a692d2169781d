"""What may stand in one folder, and what becomes of the results of an earlier run."""

import json

import pytest
from attrs import evolve

from tests.bench.cells import TINY, files
from tests.cli.studies import call
from wayfare.bench.cell import our_versions
from wayfare.bench.harness import run_suite
from wayfare.bench.results import HEAD, asked_for, paths, read_results
from wayfare.errors import InvalidInput

QUICK = evolve(TINY, methods=("random",), seeds=1)
MORE = [
    QUICK.restricted(methods=("random-route", "random")),
    QUICK.restricted(problems=("branin", "dropwave")),
    QUICK.restricted(seeds=3),
    evolve(QUICK, trials=(4, 5)),
    evolve(QUICK, delays=(0, 2)),
]


@pytest.fixture
def old(monkeypatch):
    """Wayfare's code as it may have been before."""
    return lambda: monkeypatch.setattr("wayfare.bench.cell.own_digest", lambda: "0" * 12)


@pytest.mark.parametrize("more", MORE)
def test_more_of_a_finished_suite_costs_only_what_is_missing(tmp_path, more):
    run_suite(QUICK, tmp_path / "grown")
    (kept,) = (tmp_path / "grown" / "tiny" / "cells").iterdir()
    before = kept.stat().st_mtime_ns
    begun, ran = [], []
    run_suite(more, tmp_path / "grown", None, lambda *counts: begun.append(counts), ran.append)
    assert begun == [(1, len(more.cells()))]
    assert len(ran) == len(more.cells()) - 1
    assert kept.stat().st_mtime_ns == before
    run_suite(more, tmp_path / "whole")
    assert files(tmp_path / "grown") == files(tmp_path / "whole")


@pytest.mark.parametrize("more", MORE)
def test_cells_that_are_not_asked_for_are_kept_but_not_counted(tmp_path, more):
    run_suite(QUICK, tmp_path / "alone")
    run_suite(more, tmp_path)
    begun, ran = [], []
    run_suite(QUICK, tmp_path, None, lambda *counts: begun.append(counts), ran.append)
    assert (begun, ran) == ([(1, 1)], [])
    assert files(tmp_path) == files(tmp_path / "alone")
    assert len(list((tmp_path / "tiny" / "cells").iterdir())) == len(more.cells())


def test_the_code_of_a_run_is_in_its_cells_and_settings_but_no_column(tmp_path):
    run_suite(QUICK, tmp_path)
    (cell,) = (tmp_path / "tiny" / "cells").iterdir()
    settings = json.loads((tmp_path / "tiny" / "settings.json").read_text())
    assert json.loads(cell.read_text())["versions"] == settings["versions"] == our_versions()
    assert len(our_versions()["wayfare code"]) == 12
    assert files(tmp_path)[0].decode().splitlines()[0] == ",".join(HEAD)
    assert HEAD[-5:] == ("plans", "wayfare", "python", "numpy", "scipy")


@pytest.mark.parametrize("suite", [QUICK, MORE[0], QUICK.restricted(methods=("random-route",))])
def test_cells_of_other_code_of_ours_are_refused_with_the_way_out(tmp_path, old, monkeypatch, suite):
    old()
    run_suite(QUICK, tmp_path)
    before = files(tmp_path), (tmp_path / "tiny" / "settings.json").read_bytes()
    monkeypatch.undo()
    here = our_versions()["wayfare code"]
    said = f"tiny: was begun with wayfare code 000000000000, now {here}; choose another --out or delete it"
    with pytest.raises(InvalidInput, match=said):
        run_suite(suite, tmp_path)
    assert (files(tmp_path), (tmp_path / "tiny" / "settings.json").read_bytes()) == before


def test_a_cell_that_was_put_there_from_elsewhere_is_refused_too(tmp_path, old, monkeypatch):
    old()
    run_suite(QUICK, tmp_path / "old")
    monkeypatch.undo()
    run_suite(QUICK.restricted(methods=("random-route",)), tmp_path)
    (cell,) = (tmp_path / "old" / "tiny" / "cells").iterdir()
    cell.rename(tmp_path / "tiny" / "cells" / cell.name)
    before = files(tmp_path), (tmp_path / "tiny" / "settings.json").read_bytes()
    with pytest.raises(InvalidInput, match="wayfare code 000000000000, now"):
        run_suite(MORE[0], tmp_path)
    # What is refused leaves no trace.
    assert (files(tmp_path), (tmp_path / "tiny" / "settings.json").read_bytes()) == before


def test_another_rule_for_the_start_is_refused(tmp_path):
    run_suite(QUICK, tmp_path)
    with pytest.raises(InvalidInput, match="was begun with start drawn, now own; choose another --out"):
        run_suite(evolve(QUICK, start="own"), tmp_path)


def test_a_folder_of_before_there_was_such_a_digest_is_refused(tmp_path):
    run_suite(QUICK, tmp_path)
    file = tmp_path / "tiny" / "settings.json"
    settings = json.loads(file.read_text())
    del settings["versions"]["wayfare code"]
    file.write_text(json.dumps(settings))
    with pytest.raises(InvalidInput, match="was begun with wayfare code unknown, now"):
        run_suite(QUICK, tmp_path)
    file.write_text("{")
    with pytest.raises(InvalidInput, match="cannot be read; choose another --out or delete"):
        run_suite(QUICK, tmp_path)


def lost(cells):
    raise InvalidInput("--dask: no scheduler answers")
    yield


def test_an_attempt_that_gave_no_cell_blocks_nothing(tmp_path, old, monkeypatch):
    old()
    with pytest.raises(InvalidInput, match="no scheduler"):
        run_suite(TINY, tmp_path, lost)
    monkeypatch.undo()
    assert run_suite(evolve(QUICK, start="own"), tmp_path) == []


def test_results_of_an_earlier_run_are_gone_once_a_longer_one_has_begun(tmp_path):
    run_suite(QUICK, tmp_path)
    with pytest.raises(InvalidInput, match="no scheduler"):
        run_suite(TINY, tmp_path, lost)
    assert not [file for file in paths(tmp_path, "tiny") if file.exists()]
    assert len(list((tmp_path / "tiny" / "cells").iterdir())) == 1
    said = "tiny.csv: no such file; `wayfare bench run tiny` makes it when it comes to its end"
    with pytest.raises(InvalidInput, match=said):
        read_results(tmp_path, "tiny")
    assert run_suite(TINY, tmp_path) == []
    assert [one.cell for one in read_results(tmp_path, "tiny")] == TINY.cells()


def test_no_report_is_made_of_an_unfinished_run_and_the_command_to_finish_is_named(tmp_path, monkeypatch):
    small = ("--methods=random", "--problems=branin", "--trials=3", "--quiet", "--out", tmp_path)
    assert call("bench", "run", "quick", *small, "--seeds=1").exit_code == 0
    monkeypatch.setattr("wayfare.bench.harness.one_by_one", lost)
    assert call("bench", "run", "quick", *small, "--seeds=2").exit_code == 2
    result = call("bench", "report", "quick", "--out", tmp_path)
    assert result.exit_code == 2
    command = "wayfare bench run quick --methods random --problems branin --trials 3 --seeds 2"
    assert f"quick.csv: no such file; `{command}` makes it" in result.stderr


def test_what_was_asked_for_last_is_known(tmp_path):
    assert asked_for(tmp_path, "tiny") is None
    run_suite(QUICK, tmp_path)
    run_suite(MORE[-1], tmp_path)
    assert asked_for(tmp_path, "tiny") == evolve(MORE[-1], summary="")
    (tmp_path / "tiny" / "settings.json").write_text('{"start": "own"}')
    assert asked_for(tmp_path, "tiny") is None
