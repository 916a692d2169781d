"""``plot``: pictures of a study as an operator leaves it."""

import pytest
from matplotlib.image import imread

from tests.cli.studies import call, done
from wayfare.cli.exchange import safe


@pytest.fixture
def run(lab):
    """Two trials told, one failed, one skipped, one extra place out."""
    for number, value in enumerate(["0.5", "0.7"]):
        done("ask", "snar")
        done("tell", "snar", number, value)
    done("ask", "snar")
    done("fail", "snar", 2, "--why", "pump")
    done("ask", "snar")
    done("skip", "snar", 3)
    done("insert", "snar", "temp_C=50", "flow=3", "catalyst=Ni")
    return lab


@pytest.mark.parametrize("kind", ["route", "history", "belief"])
def test_a_picture_is_drawn_and_its_name_printed(run, kind):
    assert done("plot", "snar", "--kind", kind) == f"snar-{kind}.png\n"
    height, width, _ = imread(run / f"snar-{kind}.png").shape
    assert min(height, width) > 500


@pytest.mark.parametrize(("ending", "magic"), [("pdf", b"%PDF"), ("svg", b"<?xml"), ("PNG", b"\x89PNG")])
def test_the_ending_says_the_kind_of_file(run, ending, magic):
    done("plot", "snar", "--out", f"p.{ending}")
    assert (run / f"p.{ending}").read_bytes().startswith(magic)


def test_the_axes_may_be_chosen_and_a_picture_is_drawn_over(run):
    done("plot", "snar", "--axes", "temp_C, flow")
    first = (run / "snar-route.png").read_bytes()
    done("plot", "snar", "--axes", "temp_C")
    assert (run / "snar-route.png").read_bytes() != first


def test_the_axes_of_a_belief_may_be_chosen(run):
    done("plot", "snar", "--kind", "belief")
    first = (run / "snar-belief.png").read_bytes()
    done("plot", "snar", "--kind", "belief", "--axes", "temp_C,flow")
    assert (run / "snar-belief.png").read_bytes() != first


@pytest.mark.parametrize(
    ("name", "file"), [("a/b: c", "a_b_c"), ("Größe", "Größe"), ("..", "study"), ("x" * 300, "x" * 100)]
)
def test_a_name_becomes_one_that_a_file_may_have(name, file):
    assert safe(name) == file


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("snar", "--out", "p.gif"), 2, "must end in one of .png, .pdf, .svg"),
        (("snar", "--out", "wayfare.db"), 2, "must end in"),
        (("snar", "--kind", "pie"), 2, "--kind"),
        (("snar", "--axes", "temp"), 2, "there is no axis 'temp'"),
        (("snar", "--axes", "temp_C", "--kind", "history"), 2, "--axes is for --kind route"),
        (("snar", "--out", "none/p.png"), 1, "there is no folder"),
        (("none",), 1, "no study named 'none'"),
    ],
)
def test_what_cannot_be_drawn_is_one_line(run, arguments, code, words):
    result = call("plot", *arguments)
    assert (result.exit_code, result.stdout) == (code, "")
    assert words in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_study_without_results_shows_its_route_but_no_results(lab):
    assert done("plot", "snar") == "snar-route.png\n"
    assert (lab / "snar-route.png").read_bytes().startswith(b"\x89PNG")
    result = call("plot", "snar", "--kind", "history")
    assert result.exit_code == 1
    assert "no trial of 'snar' has been told yet" in result.stderr
