"""A mapping that grows: adding to it returns another one at little cost, and leaves the first as it was."""

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Layers(Mapping[K, V], Generic[K, V]):
    """A mapping in the order in which its keys were added; none is added twice.

    It is a few dicts, each at least twice as large as the next, which mappings share. So adding n keys one by one
    copies each about log n times, and looking one up takes about log n looks at most.
    """

    def __init__(self, layers: tuple[dict[K, V], ...] = ()) -> None:
        """Go on from these dicts; ``Layers()`` is empty."""
        self._layers = layers

    def plus(self, added: dict[K, V]) -> "Layers[K, V]":
        """Return the mapping with further keys."""
        if not added:
            return self
        layers = [*self._layers, added]
        while len(layers) > 1 and len(layers[-2]) < 2 * len(layers[-1]):
            layers[-2:] = [layers[-2] | layers[-1]]
        return Layers(tuple(layers))

    def __getitem__(self, key: K) -> V:
        for layer in self._layers:
            if key in layer:
                return layer[key]
        raise KeyError(key)

    def __iter__(self) -> Iterator[K]:
        return chain.from_iterable(self._layers)

    def __len__(self) -> int:
        return sum(map(len, self._layers))
