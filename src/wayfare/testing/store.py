"""What every store must pass: inherit, and say which one by overriding the fixture."""

import math
import struct
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import numpy as np
import pytest

from wayfare.errors import Conflict, InvalidInput, UnknownStudy
from wayfare.record.events import Amended, Asked, Event, Failed, Inserted, Planned, Replanned, Skipped, StudySpec, Told
from wayfare.record.spec import make_spec
from wayfare.space import Real, Space
from wayfare.store import Store
from wayfare.travel import Euclidean

ODD_FLOATS = (0.0, -0.0, 5e-324, -2.2250738585072e-308, 0.1, 1 / 3, math.pi, -1e300, 2.0**53 + 2)
ODD_TEXTS = ("", "über", "北京", "🚤", 'a"quote', "back\\slash", "two\nlines", "nul\0inside", "\x7f", "\u2028")
STRANGE_NAMES = ("北京 🚤", "a'b\"c", "-- drop", "nul\0inside", "nul", "%s", " spaced ", "\ud800", "x" * 5000)


def spec_named(name: str) -> StudySpec:
    """Return a small specification."""
    space = Space(Real("x", 0.0, 1.0))
    return make_spec(space, "maximize", Euclidean(), 5, None, "tucb", 0, "m", None, name)


def told(number: int, value: float = 1.0) -> Told:
    """Return an event; stores do not mind that nothing was asked before."""
    return Told(number, value, f"request {number}")


def one_of_each() -> list[Event]:
    """Return events of all kinds, with and without what may be left out."""
    notes = {"step": "map", "lengths": [0.1, 0.2], "deep": {"none": None, "yes": True, "text": "ü"}}
    return [
        Planned([[0.1, -0.0], [1 / 3, 5e-324]], [0.0, 0.25], np.array([1, 0]), 3, notes, 7, "1.2"),
        Asked(0, 0, 0.5, "boat", "a"),
        Told(0, -1.5, "b"),
        Told(1, 2.0, "c", (0.5, -0.0), 3.25, ((1, 3.25), (2, 0.1))),
        Failed(2, "broke", "d"),
        Failed(3, "", "e", (0.5, 0.5), 0.0, ((3, 0.0),)),
        Skipped(4, "rain", "f"),
        Skipped(5, "", "g", ((6, 1.0),)),
        Inserted(6, (0.5, 0.75), 0.25, "", "h"),
        Inserted(7, (0.5, 0.75), 0.0, "", "i", True),
        Amended(7, None, "typo", "j"),
        Amended(7, -0.0, "", "k", (1.0, 2.0), 5.0, ((7, 5.0),)),
        Planned([[0.5, 0.5]], [0.1], np.array([0]), 3, {}, 7, "1.2", (120,)),
        Asked(8, 0, 0.5, "boat", "n", 120),
        Told(8, 1 / 3, "o", None, None, (), "two were lost", 118, 5e-324),
        Inserted(9, (0.5, 0.75), 0.25, "", "p", False, 2**53),
        Amended(8, 0.1, "", "q", None, None, (), 2, 0.0),
        Planned([[0.5, 0.5], [0.1, 0.2]], [0.1, 3.0], np.array([0, 1]), 3, {}, 7, "1.2", (), (1,), (0,)),
        Asked(10, 1, 3.0, "drone", "r", 1, True),
        Inserted(11, (0.5, 0.75), 0.25, "", "s", False, 1, True),
        Replanned(None, "", "l"),
        Replanned((0.25, 0.5), "moved by crane", "m"),
    ]


def same(one: object, other: object) -> bool:
    """Return whether two events, or their fields, are equal to the last bit."""
    if type(one) in (float, np.float64):
        return type(other) in (float, np.float64) and struct.pack("d", one) == struct.pack("d", other)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    fields: Any = getattr(type(one), "__attrs_attrs__", ())
    if fields and type(one) is type(other):
        return all(same(getattr(one, field.name), getattr(other, field.name)) for field in fields)
    return one == other


