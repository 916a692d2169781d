"""The page for audited labs names commands, options and tests that are there."""

import re
from pathlib import Path

from click.testing import CliRunner

from wayfare.cli import main

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "audit.md").read_text()
SECURITY = (ROOT / "SECURITY.md").read_text().partition("## What the chain")[2]


def test_every_command_and_option_named_is_there():
    for text in (PAGE, SECURITY):
        named = re.findall(r"`(?:\$ )?wayfare (\w+)([^`]*)`", text)
        assert named
        for command, rest in named:
            helped = CliRunner().invoke(main, [command, "--help"])
            assert helped.exit_code == 0, command
            for option in re.findall(r"--[a-z-]+", rest):
                assert option in helped.output, (command, option)


def test_the_commands_of_the_example_work_in_this_order(tmp_path, monkeypatch):
    from tests.cli.studies import REACTOR

    monkeypatch.chdir(tmp_path)
    (tmp_path / "snar.toml").write_text(REACTOR)
    commands = re.search(r"```console\n(.*?)```", PAGE, re.DOTALL)[1].splitlines()
    assert len(commands) == 3
    for line in ["$ wayfare new snar.toml", *commands]:
        result = CliRunner().invoke(main, line.removeprefix("$ wayfare ").split())
        assert result.exit_code == 0, (line, result.output)


def test_the_measurement_it_names_is_there():
    assert "pytest tests/store/test_chain.py -k five_thousand" in PAGE
    assert "def test_five_thousand_random_tamperings_are_all_named" in (ROOT / "tests/store/test_chain.py").read_text()
