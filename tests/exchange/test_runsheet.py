"""The run sheet: only trials, each with its number; whatever a name holds, the page stays a page."""

import base64
import csv
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from io import StringIO

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import wayfare as wf
from wayfare.errors import BudgetSpent, InvalidInput, TooEarly
from wayfare.exchange import hand_out, import_csv, run_sheet, sheet_csv
from wayfare.exchange.navigation import legible
from wayfare.exchange.runsheet import Layout, layout_of
from wayfare.policy import Uniform
from wayfare.policy.schedule import Fixed
from wayfare.record.events import TrialState

from .studies import TEXT, studies

SLOW = settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
REACTOR = wf.Space(wf.Real("temp_C", 40, 120), wf.Integer("flow", 1, 20), wf.Choice("metal", ["Pd", "Ni"]))
TAGS = {
    *("html", "head", "meta", "title", "style", "body", "header", "section", "h1", "h2", "p", "small", "span"),
    *("table", "thead", "tbody", "tr", "th", "td", "b", "div", "figure", "img", "figcaption"),
    *("dl", "dt", "dd", "code"),
}
VOID = {"meta", "img"}
NASTY = ["<script>alert(1)</script>", "</td><td>", '"><img src=x onerror=y>', "&amp;", "a\0b", "\u202eabc", "$x"]


