"""The page on the one line that changes: its numbers are those of the rows, and a row is what a study did."""

import numpy as np
import pytest

import plug
import wayfare as wf
from wayfare._core.rng import stream


def test_the_page_shows_the_rows_of_the_file():
    rows = plug.read()
    assert plug.PAGE.read_text() == plug.page(rows)
    assert {(row.problem, row.sampler) for row in rows} == {(p, s) for p in plug.PROBLEMS for s in plug.SAMPLERS}
    assert len(rows) == len({row[:4] for row in rows}) == len(plug.PROBLEMS) * len(plug.SAMPLERS) * plug.SEEDS


def test_a_row_is_the_movement_and_the_find_of_a_plain_study(monkeypatch):
    monkeypatch.setattr(plug, "TRIALS", 8)
    ground = plug.grounds("report")["branin"]
    row = plug.run("WayfareSampler", ground, 3)
    problem = ground.under(3)
    stated = {"direction": "maximize", "travel": problem.travel, "start": problem.start, "trials": 8, "seed": 3}
    study = wf.Study.create(problem.space, **stated)
    for noise in problem.noise * stream(3, "noise").standard_normal(8):
        trial = study.ask()
        study.tell(trial, float(problem.function(trial.x[None, :])[0] + noise))
    best = study.trials[int(np.argmax([trial.value for trial in study.trials]))]
    assert row.movement == pytest.approx(study.ledger().paid)
    assert row.short == pytest.approx(float(problem.regret(best.x[None, :])[0]) / ground.gain)


def test_rows_are_read_as_they_were_written(monkeypatch, tmp_path):
    rows = plug.read()[:3]
    monkeypatch.setattr(plug, "ROWS", tmp_path / "rows.csv")
    assert plug.read() == []
    plug.write(reversed(rows))
    assert plug.read() == rows
