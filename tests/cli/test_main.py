"""The table of commands: each is found, and imported only when it is run."""

import subprocess
import sys
from importlib.metadata import version

import click
import pytest

from tests.cli.studies import call, done
from wayfare.cli import main
from wayfare.cli.main import COMMANDS, SECTIONS

HEAVY = ("numpy", "scipy", "matplotlib", "pandas", "rich")


def python(code):
    """Run code in another process; return what it printed."""
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout


def test_the_version_is_printed():
    assert done("--version") == f"wayfare {version('wayfare')}\n"


@pytest.mark.parametrize("option", ["--version", "--help"])
def test_version_and_help_load_neither_numpy_nor_the_commands(option):
    """They answer at once: nothing is loaded but click and the table of commands."""
    code = (
        "import sys; from wayfare.cli import main\n"
        f"main([{option!r}], standalone_mode=False)\n"
        f"print('loaded', sorted(set(sys.modules) & {{*{HEAVY!r}, 'wayfare.cli.moves', 'wayfare.study'}}))"
    )
    assert python(code).splitlines()[-1] == "loaded []"


@pytest.mark.parametrize("name", COMMANDS)
def test_the_table_has_the_first_sentence_of_every_command(name):
    command = main.resolve_command(click.Context(main), [name])[1]
    assert command.get_short_help_str(limit=80) == COMMANDS[name][1]
    assert command.name == name
    assert done(name, "--help").startswith(f"Usage: main {name} ")


def test_a_misspelt_command_exits_with_two_and_shows_where_the_help_is():
    result = call("sttus")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("Error: No such command 'sttus'")
    assert result.stderr.endswith("(see main --help)\n")


def test_neither_the_library_nor_the_command_line_imports_matplotlib_before_it_draws():
    modules = {f"wayfare.cli.{target.partition(':')[0]}" for target, _ in COMMANDS.values()}
    code = f"import sys, wayfare.study.study, {', '.join(modules)}; sys.exit('matplotlib' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_package_runs_as_the_command():
    ran = subprocess.run([sys.executable, "-m", "wayfare", "methods"], capture_output=True, text=True, check=True)
    assert ran.stdout == done("methods")


def test_the_help_has_every_command_in_one_section():
    listed = [name for names in SECTIONS.values() for name in names]
    assert sorted(listed) == sorted(COMMANDS)
    said = done("--help")
    for title, names in SECTIONS.items():
        assert f"\n{title}:\n  {names[0]} " in said
