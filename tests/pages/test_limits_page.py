"""The page on limits shows what its code prints.

``python -m tests.pages.test_limits_page`` writes the page anew with what is printed today.
"""

import contextlib
import io
import re
import warnings
from pathlib import Path

import wayfare as wf
from tests.pages.test_operator_page import rounded

PAGE = Path(__file__).parents[2] / "docs" / "limits.md"
BLOCK = re.compile(r"```python\n(.*?)```\n(?:\n```text\n.*?```\n)?", re.DOTALL)


def walked(page):
    """Return the page with what its code prints, all of it run in order."""
    names = {}

    def block(found):
        said = io.StringIO()
        with contextlib.redirect_stdout(said), warnings.catch_warnings():
            warnings.simplefilter("ignore", wf.DriftWarning)
            exec(found[1], names)
        shown = f"\n```text\n{said.getvalue()}```\n" if said.getvalue() else ""
        return f"```python\n{found[1]}```\n{shown}"

    return BLOCK.sub(block, page)


def test_the_page_shows_what_its_code_prints():
    page = PAGE.read_text()
    assert len(BLOCK.findall(page)) >= 9
    assert rounded(walked(page)) == rounded(page)


def test_the_page_has_every_option():
    from wayfare.record.spec import Options

    page = PAGE.read_text()
    assert [option for option in Options.__annotations__ if f"`{option}`" not in page] == []


if __name__ == "__main__":
    PAGE.write_text(walked(PAGE.read_text()))
