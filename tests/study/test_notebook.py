"""What a notebook shows: escaped, without colours, and a trial printed in two lines."""

import re
from html.parser import HTMLParser

import pytest

import wayfare as wf

EVIL = '<script>alert("x")</script>'


def make(name="s", values=("Pd", EVIL)):
    space = wf.Space(wf.Real("temp & C", 40, 120), wf.Choice("metal", values))
    start = {"temp & C": 40, "metal": values[-1]}
    travel = wf.Manhattan(unit="<b>min")
    return wf.Study.create(
        space, direction="maximize", travel=travel, trials=6, start=start, name=name, method="random-route"
    )


def shown():
    study = make(name=EVIL)
    study.add([{"temp & C": 50, "metal": EVIL}], [3.0], why=EVIL)
    trial = study.tell(study.ask(EVIL), 1.0, why=EVIL)
    route = wf.order([[3.0], [1.0]], wf.Euclidean(unit=EVIL), end=[0.0])
    return [study, study.snapshot(), trial, study.trials[0], study.route(), route, study.best(), study.ledger()]


class Balanced(HTMLParser):
    """Collects the tags, and checks that each that is opened is closed."""

    def __init__(self):
        super().__init__()
        self.open, self.seen = [], set()

    def handle_starttag(self, tag, attrs):
        self.seen.add(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.mark.parametrize("at", range(8))
def test_everything_shows_itself_and_nothing_of_a_user_becomes_markup(at):
    said = shown()[at]._repr_html_()
    parser = Balanced()
    parser.feed(said)
    assert parser.open == []
    assert parser.seen <= {"div", "strong", "table", "thead", "tbody", "tr", "th", "td", "br"}
    colours = set(re.findall(r"(?:color|background|border[a-z-]*):([^;\"]*)", said))
    assert colours <= {"inherit", "none", "collapse", "1px solid currentColor"}


def test_empty_studies_show_themselves_too():
    study = make()
    assert "0 of 6 used" in study._repr_html_()
    assert "the next ask plans a route" in study.route()._repr_html_()
    assert "0 visits" in study.ledger()._repr_html_()


def test_a_trial_is_printed_in_two_lines():
    study = make(values=("Pd", "Ni"))
    trial = study.ask()
    first, second = str(trial).splitlines()
    assert first == f"trial 0 asked, leg {trial.leg:.4g} <b>min"
    assert second.startswith("    temp & C=")
    assert str(study.tell(trial, 0.25, why="late")).splitlines()[0].startswith("trial 0 told 0.25, leg ")
    (old,) = study.add([{"temp & C": 50, "metal": "Pd"}], [[1.0, 2.0]])
    assert str(old) == "old result k0 known 1.5 (mean of 2 results)\n    temp & C=50, metal=Pd"
