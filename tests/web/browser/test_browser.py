"""What a real browser must show and keep: live news, outcomes without a network, every screen at both sizes."""

import re

import numpy as np
import pytest

import wayfare as wf
from tests.web.browser.conftest import DESK, PHONE, SHOTS, Server, command, events
from tests.web.browser.operator import Operator
from wayfare.bench.problems.field import ALGAE_PEAKS, LAKE_CELL, algae, water

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.subprocess]
NASTY = "<img src=x onerror=alert(1)> \" '/../%2e & co"


def begin(store, name="flow", told=0, **more):
    """Make a small study with an integer, a logarithmic axis and a choice, and tell some trials of it."""
    space = wf.Space(
        wf.Integer("temp", 20, 80, step=5, unit="°C"),
        wf.Real("flow", 0.1, 10, log=True, unit="mL/min"),
        wf.Choice("cat", ["Pd", "Ni"]),
        forbidden=[{"temp": (70, None), "cat": ["Ni"]}],
    )
    travel = wf.parallel(wf.Ramp("temp", up=2.5, down=1.0), wf.Ramp("flow", up=0.5, down=0.5)) + wf.Switch("cat", 20)
    given = {"direction": "maximize", "travel": travel, "unit": "min", "trials": 20, "seed": 4, "budget": 600} | more
    start = {"temp": 20, "flow": 0.1, "cat": "Pd"}
    study = wf.Study.create(space, store=store, name=name, start=start, **given)
    for at in range(told):
        trial = study.ask()
        value = 1 - ((trial.params["temp"] - 55) / 40) ** 2 + (trial.params["cat"] == "Ni") / 3
        if at == 3:
            study.fail(trial, why="line clogged")
        else:
            pressure = {"pressure": round(3 + trial.params["flow"] / 2, 1)} if "measured" in given else None
            study.tell(trial, round(value, 3), measured=pressure)
    return study


@pytest.fixture(scope="module")
def lab(tmp_path_factory):
    """A server of a store with studies of every kind: axes, one axis, a table of places, a map, a nasty name."""
    store = tmp_path_factory.mktemp("lab") / "lab.db"
    begin(store, "flow", told=11, measured=[wf.Measured("pressure", at_most=10, unit="bar")]).ask()
    depth = wf.Space(wf.Real("depth", 0, 40, step=0.5, unit="m"))
    study = wf.Study.create(
        depth,
        direction="minimize",
        travel=wf.Euclidean(unit="m"),
        trials=12,
        start={"depth": 0},
        seed=2,
        store=store,
        name="depth",
    )
    for _ in range(5):
        trial = study.ask()
        study.tell(trial, round((trial.params["depth"] - 22) ** 2 / 100, 2))
    _begin_boat(store)
    where = {"A": (0, 0), "B": (120, 80), "C": (340, -15), "D": (200, 150)}
    wells = wf.Places([{"well": well, "east": east, "north": north} for well, (east, north) in where.items()])
    study = wf.Study.create(
        wells,
        direction="maximize",
        travel=wf.Euclidean(["east", "north"], unit="m"),
        trials=4,
        seed=1,
        store=store,
        name="wells",
    )
    for value in (1.0, 2.5, 0.5):
        study.tell(study.ask(), value)
    begin(store, NASTY)
    server = Server(store)
    yield server
    server.kill()


def _begin_boat(store):
    """Begin the boat of docs/examples: it looks for algae on a lake, by water alone, and has to be home in between."""
    high, wide = (LAKE_CELL * (size - 1) for size in water().shape)
    boat = wf.Raster(water(), "east_km", "north_km", columns=(0, wide), rows=(high, 0), moves="any", unit="km")
    lake = boat.places()
    given = {"start": lake.table[lake.table[:, 0].argmin()], "home": "start", "budget": 60, "trip": 25, "seed": 1}
    study = wf.Study.create(
        lake, direction="maximize", travel=boat, trials=30, unit="km", store=store, name="boat", **given
    )
    for _ in range(11):
        trial = study.ask()
        place = np.array([[trial.params["east_km"], trial.params["north_km"]]]) / [wide, high]
        study.tell(trial, round(float(algae(place, ALGAE_PEAKS[1])[0]), 3))
    study.ask()


