"""Record what users see, and compare two recordings, from the root of the project.

``python -m benchmarks.golden record FOLDER [--only PATTERN] [--jobs N]``
``python -m benchmarks.golden compare OLD NEW [--only PATTERN] [--ignore PATTERN]``
``python -m benchmarks.golden stores FOLDER TARGET``

``record`` writes FOLDER/<study>.json and FOLDER/stores/<study>.db, or one file if FOLDER ends in .json.gz.
``compare`` takes either, prints the first difference of each study, and exits with 1 if there is any. What
``--ignore`` matches is not compared: ``--ignore '*.text' --ignore '*.notes'`` leaves out what people read.
``stores`` copies a few stores of a recording to TARGET and writes what they say to TARGET.json. Together they
hold every kind of event and limit; tests/golden opens them.
"""

import argparse
import gzip
import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from fnmatch import fnmatchcase
from itertools import zip_longest
from pathlib import Path
from typing import Any

from .record import Doc, record
from .sweep import STUDIES

ENDING = ".json.gz"
ABSENT = "(absent)"
KEPT = (
    "cli-reactor",
    "cli-map",
    "cli-wells",
    "trip-mishaps",
    "mishaps",
    "mishaps-reactor",
    "several-results",
    "anchor-start",
    "anchor-best",
    "max-step-budget",
    "shuffle-table",
    "currencies",
    "budget-insert",
    "map-roads",
    "table-matrix-asymmetric",
    "method-blin",
)
"""Studies whose stores are kept for the tests."""
KEPT_OF_TRIALS = ("number", "state", "params", "leg", "predicted", "value", "spent", "count", "home_first")
KEPT_OF_LEDGER = ("paid", "predicted", "unordered", "ordered", "visits", "plans", "results", "dwell", "left", "trips")


def main(arguments: list[str] | None = None) -> int:
    options = parser().parse_args(arguments)
    if options.command == "record":
        return record_all(Path(options.target), options.only, options.jobs)
    if options.command == "stores":
        return keep_stores(Path(options.recording), Path(options.target))
    return compare(Path(options.old), Path(options.new), options.only, options.ignore)


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(prog="python -m benchmarks.golden", description=__doc__.splitlines()[0])
    commands = top.add_subparsers(dest="command", required=True)
    recording = commands.add_parser("record", help="run the scripted studies and write down what they say")
    recording.add_argument("target", help="a folder, or a file that ends in .json.gz")
    recording.add_argument("--jobs", type=int, default=1, help="how many studies at a time")
    comparing = commands.add_parser("compare", help="show what differs between two recordings")
    comparing.add_argument("old")
    comparing.add_argument("new")
    comparing.add_argument("--ignore", action="append", default=[], help="paths that do not count")
    keeping = commands.add_parser("stores", help="keep some stores for the tests")
    keeping.add_argument("recording", help="a folder")
    keeping.add_argument("target", help="a folder; what its stores say is written beside it")
    for one in (recording, comparing):
        one.add_argument("--only", default="*", help="studies whose names match, as in 'trip-*'")
    return top


def record_all(target: Path, only: str, jobs: int) -> int:
    names = [name for name in STUDIES if fnmatchcase(name, only)]
    began, docs = time.perf_counter(), {}
    folder = None if target.name.endswith(ENDING) else target
    if folder is not None:
        (folder / "stores").mkdir(parents=True, exist_ok=True)
    with ProcessPoolExecutor(jobs) as pool:
        for at, (name, doc, seconds) in enumerate(pool.map(one_study, names, [folder] * len(names)), 1):
            print(f"{at}/{len(names)} {name}: {seconds:.1f} s", file=sys.stderr)
            docs[name] = doc
            if "crashed" in doc:
                print(f"  {doc['crashed']}", file=sys.stderr)
            if folder is not None:
                (folder / f"{name}.json").write_text(json.dumps(doc, indent=1), encoding="utf-8")
    if folder is None:
        write_gz(target, docs)
    print(f"{len(names)} studies recorded in {time.perf_counter() - began:.0f} s", file=sys.stderr)
    return 1 if any("crashed" in doc for doc in docs.values()) else 0


