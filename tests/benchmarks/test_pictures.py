"""The paper's first figures show the runs they say they show, all of each and nothing else."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from rich.console import Console

import page
from peaks import FILE, METHODS, NEAR, PLACES, SEEDS, counts, ends_near, problem_at, said
from pictures import (
    BETTER,
    ELSEWHERE,
    PICTURES,
    Picture,
    draw_last_halves,
    draw_two_paths,
    draw_two_peaks,
    pictures_section,
)
from tests.bench.cells import measured
from wayfare._core.rng import stream
from wayfare.bench import problem_named, run_problem
from wayfare.bench.results import rows_of
from wayfare.bench.suites import SUITES


def path_on(ax):
    (line,) = (line for line in ax.lines if line.get_label() == "path")
    return line.get_xydata()


def words_over(ax):
    """Return the title and the caption below it."""
    return ax.get_title(loc="left"), *(text.get_text() for text in ax.texts if text.get_position() == (0, 6))


def test_two_paths_are_those_of_the_two_methods():
    branin = problem_named("branin")
    figure = draw_two_paths(trials=10, seed=3)
    for ax, method in zip(figure.axes, ("ts", "tts"), strict=False):
        run = run_problem(branin, method, 10, 3)
        assert path_on(ax) == pytest.approx(np.vstack([branin.start, run.x]))
        title, caption = words_over(ax)
        assert title == method
        assert caption.startswith(f"movement {run.movement:.3g} u\n")
    assert figure.get_suptitle() == "branin, T = 10, seed 3"
    assert [ax.get_xlabel() for ax in figure.axes[:2]] == ["x1 [u]"] * 2
    assert [ax.get_ylabel() for ax in figure.axes] == ["x2 [u]", "", "true value (uneven steps)"]


def test_last_halves_show_the_last_half_alone_and_all_of_its_movement():
    figure = draw_last_halves(trials=13, seed=1)
    cases = [(method, problem) for problem in ("quadratic", "constant") for method in ("ucb", "tucb")]
    for ax, (method, name) in zip(figure.axes, cases, strict=False):
        run = run_problem(problem_named(name), method, 13, 1)
        (visits,) = (dots for dots in ax.collections if dots.get_label().startswith("visits"))
        # Of 13 trials those from 6 on: the one in the middle counts as last.
        assert np.asarray(visits.get_offsets()) == pytest.approx(run.x[6:])
        legs = np.linalg.norm(np.diff(path_on(ax), axis=0), axis=1)
        assert legs == pytest.approx(run.legs[6:])
        assert words_over(ax) == (f"{method} on {name}", f"movement {legs.mean():.3g} u per trial")
    assert figure.get_suptitle() == "trials 6 to 12 of T = 13, seed 1"


def test_two_peaks_shows_every_seed_and_counts_those_that_end_at_the_better_peak():
    problem = problem_named("two-peaks")
    figure = draw_two_peaks(trials=20, seeds=2)
    counts = {}
    for ax, method in zip(figure.axes[1:7], ("ucb", "ts", "gs", "tucb", "tts", "wayfare"), strict=True):
        places = [run_problem(problem, method, 20, seed).x[:, 0] for seed in (0, 1)]
        *lines, better, worse = ax.lines
        assert len(lines) == 2
        for line, x in zip(lines, places, strict=True):
            assert line.get_xdata() == pytest.approx(range(20))
            assert line.get_ydata() == pytest.approx(x)
        assert (better.get_ydata()[0], worse.get_ydata()[0]) == (9, 2)
        well = [sum(8 <= at <= 10 for at in x[15:]) >= 3 for x in places]
        assert [to_hex(line.get_color()) for line in lines] == [BETTER if one else ELSEWHERE for one in well]
        moved = np.mean([np.abs(np.diff(x, prepend=2.0)).sum() for x in places])
        assert words_over(ax) == (
            f"{method}: {sum(well)} of 2 at the better peak",
            f"movement {moved:.3g} u on average",
        )
        counts[method] = sum(well)
        assert method != "gs" or np.max(places) < 5  # it stays about the worse peak
    assert (counts["gs"], counts["tucb"]) == (0, 2)


def test_the_function_stands_upright_beside_the_places():
    problem = problem_named("two-peaks")
    ax, *others, ended = draw_two_peaks(trials=2, seeds=1).axes
    value, x = ax.lines[0].get_data()
    assert value == pytest.approx(problem.function(np.asarray(x)[:, None]))
    assert all(ax.get_shared_y_axes().joined(ax, other) for other in others)
    assert not ax.get_shared_y_axes().joined(ax, ended)
    (start,) = (line for line in ax.lines if line.get_label() == "start")
    assert start.get_ydata() == 2
    assert ax.get_ylim() == (0, 10)


def test_the_last_panel_counts_the_seeds_of_the_file_by_where_the_peak_is():
    *_, ax = draw_two_peaks(trials=2, seeds=1).axes
    rows = rows_of(FILE)
    for line, method in zip(ax.lines, METHODS, strict=True):
        own = [row for row in rows if row["method"] == method]
        assert line.get_label() == method
        assert line.get_xdata() == pytest.approx(PLACES, abs=0.2)
        expected = [sum(int(row["at_the_better_peak"]) for row in own if float(row["peak"]) == peak) for peak in PLACES]
        assert line.get_ydata().tolist() == expected


@pytest.mark.parametrize("peak", PLACES)
def test_the_better_peak_is_where_it_is_moved_to(peak):
    problem = problem_at(peak)
    assert problem.function(problem.best[None, :])[0] == pytest.approx(1.0, abs=1e-4)
    assert problem.function(problem.start[None, :])[0] == pytest.approx(0.7, abs=1e-4)
    assert problem.best.tolist() == [peak]
    assert problem.function(problem.space.sample(500, stream(0))).max() <= 1.0001


def test_the_file_has_every_method_at_every_peak_under_every_seed():
    rows = rows_of(FILE)
    cases = [(float(row["peak"]), row["method"], int(row["seed"])) for row in rows]
    assert cases == [(peak, method, seed) for peak in PLACES for method in METHODS for seed in range(SEEDS)]
    for method, by_peak in counts(rows).items():
        # The default leaves the worse peak wherever the better one is; a method that fears the way never does.
        assert all(well == (0 if method == "gs" else SEEDS) for well in by_peak.values()) or method == "tts"


def test_the_words_below_the_third_figure_count_the_seeds_of_each_method():
    ended = {"ucb": {9.0: 10, 7.5: 10, 6.5: 10}, "gs": {9.0: 0, 7.5: 0, 6.5: 0}, "tts": {9.0: 9, 7.5: 10, 6.5: 7}}
    assert said(ended | {"ts": ended["ucb"]}) == (
        "Whether the better peak is at 9, 7.5 or 6.5, of 10 seeds there end at it: 10 of `ucb`, `ts`; 0 of `gs`; 7 to "
        "10 of `tts`."
    )


@pytest.mark.parametrize(
    ("places", "ends"),
    [
        ([2, 2, 2, 2, 2, 2, 2, 2, 2, 9, 9, 2], True),
        ([9, 9, 9, 9, 9, 9, 9, 9, 9, 2, 2, 9], False),
        ([9, 9, 9, 9, 9, 9, 2, 9], False),  # half is not most
        ([2, 2, 2, 9 + NEAR], True),
        ([2, 2, 2, 8.99 - NEAR], False),
        ([9], True),
    ],
)
def test_a_run_ends_at_a_peak_if_most_of_its_last_quarter_is_there(places, ends):
    assert ends_near(np.array(places, dtype=float), 9.0) is ends


def test_the_pictures_say_their_trials_and_seeds_and_belong_to_the_paper():
    assert [picture.file for picture in PICTURES] == ["paths.png", "quadratic-constant.png", "two-peaks.png"]
    defaults = [picture.draw.__defaults__ for picture in PICTURES]
    assert defaults == [(100, 0), (100, 0), (100, 10)]
    for picture, seeds in zip(PICTURES, ("seed 0 alone", "seed 0 alone", "seeds 0 to 9"), strict=True):
        assert "T = 100" in picture.words
        assert seeds in picture.words
    assert page.PICTURED == "paper"
    assert page.PICTURED in SUITES


def test_pictures_are_drawn_and_shown_with_their_words_by_the_paper_alone(tmp_path, monkeypatch):
    dot = Picture("dot.png", "A dot, seed 7.", lambda: Figure((1, 1)))
    monkeypatch.setattr("pictures.PICTURES", (dot,))
    monkeypatch.setattr("page.PICTURES", (dot,))
    monkeypatch.setattr("page.FIGURES", tmp_path)
    monkeypatch.setattr("pictures.peaks_table", lambda: "| a table |")
    assert pictures_section() == "## The paper's first figures\n\nA dot, seed 7.\n\n![dot](dot.png)\n\n| a table |"
    cells = [measured("ucb", seed, [2.0, 1.0], [0.0, 1.0]) for seed in (0, 1)]
    for suite in ("paper", "field"):
        page.draw(suite, cells, Console(quiet=True))
    assert (tmp_path / "paper" / "dot.png").read_bytes().startswith(b"\x89PNG")
    assert (tmp_path / "field" / "front.png").exists()
    assert not (tmp_path / "field" / "dot.png").exists()
