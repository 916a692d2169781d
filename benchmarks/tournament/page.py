"""The tournament on our pages: the blocks that they have of it are filled, its pictures drawn again."""

from pathlib import Path
from tempfile import TemporaryDirectory

from blocks import block_names, fill_blocks, save_small
from tournament.aims import aims_table
from tournament.pictures import draw_by_problem, draw_frontier
from tournament.studies import read_rows
from tournament.tables import blocks

ROOT = Path(__file__).resolve().parents[2]
PAGES = ("README.md", "docs/evidence/index.md", "docs/method.md")
PICTURES = {"docs/frontier.png": draw_frontier, "docs/frontier-by-problem.png": draw_by_problem}


def write_pages(root: Path, results: Path) -> list[str]:
    """Draw the pictures, fill the pages that are there, and return the files written, as seen from ``root``.

    A page without any of the blocks is left alone.
    """
    searched, reported = (read_rows(results / f"{part}.csv") for part in ("search", "report"))
    written = []
    for file, draw in PICTURES.items():
        (root / file).parent.mkdir(parents=True, exist_ok=True)
        with TemporaryDirectory() as folder:
            drawn = Path(folder) / "drawn.png"
            draw(reported).savefig(drawn)
            save_small(drawn, root / file)
        written.append(file)
    content = blocks(searched, reported) | {"aims": aims_table(reported)}
    for file in PAGES:
        page = root / file
        text = page.read_text() if page.exists() else ""
        if block_names(text) & content.keys():
            page.write_text(fill_blocks(text, content))
            written.append(file)
    return written
