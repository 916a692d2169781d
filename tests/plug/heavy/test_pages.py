"""The blocks of how-to pages that need heavy packages (marked ``py``) run, after those before them."""

import re
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[3] / "docs" / "how-to"


@pytest.mark.parametrize("name", ["gest", "ax", "models"])
def test_every_block_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"__name__": "page"}
    blocks = re.findall(r"```py(?:thon)?\n(.*?)```", (PAGES / f"{name}.md").read_text(), re.DOTALL)
    for block in blocks:
        exec(compile(block, name, "exec"), names)
    assert "```py\n" in (PAGES / f"{name}.md").read_text()
