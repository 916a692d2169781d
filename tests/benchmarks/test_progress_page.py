"""The page on ``progress`` shows the committed rows, and they keep the claim."""

from progress import page
from progress.calibration import CHECKS, SEEDS, Row, chosen, held, read_rows


def test_the_page_shows_the_committed_rows():
    made = page.blocks(read_rows("develop"), read_rows("report"))
    text = page.PAGE.read_text()
    for name, block in made.items():
        assert f"<!-- begin {name} -->\n{block}\n<!-- end {name} -->" in text, name


def test_twenty_functions_and_ten_seeds_keep_the_claim():
    rows = read_rows("report")
    assert len({row.function for row in rows}) >= 20
    assert len(rows) == len(chosen("report")) * SEEDS["report"] * len(CHECKS)
    assert page.LEAST <= held(rows, 0.9) <= page.MOST
    sure = [row for row in rows if 0.8 <= row.below < 0.97]
    assert page.LEAST <= sum(row.gain <= row.tolerance for row in sure) / len(sure) <= page.MOST


def test_nothing_was_chosen_on_the_functions_reported():
    assert not set(chosen("develop")) & set(chosen("report"))


def test_a_bound_holds_if_the_truth_is_within_it():
    def row(gain):
        return Row("f", 0, 20, gain, 0.1, 0.5, tuple(float(i) for i in range(13)))

    assert held([row(5.9), row(6.1)], 0.9) == 0.5
