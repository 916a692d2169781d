"""The moves made through the command line."""

import json

from click.testing import CliRunner

from tests.journey.travellers import Refusal
from wayfare.cli import main


class CommandLine:
    """Types the commands."""

    def __init__(self, path):
        self.path = path

    def run(self, *arguments):
        result = CliRunner().invoke(main, [*arguments, "--json", "--store", str(self.path)])
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        if result.exit_code:
            assert result.exit_code in (1, 2)
            assert not result.stdout
            assert result.stderr.startswith("Error: ")
            assert result.stderr.count("\n") == 1
            raise Refusal(result.stderr)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def trials(self):
        """Return the trials without their stamps, which say when this traveller made the move."""
        trials = self.run("trials", "s")
        assert all(trial.pop("issued")["via"] == "cli" for trial in trials)
        closed = [trial.pop("closed") for trial in trials]
        assert [stamp is None for stamp in closed] == [trial["state"] == "asked" for trial in trials]
        return trials

    def move(self, name, *arguments, **options):
        words = [name.replace("_", "-"), "s"]
        for argument in arguments:
            words += settings(argument) if isinstance(argument, dict) else [typed(argument)]
        value = options.pop("value", [])
        words += [typed(one) for one in (value if isinstance(value, list) else [value])]
        for option, value in options.items():
            words += self.option(option, value)
        try:
            (answer,) = self.run(*words)
        except Refusal as refused:
            if name == "ask" and ("left" in str(refused) or "budget is spent" in str(refused)):
                return None
            raise
        return answer if "number" in answer else None

    def option(self, option, value):
        if option == "wait":
            return [] if value else ["--no-wait"]
        if value is None:
            return []
        if option == "withdraw" or value is True:
            return [f"--{option}"]
        if value is False:
            return []
        option = {"position": "--from"}.get(option, f"--{option}")
        if isinstance(value, dict):
            return [word for one in settings(value) for word in (option, one)]
        return [option, typed(value)]


def settings(place):
    return [f"{axis}={'' if value is None else typed(value)}" for axis, value in place.items()]


def typed(value):
    return value if isinstance(value, str) else repr(value)
