"""How an optional package is installed: named by itself, and as an extra from where this wayfare came.

wayfare need not be in any package index, so no message sends the user there. What an extra needs is read from the
metadata of the installed package, and where that came from as ``pip`` recorded it (PEP 610).
"""

import json
import re
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from urllib.parse import unquote, urlsplit, urlunsplit

_NAME = "wayfare"
_OF_EXTRA = re.compile(r"^(?P<package>[^;]+?)\s*;.*\bextra\s*==\s*['\"](?P<extra>[^'\"]+)['\"]")
_WITH = re.compile(r"^wayfare\[(?P<extras>[^\]]+)\]")


def install(package: str, extra: str) -> str:
    """Return the command that installs what an extra needs, ``package`` among it: ``pip install 'shapely>=2.0'``."""
    return f"pip install {' '.join(repr(one) for one in packages_of(extra)) or package}"


def packages_of(extra: str) -> list[str]:
    """Return the requirements of an extra, as pip takes them; empty if they are not known."""
    found: list[str] = []
    for line in _requires():
        if (match := _OF_EXTRA.match(line)) is None or match["extra"] != extra:
            continue
        package = match["package"].replace(" ", "")
        others = _WITH.match(package)
        found += (
            [package] if others is None else [one for name in others["extras"].split(",") for one in packages_of(name)]
        )
    return list(dict.fromkeys(found))


def from_where(extra: str) -> str:
    """Return the command that installs an extra from where this wayfare came; empty if that is not known."""
    found = _distribution()
    if found is None:
        return ""
    recorded = found.read_text("direct_url.json")
    if recorded is None:
        # pip records where a package came from, unless that is the index it was asked for by name.
        return f"pip install '{_NAME}[{extra}]'" if found.read_text("INSTALLER") else ""
    try:
        record = json.loads(recorded)
        url, version = str(record["url"]), record.get("vcs_info", {})
        if url.startswith("file:") and "dir_info" in record:
            editable = "--editable " if record["dir_info"].get("editable") else ""
            return f"pip install {editable}'{unquote(urlsplit(url).path)}[{extra}]'"
        url = _without_login(url)
        at = f"{version['vcs']}+{url}@{version['commit_id']}" if version else url
        return f"pip install '{_NAME}[{extra}] @ {at}'"
    except (ValueError, KeyError, TypeError, AttributeError):
        return ""


def _without_login(url: str) -> str:
    """Return an address without the name and the password that may be in it."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def _requires() -> list[str]:
    found = _distribution()
    return [] if found is None else list(found.requires or [])


def _distribution() -> Distribution | None:
    try:
        return distribution(_NAME)
    except PackageNotFoundError:
        return None
