"""Requests of a stranger, of a page elsewhere, of a user beyond their role: each is refused as designed.

After every one of them nothing was written, and the server goes on to answer its users.
"""

import json
import random
import time
from types import SimpleNamespace

import pytest
from attrs import field, frozen

import wayfare as wf
import wayfare.web.users as users_module
from tests.web.conftest import BASE, Client, make_study
from wayfare.store import rename
from wayfare.web.app import THREADS, WAITING
from wayfare.web.guard import HEADERS, Origins
from wayfare.web.routes import API
from wayfare.web.users import DAY

FLOW = f"{API}/studies/flow"
TELL = f"{FLOW}/trials/0/tell"
VALUE = {"value": 1.0}
EVIL = "https://evil.example"


@frozen
class Hostile:
    """A request and the status of its refusal; ``who`` sends it: the owner, a reader, or nobody who is signed in."""

    name: str
    status: int
    method: str = "POST"
    path: str = TELL
    json: object = None
    content: bytes | None = None
    headers: dict = field(factory=dict)
    who: str = "owner"


def json_text(text, **more):
    return {
        "content": text.encode() if isinstance(text, str) else text,
        "headers": {"content-type": "application/json"},
        **more,
    }


def form(**more):
    """Return a new study that would be sound without ``more``."""
    axes = [{"name": "x", "low": 0, "high": 1}]
    usual = {"name": "a", "direction": "maximize", "trials": 3, "axis": axes, "travel": {"kind": "euclidean"}}
    return {"form": usual | more}


