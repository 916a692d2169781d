"""``wayfare key`` and ``check``, and what ``export --signed`` writes beside a file."""

import json
import os
import stat
from pathlib import Path

import click

from wayfare._core.settings import KEY
from wayfare.cli.files import check_target, read_bytes, write_file
from wayfare.cli.input import FILE, force_option, json_option
from wayfare.cli.output import listing, note, plain, print_json
from wayfare.cli.studies import who
from wayfare.exchange.signature import ENDING, LARGEST, MOST_KEY, check_signature, key_id, make_key, read_key, sign
from wayfare.study.study import Study

key_option = click.option(
    "--key", "key_file", type=FILE, envvar=KEY, metavar="FILE", help=f"The key file.  [env: {KEY}]"
)
MOST_SIGNED = 1_000_000_000
"""Bytes of a file whose signature is checked."""


def signature_of(out: Path) -> Path:
    """Return where the signature of a file is: beside it."""
    return out.with_name(f"{out.name}{ENDING}")


def open_key(file: Path | None) -> bytes:
    """Return the key in a file, with a note if other users of this computer can read it."""
    if file is None:
        raise click.UsageError("a signature needs a key file: --key FILE; `wayfare key FILE` makes one")
    key = read_key(read_bytes(file, MOST_KEY))
    if os.name == "posix" and stat.S_IMODE(file.stat().st_mode) & 0o077:
        note(f"{file} can be read by other users of this computer; chmod 600 keeps it to you")
    return key


def write_signature(out: Path, data: bytes, key: bytes, study: Study, events: int) -> None:
    """Write the signature of an exported file beside it."""
    head, me = study.journal.head(events), who()
    text = sign(data, key, file=out.name, study=study.spec.name, events=events, head=head, who=(me["by"], me["via"]))
    write_file(signature_of(out), text.encode())


def events_in(content: str | bytes, kind: str, study: Study) -> int:
    """Return how many events are in an export: as JSON it may have been read later than the snapshot."""
    return len(json.loads(content)["events"]) if kind == "json" else study.last.state.version


@click.command()
@click.argument("file", type=FILE)
@force_option
@json_option
def key(file: Path, force: bool, as_json: bool) -> None:
    """Make a key to sign with, in the new FILE.

    Keep it where only signers can read it, and a copy elsewhere: who has it can sign, and without it no
    signature can be checked.
    """
    check_target(file, force)
    text = make_key()
    write_file(file, text.encode(), private=True)
    name = key_id(read_key(text.encode()))
    if as_json:
        print_json({"file": str(file), "key": name})
    else:
        click.echo(f"key {name} written to {plain(str(file))}")


@click.command()
@click.argument("file", type=FILE)
@key_option
@click.option("--signature", type=FILE, metavar="FILE", help=f"Where its signature is.  [default: FILE{ENDING}]")
@json_option
def check(file: Path, key_file: Path | None, signature: Path | None, as_json: bool) -> None:
    """Check that FILE is what `export --signed` wrote.

    That is: someone who has the key wrote it, and nothing in it was changed since. Who that was and when is
    what they said. `wayfare verify --head` finds the head in the store.
    """
    secret = open_key(key_file)
    said = read_bytes(signature_of(file) if signature is None else signature, LARGEST).decode(errors="replace")
    found = check_signature(read_bytes(file, MOST_SIGNED), said, secret)
    claim = found.statement
    if as_json:
        signed = {"at": found.at or None, "by": found.by or None, "key": found.key or None}
        about = {one: getattr(claim, one, None) for one in ("study", "events", "head")}
        print_json({"file": str(file), "sound": found.is_sound, "findings": list(found.findings), **signed, **about})
    elif found.is_sound and claim is not None:
        entries = [
            ("file", f"{file}: as it was signed"),
            ("study", f"{claim.study}, {claim.events} events"),
            ("signed", f"{found.at} by {found.by or 'a user without a name'}, with key {found.key}"),
            ("head", claim.head),
        ]
        click.echo(listing([(name, text) for name, text in entries if text]))
    if not found.is_sound:
        raise click.ClickException(f"{file}: {found.findings[0]}")
