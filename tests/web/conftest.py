"""A store with a study, the page's application over it, and clients that are signed in."""

import pytest
from starlette.testclient import TestClient

import wayfare as wf
from wayfare.web import Users, make_app
from wayfare.web.routes import API, Bytes, find
from wayfare.web.shapes import read

BASE = "http://127.0.0.1:8421"


class Client(TestClient):
    """A browser: it sends its origin with every request. Each answer must be what the description says."""

    def __init__(self, app, **more):
        super().__init__(app, base_url=BASE, headers={"origin": BASE}, raise_server_exceptions=False, **more)

    def sign_in(self, token):
        done = self.post(f"{API}/session", json={"token": token})
        assert done.status_code == 200, done.text
        return self

    def request(self, method, url, **more):
        done = super().request(method, url, **more)
        path = str(done.url.raw_path.partition(b"?")[0], "ascii")
        by_hand = ("/session", "/openapi.json")
        if done.status_code < 300 and path.startswith(API) and not path.endswith(by_hand):
            route, _ = find(method, path.removeprefix(API))
            if route.answer is not Bytes:
                read(route.answer, done.json())
        return done


def make_study(store, name="flow", **more):
    space = wf.Space(
        wf.Integer("temp", 20, 80, step=5), wf.Real("flow", 0.5, 2.0, digits=1), wf.Choice("cat", ["Pd", "Ni"])
    )
    given = {"direction": "maximize", "travel": wf.Manhattan(), "trials": 12, "by": "maker"} | more
    return wf.Study.create(space, store=store, name=name, **given)


@pytest.fixture
def store(tmp_path):
    return tmp_path / "lab.db"


@pytest.fixture
def study(store):
    return make_study(store)


@pytest.fixture
def users(store):
    return Users(store.with_name("lab.db.users"))


@pytest.fixture
def app(store, study, users):
    return make_app(store, users=users, owner="olga")


@pytest.fixture
def owner(app):
    with Client(app) as client:
        yield client.sign_in(app.state.token)


@pytest.fixture
def signed_in(app, owner, users):
    """Return a function that makes a client for a user of a role, for one study or for all."""

    def make(name, role, study="*"):
        users.add(name, role, study)
        return Client(app).sign_in(users.link(name))

    return make
