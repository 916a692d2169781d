import numpy as np
import pytest
from matplotlib.colors import to_hex

from wayfare.errors import InvalidInput
from wayfare.planning.method import Method
from wayfare.planning.opening import NoOpening
from wayfare.plot.path import VISITS, texts
from wayfare.plot.surface import level_steps
from wayfare.policy import Uniform
from wayfare.policy.schedule import Fixed
from wayfare.space import Choice, Integer, Places, Real, Space
from wayfare.study.study import Study
from wayfare.travel import Euclidean, Raster

from .studies import LINE, MIXED, SITES, SQUARE, bowl, make_runs, make_study, route_axes, value_at


def line(ax, label):
    return next(artist for artist in ax.lines if artist.get_label() == label)


def visits(ax):
    return next(artist for artist in ax.collections if artist.get_label() == VISITS)


def numbers(ax):
    return [text.get_text() for text in ax.texts if text.get_gid() == "visit number"]


def places(study):
    return np.array([trial.x for trial in study.trials])


def test_the_visits_drawn_are_the_told_trials_in_their_order():
    study = make_study(start=[0, 3])
    ax = route_axes(study)
    assert np.allclose(visits(ax).get_offsets(), places(study))
    assert np.array_equal(visits(ax).get_array(), np.arange(12))


def test_the_path_begins_at_the_start():
    study = make_study(start=[20, 3])
    path = line(route_axes(study), "path").get_xydata()
    assert np.allclose(path, np.vstack([[20, 3], places(study)]))


def test_without_a_start_none_is_marked():
    ax = route_axes(make_study())
    assert not [artist for artist in ax.lines if artist.get_label() == "start"]


def test_a_start_outside_the_space_is_inside_the_picture():
    ax = route_axes(make_study(start=[20, 3]))
    assert line(ax, "start").get_xydata().tolist() == [[20, 3]]
    assert ax.get_xlim()[0] == -5
    assert ax.get_xlim()[1] > 20
    assert ax.get_ylim() == (0, 15)


def test_a_run_is_one_visit_with_its_trial_number():
    ax = route_axes(make_runs())
    assert ax.get_title(loc="left") == "runs: movement 4 m over 4 visits"
    assert sorted(numbers(ax)) == ["0", "1", "2", "3"]
    assert len(visits(ax).get_offsets()) == 3


def test_stops_ahead_are_the_planned_route_dashed_from_the_last_visit():
    study = make_study(start=[0, 3])
    ax = route_axes(study)
    route, stops = line(ax, "route ahead"), line(ax, "stops ahead").get_xydata()
    assert len(stops) == len(study.route()) > 0
    assert np.allclose(stops, study.state.stops_ahead)
    assert np.allclose(route.get_xydata()[0], study.trials[-1].x)
    assert route.is_dashed()
    assert to_hex(line(ax, "stops ahead").get_markerfacecolor()) == "#ffffff"


def test_a_trial_not_yet_told_is_drawn_apart_from_the_visits():
    study = make_study()
    trial = study.ask()
    ax = route_axes(study)
    assert len(visits(ax).get_offsets()) == 12
    assert np.allclose(line(ax, "not yet told").get_xydata(), [trial.x])


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_the_star_is_the_best_place_of_the_study(direction):
    study = make_study(direction=direction)
    ax = route_axes(study)
    best = study.trials[study.best().trial]
    assert np.allclose(line(ax, "best place").get_xydata(), [best.x])


def test_names_unit_and_scale_are_written():
    study = make_study(unit="km")
    ax = route_axes(study)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("east_m", "north_m")
    assert "km" in ax.get_title(loc="left")
    assert f"{study.ledger().paid:.3g}" in ax.get_title(loc="left")
    assert "12 visits" in ax.get_title(loc="left")
    assert [other.get_ylabel() for other in ax.figure.axes] == ["north_m", "posterior mean"]


