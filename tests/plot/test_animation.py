"""``animate`` shows a study as it went: a picture after each result, all alike but for what was known."""

import re
from io import BytesIO
from itertools import pairwise

import numpy as np
import pytest
from click.testing import CliRunner
from PIL import Image

from tests.plot.studies import make_study
from wayfare.cli import main
from wayfare.errors import InvalidInput, TooEarly
from wayfare.plot import animate

STILL = 1000
"""Pixels that a picture may differ in if nothing but the words changed."""


def frames(made):
    """Return the pictures of a GIF as arrays, and how long each stays."""
    film = Image.open(BytesIO(made))
    pictures, times = [], []
    for number in range(film.n_frames):
        film.seek(number)
        pictures.append(np.asarray(film.convert("RGB")))
        times.append(film.info["duration"])
    return pictures, times


def test_a_picture_follows_each_result_and_the_last_one_stays():
    study = make_study(told=6)
    pictures, times = frames(animate(study))
    assert len(pictures) == len(study.state.results)
    assert times[-1] > 3 * times[0]
    assert len({picture.shape for picture in pictures}) == 1
    for before, after in pairwise(pictures):
        assert (before != after).any(axis=-1).sum() > STILL


def test_of_many_results_some_are_passed_over_but_not_the_last():
    study = make_study(told=9)
    every, few = frames(animate(study))[0], frames(animate(study, frames=3))[0]
    assert len(few) == 3
    assert (few[-1] == every[-1]).all()
    assert (few[0] == every[0]).all()


def test_the_page_holds_all_it_shows_and_escapes_the_name():
    page = animate(make_study(told=4, name="<b>&"), kind="html").decode()
    assert page.count("data:image/png;base64,") == 4
    assert not re.findall(r"https?://|src=\"(?!data:)", page)
    assert "<title>&lt;b&gt;&amp;</title>" in page
    assert "<b>" not in page


def test_a_study_without_results_and_a_wrong_kind_are_refused():
    with pytest.raises(TooEarly, match="no trial"):
        animate(make_study(told=0))
    with pytest.raises(InvalidInput, match="kind must be 'gif' or 'html'"):
        animate(make_study(told=4), kind="mp4")


def test_the_command_writes_a_film_and_refuses_what_does_not_go_with_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = CliRunner().invoke
    assert run(main, ["init", "--template", "reactor"]).exit_code == 0
    assert run(main, ["new", "reactor.toml"]).exit_code == 0
    for number in range(2):
        assert run(main, ["ask", "reactor"]).exit_code == 0
        assert run(main, ["tell", "reactor", str(number), "0.5"]).exit_code == 0
    result = run(main, ["plot", "reactor", "--animate", "way.gif"])
    assert (result.exit_code, result.stdout) == (0, "way.gif\n")
    assert len(frames((tmp_path / "way.gif").read_bytes())[0]) == 2
    for wrong in (["--animate", "way.mp4"], ["--animate", "way.gif", "--kind", "history"]):
        assert run(main, ["plot", "reactor", *wrong]).exit_code == 2
