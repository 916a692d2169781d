"""``wayfare backup``, ``restore``, ``upgrade``, ``verify`` and ``doctor``: the store as a whole."""

import os
import platform
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click
from attrs import asdict

from wayfare._core.extras import from_where, install
from wayfare._core.format import counted
from wayfare._version import __version__
from wayfare.cli.input import FILE, STORE_AT, as_option, json_option, on_store
from wayfare.cli.output import busy, columns, note, paragraph, plain, print_json
from wayfare.cli.studies import read_study, who, why_option
from wayfare.errors import StoreError, WayfareError
from wayfare.exchange.records import counts
from wayfare.space import Real, Space
from wayfare.store import PostgresStore, as_store
from wayfare.store import backup as copy_store
from wayfare.store import copy as copy_studies
from wayfare.store import restore as restore_store
from wayfare.store import upgrade as upgrade_store
from wayfare.store import verify as verify_store
from wayfare.store.database import VERSION, reading, writing
from wayfare.store.filesystem import check_local, file_system
from wayfare.store.verify import Head
from wayfare.study.study import Study
from wayfare.travel import Euclidean

NEEDED = ("numpy", "scipy", "attrs", "matplotlib")
EXTRAS = {
    "pandas": "pandas",
    "openpyxl": "xlsx",
    "fast-tsp": "route",
    "optuna": "optuna",
    "gest-api": "gest",
    "scikit-learn": "sklearn",
    "botorch": "botorch",
    "ax-platform": "ax",
    "mcp": "mcp",
    "joblib": "bench",
    "distributed": "dask",
    "psycopg": "postgres",
    "shapely": "geo",
    "starlette": "web",
}
"""A package of each extra that a user may want, and its extra."""
LEAST_SPACE = 50_000_000  # bytes free on the disk; with less, a store may soon not be written any more
LEAST_SQLITE = (3, 37, 0)


@click.command()
@click.argument("target", type=FILE)
@on_store
def backup(target: Path, store: Path | str, as_json: bool) -> None:
    """Copy the store to the new file TARGET, as it is at one moment.

    Others may go on with their studies meanwhile.
    """
    copy_store(store, target)
    names = as_store(target).names()
    if as_json:
        print_json({"store": str(store), "target": str(target), "studies": list(names)})
        return
    click.echo(f"{_studies(len(names))} copied from {plain(str(store))} to {plain(str(target))}")


@click.command()
@click.option("--from", "source", type=STORE_AT, required=True, help="The store: a file, or a database's address.")
@click.option("--to", "target", type=STORE_AT, required=True, help="A new file, or a database without studies.")
@json_option
def copy(source: Path | str, target: Path | str, as_json: bool) -> None:
    """Copy all studies of a store to another, event for event.

    So a file becomes a database (postgresql://...) and back; every digest stays what it was. Stop those who
    write to the store first: what they add afterwards is not in the copy.
    """
    number = copy_studies(source, target)
    if as_json:
        print_json({"from": str(source), "to": str(target), "studies": list(as_store(target).names())})
        return
    click.echo(f"{_studies(number)} copied from {plain(str(source))} to {plain(str(target))}, every digest as it was")


@click.command()
@click.argument("source", type=FILE)
@why_option
@as_option
@on_store
def restore(source: Path, why: str, store: Path | str, as_json: bool) -> None:
    """Put the backup SOURCE in the place of the store.

    A backup that is not sound is refused. The store that was there is kept beside it under another name,
    damaged or not. For a single study, export it from the backup as JSON and import it.
    """
    aside = restore_store(source, store, why=why, **who())
    names = as_store(store).names()
    if as_json:
        kept = None if aside is None else str(aside)
        print_json({"store": str(store), "source": str(source), "studies": list(names), "aside": kept})
        return
    click.echo(f"{_studies(len(names))} restored from {plain(str(source))} to {plain(str(store))}")
    if aside is not None:
        note(f"the store that was there is {aside} now")