FORM = {"content-type": "application/x-www-form-urlencoded"}
CASES = [
    # A host that is not ours, above all a name that an attacker points at this machine (DNS rebinding).
    *(
        Hostile(f"host {host}", 421, json=VALUE, headers={"host": host})
        for host in (
            "evil.example",
            "evil.example:8421",
            "127.0.0.1.evil.example",
            "localhost.evil.example:8421",
            "127.0.0.2",
            "0.0.0.0:8421",
            "169.254.169.254",
            "[::ffff:127.0.0.1]:8421",
            "2130706433",
            "127.1",
            "localhost:8421@evil.example",
            "localhost:99999999",
            "localhost:",
            "",
        )
    ),
    Hostile("host of a look", 421, "GET", FLOW, headers={"host": "evil.example"}),
    Hostile("host of the page itself", 421, "GET", "/", headers={"host": "evil.example"}),
    # A page elsewhere, with the browser of a user who is signed in.
    *(
        Hostile(f"origin {origin}", 403, json=VALUE, headers={"origin": origin})
        for origin in (EVIL, "null", "http://127.0.0.1:3000", "http://localhost:8421", "https://127.0.0.1:8421", "")
    ),
    Hostile("no origin", 403, json=VALUE, headers={"origin": None}),
    Hostile("cross-site write", 403, json=VALUE, headers={"sec-fetch-site": "cross-site"}),
    Hostile("write of another port", 403, json=VALUE, headers={"sec-fetch-site": "same-site"}),
    Hostile("cross-site look", 403, "GET", FLOW, headers={"origin": None, "sec-fetch-site": "cross-site"}),
    Hostile("look with an origin", 403, "GET", FLOW, headers={"origin": EVIL}),
    Hostile("cross-site form", 403, content=b"value=1", headers={**FORM, "origin": EVIL}),
    Hostile("form", 415, content=b"value=1", headers=FORM),
    Hostile("JSON as text", 415, content=b'{"value":1}', headers={"content-type": "text/plain"}),
    Hostile("JSON without a type", 415, content=b'{"value":1}'),
    Hostile("multipart form", 415, content=b"--x--", headers={"content-type": "multipart/form-data; boundary=x"}),
    Hostile("preflight", 403, "OPTIONS", headers={"origin": EVIL, "access-control-request-method": "POST"}),
    # Beyond the role.
    Hostile("no session", 401, json=VALUE, who="nobody"),
    Hostile("look without a session", 401, "GET", FLOW, who="nobody"),
    Hostile("live without a session", 401, "GET", f"{FLOW}/live", who="nobody"),
    Hostile("reader tells", 403, json=VALUE, who="reader"),
    Hostile("reader asks", 403, path=f"{FLOW}/ask", json={}, who="reader"),
    Hostile("reader makes a link", 403, path=f"{API}/link", json={}, who="reader"),
    Hostile("reader looks at another study", 404, "GET", f"{API}/studies/secret", who="reader"),
    Hostile("reader follows another study", 404, "GET", f"{API}/studies/secret/live", who="reader"),
    Hostile("reader begins a study", 403, path=f"{API}/studies", json={"toml": ""}, who="reader"),
    Hostile("operator begins a study", 403, path=f"{API}/studies", json={"toml": ""}, who="operator"),
    Hostile("operator renames a study", 403, path=f"{FLOW}/rename", json={"name": "mine"}, who="operator"),
    Hostile("operator archives a study", 403, path=f"{FLOW}/archive", json={"archived": True}, who="operator"),
    Hostile("operator changes a study", 403, path=f"{FLOW}/change", json={"form": {"trials": 99}}, who="operator"),
    Hostile("reader goes home", 403, path=f"{FLOW}/go-home", json={}, who="reader"),
    Hostile("operator makes a link for the owner", 403, path=f"{API}/link", json={"user": "olga"}, who="operator"),
    # Tokens.
    Hostile("link used before", 401, path=f"{API}/session", json={"token": "USED"}, who="nobody"),
    Hostile("guessed link", 401, path=f"{API}/session", json={"token": "A" * 43}, who="nobody"),
    Hostile("token of no size", 401, path=f"{API}/session", json={"token": "A" * 9000}, who="nobody"),
    Hostile("token that is no text", 422, path=f"{API}/session", json={"token": {"$ne": 1}}, who="nobody"),
    Hostile("guessed session", 401, json=VALUE, headers={"cookie": "wayfare-8421=" + "A" * 43}, who="nobody"),
    Hostile("link for a session", 401, json=VALUE, headers={"cookie": "wayfare-8421=LINK"}, who="nobody"),
    Hostile("guessed bearer", 401, json=VALUE, headers={"authorization": "Bearer AAAA"}, who="nobody"),
    Hostile("basic login", 401, json=VALUE, headers={"authorization": "Basic b2xnYTo="}, who="nobody"),
    # Bodies.
    Hostile("large body", 413, **json_text('{"why": "' + "x" * 1_000_001 + '"}')),
    Hostile("large import", 413, path=f"{FLOW}/import", **json_text('{"text": "' + "x" * 12_000_001 + '"}')),
    Hostile("nested body", 400, **json_text("[" * 100_000)),
    Hostile("nested place", 400, **json_text('{"value":1,"actual":' + '{"a":' * 60 + "1" + "}" * 61)),
    Hostile("half a body", 400, **json_text('{"value": 1')),
    Hostile("no body", 400, **json_text("")),
    Hostile("NaN", 400, **json_text('{"value": NaN}')),
    Hostile("infinity by size", 422, **json_text('{"value": 1e999}')),
    Hostile("number of many digits", 400, **json_text('{"value": ' + "9" * 5000 + "}")),
    Hostile("key twice", 400, **json_text('{"value": 1, "value": 2}')),
    Hostile("not UTF-8", 400, **json_text(b'{"value": 1, "why": "\xff\xfe"}')),
    Hostile("half a character", 422, **json_text('{"value": 1, "why": "\\ud800"}')),
    Hostile("a list", 422, **json_text("[1]")),
    Hostile("unknown key", 422, json={"value": 1.0, "by": "somebody else"}),
    Hostile("long remark", 422, json={"value": 1.0, "why": "x" * 10_001}),
    Hostile("many results", 422, json={"value": [1.0] * 3, "count": 3}),
    Hostile("study of files", 422, path=f"{API}/studies", json={"toml": 'name="a"\n[places]\nfile="/etc/passwd"'}),
    Hostile(
        "study with a map of files",
        422,
        path=f"{API}/studies",
        json={"form": {"name": "a", "map": {"cell": 1, "allowed": "../x"}}},
    ),
    Hostile(
        "study of a module", 422, path=f"{API}/studies", json={"form": {"name": "a", "travel": {"kind": "os:system"}}}
    ),
    Hostile("study of deep keys", 422, path=f"{API}/studies", json={"toml": "a" + ".a" * 5000 + "=1"}),
    Hostile("name with half a character", 422, path=f"{FLOW}/rename", **json_text('{"name": "a\\ud800"}')),
    Hostile("name that reads like a path", 422, path=f"{FLOW}/rename", json={"name": ".."}),
    Hostile("change to files", 422, path=f"{FLOW}/change", json={"toml": 'places = {file = "/etc/passwd"}'}),
    Hostile("change of deep keys", 422, path=f"{FLOW}/change", json={"toml": "a" + ".a" * 5000 + "=1"}),
    Hostile("workbook cut short", 422, path=f"{FLOW}/import", json={"data": "UEsDBA=="}),
    Hostile("file of too many lines", 422, path=f"{FLOW}/import", json={"text": "temp,value\n" + "1,2\n" * 100_001}),
    Hostile("trial of another time", 409, json=VALUE | {"issued": "1999-01-01T00:00:00Z"}),
    Hostile("study of nothing", 422, path=f"{API}/studies", json={}),
    Hostile("archive of rubbish", 422, path=f"{API}/studies", json={"archive": "{}", "name": "a"}),
    Hostile("study that reads like an option", 422, path=f"{API}/studies", json={"form": {"name": "--help"}}),
    # Paths and methods.
    Hostile("path above", 404, "GET", "/../lab.db"),
    Hostile("path above, encoded", 404, "GET", "/%2e%2e/%2e%2e/etc/passwd"),
    Hostile("path with a NUL", 404, "GET", "/index.html%00.js"),
    Hostile("path of the store", 404, "GET", "/lab.db"),
    Hostile("path of the users", 404, "GET", f"{API}/studies/..%2flab.db.users"),
    Hostile("file of another kind", 404, "GET", f"{FLOW}/files/..%2f..%2flab.db"),
    Hostile("path not UTF-8", 400, "GET", f"{API}/studies/%ff"),
    Hostile("unknown path", 404, "GET", f"{API}/admin"),
    Hostile("unknown method", 405, "PUT", FLOW, json={}),
    Hostile("delete a study", 405, "DELETE", FLOW),
    Hostile("write to a look", 405, "POST", f"{FLOW}/ledger", json={}),
    Hostile("query twice", 400, "GET", f"{FLOW}/trials?limit=1&limit=2"),
    Hostile("query of no kind", 400, "GET", f"{FLOW}/trials?limit=1e9"),
    Hostile("rows without bound", 422, "GET", f"{FLOW}/trials?limit=1000000"),
    Hostile("since of no kind", 400, "GET", f"{FLOW}/live?since=-1"),
]


