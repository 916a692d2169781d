"""``wayfare init``: a study file to begin with, from a template or from a few questions."""

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path

import click

from wayfare._core.parse import PLAIN
from wayfare.cli.files import check_target, write_text
from wayfare.cli.input import FILE, force_option
from wayfare.cli.output import plain
from wayfare.cli.studies import check_name
from wayfare.errors import InvalidInput

TEMPLATES = ("reactor", "boat", "drill", "printer", "table")
BARE = re.compile(r"[A-Za-z0-9_-]+")
RANGE = re.compile(
    r"(?P<low>\S+?)(?:\s+to\s+|\s*\.\.\.?\s*)(?P<high>\S+)(?:\s+(?!in\s)(?P<unit>\S+))?(?:\s+in\s+steps\s+of\s+(?P<step>\S+))?"
)
COSTS = {
    "distance": "the straight line, or a speed over the ground",
    "ramp": "the time to bring settings to their new values, all at once",
    "fee": "the same for every move",
}


@click.command()
@click.argument("file", type=FILE, required=False)
@click.option("--template", type=click.Choice(TEMPLATES), help="Begin with this example instead of questions.")
@click.option("--name", help="What the study is called.")
@force_option
def init(file: Path | None, template: str | None, name: str | None, force: bool) -> None:
    """Write a study file to begin with.

    Asks a few questions, or takes an example: a flow reactor, a boat, a drill rig, a 3D printer, a table of places. The
    file has comments; change what is yours, then `wayfare new FILE --check` explains it and `wayfare new FILE` begins.
    """
    if template is None:
        name = name or _asked("What is the study called?", "study")
    name = name or template or ""
    check_name(name)
    target = file or Path(f"{re.sub(r'[^A-Za-z0-9_.-]+', '-', name).strip('-.') or 'study'}.toml")
    check_target(target, force)
    text = _from_template(template, name) if template is not None else "\n".join(_from_answers(name)) + "\n"
    write_text(target, text)
    click.echo(f"{plain(str(target))} written; next: wayfare new {plain(str(target))} --check")


def _from_template(template: str, name: str) -> str:
    text = files("wayfare.cli").joinpath("templates", f"{template}.toml").read_text(encoding="utf-8")
    return text.replace(f'name = "{template}"', f"name = {_text(name)}", 1)


def _from_answers(name: str) -> Iterator[str]:
    """Yield the lines of a study file, asking for what they need."""
    direction = _chosen("Is the largest value best, or the smallest?", {"maximize": "largest", "minimize": "smallest"})
    trials = _count("How many trials in all?", 30)
    yield "# Change what is yours, then: wayfare new FILE --check explains it, wayfare new FILE begins."
    yield f"name = {_text(name)}"
    yield f"direction = {_text(direction)}"
    yield f"trials = {trials}                     # the first included"
    yield "# start = {axis = value, ...}      # where you stand now; left out: anywhere, reached for free"
    yield "# budget = 480                     # what moves and results may cost together"
    numbers: list[tuple[str, bool]] = []
    while True:
        axis = _asked(f"Axis {len(numbers) + 1}: its name (empty when there are no more)", "")
        if not axis:
            if numbers:
                break
            click.echo("A study needs an axis, such as temp_C.", err=True)
            continue
        if axis in [other for other, _ in numbers]:
            click.echo(f"There is an axis {axis!r} already.", err=True)
            continue
        lines, is_number = _axis(axis)
        numbers.append((axis, is_number))
        yield from lines
    yield from _travel([axis for axis, is_number in numbers if is_number], [axis for axis, one in numbers if not one])


