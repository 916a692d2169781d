import shutil
import subprocess
import sys

import pytest

from wayfare.bench.cell import EDGES, PACKAGE, REPORTING, own_digest, sources


@pytest.fixture
def package(tmp_path):
    """A package that looks like ours."""
    for file in ("plan.py", "route/exact.py", "bench/cell.py", "bench/report.py", "cli/main.py", "report/costs.py"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text(f"# {file}\n")
    (tmp_path / "bench/data").mkdir()
    (tmp_path / "bench/data/map.csv.gz").write_bytes(b"map")
    yield tmp_path
    own_digest.cache_clear()


def anew(package):
    own_digest.cache_clear()  # another process
    return own_digest(package)


@pytest.mark.parametrize(
    "file",
    [
        "plan.py",
        "route/exact.py",
        "bench/cell.py",
        "report/costs.py",
        "report/report.py",
        "bench/data/map.csv.gz",
        "new.py",
    ],
)
def test_a_change_of_what_numbers_depend_on_changes_the_digest(package, file):
    before = anew(package)
    assert len(before) == 12
    (package / file).write_text("changed")
    assert anew(package) != before


@pytest.mark.parametrize("file", ["bench/report.py", "cli/main.py", "bench/__pycache__/cell.pyc", "notes.md"])
def test_what_only_shows_may_change(package, file):
    before = anew(package)
    (package / file).parent.mkdir(exist_ok=True)
    (package / file).write_text("changed")
    (package / ".#plan.py").symlink_to("nowhere")  # an editor's lock
    assert anew(package) == before


def test_code_that_moves_to_another_file_is_noticed(package):
    before = anew(package)
    (package / "plan.py").rename(package / "plans.py")
    assert anew(package) != before


def test_the_digest_is_that_of_the_code_as_it_was_loaded_and_the_same_in_every_place(package, tmp_path_factory):
    before = own_digest(package)
    copy = shutil.copytree(package, tmp_path_factory.mktemp("copy") / "elsewhere")
    assert own_digest(copy) == before
    (package / "plan.py").write_text("changed")
    assert own_digest(package) == before


def test_what_is_left_out_is_there():
    assert all((PACKAGE / "bench" / f"{name}.py").is_file() for name in REPORTING)
    assert all((PACKAGE / name).is_dir() for name in EDGES)
    assert "bench/data/lithium_map.csv.gz" in set(sources(PACKAGE))


LOADED = """
import sys
from wayfare.bench.cell import Cell, run_cell

for method in ("tucb", "snake", "random-route"):
    run_cell(Cell("lake1", 3, 0, method, 0, "own"))
for name, module in sys.modules.items():
    if name.split(".")[0] == "wayfare":
        print(module.__file__)
"""


def test_all_that_a_run_loads_is_in_the_digest():
    child = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True)
    loaded = set(child.stdout.splitlines())
    assert len(loaded) > 50
    assert loaded <= {str(PACKAGE / file) for file in sources(PACKAGE)}