# News.


def test_a_tell_shows_in_another_browser_and_from_the_command_line(serve, browse, tmp_path):
    study = begin(tmp_path / "lab.db", told=2)
    server = serve()
    ana, bo = (
        Operator(browse(server)),
        Operator(browse(server, server.link("bo", "operate"), viewport=PHONE, is_cut=True)),
    )
    study.ask()
    for one in (ana, bo):
        one.see("flow")
        one.page.get_by_role("heading", name="Trial 2", exact=True).wait_for()
    ana.tell("flow", "2", "0.71")
    bo.page.get_by_text("Ready for the next stop").wait_for()
    bo.page.locator(".last", has_text="Trial 2 told · ana").wait_for()
    command(tmp_path / "lab.db", "--as cyd ask flow")
    for one in (ana, bo):
        one.page.get_by_role("heading", name="Trial 3", exact=True).wait_for()
    # What the other told first is refused here, shown with its reason, and writes nothing.
    bo.page.get_by_label("Value found").fill("0.5")
    bo.browser.context.set_offline(True)
    bo.page.get_by_role("button", name="Tell", exact=True).click()
    bo.page.get_by_text("1 waiting").wait_for()
    ana.tell("flow", "3", "0.6")
    bo.browser.context.set_offline(False)
    bo.page.get_by_text("trial 3 already has the value 0.6").first.wait_for()
    bo.page.get_by_role("button", name="I have seen it").click()
    bo.page.wait_for_selector(".outbox", state="detached")
    assert [event.get("value") for event in events(tmp_path / "lab.db", "flow")][-1] == 0.6


# Nothing lost, nothing doubled.


def told_numbers(store):
    return [event["number"] for event in events(store, "flow") if event.get("value") is not None]


def test_an_answer_that_is_lost_does_not_count_twice(serve, browse, tmp_path):
    """The server commits, the network dies before its answer: the same request is sent again and told once."""
    begin(tmp_path / "lab.db", told=1).ask()
    server = serve()
    one = browse(server, is_cut=True)
    operator, lost = Operator(one), []

    def lose(route):
        route.fetch()
        lost.append(route.request.post_data_json["request"])
        route.abort() if len(lost) < 3 else route.continue_()

    one.page.route("**/tell", lose)
    operator.tell("flow", "1", "0.5")
    assert len(lost) == 3
    assert len(set(lost)) == 1
    assert told_numbers(tmp_path / "lab.db") == [0, 1]


def test_the_server_is_killed_between_commit_and_answer(serve, browse, tmp_path):
    begin(tmp_path / "lab.db", told=1).ask()
    server = serve()
    one = browse(server, is_cut=True)
    operator = Operator(one)

    def kill(route):
        route.fetch()
        server.kill()
        route.abort()

    one.page.route("**/tell", kill, times=1)
    operator.see("flow")
    one.page.get_by_label("Value found").fill("0.5")
    one.page.get_by_role("button", name="Tell", exact=True).click()
    one.page.get_by_text("Kept on this device, 1 waiting", exact=True).wait_for()
    one.page.get_by_text("no connection").wait_for()
    server.start()
    one.page.wait_for_selector(".outbox", state="detached")
    one.page.get_by_text("Ready for the next stop").wait_for()
    one.page.get_by_text("live", exact=True).wait_for()
    assert told_numbers(tmp_path / "lab.db") == [0, 1]


def test_an_outcome_outlives_the_page_it_was_typed_on(serve, browse, tmp_path):
    """Told while the server is down, the page closed; the next page of that browser sends it."""
    begin(tmp_path / "lab.db", told=1).ask()
    server = serve()
    one = browse(server, is_cut=True)
    Operator(one).see("flow")
    one.page.get_by_label("Value found").fill("0.5")
    server.kill()
    one.page.get_by_role("button", name="Tell", exact=True).click()
    one.page.get_by_text("Kept on this device, 1 waiting", exact=True).wait_for()
    one.page.close()
    assert told_numbers(tmp_path / "lab.db") == [0]
    server.start()
    one.page = one.open()
    one.go("flow").get_by_text("Ready for the next stop").wait_for()
    assert told_numbers(tmp_path / "lab.db") == [0, 1]


