"""The files that commands read and write: whole or not at all, and never one over another by accident."""

import os
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import click

from wayfare.cli.input import Command
from wayfare.errors import InvalidInput, StoreError

STDIN = Path("-")


def read_bytes(file: Path, largest: int) -> bytes:
    """Return the content of a file, or of standard input for ``-``; ``largest`` is in bytes."""
    try:
        if file == STDIN:
            data = sys.stdin.buffer.read(largest + 1)  # one byte more shows that there is too much
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
        raise InvalidInput(f"{file}: is larger than {_size(largest)}")
    return data


def _size(number: int) -> str:
    return f"{number // 1_000_000} MB" if number >= 1_000_000 else f"{number // 1000} kB"


def read_text(file: Path, largest: int) -> str:
    """Return the UTF-8 text of a file, or of standard input for ``-``; ``largest`` is in bytes."""
    data = read_bytes(file, largest)
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise InvalidInput(f"{file}: line {line} is not UTF-8 text; save it as UTF-8") from error


@contextmanager
def naming(file: Path) -> Iterator[None]:
    """Say in a refusal which file is at fault."""
    try:
        yield
    except InvalidInput as error:
        raise InvalidInput(f"{file}: {error}") from error


def check_target(out: Path, force: bool, *others: Path | str) -> None:
    """Refuse a file that exists already, unless ``force`` says so; and always a store, in ``others``.

    A link without a file behind it is refused, too: a folder from a stranger may point it anywhere.
    """
    if any(os.path.realpath(out) == os.path.realpath(other) for other in others):
        raise InvalidInput(f"{out}: is the store itself; choose another file")
    if out.is_symlink() and not out.exists():
        raise StoreError(f"{out}: is a link to a file that is not there; remove the link, or use another name")
    if out.exists() and not out.is_file():
        raise StoreError(f"{out}: is not a file; use another name")
    if out.exists() and not force:
        raise StoreError(f"{out}: exists already; use --force or another name")
    if not out.parent.is_dir():
        raise StoreError(f"{out}: there is no folder {out.parent}")


def write_text(out: Path | None, text: str) -> None:
    """Write text as UTF-8 to a file or, for None, to standard output, line ends as they are."""
    try:
        data = text.encode()
    except UnicodeEncodeError as error:
        raise InvalidInput("a text of this study holds half a character: it cannot be exported") from error
    if out is not None:
        write_file(out, data)
        return
    sys.stdout.flush()  # what was printed as text comes first
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write_file(out: Path, data: bytes, *, private: bool = False) -> None:
    """Write a file at once: after a crash there is the old one, or none, or the new one.

    Args:
        out: where to.
        data: its content.
        private: only this user may read it.
    """
    target = Path(os.path.realpath(out))  # a link stays a link
    aside = target.with_name(f".{target.name[:100]}.{os.getpid()}.new")
    try:
        with open(aside, "xb", opener=_owner_only if private else None) as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())  # before the new name: else a power cut could leave it with nothing in it
        if target.exists() and not private:
            shutil.copymode(target, aside)
        aside.replace(target)
    except OSError as error:
        aside.unlink(missing_ok=True)
        raise StoreError(f"{out}: cannot be written: {error.strerror or error}") from error


def _owner_only(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


def format_option(endings: Mapping[str, str], more: str) -> Callable[[Command], Command]:
    """Return the option ``--format``."""
    said = f"Instead of what the file's ending says{more}"
    return click.option("--format", "form", type=click.Choice(list(endings)), help=said)


def format_of(file: Path | None, said: str | None, endings: Mapping[str, str]) -> str:
    """Return the format said, or that of the file's ending; the first if there is no file."""
    if said is not None:
        return said
    if file is None:
        return next(iter(endings))
    if found := [form for form, ending in endings.items() if ending == file.suffix.lower()]:
        return found[0]
    known = list(endings.values())
    none = f"neither in {known[0]} nor in {known[1]}" if len(known) == 2 else f"in none of {', '.join(known)}"
    raise InvalidInput(f"{file}: ends {none}; say which with --format")
