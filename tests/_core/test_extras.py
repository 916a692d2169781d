"""Install hints name what is there: the packages themselves, or the place that this wayfare came from."""

import re
from importlib.metadata import PackageNotFoundError
from pathlib import Path

import pytest

from wayfare._core import extras

SOURCE = Path(extras.__file__).parents[1]


class Installed:
    """A distribution with the records that pip leaves."""

    requires = ("numpy>=1.26", "shapely>=2.0; extra == 'geo'", 'wayfare[geo]; extra == "all"', "x; extra=='geo'")

    def __init__(self, **files):
        self.files = files

    def read_text(self, name):
        return self.files.get(name.partition(".")[0])


def installed(monkeypatch, **files):
    monkeypatch.setattr(extras, "_distribution", lambda: Installed(**files))


def test_a_hint_names_the_packages_and_needs_no_index_with_wayfare(monkeypatch):
    installed(monkeypatch)
    assert extras.install("shapely", "geo") == "pip install 'shapely>=2.0' 'x'"
    assert extras.packages_of("all") == ["shapely>=2.0", "x"]
    assert extras.install("thing", "none") == "pip install thing"


@pytest.mark.parametrize(
    ("url", "rest", "said"),
    [
        ("file:///home/ana/way%20fare", '"dir_info": {}', "pip install '/home/ana/way fare[geo]'"),
        ("file:///src", '"dir_info": {"editable": true}', "pip install --editable '/src[geo]'"),
        (
            "https://ana:secret@git.example/w.git",
            '"vcs_info": {"vcs": "git", "commit_id": "abc"}',
            "pip install 'wayfare[geo] @ git+https://git.example/w.git@abc'",
        ),
        ("https://x.example/w.whl", '"archive_info": {}', "pip install 'wayfare[geo] @ https://x.example/w.whl'"),
    ],
)
def test_an_extra_comes_from_where_wayfare_came(monkeypatch, url, rest, said):
    installed(monkeypatch, direct_url=f'{{"url": "{url}", {rest}}}', INSTALLER="pip")
    assert extras.from_where("geo") == said


def test_what_is_not_known_is_not_guessed(monkeypatch):
    installed(monkeypatch, INSTALLER="pip")
    assert extras.from_where("geo") == "pip install 'wayfare[geo]'"  # it did come from an index
    for files in (
        {},
        {"direct_url": "{"},
        {"direct_url": "[]"},
        {"direct_url": '{"url": "x", "vcs_info": {"vcs": 1}}'},
    ):
        installed(monkeypatch, **files)
        assert extras.from_where("geo") == ""

    def missing(name):
        raise PackageNotFoundError(name)

    monkeypatch.undo()
    monkeypatch.setattr(extras, "distribution", missing)
    assert extras.from_where("geo") == ""
    assert extras.install("shapely", "geo") == "pip install shapely"


def test_nothing_sends_a_user_to_an_index_for_wayfare():
    root = SOURCE.parents[1]
    pages = [*SOURCE.rglob("*.py"), *(root / "docs").rglob("*.md"), *root.glob("*.md")]
    sent = [
        str(path.relative_to(root))
        for path in pages
        if path.name not in ("extras.py", "CHANGELOG.md")
        and re.search(r"pip install[^\n]*\bwayfare\b(?!-[\w.-]*\.whl)", path.read_text())
    ]
    assert sent == []