def test_two_tabs_and_a_reload_in_mid_tell_store_an_outcome_once(serve, browse, tmp_path):
    begin(tmp_path / "lab.db", told=1).ask()
    server = serve()
    one = browse(server, is_cut=True)
    other = one.open()
    for page in (one.page, other):
        page.goto(f"{server.url}/#/study/flow")
        page.get_by_role("heading", name="Trial 1", exact=True).wait_for()
    one.page.route("**/tell", lambda route: None)  # it is on its way, and never answered
    one.page.get_by_label("Value found").fill("0.5")
    one.page.get_by_role("button", name="Tell", exact=True).click()
    one.page.get_by_text("Kept here until the server has it").wait_for()
    other.reload()  # it finds what waits, and sends it; so does the first, reloaded
    other.get_by_text("Ready for the next stop").wait_for()
    one.page.unroute("**/tell")
    one.page.reload()
    one.page.get_by_text("Ready for the next stop").wait_for()
    assert one.page.locator(".outbox").count() == 0
    assert told_numbers(tmp_path / "lab.db") == [0, 1]


def test_an_outcome_is_not_sent_to_another_study_of_the_name(serve, browse, tmp_path):
    """The phone kept it; the server came back with another store: refused, kept, and sent when the first is back."""
    begin(tmp_path / "lab.db", told=1).ask()
    server = serve()
    one = browse(server, is_cut=True)
    Operator(one).see("flow")
    one.page.get_by_label("Value found").fill("0.5")
    server.kill()
    one.page.get_by_role("button", name="Tell", exact=True).click()
    one.page.get_by_text("Kept on this device, 1 waiting", exact=True).wait_for()
    (tmp_path / "lab.db").rename(tmp_path / "first.db")
    begin(tmp_path / "lab.db", told=1).ask()
    server.start()
    one.page.get_by_text("Not taken: flow, Trial 1: told 0.5").wait_for()
    assert told_numbers(tmp_path / "lab.db") == [0]
    (tmp_path / "first.db").replace(tmp_path / "lab.db")
    one.page.get_by_role("button", name="Try again").click()
    one.page.wait_for_selector(".outbox", state="detached")
    assert told_numbers(tmp_path / "lab.db") == [0, 1]


def test_a_tab_that_is_not_seen_gives_its_connection_back(serve, browse, tmp_path):
    """A browser has six connections to a server: a seventh tab would wait for ever."""
    study = begin(tmp_path / "lab.db", told=1)
    server = serve()
    one = browse(server)
    tabs = [one.open() for _ in range(8)]
    hide = "isHidden => (Object.defineProperty(document, 'hidden', {value: isHidden, configurable: true}),"
    hide += " document.dispatchEvent(new Event('visibilitychange')))"
    for tab in tabs:
        tab.clock.install()
        tab.goto(f"{server.url}/#/study/flow")
        tab.get_by_text("Ready for the next stop").wait_for()
        tab.evaluate(hide, True)
        tab.clock.fast_forward(21_000)
    study.ask()
    tabs[0].evaluate(hide, False)
    tabs[0].get_by_role("heading", name="Trial 1", exact=True).wait_for()


# Every screen, at both sizes, light and dark.

SCREENS = {
    "studies": None,
    "next": ("flow", ""),
    "map": ("boat", "map"),
    "route": ("flow", "route"),
    "results": ("flow", "results"),
    "report": ("flow", "report"),
    "history": ("flow", "history"),
    "study": ("flow", "tools"),
    "boat": ("boat", ""),
    "new": None,
    "one-axis": ("depth", "map"),
    "choices": ("flow", "map"),
    "table": ("wells", "map"),
    "why": ("flow", ""),
    "trial": ("flow", "results"),
    "insert": ("flow", "tools"),
    "import": ("flow", "tools"),
    "change": ("flow", "tools"),
    "understood": None,
}
AGAIN = list(SCREENS)[10:]
"""Further states of screens; axe looks at them once in each scheme and size."""
LOGGED = "temp;flow;cat;value;pressure\n55;3,35;Ni;1,301;4,7\n60;2,5;Ni;1,15;5\n"


