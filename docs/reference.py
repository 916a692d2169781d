"""The parts of the reference pages that are taken from the code, so that they cannot contradict it.

A page says where: ``<!-- api: Study Trial -->`` becomes the documentation of these names of ``wayfare`` (of one of its
packages, ``<!-- api wayfare.plot: plot_route -->``), and ``<!-- commands -->``, ``<!-- study file keys -->``,
``<!-- methods -->``, ``<!-- settings -->``, ``<!-- http -->`` what their functions below return, as Markdown.
"""

import inspect
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import attrs
import click

import wayfare

DOCS = Path(__file__).parent
API = re.compile(r"<!-- api( wayfare\.[\w.]+)?: ([\w\s]+) -->")
ELSEWHERE = [
    # Types of Python, numpy and other packages have their documentation elsewhere, and what is not public has none.
    ("py:.*", r"(?!wayfare\.).*"),
    ("py:.*", rf"wayfare\.(?!(.*\.)?({'|'.join(wayfare.__all__)})$).*"),
]
"""References that need not lead anywhere, as Sphinx's ``nitpick_ignore_regex``."""


def fill(app: Any, page: str, source: list[str]) -> None:
    """Replace the marks of a page by what they stand for; a handler of Sphinx's ``source-read``."""
    text = API.sub(lambda found: api((found[1] or " wayfare").strip(), found[2].split()), source[0])
    for mark, made in MADE.items():
        if (line := f"<!-- {mark} -->") in text:
            text = text.replace(line, made())
    source[0] = text


def api(module: str, names: Iterable[str]) -> str:
    """Return the directives that document these names of a module."""
    lines = ["```{eval-rst}", f".. currentmodule:: {module}", ""]
    for name in names:
        value = getattr(import_module(module), name)
        if inspect.isclass(value):
            lines += [f".. autoclass:: {name}"]
            lines += [] if issubclass(value, tuple) else ["   :members:"]  # its docstring has its fields
            lines += ["   :special-members: __call__", ""] if "__call__" in vars(value) else [""]
        elif callable(value):
            lines += [f".. autofunction:: {name}", ""]
        else:  # a value has no docstring of its own
            lines += [f".. py:data:: {name}", "", f"   A ``{type(value).__name__}``.", ""]
    return "\n".join([*lines, "```"])


def commands() -> str:
    """Return every command with its help and its options."""
    from wayfare.cli import main

    context = click.Context(main, info_name="wayfare")
    return "\n".join(line for name in main.commands for line in _command(context, name))


def _command(context: click.Context, name: str) -> Iterator[str]:
    _, command, _ = context.command.resolve_command(context, [name])  # imports it
    inner = click.Context(command, info_name=name, parent=context)
    usage = " ".join([inner.command_path, *command.collect_usage_pieces(inner)])
    yield from (f"## {name}", "", "```text", usage, "```", "", inspect.cleandoc(command.help or ""), "")
    records = filter(None, (parameter.get_help_record(inner) for parameter in command.get_params(inner)))
    rows = [(option, said) for option, said in records if said and option != "--help"]
    if rows:
        yield from ("| option | |", "| --- | --- |")
        yield from (f"| `{option.replace('|', chr(92) + '|')}` | {_cell(said)} |" for option, said in rows)
        yield ""
    for below in getattr(command, "commands", {}):
        yield from _command(inner, below)


