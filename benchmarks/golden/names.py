"""Keyword names: scripts use today's names, and this module translates them for an older wayfare.

``end`` became ``home`` and ``run_cost`` became ``dwell``, in Python, on the command line and in files.
"""

import inspect
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import wayfare as wf

OLD_NAMES = {"home": "end", "dwell": "run_cost"}
"""From the new name to the one before."""
NEW_NAMES = {old: new for new, old in OLD_NAMES.items()}


@cache
def is_known(name: str) -> bool:
    """Return whether ``Study.create`` takes a new name, found out by using it."""
    space = wf.Space(wf.Real("x", 0, 1))
    option: dict[str, Any] = {name: None if name == "home" else 0.0}
    try:
        wf.Study.create(space, direction="maximize", travel=wf.Euclidean(), trials=1, **option)
    except (TypeError, wf.WayfareError):
        return False
    return True


def spelt(name: str) -> str:
    """Return an option's name as the installed wayfare spells it."""
    return OLD_NAMES[name] if name in OLD_NAMES and not is_known(name) else name


def keywords(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of ``Study.create`` as the installed wayfare spells them."""
    return {spelt(name): value for name, value in options.items()}


def order_keywords(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of ``wf.order`` as the installed wayfare spells them."""
    known = inspect.signature(wf.order).parameters
    return {name if name in known else OLD_NAMES.get(name, name): value for name, value in options.items()}


def study_file(text: str) -> str:
    """Return a study file whose keys are as the installed wayfare spells them."""
    for name in OLD_NAMES:
        text = re.sub(rf"^{name} =", f"{spelt(name)} =", text, flags=re.MULTILINE)
    return text


def command_options(arguments: list[str], help_text: str) -> list[str]:
    """Return a command's arguments with options as its help spells them."""
    return [
        f"--{OLD_NAMES[one[2:]]}" if one[2:] in OLD_NAMES and one not in help_text.split() else one for one in arguments
    ]


def with_new_names(value: Any) -> Any:
    """Return plain data whose keys have the new names, whichever wayfare wrote it."""
    if isinstance(value, dict):
        return {NEW_NAMES.get(key, key): with_new_names(one) for key, one in value.items()}
    return [with_new_names(one) for one in value] if isinstance(value, list) else value
