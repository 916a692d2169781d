"""Files from strangers: does any of them bring a command down, keep it busy, or change a store that it refuses?

Run ``python benchmarks/fuzz.py``: for half an hour it spoils sound files of every format (``fuzz_files``), gives each
to the commands that read it, and writes fuzz.md beside itself. It exits with 1 if a command ended in a traceback, took
more than 10 seconds of CPU or 4 GB of memory, refused a file and changed the store, took a study that ``verify`` finds
unsound, or wrote a number into JSON that is none. Every case runs in a process of its own. ``--case N`` runs one again
and keeps its files.
"""

import argparse
import contextlib
import io
import json
import os
import platform
import resource
import select
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from attrs import define, field

import fuzz_files
from fuzz_files import KINDS
from wayfare.cli import main as wayfare
from wayfare.store import SqliteStore

HERE = Path(__file__).parent
SECONDS = 10
"""Of CPU that a command may take."""
WAIT = 300
"""Seconds after which a process that uses no CPU counts as hanging, too."""
MEMORY = 4 * 2**30
LOOK = ("status", "trials", "log", "ledger")
"""Commands that read a study and print JSON."""


@define
class Outcome:
    """What became of one file: how many commands took or refused it, and what went wrong."""

    number: int
    kind: str
    taken: int = 0
    refused: int = 0
    seconds: float = 0.0
    wrong: list[tuple[str, str]] = field(factory=list)
    """What kind of failure, and all that is known of it."""


def steps(kind: str, what: str, folder: Path) -> Iterator[tuple[str, ...]]:
    """Yield the commands that a file is given to, one after the other as long as they succeed."""
    store = ("--store", "lab.db")
    if kind in ("toml", "geojson") or what == "places":
        yield "new", "study.toml", "--name", "fuzz", *store
    elif kind == "json":
        yield "import", "fuzz", "spoilt.json", *store
        yield "verify", *store
    elif kind in ("csv", "xlsx"):
        yield "import", _name_in(folder), f"spoilt.{kind}", *store
        yield "verify", *store
    name = _name_in(folder)
    for look in LOOK:
        yield look, name, "--json", *store
    for number in range(4):
        yield "ask", name, "--json", "--no-wait", *store
        yield "tell", name, str(number), str(1.5 - number % 3), *store
    yield "plan", name, "--json", *store
    yield "best", name, "--json", *store
    yield "export", name, "--format", "json", *store
    yield "verify", *store


def _name_in(folder: Path) -> str:
    try:
        return SqliteStore(folder / "lab.db").names()[0]
    except Exception:
        return "fuzz"  # a file that is no store gets to see all commands, too


def lay_out(kind: str, what: str, data: bytes, folder: Path) -> None:
    """Write the file of a case, and what belongs around it."""
    (folder / "lake.geojson").write_text(json.dumps(fuzz_files.SHAPES[0]))
    (folder / "isle.geojson").write_text(json.dumps({"type": "Polygon", "coordinates": fuzz_files.ISLE}))
    (folder / "sites.csv").write_text(fuzz_files.SITES)
    if kind == "db":
        (folder / "lab.db").write_bytes(data)
    elif kind == "toml":
        (folder / "study.toml").write_bytes(data)
    elif kind == "geojson":
        (folder / "study.toml").write_text(fuzz_files.MAP_FILE)
        (folder / "lake.geojson").write_bytes(data)
    elif what == "places":
        (folder / "study.toml").write_text(fuzz_files.PLACES_FILE)
        (folder / "sites.csv").write_bytes(data)
    elif kind in ("csv", "xlsx"):
        shutil.copyfile(fuzz_files.STORES / "mishaps-reactor.db", folder / "lab.db")
        (folder / f"spoilt.{kind}").write_bytes(data)
    else:
        (folder / "spoilt.json").write_bytes(data)


