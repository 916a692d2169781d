"""The map is true: every file, package and command that it names is there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "wayfare"
PAGES = ["docs/architecture.md", "CONTRIBUTING.md", "docs/glossary.md", "SECURITY.md"]


@pytest.mark.parametrize("page", PAGES[:2])
def test_every_module_and_package_named_exists(page):
    text = (ROOT / page).read_text()
    named = set(re.findall(r"`(?:src/wayfare/)?([a-z_]+/[a-z_/]*(?:\.py)?)`", text))
    inside = {name for name in named if not name.startswith(("benchmarks/", "tests/"))}
    assert len(inside) > 10
    assert not {name for name in inside if not (SOURCE / name).exists() and not (ROOT / name).exists()}


@pytest.mark.parametrize("page", PAGES)
def test_every_link_and_make_target_exists(page):
    text = (ROOT / page).read_text()
    for target in re.findall(r"\]\(([^)#:]+)\)", text):
        assert ((ROOT / page).parent / target).exists(), target
    makefile = (ROOT / "Makefile").read_text()
    for command in re.findall(r"(?:`|\$ )make ([a-z]+)(?=[ `])", text):
        assert f"\n{command}:" in makefile, command


def test_every_package_is_on_the_map():
    text = (ROOT / "docs" / "architecture.md").read_text()
    packages = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert not {name for name in packages if f"`{name}`" not in text and f"`{name}/`" not in text}
