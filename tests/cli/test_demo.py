"""``demo``: one day at a reactor, with planned routes and without, in numbers, words and a picture."""

import numpy as np
import pytest
from attrs import evolve
from click.testing import CliRunner
from matplotlib.image import imread

from wayfare.cli import main
from wayfare.cli.demo import RUN, compared, in_words, middle, spend
from wayfare.errors import InvalidInput


def wayfare(*arguments):
    return CliRunner().invoke(main, arguments)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo") / "new" / "demo.png"
    return wayfare("demo", "--hours", "1", "--seeds", "3", "--out", str(out)), out


@pytest.fixture(scope="module")
def days():
    return [{name: spend(name, seed, 60) for name in ("ucb", "wayfare")} for seed in range(3)]


def test_the_demo_writes_a_picture_fit_for_print(demo):
    result, out = demo
    assert result.exit_code == 0, result.output
    height, width, _ = imread(out).shape
    assert width > 1600
    assert height > 500
    assert result.stdout.rstrip().endswith(str(out))


def test_the_demo_prints_a_table_of_eighty_columns_with_units(demo, days):
    lines = demo[0].stdout.splitlines()
    assert max(map(len, lines[:-1])) <= 80
    head = next(i for i, line in enumerate(lines) if line.startswith("method"))
    assert "waiting [h]" in lines[head]
    for line in lines[head + 1 : head + 3]:
        name, *figures = line.split()
        made = [one[name] for one in days]
        runs, waited = [len(day.legs) for day in made], [day.waited for day in made]
        assert figures[:3] == [f"{np.mean(runs):.1f}", "±", f"{np.std(runs, ddof=1):.1f}"]
        assert figures[3:6] == [f"{np.mean(waited):.2f}", "±", f"{np.std(waited, ddof=1):.2f}"]


def test_no_run_ends_after_work(days):
    for day in (day for one in days for day in one.values()):
        assert day.ended[-1] <= 1
        assert np.allclose(np.diff(day.ended, prepend=0), (day.legs + RUN) / 60)


def test_the_seed_drawn_is_the_one_in_the_middle(days):
    shares = [len(one["wayfare"].legs) / len(one["ucb"].legs) for one in days]
    assert middle(days)["ucb"].seed == int(np.argsort(shares, kind="stable")[1])


def test_progress_goes_to_stderr_and_can_be_silenced(demo, tmp_path):
    assert "done" in demo[0].stderr
    quiet = wayfare("demo", "--hours", "1", "--seeds", "1", "--quiet", "--out", str(tmp_path / "d.png"))
    assert quiet.stderr.strip() == ""
    assert "method" in quiet.stdout


def test_the_words_admit_what_is_worse(days):
    bad = [{**one, "wayfare": evolve(one["ucb"], legs=one["ucb"].legs[:2], best=one["ucb"].best - 0.5)} for one in days]
    words = in_words(bad)
    assert " fewer runs into the day than ucb" in words
    assert "the settings that it keeps are worse by 0.5" in words


def test_a_comparison_of_numbers_has_its_direction_in_words():
    assert compared(50, 100, "less", "more") == "50% less"
    assert compared(150, 100, "less", "more") == "50% more"
    assert compared(3, 0, "less", "more") == "3 more"


@pytest.mark.parametrize(
    "arguments",
    [
        ("demo", "--hours", "none"),
        ("demo", "--hours", "0"),
        ("demo", "--seed", "-1"),
        ("demo", "--out", "x.txt"),
        ("nonsense",),
    ],
)
def test_misuse_exits_with_two(arguments):
    result = wayfare(*arguments)
    assert result.exit_code == 2
    assert result.stdout == ""
    assert "Error" in result.stderr


def test_a_file_that_cannot_be_written_exits_with_one_line_and_one(tmp_path):
    (tmp_path / "file").write_text("")
    result = wayfare("demo", "--hours", "1", "--seeds", "1", "--quiet", "--out", str(tmp_path / "file" / "d.png"))
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: cannot write")
    assert result.stderr.count("\n") == 1


def test_an_error_of_ours_is_one_line_without_a_traceback(monkeypatch):
    def refuse(*arguments, **options):
        raise InvalidInput("problem: none is called so")

    monkeypatch.setattr("wayfare.cli.demo.spend", refuse)
    result = wayfare("demo", "--quiet")
    assert result.exit_code == 2
    assert result.stderr == "Error: problem: none is called so\n"
