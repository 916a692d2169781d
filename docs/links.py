"""Check the links of the site, and of the Markdown pages as they are: ``python docs/links.py out/site``.

Every link to a file must lead to one, every link to a heading to one, and no page may load anything from another
host. Links to other hosts are not followed. Prints what is broken, and exits with 1 if anything is.
"""

import re
import sys
from collections.abc import Iterator
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

ROOT = Path(__file__).resolve().parents[1]
LINK = re.compile(r"(?<!`)\[(?:[^\]\[]|\[[^\]]*\])*\]\(([^)\s]+)\)|<img src=\"([^\"]+)\"")
CODE = re.compile(r"^```.*?^```|`[^`\n]*`", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#+ +(.*?) *#*$", re.MULTILINE)
LOADS = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src", "video": "src"}
"""Elements that a browser loads by itself, each with the attribute that has the address."""


class Page(HTMLParser):
    """The anchors of a page, where it links to, and what it loads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.anchors: set[str] = {""}
        self.links: list[str] = []
        self.loads: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the anchors and the links of a tag."""
        has = {name: value or "" for name, value in attrs}
        self.anchors |= {has[name] for name in ("id", "name") if name in has}
        if tag == "a" and "href" in has:
            self.links.append(has["href"])
        elif tag in LOADS and LOADS[tag] in has:
            self.loads.append(has[LOADS[tag]])


@cache
def page(file: Path) -> Page:
    """Return a page of the site."""
    return Page(file.read_text(encoding="utf-8"))


@cache
def headings(file: Path) -> set[str]:
    """Return the anchors that a code host gives the headings of a Markdown page."""
    text = re.sub(r"^```.*?^```", "", file.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    found: list[str] = []
    for heading in HEADING.findall(text):
        words = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading).replace("`", "")
        name = re.sub(r"[^\w\- ]", "", words.lower()).replace(" ", "-")
        again = sum(one == name or re.fullmatch(rf"{re.escape(name)}-\d+", one) is not None for one in found)
        found.append(f"{name}-{again}" if again else name)
    return {"", *found}


def broken_in_site(site: Path) -> Iterator[str]:
    """Yield what is wrong in the pages of the site."""
    for file in sorted(site.rglob("*.html")):
        where = file.relative_to(site)
        for link in page(file).loads:
            if urlsplit(link).scheme in ("http", "https") or link.startswith("//"):
                yield f"{where}: loads {link} from another host"
            elif not link.startswith(("data:", "#")) and not (file.parent / unquote(urlsplit(link).path)).is_file():
                yield f"{where}: loads {link}, which is not there"
        for link in page(file).links:
            parts = urlsplit(link)
            if parts.scheme or link.startswith("//"):
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            if not target.is_file():
                yield f"{where}: {link} leads nowhere"
            elif target.suffix == ".html" and unquote(parts.fragment) not in page(target).anchors:
                yield f"{where}: {link}: no such heading"


def broken_in_markdown(root: Path) -> Iterator[str]:
    """Yield what is wrong in the Markdown pages, as they are read without the site."""
    folders = ("*.md", "docs/**/*.md", "benchmarks/**/*.md", "src/**/*.md")
    for file in sorted(file for pattern in folders for file in root.glob(pattern)):
        text = CODE.sub("", file.read_text(encoding="utf-8"))
        for found in LINK.finditer(text):
            link = found[1] or found[2]
            parts = urlsplit(link)
            if parts.scheme:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            where = file.relative_to(root)
            if not target.exists():
                yield f"{where}: {link} leads nowhere"
            elif target.suffix == ".md" and parts.fragment not in headings(target):
                yield f"{where}: {link}: no such heading"


def main(site: str | None = None) -> int:
    """Print what is broken, in the pages and in the site if there is one, and return the exit code."""
    broken = [*broken_in_markdown(ROOT), *(broken_in_site(Path(site).resolve()) if site else ())]
    print(*broken, sep="\n", end="\n" if broken else "")
    pages = len(list(Path(site).rglob("*.html"))) if site else 0
    print(f"{len(broken)} broken links" + (f" on {pages} pages of the site" if site else ""))
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