@click.command()
@as_option
@on_store
def upgrade(store: Path | str, as_json: bool) -> None:
    """Bring the store to the format of this version.

    In one transaction, so that a crash leaves the old store or the new one. The first write does the same.
    Older versions cannot read it then; make a backup first if they must.
    """
    before, after = upgrade_store(store, **who())
    if as_json:
        print_json({"store": str(store), "before": before, "after": after})
    elif before == after:
        click.echo(f"{plain(str(store))} has today's format, {after}, already")
    else:
        click.echo(f"{plain(str(store))} has format {after} now; it was {before}")


def _studies(number: int) -> str:
    return "1 study" if number == 1 else f"{number} studies"


@click.command()
@click.option("--heads", "with_heads", is_flag=True, help="Say the heads of the chains, to be noted elsewhere.")
@click.option("--head", "noted", multiple=True, metavar="DIGEST", help="A head noted earlier; must still be there.")
@on_store
def verify(with_heads: bool, noted: tuple[str, ...], store: Path | str, as_json: bool) -> None:
    """Check the store from end to end.

    Looks at pages, digests and histories, and computes every leg again. Who can write the file can also
    compute all digests again, or cut off an end: a head noted elsewhere, with --head, shows that, too.
    """
    with busy("verifying"):
        verdict = verify_store(store, noted)
    checked = {key: getattr(verdict, key) for key in ("studies", "events", "trials", "legs")}
    if as_json:
        found = {"findings": list(verdict.findings), "remarks": list(verdict.remarks)}
        heads = {"heads": [asdict(head) for head in verdict.heads], "noted": [asdict(head) for head in verdict.noted]}
        print_json({"store": str(store), "sound": verdict.is_sound, **checked, **found, **heads})
    else:
        one = {"studies": "study", "events": "event", "trials": "trial", "legs": "leg"}
        said = ", ".join(f"{number} {one[what] if number == 1 else what}" for what, number in checked.items())
        click.echo(paragraph(f"{store}: {said} checked", hang="    "))
        for what, texts in (("WRONG", verdict.findings), ("Note", verdict.remarks)):
            for text in texts:
                click.echo(paragraph(f"{what}: {text}", hang="    "))
        for head in verdict.noted:
            click.echo(paragraph(f"noted: {_covered(head)} as they were", hang="    "))
        for head in verdict.heads if with_heads else ():
            click.echo(f"{head.digest}  {plain(_covered(head))}")
        click.echo("sound" if verdict.is_sound else counted(len(verdict.findings), "finding"))
    if not verdict.is_sound:
        click.echo("Error: the store is not sound; keep it as it is and restore a backup", err=True)
        click.get_current_context().exit(1)


def _covered(head: Head) -> str:
    """Return the study and the number of events that a head covers: ``snar, 31 events``."""
    if head.study:
        return f"{head.study}, {counted(head.events, 'event')}"
    return f"the register, {head.events} {'entry' if head.events == 1 else 'entries'}"


Check = tuple[str, bool | None, str]  # a name, whether it is in order (None: does not matter), and what was found


@click.command()
@on_store
def doctor(store: Path | str, as_json: bool) -> None:
    """Look whether the machine, the store and its studies are sound.

    Names the versions of Python and the packages, tries to write to the store without changing it, opens
    every study, and plans a tiny one in memory to see that it works.
    """
    checks = [*_look_at_packages(), *_look_at_store(store), _look("self test", _self_test)]
    if as_json:
        for name, ok, said in checks:
            print_json({"check": name, "ok": ok, "said": said})
    else:
        word = {True: "ok", False: "WRONG", None: "-"}
        rows = [(word[ok], name, said) for name, ok, said in checks]
        click.echo(columns(("", "check", "found"), rows, left=(0, 1, 2), fold=2))
    wrong = [name for name, ok, _ in checks if ok is False]
    if wrong:
        click.echo(f"Error: not in order: {plain(', '.join(wrong))}", err=True)
        click.get_current_context().exit(1)


def _look(name: str, at: Callable[..., str], *arguments: object) -> Check:
    """Return the answer of ``at``, or its error."""
    try:
        return name, True, at(*arguments)
    except Exception as error:  # any error is a finding: a doctor must report it, not fail with it
        said = str(error) if isinstance(error, WayfareError) else f"{type(error).__name__}: {error}"
        return name, False, " ".join(said.split())


