"""What a page has that is made and not written: its blocks, and its figures.

A block stands between ``<!-- begin X -->`` and ``<!-- end X -->``, each on a line of its own; the words
around it are written by hand.
"""

import re
from collections.abc import Mapping
from pathlib import Path

from PIL import Image

BLOCK = re.compile(r"<!-- begin (?P<name>\S+) -->\n.*?<!-- end (?P=name) -->", re.DOTALL)


def block_names(text: str) -> set[str]:
    """Return the names of the blocks of a page."""
    return {found["name"] for found in BLOCK.finditer(text)}


def fill_blocks(text: str, content: Mapping[str, str]) -> str:
    """Return the page with those of its blocks replaced that ``content`` has by name."""

    def fill(found: re.Match[str]) -> str:
        name = found["name"]
        if name not in content:
            return found[0]
        return f"<!-- begin {name} -->\n{content[name]}\n<!-- end {name} -->"

    return BLOCK.sub(fill, text)


def save_small(drawn: Path, file: Path) -> None:
    """Save a figure in 256 colours: a quarter of the size, and every line keeps its colour."""
    with Image.open(drawn) as picture:
        colours = picture.convert("RGB").quantize(256, Image.Quantize.FASTOCTREE)
    colours.save(file, optimize=True)
