"""``wayfare``: the group of commands, and what becomes of an error.

Exit codes: 0 done, 1 could not, 2 misused.
"""

from typing import Any

import click

from wayfare.cli.demo import demo
from wayfare.cli.methods import methods
from wayfare.errors import WayfareError


class Commands(click.Group):
    """Commands whose refusals reach the user as one line, without a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command."""
        try:
            return super().invoke(ctx)
        except WayfareError as error:
            raise click.ClickException(str(error)) from error


@click.group(cls=Commands)
@click.version_option(package_name="wayfare", prog_name="wayfare", message="%(prog)s %(version)s")
def main() -> None:
    """Plan experiments when moving between them costs something."""


main.add_command(demo)
main.add_command(methods)
