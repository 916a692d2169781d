"""The journey through the command line."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import wayfare as wf
from tests.journey.commands import CommandLine
from tests.journey.machine import Journey

pytestmark = pytest.mark.slow


class CommandLineJourney(Journey):
    def traveller(self, space, **options):
        self.folder = tempfile.TemporaryDirectory()
        path = Path(self.folder.name) / "lab.db"
        wf.Study.create(space, store=path, **options)
        return CommandLine(path)

    def teardown(self):
        if hasattr(self, "folder"):
            self.folder.cleanup()


TestCommandLineJourney = CommandLineJourney.TestCase
TestCommandLineJourney.settings = settings(
    max_examples=8, stateful_step_count=20, deadline=None, suppress_health_check=list(HealthCheck)
)
