"""Text that a user wrote, made fit for XML and HTML: no character that breaks, hides or turns a page."""

import unicodedata

UNSAFE = {"Cc", "Cf", "Cs", "Cn", "Zl", "Zp"}
"""Control characters, marks that hide or turn text, halves of characters, what is none, line separators."""
JOINERS = "\u200c\u200d"
"""Without them some scripts and emoji are misspelt."""
STAND_IN = "\ufffd"


def legible(text: str) -> str:
    """Return the text on one line, with a sign that says so for what cannot be shown."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character in "\t\n\r":
        return " "
    unsafe = unicodedata.category(character) in UNSAFE and character not in JOINERS
    return STAND_IN if unsafe else character
