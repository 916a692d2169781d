"""``wayfare mcp``: the studies of a store for an assistant, over stdin and stdout."""

from pathlib import Path

import click
from click.core import ParameterSource

from wayfare.cli.input import STORE_AT, as_option, store_option
from wayfare.cli.studies import who
from wayfare.errors import InvalidInput


@click.command()
@click.argument("file", type=STORE_AT, required=False, metavar="[STORE]")
@store_option
@as_option
def mcp(file: Path | str | None, store: Path | str) -> None:
    """Serve the studies of a store to an assistant, by the Model Context Protocol.

    It talks over stdin and stdout, opens no port, and ends with its input. Moves are rehearsals unless the assistant
    says otherwise. An assistant's settings name the command: `wayfare mcp lab.db --as ana`.
    """
    given = click.get_current_context().get_parameter_source("store") is ParameterSource.COMMANDLINE
    if file is not None and given:
        raise InvalidInput(f"the store is given twice: {file} and --store {store}")
    from wayfare.plug.mcp import make_server

    make_server(file or store, who()["by"]).run()
