"""The journey through the library: in a file opened anew for every call, with crashes in between."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import rule

import wayfare as wf
from tests.journey.machine import Journey
from tests.journey.travellers import Library
from wayfare.store import SqliteStore

pytestmark = pytest.mark.slow


class Crashing(SqliteStore):
    """Fails at the next append: before anything is written, or when all is."""

    when = ""

    def append(self, name, after, events):
        when, Crashing.when = Crashing.when, ""
        if when == "before":
            raise wf.StoreError("the disk went away")
        super().append(name, after, events)
        if when == "after":
            raise wf.StoreError("the answer was lost")


class LibraryJourney(Journey):
    def traveller(self, space, **options):
        self.folder = tempfile.TemporaryDirectory()
        store = Crashing(Path(self.folder.name) / "lab.db")
        wf.Study.create(space, store=store, **options)
        return Library(store)

    @rule(when=st.sampled_from(["before", "after"]), place=st.just({"a": 5.0, "b": 5.0}))
    def crash(self, when, place):
        """A storage error in the middle: what is reported is what is stored."""
        if not self.model.affords(place, 1):
            return
        request = f"r{len(self.requests)}"
        Crashing.when = when
        study = wf.Study.open(self.there.store, "s")
        try:
            study.insert(place, request=request)
            reported = True
        except wf.StoreError:
            reported = False
        assert reported == (when == "after")
        stored = request in wf.Study.open(self.there.store, "s").state.requests
        assert stored == reported
        # Sent again, it happens once; the others catch up.
        self.insert_after_all(place)

    def insert_after_all(self, place):
        trial = self.make("insert", place)
        self.model.hand_out(trial.number, place, "", inserted=True)

    def teardown(self):
        if hasattr(self, "folder"):
            self.folder.cleanup()


TestLibraryJourney = LibraryJourney.TestCase
TestLibraryJourney.settings = settings(
    max_examples=20, stateful_step_count=25, deadline=None, suppress_health_check=list(HealthCheck)
)
