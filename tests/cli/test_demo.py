"""``demo``: three methods on one function, in numbers, words and a picture."""

import numpy as np
import pytest
from attrs import evolve
from click.testing import CliRunner
from matplotlib.image import imread

from wayfare.bench import problem_named, run_methods
from wayfare.cli import main
from wayfare.cli.demo import compared, in_words, middle
from wayfare.errors import InvalidInput


def wayfare(*arguments):
    return CliRunner().invoke(main, arguments)


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo") / "new" / "demo.png"
    return wayfare("demo", "--trials", "12", "--seeds", "2", "--out", str(out)), out


def test_the_demo_writes_a_picture_fit_for_print(demo):
    result, out = demo
    assert result.exit_code == 0, result.output
    height, width, _ = imread(out).shape
    assert width > 2000
    assert height > 1500
    assert result.stdout.rstrip().endswith(str(out))


def test_the_demo_prints_a_table_of_eighty_columns_with_units(demo):
    lines = demo[0].stdout.splitlines()
    assert max(map(len, lines[:-1])) <= 80
    head = next(i for i, line in enumerate(lines) if line.startswith("method"))
    rows = [line.split() for line in lines[head + 1 : head + 4]]
    assert [row[0] for row in rows] == ["ucb", "tucb", "wayfare"]
    assert "movement [u]" in lines[head]
    both = [run_methods(problem_named("branin"), ("ucb", "tucb", "wayfare"), 12, seed) for seed in (0, 1)]
    for row in rows:
        regret = np.array([runs[row[0]].mean_regret for runs in both])
        moved = np.array([runs[row[0]].movement for runs in both])
        blind = np.array([runs["ucb"].movement for runs in both])
        assert row[4:7] == [f"{regret.mean():.1f}", "±", f"{regret.std(ddof=1):.1f}"]
        assert row[7:10] == [f"{moved.mean():.0f}", "±", f"{moved.std(ddof=1):.0f}"]
        assert row[-1] == f"{moved.mean() / blind.mean():.0%}"


def test_the_seed_drawn_is_the_one_in_the_middle():
    runs = [run_methods(problem_named("branin"), ("ucb", "tucb", "wayfare"), 9, seed) for seed in range(3)]
    shares = [(r["tucb"].movement + r["wayfare"].movement) / r["ucb"].movement for r in runs]
    assert middle(runs)["ucb"].seed == int(np.argsort(shares)[1])


def test_progress_goes_to_stderr_and_can_be_silenced(demo, tmp_path):
    assert "done" in demo[0].stderr
    quiet = wayfare("demo", "--trials", "2", "--seeds", "1", "--quiet", "--out", str(tmp_path / "d.png"))
    assert quiet.stderr.strip() == ""
    assert "method" in quiet.stdout


def test_the_words_admit_what_is_worse():
    runs = run_methods(problem_named("branin"), ("ucb", "tucb", "wayfare"), 4, 0)
    bad = evolve(runs["ucb"], regret=2 * runs["ucb"].regret, legs=3 * runs["ucb"].legs)
    words = in_words([{**runs, "tucb": bad}])
    assert "tucb moved 200% more than ucb; its mean regret is 100% higher, its best place worse" in words


def test_a_comparison_of_numbers_has_its_direction_in_words():
    assert compared(50, 100, "less", "more") == "50% less"
    assert compared(150, 100, "less", "more") == "50% more"
    assert compared(3, 0, "less", "more") == "3 more"


@pytest.mark.parametrize(
    "arguments",
    [
        ("demo", "--trials", "none"),
        ("demo", "--trials", "1"),
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
    result = wayfare("demo", "--trials", "2", "--seeds", "1", "--quiet", "--out", str(tmp_path / "file" / "d.png"))
    assert result.exit_code == 1
    assert result.stderr.startswith("Error: cannot write")
    assert result.stderr.count("\n") == 1


def test_an_error_of_ours_is_one_line_without_a_traceback(monkeypatch):
    def refuse(name):
        raise InvalidInput("problem: none is called so")

    monkeypatch.setattr("wayfare.cli.demo.problem_named", refuse)
    result = wayfare("demo")
    assert result.exit_code == 2
    assert result.stderr == "Error: problem: none is called so\n"
