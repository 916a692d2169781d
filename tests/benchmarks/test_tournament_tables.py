"""The tables and the pictures say what the rows say."""

import numpy as np
import pytest
from PIL import Image

from blocks import fill_blocks
from tests.benchmarks.rows import row
from tournament import tables
from tournament.__main__ import main
from tournament.aims import aims
from tournament.grounds import grounds
from tournament.pictures import draw_by_problem, draw_frontier, middle, points
from tournament.studies import write_rows
from tournament.tables import (
    ALLOWED,
    HORIZONS,
    METHODS,
    OPTUNA,
    PARTS,
    budget_table,
    conditions_table,
    cpu_table,
    groups,
    in_short,
    logs_of,
    paired,
    peers_table,
    problems_table,
    ratio_of,
    summary,
)


def cells(table):
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


def test_only_pairs_are_compared_and_small_regrets_are_floored():
    own = [row("a", movement=2.0), row("a", "cone", movement=0.5), row("a", "mesa")]
    pairs = paired(own, [row("b"), row("b", "cone"), row("b", "trid")])
    assert [one.problem for one, _ in pairs] == ["quay", "cone"]
    assert ratio_of(pairs, "movement").mean == pytest.approx(1.0)
    (one,) = logs_of([(row("a", simple=1e-5), row("b", simple=0.02))], "simple_regret", 0.01)["quay"]
    assert one == pytest.approx(np.log(0.5))


def test_groups_are_the_kinds_and_those_of_many_axes():
    found = groups("report")
    assert len(found["all"]) == len(grounds("report"))
    assert sum(len(found[kind]) for kind in ("box", "landscape", "mixed", "field")) == len(found["all"])
    assert {"levy", "view6"} <= set(found["d >= 6"])
    assert "branin" not in found["d >= 6"]


def test_the_summary_counts_what_was_lost_and_found():
    rows = [row("ucb", seed=seed, simple=simple) for seed, simple in enumerate([0.0, 0.5, 0.5, 0.0])]
    rows += [row("mine", seed=seed, simple=simple) for seed, simple in enumerate([0.5, 0.0, 0.5, 0.5])]
    first, second = cells(summary(rows, ["mine"], 60))
    assert (first[1], second[1]) == ("all (1)", "box (1)")
    assert first[-5:] == ["75%", "50%", "2, 1", "50%", "25%"]
    assert len(cells(summary(rows, ["mine"], 60, by_group=False))) == 1


def test_numbers_of_trials_that_were_not_run_have_no_line():
    rows = [row(method, trials=trials) for method in ("ucb", "wayfare") for trials in (30, 100)]
    assert [line[0] for line in cells(in_short(rows))] == ["30", "100"]


def test_numbers_of_trials_that_were_run_on_some_problems_alone_have_no_line_among_all():
    rows = [row(method, name, part="report") for method in ("ucb", "wayfare") for name in ("branin", "currin")]
    rows += [row(method, "branin", part="report", trials=300) for method in ("ucb", "wayfare")]
    assert [line[0] for line in cells(in_short(rows))] == ["60"]


def every_row(movement=0.4, simple=0.0, theirs=0.1, used=0.9, idle=10, names=None):
    """Return rows of everything that the tables show, one seed each."""
    rows = []
    for name in names or grounds("report"):
        for trials in HORIZONS:
            rows += [
                row("ucb", name, 1.0, theirs, part="report", trials=trials, planner_cpu=0.2),
                row("control", name, 0.8, theirs, part="report", trials=trials),
                row("wayfare", name, movement * (0.6 if trials == 300 else 1), simple, part="report", trials=trials),
            ]
        rows += [
            row("wayfare", name, movement, simple, part="report", condition="watched", trials=trials, idle=idle)
            for trials in (60, 100)
        ]
        rows += [
            row(method, name, 0.7, theirs, part="report") for method in METHODS if method not in ("control", "wayfare")
        ]
        for method in ("ucb", "wayfare"):
            size = 1.0 if method == "ucb" else movement
            kept = theirs if method == "ucb" else simple
            rows += [row(method, name, size, kept, part="report", condition=condition) for condition in ("old", "out")]
            rows.append(row(method, name, used, kept, part="report", condition="budget", trials=ALLOWED, budget=1.0))
        if grounds("report")[name].kind != "field":
            rows += [row(method, name, 3.0, simple, part="report") for method in OPTUNA]
    return rows


def verdicts(rows):
    return {(aim.where, aim.of): aim.holds for aim in aims(rows)}


def test_aims_hold_or_are_missed():
    assert set(verdicts(every_row()).values()) == {True}
    far = verdicts(every_row(movement=0.48))
    assert not far["T = 60, all", "movement"]
    assert far["T = 30, all", "movement"]
    poor = verdicts(every_row(simple=0.2, theirs=0.02))
    assert not poor["T = 60, all", "simple regret"]
    assert not poor["T = 100, mixed", "missed"]
    assert not poor["equal budget, all", "missed"]
    assert not verdicts(every_row(used=0.7))["equal budget, all", "budget used"]
    assert not verdicts(every_row(idle=40))["T = 60, before it says that it is done", "visits to a known place"]


def test_an_aim_says_on_how_many_problems_it_was_measured():
    some = [one for one in every_row() if one.trials != 300 or one.problem in ("branin", "esters")]
    found = verdicts(some)
    assert found["T = 300, 2 problems", "movement"]
    assert found["equal budget, 2 problems", "budget used"]
    assert ("T = 300, all", "movement") not in found


