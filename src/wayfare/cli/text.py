"""Text that a user wrote, made fit for a terminal: nothing in it can command the terminal or break a line."""

import unicodedata

WIDTH = 80
NO_BREAK = "\u00a0"

# Control characters, line separators, halves of characters, and marks that turn or hide text.
UNSAFE = {"Cc", "Cf", "Cs", "Zl", "Zp"}
# Joiners, without which some scripts and emoji are misspelt.
HARMLESS = {"\u200c", "\u200d"}


def plain(text: str) -> str:
    """Return the text with control characters written out as Python would write them."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_safe, text))


def _safe(character: str) -> str:
    if unicodedata.category(character) not in UNSAFE or character in HARMLESS:
        return character
    return character.encode("unicode_escape").decode("ascii")


def one_line(text: str) -> str:
    """Return a message on one line, whatever a user's text brought into it."""
    return plain(" ".join(text.split()))


def width(text: str) -> int:
    """Return how many columns a terminal needs for the text."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def pad(text: str, room: int, left: bool = True) -> str:
    """Return the text filled with blanks to ``room`` columns, flush left or right."""
    blanks = " " * (room - width(text))
    return text + blanks if left else blanks + text


def wrap(text: str, room: int) -> list[str]:
    """Return the text in lines of at most ``room`` columns, broken at blanks, inside words if need be.

    Words joined by a ``NO_BREAK`` blank stay together, as long as they fit.
    """
    lines = [""]
    for word in plain(text).split(" "):
        for piece in _chopped(word, room):
            line = f"{lines[-1]} {piece}" if lines[-1] else piece
            if width(line) <= room:
                lines[-1] = line
            else:
                lines.append(piece)
    return [line.replace(NO_BREAK, " ") for line in lines]


def _chopped(word: str, room: int) -> list[str]:
    pieces, used = [""], 0
    for character in word:
        used += _columns(character)
        if used > room and pieces[-1]:
            pieces.append("")
            used = _columns(character)
        pieces[-1] += character
    return pieces


def paragraph(text: str, indent: str = "", hang: str | None = None) -> str:
    """Return the text within eighty columns, each line indented, all but the first by ``hang``."""
    hang = indent if hang is None else hang
    first, *rest = wrap(text, WIDTH - max(width(indent), width(hang)))
    return "\n".join([indent + first, *(hang + line for line in rest)])
