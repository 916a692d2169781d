"""The day of docs/operator.md, and a boat's, done in a browser alone: the same events as on the command line."""

import re
import tomllib
from contextlib import chdir
from datetime import UTC, datetime
from pathlib import Path

import openpyxl
import pytest

from tests.pages.test_operator_page import PAGE
from tests.web.browser.conftest import PHONE, command, events
from tests.web.browser.operator import Operator

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.subprocess]
MOVES = {"new", "ask", "tell", "fail", "skip", "insert", "amend", "replan", "sheet", "import"}
REFUSED = "tell snar 9 0.89"
"""On the page it is told twice, to show that it is refused; a browser has no form for a trial that is told."""


def moves_of(page):
    """Return the commands of the page that can change a study, in order, and its study files by name."""
    files = {f"{tomllib.loads(text)['name']}.toml": text for text in re.findall(r"```toml\n(.*?)```", page, re.DOTALL)}
    lines = [line.removeprefix("wayfare ") for line in re.findall(r"^\$ (.*)$", page, re.MULTILINE)]
    moves = [line for line in lines if next(word for word in line.split() if word not in ("--as", "bo")) in MOVES]
    last = len(moves) - moves[::-1].index(REFUSED) - 1
    requests = [re.search(r"--request \S+", line) for line in moves]
    again = {at for at, found in enumerate(requests) if found and found[0] in [one and one[0] for one in requests[:at]]}
    return [line for at, line in enumerate(moves) if at != last and at not in again], files


def both(operator, store, line):
    """Do a command in the browser and on the command line, each in a folder of its own."""
    with chdir("web"):
        operator.do(line)
    with chdir("cli"):
        command(store, line)


def write(files):
    """Write files into both folders."""
    for folder in (Path("web"), Path("cli")):
        folder.mkdir()
        for name, text in files.items():
            (folder / name).write_text(text)