def show(page, name):
    """Bring a screen into the state that is looked at."""
    panel = {"insert": "A place of your own", "import": "Results from a table", "change": "Change the study"}.get(name)
    box = page.locator("section.panel", has_text=panel) if panel else page
    match name:
        case "choices":
            page.get_by_label("Up").select_option("cat")
        case "why":
            page.get_by_role("button", name="Why this next?").click()
            page.get_by_text("Others that were worth a visit").wait_for()
        case "trial":
            page.get_by_role("button", name="4", exact=True).click()
        case "insert":
            box.get_by_label("temp").fill("40")
            box.get_by_role("button", name="What would it cost?").click()
        case "import":
            box.get_by_label("Or paste it here").fill(LOGGED)
            box.get_by_text("How is it to be read?").click()
            box.get_by_label("Rows near no open trial").check()
            box.get_by_role("button", name="Look first").click()
        case "change":
            box.get_by_role("button", name="Change it").click()
            box.get_by_label("Trials").fill("30")
            box.get_by_role("button", name="Look first").click()
        case "understood":
            page.get_by_role("button", name="Study file").click()
            page.get_by_label("Or paste it here").fill(STUDY_FILE)
            page.get_by_role("button", name="Look first").click()
            page.get_by_role("heading", name="What wayfare understood").scroll_into_view_if_needed()
    if panel and name != "study":
        box.locator(".price").wait_for()
        box.locator(".price").evaluate("one => one.scrollIntoView({block: 'center'})")