@pytest.fixture
def clients(app, owner, signed_in, store, study):
    make_study(store, "secret")
    study.ask()
    return {
        "owner": owner,
        "reader": signed_in("rita", "read", "flow"),
        "operator": signed_in("otto", "operate"),
        "nobody": Client(app),
    }


@pytest.mark.parametrize("case", CASES, ids=[case.name for case in CASES])
def test_hostile_request_is_refused_as_designed(case, clients, app, study, users, store):
    before = study.journal._store.read("flow"), sorted(path.name for path in store.parent.iterdir())
    headers = {"origin": BASE} | case.headers
    link = users.link("otto")
    headers = {key: text.replace("LINK", link) for key, text in headers.items() if text is not None}
    body = case.json
    if body == {"token": "USED"}:
        body = {"token": app.state.token}
    client = clients[case.who]
    if case.headers.get("origin", "") is None:
        del client.headers["origin"]
    sent = {"content": case.content} if case.content is not None else {} if body is None else {"json": body}
    done = client.request(case.method, case.path, headers=headers, **sent)
    # 1. Refused, in the way that was designed, and with all headers.
    assert done.status_code == case.status, done.text
    assert done.json()["status"] == case.status
    assert done.headers["content-type"] == "application/problem+json"
    assert all(done.headers[name] == text for name, text in HEADERS.items())
    assert not any(name.startswith("access-control") for name in done.headers)
    assert "Traceback" not in done.text
    assert str(store) not in done.text
    # 2. Nothing was written. 3. The server goes on.
    assert (study.journal._store.read("flow"), sorted(path.name for path in store.parent.iterdir())) == before
    clients["owner"].headers["origin"] = BASE
    assert clients["owner"].get(FLOW).status_code == 200


def test_there_are_sixty_of_them():
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize(
    "text", ["<script>alert(1)</script>", '"><img src=x onerror=alert(1)>', "'; DROP TABLE event; --"]
)
def test_text_of_a_user_comes_back_as_text(owner, study, text):
    """HTML, scripts and SQL are remarks like any other: kept letter for letter, and never a page of their own."""
    owner.post(f"{FLOW}/ask", json={})
    told = owner.post(TELL, json={"value": 1.0, "why": text})
    assert told.json()["trial"]["why"] == text
    assert study.snapshot().trials[0].why == text
    for path in (FLOW, f"{FLOW}/trials", f"{FLOW}/log"):
        done = owner.get(path)
        assert done.headers["content-type"] == "application/json"
        assert done.headers["x-content-type-options"] == "nosniff"
    owner.post(f"{FLOW}/ask", json={})
    sheet = owner.get(f"{FLOW}/files/sheet.html")
    assert "<script" not in sheet.text
    assert "<img src=x" not in sheet.text
    assert "script-src" not in sheet.headers["content-security-policy"]


