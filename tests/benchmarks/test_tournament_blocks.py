"""The tables and pictures of the tournament, on rows made up so that the answers are known."""

import pytest
from PIL import Image

from blocks import block_names, fill_blocks
from tests.benchmarks.rows import row
from tournament.__main__ import main
from tournament.blocks import (
    ablation_block,
    blocks,
    cpu_block,
    functions_block,
    rivals_block,
    targets_block,
    tournament_block,
)
from tournament.functions import reporting
from tournament.page import write_pages
from tournament.panels import draw_by_function, front
from tournament.pictures import draw_frontier, middle, points
from tournament.run import read_csv, write_csv
from wayfare.errors import InvalidInput

# Corner and two variables, corner and four, six variables and no corner.
FUNCTIONS = ("lure", "product", "levy")
UCB = [row("ucb", name, 8, 400, 200, 100) for name in FUNCTIONS]
# Alike on every function, so that the intervals have no width.
WAYFARE = [row("wayfare", name, 2, 200, 20, 150) for name in FUNCTIONS]
ALIKE = "0.25 [0.25, 0.25] | 0.50 [0.50, 0.50] | 0.10 [0.10, 0.10] | 1.50 [1.50, 1.50]"
# Dominates wayfare on lure, and is dominated on the others.
TTS = [row("tts", "lure", 1, 100), row("tts", "product", 4, 300), row("tts", "levy", 4, 300)]


def lines(block):
    return block.splitlines()[2:]


def test_the_first_table_has_every_number_of_trials_and_the_groups_at_one():
    short = [row("ucb", "levy", 8, 400, trials=30), row("wayfare", "levy", 4, 100, 300, 800, trials=30)]
    assert tournament_block([*UCB, *WAYFARE, *short]).splitlines() == [
        "| T | functions | movement | mean regret | last-half regret | simple regret |",
        "| ---: | --- | ---: | ---: | ---: | ---: |",
        "| 30 | all (1) | 0.50 | 0.25 | 0.75 | 2.00 |",
        f"| 100 | all (3) | {ALIKE} |",
        "| 100 | d >= 6 (1) | 0.25 | 0.50 | 0.10 | 1.50 |",
        f"| 100 | corner (2) | {ALIKE} |",
    ]


def test_rivals_are_counted_both_ways():
    tts, wayfare = lines(rivals_block([*UCB, *WAYFARE, *TTS]))
    # Logs of the movement in log 4: -1.5, -0.5, -0.5; mean -5/6, sd 0.577, so half = 4.303 / 3.
    assert tts.startswith("| `tts` | 0.31 [0.04, 2.30] | ")
    assert tts.endswith(" | 1 of 3 | 2 of 3 | 3 |")
    assert wayfare == f"| `wayfare` | {ALIKE} |  |  | 3 |"
    assert "| 1 of 2 | 1 of 2 | 2 |" in rivals_block([*UCB, *WAYFARE, *TTS[:2]])


def test_targets_hold_are_missed_or_were_not_run():
    rows = [row(*cell) for name in reporting() for cell in (("ucb", name, 8, 400), ("wayfare", name, 2, 320))]
    shown = lines(targets_block(rows))
    assert shown[0] == "| 100 | all | movement | 0.25 [0.25, 0.25] | 0.30 | 28 | holds |"
    assert shown[2] == "| 100 | all | mean regret | 0.80 [0.80, 0.80] | 0.75 | 28 | missed |"
    assert shown[6] == "| 30 | all | movement |  | 0.40 | 0 | not run |"
    assert "MISSED" not in targets_block(rows)


def test_ablations_have_their_corners_apart():
    some = [row("no-price", "lure", 4, 400, 800, 400), row("no-price", "levy", 4, 400, 50, 400)]
    apart = [line.split(" | ") for line in lines(ablation_block([*UCB, *some]))]
    assert [line[0] for line in apart] == ["| `no-price`"]
    assert (apart[0][3], apart[0][5]) == ("1.00 [0.00, 100+]", "4.00")


def test_ablations_are_compared_on_what_all_of_them_were_run_on():
    later = [row("ucb", "levy", 8, 400, seed=1), row("wayfare", "levy", 8, 400, seed=1)]
    some = [row("no-price", "levy", 4, 400), row("wayfare", "levy", 2, 400), *later]
    alone, both = lines(ablation_block([*UCB, *some[1:]])), lines(ablation_block([*UCB, *some]))
    assert [line.split(" | ")[1] for line in both] == ["0.25", "0.50"]
    assert [line.split(" | ")[-1] for line in alone + both] == ["2 |", "1 |", "1 |"]


def test_a_function_says_who_dominates_wayfare_there():
    rows = [*UCB, *WAYFARE, *TTS, row("snake", "lure", 1.5, 150), row("no-price", "levy", 1, 1)]
    assert lines(functions_block(rows)) == [
        "| levy | 6 | off-centre | 0.25 | 0.50 | 0.10 | 1.50 |  |",
        "| lure | 2 | corner, basins | 0.25 | 0.50 | 0.10 | 1.50 | `tts`, `snake` |",
        "| product | 4 | corner | 0.25 | 0.50 | 0.10 | 1.50 |  |",
    ]


