"""A digest of wayfare's own code: results of other code are other results, whatever its version says."""

import hashlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent.parent
EDGES = ("cli", "plot", "testing")
"""Packages without which a run gives the same numbers."""
REPORTING = ("compare", "curves", "figures", "looks", "pictures", "published", "report", "tables")
"""Modules of the benchmark that only show what others measured."""


@cache  # as it was loaded: a process that runs for days does not notice that files have changed since
def own_digest(package: Path = PACKAGE) -> str:
    """Return twelve hex digits that change with any file that the numbers of a run may depend on."""
    digest = hashlib.sha256()
    for file in sorted(sources(package)):
        content = (package / file).read_bytes()
        digest.update(f"{file} {len(content)}\n".encode() + content)
    return digest.hexdigest()[:12]


def sources(package: Path) -> Iterator[str]:
    """Yield those files, as paths from the package on."""
    for file in (*package.rglob("*.py"), *package.glob("bench/data/*")):
        path = file.relative_to(package)
        reports = path.parent.as_posix() == "bench" and path.stem in REPORTING
        # Hidden ones are an editor's, and may point nowhere.
        if not reports and path.parts[0] not in EDGES and not path.name.startswith(".") and file.is_file():
            yield path.as_posix()
