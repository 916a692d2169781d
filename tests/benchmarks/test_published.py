"""Our numbers beside those of the paper's authors."""

import math

import numpy as np

from published import METHODS, PUBLISHED, goal_table, is_published, published_section, published_table
from tests.bench.cells import measured
from wayfare.bench.compare import comparisons
from wayfare.bench.suites import SUITES
from wayfare.planning.catalogue import DEFAULT


def run_of(method, seed, regret, leg, problem="levy4", trials=200):
    return measured(method, seed, np.full(trials, regret), np.full(trials, leg), problem=problem)


CELLS = [
    run_of("tucb", 0, 0.2, 0.5),
    run_of("tucb", 1, 0.3, 0.5),
    run_of("tts", 0, 0.25, 0.4),
    run_of("tts", 1, 0.25, 0.4),
    run_of("ucb", 0, 1.0, 1.0),
    run_of("ucb", 1, 1.0, 1.0),
    run_of("eipu", 0, 1.0, 1.0),
    run_of("eipu", 1, 1.0, 1.0),
]


def test_bold_is_where_ours_is_at_or_below_theirs():
    (levy,) = comparisons(CELLS)
    assert published_table(levy).splitlines()[2:] == [
        "| tucb | **0.25** ± 0.1 | 0.26 | 0.5 ± 0 | 0.43 |",
        "| tts | **0.25** ± 0 | 0.25 | **0.4** ± 0 | 0.52 |",
        "| ucb | 1 ± 0 | - | 1 ± 0 | - |",
        "| eipu | 1 ± 0 | - | 1 ± 0 | - |",
    ]


def test_the_goal_is_their_tucb_in_both():
    row = goal_table(comparisons(CELLS), ("tucb", "tts")).splitlines()[2]
    assert row == "| levy4 | 0.96 | 1.16 | no | 0.96 | 0.93 | yes |"


def test_the_report_shows_them_only_for_their_setting():
    for cells, shown in ((CELLS, True), ([run_of("tucb", 0, 0.2, 0.5, trials=100)], False)):
        section = published_section(comparisons(cells))
        assert section.startswith("## Beside the published numbers") == shown
        assert bool(section) == shown
    assert not any(is_published(one) for one in comparisons([run_of("ucb", 0, 1.0, 1.0, problem="hill")]))


def test_every_problem_and_method_of_the_suite_has_its_numbers():
    suite = SUITES["authors"]
    assert set(PUBLISHED) == set(suite.problems)
    assert {*METHODS, DEFAULT} == set(suite.methods)  # ours they do not have
    missing = [
        (problem, method)
        for problem, row in PUBLISHED.items()
        for method, pair in row.items()
        if any(map(math.isnan, pair))
    ]
    assert missing == [("levy4", "ucb")]
