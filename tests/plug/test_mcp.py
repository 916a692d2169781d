"""An assistant reads studies, rehearses moves, and makes them only if it is told to."""

import json
import os
import sys

import anyio
import pytest
from mcp import StdioServerParameters
from mcp.client.client import Client
from mcp.client.stdio import stdio_client

import wayfare as wf
from wayfare.plug.mcp import make_server

SPACE = wf.Space(wf.Real("temp", 40.0, 120.0), wf.Choice("base", ["K2CO3", "NEt3"]))
STATED = {"direction": "maximize", "travel": wf.Ramp("temp", up=5, down=2, unit="min"), "trials": 12, "seed": 1}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "lab.db"
    study = wf.Study.create(SPACE, start={"temp": 40.0, "base": "K2CO3"}, store=path, name="flow", **STATED)
    for value in (1.0, 2.0, 3.0):
        study.tell(study.ask(), value)
    return path


def answers(server, *calls):
    """Return what the server answers to calls of its tools, through a client of the protocol."""

    async def talk():
        async with Client(server) as client:
            return [await client.call_tool(name, given) for name, given in calls]

    return [read(answer) for answer in anyio.run(talk)]


def read(answer):
    if answer.is_error:
        return answer.content[0].text
    found = answer.structured_content
    return found["result"] if set(found) == {"result"} else found


def opened(path):
    return wf.Study.open(path, "flow")


def test_reading_says_what_a_study_says_and_writes_nothing(path):
    before = path.read_bytes()
    place = {"temp": 100.0, "base": "NEt3"}
    server = make_server(path)
    studies, status, plan, (belief,), price = answers(
        server,
        ("studies", {}),
        ("status", {"study": "flow"}),
        ("plan", {"study": "flow"}),
        ("predict", {"study": "flow", "places": [place]}),
        ("price", {"study": "flow", "place": place}),
    )
    study = opened(path)
    assert [one["name"] for one in studies] == ["flow"]
    assert status["best"]["value"] == 3.0
    assert [stop["params"] for stop in plan["stops"]] == [dict(stop.params) for stop in study.route().stops]
    assert belief["mean"] == study.predict([place]).mean[0]
    assert price["detour"] == study.insert(place, dry_run=True).cost
    assert path.read_bytes() == before


def test_moves_are_rehearsed_unless_they_are_meant(path):
    server, events = make_server(path, by="ana"), len(opened(path).events)
    asked, told = answers(server, ("ask", {"study": "flow"}), ("tell", {"study": "flow", "trial": 3, "value": 4.0}))
    assert asked["dry_run"]
    assert "trial 3" in told  # which was only rehearsed
    assert len(opened(path).events) == events
    asked_again, rehearsed, meant = answers(
        server,
        ("ask", {"study": "flow", "dry_run": False}),
        ("tell", {"study": "flow", "trial": 3, "value": 4.0}),
        ("tell", {"study": "flow", "trial": 3, "value": 4.0, "why": "steady", "dry_run": False}),
    )
    assert asked_again["trial"]["params"] == asked["trial"]["params"]
    assert rehearsed["trial"]["value"] == meant["trial"]["value"] == 4.0
    trial = opened(path).trials[3]
    assert (trial.value, trial.why, trial.closed.by, trial.closed.via) == (4.0, "steady", "ana", "plug")


def test_the_moves_are_those_of_a_plain_study(path):
    twin = opened(path)
    server = make_server(path)
    for number in (3, 4, 5):
        (asked,) = answers(server, ("ask", {"study": "flow", "dry_run": False}))
        given = {"value": 0.5} if number != 4 else {"failed": True, "why": "leak"}
        answers(server, ("tell", {"study": "flow", "trial": number, "dry_run": False, **given}))
        assert asked["trial"]["number"] == number
    found = [dict(trial.params) for trial in opened(path).trials]
    again = wf.Study.create(SPACE, start={"temp": 40.0, "base": "K2CO3"}, **STATED)
    for value in (1.0, 2.0, 3.0, 0.5, None, 0.5):
        trial = again.ask()
        again.tell(trial, value) if value is not None else again.fail(trial, "leak")
    assert [dict(trial.params) for trial in again.trials] == found
    assert len(twin.trials) == 6


def test_refusals_are_said_in_our_words(path):
    server = make_server(path)
    nowhere, both, far, over = answers(
        server,
        ("status", {"study": "nowhere"}),
        ("tell", {"study": "flow", "trial": 0, "value": 1.0, "failed": True}),
        ("price", {"study": "flow", "place": {"temp": 500.0, "base": "NEt3"}}),
        ("predict", {"study": "flow", "places": [{"temp": 50.0, "base": "NEt3"}] * 1001}),
    )
    assert "no study named 'nowhere'" in nowhere
    assert "give a value, or failed=true" in both
    assert "not in the space" in far
    assert "1000 at most" in over


@pytest.mark.slow
@pytest.mark.subprocess
def test_the_command_serves_over_its_input_and_output(path):
    command = ["-m", "wayfare", "mcp", str(path), "--as", "ana"]
    started = StdioServerParameters(command=sys.executable, args=command, env=dict(os.environ))

    async def talk():
        async with Client(stdio_client(started)) as client:
            tools = (await client.list_tools()).tools
            return tools, await client.call_tool("ask", {"study": "flow", "dry_run": False})

    tools, asked = anyio.run(talk)
    assert [tool.name for tool in tools] == ["studies", "status", "plan", "predict", "price", "ask", "tell"]
    assert all(tool.description for tool in tools)
    assert {tool.name for tool in tools if not tool.annotations.read_only_hint} == {"ask", "tell"}
    assert json.loads(asked.content[0].text)["trial"]["number"] == 3
    assert opened(path).trials[3].issued.by == "ana"
