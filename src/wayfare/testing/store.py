"""The tests that every store must pass: inherit from ``StoreContract`` and override its fixture with your store."""

import json
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from threading import Barrier

import pytest

from wayfare.errors import Conflict, InvalidInput, UnknownStudy
from wayfare.store import Store

ODD_TEXTS = ("", "über", "北京", "🚤", 'a"quote', "back\\slash", "two\nlines", "nul\0in", "\x7f", "\u2028", "\ud800")
STRANGE_NAMES = ("北京 🚤", "a'b\"c", "-- drop", "nul\0inside", "nul", "%s", " spaced ", "\ud800", "x" * 5000)
FORM = '{"name":"hill","trials":5,"note":"a \\u00fc, a \\"quote\\" and a \\\\"}'


def line(number: int) -> str:
    """Return the text of an event; a store does not look into it."""
    return f'{{"kind":"told","number":{number},"value":-0.1,"request":"request {number}"}}'


class StoreContract:
    """The promises of ``Store``."""

    @pytest.fixture
    def store(self) -> Store:
        raise NotImplementedError("override this fixture with the store to be tested")

    def test_studies_are_listed_oldest_first(self, store: Store) -> None:
        for name in ("zebra", "ant"):
            store.create(name, FORM)
        assert list(store.names()) == ["zebra", "ant"]

    def test_a_form_comes_back_letter_for_letter(self, store: Store) -> None:
        long = json.dumps({"cells": ["0.1"] * 100_000})  # a map, for example
        for name, form in (("hill", FORM), ("lake", long)):
            store.create(name, form)
            assert tuple(store.read(name)) == (form, [])
        assert store.read("hill").form == FORM

    def test_a_study_may_begin_with_events(self, store: Store) -> None:
        events = [line(0), line(1)]
        store.create("hill", FORM, events)
        store.append("hill", 2, [line(2)])
        assert tuple(store.read("hill")) == (FORM, [line(0), line(1), line(2)])
        with pytest.raises(Conflict, match="hill"):
            store.create("hill", FORM, [line(3)])
        assert len(store.read("hill").events) == 3

    def test_a_name_is_taken_once(self, store: Store) -> None:
        store.create("hill", FORM)
        store.append("hill", 0, [line(0)])
        with pytest.raises(Conflict, match="hill"):
            store.create("hill", FORM)
        assert list(store.read("hill").events) == [line(0)]

    def test_a_study_that_was_not_created_is_unknown(self, store: Store) -> None:
        store.create("hill", FORM)
        with pytest.raises(UnknownStudy, match="nowhere"):
            store.read("nowhere")
        with pytest.raises(UnknownStudy):
            store.append("nowhere", 0, [line(0)])

    def test_a_strange_name_is_kept_as_it_is_or_refused(self, store: Store) -> None:
        store.create("hill", FORM)
        kept = ["hill"]
        for name in STRANGE_NAMES:
            form = json.dumps({"name": name})
            try:
                store.create(name, form)
            except InvalidInput:
                with pytest.raises(UnknownStudy):
                    store.read(name)
                continue
            kept.append(name)
            store.append(name, 0, [line(0)])
            assert tuple(store.read(name)) == (form, [line(0)])
        assert list(store.names()) == kept
        assert len(kept) >= len(STRANGE_NAMES) - 2

    def test_events_come_back_in_order_and_from_where_one_asks(self, store: Store) -> None:
        store.create("hill", FORM)
        store.append("hill", 0, [line(0), line(1)])
        store.append("hill", 2, [line(2)])
        for since in range(4):
            assert tuple(store.read("hill", since)) == (FORM, [line(number) for number in range(since, 3)])

    def test_events_come_back_letter_for_letter(self, store: Store) -> None:
        store.create("hill", FORM)
        events = [json.dumps({"kind": "failed", "why": text}) for text in (*ODD_TEXTS, "x" * 1_000_000)]
        # No store may look into the text, nor let its database do so.
        events += ["", " ", "null", "1e300", "'; DROP TABLE event; --", "%s", "?", ":name"]
        store.append("hill", 0, events)
        assert list(store.read("hill").events) == events

    def test_an_append_after_the_wrong_count_changes_nothing(self, store: Store) -> None:
        store.create("hill", FORM)
        store.append("hill", 0, [line(0)])
        for after in (0, 2):
            for events in ([line(1), line(2)], [line(1)], []):
                with pytest.raises(Conflict):
                    store.append("hill", after, events)
        store.append("hill", 1, [])
        assert list(store.read("hill").events) == [line(0)]

    def test_studies_do_not_mix(self, store: Store) -> None:
        store.create("hill", FORM)
        store.create("lake", FORM)
        store.append("hill", 0, [line(0)])
        assert list(store.read("lake").events) == []

    def test_changing_a_list_given_or_returned_does_not_change_the_store(self, store: Store) -> None:
        store.create("hill", FORM)
        events = [line(0)]
        store.append("hill", 0, events)
        events.append(line(1))
        returned = store.read("hill").events
        if isinstance(returned, list):
            returned.append(line(2))
        assert list(store.read("hill").events) == [line(0)]

    def test_of_threads_that_append_at_the_same_place_exactly_one_wins(self, store: Store) -> None:
        store.create("hill", FORM)
        crowd, rounds = 6, 10
        together = Barrier(crowd)

        def race(worker: int) -> int:
            wins = 0
            for after in range(rounds):
                together.wait()
                try:
                    store.append("hill", after, [line(worker)])
                except Conflict:
                    continue
                except Exception:
                    together.abort()  # or the others would wait for this thread for ever
                    raise
                wins += 1
            return wins

        with ThreadPoolExecutor(crowd) as pool:
            assert sum(pool.map(race, range(crowd))) == rounds
        assert len(store.read("hill").events) == rounds

    # A store may do without ``planning``; then several workers may plan at once, and these tests are skipped.

    def test_one_thread_at_a_time_plans_a_study(self, store: Store) -> None:
        planning = _planning(store)
        store.create("hill", FORM)
        inside, most, crowd = 0, 0, 4

        def plan(worker: int) -> None:
            nonlocal inside, most
            for _ in range(5):
                with planning("hill"):
                    inside += 1
                    most = max(most, inside)
                    time.sleep(0.001)
                    inside -= 1

        with ThreadPoolExecutor(crowd) as pool:
            list(pool.map(plan, range(crowd)))
        assert most == 1

    def test_planning_keeps_nobody_from_reading_or_appending(self, store: Store) -> None:
        planning = _planning(store)
        store.create("hill", FORM)
        with planning("hill"), ThreadPoolExecutor(1) as pool:
            pool.submit(store.append, "hill", 0, [line(0)]).result(timeout=30)
            found = pool.submit(store.read, "hill").result(timeout=30)
        assert list(found.events) == [line(0)]

    def test_studies_are_planned_independently(self, store: Store) -> None:
        planning = _planning(store)
        for name in ("hill", "lake"):
            store.create(name, FORM)

        def plan(name: str) -> str:
            with planning(name):
                return name

        with planning("hill"), ThreadPoolExecutor(1) as pool:
            assert pool.submit(plan, "lake").result(timeout=30) == "lake"

    def test_planning_ends_with_an_error_inside(self, store: Store) -> None:
        planning = _planning(store)
        store.create("hill", FORM)
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt), planning("hill"):
                raise KeyboardInterrupt


def _planning(store: Store) -> Callable[[str], AbstractContextManager[object]]:
    """Return the method ``planning`` of a store."""
    if not hasattr(store, "planning"):
        pytest.skip("this store lets all workers plan at once")
    return store.planning
