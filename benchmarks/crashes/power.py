"""Power cuts, simulated: the disks that a log of writes may leave behind, wherever the current fails.

A write is certain only once its file is synced, a new or deleted name only once its folder is. Until then any
of them may be missing, in any combination, and a write may be torn between sectors of 512 bytes; a file may
have grown without the bytes that made it grow.
"""

import hashlib
import random
import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from attrs import define, field, frozen

import wayfare as wf
from crashes.script import Broken, Undisturbed, create
from crashes.writes import Entry

SECTOR = 512
Chooser = Callable[[], bool]
Image = dict[str, bytes]


@define
class File:
    """A file as it is on disk for certain, and the writes still on their way."""

    certain: bytes = b""
    pending: list[Entry] = field(factory=list)

    def settle(self) -> None:
        """Sync: all that was pending is certain."""
        self.certain, self.pending = self.after(lambda: True, lambda: True), []

    def after(self, keep: Chooser, grow: Chooser) -> bytes:
        """Return the content if only some of what is pending reached the disk."""
        content = bytearray(self.certain)
        for entry in self.pending:
            if entry.what == "truncate":
                if keep():
                    content[entry.place :] = bytes(max(0, entry.place - len(content)))
                continue
            for start, end in sectors(entry.place, entry.place + len(entry.data)):
                kept = keep()
                if (kept or grow()) and end > len(content):
                    content.extend(bytes(end - len(content)))
                if kept:
                    content[start:end] = entry.data[start - entry.place : end - entry.place]
        return bytes(content)


def sectors(start: int, end: int) -> Iterator[tuple[int, int]]:
    """Yield the stretches of a write, cut where sectors meet."""
    while start < end:
        stop = min(end, (start // SECTOR + 1) * SECTOR)
        yield start, stop
        start = stop


class Disk:
    """A folder on a disk whose cache may be lost."""

    def __init__(self) -> None:
        self._certain: dict[str, File] = {}
        self._pending: list[tuple[str, File | None]] = []
        self._now: dict[str, File] = {}
        self.acknowledged = 0

    def do(self, entry: Entry) -> None:
        """Take the next entry of the log."""
        match entry.what:
            case "acknowledge":
                self.acknowledged += 1
            case "create":
                self._now[entry.name] = File()
                self._pending.append((entry.name, self._now[entry.name]))
            case "unlink":
                del self._now[entry.name]
                self._pending.append((entry.name, None))
            case "sync" if entry.name == "":
                self._certain, self._pending = dict(self._now), []
            case "sync":
                self._now[entry.name].settle()
            case "write" | "truncate":
                self._now[entry.name].pending.append(entry)

    def image(self, keep: Chooser, keep_name: Chooser, grow: Chooser) -> Image:
        """Return the files as found when the current is back."""
        names = dict(self._certain)
        for name, file in self._pending:
            if keep_name():
                if file is None:
                    names.pop(name, None)
                else:
                    names[name] = file
        return {name: file.after(keep, grow) for name, file in sorted(names.items())}

    def images(self, random_ones: int, rng: random.Random) -> Iterator[Image]:
        """Yield images of a cut at this moment: the extremes, and random ones between them."""
        yes, no = lambda: True, lambda: False
        for keep in (yes, no):
            for keep_name in (yes, no):
                yield self.image(keep, keep_name, no)
        yield self.image(no, yes, yes)
        for _ in range(random_ones):
            odds = rng.choice((0.1, 0.5, 0.9))
            chance = lambda odds=odds: rng.random() < odds  # noqa: E731
            yield self.image(chance, rng.choice((yes, no, chance)), rng.choice((yes, no)))


@frozen
class Cuts:
    """What simulated power cuts did: how many moments, different disks, and what went wrong with how many."""

    moments: int
    disks: int
    lost: int
    reasons: Counter[str]


def cut_everywhere(
    log: list[Entry],
    folder: Path,
    undisturbed: Undisturbed,
    random_ones: int,
    rng: random.Random,
    every: int = 1,
    progress: Callable[[str], None] = print,
) -> Cuts:
    """Cut the power after every entry of the log, or every so many-th, and check each disk this may leave."""
    disk, seen, lost, reasons = Disk(), set[bytes](), 0, Counter[str]()
    moments = range(0, len(log), every)
    for moment, entry in enumerate(log):
        disk.do(entry)
        if moment not in moments:
            continue
        for image in disk.images(random_ones, rng):
            digest = hashlib.sha256(repr((disk.acknowledged, image)).encode()).digest()
            if digest in seen:
                continue
            seen.add(digest)
            try:
                check(image, folder, undisturbed, disk.acknowledged)
            except Broken as broken:
                lost += 1
                reasons[str(broken).replace(f"{folder}/", "")[:60]] += 1
        if moment % 100 == 99:
            progress(f"power cut at {moment + 1} of {len(log)} moments: {len(seen)} disks, {lost} bad")
    return Cuts(len(moments), len(seen), lost, reasons)


def check(image: Image, folder: Path, undisturbed: Undisturbed, acknowledged: int) -> None:
    """Raise ``Broken`` unless the disk holds all that was acknowledged, and the study goes on.

    The first acknowledgement is of the study itself, so one fewer moves than acknowledgements are promised.
    """
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    for name, content in image.items():
        (folder / name).write_bytes(content)
    path = folder / "lab.db"
    if acknowledged == 0:
        _begin(path)
    promised = max(0, acknowledged - 1)
    undisturbed.check(path, promised, promised + (acknowledged > 0))


def _begin(path: Path) -> None:
    try:
        create(path)
    except wf.Conflict:
        pass  # it reached the disk, though nobody was told
    except wf.WayfareError as error:
        raise Broken(f"the study can neither be read nor made anew: {error}") from error
