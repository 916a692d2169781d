"""What every store must pass: inherit, and say which one by overriding the fixture."""

import pytest

from wayfare.errors import Conflict, UnknownStudy
from wayfare.records import StudySpec, Told
from wayfare.space import Real, Space
from wayfare.spec import make_spec
from wayfare.store import Store
from wayfare.travel import Euclidean


def spec_named(name: str) -> StudySpec:
    """Return a small specification."""
    space = Space(Real("x", 0.0, 1.0))
    return make_spec(space, "maximize", Euclidean(), 5, None, "tucb", 0, "m", None, name)


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
        assert kept.space == spec.space

    def test_a_name_is_taken_once(self, store: Store) -> None:
        store.create(spec_named("hill"))
        with pytest.raises(Conflict, match="hill"):
            store.create(spec_named("hill"))

    def test_a_study_nobody_made_is_unknown(self, store: Store) -> None:
        for call in (store.spec, store.events):
            with pytest.raises(UnknownStudy, match="nowhere"):
                call("nowhere")
        with pytest.raises(UnknownStudy):
            store.append("nowhere", 0, [Told(0, 1.0)])

    def test_events_come_back_in_order_and_from_where_one_asks(self, store: Store) -> None:
        store.create(spec_named("hill"))
        store.append("hill", 0, [Told(0, 1.0), Told(1, 2.0)])
        store.append("hill", 2, [Told(2, 3.0)])
        assert list(store.events("hill")) == [Told(0, 1.0), Told(1, 2.0), Told(2, 3.0)]
        assert list(store.events("hill", since=2)) == [Told(2, 3.0)]

    def test_an_append_after_the_wrong_count_changes_nothing(self, store: Store) -> None:
        store.create(spec_named("hill"))
        store.append("hill", 0, [Told(0, 1.0)])
        for after in (0, 2):
            with pytest.raises(Conflict):
                store.append("hill", after, [Told(1, 2.0)])
        assert list(store.events("hill")) == [Told(0, 1.0)]

    def test_studies_do_not_mix(self, store: Store) -> None:
        store.create(spec_named("hill"))
        store.create(spec_named("lake"))
        store.append("hill", 0, [Told(0, 1.0)])
        assert list(store.events("lake")) == []

    def test_what_was_handed_out_cannot_be_used_to_change_the_store(self, store: Store) -> None:
        store.create(spec_named("hill"))
        events = [Told(0, 1.0)]
        store.append("hill", 0, events)
        events.append(Told(1, 2.0))
        assert list(store.events("hill")) == [Told(0, 1.0)]