def _look_at_packages() -> Iterator[Check]:
    yield "python", True, f"{platform.python_version()} on {platform.system()} {platform.machine()}"
    yield "wayfare", True, __version__
    for name in NEEDED:
        yield _look(name, version, name)
    yield _look("kernels", _kernels)
    enough = sqlite3.sqlite_version_info >= LEAST_SQLITE
    yield "sqlite", enough, sqlite3.sqlite_version + ("" if enough else "; 3.37 or newer is needed")
    for name, extra in EXTRAS.items():
        try:
            yield name, True, version(name)
        except PackageNotFoundError:
            # An extra that is missing is no fault.
            yield name, None, f"not installed; {install(name, extra)}"
    if said := from_where("EXTRA"):
        yield "extras", True, f"{said}, EXTRA being one of {', '.join(dict.fromkeys(EXTRAS.values()))}"


def _kernels() -> str:
    """Return the linear algebra that plans are worked out with: its last bits differ between processors."""
    import scipy.linalg  # noqa: F401 - it has one of its own, which is found once it is loaded
    from threadpoolctl import threadpool_info

    found = (one for one in threadpool_info() if one["user_api"] == "blas")
    names = {f"{one['internal_api']} for {one.get('architecture', 'any processor')}" for one in found}
    return ", ".join(sorted(names)) or "unknown"


def _look_at_store(store: Path | str) -> Iterator[Check]:
    """Look at the file, the disk it is on, and its studies, or at the database; nothing is changed."""
    if isinstance(store, str):
        yield (found := _look("store", _database, store))
        if found[1]:
            for name in as_store(store).names():
                yield _look(f"study {name}", _study_size, store, name)
        return
    folder = store.absolute().parent
    if not folder.is_dir():
        yield "store", False, f"{store}: there is no folder {folder}"
        return
    free = shutil.disk_usage(folder).free
    said = f"{free / 1e9:.1f} GB free in {folder}"
    yield "disk", free >= LEAST_SPACE, said if free >= LEAST_SPACE else f"only {said}"
    yield _look("file system", _file_system, store)
    if not store.exists():
        yield "store", None, f"{store}: none yet; `wayfare new` makes one"
        return
    settings = _look("store", _store_settings, store)
    yield settings
    if settings[1]:
        yield _look("writable", try_writing, store)
        for name in as_store(store).names():
            yield _look(f"study {name}", _study_size, store, name)


def _database(address: str) -> str:
    """Return the address of a database and its server's version; it must keep what it acknowledged."""
    return f"{address}: {PostgresStore(address).server()}"


def _file_system(store: Path) -> str:
    check_local(store.absolute())
    return file_system(store.absolute()) or "unknown, so whether other computers may write to it is, too"


def _store_settings(store: Path) -> str:
    """Return the size and the format of the store, and the settings that it is used with."""
    with reading(store.absolute(), as_is=True) as connection:
        pragmas = ("user_version", "journal_mode", "synchronous")
        schema, journal, synchronous = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in pragmas)
    level = ("off", "normal", "full", "extra")[synchronous]
    size = f"{store.stat().st_size / 1000:,.0f} kB"
    return f"{store}: {size}, format {schema}, journal {journal.decode()}, synchronous {level}"


def try_writing(store: Path) -> str:
    """Write to the store and take it back, so that the file stays as it is."""
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


def _study_size(store: Path | str, name: str) -> str:
    state = read_study(store, name).state
    number = counts(state)
    known = f", {number['prior']} known before" if number["prior"] else ""
    return f"{number['told']} of {counted(state.spec.trials, 'trial')} told{known}, {counted(state.version, 'event')}"


def _self_test() -> str:
    space = Space(Real("x", 0.0, 1.0), Real("y", 0.0, 1.0))
    study = Study.create(space, direction="maximize", travel=Euclidean(), trials=4, start=[0.0, 0.0])
    while (trial := study.ask()) is not None:
        study.tell(trial, -(trial.x[0] ** 2) - trial.x[1])
    return f"planned and told {len(study.trials)} trials in memory"
