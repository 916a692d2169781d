"""The server itself, on loopback: live events, restarts, slow clients, the command that starts it."""

import http.client
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial

import pytest
from click.testing import CliRunner

import wayfare as wf
import wayfare.web.app as app_module
import wayfare.web.server as server_module
from tests.web.conftest import make_study
from wayfare.cli import main
from wayfare.store import rename
from wayfare.web import Users, make_app
from wayfare.web.demo import Boat
from wayfare.web.routes import API
from wayfare.web.server import listening, make_server

FLOW = f"{API}/studies/flow"
PATIENCE = 60
"""Seconds to wait for what must come on a busy machine; nothing is judged by how long it took."""


class Browser:
    """A client of a real server, with a connection for every request."""

    def __init__(self, address, cookie=""):
        self.address, self.cookie = address, cookie

    def open(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection(self.address, timeout=PATIENCE)
        usual = {"Origin": f"http://{self.address}", "Content-Type": "application/json", "Cookie": self.cookie}
        connection.request(method, path, None if body is None else json.dumps(body), usual | headers)
        return connection, connection.getresponse()

    def get(self, path):
        return self.said(*self.open("GET", path))

    def post(self, path, **body):
        return self.said(*self.open("POST", path, body))

    def said(self, connection, answer):
        with closing(connection), answer:
            text = answer.read()
        assert answer.status == 200, text
        return json.loads(text)

    def sign_in(self, token):
        connection, answer = self.open("POST", f"{API}/session", {"token": token})
        with closing(connection), answer:
            assert answer.read()
        self.cookie = answer.getheader("set-cookie").partition(";")[0]
        return self

    def follow(self, path, until, since=None):
        """Return the events of a live stream, as soon as ``until`` of them is true."""
        headers = {} if since is None else {"Last-Event-ID": str(since)}
        connection, answer = self.open("GET", path, **headers)
        found = []
        with closing(connection), answer:
            for line in answer:
                if line.startswith(b"data: {") and line.strip() != b"data: {}":
                    found.append(json.loads(line[6:]))
                    if until(found):
                        return found
        raise AssertionError(f"the stream ended after {len(found)} events")


@contextmanager
def running(app):
    """Serve an application in a thread of this process."""
    with listening("127.0.0.1", 0) as listener:
        server = make_server(app)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield f"127.0.0.1:{listener.getsockname()[1]}"
        finally:
            app.state.server.live.stop()
            server.should_exit = True
            thread.join()


@pytest.fixture
def browser(app):
    with running(app) as address:
        yield Browser(address).sign_in(app.state.token)


def test_twenty_listeners_miss_nothing_that_eight_workers_tell(store, users):
    """Every listener gets every event once and in order, whenever it came and however often it was cut off."""
    study = make_study(store, trials=40)
    app = make_app(store, users=users)
    last = 2 * 40

    def work(worker):
        while trials := browser.post(f"{FLOW}/ask", worker=f"w{worker}")["trials"]:
            browser.post(f"{FLOW}/trials/{trials[0]['number']}/tell", value=float(worker))

    def closed(found):
        return sum(one["what"] in ("asked", "told") for one in found)

    def listen(number):
        found = []
        while closed(found) < last:
            piece, since = 1 + 7 * number, found[-1]["version"] if found else None  # some are cut off often
            enough = partial(lambda before, new, piece: len(new) == piece or closed(before + new) == last, found[:])
            found += browser.follow(f"{FLOW}/live?since=0", partial(enough, piece=piece), since)
        return found

    with running(app) as address:
        browser = Browser(address).sign_in(app.state.token)
        with ThreadPoolExecutor(28) as pool:
            heard = [pool.submit(listen, number) for number in range(20)]
            for one in [pool.submit(work, worker) for worker in range(8)]:
                one.result(timeout=4 * PATIENCE)
            heard = [one.result(timeout=4 * PATIENCE) for one in heard]
    events = [type(event).__name__.lower() for event in study.events]
    assert events.count("told") == 40
    for found in heard:
        assert [one["version"] for one in found] == list(range(1, len(events) + 1))
        assert [one["what"] for one in found] == events


def test_what_is_told_elsewhere_comes_to_the_page(browser, store, study):
    other = wf.Study.open(store, "flow", by="bench")
    with ThreadPoolExecutor(2) as pool:
        page = pool.submit(browser.follow, f"{FLOW}/live", lambda found: found[-1]["what"] == "told")
        listed = pool.submit(browser.follow, f"{API}/live", lambda found: found[-1]["versions"].get("flow", 0) >= 3)
        while not page.done() or not listed.done():  # until both have begun to listen
            other.tell(other.ask(), 1.0)
            time.sleep(0.2)
    told = page.result()[-1]
    assert (told["what"], told["by"], told["via"]) == ("told", "bench", "python")
    assert listed.result()[-1]["versions"].keys() == {"flow"}


def test_page_that_follows_a_study_is_told_when_it_is_gone(browser, store, study):
    study.tell(study.ask(), 1.0)
    listens = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        page = pool.submit(browser.follow, f"{FLOW}/live?since=0", lambda found: listens.set() or "detail" in found[-1])
        assert listens.wait(PATIENCE)
        rename(store, "flow", "old")
        assert "renamed to 'old'" in page.result()[-1]["detail"]


def test_page_that_follows_a_study_is_told_when_another_has_its_name(browser, store, study):
    study.tell(study.ask(), 1.0)
    listens = threading.Event()
    with ThreadPoolExecutor(1) as pool:
        page = pool.submit(browser.follow, f"{FLOW}/live?since=0", lambda found: listens.set() or "detail" in found[-1])
        assert listens.wait(PATIENCE)
        make_study(store, "other")
        rename(store, "flow", "old")
        rename(store, "other", "flow")
        assert "detail" in page.result()[-1]


def test_slow_clients_are_cut_off_and_others_are_served(store, study, users, monkeypatch):
    """A head that trickles, a body that trickles, a connection that says nothing: each ends, none keeps others out."""
    monkeypatch.setattr(server_module, "HEAD", 0.4)
    monkeypatch.setattr(app_module, "SLOWEST", 0.4)
    app = make_app(store, users=users)
    with running(app) as address:
        host, _, port = address.partition(":")
        browser = Browser(address).sign_in(app.state.token)
        head = (
            f"POST {FLOW}/ask HTTP/1.1\r\nHost: {address}\r\nOrigin: http://{address}\r\nCookie: {browser.cookie}\r\n"
        )
        begun = f"{head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{{"
        slow = [socket.create_connection((host, int(port)), timeout=PATIENCE) for _ in range(30)]
        for at, one in enumerate(slow):
            one.sendall([b"", head.encode(), begun.encode()][at % 3])
        assert browser.get(FLOW)["version"] == 0
        ends = [one.recv(10_000) for one in slow]
        for one in slow:
            one.close()
        assert [end[:12] for end in ends] == [b"", b"", b"HTTP/1.1 408"] * 10
        assert browser.get(FLOW)["version"] == 0  # and nothing was handed out


def test_head_that_has_no_end_is_refused(browser):
    host, _, port = browser.address.partition(":")
    with socket.create_connection((host, int(port)), timeout=PATIENCE) as endless:
        endless.sendall(f"GET / HTTP/1.1\r\nHost: {browser.address}\r\nX-Long: ".encode() + b"x" * 20_000)
        assert endless.recv(10_000).startswith(b"HTTP/1.1 400")
    assert browser.get(FLOW)["version"] == 0


RAW = {
    "GET http://evil.example/api/v1/session HTTP/1.1\r\nHost: OWN": 404,
    "GET /api/v1/session HTTP/1.1\r\nHost: OWN\r\nHost: evil.example": 400,
    "GET /api/v1/session HTTP/1.0": 421,
    "CONNECT evil.example:443 HTTP/1.1\r\nHost: OWN": 403,
    "GET /../../etc/passwd HTTP/1.1\r\nHost: OWN": 404,
    "GET /%2e%2e/lab.db HTTP/1.1\r\nHost: OWN": 404,
    "POST /api/v1/session HTTP/1.1\r\nHost: OWN\r\nTransfer-Encoding: chunked\r\nContent-Length: 5": 403,
    "not HTTP at all": 400,
}


def test_raw_requests_of_no_browser_are_refused(browser):
    host, _, port = browser.address.partition(":")
    for text, status in RAW.items():
        with socket.create_connection((host, int(port)), timeout=PATIENCE) as one:
            one.sendall(f"{text}\r\n\r\n".replace("OWN", browser.address).encode())
            assert one.recv(10_000).split()[1] == str(status).encode(), text
    assert browser.get(FLOW)["version"] == 0


SERVE = [sys.executable, "-m", "wayfare", "serve"]
# A server that dies as soon as a result is stored, before it is acknowledged.
DIES = """
import os, sys
from wayfare.study.journal import Journal
commit = Journal.commit
def dying(self, request, decide, **more):
    state = commit(self, request, decide, **more)
    if type(state.last).__name__ == "Told":
        os._exit(9)
    return state
Journal.commit = dying
from wayfare.cli import main
from wayfare.store import rename
main(["serve", *sys.argv[1:]])
"""


@contextmanager
def started(command):
    """Start a server in a process of its own; give it, its address and its link's token."""
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().split("http://")[1].strip()
        yield server, address, server.stdout.readline().partition("#token=")[2].strip()
    finally:
        server.kill()
        server.communicate()


@pytest.mark.slow
@pytest.mark.subprocess
def test_result_outlives_a_server_killed_between_commit_and_answer(store, study):
    """The page keeps the result and its id until it is answered: sent again to the next server, it is stored once."""
    body = {"value": 2.5, "request": "phone-1"}
    with started([sys.executable, "-c", DIES, str(store), "--port", "0"]) as (server, address, token):
        browser = Browser(address).sign_in(token)
        number = browser.post(f"{FLOW}/ask")["trials"][0]["number"]
        with pytest.raises((OSError, http.client.HTTPException)):
            browser.post(f"{FLOW}/trials/{number}/tell", **body)
        assert server.wait(PATIENCE) == 9
    assert study.snapshot().trials[0].value == 2.5
    with started([*SERVE, str(store), "--port", address.rpartition(":")[2]]) as (server, same, _):
        assert same == address
        again = [browser.post(f"{FLOW}/trials/{number}/tell", **body) for _ in range(3)]  # the session is still good
        assert [one["trial"]["value"] for one in again] == [2.5] * 3
        server.send_signal(signal.SIGTERM)
        server.wait(PATIENCE)
    assert [type(event).__name__ for event in study.events] == ["Planned", "Asked", "Told"]


@pytest.mark.slow
@pytest.mark.subprocess
@pytest.mark.skipif(shutil.which("openssl") is None, reason="a certificate is made by openssl, which is not there")
def test_page_over_https_keeps_its_session_to_https(store, study, tmp_path):
    cert, key = tmp_path / "lab.pem", tmp_path / "lab.key"
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    named = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    made = ["openssl", "req", "-x509", *curve, *named, "-keyout", str(key), "-out", str(cert)]
    subprocess.run(made, check=True, capture_output=True)
    command = [*SERVE, str(store), "--port", "0", "--tls-cert", str(cert), "--tls-key", str(key)]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        address = server.stdout.readline().split("https://")[1].strip()
        token = server.stdout.readline().partition("#token=")[2].strip()
        safe = ssl.create_default_context(cafile=cert)

        def ask(method, path, body=None, **headers):
            connection = http.client.HTTPSConnection(address, context=safe, timeout=PATIENCE)
            sent = {"Origin": f"https://{address}", "Content-Type": "application/json"} | headers
            connection.request(method, path, None if body is None else json.dumps(body), sent)
            with closing(connection), connection.getresponse() as answer:
                return answer, answer.read()

        session, _ = ask("POST", f"{API}/session", {"token": token})
        cookie = session.getheader("set-cookie")
        port = address.rpartition(":")[2]
        assert cookie.startswith(f"__Host-wayfare-{port}=")
        assert {"Secure", "HttpOnly", "SameSite=strict", "Path=/"} <= set(cookie.split("; "))
        mine = {"Cookie": cookie.partition(";")[0]}
        assert ask("POST", f"{FLOW}/ask", {}, **mine)[0].status == 200
        # A page of plain http at the same address, and a connection without https.
        assert ask("POST", f"{FLOW}/ask", {}, **mine, Origin=f"http://{address}")[0].status == 403
        plain = http.client.HTTPConnection(address, timeout=PATIENCE)
        plain.request("GET", "/")
        with pytest.raises((OSError, http.client.HTTPException)):
            plain.getresponse()
    finally:
        server.kill()
        server.communicate()


@pytest.mark.slow
@pytest.mark.subprocess
def test_demo_plays_by_itself():
    with started([*SERVE, "--demo", "--port", "0"]) as (_, address, token):
        browser = Browser(address).sign_in(token)
        path = f"{API}/studies/lagoon"
        found = browser.follow(f"{path}/live?since=0", lambda found: sum(one["what"] == "told" for one in found) == 6)
        assert {one["by"] for one in found} == {"the boat"}
        assert browser.get(path)["status"]["told"] >= 6
        assert browser.get(f"{API}/session")["demo"] is True


def test_boat_goes_on_with_another_study(tmp_path, monkeypatch):
    import wayfare.web.demo as demo

    monkeypatch.setattr(demo, "TRIALS", 3)
    boat = Boat(tmp_path / "demo.db", pause=0.001).start()
    until = time.monotonic() + PATIENCE
    while len(names := wf.SqliteStore(tmp_path / "demo.db").names()) < 2 and time.monotonic() < until:
        time.sleep(0.05)
    boat.stop()
    assert names[:2] == ["lagoon", "lagoon 2"]


def run(*words):
    return CliRunner().invoke(main, [str(word) for word in words])


def test_server_that_others_reach_needs_users_first(store, study):
    done = run("serve", store, "--host", "0.0.0.0", "--port", "0")
    assert done.exit_code == 2
    assert "wayfare users add NAME" in done.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--host", "lab.example"], "--host must be an address"),
        (["--url", "lab.example"], "url must be like https://lab.example"),
        (["--url", "https://lab.example/page"], "with no path"),
        (["--tls-key", "key.pem"], "give --tls-cert, too"),
        (["--tls-cert", "none.pem"], "--tls-cert none.pem cannot be used"),
        (["--store", "other.db"], "the store is given twice"),
        (["--host", "203.0.113.7"], "it has no users yet"),
    ],
)
def test_serve_refuses_what_cannot_be_meant(store, words, said):
    done = run("serve", store, "--port", "0", *words)
    assert done.exit_code == 2
    assert said in done.stderr