def test_nothing_is_set_smaller_than_eight_points():
    ax = route_axes(make_study(MIXED, unit="s"))
    written = [text for text in ax.figure.findobj(lambda a: hasattr(a, "get_fontsize")) if text.get_text()]
    assert len(written) > 20
    assert min(text.get_fontsize() for text in written) >= 8


def test_the_true_function_replaces_the_belief():
    asked = []

    def truth(x):
        asked.append(len(x))
        return bowl(x)

    ax = route_axes(make_study(), truth=truth)
    assert sum(asked) > 1000
    assert ax.figure.axes[1].get_ylabel() == "true value"


def test_light_colours_are_good_values_in_both_directions():
    for direction in ("maximize", "minimize"):
        contours = route_axes(make_study(direction=direction)).collections[0]
        worst, best = contours.cmap([0.0, 1.0]) if direction == "maximize" else contours.cmap([1.0, 0.0])
        assert best[:3].sum() > worst[:3].sum()


def test_every_visit_of_a_few_far_apart_is_numbered():
    table = Places([[i * 10.0, (i % 3) * 10.0] for i in range(8)], names=["a", "b"], once=True)
    ax = route_axes(make_study(table, told=8, trials=8))
    assert sorted(map(int, numbers(ax))) == list(range(8))


def test_many_visits_are_numbered_sparingly():
    assert 2 <= len(numbers(route_axes(make_study(told=60, trials=60)))) <= 13
    assert numbers(route_axes(make_study(), numbered=0)) == []


def test_no_two_numbers_overlap():
    ax = route_axes(make_study(told=40, trials=40))
    ax.figure.draw_without_rendering()
    boxes = [text.get_window_extent() for text in ax.texts if text.get_gid() == "visit number"]
    # A little slack: the widths of letters were estimated when the numbers were placed.
    boxes = [box.shrunk(0.8, 0.8) for box in boxes]
    assert len(boxes) > 5
    assert not any(a.overlaps(b) for i, a in enumerate(boxes) for b in boxes[:i])


def test_visits_to_the_same_place_share_one_text():
    spots = np.array([[0.0, 0.0], [5.0, 5.0], [0.0, 0.0], [9.0, 1.0]])
    assert list(texts(spots, 40)) == [("3", 3), ("0, 2", 0), ("1", 1)]
    assert list(texts(np.zeros((6, 2)), 40)) == [("0, 1, …, 5", 5)]


def test_of_many_axes_the_two_with_most_movement_are_drawn():
    study = Study.create(
        Space(Real("a", 0, 1), Real("still", 0, 1), Real("c", 0, 1)),
        direction="maximize",
        travel=Euclidean(),
        trials=4,
        method="random",
    )
    for _ in range(4):
        trial = study.ask()
        study.tell(trial, value_at(trial.x))
    moved = np.abs(np.diff(places(study), axis=0)).sum(axis=0)
    ax = route_axes(study)
    least = study.spec.space.names[int(moved.argmin())]
    assert {ax.get_xlabel(), ax.get_ylabel()} == {"a", "still", "c"} - {least}
    assert any("slice through the best place" in text.get_text() and least in text.get_text() for text in ax.texts)


@pytest.mark.parametrize(
    "axes", [("temp_C", "flow"), ("flow", "stages"), ("metal", "temp_C"), ("temp_C", "metal"), ("metal", "stages")]
)
def test_all_kinds_of_axes_are_drawn_in_pairs(axes):
    study = make_study(MIXED, unit="s")
    ax = route_axes(study, axes=axes)
    ax.figure.draw_without_rendering()
    assert (ax.get_xlabel(), ax.get_ylabel()) == axes
    columns = [MIXED.column(name) for name in axes]
    drawn = np.asarray(visits(ax).get_offsets())
    # A choice's visits are spread within its band, never out of it.
    assert np.allclose(np.abs(drawn - places(study)[:, columns]).round(), 0)