def test_the_day_in_the_browser_writes_what_the_command_line_writes(serve, browse, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    moves, files = moves_of(PAGE.read_text())
    write(files)
    server = serve(tmp_path / "web.db")
    operator = Operator(browse(server))
    for line in moves:
        both(operator, tmp_path / "cli.db", line)
    names = [Path(name).stem for name in files]
    assert {"snar", "coil", "lake"} <= set(names)
    for name in names:
        assert events(tmp_path / "web.db", name) == events(tmp_path / "cli.db", name)
    assert sum(len(events(tmp_path / "web.db", name)) for name in names) > 40


BOAT = """
name = "boat"
direction = "maximize"
trials = 12
seed = 3
start = {lat = 47.56, lon = 9.38}
budget = 60
home = "start"
trip = 22
method = {policy = {kind = "ucb"}, schedule = {kind = "fixed", size = 5}}
axis = [{name = "lat", low = 47.54, high = 47.62}, {name = "lon", low = 9.36, high = 9.52}]
travel = {kind = "haversine", lat = "lat", lon = "lon", unit = "km"}
"""
LOGGER = "lat,lon,value\n47.571,9.402,13.9\n47.574,9.411,14.2\n"


def test_a_boat_on_the_phone_takes_stops_along_and_tells_them_later(serve, browse, tmp_path, monkeypatch):
    """Three stops are handed out at the pier; on the lake there is no network; back at the pier nothing is missing."""
    monkeypatch.chdir(tmp_path)
    write({"boat.toml": BOAT, "logger.csv": LOGGER})
    server = serve(tmp_path / "web.db")
    phone = browse(server, is_cut=True, viewport=PHONE, has_touch=True, is_mobile=True, color_scheme="dark")
    operator, page = Operator(phone), phone.page
    twin = tmp_path / "cli.db"
    for line in ("new boat.toml", "ask boat", "tell boat 0 13.1", "ask boat -n 3"):
        both(operator, twin, line)
    # On the lake, with a phone whose clock jumps. One station is missed by the wind, one has a rope in the screw.
    phone.context.set_offline(True)
    outcomes = [
        ("tell", "1", {"Value found": "14,25"}, "Tell"),
        ("tell", "2", {"Value found": "15.05", "lat": "47.5665", "What the leg really cost": "4.2"}, "Tell"),
        ("fail", "3", {"Note": "rope in the screw"}, "Yes, it failed"),
    ]
    for at, (move, number, fields, button) in enumerate(outcomes):
        page.clock.set_system_time(f"20{40 - at}-01-01")
        if at < 2:
            page.locator(".chip", has_text=re.compile(rf"^{number}\b")).click()
        page.get_by_role("heading", name=f"Trial {number}", exact=True).wait_for()
        if move == "fail":
            page.get_by_role("button", name="Failed", exact=True).click()
        if "lat" in fields:
            page.get_by_text("Was something different?").click()
        for label, text in fields.items():
            page.get_by_label(label).fill(text)
        page.get_by_role("button", name=button, exact=True).click()
        page.get_by_text(f"Kept on this device, {at + 1} waiting", exact=True).wait_for()
    assert len(events(tmp_path / "web.db", "boat")) == 7
    # Back at the pier, where the phone asks what time it is.
    page.clock.set_system_time(datetime.now(UTC))
    phone.context.set_offline(False)
    page.wait_for_selector(".outbox", state="detached")
    command(twin, "tell boat 1 14.25")
    command(twin, "tell boat 2 15.05 --actual lat=47.5665 --spent 4.2")
    command(twin, "fail boat 3 --why 'rope in the screw'")
    later = [
        "replan boat --from lat=47.56 --from lon=9.38 --why 'back at the pier'",
        "import boat logger.csv",
        "ask boat",
        "skip boat 6 --why 'ferry in the way'",
        "ask boat",
        "tell boat 7 14.9",
    ]
    for line in later:
        both(operator, twin, line)
    assert events(tmp_path / "web.db", "boat") == events(twin, "boat")


REACTOR = """
name = "reactor"
direction = "maximize"
trials = 12
seed = 5
start = {temp = 20, base = "NEt3"}
home = "start"
day = 120
method = "random-route"
axis = [
    {name = "temp", low = 20, high = 80, step = 0.5, unit = "°C"},
    {name = "base", kind = "choice", values = ["NEt3", "DBU"]},
]
travel = {kind = "ramp", axis = "temp", up = 2, down = 1, unit = "min"}
"""


def test_what_an_owner_does_now_and_then_writes_what_the_command_line_writes(serve, browse, tmp_path, monkeypatch):
    """A day's stops at once, a workbook filled in, the way home, a study changed: in the browser alone."""
    monkeypatch.chdir(tmp_path)
    write({"reactor.toml": REACTOR})
    server = serve(tmp_path / "web.db")
    operator, page = Operator(one := browse(server)), one.page
    twin = tmp_path / "cli.db"
    both(operator, twin, "new reactor.toml")
    both(operator, twin, "ask reactor -n day")
    # The run sheet is a workbook; what is filled in comes back row by row.
    operator.see("reactor", "tools")
    with page.expect_download() as loading:
        page.get_by_role("link", name="Run sheet as a workbook").click()
    loading.value.save_as(tmp_path / "form.xlsx")
    book = openpyxl.load_workbook(tmp_path / "form.xlsx")
    head = {cell.value: cell.column for cell in book["form"][1]}
    book["form"].cell(2, head["value"]).value = 0.42
    book["form"].cell(3, head["state"]).value = "failed"
    book["form"].cell(3, head["why"]).value = "pump stalled"
    book.save(tmp_path / "form.xlsx")
    operator.take_in("reactor", tmp_path / "form.xlsx")
    command(twin, f"import reactor {tmp_path / 'form.xlsx'}")
    both(operator, twin, "go-home reactor --spent 7.5 --why 'fire drill'")
    operator.change("reactor", "Trials=16", "temp: Highest=90", "base=NEt3, DBU, DABCO", why=["a new base"])
    command(twin, "change reactor trials=16 axis.temp.high=90 axis.base=NEt3,DBU,DABCO --why 'a new base'")
    assert events(tmp_path / "web.db", "reactor") == events(twin, "reactor")
    kinds = [event["kind"] for event in events(twin, "reactor")]
    assert {"told", "failed", "returned", "changed"} <= set(kinds)