def test_serve_takes_no_password_from_a_command_line_and_leaves_no_file_behind(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = run("serve", "postgresql://ana:secret@127.0.0.1/lab")
    assert (done.exit_code, "PGPASSWORD" in done.stderr) == (2, True)
    assert list(tmp_path.iterdir()) == []


def test_serve_names_the_packages_that_are_missing(store, monkeypatch):
    monkeypatch.setitem(sys.modules, "segno", None)
    done = run("serve", store)
    assert done.exit_code == 1
    assert "pip install" in done.stderr


def test_serve_says_that_the_port_is_taken(store):
    with socket.create_server(("127.0.0.1", 0)) as other:
        done = run("serve", store, "--port", other.getsockname()[1])
    assert done.exit_code == 2
    assert "choose another --port" in done.stderr


def test_users_are_added_linked_and_removed(store):
    added = run(
        "users", "add", "ana", "--store", store, "--role", "read", "--study", "flow", "--url", "https://lab.example"
    )
    assert added.stdout.startswith("ana may read flow\nsign in, once and within a day: https://lab.example/#token=")
    token = added.stdout.strip().partition("#token=")[2]
    session = Users(store.with_name("lab.db.users")).trade(token)
    users = Users(store.with_name("lab.db.users"))
    assert users.who(session).grants == {"flow": "read"}
    assert users.trade(token) is None
    assert run("users", "list", "--store", store).stdout.splitlines()[-1].split() == ["ana", "flow", "read"]
    assert json.loads(run("users", "list", "--store", store, "--json").stdout) == {
        "user": "ana",
        "study": "flow",
        "role": "read",
    }
    script = run("users", "token", "ana", "--store", store).stdout.strip()
    assert users.who(script).name == "ana"
    assert "#token=" in json.loads(run("users", "link", "ana", "--store", store, "--json").stdout)["link"]
    assert run("users", "sign-out", "ana", "--store", store).stdout == "3 ended\n"
    assert users.who(script) is None
    assert run("users", "link", "anna", "--store", store).exit_code == 2
    assert run("users", "remove", "ana", "--store", store).exit_code == 0
    assert users.everyone() == {}


def test_link_is_traded_once_however_many_come_at_once(tmp_path):
    users = Users(tmp_path / "users")
    users.add("ana", "read")
    token = users.link("ana")
    with ThreadPoolExecutor(8) as pool:
        traded = list(pool.map(lambda _: users.trade(token), range(16)))
    assert sum(one is not None for one in traded) == 1


def test_make_app_in_memory_serves_a_store_of_any_kind():
    store = wf.MemoryStore()
    make_study(store)
    app = make_app(store)
    with running(app) as address:
        browser = Browser(address).sign_in(app.state.token)
        found = browser.follow(f"{API}/live", lambda found: "flow" in found[-1]["versions"])
        assert found[-1]["versions"] == {"flow": 0}
        assert os.path.basename(browser.get(FLOW)["spec"]["store"]) == "memory"
