"""Everything public with more than two arguments describes them."""

import inspect
from importlib import import_module
from pkgutil import walk_packages

import pytest

import wayfare


def public_callables():
    """Return the public functions and methods by their full name."""
    found = {}
    packages = [name for _, name, is_package in walk_packages(wayfare.__path__, "wayfare.") if is_package]
    for package in ["wayfare", *packages]:
        module = import_module(package)
        for name in module.__all__:
            thing = getattr(module, name, None)
            if inspect.isfunction(thing):
                found[f"{thing.__module__}.{name}"] = thing
            elif inspect.isclass(thing) and thing.__module__.startswith("wayfare."):
                members = {key: getattr(value, "__func__", value) for key, value in vars(thing).items()}
                found |= {
                    f"{thing.__module__}.{name}.{key}": value
                    for key, value in members.items()
                    if inspect.isfunction(value) and not key.startswith("_")
                }
    return found


def of_protocols():
    """Return the names of the methods that a protocol describes for all classes that have them."""
    names = [name for _, name, _ in walk_packages(wayfare.__path__, "wayfare.") if not name.endswith("__main__")]
    names = [name for name in names if ".plug." not in name]  # they need packages that may be missing
    kinds = {kind for name in names for kind in vars(import_module(name)).values() if isinstance(kind, type)}
    protocols = [
        kind for kind in kinds if getattr(kind, "_is_protocol", False) and kind.__module__.startswith("wayfare")
    ]
    return {name for kind in protocols for name, one in vars(kind).items() if "Args:" in (inspect.getdoc(one) or "")}


CALLABLES = public_callables()
DESCRIBED = {*of_protocols(), "suits"}  # an optional method of a policy, which ``Policy`` describes


def test_there_are_public_callables():
    assert len(CALLABLES) > 150


@pytest.mark.parametrize("name", sorted(CALLABLES))
def test_public_callable_with_more_than_two_arguments_describes_them(name):
    function = CALLABLES[name]
    arguments = [one for one in inspect.signature(function).parameters if one not in ("self", "cls")]
    if len(arguments) > 2 and name.rpartition(".")[2] not in DESCRIBED:
        assert "Args:" in (inspect.getdoc(function) or ""), f"{name}({', '.join(arguments)})"