class StoreContract:
    """The promises of ``Store``."""

    @pytest.fixture
    def store(self) -> Store:
        raise NotImplementedError("override this fixture with the store to be tested")

    def test_studies_are_listed_oldest_first(self, store: Store) -> None:
        for name in ("zebra", "ant"):
            store.create(spec_named(name))
        assert list(store.names()) == ["zebra", "ant"]

    def test_a_specification_comes_back_as_it_went_in(self, store: Store) -> None:
        spec = spec_named("hill")
        store.create(spec)
        kept = store.spec("hill")
        assert (kept.name, kept.trials, kept.seed, kept.unit) == ("hill", 5, 0, "m")
        assert (kept.space, kept.travel, kept.method) == (spec.space, spec.travel, spec.method)

    def test_a_name_is_taken_once(self, store: Store) -> None:
        store.create(spec_named("hill"))
        with pytest.raises(Conflict, match="hill"):
            store.create(spec_named("hill"))

    def test_a_study_nobody_made_is_unknown(self, store: Store) -> None:
        store.create(spec_named("hill"))
        for call in (store.spec, store.events):
            with pytest.raises(UnknownStudy, match="nowhere"):
                call("nowhere")
        with pytest.raises(UnknownStudy):
            store.append("nowhere", 0, [told(0)])

    def test_a_strange_name_is_kept_as_it_is_or_refused(self, store: Store) -> None:
        store.create(spec_named("hill"))
        kept = ["hill"]
        for name in STRANGE_NAMES:
            try:
                store.create(spec_named(name))
            except InvalidInput:
                with pytest.raises(UnknownStudy):
                    store.spec(name)
                continue
            kept.append(name)
            store.append(name, 0, [told(0)])
            assert store.spec(name).name == name
        assert list(store.names()) == kept
        assert len(kept) >= len(STRANGE_NAMES) - 2

    def test_events_come_back_in_order_and_from_where_one_asks(self, store: Store) -> None:
        store.create(spec_named("hill"))
        store.append("hill", 0, [told(0), told(1)])
        store.append("hill", 2, [told(2)])
        assert list(store.events("hill")) == [told(0), told(1), told(2)]
        assert list(store.events("hill", since=2)) == [told(2)]
        assert list(store.events("hill", since=3)) == []

    def test_every_kind_of_event_comes_back_equal(self, store: Store) -> None:
        store.create(spec_named("hill"))
        events = one_of_each()
        store.append("hill", 0, events)
        kept = store.events("hill")
        assert len(kept) == len(events)
        for one, other in zip(events, kept, strict=True):
            assert same(one, other), (one, other)

    def test_numbers_come_back_bit_for_bit(self, store: Store) -> None:
        store.create(spec_named("hill"))
        events = [Told(n, value, "a", (value,), abs(value)) for n, value in enumerate(ODD_FLOATS)]
        store.append("hill", 0, events)
        assert all(map(same, events, store.events("hill")))

    def test_text_comes_back_letter_for_letter(self, store: Store) -> None:
        store.create(spec_named("hill"))
        events = [Failed(n, text, text or "a") for n, text in enumerate(ODD_TEXTS)]
        store.append("hill", 0, events)
        assert list(store.events("hill")) == events

    def test_an_append_after_the_wrong_count_changes_nothing(self, store: Store) -> None:
        store.create(spec_named("hill"))
        store.append("hill", 0, [told(0)])
        for after in (0, 2):
            for events in ([told(1), told(2)], [told(1)], []):
                with pytest.raises(Conflict):
                    store.append("hill", after, events)
        store.append("hill", 1, [])
        assert list(store.events("hill")) == [told(0)]

    def test_studies_do_not_mix(self, store: Store) -> None:
        store.create(spec_named("hill"))
        store.create(spec_named("lake"))
        store.append("hill", 0, [told(0)])
        assert list(store.events("lake")) == []

    def test_what_was_handed_out_cannot_be_used_to_change_the_store(self, store: Store) -> None:
        store.create(spec_named("hill"))
        events = [told(0)]
        store.append("hill", 0, events)
        events.append(told(1))
        assert list(store.events("hill")) == [told(0)]

    def test_of_threads_that_append_at_the_same_place_exactly_one_wins(self, store: Store) -> None:
        store.create(spec_named("hill"))
        crowd, rounds = 6, 10
        together = Barrier(crowd)

        def race(worker: int) -> int:
            wins = 0
            for after in range(rounds):
                together.wait()
                try:
                    store.append("hill", after, [told(worker)])
                except Conflict:
                    continue
                except Exception:
                    together.abort()  # or the others would wait for this thread for ever
                    raise
                wins += 1
            return wins

        with ThreadPoolExecutor(crowd) as pool:
            assert sum(pool.map(race, range(crowd))) == rounds
        assert len(store.events("hill")) == rounds