def test_cpu_is_compared_seed_by_seed():
    both = [
        row(method, name, 1, 1, seed=seed, trials=60, cpu=cpu)
        for name in FUNCTIONS
        for seed, method, cpu in ((0, "wayfare", 3), (0, "tucb", 1), (1, "wayfare", 9), (1, "tucb", 12))
    ]
    alone = [row("wayfare", "lure", 1, 1, seed=2, trials=60, cpu=99), row("wayfare", "lure", 1, 1, trials=30)]
    assert lines(cpu_block([*both, *alone])) == ["| 60 | 1.50 [1.50, 1.50] | 6 |"]


def test_what_was_not_run_has_no_line():
    assert all(lines(text) == [] for name, text in blocks(UCB).items() if name != "targets")


def test_the_csv_comes_back(tmp_path):
    rows = [*UCB, row("tts", "levy", 1.25, 0.001234567, seed=3, trials=30)]
    write_csv(rows, tmp_path / "cells.csv")
    back = read_csv(tmp_path / "cells.csv")
    assert back[:3] == UCB
    assert (back[3].mean_regret, back[3].trials, back[3].movement) == (0.00123457, 30, 1.25)
    write_csv(back, tmp_path / "again.csv")
    assert (tmp_path / "again.csv").read_bytes() == (tmp_path / "cells.csv").read_bytes()


def test_a_csv_with_other_columns_is_refused(tmp_path):
    (tmp_path / "cells.csv").write_text("function,method\nlure,ucb\n")
    with pytest.raises(InvalidInput, match=r"the columns of .*cells.csv should be function, d, noise"):
        read_csv(tmp_path / "cells.csv")


def test_only_known_blocks_are_filled():
    page = "a\n<!-- begin cpu -->\n<!-- end cpu -->\nb\n<!-- begin other -->\nc\n<!-- end other -->\n"
    assert block_names(page) == {"cpu", "other"}
    assert fill_blocks(page, {"cpu": "new", "more": "x"}) == page.replace("cpu -->\n<", "cpu -->\nnew\n<")


def test_the_command_fills_the_pages_and_draws(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("tournament.__main__.ROOT", tmp_path)
    write_csv([*UCB, *WAYFARE, *TTS], tmp_path / "reporting.csv")
    (tmp_path / "README.md").write_text("Words.\n<!-- begin cpu -->\nold\n<!-- end cpu -->\n")
    assert main(["page", "--results", str(tmp_path)]) == 0
    drawn = ["docs/frontier.png", "docs/frontier-by-function.png"]
    assert capsys.readouterr().out.split() == [*drawn, "README.md"]
    cpu = blocks(read_csv(tmp_path / "reporting.csv"))["cpu"]
    assert (tmp_path / "README.md").read_text() == (f"Words.\n<!-- begin cpu -->\n{cpu}\n<!-- end cpu -->\n")
    for file in drawn:
        with Image.open(tmp_path / file) as picture:
            assert picture.width == 1600
    assert main(["page", "--results", str(tmp_path / "none")]) == 2
    assert "none/reporting.csv; the command report writes it" in capsys.readouterr().err


def test_a_page_without_blocks_is_left_alone(tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "method.md").write_text("Words.\n")
    assert not [file for file in write_pages([*UCB, *WAYFARE], tmp_path) if file.endswith(".md")]


def test_marks_are_where_the_ratios_are():
    found = points([*UCB, *WAYFARE, *TTS], ["levy"])
    assert {method: middle(point) for method, point in found.items()} == {
        "ucb": (1, 1),
        "tts": (pytest.approx(0.5), pytest.approx(0.75)),
        "wayfare": (pytest.approx(0.25), pytest.approx(0.5)),
    }


def test_the_front_is_what_no_other_beats_in_both():
    assert front([(3, 1), (1, 3), (2, 2), (2.5, 2), (3, 3), (1, 4)]) == [(1, 3), (2, 2), (3, 1)]


def test_a_panel_says_that_wayfare_is_dominated():
    figure = draw_by_function([*UCB, *WAYFARE, *TTS])
    titles = {ax.get_title(loc="left"): ax.get_facecolor() for ax in figure.axes if ax.axison}
    assert list(titles) == ["levy, d = 6", "lure, d = 2\ndominated by tts", "product, d = 4"]
    assert [colour == (1, 1, 1, 1) for colour in titles.values()] == [True, False, True]


def test_no_label_covers_another_or_leaves_the_picture():
    # Four methods in nearly the same place.
    rows = [
        row(method, name, 4 + 0.1 * i, 200 + 4 * i)
        for i, method in enumerate(("tts", "snake", "eipu", "mini"))
        for name in FUNCTIONS
    ]
    figure = draw_frontier([*UCB, *WAYFARE, *rows])
    figure.draw_without_rendering()
    left = figure.axes[0]
    boxes = {text.get_text(): text.get_window_extent() for text in left.texts[1:]}
    assert boxes.keys() == {"ucb", "wayfare", "tts", "snake", "eipu", "mini"}
    for name, box in boxes.items():
        assert left.bbox.x0 < box.x0 < box.x1 < left.bbox.x1
        assert not any(box.overlaps(other) for rival, other in boxes.items() if rival != name)
