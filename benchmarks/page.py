"""Fill docs/benchmarks.md with the tables and figures of the results in benchmarks/results.

Run ``python benchmarks/page.py`` after a suite was run anew. The words of the page are written by hand; what
stands between ``<!-- begin X -->`` and ``<!-- end X -->`` is made here, and the figures in docs/benchmarks/.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from PIL import Image
from rich.console import Console

from claims import CLAIMS, variants_table
from variants import SIBLINGS
from wayfare.bench.cell import Measured
from wayfare.bench.compare import comparisons
from wayfare.bench.published import goal_table
from wayfare.bench.report import page, write_report
from wayfare.bench.results import read_results
from wayfare.bench.suites import SUITES

HERE = Path(__file__).parent
RESULTS = HERE / "results"
PAGE = HERE.parent / "docs" / "benchmarks.md"
FIGURES = PAGE.with_suffix("")
SHOWN = ("paper", "authors", "field")
BLOCK = re.compile(r"<!-- begin (?P<name>\S+) -->\n.*?<!-- end (?P=name) -->", re.DOTALL)


def blocks() -> dict[str, str]:
    """Return what the page shows, by the names of its blocks."""
    from wayfare.bench.pictures import PICTURES

    found = {}
    for suite in SHOWN:
        cells = read_results(RESULTS, suite)
        every = comparisons(cells)
        pictures = PICTURES if SUITES[suite].pictures else ()
        found[suite] = nested(page(cells, every, suite, SUITES[suite].baseline, pictures), suite)
        if suite == "paper":
            found |= {f"claim-{claim}": table(every) for claim, table in CLAIMS.items()}
            both = comparisons([*cells, *read_results(RESULTS, "variants")])
            found["variants"] = variants_table(both, SIBLINGS)
        if suite == "authors":
            found["goal"] = goal_table(every, ("tucb", "tts"))
    return found


def nested(report: str, suite: str) -> str:
    """Return a report as part of the page: no title, one heading deeper, the figures from their folder."""
    body = report.split("\n", 1)[1].strip()
    body = re.sub(r"^#", "##", body, flags=re.MULTILINE)
    return re.sub(r"\]\((?=[^)]*\.png\))", f"](benchmarks/{suite}/", body)


def filled(text: str, content: dict[str, str]) -> str:
    """Return the page with its blocks replaced."""

    def fill(found: re.Match[str]) -> str:
        name = found["name"]
        return f"<!-- begin {name} -->\n{content[name]}\n<!-- end {name} -->"

    if missing := content.keys() - {found["name"] for found in BLOCK.finditer(text)}:
        raise SystemExit(f"{PAGE.name} has no block for {', '.join(sorted(missing))}")
    return BLOCK.sub(fill, text)


def draw(suite: str, cells: Sequence[Measured], console: Console) -> None:
    """Draw the figures of a suite into their folder."""
    from wayfare.bench.pictures import PICTURES

    folder = FIGURES / suite
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.png"):
        old.unlink()
    pictures = PICTURES if SUITES[suite].pictures else ()
    with TemporaryDirectory() as made:
        write_report(cells, Path(made), suite, SUITES[suite].baseline, pictures=pictures)
        for file in sorted(Path(made).glob("*.png")):
            # A quarter of the size, and every line keeps its colour.
            colours = Image.open(file).convert("RGB").quantize(256, Image.Quantize.FASTOCTREE)
            colours.save(folder / file.name, optimize=True)
            console.print(f"docs/benchmarks/{suite}/{file.name}", highlight=False)


def main() -> None:
    """Draw the figures and fill the page."""
    console = Console(stderr=True)
    for suite in SHOWN:
        draw(suite, read_results(RESULTS, suite), console)
    PAGE.write_text(filled(PAGE.read_text(), blocks()))
    console.print(f"docs/{PAGE.name}", highlight=False)


if __name__ == "__main__":
    main()
