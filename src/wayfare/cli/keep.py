"""``wayfare backup`` and ``wayfare verify``: a second copy of the store, and whether the first is sound."""

from __future__ import annotations

from pathlib import Path

import click

from wayfare._core.format import counted
from wayfare.cli.input import FILE, json_option, print_json, store_option
from wayfare.cli.output import paragraph, plain


@click.command()
@click.argument("target", type=FILE)
@store_option
@json_option
def backup(target: Path, store: Path, as_json: bool) -> None:
    """Copy the store to the new file TARGET, as it is at one moment.

    Others may go on with their studies meanwhile.
    """
    from wayfare.store import as_store
    from wayfare.store.sqlite import backup as copy_store

    copy_store(store, target)
    names = as_store(target).names()
    if as_json:
        print_json({"store": str(store), "target": str(target), "studies": list(names)})
        return
    studies = "study" if len(names) == 1 else "studies"
    click.echo(f"{len(names)} {studies} copied from {plain(str(store))} to {plain(str(target))}")


@click.command()
@store_option
@json_option
@click.pass_context
def verify(context: click.Context, store: Path, as_json: bool) -> None:
    """Check the store from end to end.

    Looks at pages, checksums and histories, and works out every leg anew.
    """
    from wayfare.store.verify import verify as check_store

    verdict = check_store(store)
    counts = {"studies": verdict.studies, "events": verdict.events, "trials": verdict.trials, "legs": verdict.legs}
    if as_json:
        found = {"findings": list(verdict.findings), "remarks": list(verdict.remarks)}
        print_json({"store": str(store), "sound": verdict.is_sound, **counts, **found})
    else:
        words = {"studies": "study"}
        checked = ", ".join(
            f"{number} {what if number != 1 else words.get(what, what[:-1])}" for what, number in counts.items()
        )
        click.echo(paragraph(f"{store}: {checked} checked", hang="    "))
        for what, texts in (("WRONG", verdict.findings), ("Note", verdict.remarks)):
            for text in texts:
                click.echo(paragraph(f"{what}: {text}", hang="    "))
        click.echo("sound" if verdict.is_sound else counted(len(verdict.findings), "finding"))
    if not verdict.is_sound:
        click.echo("Error: the store is not sound; keep it as it is and restore a backup", err=True)
        context.exit(1)
