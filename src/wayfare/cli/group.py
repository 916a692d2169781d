"""The group of commands, and what becomes of an error: one line on stderr and an exit code, no traceback.

Exit codes: 0 done, 1 could not, 2 misused, 130 interrupted.
"""

import errno
import gc
import os
import sys
import warnings
from collections.abc import Sequence
from typing import Any

import click

from wayfare.cli.output import one_line
from wayfare.errors import DriftWarning, GuaranteeWarning, InvalidInput, WayfareError

# The whole help, which click before 8.2 prints without an error.
HELP = getattr(click.exceptions, "NoArgsIsHelpError", ())


class Refused(click.ClickException):
    """A value was refused: misuse."""

    exit_code = 2


class Interrupted(click.ClickException):
    """Someone pressed Ctrl-C."""

    exit_code = 130


class Commands(click.Group):
    """Commands whose refusals reach the user as one line, and whose warnings as a note."""

    def main(  # type: ignore[override]  # click has two overloads, one of which never returns
        self, args: Sequence[str] | None = None, standalone_mode: bool = True, **extra: Any
    ) -> Any:
        """Run the command line, then leave with its exit code."""
        if not standalone_mode:
            return super().main(args, standalone_mode=False, **extra)
        gc.set_threshold(100_000)  # a command lives for a moment; looking for garbage in it takes a tenth
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="backslashreplace")  # where the terminal has no such letter
        try:
            code = super().main(args, standalone_mode=False, **extra)
        except HELP as error:
            error.show()
            sys.exit(error.exit_code)
        except click.ClickException as error:
            click.echo(f"Error: {one_line(in_words(error))}", err=True)
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
                raise Refused(str(error)) from error
            except WayfareError as error:
                raise click.ClickException(str(error)) from error
            except KeyboardInterrupt as error:
                raise Interrupted("interrupted; `wayfare status` says what is recorded") from error
            except OSError as error:
                if error.errno == errno.EPIPE:
                    raise
                raise click.ClickException(in_the_way(error)) from error
        for note in dict.fromkeys(str(note.message) for note in notes):
            click.echo(f"Note: {one_line(note)}", err=True)
        return result


def in_words(error: click.ClickException) -> str:
    """Return what click would say, and where the help is if the command was written wrongly."""
    message = error.format_message().rstrip(".")
    misspelt = isinstance(error, click.UsageError) and (
        not isinstance(error, click.BadParameter) or isinstance(error, click.MissingParameter)
    )
    if misspelt and isinstance(error, click.UsageError) and error.ctx is not None:
        return f"{message} (see {error.ctx.command_path} --help)"
    return message


def in_the_way(error: OSError) -> str:
    """Return what the system refused."""
    reason = error.strerror or str(error)
    if error.filename is not None:
        return f"{error.filename}: {reason}"
    # Only printing has no file name; what is left in the buffer must not be tried again at exit.
    sys.stdout = open(os.devnull, "w")  # noqa: SIM115 - it lives as long as the program
    return f"cannot print: {reason}; `wayfare status` says what is recorded"
