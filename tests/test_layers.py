"""Imports point down, the public names are those we promise, and importing stays cheap."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import wayfare

SOURCE = Path(wayfare.__file__).parent

# From the ground up; a part may import from its own layer and from those below.
LAYERS = [
    ["_core", "errors", "_version"],
    ["space"],
    ["travel"],
    ["analysis"],
    ["surrogate"],
    ["route"],
    ["policy"],
    ["planning"],
    ["record"],
    ["report"],
    ["form"],
    ["store"],
    ["study"],
    ["optimize", "exchange"],
    ["bench", "plot", "plug", "cli", "web", "testing", "__main__"],
]
# The edge that a study and its run sheet open on request, and only then.
LATE = {("study", "plot"), ("exchange", "plot")}


def layer_of(part: str) -> int:
    return next(i for i, layer in enumerate(LAYERS) if part in layer)


def imports():
    for path in sorted(SOURCE.rglob("*.py")):
        part = path.relative_to(SOURCE).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text())):
            names = []
            if isinstance(node, ast.ImportFrom):
                assert node.level == 0, f"{path}: import from wayfare, not from dots"
                names = [node.module or ""]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            for name in names:
                if name.startswith("wayfare."):
                    yield part, name.split(".")[1], path
                elif name == "wayfare":
                    yield from ((part, alias.name, path) for alias in node.names)


def test_imports_point_down():
    seen = 0
    for part, used, path in imports():
        if part == "__init__" or (part, used) in LATE:
            continue
        seen += 1
        assert layer_of(used) <= layer_of(part), f"{path}: {part} must not import {used}"
    assert seen > 100


def test_every_part_has_its_layer():
    parts = {path.name.removesuffix(".py") for path in SOURCE.iterdir() if path.suffix in ("", ".py")}
    assert parts - {"__init__", "__pycache__"} == {part for layer in LAYERS for part in layer}


def test_public_names_resolve_and_completion_shows_them_and_no_submodule():
    assert len(set(wayfare.__all__)) == len(wayfare.__all__)
    assert all(getattr(wayfare, name) is not None for name in wayfare.__all__)
    assert set(dir(wayfare)) == {*wayfare.__all__, "__version__"}
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = wayfare.nothing


def test_stub_tells_type_checkers_where_the_public_names_are():
    stub = ast.parse((SOURCE / "__init__.pyi").read_text())
    told = {
        alias.asname: f"{node.module}".removeprefix("wayfare.")
        for node in stub.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert told.pop("__version__") == "_version"
    assert told == wayfare._HOMES


def test_every_package_says_what_is_public():
    for path in SOURCE.rglob("__init__.py"):
        names = {
            part.id
            for node in ast.parse(path.read_text()).body
            for part in ast.walk(node)
            if isinstance(part, ast.Name)
        }
        assert "__all__" in names, path


@pytest.mark.subprocess
@pytest.mark.parametrize(
    ("used", "heavy"),
    [
        ("wayfare", {"numpy", "attrs", "click"}),
        (
            "[getattr(wayfare, name) for name in wayfare.__all__]",
            {"scipy", "matplotlib", "pandas", "torch", "rich", "click", "fast_tsp", "shapely", "networkx"},
        ),
    ],
    ids=["import", "every name"],
)
def test_importing_wayfare_leaves_the_heavy_packages_alone(used, heavy):
    code = f"import sys, wayfare; {used}; print(*sys.modules)"
    child = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert not heavy & set(child.stdout.split())
