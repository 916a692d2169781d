"""The operator's page shows what really happens: every command on it is run, in order.

``python -m tests.pages.test_operator_page`` writes the page anew with what the commands print today.
"""

import os
import re
import shlex
import tempfile
import tomllib
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner

from wayfare.cli import main
from wayfare.record import stamp

PAGE = Path(__file__).parents[2] / "docs" / "operator.md"
BLOCK = re.compile(r"```(toml|console)\n(.*?)```\n", re.DOTALL)
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[+-]?\d+)?")


class Clock(datetime):
    """The day of the page: Monday from eight, five minutes later whenever something is stored."""

    at = MORNING = datetime(2026, 11, 16, 8, tzinfo=UTC)

    @classmethod
    def now(cls, tz=None):
        Clock.at += timedelta(minutes=5)
        return Clock.at


def walked(page):
    """Return the page with what its commands print in the working directory, study files written first."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stamp, "datetime", Clock)
        patch.setattr(Clock, "at", Clock.MORNING)
        patch.setenv("WAYFARE_USER", "ana")
        return _walked(page)


def _walked(page):

    def block(found):
        kind, text = found.groups()
        if kind == "toml":
            Path(f"{tomllib.loads(text)['name']}.toml").write_text(text)
            return found[0]
        commands = [line for line in text.splitlines() if line.startswith("$ ")]
        return "```console\n" + "".join(f"{line}\n{printed(line)}" for line in commands) + "```\n"

    return BLOCK.sub(block, page)


def printed(line):
    """Return what a command prints, on stdout and stderr."""
    program, *arguments = shlex.split(line.removeprefix("$ "))
    assert program == "wayfare"
    result = CliRunner().invoke(main, arguments, prog_name="wayfare")
    assert isinstance(result.exception, SystemExit | None), result.exception
    return result.output.replace(os.getcwd() + os.sep, "")


def rounded(text):
    """Return the text with its numbers to three digits: the last ones differ between machines."""
    return NUMBER.sub(lambda number: f"{float(number[0]):.3g}", text)


def test_every_command_of_the_page_prints_what_the_page_shows(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("WAYFARE_STORE", raising=False)
    page = PAGE.read_text()
    assert rounded(walked(page)) == rounded(page)


def test_the_page_walks_through_every_move():
    shown = set(re.findall(r"^\$ wayfare (\w+)", PAGE.read_text(), flags=re.MULTILINE))
    moves = {"new", "ask", "tell", "fail", "skip", "insert", "amend", "replan"}
    reads = {"list", "plan", "status", "trials", "best", "ledger"}
    assert moves | reads <= shown
    assert shown <= set(main.commands)


def test_the_commands_listed_on_the_page_are_all_there():
    listed = set(re.findall(r"^\| `wayfare ([\w-]+)", PAGE.read_text(), flags=re.MULTILINE))
    assert listed <= set(main.commands)
    assert {"ask", "tell", "fail", "skip", "insert", "amend", "replan", "plan"} <= listed


if __name__ == "__main__":
    before = PAGE.read_text()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        os.environ.pop("WAYFARE_STORE", None)
        after = walked(before)
    PAGE.write_text(after)