STUDY_FILE = """
name = "esters"
direction = "maximize"
trials = 20
start = {temp = 40, solvent = "THF"}
axis = [{name = "temp", low = 40, high = 120}, {name = "solvent", kind = "choice", values = ["EtOH", "THF"]}]
travel = {kind = "ramp", axis = "temp", up = 2.5, down = 1, unit = "min"}
"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["phone", "desk"])
def test_every_screen_is_whole_and_can_be_used_by_all(browse, lab, size, scheme):
    """Nothing is wider than the screen, and axe finds nothing serious. Pictures of all go to out/shots."""
    from axe_playwright_python.base import AXE_FILE_PATH

    one = browse(
        lab, lab.link(), viewport=PHONE if size == "phone" else DESK, color_scheme=scheme, has_touch=size == "phone"
    )
    page, found = one.page, []
    SHOTS.mkdir(parents=True, exist_ok=True)
    for name, place in SCREENS.items():
        page.goto(f"{lab.url}/#/{'new' if name in ('new', 'understood') else ''}")
        page.wait_for_selector("h1")
        if place:
            one.go(*place)
            page.wait_for_selector(".tabs")
        show(page, name)
        settled(page)
        wide = page.evaluate("document.scrollingElement.scrollWidth - innerWidth")
        if wide > 0:
            found.append(f"{name}: {wide} px too wide")
        page.screenshot(path=SHOTS / f"{name}-{size}-{scheme}.png")
        if name in AGAIN and (size, scheme) not in (("desk", "light"), ("phone", "dark")):
            continue
        page.evaluate(AXE_FILE_PATH.read_text())
        report = page.evaluate("axe.run(document, {resultTypes: ['violations']})")
        found += [
            f"{name}: {wrong['id']} {wrong['nodes'][0]['html'][:200]} {wrong['nodes'][0]['failureSummary'][:200]}"
            for wrong in report["violations"]
            if wrong["impact"] in ("serious", "critical")
        ]
    assert not found, "\n".join(found)


def settled(page):
    """Wait until nothing loads any more; a live stream never ends, so the network is never idle."""
    page.wait_for_function(
        """() => { const loaded = performance.getEntriesByType('resource').map(one => one.responseEnd);
            return !document.querySelector('.wait') && performance.now() - Math.max(0, ...loaded) > 300; }"""
    )


def test_maps_are_drawn(browse, lab):
    """Colours, land and visits are there: for axes, one axis, a map, a table and two choices of layers."""
    one = browse(lab, lab.link())
    page = one.page
    colours = """() => { const ink = document.querySelector('.plane canvas').getContext('2d');
        const {width, height} = ink.canvas; const data = ink.getImageData(0, 0, width, height).data;
        return new Set(new Uint32Array(data.buffer)).size; }"""
    for name in ("flow", "boat"):
        one.go(name)
        page.wait_for_selector(".legend")
        settled(page)
        assert page.evaluate(colours) > 50
    assert page.locator(".visit-mark").count() == 11
    assert page.locator(".home-mark").count() == page.locator(".out-mark").count() == 1
    before = page.evaluate(colours)
    page.get_by_role("button", name="sd", exact=True).click()
    page.get_by_text("Standard deviation").wait_for()
    page.get_by_role("button", name="Closer").click()
    page.locator(".plane-box").press("ArrowLeft")
    page.locator(".plane-box").press("0")
    settled(page)
    assert page.evaluate(colours) != before
    page.locator(".plane-box").press("Enter")
    page.get_by_text("95% between").wait_for()
    one.go("flow")
    page.get_by_label("Up").select_option("cat")
    page.wait_for_selector(".plane canvas")
    page.locator("input[type=range]").fill("2")
    page.get_by_role("button", name="Through the best place").wait_for()
    one.go("wells")
    settled(page)
    assert page.evaluate(colours) > 3
    for name in ("depth", "wells"):
        one.go(name)
        page.get_by_label("Up").select_option("")
        page.wait_for_selector(".uplot canvas")


SHUFFLED = """async () => {
    const {html, render} = await import("/page/preact.js");
    const box = document.createElement("div"), kinds = ["A", "B", "I", "U", "S", "Q"];
    let seed = 1, wrong = 0, many = 1;
    const random = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
    const count = most => Array.from({length: Math.floor(random() * most)}, (_, at) => at);
    for (let round = 0; round < 500; round += 1) {
        many = random() < 0.1 ? 1 : many + (random() < 0.5);
        const rows = Array.from({length: many}, (_, at) => at);
        render(html`<div>${random() < 0.6 && html`<a /><a />`}${random() < 0.6 && html`<b /><b />`}
            ${rows.map(at => html`<i key=${at} />`)}${count(4).map(at => html`<u key=${`u${at}`} />`)}
            ${random() < 0.8 && html`<s />`}${count(2).map(at => html`<q key=${`q${at}`} />`)}</div>`, box);
        const found = [...box.firstChild.children].map(one => kinds.indexOf(one.tagName));
        wrong += found.some((kind, at) => at && kind < found[at - 1]);
    }
    return wrong; }"""


def test_nodes_keep_their_order_whatever_comes_and_goes(browse, lab):
    """The Preact in htm's bundle drew visits over the star, and fields below their buttons."""
    assert browse(lab, lab.link()).page.evaluate(SHUFFLED) == 0


# Typing.


def test_numbers_are_read_as_people_write_them(browse, lab):
    page = browse(lab, lab.link()).page
    read = """async ([tongue, text]) => { const words = await import('/page/messages.js'); words.setLanguage(tongue);
        return (await import('/page/numbers.js')).readNumber(text); }"""
    wanted = {
        "1,234": {"either": [1.234, 1234]},
        "-12,500": {"either": [-12.5, -12500]},
        "0,123": {"value": 0.123},
        "1,23": {"value": 1.23},
        "1,2340": {"value": 1.234},
        "1,234.5": {"value": 1234.5},
        "1.234,5": {"value": 1234.5},
        "1,234,567": {"value": 1234567},
        "−3.5": {"value": -3.5},
        " 2e-3 ": {"value": 0.002},
        ".5": {"value": 0.5},
        "12 500": {"value": 12500},
        "": {"wrong": True},
        "1,2,3": {"wrong": True},
        "1e999": {"wrong": True},
        "nan": {"wrong": True},
        "0x10": {"wrong": True},
        "12abc": {"wrong": True},
    }
    for text, found in wanted.items():
        assert page.evaluate(read, ["en", text]) == found, text
        assert page.evaluate(read, ["de", text]) == found, text
    assert page.evaluate(read, ["en", "1.234"]) == {"value": 1.234}
    assert page.evaluate(read, ["de", "1.234"]) == {"either": [1.234, 1234]}