def study_file_keys() -> str:
    """Return every key that a study file may have, from the tables by which it is read."""
    from wayfare.form import map as maps
    from wayfare.form.method import PARTS
    from wayfare.form.space import KINDS as AXES
    from wayfare.form.study import KEYS, MEASURED
    from wayfare.form.travel import KINDS, kept_fields

    rows = [("at the top", "", KEYS), *(("`[[axis]]`", kind, ("name", *one.read)) for kind, one in AXES.items())]
    rows += [("`[map]`", "", maps.KEYS), ("`[[measured]]`", "", MEASURED)]
    costs = {kind: [one.name for one in kept_fields(cls)] for kind, cls in KINDS.items()}
    rows += [("`[travel]`, `[[also]]`", kind, fields) for kind, fields in costs.items()]
    parts = {protocol.__name__: kinds for protocol, kinds in PARTS.items()}
    rows += [
        (f"`method`: a {protocol.lower()}", kind, [one.name for one in attrs.fields(cls)])
        for protocol, kinds in parts.items()
        for kind, cls in kinds.items()
    ]
    return _table(
        ("where", "kind", "keys"), ((where, kind and f"`{kind}`", _codes(names)) for where, kind, names in rows)
    )


def settings() -> str:
    """Return the variables of the environment."""
    from wayfare._core.settings import SETTINGS

    return _table(("variable", "what it says"), ((f"`{name}`", says) for name, says in SETTINGS.items()))


def methods() -> str:
    """Return the catalogue of methods."""
    from wayfare.planning.catalogue import CATALOGUE

    head = ("method", "what it does", "source")
    return _table(head, ((f"`{name}`", one.summary, one.source) for name, one in CATALOGUE.items()))


def http() -> str:
    """Return every request that the server of ``wayfare serve`` answers, and every record it takes or gives."""
    description = json.loads((DOCS / "openapi.json").read_text())
    lines = ["## Requests", ""]
    for path, verbs in description["paths"].items():
        for verb, one in verbs.items():
            lines += [f"### {verb.upper()} {path}", "", f"{one['summary']}. Role: `{one.get('x-role', 'none')}`.", ""]
            if one.get("parameters"):
                given = (_resolved(parameter, description) for parameter in one["parameters"])
                rows = ((f"`{each['name']}`", each["in"], _type(each.get("schema", {}))) for each in given)
                lines += [_table(("parameter", "in", "type"), rows), ""]
            done = next((answer for status, answer in one["responses"].items() if status.startswith("2")), {})
            for what, contents in (("Body", one.get("requestBody", {})), ("Answer", done)):
                for kind, content in contents.get("content", {}).items():
                    lines += [f"{what}: {_type(content['schema'])}, as `{kind}`.", ""]
    lines += ["## Records", ""]
    for name, schema in description["components"]["schemas"].items():
        lines += [f"### {name}", ""]
        lines += [f"{schema['description']}", ""] if schema.get("description") else []
        needed = schema.get("required", ())
        rows = ((f"`{key}`", _type(one), "" if key in needed else "no") for key, one in _fields(schema))
        lines += [_table(("key", "type", "always there"), rows), ""] if schema.get("properties") else []
    return "\n".join(lines)


def _resolved(part: Mapping[str, Any], description: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a part of the description, looked up if it stands elsewhere in it."""
    found: Any = description if "$ref" in part else part
    for key in part.get("$ref", "#").split("/")[1:]:
        found = found[key]
    return found


def _fields(schema: Mapping[str, Any]) -> Iterable[tuple[str, Mapping[str, Any]]]:
    return schema.get("properties", {}).items()


def _type(schema: Mapping[str, Any]) -> str:
    """Return a JSON schema in words, a record as a link to it."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "const" in schema or "enum" in schema:
        return " or ".join(f"`{json.dumps(one)}`" for one in schema.get("enum", [schema.get("const")]))
    for several in ("anyOf", "oneOf", "allOf"):
        if several in schema:
            return " or ".join(dict.fromkeys(map(_type, schema[several])))
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    kind = schema.get("type", "anything")
    return " or ".join(kind) if isinstance(kind, list) else str(kind)


def _codes(names: Iterable[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    lines = [list(head)]
    lines += [["---"] * len(lines[0]), *([_cell(cell) for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


MADE = {
    "commands": commands,
    "study file keys": study_file_keys,
    "methods": methods,
    "settings": settings,
    "http": http,
}
