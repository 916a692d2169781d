"""Study files, maps and tables from a stranger: refused in one line, in bounded work, and no store is changed."""

import json

import pytest

from .studies import REACTOR, call, done

LARGE = "x,y\n" + "".join(f"{at},{at % 7}\n" for at in range(250_001))
POLYGON = [[[9.40, 47.55], [9.44, 47.55], [9.44, 47.57], [9.40, 47.57], [9.40, 47.55]]]
MAP = """name = "boat"
direction = "maximize"
trials = 5
[map]
allowed = "lake.geojson"
cell = 400
"""
SITES = (
    'name = "wells"\ndirection = "minimize"\ntrials = 3\n[places]\nfile = "sites.csv"\n[travel]\nkind = "euclidean"\n'
)
RESULTS = "number,state,temp_C,flow,catalyst,value\n"


def check_refused(folder, *arguments):
    """The command refuses in one line of sensible length, and leaves all files as they are."""
    before = {path: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    result = call(*arguments)
    assert result.exit_code == 2, result.output[:500]
    assert isinstance(result.exception, SystemExit)
    assert result.output.count("\n") == 1
    assert len(result.output) < 1000
    assert {path: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before


def with_line(old, new):
    assert old in REACTOR
    return REACTOR.replace(old, new, 1)


def with_top(line):
    return line + "\n" + REACTOR


def with_part(part):
    return with_line("size = 3}", f"size = 3}}, {part}")


TOML = {
    "a key of a million dots": with_top("a" + ".a" * 1_000_000 + " = 1"),
    "a quoted key of many dots": with_top('"a"' + ' . "a"' * 30 + " = 1"),
    "a table of many dots": with_top("[" + ".".join("a" * 200) + "]"),
    "lists without end": with_top("start = " + "[" * 5000),
    "tables without end": with_top("start = " + "{a = " * 5000),
    "a number of 5,000 digits": with_line("trials = 6", "trials = " + "9" * 5000),
    "a number in base 16 of 5,000 digits": with_line("trials = 6", "trials = 0x" + "f" * 5000),
    "trials beyond all plans": with_line("trials = 6", "trials = 1000001"),
    "trials that are infinite": with_line("trials = 6", "trials = inf"),
    "a seed below 0": with_line("seed = 7", "seed = -7"),
    "a name of 5 MB": with_line('"snar"', '"' + "n" * 5_000_000 + '"'),
    "a name of 300 letters": with_line('"snar"', '"' + "n" * 300 + '"'),
    "a name that clears the screen": with_line('"snar"', '"\\u001b[2J"'),
    "an axis of 300 letters": REACTOR.replace("temp_C", "t" * 300),
    "a choice of 20,000 letters": with_line('"Ni"', '"' + "n" * 20_000 + '"'),
    "an unknown key of 5 MB": with_top("n" * 5_000_000 + " = 1"),
    "1,000 axes": REACTOR + '[[axis]]\nname = "a"\nlow = 0\nhigh = 1\n' * 1000,
    "6,000 regions": REACTOR + "[[forbidden]]\nflow = [2, 3]\n" * 6000,
    "an axis wider than all floats": with_line("low = 40.0\nhigh = 120.0", "low = -1.7e308\nhigh = 1.7e308"),
    "a start beyond all distances": with_line("temp_C = 25.0", "temp_C = 1e160"),
    "a ramp of no speed": with_line("up = 5.0", "up = 1e-320"),
    "a policy in a policy without end": with_line('{kind = "ucb", beta = 4.0}', "{policy = " * 40 + "1" + "}" * 40),
    "places of a file elsewhere": "[places]\nfile = '/etc/passwd'\n" + SITES.replace("[places]\nfile", "[x]\nfile"),
    "a batch beyond all routes": with_line("trials = 6", "trials = 9000").replace("size = 3", "size = 8999"),
    "a survey of designs without end": with_part('opening = {kind = "survey", designs = 1000000}'),
    "kicks without end": with_part('planner = {kind = "short", kicks = 1000000}'),
    "the best order of 60 stops": with_part('planner = {kind = "short", exact_to = 60}'),
    "an empty file": "",
    "bytes that are no text": b"\xff\xfe" * 100,
    "a NUL": REACTOR.encode() + b"\0",
}


@pytest.mark.parametrize("kind", TOML)
def test_a_study_file_that_asks_for_too_much_is_refused(tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    text = TOML[kind]
    (tmp_path / "study.toml").write_bytes(text if isinstance(text, bytes) else text.encode())
    check_refused(tmp_path, "new", "study.toml")


def shape(coordinates, kind="Polygon"):
    return {"type": kind, "coordinates": coordinates}


def nested(levels, end):
    for _ in range(levels):
        end = {"type": "GeometryCollection", "geometries": [end]}
    return end


def star(corners):
    """A polygon whose edges cross each other all over."""
    ring = [
        [9.4 + 0.04 * (i * 7919 % corners) / corners, 47.55 + 0.02 * (i * 104729 % corners) / corners]
        for i in range(corners)
    ]
    return shape([[*ring, ring[0]]])


GEOJSON = {
    "nothing": "",
    "a number": 7,
    "a list of numbers": [1, 2],
    "no type": {"coordinates": POLYGON},
    "a type that is a list": {"type": ["Polygon"], "coordinates": POLYGON},
    "a point": shape([9.4, 47.5], "Point"),
    "a line": shape(POLYGON[0], "LineString"),
    "no coordinates": {"type": "Polygon"},
    "coordinates that are text": shape("here"),
    "corners that are text": shape([[["9.40", "47.55"], ["9.44", "47.55"], ["9.44", "47.57"], ["9.40", "47.55"]]]),
    "corners that are lists": shape([[[[9.4], [47.5]]] * 4]),
    "corners of no numbers": shape([[[]] * 4]),
    "corners of five numbers": shape([[[9.4, 47.5, 0, 0, 0]] * 4]),
    "two corners": shape([[[9.40, 47.55], [9.44, 47.55]]]),
    "one corner for all": shape([[[9.4, 47.5]] * 4]),
    "a ring that crosses itself": star(2001),
    "corners beyond all floats": '{"type": "Polygon", "coordinates": [[[1e999, 1], [2, 2], [3, 1], [1e999, 1]]]}',
    "corners that are no number": '{"type": "Polygon", "coordinates": [[[NaN, 1], [2, 2], [3, 1], [NaN, 1]]]}',
    "corners beyond the earth": shape([[[9.4, 947.5], [9.5, 947.5], [9.5, 948.5], [9.4, 947.5]]]),
    "corners of 400 digits": '{"type": "Polygon", "coordinates": [[[1%s, 1], [2, 2], [3, 1]]]}' % ("0" * 400),
    "collections in collections": nested(21, shape(POLYGON)),
    "collections without end": '{"type": "GeometryCollection", "geometries": [' * 20_000,
    "lists without end": '{"type": "Polygon", "coordinates": ' + "[" * 100_000,
    "features that are a table": {"type": "FeatureCollection", "features": {}},
    "a feature of itself": {"type": "Feature", "geometry": {"type": "Feature", "geometry": 7}},
    "an empty collection": {"type": "FeatureCollection", "features": []},
    "polygons that cross all over": {"type": "GeometryCollection", "geometries": [star(3)] * 3 + [shape([])]},
    "more than 10 MB": " " * 10_000_001,
}


@pytest.mark.parametrize("kind", GEOJSON)
def test_a_map_that_is_none_is_refused(tmp_path, monkeypatch, kind):
    pytest.importorskip("shapely")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(MAP)
    content = GEOJSON[kind]
    (tmp_path / "lake.geojson").write_text(content if isinstance(content, str) else json.dumps(content))
    check_refused(tmp_path, "new", "study.toml")


@pytest.mark.parametrize("cell", ["2", "0.01", "1e-300", "5e-324"])
def test_a_map_of_too_many_cells_is_refused_before_they_are_joined(tmp_path, monkeypatch, cell):
    pytest.importorskip("shapely")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(MAP.replace("cell = 400", f"cell = {cell}"))
    (tmp_path / "lake.geojson").write_text(json.dumps(shape(POLYGON)))
    monkeypatch.setattr("wayfare.form.map._kept_part", None)
    check_refused(tmp_path, "new", "study.toml")


ROWS = {
    "nothing": "",
    "blank lines": "\n" * 10_000,
    "only a header": "x,y\n",
    "a column twice": "x,x\n1,2\n",
    "a column without a name": "x,\n1,2\n",
    "a row too short": "x,y\n1,2\n3\n",
    "a row too long": "x,y\n1,2\n3,4,5\n",
    "a quote without end": 'x,y\n1,"2\n3,4\n',
    "a cell of 200,000 letters": "x,y\n1," + "9" * 200_000 + "\n",
    "a number beyond all floats": "x,y\n1,2\n1e999,3\n",
    "a number that is none": "x,y\n1,2\nnan,3\n",
    "a number of 400 digits": "x,y\n1,2\n" + "9" * 400 + ",3\n",
    "an empty cell": "x,y\n1,2\n,3\n",
    "text among numbers": "x,y\n1,2\nthere,3\n",
    "a place twice": "x,y\n1,2\n1,2\n",
    "a NUL": "x,y\n1,\0\n",
    "a thousand columns": ",".join(f"c{i}" for i in range(1000))
    + "\n"
    + ",".join("12"[i % 2] for i in range(1000))
    + "\n",
    "a name of 300 letters": "x" * 300 + ",y\n1,2\n3,4\n",
    "a name that clears the screen": "x\x1b[2J,y\n1,2\n3,4\n",
    "a quarter of a million places": LARGE,
    "places farther apart than all floats": "x,y\n-1.7e308,2\n1.7e308,3\n",
    "more than 10 MB": "x,y\n" + "1,2\n" * 2_600_000,
}


@pytest.mark.parametrize("kind", ROWS)
def test_a_table_of_places_that_is_none_is_refused(tmp_path, monkeypatch, kind):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "study.toml").write_text(SITES)
    (tmp_path / "sites.csv").write_text(ROWS[kind])
    check_refused(tmp_path, "new", "study.toml")


RESULT_ROWS = {
    "nothing": "",
    "no axes": "number,value\n0,1\n",
    "an unknown column": RESULTS.replace("value", "valeu") + "0,told,50,2,Pd,1\n",
    "a column twice": RESULTS.replace("state", "value") + "0,1,50,2,Pd,1\n",
    "a row too short": RESULTS + "0,told,50\n",
    "a number without end": RESULTS + "1" + "0" * 30 + ",told,50,2,Pd,1\n",
    "a number of 5,000 digits": RESULTS + "9" * 5000 + ",told,50,2,Pd,1\n",
    "a number below 0": RESULTS + "-1,told,50,2,Pd,1\n",
    "a number that is half": RESULTS + "0.5,told,50,2,Pd,1\n",
    "a number that is skipped": RESULTS + "7,told,50,2,Pd,1\n",
    "a number twice": RESULTS + "0,told,50,2,Pd,1\n0,told,50,2,Pd,2\n",
    "an unknown state": RESULTS + "0,lost,50,2,Pd,1\n",
    "a value that is text": RESULTS + "0,told,50,2,Pd,high\n",
    "a value that is infinite": RESULTS + "0,told,50,2,Pd,inf\n",
    "a value beyond 1e300": RESULTS + "0,told,50,2,Pd,1e305\n",
    "a place beyond all distances": RESULTS + "0,told,1e160,2,Pd,1\n",
    "a place that is text": RESULTS + "0,told,hot,2,Pd,1\n",
    "half a step": RESULTS + "0,told,50,2.5,Pd,1\n",
    "a choice that is not there": RESULTS + "0,told,50,2,Au,1\n",
    "a choice of 200,000 letters": RESULTS + "0,told,50,2," + "A" * 200_000 + ",1\n",
    "a quote without end": RESULTS + '0,told,50,2,"Pd,1\n',
    "bytes that are no text": b"\xff\xfe\x00" * 100,
}


@pytest.mark.parametrize("kind", RESULT_ROWS)
def test_a_table_of_results_that_is_none_is_refused(lab, kind):
    text = RESULT_ROWS[kind]
    (lab / "results.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    check_refused(lab, "import", "snar", "results.csv")
    done("verify")
