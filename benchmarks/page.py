"""Fill docs/benchmarks.md with the tables and figures of the results in benchmarks/results.

Run ``python benchmarks/page.py`` after running a suite again; ``python benchmarks/page.py authors`` draws the figures
of that suite alone, and ``none`` no figures, for they take most of the time. The words of the page are written by hand;
the blocks between ``<!-- begin X -->`` and ``<!-- end X -->`` are made here, and so are the figures in
docs/benchmarks/. To the reports of the suites the page adds the authors' published numbers and the paper's first
figures.
"""

import argparse
import re
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from blocks import block_names, fill_blocks, save_small
from claims import CLAIMS, parts_table, rivals_table, variants_table
from pictures import PICTURES, pictures_section
from published import goal_table, published_section
from variants import PARTS, SIBLINGS
from wayfare.bench.cell import Measured
from wayfare.bench.compare import Comparison, comparisons
from wayfare.bench.report import page, write_report
from wayfare.bench.results import read_results
from wayfare.bench.suites import SUITES

HERE = Path(__file__).parent
RESULTS = HERE / "results"
PAGE = HERE.parent / "docs" / "benchmarks.md"
FIGURES = PAGE.with_suffix("")
SHOWN = ("paper", "authors", "field")
RIVALLED = ("paper", "field")
"""The suites in which the rivals run."""
RIVALS = ("snake", "lookahead", "lambo", "eipu", "tucb", "wayfare")
"""The methods that mind the way, of others and ours."""
PICTURED = "paper"
"""The suite whose report is followed by the paper's first figures."""


def blocks() -> dict[str, str]:
    """Return the reports and tables of the page, by the names of its blocks."""
    found = {}
    for suite in SHOWN:
        cells = read_results(RESULTS, suite)
        every = comparisons(cells)
        report = page(cells, every, suite, SUITES[suite].baseline)
        if published := published_section(every):
            report = report.replace("## Paired ratios", f"{published}\n\n## Paired ratios", 1)
        if suite == PICTURED:
            report += "\n" + pictures_section()
        found[suite] = nested(report, suite)
        if suite == "paper":
            found |= {f"claim-{claim}": table(every) for claim, table in CLAIMS.items()}
            found["variants"] = variants_table(with_variants(cells), SIBLINGS)
        if suite in RIVALLED:
            found[f"rivals-{suite}"] = rivals_table(every, RIVALS, SUITES[suite].baseline)
        found[f"parts-{suite}"] = parts_table(with_variants(cells), PARTS)
        if suite == "authors":
            found["goal"] = goal_table(every, ("wayfare", "tucb", "tts"))
    return found


def with_variants(cells: Sequence[Measured]) -> list[Comparison]:
    """Return the comparisons of a suite with the variants that were run on its problems."""
    problems = {one.cell.problem for one in cells}
    also = [one for one in read_results(RESULTS, "variants") if one.cell.problem in problems]
    return comparisons([*cells, *also])


def nested(report: str, suite: str) -> str:
    """Return a report as part of the page: no title, one heading deeper, the figures from their folder."""
    body = report.split("\n", 1)[1].strip()
    body = re.sub(r"^#", "##", body, flags=re.MULTILINE)
    return re.sub(r"\]\((?=[^)]*\.png\))", f"](benchmarks/{suite}/", body)


def filled(text: str, content: dict[str, str]) -> str:
    """Return the page with its blocks replaced; it has those of ``content`` and no others."""
    if missing := content.keys() - block_names(text):
        raise SystemExit(f"{PAGE.name} has no block for {', '.join(sorted(missing))}")
    if unknown := block_names(text) - content.keys():
        raise SystemExit(f"nothing fills the block {', '.join(sorted(unknown))} of {PAGE.name}")
    return fill_blocks(text, content)


def draw(suite: str, cells: Sequence[Measured], console: Console) -> None:
    """Draw the figures of a suite into their folder."""
    folder = FIGURES / suite
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.png"):
        old.unlink()
    with TemporaryDirectory() as made:
        write_report(cells, Path(made), suite, SUITES[suite].baseline)
        for picture in PICTURES if suite == PICTURED else ():
            picture.draw().savefig(Path(made) / picture.file, dpi=150)
        for file in sorted(Path(made).glob("*.png")):
            save_small(file, folder / file.name)
            console.print(f"docs/benchmarks/{suite}/{file.name}", highlight=False)


def main() -> None:
    """Draw the figures, of all suites or of those named, and fill the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "suites", nargs="*", default="all", choices=("all", *SHOWN, "none"), help="whose figures to draw (default all)"
    )
    named = parser.parse_args().suites
    console = Console(stderr=True)
    for suite in (name for name in SHOWN if name in named or "all" in named):
        draw(suite, read_results(RESULTS, suite), console)
    PAGE.write_text(filled(PAGE.read_text(), blocks()))
    console.print(f"docs/{PAGE.name}", highlight=False)


if __name__ == "__main__":
    main()