def test_looking_farther_is_shown_on_the_problems_with_choices_alone():
    names = ("branin", "esters", "resins")
    rows = [*every_row(names=names), *(row("settled", name, 0.5, 0.0, part="report") for name in names)]
    lines = cells(tables.blocks([], rows)["choices"])
    assert [line[:2] for line in lines] == [["`wayfare`", "all (2)"], ["`settled`", "all (2)"]]


def test_one_bad_problem_is_named():
    rows = [
        one._replace(simple_regret=0.5) if (one.method, one.problem) == ("wayfare", "currin") else one
        for one in every_row(simple=0.01)
    ]
    assert not verdicts(rows)["T = 60, worst: currin", "simple regret"]


def test_a_field_problem_that_is_lost_under_more_than_a_quarter_of_the_seeds_is_named():
    rows = [one._replace(seed=seed) for seed in range(4) for one in every_row(theirs=0.01)]

    def held(seeds):
        poor = [
            one._replace(simple_regret=0.5)
            if (one.method, one.problem) == ("wayfare", "lithium") and one.seed < seeds
            else one
            for one in rows
        ]
        return verdicts(poor)["T = 60, worst in the field: lithium", "lost"]

    assert held(1)
    assert not held(2)


def test_planning_is_compared_seed_by_seed():
    assert [line[1].split()[0] for line in cells(cpu_table(every_row()))] == ["1.00", "0.50"]


def test_a_budget_says_how_much_of_it_was_used():
    first, second = cells(budget_table(every_row(used=0.75)))
    assert first[1].split()[0] == "1.00"
    assert second[1].split()[0] == "0.10"
    assert second[4:6] == ["75%", "0%"]
    assert cells(budget_table(every_row(used=0.81)))[1][4:6] == ["81%", "100%"]


def test_conditions_are_compared_with_the_same_method_without_them():
    rows = [one._replace(movement=3.0) if one.condition == "out" else one for one in every_row(movement=1.5)]
    lines = cells(conditions_table(rows))
    assert [line[:2] for line in lines] == [
        ["2 d old results", "`ucb`"],
        ["2 d old results", "`wayfare`"],
        ["ten results out", "`ucb`"],
        ["ten results out", "`wayfare`"],
    ]
    assert [line[2].split()[0] for line in lines] == ["1.00", "1.00", "3.00", "2.00"]


def test_optuna_is_compared_where_it_was_run():
    lines = cells(peers_table(every_row(names=["branin", "inks", "lithium"])))
    assert [line[:2] for line in lines] == [[f"`{method}`", "all (2)"] for method in ("wayfare", *OPTUNA)]


def test_every_problem_has_a_line():
    lines = cells(problems_table(every_row()))
    assert [line[0] for line in lines] == list(grounds("report"))
    assert lines[0][:3] == ["ackley", "2", "basins"]
    assert lines[-1][:3] == ["lithium", "2", "field"]


def test_the_command_fills_the_pages_and_draws(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("tournament.__main__.ROOT", tmp_path)
    reported = every_row()
    searched = [
        row(method, trials=trials, seed=seed)
        for method in ("ucb", *PARTS)
        for trials in (30, 60, 100)
        for seed in (0, 1)
    ]
    write_rows(reported, tmp_path / "report.csv")
    write_rows(searched, tmp_path / "search.csv")
    page = "Words.\n<!-- begin cpu -->\nold\n<!-- end cpu -->\n"
    (tmp_path / "README.md").write_text(page)
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "method.md").write_text("No block.\n")
    assert main(["page", "--results", str(tmp_path)]) == 0
    drawn = ["docs/frontier.png", "docs/frontier-by-problem.png"]
    assert capsys.readouterr().out.split() == [*drawn, "README.md"]
    assert (tmp_path / "README.md").read_text() == fill_blocks(page, tables.blocks(searched, reported))
    for file in drawn:
        with Image.open(tmp_path / file) as picture:
            assert picture.width == 1600


def test_marks_are_where_the_ratios_are():
    found = points(every_row(names=["branin", "inks"]))
    assert list(found) == ["ucb", *METHODS]
    assert middle(found["ucb"]) == (1, 1)
    assert middle(found["wayfare"]) == (pytest.approx(0.4), pytest.approx(0.1))


def test_the_picture_by_problem_has_a_mark_for_each():
    figure = draw_by_problem(every_row())
    marks = {line.get_label(): len(line.get_xdata()) for line in figure.axes[0].lines if "(" in str(line.get_label())}
    assert marks == {"box (28)": 28, "landscape (12)": 12, "mixed (9)": 9, "field (5)": 5}


def test_no_label_covers_another_or_leaves_the_picture():
    # Five methods in nearly the same place, and one far from there.
    at = {method: 0.7 + 0.01 * place for place, method in enumerate(METHODS[:4])} | {"lookahead": 1.2}
    rows = [
        one._replace(movement=at.get(one.method, one.movement)) for one in every_row(names=["branin", "inks", "snar"])
    ]
    figure = draw_frontier(rows)
    figure.draw_without_rendering()
    left = figure.axes[0]
    boxes = {text.get_text(): text.get_window_extent() for text in left.texts[1:]}
    assert boxes.keys() == {"ucb", *METHODS}
    for name, box in boxes.items():
        assert left.bbox.x0 < box.x0 < box.x1 < left.bbox.x1
        assert not any(box.overlaps(other) for rival, other in boxes.items() if rival != name)
