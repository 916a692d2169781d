"""``wayfare``: the commands, each imported in a module of its own.

Exit codes: 0 done, 1 could not, 2 misused.
"""

import json
import textwrap
from pathlib import Path

import click

from wayfare.cli.bench import bench
from wayfare.cli.demo import demo
from wayfare.cli.doctor import doctor
from wayfare.cli.exchange import export, import_file
from wayfare.cli.group import Commands
from wayfare.cli.input import FILE, json_option
from wayfare.cli.keep import backup, verify
from wayfare.cli.moves import amend, ask, fail, insert, replan, skip, tell
from wayfare.cli.new import list_studies, new
from wayfare.cli.order import order
from wayfare.cli.plot import plot
from wayfare.cli.reads import best, drift, ledger, plan, status, trials
from wayfare.cli.sheet import sheet
from wayfare.cli.waypoints import waypoints

# ``wayfare methods``: the catalogue.


WIDTH = 80


@click.command()
@json_option
def methods(as_json: bool) -> None:
    """List the methods: what each does, and where it comes from."""
    from wayfare.planning.catalogue import CATALOGUE

    indent = " " * (max(map(len, CATALOGUE)) + 2)
    for name, entry in CATALOGUE.items():
        if as_json:
            click.echo(json.dumps({"name": name, "summary": entry.summary, "source": entry.source}))
            continue
        first = name.ljust(len(indent))
        click.echo(textwrap.fill(entry.summary, WIDTH, initial_indent=first, subsequent_indent=indent))
        if entry.source:
            click.echo(textwrap.fill(entry.source, WIDTH, initial_indent=indent, subsequent_indent=indent))


@click.group(cls=Commands)
@click.version_option(package_name="wayfare", prog_name="wayfare", message="%(prog)s %(version)s")
@click.option("--store", type=FILE, help="The file that keeps the studies, for any command.")
@click.pass_context
def main(context: click.Context, store: Path | None) -> None:
    """Plan experiments when moving between them costs something."""
    context.obj = store


for command in (new, list_studies, ask, tell, fail, skip, insert, amend, replan):
    main.add_command(command)
for command in (plan, status, trials, best, ledger, drift):
    main.add_command(command)
for command in (import_file, export, sheet, waypoints, order, plot, backup, verify, doctor):
    main.add_command(command)
main.add_command(demo)
main.add_command(methods)
main.add_command(bench)