def test_a_number_that_could_be_two_asks_back_and_the_keyboard_does_all(serve, browse, tmp_path):
    begin(tmp_path / "lab.db", told=1).ask()
    server = serve()
    operator = Operator(browse(server))
    page = operator.see("flow")
    page.get_by_label("Value found").focus()
    page.keyboard.type("1,234")
    page.keyboard.press("Enter")
    page.get_by_text("could be two numbers").wait_for()
    assert told_numbers(tmp_path / "lab.db") == [0]
    page.keyboard.press("Tab") if page.evaluate("document.activeElement.tagName") == "INPUT" else None
    assert page.evaluate("document.activeElement.textContent") == "1.234"
    page.keyboard.press("Enter")
    assert page.get_by_label("Value found").input_value() == "1.234"
    page.keyboard.press("Enter")
    operator._closed("1")
    assert events(tmp_path / "lab.db", "flow")[-1]["value"] == 1.234


CONTROLS = """() => { window.seen = new Set(); window.plain = [];
    const all = "a[href],button,input,select,textarea,summary,[tabindex='0']";
    window.controls = [...document.querySelectorAll(all)].filter(one => !one.disabled && one.checkVisibility());
    document.activeElement.blur(); return controls.length; }"""
SEEN = """() => { const one = document.activeElement; seen.add(one);
    if (one !== document.body && getComputedStyle(one).outlineStyle === "none") plain.push(one.outerHTML); }"""


def test_every_control_is_reached_by_the_keyboard_and_shows_it(browse, lab):
    page = browse(lab, lab.link()).page
    for address in ("", "new", "study/flow", "study/boat/results", "study/flow/report", "study/flow/tools"):
        page.goto(f"{lab.url}/#/{address}")
        page.wait_for_selector("h1")
        settled(page)
        for _ in range(page.evaluate(CONTROLS) + 3):
            page.keyboard.press("Tab")
            page.evaluate(SEEN)
        missed = page.evaluate("controls.filter(one => !seen.has(one)).map(one => one.outerHTML.slice(0, 200))")
        assert missed == page.evaluate("plain") == [], address
    # A window takes the focus, Escape closes it, and the focus is where it was.
    page.goto(f"{lab.url}/#/study/flow")
    why = page.get_by_role("button", name="Why this next?")
    why.focus()
    page.keyboard.press("Enter")
    assert page.get_by_role("dialog").evaluate("one => one.contains(document.activeElement)")
    page.keyboard.press("Escape")
    page.get_by_role("dialog").wait_for(state="detached")
    assert why.evaluate("one => one === document.activeElement")


def test_a_boat_takes_its_position_from_the_device(serve, browse, tmp_path):
    space = wf.Space(wf.Real("lat", 47.54, 47.62), wf.Real("lon", 9.36, 9.52))
    more = {"start": {"lat": 47.56, "lon": 9.38}, "home": "start", "trials": 9, "store": tmp_path / "lab.db"}
    wf.Study.create(
        space, direction="maximize", travel=wf.Haversine("lat", "lon", unit="km"), name="boat", **more
    ).ask()
    server = serve()
    where = {"geolocation": {"latitude": 47.5712345, "longitude": 9.4}, "permissions": ["geolocation"]}
    operator = Operator(browse(server, viewport=PHONE, **where))
    panel = operator.see("boat", "tools").locator("section.panel", has_text="A new route")
    panel.get_by_role("button", name="Use this device's position").click()
    operator.page.wait_for_function(
        "() => [...document.querySelectorAll('input')].some(one => one.value === '47.571235')"
    )
    panel.get_by_role("button", name="Plan a new route").click()
    panel.get_by_text("Planned:").wait_for()
    assert events(tmp_path / "lab.db", "boat")[-2]["position"] == [47.571235, 9.4]


