"""The page's files: whole, small, in two languages, with nothing from elsewhere and nothing inline."""

import gzip
import hashlib
import re
from pathlib import Path

import pytest

import wayfare

STATIC = Path(wayfare.__file__).parent / "web" / "static"
SCRIPTS = sorted((STATIC / "page").glob("*.js"))
BUDGET = 150_000
"""Bytes, after gzip, for the page and all its scripts."""


def text_of(paths):
    return "\n".join(path.read_text() for path in paths)


def rows():
    """Return the messages as [key, English, German]; texts for one and several as they stand in the table."""
    source = (STATIC / "page" / "messages.js").read_text()
    table = source[source.index("export const MESSAGES") :]
    return re.findall(r'^  (?:"([^"]+)"|(\w+)): \[(.*?)\],\n', table, flags=re.MULTILINE | re.DOTALL)


def test_vendored_files_are_those_of_the_registry():
    listed = re.findall(r"^\| (\S+\.\w+) \|.*\| ([0-9a-f]{64}) \|$", (STATIC / "vendor/README.md").read_text(), re.M)
    kept = {path.name for path in (STATIC / "vendor").glob("*.*s")}
    assert kept == {name for name, _ in listed} == {"preact.js", "preact-hooks.js", "htm.js", "uplot.js", "uplot.css"}
    for name, digest in listed:
        assert hashlib.sha256((STATIC / "vendor" / name).read_bytes()).hexdigest() == digest, name
    for name in ("htm", "preact", "uplot"):
        assert "copyright" in (STATIC / f"vendor/{name}.LICENSE").read_text().lower()


def test_page_and_scripts_stay_within_their_budget():
    files = [path for path in STATIC.rglob("*") if path.suffix in (".js", ".css", ".html", ".svg")]
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) <= BUDGET


def test_nothing_is_inline_and_nothing_comes_from_elsewhere():
    page = (STATIC / "index.html").read_text()
    assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?![^>]*\ssrc=)", page)
    own = text_of([*SCRIPTS, STATIC / "index.html", STATIC / "style.css"])
    assert not re.search(r"https?://|@import|url\(\s*['\"]?(?:https?:)?//", own)
    assert not re.search(r"\beval\(|new Function|innerHTML|insertAdjacentHTML|document\.write|randomUUID\(", own)


def test_every_script_is_fetched_at_once_and_imports_only_what_is_there():
    page = (STATIC / "index.html").read_text()
    loaded = set(re.findall(r'(?:href|src)="page/(\w+)\.js"', page))
    assert loaded == {path.stem for path in SCRIPTS}
    for path in SCRIPTS:
        for name in re.findall(r'from "(\.[^"]+)"', path.read_text()):
            assert (path.parent / name).is_file(), f"{path.name} imports {name}"


def test_every_message_is_there_in_both_languages():
    found = rows()
    keys = [quoted or plain for quoted, plain, _ in found]
    assert len(keys) == len(set(keys)) > 200
    for quoted, plain, texts in found:
        placed = re.findall(r"\{\w+\}", texts)
        # A message for one and several says its values in both languages; the form for one may leave out the count.
        assert all(placed.count(one) >= 2 or one == "{count}" for one in placed), quoted or plain
        assert texts.count('"') >= 4, quoted or plain
    used = set(re.findall(r'\bt\("([^"]+)"', text_of(SCRIPTS)))
    assert used <= set(keys), used - set(keys)


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.stem)
def test_a_script_begins_by_saying_what_it_is(path):
    assert path.read_text().startswith("// ")
    assert path.stem == "messages" or len(path.read_text().splitlines()) <= 400
