"""The documentation site: what its reference takes from the code, its links, and that every block is run."""

import inspect
import json
import re
import sys
from pathlib import Path

import pytest

import wayfare as wf
from tests.pages.test_how_to import pages
from wayfare import errors
from wayfare._core.settings import SETTINGS
from wayfare.cli.main import COMMANDS
from wayfare.form import study

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
sys.path.insert(0, str(DOCS))
import links  # noqa: E402 - beside conf.py
import reference  # noqa: E402


def names_on(page):
    """Return the public names of ``wayfare`` that a page of the reference documents."""
    found = reference.API.findall(page.read_text())
    return [name for module, names in found if not module for name in names.split()]


def test_every_public_name_has_its_place_in_the_reference():
    documented = [name for page in (DOCS / "reference/api").glob("*.md") for name in names_on(page)]
    assert sorted(documented) == sorted(wf.__all__), "each once, in docs/reference/api"


def test_every_public_name_and_method_has_a_docstring():
    for name in wf.__all__:
        value = getattr(wf, name)
        if inspect.isclass(value) or inspect.isfunction(value):
            assert inspect.getdoc(value), name
        for attribute, member in inspect.getmembers(value, inspect.isfunction) if inspect.isclass(value) else ():
            own = not attribute.startswith("_") and member.__module__.startswith("wayfare.")
            assert not own or inspect.getdoc(member), f"{name}.{attribute}"


def test_the_directives_of_a_page_name_what_is_there():
    made = reference.api("wayfare", ["Study", "maximize", "CATALOGUE", "TravelCost"])
    assert ".. autoclass:: Study\n   :members:" in made
    assert ".. autofunction:: maximize" in made
    assert ".. py:data:: CATALOGUE" in made
    assert made.count("__call__") == 1  # a cost is called


def test_the_reference_has_every_command_key_setting_and_request():
    commands = reference.commands()
    assert COMMANDS.keys() <= set(re.findall(r"^## (\S+)$", commands, re.MULTILINE))
    assert all(f"| `{option}" in commands for option in ("--spent", "--actual", "--store", "--take"))
    keys = reference.study_file_keys()
    assert all(f"`{key}`" in keys for key in study.KEYS)
    assert all(f"`{name}`" in reference.settings() for name in SETTINGS)
    requests = reference.http()
    described = json.loads((DOCS / "openapi.json").read_text())
    for path, verbs in described["paths"].items():
        for verb in verbs:
            assert f"### {verb.upper()} {path}\n" in requests
    assert all(f"### {name}\n" in requests for name in described["components"]["schemas"])


def test_every_mark_of_a_page_is_filled():
    marks = {found for page in DOCS.rglob("*.md") for found in re.findall(r"<!-- ([a-z ]+) -->", page.read_text())}
    assert {mark for mark in marks if not mark.startswith(("begin ", "end "))} == reference.MADE.keys()
    source = ["Before.\n<!-- settings -->\n<!-- api: Study -->"]
    reference.fill(None, "page", source)
    assert "WAYFARE_STORE" in source[0]
    assert "autoclass:: Study" in source[0]
    assert "<!--" not in source[0]


def test_no_variable_of_the_environment_is_read_elsewhere():
    reading = re.compile(r"os\.environ|getenv")
    readers = {path.name for path in (ROOT / "src").rglob("*.py") if reading.search(path.read_text())}
    assert readers == {"settings.py"}


def test_every_error_and_warning_is_explained():
    page = (DOCS / "reference/messages.md").read_text()
    kinds = [name for name, one in vars(errors).items() if inspect.isclass(one) and issubclass(one, Exception)]
    assert len(kinds) >= 13
    assert all(f"`{name}`" in page for name in kinds)


def test_no_link_of_a_page_is_broken():
    assert list(links.broken_in_markdown(ROOT)) == []


def test_the_checker_finds_what_is_broken_in_a_page(tmp_path):
    page = "# One two\n[x](b.md) [y](#one-two) [z](#three) [w](https://example.org) `[v](c.md)`\n"
    (tmp_path / "a.md").write_text(page)
    assert list(links.broken_in_markdown(tmp_path)) == ["a.md: b.md leads nowhere", "a.md: #three: no such heading"]


def test_the_checker_finds_what_is_broken_in_the_site(tmp_path):
    (tmp_path / "a.html").write_text(
        '<script src="https://example.org/a.js"></script><img src="a.png"><a href="#x">x</a><a href="b.html">b</a>'
        '<a href="https://example.org">out</a><p id="y"><a href="a.html#y">y</a>'
    )
    assert list(links.broken_in_site(tmp_path)) == [
        "a.html: loads https://example.org/a.js from another host",
        "a.html: loads a.png, which is not there",
        "a.html: #x: no such heading",
        "a.html: b.html leads nowhere",
    ]


RUN = {
    "docs/operator.md": "tests/pages/test_operator_page.py",
    "docs/extend.md": "tests/pages/test_extend_page.py",
    "docs/limits.md": "tests/pages/test_limits_page.py",
    "docs/method.md": "tests/pages/test_method_page.py",
    "docs/study-file.md": "tests/pages/test_study_file_page.py",
    "docs/audit.md": "tests/pages/test_audit_page.py",
    "docs/how-to/team.md": "tests/store/test_postgres.py",
    **{f"docs/examples/{name}.md": "tests/examples/test_examples.py" for name in ("boat", "drone", "prices")},
    **{f"docs/examples/{name}.md": "tests/examples/test_examples.py" for name in ("printer", "reactor", "rig")},
}
"""The pages whose blocks another test runs than that of the pages in their folder."""
LONG = {"docs/benchmarks.md", "docs/field.md", "docs/theory.md", "CONTRIBUTING.md"}
"""Pages whose blocks say which commands take minutes to hours, and show no output of them."""


def test_every_block_of_every_page_is_run_by_a_test():
    block = re.compile(r"^```(python|console|toml)\b", re.MULTILINE)
    every = [*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *(ROOT / "benchmarks").rglob("*.md")]
    shown = {path.relative_to(ROOT).as_posix() for path in every if block.search(path.read_text())}
    assert shown <= RUN.keys() | LONG | set(pages())
    for page in LONG:
        for text in re.findall(r"^```console\n(.*?)```", (ROOT / page).read_text(), re.MULTILINE | re.DOTALL):
            assert all(line.startswith("$ ") for line in text.splitlines() if line), page


@pytest.mark.parametrize("test", sorted(set(RUN.values())))
def test_the_test_of_a_page_is_there(test):
    assert (ROOT / test).exists()