def test_body_of_no_stated_size_ends_at_the_same_size(owner, study):
    study.ask()
    pieces = (b'{"value": 1, "why": "', *[b"x" * 100_000] * 20, b'"}')
    done = owner.post(TELL, content=iter(pieces), headers={"content-type": "application/json"})
    assert done.status_code == 413
    assert len(study.snapshot().state.out) == 1


def test_too_many_tries_to_sign_in_are_slowed_down(app, owner):
    stranger = Client(app)
    done = [stranger.post(f"{API}/session", json={"token": f"guess {at}"}) for at in range(15)]
    assert done[0].status_code == 401
    assert done[-1].status_code == 429
    assert int(done[-1].headers["retry-after"]) > 0


@pytest.mark.parametrize(
    ("host", "server", "urls", "origin"),
    [
        ("localhost:8421", "127.0.0.1", (), "http://localhost:8421"),
        ("LOCALHOST:8421", "127.0.0.1", (), "http://localhost:8421"),
        ("[::1]:8421", "::1", (), "http://[::1]:8421"),
        ("192.168.1.5:8421", "192.168.1.5", (), "http://192.168.1.5:8421"),
        ("192.168.1.6:8421", "192.168.1.5", (), None),
        ("localhost:8421", "192.168.1.5", (), None),
        ("lab.example", "127.0.0.1", ("https://lab.example",), "https://lab.example"),
        ("lab.example:81", "127.0.0.1", ("https://lab.example",), None),
        ("boat.local:8421", "192.168.1.5", ("http://boat.local:8421",), "http://boat.local:8421"),
    ],
)
def test_host_is_ours_if_it_was_connected_to_or_stated(host, server, urls, origin):
    assert Origins(urls).of(host, server) == origin


def test_role_that_is_taken_back_ends_at_once(signed_in, users, study):
    ben = signed_in("ben", "operate", "flow")
    assert ben.get(FLOW).status_code == 200
    users.add("ben", "read", "flow")
    assert ben.post(f"{FLOW}/ask", json={}).status_code == 403
    users.remove("ben")
    assert ben.get(FLOW).status_code == 401


def test_session_ends_when_it_expires_or_is_left(app, owner, monkeypatch):
    cookie, later = owner.cookies["wayfare-8421"], time.time() + 31 * DAY
    other = Client(app, cookies={"wayfare-8421": cookie})
    assert other.get(FLOW).status_code == 200
    with monkeypatch.context() as patch:
        patch.setattr(users_module, "time", SimpleNamespace(time=lambda: later))
        assert other.get(FLOW).status_code == 401
    assert other.get(FLOW).status_code == 200
    assert owner.delete(f"{API}/session").status_code == 204
    assert other.get(FLOW).status_code == 401


def test_link_ends_after_a_day_and_is_not_refreshed_by_trying(app, users, monkeypatch):
    users.add("ben", "read")
    link, later = users.link("ben"), time.time() + 1.01 * DAY
    with monkeypatch.context() as patch:
        patch.setattr(users_module, "time", SimpleNamespace(time=lambda: later))
        assert Client(app).post(f"{API}/session", json={"token": link}).status_code == 401
    assert Client(app).post(f"{API}/session", json={"token": link}).status_code == 401  # used up by the try


def test_no_token_is_kept(app, owner, store):
    kept = b"".join(path.read_bytes() for path in store.parent.glob("lab.db.users*"))
    assert owner.cookies["wayfare-8421"].encode() not in kept
    assert app.state.token.encode() not in kept
    assert (store.parent / "lab.db.users").stat().st_mode & 0o077 == 0


def test_cookie_is_for_this_server_alone(app, study):
    done = Client(app).post(f"{API}/session", json={"token": app.state.token})
    parts = done.headers["set-cookie"].split("; ")
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= set(parts)
    assert not any(part.startswith("Domain") for part in parts)