class Page(HTMLParser):
    """A page taken apart: well nested, and nothing in it but what a run sheet is made of."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.rows, self.texts, self.addresses = [], [], [], []
        self.feed(text)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        assert tag in TAGS
        assert {name for name, _ in attrs} <= {
            *("class", "lang", "charset", "http-equiv", "content", "name", "alt", "src", "scope")
        }
        self.addresses += [value for name, value in attrs if name == "src"]
        if tag == "tr":
            self.rows.append([])
        if tag in ("td", "th"):
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)
        if "td" in self.open or "th" in self.open:
            self.rows[-1][-1] += data

    def handle_decl(self, decl):
        assert decl == "DOCTYPE html"


def make(space=REACTOR, **changes):
    options = {
        "direction": "minimize",
        "travel": wf.Fee(2.0, unit="min"),
        "trials": 12,
        "method": wf.Method(Uniform(), Fixed(4)),
        "name": "snar",
    }
    return wf.Study.create(space, **(options | changes))


def column(table, head):
    at = table[0].index(head)
    return [row[at] for row in table[1:]]


@SLOW
@given(studies())
def test_any_study_gives_a_page_with_a_row_for_each_trial_out(drawn):
    study, _ = drawn
    hand_out(study, 1)
    out = sorted(study.state.out)
    if not out:
        return
    text = run_sheet(study, picture=False)
    text.encode()
    page = Page(text)
    head, *rows = page.rows
    assert all(len(row) == len(head) for row in rows)
    visits = [row for row in rows if row[0] != "from"]
    assert all(row[0].startswith(str(number)) for row, number in zip(visits, out, strict=True))
    assert "http" not in text.replace("http-equiv", "")


@given(
    st.lists(TEXT | st.sampled_from(NASTY), min_size=3, max_size=3, unique=True).filter(
        lambda words: all(word.strip() for word in words)
    )
)
def test_whatever_a_name_holds_it_is_shown_and_never_a_tag(words):
    name, axis, value = words
    space = wf.Space(wf.Choice(axis, [value, "other" + value]), wf.Real("x" + axis, 0, 1))
    study = make(space, name=name)
    hand_out(study, 1, axis)
    page = Page(run_sheet(study, worker=axis, picture=False))
    assert legible(name) in page.texts
    assert legible(axis) in page.rows[0]
    assert page.rows[-1][1] in (legible(value), legible("other" + value))
    assert page.rows[-1][0] == "0" + legible(axis)


@pytest.mark.parametrize("nasty", NASTY)
def test_a_picture_of_odd_names_is_sound_and_inlined(nasty):
    study = make(wf.Space(wf.Real(nasty, 0, 1), wf.Real("b", 0, 1)))
    hand_out(study, 3)
    (address,) = Page(run_sheet(study)).addresses
    kind, data = address.split(",")
    assert kind == "data:image/svg+xml;base64"
    assert ET.fromstring(base64.b64decode(data)).tag.endswith("svg")


@given(st.text())
@example("a\0\uffff\ufffe\ud800\u2028\u202e\x85b")
def test_legible_text_is_one_line_that_xml_can_hold(text):
    shown = legible(text)
    root = ET.Element("a")
    root.text = shown
    assert (ET.fromstring(ET.tostring(root, encoding="unicode")).text or "") == shown
    assert len(shown.splitlines()) <= 1
    assert len(shown) == len(text)


def test_the_sheet_shows_what_changes_in_bold_and_what_the_way_costs():
    study = make(start={"temp_C": 25, "flow": 1, "metal": "Pd"})
    first, second = hand_out(study, 2)
    text = run_sheet(study)
    table = Page(text).rows
    assert table[0] == [
        *("trial", "temp_C", "flow", "metal", "leg [min]", "total [min]"),
        *("result", "really set, if missed", "spent [min]", "remark"),
    ]
    assert table[1][:4] == ["from", "25", "1", "Pd"]
    assert column(table, "trial") == ["from", "0", "1"]
    assert column(table, "leg [min]") == ["", "2", "2"]
    assert column(table, "total [min]") == ["", "2", "4"]
    for number, (before, after) in enumerate([({"metal": "Pd"}, first.params), (first.params, second.params)]):
        bold = f"<b>{after['metal']}</b>" in text.split('<tr class="visit">')[number + 1].split("</tr>")[0]
        assert bold == (before["metal"] != after["metal"])
    assert "2 trials, 4 min of way. The smaller the result, the better." in text
    other = make(direction="maximize")
    hand_out(other, 1)
    assert "1 trial, 0 min of way. The larger the result, the better." in run_sheet(other)


def test_the_sheet_has_the_way_home_what_is_left_and_further_currencies():
    study = make(
        wf.Space(wf.Real("x", 0, 9)),
        travel=wf.Euclidean(unit="km"),
        start={"x": 0},
        home="start",
        budget=100,
        also=[wf.Fee(3.0, unit="EUR")],
    )
    trials = hand_out(study, 2)
    text = run_sheet(study, picture=False)
    table = Page(text).rows
    there, way = trials[-1].params["x"], sum(trial.leg for trial in trials)
    fees = [3 * (trial.leg > 0) for trial in trials]
    heads = ["trial", "x", "leg [km]", "total [km]", "leg [EUR]", "result", "really set, if missed"]
    assert table[0] == [*heads, "spent [km]", "remark"]
    assert column(table, "trial") == ["from", "0", "1", "home"]
    assert column(table, "leg [EUR]") == ["", *map(str, fees), "3"]
    assert table[-1][:4] == ["home", "0", f"{there:.4g}", f"{way + there:.4g}"]
    assert f"2 trials, {way:.4g} km and {sum(fees)} EUR of way." in text
    left = f"{100 - way:.4g} km of 100 km left, home is {there:.4g} km away."
    assert f"Once all that are out are visited: {left}" in text


def test_once_legs_have_been_learned_the_sheet_has_what_each_is_expected_to_cost():
    study = make(
        wf.Space(wf.Real("x", 0, 50)),
        travel=wf.Euclidean(unit="km"),
        start={"x": 0},
        home="start",
        budget=900,
        trip=230,
        trip_cost=7.0,
    )
    for x in (1, 3, 6, 10, 15):
        trial = study.insert({"x": x}).trial
        assert "expected" not in run_sheet(study, picture=False)
        study.tell(trial, 0.0, spent=2 * trial.leg + 1)
    trials = [study.insert({"x": x}).trial for x in (40, 20, 34, 50)]
    assert [trial.home_first for trial in trials] == [False, False, False, True]
    text = run_sheet(study, picture=False)
    table = Page(text).rows
    assert column(table, "leg [km]") == ["", "25", "20", "14", "91", "50"]
    # Each move costs twice what was stated and 1 more; the last leg is two moves, and a new trip costs 7.
    assert column(table, "expected [km]") == ["", "51", "41", "29", "177", "101"]
    assert column(table, "total [km]") == ["", "25", "45", "59", "150", "200"]
    assert "4 trials, 150 km of way, expected 298 km by what legs have really cost. The smaller" in text
    assert "home is 50 km away, expected 101 km" in text
    assert "expected" not in sheet_csv(study), "the table to import stays as it is"


def test_the_picture_has_the_way_home_and_what_is_forbidden_and_says_so():
    space = wf.Space(wf.Real("x", 0, 9), wf.Real("y", 0, 9), forbidden=[{"x": (2, 4), "y": (3, 5)}])
    study = make(space, travel=wf.Euclidean(unit="km"), start=[0, 0], home="start")
    hand_out(study, 2)
    words = "Square: from where, and home. Dashed: the way home. Hatched: forbidden."
    assert f"<figcaption>{words}</figcaption>" in run_sheet(study)


def test_the_picture_has_the_shore_and_the_obstacles_of_a_map():
    raster = wf.Raster([[0, 1, 1], [1, 1, 0], [1, 1, 1]], "x", "y", unit="m")
    study = make(raster.places(), travel=raster, start=[0, 2], home=[2, 2])
    hand_out(study, 2)
    assert "Pentagon: home. Dashed: the way home. Shaded: impassable." in run_sheet(study)


def test_the_commands_on_the_sheet_can_be_typed_as_they_stand():
    study = make(name="my study; rm")
    hand_out(study, 1)
    text = run_sheet(study, store="a b.db")
    assert "<code>wayfare tell &#x27;my study; rm&#x27; 0 --store &#x27;a b.db&#x27; RESULT</code>" in text
    assert "wayfare import &#x27;my study; rm&#x27; sheet.csv --store &#x27;a b.db&#x27;</code>" in text


def test_handing_out_twice_hands_out_no_more():
    study = make()
    assert [trial.number for trial in hand_out(study, 6)] == [0, 1, 2, 3, 4, 5]
    events = len(study.events)
    assert [trial.number for trial in hand_out(study, 6)] == [0, 1, 2, 3, 4, 5]
    assert len(study.events) == events
    study.tell(2, 1.0)
    assert [trial.number for trial in hand_out(study, 6)] == [0, 1, 3, 4, 5, 6]
    assert [trial.number for trial in hand_out(study, 99)] == [0, 1, *range(3, 12)]


def test_a_sheet_is_for_one_worker_if_one_is_named():
    study = make()
    hand_out(study, 2, "anna")
    hand_out(study, 1, "ben")
    assert [trial.worker for trial in hand_out(study, 2, "anna")] == ["anna", "anna"]
    assert column(Page(run_sheet(study, worker="ben", picture=False)).rows, "trial") == ["from", "2ben"]
    assert [row[0] for row in csv.reader(StringIO(sheet_csv(study, worker="anna")))] == ["number", "0", "1"]
    assert "<code>wayfare sheet snar --worker anna --out sheet.csv</code>" in run_sheet(study, worker="anna")
    with pytest.raises(TooEarly, match="no trial is out with 'carl'"):
        run_sheet(study, worker="carl")


@SLOW
@given(studies(), st.data())
def test_a_table_filled_in_comes_back_by_its_numbers(drawn, data):
    study, _ = drawn
    hand_out(study, 3)
    out = sorted(study.state.out)
    if not out:
        return
    head, *rows = csv.reader(StringIO(sheet_csv(study)))
    assert [int(row[0]) for row in rows] == out
    fates = data.draw(st.lists(st.sampled_from(["told", "failed", "blank"]), min_size=len(out), max_size=len(out)))
    for row, fate in zip(rows, fates, strict=True):
        if fate == "told":
            row[head.index("value")] = "0.25"
        elif fate == "failed":
            row[head.index("state")] = "failed"
    filled = StringIO(newline="")
    csv.writer(filled).writerows([head, *rows])
    places = [study.trials[number].x.tolist() for number in out]
    done = import_csv(study, filled.getvalue())
    assert (done.told, done.failed, done.open) == tuple(map(fates.count, ("told", "failed", "blank")))
    assert done.visits == 0
    assert [study.trials[number].x.tolist() for number in out] == places
    now = {"told": TrialState.TOLD, "failed": TrialState.FAILED, "blank": TrialState.ASKED}
    assert [study.trials[number].state for number in out] == [now[fate] for fate in fates]


def test_with_nothing_out_the_refusal_says_what_to_do():
    study = make(trials=2)
    for sheet in (run_sheet, sheet_csv):
        with pytest.raises(TooEarly, match=r"no trial is out: hand some out first \(--take 8, in Python hand_out\)"):
            sheet(study)
    study.replan()
    with pytest.raises(TooEarly, match=r"the route ahead has 1 stop$"):
        run_sheet(study)
    for trial in hand_out(study, 2):
        study.tell(trial, 1.0)
    with pytest.raises(BudgetSpent, match="no trial is out, and all 2 have been handed out"):
        run_sheet(study)
    with pytest.raises(InvalidInput, match="number must be a whole number of at least 1"):
        hand_out(study, 0)


@pytest.mark.parametrize(
    ("axes", "layout"),
    [
        ([wf.Real("temp_C", 40, 120), wf.Integer("flow", 1, 20)], Layout.UPRIGHT),
        ([wf.Real("lat", 47, 48), wf.Real("lon", 9, 10), wf.Real("depth_below_m", 0, 9)], Layout.LYING),
        ([wf.Real(f"pressure_{i}", 0, 1) for i in range(9)], Layout.LISTED),
    ],
)
def test_the_page_lies_down_before_a_column_runs_off_it(axes, layout):
    study = make(wf.Space(*axes))
    trials = hand_out(study, 2)
    assert layout_of(study.state, trials) is layout
    text = run_sheet(study, picture=False)
    assert ("size: landscape" in text) == (layout is not Layout.UPRIGHT)
    assert ("settings" in Page(text).rows[0]) == (layout is Layout.LISTED)


def test_degrees_are_written_to_a_tenth_of_a_metre():
    study = make(wf.Space(wf.Real("lat", 47, 48), wf.Real("lon", 9, 10)))
    (trial,) = hand_out(study, 1)
    row = Page(run_sheet(study, picture=False)).rows[-1]
    assert [float(cell) for cell in row[1:3]] == [round(trial.params[axis], 6) for axis in ("lat", "lon")]


def test_the_same_study_gives_the_same_page():
    study = make()
    hand_out(study, 3)
    assert run_sheet(study) == run_sheet(study)


def test_a_picture_is_left_out_where_there_are_no_two_axes_to_draw():
    study = make(wf.Space(wf.Real("x", 0, 1), wf.Choice("metal", ["Pd", "Ni"])))
    hand_out(study, 2)
    assert "<img" not in run_sheet(study)
    with pytest.raises(InvalidInput, match="'metal' is a choice"):
        run_sheet(study, axes=("x", "metal"))


def test_a_run_is_one_row_that_says_how_many_results_to_take():
    study = wf.Study.create(
        wf.Places([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]),
        direction="maximize",
        travel=wf.Euclidean(unit="m"),
        trials=3000,
        method="base",
    )
    trials = hand_out(study, 3)
    assert [trial.count for trial in trials] == [trial.count for trial in study.trials]
    assert min(trial.count for trial in trials) > 1
    page = run_sheet(study, picture=False)
    for trial in trials:
        assert f"{trial.number}<small>take {trial.count:,}</small>" in page