def run_case(seed: int, number: int, folder: Path, show: bool = False) -> Outcome:
    """Give the file of a case to its commands, in this process; return what became of it."""
    kind, what, data = fuzz_files.case(seed, number)
    outcome = Outcome(number, kind)
    lay_out(kind, what, data, folder)
    os.chdir(folder)
    for command in steps(kind, what, folder):
        before = _bytes(folder / "lab.db")
        # Another limit for each command: the time of the case so far, and its own.
        spent = time.process_time()
        resource.setrlimit(resource.RLIMIT_CPU, (int(spent) + SECONDS + 1, resource.RLIM_INFINITY))
        _say(outcome, command)
        code, printed, error = call(command)
        outcome.seconds = max(outcome.seconds, time.process_time() - spent)
        if show:
            sys.stdout.write(f"$ wayfare {' '.join(command)}\n{printed[:2000]}exit code {code}\n")
        if error or code not in (0, 1, 2):
            outcome.wrong.append(("traceback", f"{command}: exit code {code}\n{error}"))
            break
        if code:
            outcome.refused += 1
            if _bytes(folder / "lab.db") != before:
                outcome.wrong.append(("changed store", f"{command}: {printed}"))
            if command[0] in ("new", "import"):
                break
            if command[0] == "verify" and kind != "db":
                outcome.wrong.append(("unsound study", f"{command}: {printed}"))
            continue
        outcome.taken += 1
        if "--json" in command:
            outcome.wrong += [("bad JSON", f"{command}: {line}") for line in printed.splitlines() if not _is_json(line)]
    return outcome


def call(command: Sequence[str]) -> tuple[int, str, str]:
    """Run a command of the command line; return its exit code, what it printed, and the traceback if there is one."""
    data = io.BytesIO()
    out = io.TextIOWrapper(data, encoding="utf-8", write_through=True)
    code, error = 0, ""
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
        try:
            wayfare(list(command))
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 1
        except BaseException:  # whatever it is, a user would see it
            error = traceback.format_exc()
    return code, data.getvalue().decode(errors="replace"), error


def _is_json(line: str) -> bool:
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    try:
        json.loads(line, parse_constant=refuse)
    except ValueError:
        return line.startswith("Note:")
    return True


def _bytes(path: Path) -> bytes | None:
    return path.read_bytes() if path.is_file() else None


_PIPE: list[int] = []


def _say(outcome: Outcome, command: Sequence[str]) -> None:
    """Tell the parent what is begun, so that it knows if this process is killed."""
    if _PIPE:
        os.write(_PIPE[0], f"{' '.join(command)[:500]}\n".encode(errors="replace"))


def in_child(seed: int, number: int) -> Outcome:
    """Run a case in a process of its own, with limited CPU and memory."""
    out, into = os.pipe()
    folder = Path(tempfile.mkdtemp(prefix="fuzz-"))
    if (child := os.fork()) == 0:
        try:
            _PIPE.append(into)
            devnull = os.open(os.devnull, os.O_RDWR)
            os.dup2(devnull, 0)
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            outcome = run_case(seed, number, folder)
            plain = [outcome.taken, outcome.refused, outcome.seconds, outcome.wrong]
            os.write(into, b"\0" + json.dumps(plain).encode())
        except BaseException:
            os.write(into, b"\1" + traceback.format_exc().encode(errors="replace"))
        finally:
            os._exit(0)
    os.close(into)
    said = _read_all(out, child)
    status = os.waitpid(child, 0)[1]
    shutil.rmtree(folder, ignore_errors=True)
    begun, ended, what_became = said.partition(b"\0")
    outcome = Outcome(number, KINDS[number % len(KINDS)])
    if ended:
        outcome.taken, outcome.refused, outcome.seconds, wrong = json.loads(what_became)
        outcome.wrong = [(what, how) for what, how in wrong]
        return outcome
    last = begun.decode(errors="replace")[-3000:]
    hang = os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGXCPU, signal.SIGKILL)
    outcome.wrong.append(("hang" if hang else "crash", f"{last}\nstatus {status}"))
    return outcome


def _read_all(out: int, child: int) -> bytes:
    """Return what a child says until it ends; a child that says nothing for too long is killed."""
    said = b""
    with os.fdopen(out, "rb", buffering=0) as pipe:
        while True:
            if not select.select([pipe], [], [], WAIT)[0]:
                os.kill(child, signal.SIGKILL)
            if not (more := pipe.read(1 << 16)):
                return said
            said += more


