"""Methods and problems by name: ours, or a user's own, written ``module:attribute``.

Such a name imports code. Therefore it is only read from the command line, by the benchmark and ``wayfare worker``; a
study file never has one, because it may come from a stranger.
"""

import hashlib
import importlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from wayfare._core import checks
from wayfare._core.rng import stream
from wayfare.bench.problems import Problem, problem_named
from wayfare.errors import InvalidInput
from wayfare.planning.catalogue import method_named
from wayfare.planning.method import Method

Part = TypeVar("Part")

PORTABLE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
OPTIMUM_RTOL = 1e-3
"""How close the value at ``best`` must be to the optimum, as a share of the range of values."""


def find_method(name: str) -> Method:
    """Return the method of that name in the catalogue, or the one that ``module:attribute`` points to."""
    return _own_part(name, Method, "method") if is_own(name) else method_named(name)


def find_problem(name: str) -> Problem:
    """Return the problem of that name among ours, or the one that ``module:attribute`` points to, checked."""
    if not is_own(name):
        return problem_named(name)
    problem = _own_part(name, Problem, "problem")
    check_problem(problem, name)
    return problem


def is_own(name: str) -> bool:
    """Return whether a name points into a module."""
    return ":" in name


def portable(name: str) -> str:
    """Return a name as part of a file name; different names stay different on every file system.

    Capitals are escaped too, because some file systems ignore case. The escape is ``=`` and two digits,
    ``mine=3apatient``, because a link in a report would take ``%`` for one of its own.
    """
    return "".join(
        letter if letter in PORTABLE else "".join(f"={byte:02x}" for byte in letter.encode("utf8", "surrogatepass"))
        for letter in name
    )


def code_of(names: Iterable[str]) -> dict[str, str]:
    """Return the file of every module that the names point into, and a digest of it; imports are not followed."""
    modules = dict.fromkeys(name.partition(":")[0] for name in names if is_own(name))
    return {f"{module}.py": digest(module) for module in modules}


@cache  # the code as it was loaded: a process that runs for days keeps it when the file changes
def digest(module: str) -> str:
    """Return twelve hex digits that change with the module's file; empty if it has no file."""
    file = getattr(_import_named(module, f"module {module!r}"), "__file__", None)
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()[:12] if file else ""


def one_line(error: BaseException) -> str:
    """Return an error as one line."""
    return " ".join(f"{type(error).__name__}: {error}".split())


def _own_part(name: str, kind: type[Part], what: str) -> Part:
    """Return the object that ``module:attribute`` points to, called if it is a function."""
    where = f"{what} {name!r}"
    found = named_object(name, where, "mine:patient")
    digest(name.partition(":")[0])
    if not isinstance(found, kind) and callable(found):
        try:
            found = found()
        except Exception as error:  # the user's code may raise anything
            attribute = name.partition(":")[2]
            raise InvalidInput(f"{where}: {attribute}() failed with {one_line(error)}") from error
    if not isinstance(found, kind):
        raise InvalidInput(
            f"{where} must be a {kind.__name__}, or a function without arguments that returns one; "
            f"it is a {type(found).__name__}"
        )
    return found


def named_object(name: str, where: str, example: str) -> Any:
    """Return what ``module:attribute`` points to, its module imported.

    Args:
        name: as it was typed.
        where: what it was typed for, to begin messages with.
        example: shows how to write it.
    """
    module_name, _, attribute = name.partition(":")
    if not all(word.isidentifier() for word in (*module_name.split("."), attribute)):
        raise InvalidInput(f"{where}: your own is written module:attribute, as in {example}")
    module = _import_named(module_name, where)
    try:
        return getattr(module, attribute)
    except AttributeError as error:
        file = getattr(module, "__file__", None) or "built in"
        raise InvalidInput(f"{where}: {module_name} ({file}) has no {attribute!r}") from error


def _import_named(module: str, where: str) -> ModuleType:
    try:
        return importlib.import_module(module)
    except (Exception, SystemExit) as error:  # the user's code may raise anything, and a script may exit
        # If the module exists but imports one that does not, the error has the name of the other.
        if isinstance(error, ModuleNotFoundError) and f"{module}.".startswith(f"{error.name}."):
            stem = module.removesuffix(".py")
            way_out = "it must be in the current directory or installed, on a cluster for all workers"
            way_out = way_out if stem == module else f"write {stem}:…, without .py"
            raise InvalidInput(f"{where}: there is no module {module!r} to import; {way_out}") from error
        raise InvalidInput(
            f"{where}: importing {module} failed with {one_line(error)}; `python -c 'import {module}'` shows where"
        ) from error


def check_problem(problem: Problem, name: str) -> None:
    """Refuse a problem whose parts do not fit together: its regret would mean nothing."""
    where, space = f"problem {name!r}", problem.space
    # 1. The shapes.
    for part in ("start", "best"):
        if (shape := getattr(problem, part).shape) != (space.d,):
            raise InvalidInput(f"{where}: {part} must have shape ({space.d},), got {shape}")
    best = problem.best[None, :]
    if not space.contains(best).all():
        raise InvalidInput(f"{where}: best, {problem.best.tolist()}, is not in its space")
    # 2. The function, at the best place and at random ones.
    x = np.vstack([best, space.sample(64, stream(0, "check", name))])
    try:
        values = np.asarray(problem.function(x))
    except Exception as error:  # the user's code may raise anything
        raise InvalidInput(f"{where}: its function failed with {one_line(error)}") from error
    if values.shape != (len(x),) or not np.isfinite(values).all():
        raise InvalidInput(
            f"{where}: its function must return a finite value for each of {len(x)} places, as an array of "
            f"shape ({len(x)},); it returned {values.dtype} of shape {values.shape}"
        )
    # 3. The optimum: attained at the best place, exceeded nowhere.
    optimum = checks.number(problem.optimum, f"{where}: optimum")
    top = int(values.argmax())
    near = OPTIMUM_RTOL * float(np.ptp(values)) + 1e-9 * abs(optimum)
    if values[top] > optimum + near:
        at = x[top].tolist()
        raise InvalidInput(f"{where}: optimum is {optimum:g}, but at {at} the function is {values[top]:g}")
    if values[0] < optimum - near:
        raise InvalidInput(f"{where}: optimum is {optimum:g}, but at best the function is {values[0]:g}")