def test_a_choice_has_its_values_as_ticks():
    ax = route_axes(make_study(MIXED, unit="s"), axes=("temp_C", "metal"))
    assert [text.get_text() for text in ax.get_yticklabels()] == ["Pd", "Ni", "Cu"]
    assert any("spread" in text.get_text() for text in ax.texts)


def test_a_logarithmic_axis_is_drawn_so_even_from_a_start_at_zero():
    space = Space(Real("flow", 0.1, 2, log=True), Real("temp", 0, 1))
    ax = route_axes(make_study(space, start=[0.0, 0.5]))
    assert ax.get_xscale() == "log"
    assert 0 < ax.get_xlim()[0] < line(ax, "start").get_xdata()[0] < 0.1


@pytest.mark.parametrize("told", [1, 2, 12])
def test_along_one_axis_values_are_drawn_over_the_place(told):
    study = make_study(LINE, told, start=[-1])
    ax = route_axes(study, truth=bowl)
    expected = [[trial.x[0], trial.value] for trial in study.trials]
    assert np.allclose(visits(ax).get_offsets(), expected)
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("depth_m", "value")
    legend = [text.get_text() for text in ax.get_legend().get_texts()]
    assert {"posterior mean", "95% interval", "true value", "start"} <= set(legend)


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_the_belief_is_drawn_in_the_sign_of_the_results(direction):
    study = make_study(LINE, direction=direction)
    values = np.array([trial.value for trial in study.trials])
    mean = line(route_axes(study), "posterior mean").get_xydata()
    believed = np.interp(places(study)[:, 0], *mean.T)
    assert np.abs(believed - values).max() < 0.1 * np.ptp(values)
    sites = make_study(SITES, direction=direction)
    dots = dict(zip(map(tuple, SITES.table), route_axes(sites).collections[0].get_array(), strict=True))
    assert all(dots[tuple(trial.x)] * trial.value > 0 for trial in sites.trials)


def test_along_one_axis_stops_ahead_lie_on_the_posterior_mean():
    study = make_study(LINE)
    ax = route_axes(study)
    mean = line(ax, "posterior mean").get_xydata()
    stops = line(ax, "stops ahead").get_xydata()
    assert len(stops) == len(study.route()) > 0
    assert np.allclose(np.interp(stops[:, 0], *mean.T), stops[:, 1], atol=0.05 * np.ptp(mean[:, 1]))


@pytest.mark.parametrize("axis", [Choice("metal", ["Pd", "Ni", "Cu"]), Integer("stages", 1, 6), Real("x", 2, 2)])
def test_a_single_axis_of_any_kind_is_drawn(axis):
    ax = route_axes(make_study(Space(axis), 5))
    ax.figure.draw_without_rendering()
    assert ax.get_xlabel() == axis.name
    assert len(visits(ax).get_offsets()) == 5


def test_places_are_drawn_as_dots_coloured_by_the_belief():
    ax = route_axes(make_study(SITES))
    dots = ax.collections[0]
    assert np.allclose(dots.get_offsets(), SITES.table)
    assert len(np.unique(dots.get_array())) > 10


def test_constant_results_are_drawn():
    study = Study.create(SQUARE, direction="maximize", travel=Euclidean(), trials=5, method="random")
    for _ in range(5):
        study.tell(study.ask(), 3.0)
    route_axes(study).figure.draw_without_rendering()


def test_the_study_draws_itself_on_given_axes():
    study = make_study()
    ax = route_axes(study)
    assert study.plot_route(ax=ax, scale=False) is ax.figure


def test_what_cannot_be_drawn_is_refused_with_the_way_out():
    with pytest.raises(InvalidInput, match="no axis 'east'"):
        route_axes(make_study(), axes=("east", "north_m"))
    with pytest.raises(InvalidInput, match="one or two different names"):
        route_axes(make_study(), axes=("east_m", "east_m"))
    with pytest.raises(InvalidInput, match="one value per place"):
        route_axes(make_study(), truth=lambda x: 3.0)


