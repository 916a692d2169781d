"""Files that a study file names: read only below its own folder, and never for a stored form."""

import json
import os
import tomllib

import pytest

from wayfare.errors import InvalidInput
from wayfare.form import files, read_spec, read_study_file

KEY = "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmU\n-----END OPENSSH PRIVATE KEY-----\n"
POND = {"type": "Polygon", "coordinates": [[[0, 0], [4, 0], [4, 4], [0, 4], [0, 0]]]}
HEAD = {"name": "lab", "direction": "maximize", "trials": 2}
FEE = {"kind": "fee", "amount": 1}


@pytest.fixture
def home(tmp_path):
    """A home folder with a key, and in a folder of it what a stranger sent."""
    (tmp_path / ".ssh").mkdir()
    (tmp_path / ".ssh" / "id_ed25519").write_text(KEY)
    (tmp_path / "pond.geojson").write_text(json.dumps(POND))
    sent = tmp_path / "sent"
    (sent / "maps").mkdir(parents=True)
    (sent / "sites.csv").write_text("x\n1\n2\n")
    (sent / "maps" / "pond.geojson").write_text(json.dumps(POND))
    (sent / "link.csv").symlink_to(tmp_path / ".ssh" / "id_ed25519")
    (sent / "up").symlink_to(tmp_path)
    (sent / "here.csv").symlink_to("sites.csv")
    os.mkfifo(sent / "pipe.csv")
    return tmp_path


def naming(name):
    """The three ways in which a form can name a file."""
    table = {"kind": "table", "matrix": [[0, 1], [1, 0]], "places": {"file": name}}
    return {
        "places.file": {**HEAD, "places": {"file": name}, "travel": FEE},
        "travel.places.file": {**HEAD, "axis": [{"name": "x", "low": 0, "high": 1}], "travel": table},
        "map.allowed": {**HEAD, "map": {"allowed": name, "cell": 1, "geographic": False}},
        "map.obstacles": {**HEAD, "map": {"obstacles": name, "cell": 1, "geographic": False, "bounds": [0, 0, 9, 9]}},
    }


OUTSIDE = ["{home}/.ssh/id_ed25519", "../.ssh/id_ed25519", "link.csv", "up/.ssh/id_ed25519", "maps/../../pond.geojson"]


@pytest.mark.parametrize("field", naming(""))
@pytest.mark.parametrize("name", OUTSIDE)
def test_a_file_outside_the_folder_of_the_study_file_is_refused_unread(home, name, field):
    form = naming(name.format(home=home))[field]
    with pytest.raises(InvalidInput) as refused:
        read_spec(form, folder=home / "sent")
    said = str(refused.value)
    assert said.startswith(f"{field}: ")
    assert "OPENSSH" not in said
    assert "\n" not in said
    # A table of costs has its places in the file itself: it may name no file at all.
    assert "not in the folder of the study file; copy it there" in said or field == "travel.places.file"


@pytest.mark.parametrize("field", naming(""))
@pytest.mark.parametrize("new", [True, False])
def test_without_a_study_file_no_file_is_read_at_all(home, monkeypatch, field, new):
    """A JSON archive and a store are no study files, wherever the program runs."""
    monkeypatch.chdir(home / "sent")
    for name in ("sites.csv", "maps/pond.geojson", str(home / ".ssh" / "id_ed25519")):
        with pytest.raises(InvalidInput, match="only a study file may name others") as refused:
            read_spec(naming(name)[field], new=new)
        assert str(refused.value).startswith(f"{field}: ")


def test_a_stored_form_names_no_file_even_if_a_folder_is_given(home):
    with pytest.raises(InvalidInput, match="only a study file may name others"):
        read_spec(naming("sites.csv")["places.file"], folder=home / "sent", new=False)


def test_files_in_the_folder_and_below_it_are_read(home):
    assert read_spec(naming("sites.csv")["places.file"], folder=home / "sent").space.size == 2
    assert read_spec(naming("here.csv")["places.file"], folder=home / "sent").space.size == 2
    assert read_spec(naming("./maps/../sites.csv")["places.file"], folder=home / "sent").space.size == 2
    assert read_spec(naming("maps/pond.geojson")["map.allowed"], folder=home / "sent").space.size == 16


def test_a_pipe_is_refused_without_waiting_for_its_writer(home):
    with pytest.raises(InvalidInput, match=r"pipe\.csv: is not a regular file"):
        read_spec(naming("pipe.csv")["places.file"], folder=home / "sent")
    with pytest.raises(InvalidInput, match="is not a regular file"):
        read_study_file(home / "sent" / "pipe.csv")


def test_a_name_with_a_nul_is_no_path(home):
    with pytest.raises(InvalidInput, match="no path to a file"):
        files.file_below(home, "a\0b")


DOTTED = {
    "bare": ".".join(["a"] * 50) + " = 1",
    "spaced": " . ".join(["a"] * 50) + " = 1",
    "quoted": ".".join(['"a b"'] * 50) + " = 1",
    "escaped": ".".join(['"a\\"b"'] * 50) + " = 1",
    "literal": ".".join(["'a'"] * 50) + " = 1",
    "a header": f"[{'.'.join(['a'] * 50)}]",
    "in a table": f"x = {{{'.'.join(['a'] * 50)} = 1}}",
    "endless": ".".join(["a"] * 1_000_000) + " = 1",
}


@pytest.mark.parametrize("case", DOTTED)
def test_a_key_of_many_dots_is_refused_before_toml_is_read(tmp_path, monkeypatch, case):
    """The reader's work grows with the square of the dots: a line of a megabyte would take it for ever."""

    def read(text):
        raise AssertionError("the reader was called")

    monkeypatch.setattr(tomllib, "loads", read)
    file = tmp_path / "bomb.toml"
    file.write_text(f"# a study\n{DOTTED[case]}\n")
    with pytest.raises(InvalidInput, match=r"not valid TOML: a key of more than 20 dots \(at line 2\)"):
        read_study_file(file)


def test_keys_of_few_dots_and_texts_of_many_are_read(tmp_path):
    file = tmp_path / "study.toml"
    file.write_text('method.policy.policy.kind = "ucb"\nlow = [0.5, 1.5]\nname = "a ... b. c. d, e.g. 1.2.3.4"\n')
    assert read_study_file(file)["method"] == {"policy": {"policy": {"kind": "ucb"}}}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[" * 100_000 + "]" * 100_000, "nested too deep"),
        ("[" * 400 + "]" * 400, "nested too deep"),
        ('{"geometry":' * 400 + "1" + "}" * 400, "nested too deep"),
        ('{"type": "Polygon", "coordinates": [[[0, 0], [NaN, 0], [4, 4], [0, 0]]]}', "not valid GeoJSON: NaN"),
    ],
)
def test_geojson_that_would_exhaust_a_reader_is_refused_in_one_line(home, text, said):
    (home / "sent" / "bad.geojson").write_text(text)
    with pytest.raises(InvalidInput, match=said) as refused:
        read_spec(naming("bad.geojson")["map.allowed"], folder=home / "sent")
    assert str(refused.value).startswith("map.allowed: ")
    assert len(str(refused.value)) < 300
