"""Files that a command reads and writes: whole or not at all, and never one over another by accident."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from wayfare.errors import InvalidInput, StoreError

STDIN = Path("-")


def read_text(file: Path, largest: int) -> str:
    """Return what a file of UTF-8 text holds, or standard input for ``-``."""
    try:
        if file == STDIN:
            data = sys.stdin.buffer.read(largest + 1)
        elif file.exists() and not file.is_file():
            raise InvalidInput(f"{file}: is not a file")
        else:
            with file.open("rb") as stream:
                data = stream.read(largest + 1)
    except FileNotFoundError as error:
        raise InvalidInput(f"{file}: no such file") from error
    except OSError as error:
        raise InvalidInput(f"{file}: cannot be read: {error.strerror or error}") from error
    if len(data) > largest:
        raise InvalidInput(f"{file}: is larger than {largest // 1_000_000} MB")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"{file}: line {line} is not UTF-8 text; save it as UTF-8") from error


def print_text(text: str) -> None:
    """Print text byte for byte, line ends as they are."""
    data = encoded(text)
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def encoded(text: str) -> bytes:
    """Return text in UTF-8."""
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput("a text of this study holds half a character: it cannot be exported") from error


def check_target(out: Path, force: bool, *others: Path) -> None:
    """Refuse a file that is there already, unless ``force`` says so; and always a store, in ``others``."""
    if any(os.path.realpath(out) == os.path.realpath(other) for other in others):
        raise InvalidInput(f"{out}: is the store itself; choose another file")
    if out.exists() and not out.is_file():
        raise StoreError(f"{out}: is not a file; use another name")
    if out.exists() and not force:
        raise StoreError(f"{out}: exists already; use --force or another name")
    if not out.parent.is_dir():
        raise StoreError(f"{out}: there is no folder {out.parent}")


def write_file(out: Path, data: bytes) -> None:
    """Write a file at once: after a crash there is the old one, or none, or the new one."""
    target = Path(os.path.realpath(out))
    aside = target.with_name(f".{target.name[:100]}.{os.getpid()}.new")
    try:
        with aside.open("xb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if target.exists():
            shutil.copymode(target, aside)
        aside.replace(target)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise StoreError(f"{out}: cannot be written: {error.strerror or error}") from error
