"""A real server, a real browser: Debian's chromium, driven by playwright.

Where they cannot be had the tests are skipped and say why; with ``WAYFARE_BROWSER=required``, as in CI, that is an
error. At the end of every test its pages must have asked no other host for anything, and have logged no error.
"""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import quote, urlsplit

import pytest
from click.testing import CliRunner

from wayfare.cli import main
from wayfare.store import SqliteStore

PHONE, DESK = {"width": 390, "height": 844}, {"width": 1280, "height": 800}
SHOTS = Path(os.environ.get("WAYFARE_SHOTS", "out/shots"))
FLAGS = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
CUT = re.compile(r"net::ERR_|Failed to load resource")


def why_not():
    """Return why there is no browser; empty if there is one."""
    if shutil.which("chromium") is None:
        return "there is no chromium: apt-get install chromium"
    try:
        import playwright  # noqa: F401
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as error:
        return f"{error}: make test-web"
    return ""


def pytest_collection_modifyitems(items):
    if not (reason := why_not()) or os.environ.get("WAYFARE_BROWSER") == "required":
        return
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.skip(reason=f"NO BROWSER TESTS: {reason}"))


@pytest.fixture(scope="session")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=FLAGS, chromium_sandbox=False
        )
        yield browser
        browser.close()


def command(store, line):
    """Run a command on a store, as if typed, and return what it prints."""
    import shlex

    result = CliRunner().invoke(main, [*shlex.split(line), "--store", str(store)], prog_name="wayfare")
    assert result.exit_code == 0, result.output
    return result.output


def events(store, name):
    """Return the events of a study without what differs from run to run: stamps and ids of requests."""
    import json

    found = []
    for text in SqliteStore(store).read(name).events:
        event = json.loads(text)
        for key in ("at", "by", "via", "app", "request", "stamp"):
            event.pop(key, None)
        found.append(event)
    return found


class Server:
    """``wayfare serve`` in a process of its own, which can be killed and started again at the same address."""

    def __init__(self, store):
        self.store, self.port, self.process = store, free_port(), None
        self.first_link = self.start()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def start(self):
        """Start it, and return the link that signs in."""
        line = [sys.executable, "-m", "wayfare", "serve", str(self.store), "--port", str(self.port)]
        self.process = subprocess.Popen(
            line, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=os.environ | {"WAYFARE_USER": "ana"}
        )
        for said in self.process.stdout:
            if found := re.search(r"sign in: (\S+)", said):
                self.wait()
                return found[1]
        raise AssertionError("the server said no link")

    def wait(self):
        until = time.monotonic() + 60
        while time.monotonic() < until:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise AssertionError("the server does not answer")

    def kill(self):
        """End it in the middle of whatever it does."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()

    def link(self, user="olga", role="own"):
        """Return a link for a user in a role."""
        said = command(self.store, f"users add {user} --role {role} --url {self.url}")
        return re.search(r"http\S+#token=\S+", said)[0]


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@pytest.fixture
def serve(tmp_path):
    """Return a function that serves a store until the test ends."""
    running = []

    def start(store=None):
        running.append(Server(store or tmp_path / "lab.db"))
        return running[-1]

    yield start
    for server in running:
        if server.process.poll() is None:
            server.kill()


class Watched:
    """A browser of its own (a context), signed in, with all that its pages logged and asked for."""

    def __init__(self, chromium, server, link, **looks):
        self.server, self.errors, self.hosts = server, [], set()
        given = {"viewport": DESK, "locale": "en-GB", "timezone_id": "UTC", "accept_downloads": True} | looks
        self.context = chromium.new_context(**given)
        self.context.set_default_timeout(20_000)
        self.page = self.open()
        if link:
            self.page.goto(link)
            self.page.wait_for_selector("h1:text-is('Studies'), h1:text-is('Studien')")

    def open(self):
        page = self.context.new_page()
        page.on("console", self._log)
        page.on("pageerror", lambda error: self.errors.append(f"{error}"))
        page.on("request", lambda request: self.hosts.add(urlsplit(request.url).netloc))
        page.on("dialog", lambda dialog: (self.errors.append(dialog.message), dialog.dismiss()))
        return page

    def _log(self, message):
        if message.type == "error":
            self.errors.append(message.text)

    def go(self, name, tab=""):
        self.page.goto(f"{self.server.url}/#/study/{quote(name, safe='')}{tab and '/' + tab}")
        return self.page


@pytest.fixture
def browse(chromium):
    """Return a function that opens a browser of its own; at the end all must be clean."""
    opened = []

    def make(server, link="", *, is_cut=False, **looks):
        """Args: server; link to sign in with; is_cut: the network fails on purpose, which a browser logs."""
        one = Watched(chromium, server, link or server.first_link, **looks)
        opened.append((one, is_cut))
        return one

    yield make
    for one, is_cut in opened:
        one.context.close()
        wrong = [error for error in one.errors if not (is_cut and CUT.search(error))]
        assert not wrong, wrong
        assert one.hosts <= {f"127.0.0.1:{one.server.port}", ""}, one.hosts
