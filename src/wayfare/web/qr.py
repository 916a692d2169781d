"""The link to sign in with as a QR code, for a phone: in the terminal, and as SVG on the page."""

from io import BytesIO, StringIO

import segno


def picture(url: str) -> str:
    """Return the code as SVG."""
    out = BytesIO()
    segno.make(url, error="m", micro=False).save(out, kind="svg", scale=4, border=4, xmldecl=False, light="#fff")
    return out.getvalue().decode()


def blocks(url: str) -> str:
    """Return the code as lines of block letters, for a terminal."""
    out = StringIO()
    segno.make(url, error="m", micro=False).terminal(out, compact=True)
    return out.getvalue()
