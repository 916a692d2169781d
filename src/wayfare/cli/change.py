"""``wayfare change``: change a study under way, key by key or by a new study file."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click

from wayfare._core import checks
from wayfare.cli.input import FILE, move_options, options, with_study
from wayfare.cli.output import listing, note, print_json
from wayfare.cli.studies import open_study
from wayfare.errors import InvalidInput
from wayfare.exchange.records import changes_record
from wayfare.form import read_study_file, read_value, write_spec
from wayfare.form.study import KEYS


@click.command()
@options(with_study, click.argument("keys", nargs=-1, metavar="[KEY=VALUE]..."))
@click.option("--file", type=FILE, metavar="FILE.toml", help="The study file as it is from now on, instead of keys.")
@click.option("--why", default="", metavar="TEXT", help="The reason, kept in the study's history.")
@click.option("--dry-run", is_flag=True, help="Only say what would change, and what it costs.")
@move_options
def change(name: str, store: Path, keys: tuple[str, ...], file: Path | None, as_json: bool, **given: Any) -> None:
    """Change the study NAME: its bounds, values, limits, cost, method.

    KEY=VALUE states what holds from now on, as the study file would: trials=60, budget=300, method=ucb,
    travel.up=0.1, home.temp_C=30; nothing behind = takes a limit away. An axis by its name: axis.temp_C=40,140 or
    axis.temp_C.high=140, and all values of a choice, axis.solvent=water,DMF, or one to add or retire,
    axis.solvent+=DMF axis.solvent-=ether. What was measured and paid stays; no route goes where it is no longer
    allowed. docs/how-to/change.md shows it.
    """
    if bool(keys) == (file is not None):
        raise InvalidInput("give KEY=VALUE for what changes, or --file with the new study file")
    study = open_study(store, name)
    if file is not None:
        made = study.change_by_form(read_study_file(file), folder=file.parent, whole=True, **given)
    else:
        made = study.change_by_form(_form(write_spec(study.spec), keys), folder=Path(), **given)
    if as_json:
        print_json(changes_record(made))
        return
    click.echo(listing(made.entries))
    if made.dry_run:
        note("a dry run, nothing was written")


def _form(form: Mapping[str, Any], settings: tuple[str, ...]) -> dict[str, Any]:
    """Return the keys that settings change, each whole, the rest of it as in the form of the study."""
    changed: dict[str, Any] = {}
    seen = list[str]()
    turns = dict[tuple[str, object], str]()
    for setting in settings:
        path, equals, text = setting.partition("=")
        if not equals:
            raise InvalidInput(f"write KEY=VALUE, got {setting!r}")
        if path in seen and path[-1:] not in ("+", "-"):
            raise InvalidInput(f"{path} is given twice; give it once")
        if other := next((one for one in seen if _overlap(one, path) or _overlap(path, one)), ""):
            raise InvalidInput(f"{other} and {path} state the same thing; give one of them")
        seen.append(path)
        sign = path[-1:] if path[-1:] in ("+", "-") else ""
        key, _, rest = path.removesuffix(sign).partition(".")
        if key not in KEYS:
            raise InvalidInput(f"there is no key {key!r} in a study file; {checks.nearest(key, KEYS, 'keys')}")
        for one in _listed(text) if sign else ():
            if turns.setdefault((path[:-1], one), sign) != sign:
                raise InvalidInput(f"{path[:-1]}+={one} and {path[:-1]}-={one} contradict each other; give one of them")
        before = changed.get(key, form.get(key))
        if key == "axis":
            changed[key] = _with_axis(before, rest, sign, text)
        elif sign:
            raise InvalidInput(f"{setting!r}: += and -= add and retire values of a choice: axis.NAME+=VALUE")
        elif (key, rest) == ("places", "file"):
            kept = {name: value for name, value in (before or {}).items() if name == "once"}
            changed[key] = {**kept, "file": text}
        elif rest:
            changed[key] = _with(before, rest, rest.split("."), read_value(text))
        else:
            changed[key] = read_value(text)
    return changed


def _overlap(whole: str, part: str) -> bool:
    """Return whether one key states what another states a part of; an axis alone states its bounds or its values."""
    inside = part.startswith(f"{whole}.")
    return inside and (not whole.startswith("axis.") or part.endswith((".low", ".high", ".values")))


def _with_axis(axes: Any, rest: str, sign: str, text: str) -> Any:
    """Return the axes with one of them changed; ``rest`` is its name, or its name, a dot and a field."""
    if not isinstance(axes, list):
        raise InvalidInput("axis: this study has a table of places; change it by places.file=FILE.csv")
    names = [axis["name"] for axis in axes]
    meant = [name for name in names if rest == name or rest.startswith(f"{name}.")]
    if not meant:
        asked = rest.partition(".")[0]
        raise InvalidInput(f"there is no axis {asked!r}; {checks.nearest(asked, names, 'axes')}")
    name = max(meant, key=len)
    field, value = rest[len(name) + 1 :], read_value(text)
    axis = next(axis for axis in axes if axis["name"] == name)
    if axis["kind"] == "choice" and field in ("", "values"):
        wanted = _values(axis, sign, _listed(text))
    elif sign:
        raise InvalidInput(f"axis.{rest}: += and -= add and retire values of a choice, and {name!r} holds numbers")
    elif field:
        wanted = {field: value, **({"step": None} if field == "digits" else {})}
    elif isinstance(value, list) and len(value) == 2:
        wanted = {"low": value[0], "high": value[1]}
    else:
        raise InvalidInput(f"axis.{name} takes LOW,HIGH, got {text!r}; or name a field, such as axis.{name}.high")
    plain = {key: one for key, one in (axis | wanted).items() if one is not None}
    return [plain if one is axis else one for one in axes]


def _listed(text: str) -> list[Any]:
    """Return the values of a choice as typed: one, several or none."""
    value = read_value(text)
    return value if isinstance(value, list) else [] if value is None else [value]


def _values(axis: Mapping[str, Any], sign: str, given: list[Any]) -> dict[str, Any]:
    """Return the fields of a choice that is to have the values given, or those it has and a few more or less."""
    retired = axis.get("retired", [])
    current = [one for one in axis["values"] if one not in retired]
    for one in given if sign else ():
        if (one in current) == (sign == "+"):
            has = "already has" if sign == "+" else "has no"
            raise InvalidInput(f"axis.{axis['name']} {has} value {one!r}; it has {', '.join(map(str, current))}")
    wanted = {"": given, "+": [*current, *given], "-": [one for one in current if one not in given]}[sign]
    values = [*axis["values"], *(one for one in wanted if one not in axis["values"])]
    return {"values": values, "retired": [one for one in values if one not in wanted] or None}


def _with(before: Any, where: str, path: list[str], value: Any) -> Any:
    """Return a table with a value put in at a path, whose parts are keys, names of tables and numbers in lists."""
    first, *rest = path
    if isinstance(before, list):
        named = [at for at, one in enumerate(before) if isinstance(one, Mapping) and one.get("name") == first]
        at = named[0] if named else int(first) if first.isdecimal() and len(first) < 5 else len(before)
        if at >= len(before):
            raise InvalidInput(f"{where}: there is no {first!r} in a list of {len(before)}; count from 0")
        inner = _with(before[at], where, rest, value) if rest else value
        return [inner if i == at else one for i, one in enumerate(before)]
    if before is not None and not isinstance(before, Mapping):
        raise InvalidInput(f"{where}: {before!r} has no parts; state all of it")
    table = dict(before or {})
    table[first] = _with(table.get(first), where, rest, value) if rest else value
    return {key: one for key, one in table.items() if one is not None}
