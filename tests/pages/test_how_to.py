"""The README and the pages of docs/start, tutorials and how-to show what their blocks really print, run in order.

``python -m tests.pages.test_how_to PAGE...`` writes pages anew with what is printed today.
"""

import contextlib
import io
import os
import re
import sys
import tempfile
import tomllib
import warnings
from pathlib import Path

import matplotlib as mpl
import pytest

import wayfare as wf
from tests.pages.test_operator_page import printed, rounded

ROOT = Path(__file__).parents[2]
FOLDERS = ("docs/start", "docs/tutorials", "docs/how-to")
BLOCK = re.compile(r"```(python|toml|console|csv|json)( [^\n]*)?\n(.*?)```\n(?:```text\n.*?```\n)?", re.DOTALL)


def walked(page):
    """Return the page with what its blocks print, all of them run in order in the working directory.

    A ``csv`` or ``json`` block is a file, named behind the word; a ``toml`` block likewise, or by the name in it.
    """
    names = {"__name__": "page"}

    def block(found):
        kind, name, text = found.groups()
        head = f"```{kind}{name or ''}\n"
        if kind in ("csv", "json"):
            Path(name.strip()).write_text(text)
        elif kind == "toml":
            Path(name.strip() if name else f"{tomllib.loads(text)['name']}.toml").write_text(text)
        elif kind == "console":
            commands = [line for line in text.splitlines() if line.startswith("$ ")]
            text = "".join(f"{line}\n{printed(line)}" for line in commands)
        else:
            said = io.StringIO()
            with contextlib.redirect_stdout(said), contextlib.redirect_stderr(io.StringIO()), quiet():
                exec(compile(text, "page", "exec"), names)
            return f"{head}{text}```\n" + (f"```text\n{said.getvalue()}```\n" if said.getvalue() else "")
        return f"{head}{text}```\n"

    return BLOCK.sub(block, page)


@contextlib.contextmanager
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", wf.GuaranteeWarning)
        yield


ELSEWHERE = {"docs/how-to/team.md"}  # needs a server: tests/store/test_postgres.py runs it


def pages():
    """Return the pages that have blocks to run, as seen from the root."""
    found = [ROOT / "README.md", *(path for folder in FOLDERS for path in (ROOT / folder).glob("*.md"))]
    shown = (path for path in sorted(found) if BLOCK.search(path.read_text()))
    return [name for path in shown if (name := path.relative_to(ROOT).as_posix()) not in ELSEWHERE]


@pytest.mark.slow
@pytest.mark.parametrize("name", pages())
def test_every_block_of_a_page_prints_what_the_page_shows(name, tmp_path, monkeypatch):
    mpl.use("Agg")
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WAYFARE_STORE", raising=False)
    page = (ROOT / name).read_text()
    assert rounded(walked(page)) == rounded(page)


if __name__ == "__main__":
    mpl.use("Agg")
    for chosen in sys.argv[1:] or pages():
        path = ROOT / chosen
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            os.environ.pop("WAYFARE_STORE", None)
            new = walked(path.read_text())
        path.write_text(new)
