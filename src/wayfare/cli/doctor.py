"""``wayfare doctor``: whether everything a study needs is in order, here and now."""

from __future__ import annotations

import os
import platform
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click
from attrs import frozen

from wayfare._core.format import counted
from wayfare._version import __version__
from wayfare.cli.input import json_option, open_study, print_json, store_option
from wayfare.cli.output import columns, plain
from wayfare.cli.records import counts
from wayfare.errors import StoreError, WayfareError

NEEDED = ("numpy", "scipy", "attrs", "matplotlib")
EXTRAS = {"pandas": "pandas", "fast-tsp": "route", "botorch": "botorch", "joblib": "bench", "distributed": "dask"}
LEAST_SPACE = 50_000_000
"""Bytes on the disk below which a store may soon not be written any more."""
LEAST_SQLITE = (3, 37, 0)


@frozen
class Check:
    """One thing looked at, and what was found; ``ok`` is None where it does not matter."""

    name: str
    ok: bool | None
    said: str


@click.command()
@store_option
@json_option
@click.pass_context
def doctor(context: click.Context, store: Path, as_json: bool) -> None:
    """Look whether the machine, the store and its studies are sound.

    Names the versions of Python and the packages, tries to write to the store without changing it, opens
    every study, and plans a tiny one in memory to see that it works.
    """
    checks = [*look_at_packages(), *look_at_store(store), look("self test", self_test)]
    if as_json:
        for check in checks:
            print_json({"check": check.name, "ok": check.ok, "said": check.said})
    else:
        word = {True: "ok", False: "WRONG", None: "-"}
        rows = [(word[check.ok], check.name, check.said) for check in checks]
        click.echo(columns(("", "check", "found"), rows, left=(0, 1, 2), fold=2))
    wrong = [check.name for check in checks if check.ok is False]
    if wrong:
        click.echo(f"Error: not in order: {plain(', '.join(wrong))}", err=True)
        context.exit(1)


def look(name: str, at: Callable[[], str]) -> Check:
    """Return what was found, or what went wrong."""
    try:
        return Check(name, True, at())
    except Exception as error:  # a doctor must not fall ill: whatever it is, it is a finding
        said = str(error) if isinstance(error, WayfareError) else f"{type(error).__name__}: {error}"
        return Check(name, False, " ".join(said.split()))


def look_at_packages() -> Iterator[Check]:
    """Look at the versions of what wayfare stands on."""
    yield Check("python", True, f"{platform.python_version()} on {platform.system()} {platform.machine()}")
    yield Check("wayfare", True, __version__)
    for name in NEEDED:
        yield look(name, lambda name=name: version(name))  # type: ignore[misc]  # each its own name
    enough = sqlite3.sqlite_version_info >= LEAST_SQLITE
    yield Check("sqlite", enough, sqlite3.sqlite_version + ("" if enough else "; 3.37 or newer is needed"))
    for name, extra in EXTRAS.items():
        try:
            yield Check(name, True, version(name))
        except PackageNotFoundError:
            yield Check(name, None, f"not installed; pip install 'wayfare[{extra}]'")


def look_at_store(store: Path) -> Iterator[Check]:
    """Look at the file, the disk it is on, and its studies; nothing is changed."""
    from wayfare.store import as_store

    folder = store.absolute().parent
    if not folder.is_dir():
        yield Check("store", False, f"{store}: there is no folder {folder}")
        return
    free = shutil.disk_usage(folder).free
    said = f"{free / 1e9:.1f} GB free in {folder}"
    yield Check("disk", free >= LEAST_SPACE, said if free >= LEAST_SPACE else f"only {said}")
    if not store.exists():
        yield Check("store", None, f"{store}: none yet; `wayfare new` makes one")
        return
    settings = look("store", lambda: f"{store}: {store_settings(store)}")
    yield settings
    if not settings.ok:
        return
    yield look("writable", lambda: try_writing(store))
    for name in as_store(store).names():
        yield look(f"study {name}", lambda name=name: study_size(store, name))  # type: ignore[misc]  # as above


def store_settings(store: Path) -> str:
    """Return the format and the settings that the store is used with."""
    from wayfare.store.database import reading

    with reading(store.absolute()) as connection:
        schema, journal, synchronous = (
            connection.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("user_version", "journal_mode", "synchronous")
        )
    levels = ("off", "normal", "full", "extra")
    size = f"{store.stat().st_size / 1000:,.0f} kB"
    return f"{size}, format {schema}, journal {journal.decode()}, synchronous {levels[synchronous]}"


def try_writing(store: Path) -> str:
    """Write to the store and take it back, so that the file stays as it is."""
    from wayfare.store.database import VERSION, writing

    path = store.absolute()
    for what in (path, path.parent):
        if not os.access(what, os.W_OK):
            raise StoreError(f"no: {what} is read-only for this user; get the right to write there, or work on a copy")
    try:
        with writing(path) as connection:
            # SQLite finds out that it may not write only when it does: not when a transaction begins.
            connection.execute(f"PRAGMA user_version = {VERSION}")
            connection.execute("ROLLBACK")
            connection.execute("BEGIN")
    except StoreError as error:
        raise StoreError(f"no: {error}") from error
    return "yes"


def study_size(store: Path, name: str) -> str:
    """Return how much a study holds."""
    state = open_study(store, name).state
    counted_as = counts(state)
    told = f"{counted_as['told']} of {counted(state.spec.trials, 'trial')} told"
    known = f", {counted_as['prior']} known before" if counted_as["prior"] else ""
    return f"{told}{known}, {counted(state.version, 'event')}"


def self_test() -> str:
    """Plan a tiny study in memory."""
    from wayfare.space import Real, Space
    from wayfare.study.study import Study
    from wayfare.travel import Euclidean

    space = Space(Real("x", 0.0, 1.0), Real("y", 0.0, 1.0))
    study = Study.create(space, direction="maximize", travel=Euclidean(), trials=4, start=[0.0, 0.0])
    while (trial := study.ask()) is not None:
        study.tell(trial, -(trial.x[0] ** 2) - trial.x[1])
    return f"planned and told {len(study.trials)} trials in memory"