def _axis(name: str) -> tuple[list[str], bool]:
    """Return the lines of an axis, and whether it is one of numbers."""
    lines = ["", "[[axis]]", f"name = {_text(name)}"]
    said = _asked(f"{name}: bounds as in 40 to 120, or 40 to 120 °C in steps of 0.5; or values as in Pd, Ni, Cu", None)
    while True:
        if (bounds := _bounds(said)) is not None:
            return [*lines, *bounds], True
        values = list(dict.fromkeys(part.strip() for part in said.split(",") if part.strip()))
        if len(values) > 1:
            return [*lines, 'kind = "choice"', f"values = [{', '.join(map(_text, values))}]"], False
        click.echo("Give a lower and an upper bound, or at least two values with commas between.", err=True)
        said = _asked(name, None)


def _bounds(said: str) -> list[str] | None:
    """Return the lines of ``40 to 120 °C in steps of 0.5``, whose unit and steps may be left out; None for all else."""
    found = RANGE.fullmatch(said)
    numbers = [] if found is None else [number for number in found.group("low", "high", "step") if number is not None]
    if found is None or not all(PLAIN.fullmatch(number) for number in numbers):
        return None
    low, high, *step = map(float, numbers)
    if not low < high or not all(0 < one <= high - low for one in step):
        return None
    unit = [f"unit = {_text(found['unit'])}"] if found["unit"] else []
    return [f"low = {low:g}", f"high = {high:g}", *(f"step = {one:g}" for one in step), *unit]


def _travel(numbers: list[str], choices: list[str]) -> Iterator[str]:
    """Yield the lines of the travel cost."""
    kind = _chosen("What does a move cost?", COSTS) if numbers else "fee"
    unit = _asked("In which unit (m, min, EUR)?", "min" if kind == "ramp" else "m" if kind == "distance" else "")
    parts = []
    if kind == "fee":
        parts.append(f'{{kind = "fee", amount = {_number("How much is a move?", 1.0):g}}}')
    elif kind == "distance":
        names = ", ".join(map(_text, numbers))
        scale = _number("How much does one unit of distance cost?", 1.0)
        parts.append(f'{{kind = "euclidean", axes = [{names}], scale = {scale:g}}}')
    else:
        ramps = []
        for axis in numbers:
            up = _number(f"How fast can {axis} go up, in its unit per {unit or 'unit of cost'}?", 1.0)
            down = _number(f"How fast can {axis} go down?", up)
            ramps.append(f'{{kind = "ramp", axis = {_text(axis)}, up = {up:g}, down = {down:g}}}')
        parts += ramps if len(ramps) == 1 else [f'{{kind = "parallel", parts = [{", ".join(ramps)}]}}']
    if kind != "fee":
        for axis in choices:
            fee = _number(f"What does any change of {axis} cost?", 1.0)
            parts.append(f'{{kind = "switch", axis = {_text(axis)}, fee = {fee:g}}}')
    yield from ("", "# What moving costs; docs/study-file.md lists every kind.", "[travel]", 'kind = "serial"')
    yield f"unit = {_text(unit)}"
    yield from ("parts = [", *(f"    {part}," for part in parts), "]")


def _text(words: str) -> str:
    """Return text as TOML writes it."""
    escaped = words.replace("\\", "\\\\").replace('"', '\\"')
    if any(not one.isprintable() for one in escaped):
        raise InvalidInput(f"{words!r} has characters that cannot be printed; leave them out")
    return f'"{escaped}"'


def _asked(question: str, default: str | None) -> str:
    answer: str = click.prompt(question, default=default, show_default=bool(default), err=True)
    return answer.strip()


def _chosen(question: str, words: dict[str, str]) -> str:
    for word, said in words.items():
        click.echo(f"  {word}: {said}", err=True)
    answer: str = click.prompt(question, type=click.Choice(list(words)), default=next(iter(words)), err=True)
    return answer


def _number(question: str, default: float) -> float:
    while True:
        number: float = click.prompt(question, type=float, default=default, err=True)
        if 0 < number < float("inf"):
            return number
        click.echo("Give a number above 0.", err=True)


def _count(question: str, default: int) -> int:
    number: int = click.prompt(question, type=click.IntRange(1, 10**6), default=default, err=True)
    return number
