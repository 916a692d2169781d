"""``wayfare methods``: the catalogue."""

import json
import textwrap

import click

from wayfare.cli.options import json_option

WIDTH = 80


@click.command()
@json_option
def methods(as_json: bool) -> None:
    """List the methods: what each does, and where it comes from."""
    from wayfare.methods import CATALOGUE

    indent = " " * (max(map(len, CATALOGUE)) + 2)
    for name, entry in CATALOGUE.items():
        if as_json:
            click.echo(json.dumps({"name": name, "summary": entry.summary, "source": entry.source}))
            continue
        first = name.ljust(len(indent))
        click.echo(textwrap.fill(entry.summary, WIDTH, initial_indent=first, subsequent_indent=indent))
        if entry.source:
            click.echo(textwrap.fill(entry.source, WIDTH, initial_indent=indent, subsequent_indent=indent))
