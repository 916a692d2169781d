"""The group of commands, each imported on use. An error is one line on stderr and an exit code, no traceback.

Exit codes: 0 done, 1 could not, 2 misused, 130 interrupted.
"""

import errno
import gc
import os
import sys
import warnings
from collections.abc import Mapping, Sequence
from importlib import import_module
from types import MappingProxyType
from typing import Any

import click

from wayfare.cli.output import one_line
from wayfare.errors import DriftWarning, GuaranteeWarning, InvalidInput, WayfareError

# The whole help, which click before 8.2 prints without an error.
HELP = getattr(click.exceptions, "NoArgsIsHelpError", ())

LONGEST = 2000
"""Characters of a message."""


class Interrupted(click.ClickException):
    """The user pressed Ctrl-C."""

    exit_code = 130


class Later(click.Command):
    """A command that is imported when it is run; only its name and its line in the help are known before."""

    def __init__(self, name: str, target: str, short_help: str) -> None:
        super().__init__(name, short_help=short_help)
        self.target = target

    def load(self) -> click.Command:
        """Import the command, written ``module:attribute``, and return it."""
        module, _, attribute = self.target.partition(":")
        command: click.Command = getattr(import_module(module), attribute)
        return command


class Commands(click.Group):
    """Commands whose refusals reach the user as one line, and whose warnings as a note."""

    sections: Mapping[str, Sequence[str]] = MappingProxyType({})
    """The commands by what they are for, as the help lists them; without, it lists them by name."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands in their sections."""
        if not self.sections:
            super().format_commands(ctx, formatter)
        room = max(map(len, self.commands), default=0)
        for title, names in self.sections.items():
            with formatter.section(title):
                rows = [
                    (f"{name:{room}}", self.commands[name].get_short_help_str(limit=formatter.width)) for name in names
                ]
                formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that is to run, imported, and the arguments after it."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command.load() if isinstance(command, Later) else command, rest

    def main(  # type: ignore[override]  # click has two overloads, one of which never returns
        self, args: Sequence[str] | None = None, standalone_mode: bool = True, **extra: Any
    ) -> Any:
        """Run the command line, then leave with its exit code."""
        if not standalone_mode:
            return super().main(args, standalone_mode=False, **extra)
        gc.set_threshold(100_000)  # a command is short-lived; collecting garbage would take a tenth of its time
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")  # for letters that the terminal does not have
        try:
            code = super().main(args, standalone_mode=False, **extra)
        except HELP as error:
            error.show()
            sys.exit(error.exit_code)
        except click.ClickException as error:
            click.echo(f"Error: {_in_short(_in_words(error))}", err=True)
            sys.exit(error.exit_code)
        except click.Abort:
            sys.exit(Interrupted.exit_code)
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        with warnings.catch_warnings(record=True) as notes:
            for kind in (GuaranteeWarning, DriftWarning):
                warnings.simplefilter("always", kind)
            try:
                result = super().invoke(ctx)
            except InvalidInput as error:
                raise click.UsageError(str(error)) from error  # exit code 2
            except WayfareError as error:
                raise click.ClickException(str(error)) from error
            except KeyboardInterrupt as error:
                raise Interrupted("interrupted; `wayfare status` says what is recorded") from error
            except MemoryError as error:
                raise click.ClickException("out of memory; `wayfare status` says what is recorded") from error
            except OSError as error:
                if error.errno == errno.EPIPE:  # the reader, such as `head`, has left: click ends in silence
                    raise
                raise click.ClickException(_system_error(error)) from error
        for note in dict.fromkeys(str(note.message) for note in notes):
            click.echo(f"Note: {_in_short(note)}", err=True)
        return result


def _in_short(message: str) -> str:
    """Return a message on one line, cut if a file put something endless into it."""
    said = one_line(message[: 2 * LONGEST])
    return said if len(said) <= LONGEST else f"{said[:LONGEST]}…"


def _in_words(error: click.ClickException) -> str:
    """Return click's message and, if the command was written wrongly, where its help is."""
    message = error.format_message().rstrip(".")
    is_value = isinstance(error, click.BadParameter) and not isinstance(error, click.MissingParameter)
    if isinstance(error, click.UsageError) and not is_value and error.ctx is not None:
        return f"{message} (see {error.ctx.command_path} --help)"
    return message


def _system_error(error: OSError) -> str:
    reason = error.strerror or str(error)
    if error.filename is not None:
        return f"{error.filename}: {reason}"
    # Only printing has no file name. The rest of the buffer must not be written again at exit.
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - it lives as long as the program
    return f"cannot print: {reason}; `wayfare status` says what is recorded"