def test_before_the_first_result_the_picture_is_the_route_that_ask_will_hand_out():
    """Planned or not yet, and half handed out: the stops are drawn and numbered as the trials that come."""
    batches = Method(Uniform(), Fixed(5), opening=NoOpening())
    options = {"travel": Euclidean(unit="m"), "trials": 40, "start": [0, 3], "home": [10, 12], "name": "s"}
    study = Study.create(SQUARE, direction="maximize", method=batches, **options)
    first = route_axes(study)
    assert study.state.version == 0, "a picture plans nothing that is kept"
    stops = line(first, "stops ahead").get_xydata()
    trials = [study.ask(wait=False)]
    half = route_axes(study)
    assert line(half, "not yet told").get_xydata().tolist() == [trials[0].x.tolist()]
    trials += [study.ask(wait=False) for _ in range(len(stops) - 1)]
    assert np.allclose(stops, [trial.x for trial in trials])
    assert np.allclose(line(half, "stops ahead").get_xydata(), stops[1:])
    assert sorted(numbers(first), key=int) == sorted(numbers(half), key=int) == [trial.label for trial in trials]
    assert line(first, "start").get_xydata().tolist() == [[0, 3]]
    assert line(first, "home").get_xydata().tolist() == [[10, 12]]
    assert first.get_title(loc="left").startswith(f"s: {len(stops)} stops ahead, ")
    assert half.get_title(loc="left").startswith(f"s: 1 trial without a result, {len(stops) - 1} stops ahead, ")


@pytest.mark.parametrize("space", [LINE, SITES, MIXED])
def test_every_kind_of_space_is_drawn_before_the_first_result(space):
    study = make_study(space, told=0)
    ax = route_axes(study)
    ahead = line(ax, "stops ahead").get_xydata()
    assert len(ahead) == len(study.route().stops) or not len(study.route())
    if space is LINE:
        assert ahead[:, 1].tolist() == list(range(len(ahead))), "one below the other"
    assert (space is SITES) == any(artist.get_label() == "places" for artist in ax.lines)


def test_a_map_shows_where_there_is_no_way():
    """Every cell that is closed is shaded, and no other, whichever axis goes across and wherever north is."""
    grid = np.ones((6, 9))
    grid[0], grid[3, 2:5] = 0, 0
    raster = Raster(grid, "lon", "lat", columns=(9.0, 9.8), rows=(47.5, 47.0), cell=(100, 100), unit="m")
    study = make_study(raster.places(), told=0, travel=raster, start=raster.centres(np.array([[1, 1]]))[0])
    for axes in (None, ("lat", "lon")):
        ax = route_axes(study, axes=axes)
        mesh = next(artist for artist in ax.collections if type(artist).__name__ == "QuadMesh")
        assert int((~np.ma.getmaskarray(mesh.get_array())).sum()) == int((grid == 0).sum())
        corners, shaded = (
            mesh.get_coordinates(),
            ~np.ma.getmaskarray(mesh.get_array()).reshape(mesh.get_coordinates()[1:, 1:, 0].shape),
        )
        middles = (corners[1:, 1:] + corners[:-1, :-1]) / 2
        xy = middles[shaded] if axes is None else middles[shaded][:, ::-1]
        assert not raster.covers(xy).any()
        assert "impassable" in [text.get_text() for text in ax.get_legend().get_texts()]


def test_a_way_home_is_part_of_the_path_and_no_gap():
    study = make_study(told=3, start=[0, 3], home="start")
    study.go_home()
    trial = study.ask()
    study.tell(trial, 0.0)
    path = line(route_axes(study), "path").get_xydata()
    assert np.allclose(path[-2:], [[0, 3], trial.x])
    assert np.isfinite(path).all()
    assert not [artist for artist in route_axes(study).lines if artist.get_label() == "moved here by replan"]