def page(seed: int, outcomes: Sequence[Outcome], seconds: float) -> str:
    """Return what was found, as Markdown."""
    wrong = Counter(what for one in outcomes for what, _ in one.wrong)
    lines = [
        "# Files from strangers",
        "",
        f"{len(outcomes):,} spoilt files in {seconds / 60:.0f} minutes by `make fuzz` (`python benchmarks/fuzz.py",
        f"--seed {seed}`): sound files of every format, flipped, cut, repeated and exchanged as bytes, numbers, words",
        "and trees; in stores also the texts within, with all digests worked out anew. Each went to the commands that",
        f"read it, in a process of its own with {SECONDS} s of CPU for each command and {MEMORY >> 30} GB of memory.",
        "`--case N` runs one of them again. The same seed and number give the same file.",
        "",
        "| format | files | commands that took it | that refused it | slowest command [s of CPU] |",
        "|---|---|---|---|---|",
    ]
    for kind in KINDS:
        some = [one for one in outcomes if one.kind == kind]
        slowest = max((one.seconds for one in some), default=0.0)
        counts = f"{len(some):,} | {sum(one.taken for one in some):,} | {sum(one.refused for one in some):,}"
        lines.append(f"| {kind} | {counts} | {slowest:.1f} |")
    lines += ["", "| what must not be | times |", "|---|---|"]
    for what, words in WRONG.items():
        lines.append(f"| {words} | {wrong[what]} |")
    lines += ["", f"Python {platform.python_version()}, SQLite {_sqlite()}, one process."]
    for one in outcomes:
        lines += [f"- case {one.number}: {what}, {how.strip().splitlines()[-1][:200]}" for what, how in one.wrong]
    return "\n".join(lines) + "\n"


WRONG = {
    "traceback": "a command ended in a traceback",
    "hang": f"a command took more than {SECONDS} s of CPU, or waited for ever",
    "crash": "the process died, or ran out of memory",
    "changed store": "a store was changed by a command that refused",
    "unsound study": "`verify` found a study unsound that `new` or `import` took",
    "bad JSON": "`--json` printed what is no JSON",
}


def _sqlite() -> str:
    import sqlite3

    return sqlite3.sqlite_version


def main() -> int:
    options = _options()
    if options.case is not None:
        folder = Path(tempfile.mkdtemp(prefix=f"fuzz-{options.case}-"))
        outcome = run_case(options.seed, options.case, folder, show=True)
        sys.stdout.write("".join(f"{what}: {how}\n" for what, how in outcome.wrong) + f"files: {folder}\n")
        return int(bool(outcome.wrong))
    outcomes = _run(options)
    text = page(options.seed, outcomes, options.seconds)
    sys.stdout.write(text)
    if not options.no_page:
        (HERE / "fuzz.md").write_text(text)
    return int(any(one.wrong for one in outcomes))


def _run(options: argparse.Namespace) -> list[Outcome]:
    """Return the outcomes of all cases until the time is up."""
    from rich.console import Console
    from rich.progress import Progress

    _warm_up()  # before the clock starts
    outcomes: list[Outcome] = []
    begun = time.monotonic()
    with Progress(console=Console(stderr=True)) as progress:
        bar = progress.add_task("files", total=options.seconds)
        while (passed := time.monotonic() - begun) < options.seconds:
            outcome = in_child(options.seed, len(outcomes))
            outcomes.append(outcome)
            for what, how in outcome.wrong:
                progress.console.print(f"case {outcome.number} ({outcome.kind}): {what}\n{how}", markup=False)
            wrong = sum(bool(one.wrong) for one in outcomes)
            progress.update(bar, completed=passed, description=f"{len(outcomes)} files, {wrong} wrong")
    return outcomes


def _warm_up() -> None:
    """Make the sound files, and import what commands import, once for all processes."""
    here = Path.cwd()
    for number, kind in enumerate(KINDS):
        fuzz_files.case(0, number)
        with tempfile.TemporaryDirectory() as folder:
            what, data = fuzz_files.corpus(kind)[0]
            lay_out(kind, what, data, Path(folder))
            os.chdir(folder)
            for command in steps(kind, what, Path(folder)):
                call(command)
    os.chdir(here)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1800.0, help="how long, default half an hour")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--case", type=int, help="run this one again, and keep its files")
    parser.add_argument("--no-page", action="store_true", help="write no fuzz.md")
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
