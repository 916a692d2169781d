"""Pictures of what happens: failed and skipped trials, results known before, a traveller put elsewhere."""

import numpy as np
import pytest

from wayfare.exchange import import_csv
from wayfare.plot.path import VISITS
from wayfare.record.events import TrialState

from .studies import LINE, MIXED, SITES, SQUARE, history_axes, make_study, route_axes, value_at


def rough(space=SQUARE, start=None):
    """Six told, one failed, one skipped, three known before, put elsewhere, one told, one out."""
    study = make_study(space, 6, start=start)
    study.fail(study.ask(), "pump")
    study.skip(study.ask(), "tide")
    known = space.sample(3, np.random.default_rng(7))
    names = [*space.names, "value"]
    rows = [[*space.params(x).values(), value_at(x)] for x in known]
    import_csv(study, "\n".join(",".join(map(str, row)) for row in [names, *rows]), prior=True)
    study.replan(space.params(space.sample(1, np.random.default_rng(11))[0]))
    trial = study.ask()
    study.tell(trial, value_at(trial.x))
    study.ask()
    return study


def line(ax, label):
    return next(artist for artist in ax.lines if artist.get_label() == label)


def places(study, keep):
    return np.array([trial.x for trial in study.trials if keep(trial)])


def test_the_path_passes_every_visit_and_nothing_else():
    study = rough(start=[0, 3])
    path = line(route_axes(study), "path").get_xydata()
    before = [trial.x for trial in study.trials[:7]]
    after = [trial.x for trial in study.trials[11:]]
    put = study.state.moved[0][1]
    gap = [np.nan, np.nan]
    expected = np.array([[0, 3], *before, gap, put, *after])
    assert np.allclose(path, expected, equal_nan=True)
    assert np.allclose(line(route_axes(study), "moved here by replan").get_xydata(), [put])


@pytest.mark.parametrize(
    ("label", "keep"),
    [
        ("failed", lambda trial: trial.state is TrialState.FAILED),
        ("skipped", lambda trial: trial.state is TrialState.SKIPPED),
        ("not yet told", lambda trial: trial.state is TrialState.ASKED),
        ("known before", lambda trial: trial.prior),
    ],
)
def test_what_is_no_visit_with_a_value_has_its_own_mark(label, keep):
    study = rough()
    ax = route_axes(study)
    assert np.allclose(line(ax, label).get_xydata(), places(study, keep))
    assert label in [text.get_text() for text in ax.get_legend().get_texts()]


def test_the_dots_are_the_visits_that_have_a_value():
    study = rough()
    ax = route_axes(study)
    dots = next(artist for artist in ax.collections if artist.get_label() == VISITS)
    told = places(study, lambda trial: trial.state is TrialState.TOLD and not trial.prior)
    assert np.allclose(dots.get_offsets(), told)
    assert dots.get_array().tolist() == [*range(6), 11]


def test_the_title_counts_visits_not_trials():
    title = route_axes(rough()).get_title(loc="left")
    assert "over 9 visits" in title


@pytest.mark.parametrize("space", [SQUARE, LINE, MIXED, SITES])
def test_all_kinds_of_spaces_draw_all_kinds_of_outcomes(space):
    ax = route_axes(rough(space))
    ax.figure.draw_without_rendering()
    labels = {text.get_text() for text in ax.get_legend().get_texts()}
    assert {"failed", "skipped", "known before", "not yet told"} <= labels


def test_along_one_axis_the_line_breaks_where_the_traveller_was_put():
    study = rough(LINE)
    path = line(route_axes(study), "path").get_xydata()
    drawn = path[~np.isnan(path[:, 1])]
    assert np.allclose(drawn[:, 0], places(study, lambda trial: trial.is_visit)[:, 0])
    assert np.isnan(path[7:9, 1]).all()


def test_the_legend_stays_on_the_paper():
    ax = route_axes(rough(MIXED))
    ax.figure.draw_without_rendering()
    box, paper = ax.get_legend().get_window_extent(), ax.figure.bbox
    assert box.x0 >= paper.x0
    assert box.x1 <= paper.x1


def test_only_visits_add_to_the_movement():
    study = rough(start=[0, 3])
    _, lower = history_axes(study)
    assert lower.lines[0].get_ydata()[-1] == pytest.approx(study.ledger().paid)
    assert len(lower.lines[0].get_ydata()) == len(study.trials)