def test_levels_are_rounded_and_part_skewed_values_evenly():
    skewed = -(np.linspace(0, 1, 2000) ** 4) * 300
    shares = np.diff(np.searchsorted(np.sort(skewed), level_steps(skewed))) / 2000
    assert shares.max() < 0.2
    assert np.allclose(np.diff(level_steps(np.linspace(0, 1, 50))), 0.1)


def test_a_table_whose_first_column_is_text_is_drawn_over_its_numbers():
    rng = np.random.default_rng(1)
    sites = Places([(f"s{i}", *rng.uniform(0, 9, 2), "ab"[i % 2]) for i in range(20)], ["site", "e", "n", "soil"])
    ax = route_axes(make_study(sites, told=4))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("e", "n")


def test_the_title_names_the_study_as_it_is_written():
    ax = route_axes(make_study(told=2, name="cost $a$ " + "x" * 60))
    title = ax.get_title(loc="left")
    assert title.startswith(r"cost \$a\$ xxx")
    assert "…: movement " in title
    assert len(title) < 100


def with_trips(names=("x", "y")):
    """A study that went home between its visits, with stops ahead."""
    space = Space(*(Real(name, 0.0, 10.0) for name in names))
    study = Study.create(
        space,
        direction="maximize",
        travel=Euclidean(unit="m"),
        trials=12,
        start=[0.0, 0.0],
        method="random-route",
        home="start",
        trip=30.0,
        dwell=1.0,
    )
    while not any(trial.home_first for trial in study.trials):
        study.tell(study.ask(), 1.0)
    return study


def test_the_path_goes_home_between_trips_behind_and_ahead():
    study = with_trips()
    ax = route_axes(study)
    way = [study.spec.start]
    for trial in study.trials:
        way += [study.spec.limits.home, trial.x] if trial.home_first else [trial.x]
    assert np.allclose(line(ax, "path").get_xydata(), way)
    assert any(stop.home_first for stop in study.route().stops)
    ahead = line(ax, "route ahead").get_xydata()
    homes = sum(stop.home_first for stop in study.route().stops)
    assert (ahead == [0.0, 0.0]).all(axis=1).sum() == homes


def test_a_map_has_north_up():
    ax = route_axes(with_trips(("lat", "lon")))
    assert (ax.get_xlabel(), ax.get_ylabel()) == ("lon", "lat")


def test_visits_off_the_slice_are_small_and_pale_and_the_caption_says_so():
    study = make_study(MIXED)
    ax = route_axes(study, axes=("temp_C", "flow"))
    dots, best = visits(ax), study.best().trial
    told = [trial for trial in study.trials if trial.value is not None]
    here = next(row for row, trial in enumerate(told) if trial.number == best)
    metals = np.array([trial.params["metal"] for trial in told])
    off = metals != metals[here]
    assert off.any()
    assert dots.get_sizes()[here] > dots.get_sizes()[off].max()
    assert dots.get_alpha()[here] > dots.get_alpha()[off].max()
    assert any("small and pale: visits off the slice" in text.get_text() for text in ax.texts)
    assert not any("small and pale" in text.get_text() for text in route_axes(make_study()).texts)


def test_few_numbers_are_written_around_the_star():
    study = Study.create(
        Space(Real("a", 0, 1), Real("b", 0, 1)),
        direction="maximize",
        travel=Euclidean(),
        trials=20,
        method=Method(Uniform(), Fixed(5)),
    )
    for step in range(12):  # a spiral into the best place
        place = 0.5 + 0.02 * np.array([np.cos(step), np.sin(step)]) / (1 + step)
        trial = study.insert(place).trial
        study.tell(trial, step)
    ax = route_axes(study)
    assert 1 <= len(numbers(ax)) <= 2


def test_a_colour_bar_says_so_if_its_steps_are_uneven():
    def label(truth):
        return route_axes(make_study(), truth=truth).figure.axes[-1].get_ylabel()

    assert label(lambda x: x[:, 0]) == "true value"
    assert label(lambda x: np.exp(x[:, 0])) == "true value (uneven steps)"
