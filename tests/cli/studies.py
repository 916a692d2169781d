"""A study of a reactor in a file, and the command line called on it."""

import json

from click.testing import CliRunner

from wayfare.cli import main

REACTOR = """
name = "snar"
direction = "maximize"
trials = 6
seed = 7
method = {policy = {kind = "ucb", beta = 4.0}, schedule = {kind = "fixed", size = 3}}
start = {temp_C = 25.0, flow = 1, catalyst = "Pd"}
[[axis]]
name = "temp_C"
low = 40.0
high = 120.0
[[axis]]
name = "flow"
kind = "integer"
low = 1
high = 20
[[axis]]
name = "catalyst"
kind = "choice"
values = ["Pd", "Ni"]
[travel]
unit = "min"
kind = "serial"
parts = [
    {kind = "ramp", axis = "temp_C", up = 5.0, down = 2.0},
    {kind = "switch", axis = "catalyst", fee = 15},
]
"""


def call(*arguments, **extra):
    """Run the command line in this process."""
    return CliRunner().invoke(main, [str(argument) for argument in arguments], **extra)


def done(*arguments, **extra):
    """Run a command that must succeed; return what it printed."""
    result = call(*arguments, **extra)
    assert result.exit_code == 0, (arguments, result.output, result.exception)
    return result.stdout


def records(*arguments, **extra):
    """Run a command with ``--json``; return its objects."""
    return [json.loads(line) for line in done(*arguments, "--json", **extra).splitlines()]


def record(*arguments, **extra):
    """Run a command with ``--json`` that prints one object."""
    (one,) = records(*arguments, **extra)
    return one