def one_study(name: str, folder: Path | None) -> tuple[str, Doc, float]:
    began = time.perf_counter()
    with tempfile.TemporaryDirectory() as scratch:
        try:
            doc = record(name, STUDIES[name], Path(os.path.realpath(scratch)))
        except Exception as error:  # the others are recorded all the same
            doc = {"study": name, "crashed": f"{type(error).__name__}: {error}"}
        store = Path(scratch) / f"{name}.db"
        if folder is not None and store.exists():
            shutil.copyfile(store, folder / "stores" / store.name)
    return name, doc, time.perf_counter() - began


def write_gz(target: Path, docs: dict[str, Doc]) -> None:
    text = json.dumps(docs, separators=(",", ":"), sort_keys=True)
    target.write_bytes(gzip.compress(text.encode(), 9, mtime=0))


def keep_stores(recording: Path, target: Path) -> int:
    target.mkdir(parents=True, exist_ok=True)
    docs, said = read(recording), {}
    for name in KEPT:
        shutil.copyfile(recording / "stores" / f"{name}.db", target / f"{name}.db")
        end = docs[name]["end"]
        said[name] = {
            "trials": [{key: trial[key] for key in KEPT_OF_TRIALS} for trial in end["trials"]],
            "ledger": {key: end["ledger"][key] for key in KEPT_OF_LEDGER},
        }
    target.with_suffix(".json").write_text(json.dumps(said, indent=1) + "\n", encoding="utf-8")
    return 0


def read(source: Path) -> dict[str, Doc]:
    """Return a recording: of a folder, or of one file."""
    if source.is_dir():
        return {path.stem: json.loads(path.read_text("utf-8")) for path in sorted(source.glob("*.json"))}
    docs: dict[str, Doc] = json.loads(gzip.decompress(source.read_bytes()))
    return docs


def compare(old: Path, new: Path, only: str, ignore: Sequence[str]) -> int:
    before, after = read(old), read(new)
    names = [name for name in sorted(before.keys() | after.keys()) if fnmatchcase(name, only)]
    differing = 0
    for name in names:
        found = next(differences(before.get(name, ABSENT), after.get(name, ABSENT), "", ignore), None)
        if found is not None:
            differing += 1
            path, was, now = found
            was, now = unlike(was, now)
            print(f"{name}{path}\n  old {shortened(was)}\n  new {shortened(now)}")
    print(f"{len(names)} studies: {len(names) - differing} alike, {differing} differ")
    return 1 if differing else 0


def differences(old: Any, new: Any, path: str, ignore: Sequence[str]) -> Iterator[tuple[str, Any, Any]]:
    """Yield where two recordings differ, exactly: the path and both values."""
    if any(fnmatchcase(path, pattern) for pattern in ignore):
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            yield from differences(old.get(key, ABSENT), new.get(key, ABSENT), f"{path}.{key}", ignore)
    elif isinstance(old, list) and isinstance(new, list):
        for at in range(max(len(old), len(new))):
            was, now = (one[at] if at < len(one) else ABSENT for one in (old, new))
            yield from differences(was, now, f"{path}[{at}]", ignore)
    elif repr(old) != repr(new):  # repr tells -0.0 from 0.0 and 1 from 1.0
        yield path, old, new


def unlike(old: Any, new: Any) -> tuple[Any, Any]:
    """Return two values, or of two texts the first lines that differ."""
    if not isinstance(old, str) or not isinstance(new, str):
        return old, new
    pairs = zip_longest(old.splitlines(), new.splitlines(), fillvalue=ABSENT)
    return next(((was, now) for was, now in pairs if was != now), (old, new))


def shortened(value: Any) -> str:
    shown = repr(value)
    return shown if len(shown) <= 300 else f"{shown[:297]}..."


if __name__ == "__main__":
    sys.exit(main())
