"""How each method looks in every figure: a colour within its family, and a line and a mark of the family."""

from collections.abc import Iterable, Sequence

from attrs import frozen

from wayfare.plot.style import SERIES

FAMILIES = {
    "one by one": ("ucb", "ts", "ei"),
    "planned ahead": ("tucb", "tts", "tei", "bpe", "wayfare"),
    "movement-aware": ("snake", "gs", "dist-ucb", "eipu", "tr-ei", "mini", "lsr"),
    "without a model": ("random", "random-route", "lhs-route"),
}
OTHERS = "others"
LINES = ("--", "-", "-.", ":", (0, (6, 1, 1, 1, 1, 1)))
MARKS = ("o", "s", "^", "X", "D")


@frozen
class Look:
    """A colour that survives colour blindness, a line style and a mark."""

    colour: str
    line: str | tuple[int, tuple[int, ...]]
    mark: str


def families(methods: Iterable[str]) -> dict[str, list[str]]:
    """Return the methods by family; those that are not in the catalogue are a family of their own."""
    known = {method: family for family, members in FAMILIES.items() for method in members}
    found: dict[str, list[str]] = {family: [] for family in (*FAMILIES, OTHERS)}
    for method in methods:
        found[known.get(method, OTHERS)].append(method)
    return {family: members for family, members in found.items() if members}


def looks(methods: Sequence[str]) -> dict[str, Look]:
    """Return how each method looks: each in a colour of its own, or, where they are many, within its family.

    Then those of the catalogue look the same in all figures, and a policy has one colour in both families.
    """
    found = {}
    names = [*FAMILIES, OTHERS]
    few = len(methods) <= len(SERIES)
    for family, members in families(methods).items():
        style = names.index(family)
        rivals = methods if few else FAMILIES.get(family, members)
        for method in members:
            found[method] = Look(SERIES[rivals.index(method) % len(SERIES)], LINES[style], MARKS[style])
    return {method: found[method] for method in methods}
