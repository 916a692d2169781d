"""The page for third parties shows what really happens: its files are written, its commands run, in order.

``python -m tests.pages.test_extend_page`` writes the page anew with what the commands print today.
"""

import re
import shlex
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path

import pytest

from tests.pages.test_operator_page import rounded

pytestmark = [pytest.mark.slow, pytest.mark.subprocess]

PAGE = Path(__file__).parents[2] / "docs" / "extend.md"
FILE = re.compile(r"`(\w+\.py)`:\n\n```python\n(.*?)```\n", re.DOTALL)
CONSOLE = re.compile(r"```console\n(.*?)```\n", re.DOTALL)
TABLE = re.compile(r"^\| method \| mean regret.*?\n\n", re.DOTALL | re.MULTILINE)
PROGRAMS = {
    # Isolated as an installed script is: the folder it runs in is not on its path.
    "wayfare": ["-P", "-c", "from wayfare.cli import main; main(prog_name='wayfare')"],
    "pytest": ["-m", "pytest"],
    "python": [],
}


def write_files(page, folder):
    """Write the files that the page shows."""
    for name, text in FILE.findall(page):
        (folder / name).write_text(text)


def walked(page, folder):
    """Return the page with what its commands print in the folder, and with the table of their report."""
    write_files(page, folder)
    page = CONSOLE.sub(lambda block: f"```console\n{replayed(block[1], folder)}```\n", page)
    report = (folder / "out/bench/quick-report/report.md").read_text()
    table = TABLE.search(report, report.index("### mine:oven, T = 20"))
    return TABLE.sub(lambda _: table[0], page)


def replayed(text, folder):
    """Return the commands of a block, each with what it prints; what the page leaves out is left out."""
    blocks = re.split(r"^(\$ .*\n)", text, flags=re.MULTILINE)[1:]
    return "".join(
        line + shortened(printed(line, folder), shown) for line, shown in zip(blocks[::2], blocks[1::2], strict=True)
    )


def printed(line, folder):
    """Return what a command prints on stdout, without times."""
    program, *arguments = shlex.split(line.removeprefix("$ "))
    command = [sys.executable, *PROGRAMS[program], *arguments]
    child = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert child.returncode == 0, child.stdout + child.stderr
    return re.sub(r" in [\d.]+s\b( \([\d:]+\))?", "", child.stdout)


def shortened(output, shown):
    """Return the output with a line of dots in place of what the page replaces so."""
    before, dots, after = shown.partition("…\n")
    if not dots:
        return output
    lines = output.splitlines(keepends=True)
    return "".join([*lines[: before.count("\n")], dots, *lines[len(lines) - after.count("\n") :]])


def test_every_file_and_command_of_the_page_gives_what_the_page_shows(tmp_path):
    page = PAGE.read_text()
    assert rounded(walked(page, tmp_path)) == rounded(page)


def test_a_policy_and_a_problem_take_thirty_lines():
    files = dict(FILE.findall(PAGE.read_text()))
    assert list(files) == ["mine.py", "test_mine.py", "bake.py"]
    assert sum(bool(line.strip()) for line in files["mine.py"].splitlines()) <= 30
    assert max(map(len, files["mine.py"].splitlines())) <= 120


def test_the_line_for_a_traceback_works(tmp_path):
    page = PAGE.read_text()
    write_files(page, tmp_path)
    (line,) = re.findall(r"`(from wayfare.bench import run_problem; .*)`", page)
    code = "from mine import *; " + line.replace("trials=20", "trials=3") + "; print('ran')"
    child = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert child.stdout == "ran\n", child.stderr


def test_the_page_says_what_its_method_is_warned_of(tmp_path):
    page = PAGE.read_text()
    write_files(page, tmp_path)
    short = (tmp_path / "bake.py").read_text().split("for _ in")[0]
    child = subprocess.run([sys.executable, "-c", short], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert "need not go to zero: the method chooses one place at a time" in child.stderr
    assert "On stderr it also prints a `GuaranteeWarning`" in page


def protocols():
    return re.findall(r"^\| `([\w.]+)` \| .*? \| (`.*?`) \| (.*?) \|$", PAGE.read_text(), re.MULTILINE)


def named(path):
    module, _, name = path.rpartition(".")
    return getattr(import_module(module), name)


@pytest.mark.parametrize(("part", "members", "contract"), protocols(), ids=str)
def test_the_table_says_what_each_protocol_has(part, members, contract):
    has = {name for name in vars(named(part)) if not name.startswith("_") or name == "__call__"}
    assert set(re.findall(r"`(\w+)`", members)) == has
    assert contract == "the same" or named(contract.strip("`")).__name__.endswith("Contract")


def test_the_table_has_every_protocol_of_the_conventions():
    names = {part.rpartition(".")[2] for part, _, _ in protocols()}
    assert names == {
        "AnySpace", "Opening", "Policy", "Posterior", "RoutePlanner", "Schedule", "Store", "Surrogate",
        "TravelCost",
    }  # fmt: skip


if __name__ == "__main__":
    before = PAGE.read_text()
    with tempfile.TemporaryDirectory() as folder:
        after = walked(before, Path(folder))
    PAGE.write_text(after)
