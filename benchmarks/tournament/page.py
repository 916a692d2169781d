"""The tournament on our pages: the blocks that they have of it are filled, its pictures drawn anew."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from blocks import block_names, fill_blocks, save_small
from tournament import search
from tournament.blocks import blocks
from tournament.panels import draw_by_function
from tournament.pictures import draw_frontier
from tournament.run import Row

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/method.md")
PICTURES = {"docs/frontier.png": draw_frontier, "docs/frontier-by-function.png": draw_by_function}


def write_pages(rows: Sequence[Row], root: Path) -> list[str]:
    """Draw the pictures, fill the pages that are there, and return the files written, as seen from ``root``.

    A page without any of the blocks is left alone.
    """
    written = []
    for file, draw in PICTURES.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory() as folder:
            drawn = Path(folder) / "drawn.png"
            draw(rows).savefig(drawn)
            save_small(drawn, root / file)
        written.append(file)
    content = blocks(rows) | search.blocks(search.read_rows())
    for file in PAGES:
        page = root / file
        text = page.read_text() if page.exists() else ""
        if block_names(text) & content.keys():
            page.write_text(fill_blocks(text, content))
            written.append(file)
    return written