def test_busy_server_refuses_further_plans(app, owner, monkeypatch):
    monkeypatch.setitem(app.state.server.waiting, "look", THREADS["look"] + WAITING)
    done = owner.get(f"{FLOW}/ledger")
    assert (done.status_code, done.json()["type"]) == (503, "urn:wayfare:busy")
    assert owner.post(f"{FLOW}/ask", json={}).status_code == 200  # nor does a plan wait for those who look
    monkeypatch.setitem(app.state.server.waiting, "plan", THREADS["plan"] + WAITING)
    assert owner.post(f"{FLOW}/ask", json={}).status_code == 503
    assert owner.post(f"{FLOW}/trials/0/tell", json=VALUE).status_code == 200  # a tell never waits for a plan
    assert json.loads(done.text)["detail"]


NASTY = [
    *(None, True, -1, 0, 7, 2**63, 10**30, 1e308, -1e308, 5e-324),
    *("", "x" * 3000, "\x00", "\u202e", "nan", "1e999", "day"),
    *([], [1.0], [None], [[[]]], {}, {"temp": 1e300}, {"temp": "hot"}, {"cat": "Zz"}, {"nowhere": 1}),
]
PLACE = {"temp": 40, "flow": 1.0, "cat": "Ni"}
SOUND = {
    "ask": {"worker": "w", "n": 2, "wait": False, "count": True, "take_over": 60.0},
    "trials/{number}/tell": {"value": 1.0, "count": 2, "variance": 0.1, "spent": 2.0, "actual": PLACE, "why": "so"},
    "trials/{number}/fail": {"spent": 2.0, "actual": PLACE, "why": "so", "issued": "then"},
    "trials/{number}/skip": {"why": "so"},
    "trials/{number}/amend": {"value": 2.0, "withdraw": True, "actual": PLACE, "spent": 1.0, "measured": {}},
    "insert": {"place": PLACE, "count": 2, "worker": "w", "dry_run": True},
    "replan": {"position": PLACE, "why": "so"},
    "go-home": {"spent": 1.0, "why": "so"},
    "change": {"form": {"trials": 30, "budget": 900, "home": PLACE}, "toml": "trials = 30", "dry_run": True},
    "import": {
        "text": "temp,flow,cat,value\n40,1,Ni,2\n",
        "decimal": "comma",
        "columns": {"value": "y"},
        "extra": True,
    },
    "rename": {"name": "flow 2"},
    "archive": {"archived": True},
}
LOOKS = {
    "surface": {"x": "temp", "y": "flow", "at": json.dumps(PLACE), "fine": "9"},
    "predict": {"place": json.dumps(PLACE)},
    "trials": {"from": "0", "limit": "5", "order": "best", "of": "told"},
    "log": {"from": "0", "limit": "5"},
    "route": {"from": "0", "limit": "5"},
    "why": {"trial": "0"},
    "obstacles": {"map": "0"},
    "files/route.gpx": {"alt": "temp", "visited": "true"},
    "files/study.json": {},
}


@pytest.mark.parametrize("seed", range(4))
def test_no_request_of_a_user_makes_the_server_fail(owner, study, seed):
    """Whatever stands in a field: done, or refused with a sentence, never an error of ours; the study stays sound."""
    draw = random.Random(seed)
    for _ in range(3):
        study.tell(study.ask(), draw.random())
    study.ask()
    for _ in range(150):
        number = draw.choice(["0", "3", "9", "k0", "-1", "x" * 90, "%00"])
        if draw.random() < 0.65:
            path, sound = draw.choice(list(SOUND.items()))
            kept = {key: value for key, value in sound.items() if draw.random() < 0.5}
            body = {key: value if draw.random() < 0.6 else draw.choice(NASTY) for key, value in kept.items()}
            done = owner.post(f"{FLOW}/{path.replace('{number}', number)}", json=body)
        else:
            path, sound = draw.choice(list(LOOKS.items()))
            query = {key: text if draw.random() < 0.6 else str(draw.choice(NASTY)) for key, text in sound.items()}
            body = query
            done = owner.get(f"{FLOW}/{path}", params=query)
        assert done.status_code < 500, (path, body, done.text)
        if done.status_code >= 400:
            assert done.json()["detail"], (path, body)
        if path == "rename" and done.status_code == 200:
            rename(study.journal._store, done.json()["name"], "flow")
    again = wf.Study.open(study.journal._store, "flow")
    assert [trial.number for trial in again.trials] == list(range(len(again.trials)))
