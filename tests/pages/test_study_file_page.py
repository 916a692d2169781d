"""The page on study files is right: every example on it is read, and every key there is stands on it."""

import json
import re
import tomllib
from pathlib import Path

import pytest

from wayfare.form import map as maps
from wayfare.form import read_spec
from wayfare.form.method import PARTS
from wayfare.form.space import KINDS as AXES
from wayfare.form.study import KEYS
from wayfare.form.travel import KINDS as COSTS
from wayfare.form.travel import kept_fields
from wayfare.planning.catalogue import CATALOGUE

shapely = pytest.importorskip("shapely")

PAGE = (Path(__file__).parents[2] / "docs" / "study-file.md").read_text()
EXAMPLES = re.findall(r"```toml\n(.*?)```", PAGE, re.DOTALL)
HEAD = {"name": "example", "direction": "maximize", "trials": 3}
MAP = {"lake": (9.40, 47.56, 9.42, 47.57), "islands": (9.41, 47.562, 9.415, 47.565)}
TRAVEL = {"kind": "fee", "amount": 1, "unit": "min"}


def example(part):
    """Return the first example of a part of a study file."""
    return tomllib.loads(next(text for text in EXAMPLES if text.startswith(f"# part: {part}\n")))


def completed(text):
    """Return an example as a whole study file: what the part lacks is taken from the other parts."""
    form = tomllib.loads(text)
    if not text.startswith("# part: "):
        return form
    if "places" in form:
        return {**HEAD, "travel": TRAVEL, **form}
    if "map" in form:
        return {**HEAD, **form}
    return {**HEAD, "travel": {**TRAVEL}, **example("axes"), **form}


@pytest.mark.filterwarnings("ignore::wayfare.errors.GuaranteeWarning")
@pytest.mark.parametrize("text", EXAMPLES)
def test_every_example_can_be_read(text, tmp_path):
    (tmp_path / "sites.csv").write_text("site,east_m,north_m\nA,0,0\nB,120,80\nC,9,7\n")
    for name, corners in {"lake": (9.40, 47.56, 9.42, 47.57), "islands": (9.41, 47.562, 9.415, 47.565)}.items():
        (tmp_path / f"{name}.geojson").write_text(json.dumps(shapely.geometry.mapping(shapely.box(*corners))))
    assert read_spec(completed(text), folder=tmp_path).trials > 0


def test_the_page_has_examples_of_every_part():
    marks = {text.splitlines()[0] for text in EXAMPLES if text.startswith("# part")}
    assert marks == {f"# part: {part}" for part in ("top", "axes", "places", "map", "travel")}
    assert len(EXAMPLES) >= 8


def named(word):
    return re.search(rf"[`\"\[]{re.escape(word)}[`\"\]]", PAGE) is not None


def test_every_key_and_every_kind_stands_on_the_page():
    costs = {name for cls in COSTS.values() for name in (one.name for one in kept_fields(cls))}
    axes = {name for kind in AXES.values() for name in kind.read}
    parts = {kind for kinds in PARTS.values() for kind in kinds}
    wanted = {*KEYS, *maps.KEYS, *AXES, *(axes - {"log"}), *COSTS, *costs, *parts, *CATALOGUE, "policy", "schedule"}
    assert [word for word in sorted(wanted) if not named(word)] == []
    assert "`log = true`" in PAGE