def test_the_page_speaks_german(browse, lab):
    one = browse(lab, lab.link(), locale="de-DE")
    page = one.page
    page.get_by_role("heading", name="Studien", exact=True).wait_for()
    one.go("flow").get_by_role("button", name="Melden", exact=True).wait_for()
    page.get_by_role("button", name="Menü").click()
    page.get_by_label("English").check()
    page.get_by_role("button", name="Tell", exact=True).wait_for()


def test_names_and_notes_are_text_and_nothing_else(browse, lab):
    """A study's name and a note that look like HTML are shown as they are; a window they open would fail the test."""
    operator = Operator(browse(lab, lab.link()))
    operator.page.get_by_role("link", name=NASTY).click()
    operator.page.get_by_role("button", name="Next stop", exact=True).click()
    operator.tell(NASTY, "0", "0.1", why=[NASTY])
    operator.see(NASTY, "history").locator("p", has_text=NASTY).first.wait_for()
    assert operator.page.locator("img[src='x']").count() == 0


# Who may do what.


def test_roles_and_links(browse, lab):
    reader = browse(lab, lab.link("rita", "read"))
    reader.go("flow").get_by_role("heading", name="Trial 11", exact=True).wait_for()
    assert reader.page.get_by_role("button", name="Tell").count() == 0
    reader.go("flow", "tools").get_by_role("heading", name="Files").wait_for()
    assert reader.page.get_by_role("heading", name="A new route").count() == 0
    # An owner makes a link for a phone; it works once, and a sign-out ends the session.
    owner = browse(lab, lab.link())
    owner.go("flow", "tools").get_by_role("button", name="Make a link").click()
    link = owner.page.locator("a.long").get_attribute("href")
    assert owner.page.locator(".invite img").evaluate("async one => (await one.decode(), one.naturalWidth)") > 0
    phone = browse(lab, link, is_cut=True, viewport=PHONE)
    assert "token" not in phone.page.url
    phone.page.get_by_role("button", name="Menu").click()
    phone.page.get_by_role("button", name="Sign out", exact=True).click()
    phone.page.get_by_role("heading", name="Sign in").wait_for()
    phone.page.goto(link)
    phone.page.get_by_text("was used already").wait_for()


def test_a_study_is_begun_from_a_form(serve, browse, tmp_path):
    server = serve()
    page = browse(server).page
    page.get_by_role("link", name="New study").click()
    page.get_by_label("Name").first.fill("esters")
    page.get_by_label("Trials").fill("12")
    page.get_by_label("Unit of cost").fill("min")
    first = page.locator("fieldset.axis").first
    for label, text in {
        "Name": "temp",
        "Unit": "°C",
        "Lowest": "40",
        "Highest": "120",
        "Step": "2,5",
        "Speed up": "2.5",
        "Stands now at": "40",
    }.items():
        first.get_by_label(label, exact=True).fill(text)
    page.get_by_role("button", name="Add an axis").click()
    second = page.locator("fieldset.axis").nth(1)
    second.get_by_label("Kind").select_option("choice")
    for label, text in {
        "Name": "solvent",
        "Values": "EtOH, THF",
        "A change costs min": "20",
        "Stands now at": "THF",
    }.items():
        second.get_by_label(label, exact=True).fill(text)
    page.get_by_role("button", name="Look first").click()
    page.get_by_role("heading", name="What wayfare understood").wait_for()
    page.get_by_role("button", name="Begin the study").click()
    page.get_by_role("button", name="Next stop", exact=True).click()
    page.get_by_role("heading", name="Trial 0", exact=True).wait_for()
    study = wf.Study.open(tmp_path / "lab.db", "esters")
    assert study.spec.space.names == ("temp", "solvent")
    assert study.spec.space.axes[0].step == 2.5
    assert dict(study.trials[0].params) == {"temp": 40.0, "solvent": "THF"}
    assert re.search("ramp|Ramp", repr(study.spec.travel))
