"""What a package owes its users besides its code: types, silence, no traffic, and recipes that say what it says."""

import logging
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import wayfare
from wayfare._version import __version__

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def test_the_package_says_that_it_is_typed():
    assert (Path(wayfare.__file__).parent / "py.typed").is_file()
    assert "Typing :: Typed" in PROJECT["classifiers"]


def test_it_logs_to_nobody_unless_asked():
    assert any(isinstance(one, logging.NullHandler) for one in logging.getLogger("wayfare").handlers)
    own = [path for path in (ROOT / "src").rglob("*.py") if "logging.basicConfig" in path.read_text()]
    assert own == []


WATCHED = """
import socket, sys

OUT, HERE = [], (None, "", "127.0.0.1", "::1", "localhost")

def watch(event, arguments):
    if event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        address = arguments[1]
        if isinstance(address, tuple) and address[0] not in HERE:
            OUT.append((event, address))
            raise PermissionError("this program may not leave the machine")
    elif event in ("socket.getaddrinfo", "socket.gethostbyname") and arguments[0] not in HERE:
        OUT.append((event, arguments[0]))
        raise PermissionError("this program may look no name up")

sys.addaudithook(watch)
"""
WHOLE = """
import warnings
warnings.simplefilter("ignore")
import matplotlib
matplotlib.use("Agg")
from click.testing import CliRunner
import wayfare as wf
from wayfare.cli import main
from wayfare.plot import animate, plot_belief, plot_history, plot_importance

space = wf.Space(wf.Real("a", 0, 1), wf.Choice("b", ["x", "y"]))
study = wf.Study.create(
    space,
    direction="maximize",
    travel=wf.Ramp("a", up=1, down=2) + wf.Switch("b", 1),
    trials=8,
    store="wayfare.db",
    name="s",
)
while (trial := study.ask()) is not None:
    study.tell(trial, -trial.params["a"] ** 2)
for report in (study.best, study.ledger, study.progress, study.importance, study.drift, study.predict, study.route):
    print(report())
study.plot_route().savefig("route.png")
for picture in (plot_belief, plot_history, plot_importance):
    picture(study).savefig("picture.svg")
animate(study, frames=2)
commands = "list; status s; doctor; verify; log s; export s --out s.json; backup copy.db; methods; why s 3"
for line in commands.split(";"):
    result = CliRunner().invoke(main, line.split())
    assert result.exit_code == 0, (line, result.output)
"""


def ran(program, folder):
    """Return the standard error of a program that is not to leave the machine, and its exit code."""
    program = f"{WATCHED}\n{program}\nprint('went out:', OUT, file=sys.stderr)"
    child = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=False)
    return child.stderr, child.returncode


@pytest.mark.subprocess
@pytest.mark.slow
def test_a_study_its_reports_pictures_and_commands_send_nothing_anywhere(tmp_path):
    said, code = ran(WHOLE, tmp_path)
    assert (code, said.strip().splitlines()[-1:]) == (0, ["went out: []"]), said


@pytest.mark.subprocess
@pytest.mark.parametrize(
    "out", ["socket.create_connection(('192.0.2.1', 9), 1)", "socket.getaddrinfo('example.org', 80)"]
)
def test_the_watch_sees_who_leaves_the_machine(out, tmp_path):
    said, code = ran(out, tmp_path)
    assert code == 1
    assert "PermissionError" in said


@pytest.mark.subprocess
@pytest.mark.slow
def test_the_page_answers_on_this_machine_and_calls_nobody(tmp_path):
    pytest.importorskip("uvicorn")
    program = """
import io, contextlib, threading, time, urllib.request
from wayfare.cli import main
with socket.socket() as one:
    one.bind(("127.0.0.1", 0))
    port = one.getsockname()[1]
said = io.StringIO()
with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
    from click.testing import CliRunner
    threading.Thread(target=lambda: CliRunner().invoke(main, ["serve", "--port", str(port)]), daemon=True).start()
    for _ in range(100):
        time.sleep(0.1)
        with contextlib.suppress(OSError):
            page = urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=5).read()
            break
assert b"<!doctype html>" in page.lower()
"""
    said, code = ran(program, tmp_path)
    assert (code, said.strip().splitlines()[-1:]) == (0, ["went out: []"]), said


CONDA = {"matplotlib": "matplotlib-base"}
"""What conda-forge calls a package."""


def test_the_recipe_for_conda_has_the_version_and_the_dependencies_of_the_package():
    recipe = (ROOT / "packaging/conda-forge/recipe.yaml").read_text()
    assert f'version: "{__version__}"' in recipe
    wanted = set()
    for one in PROJECT["dependencies"]:
        name, least = one.split(">=")
        wanted.add(f"{CONDA.get(name, name)} >={least}")
    listed = set(
        re.findall(r"^    - ((?!python|pip|hatchling)\S+ >=\S+)$", recipe.partition("  run:")[2], re.MULTILINE)
    )
    assert listed == wanted
    assert "- wayfare = wayfare.cli:main" in recipe
    assert PROJECT["scripts"] == {"wayfare": "wayfare.cli:main"}


def test_the_container_installs_extras_that_there_are_and_runs_as_no_root():
    dockerfile = (ROOT / "packaging/Dockerfile").read_text()
    (extras,) = re.findall(r"\.whl\)\[([\w,]+)\]", dockerfile)
    assert set(extras.split(",")) <= PROJECT["optional-dependencies"].keys()
    assert dockerfile.index("USER wayfare") < dockerfile.index("ENTRYPOINT")
    assert "WAYFARE_STORE=/data/lab.db" in dockerfile


def test_a_release_states_what_is_in_it_and_by_what_it_was_made():
    release = (ROOT / ".github/workflows/release.yml").read_text()
    for part in ("attest-build-provenance", "attest-sbom", "cyclonedx-py", "id-token: write", "attestations: write"):
        assert part in release
    found = re.search(r"sed -n 's/(.*)/\\1/p' (\S+)\)", release)
    assert found is not None
    text = (ROOT / found[2]).read_text()
    assert re.search(found[1].replace(r"\(", "(").replace(r"\)", ")"), text, re.MULTILINE)[1] == __version__
