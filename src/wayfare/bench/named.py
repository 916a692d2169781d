"""Methods and problems by name: one of ours, or anyone's own, written ``module:attribute``.

Such a name imports code. So the benchmark alone reads it, from the command that was typed; a study file never
does, for it may come from anywhere.
"""

import hashlib
import importlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import TypeVar

import numpy as np

from wayfare._core import checks
from wayfare._core.rng import stream
from wayfare.bench.problems import Problem, problem_named
from wayfare.errors import InvalidInput
from wayfare.planning.catalogue import method_named
from wayfare.planning.method import Method

Part = TypeVar("Part")

PORTABLE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
CLOSE = 1e-3
"""How near to its optimum a problem's best place must come, as a share of the range of its values."""


def find_method(name: str) -> Method:
    """Return the method of that name in the catalogue, or the one that ``module:attribute`` points to."""
    return own_part(name, Method, "method") if is_own(name) else method_named(name)


def find_problem(name: str) -> Problem:
    """Return the problem of that name among ours, or the one that ``module:attribute`` points to."""
    if not is_own(name):
        return problem_named(name)
    problem = own_part(name, Problem, "problem")
    check_problem(problem, name)
    return problem


def is_own(name: str) -> bool:
    """Return whether a name points into a module."""
    return ":" in name


def portable(name: str) -> str:
    """Return a name as part of a file name; different names stay different on every file system.

    Some do not tell capitals from small letters, so capitals are escaped too. The escape is ``=`` and two
    digits, ``mine=3apatient``, because a link in a report would take ``%`` for one of its own.
    """
    return "".join(
        letter if letter in PORTABLE else "".join(f"={byte:02x}" for byte in letter.encode("utf8", "surrogatepass"))
        for letter in name
    )


def code_of(names: Iterable[str]) -> dict[str, str]:
    """Return the file of every module that the names point into, and a digest of what was loaded from it.

    Results of other code are other results. What the module itself imports is not looked at.
    """
    modules = dict.fromkeys(name.partition(":")[0] for name in names if is_own(name))
    return {f"{module}.py": digest(module) for module in modules}


@cache  # as it was loaded: a process that runs for days does not notice that its file has changed since
def digest(module: str) -> str:
    """Return twelve hex digits that change with the module's file; none where it has no file."""
    file = getattr(import_named(module, f"module {module!r}"), "__file__", None)
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:12] if file else ""


def own_part(name: str, kind: type[Part], what: str) -> Part:
    """Return the object that ``module:attribute`` points to, called if it is a function."""
    where = f"{what} {name!r}"
    module_name, attribute = name.split(":", 1)
    if not all(word.isidentifier() for word in (*module_name.split("."), attribute)):
        raise InvalidInput(f"{where}: your own is written module:attribute, as in mine:patient")
    module = import_named(module_name, where)
    digest(module_name)
    try:
        found = getattr(module, attribute)
    except AttributeError as error:
        file = getattr(module, "__file__", None) or "built in"
        raise InvalidInput(f"{where}: {module_name} ({file}) has no {attribute!r}") from error
    if not isinstance(found, kind) and callable(found):
        try:
            found = found()
        except Exception as error:  # it is anyone's code
            raise InvalidInput(f"{where}: {attribute}() failed with {said(error)}") from error
    if not isinstance(found, kind):
        raise InvalidInput(
            f"{where} must be a {kind.__name__}, or a function without arguments that returns one; "
            f"it is a {type(found).__name__}"
        )
    return found


def import_named(module: str, where: str) -> ModuleType:
    """Return a module, imported now if it was not before."""
    try:
        return importlib.import_module(module)
    except (Exception, SystemExit) as error:  # it is anyone's code, and may be a script
        # A module that is there, but imports one that is not, fails with the other's name.
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            stem = module.removesuffix(".py")
            way_out = "it must be in the current directory or installed, on a cluster for all workers"
            way_out = way_out if stem == module else f"write {stem}:…, without .py"
            raise InvalidInput(f"{where}: there is no module {module!r} to import; {way_out}") from error
        raise InvalidInput(
            f"{where}: importing {module} failed with {said(error)}; `python -c 'import {module}'` shows where"
        ) from error


def said(error: BaseException) -> str:
    """Return an error as one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def check_problem(problem: Problem, name: str) -> None:
    """Refuse a problem whose parts do not fit together: its regret would mean nothing."""
    where, space = f"problem {name!r}", problem.space
    for part in ("start", "best"):
        if (shape := getattr(problem, part).shape) != (space.d,):
            raise InvalidInput(f"{where}: {part} must have shape ({space.d},), got {shape}")
    best = problem.best[None, :]
    if not space.contains(best).all():
        raise InvalidInput(f"{where}: best, {problem.best.tolist()}, is not in its space")
    x = np.vstack([best, space.sample(64, stream(0, "check", name))])
    try:
        values = np.asarray(problem.function(x))
    except Exception as error:  # it is anyone's code
        raise InvalidInput(f"{where}: its function failed with {said(error)}") from error
    if values.shape != (len(x),) or not np.isfinite(values).all():
        raise InvalidInput(
            f"{where}: its function must return a finite value for each of {len(x)} places, as an array of "
            f"shape ({len(x)},); it returned {values.dtype} of shape {values.shape}"
        )
    optimum = checks.number(problem.optimum, f"{where}: optimum")
    top = int(values.argmax())
    near = CLOSE * float(np.ptp(values)) + 1e-9 * abs(optimum)
    if values[top] > optimum + near:
        at = x[top].tolist()
        raise InvalidInput(f"{where}: optimum is {optimum:g}, but at {at} the function is {values[top]:g}")
    if values[0] < optimum - near:
        raise InvalidInput(f"{where}: optimum is {optimum:g}, but at best the function is {values[0]:g}")
