"""An operator who does with the page what the command line does: one method for each command."""

import re
import shlex
from pathlib import Path


class Operator:
    """Hands and eyes on one browser. Every move waits until the page shows that it was made."""

    def __init__(self, browser):
        self.browser, self.page = browser, browser.page

    def do(self, line):
        """Do one command as it stands on a page of the documentation."""
        words = shlex.split(line)
        if words[0] == "--as":
            words = words[2:]
        move, *rest = words
        options, plain = {}, []
        rest = iter(rest)
        for word in rest:
            if word.startswith("-") and word[1:2].isalpha():
                options[word] = [next(rest)]
            elif word.startswith("--") and word not in ("--dry-run", "--withdraw"):
                options.setdefault(word, []).append(next(rest))
            elif word.startswith("--"):
                options[word] = [""]
            else:
                plain.append(word)
        options.pop("--request", None)
        getattr(self, "take_in" if move == "import" else move.replace("-", "_"))(
            *plain, **{key.strip("-").replace("-", "_"): value for key, value in options.items()}
        )

    def see(self, name, tab=""):
        self.browser.go(name, tab)
        self.page.wait_for_selector(".tabs a[aria-current]")
        return self.page

    # The moves.

    def new(self, file):
        self.page.goto(f"{self.browser.server.url}/#/new")
        self.page.get_by_role("button", name="Study file").click()
        self.page.get_by_label("Or paste it here").fill(Path(file).read_text())
        self.page.get_by_role("button", name="Look first").click()
        self.page.get_by_role("button", name="Begin the study").click()
        self.page.wait_for_selector(".tabs")

    def ask(self, name, n=("1",)):
        self.see(name)
        if n == ["day"]:
            self.page.get_by_text("Several stops at once").click()
            self.page.get_by_role("button", name="All stops until").click()
            self.page.wait_for_selector(".stop")
            return
        if n != ("1",):
            self.page.get_by_text("Several stops at once").click()
            self.page.get_by_label("Stops", exact=True).fill(n[0])
        self.page.get_by_role("button", name="Next stop", exact=True).click()
        self.page.wait_for_selector(".stop")

    def tell(self, name, number, *values, measured=(), **visit):
        self._open(name, number)
        self.page.get_by_label(re.compile("Values? found")).fill(" ".join(values))
        for key, value in (one.split("=") for one in measured):
            self.page.get_by_label(key).fill(value)
        self._visit(visit)
        self.page.get_by_role("button", name="Tell", exact=True).click()
        self._closed(number)

    def fail(self, name, number, **visit):
        self._open(name, number)
        self.page.get_by_role("button", name="Failed", exact=True).click()
        self._visit(visit)
        self.page.get_by_role("button", name="Yes, it failed").click()
        self._closed(number)

    def skip(self, name, number, why=("",)):
        self._open(name, number)
        self.page.get_by_role("button", name="Skip", exact=True).click()
        self.page.get_by_label("Note").fill(why[0])
        self.page.get_by_role("button", name="Yes, skip it").click()
        self._closed(number)

    def insert(self, name, *place, count=("1",), dry_run=None):
        page = self.see(name, "tools")
        panel = page.locator("section.panel", has_text="A place of your own")
        self._place(panel, place)
        panel.get_by_label("How many results").fill(count[0])
        panel.get_by_role("button", name="What would it cost?").click()
        panel.get_by_text("on top of the route").wait_for()
        if dry_run is None:
            panel.get_by_role("button", name="Go there").click()
            page.wait_for_selector(".stop")

    def amend(self, name, number, *values, why=("",), measured=(), withdraw=None):
        page = self.see(name, "results")
        page.get_by_role("button", name=number, exact=True).click()
        window = page.get_by_role("dialog")
        if values:
            window.get_by_label("Value found").fill(" ".join(values))
        for key, value in (one.split("=") for one in measured):
            window.get_by_label(key).fill(value)
        window.get_by_label("Reason").fill(why[0])
        if withdraw is None:
            window.get_by_role("button", name="Correct", exact=True).click()
        else:
            window.get_by_role("button", name="Take the value back").click()
            window.get_by_role("button", name="Yes, take it back").click()
        window.wait_for(state="detached")

    def replan(self, name, why=("",), **position):
        page = self.see(name, "tools")
        panel = page.locator("section.panel", has_text="A new route")
        self._place(panel, position.get("from", ()))
        panel.get_by_label("Reason").fill(why[0])
        panel.get_by_role("button", name="Plan a new route").click()
        panel.get_by_text("Planned:").wait_for()

    def go_home(self, name, spent=("",), why=("",)):
        page = self.see(name, "tools")
        panel = page.locator("section.panel", has_text="Go home")
        panel.get_by_label("What it really cost").fill(spent[0])
        panel.get_by_label("Note").fill(why[0])
        panel.get_by_role("button", name="Go home now").click()
        page.get_by_text("At home, paid").wait_for()

    def change(self, name, *keys, why=("",)):
        page = self.see(name, "tools")
        panel = page.locator("section.panel", has_text="Change the study")
        panel.get_by_role("button", name="Change it").click()
        for label, text in (key.split("=") for key in keys):
            panel.get_by_label(label).fill(text)
        panel.get_by_label("Reason").fill(why[0])
        panel.get_by_role("button", name="Look first").click()
        panel.get_by_role("button", name="Change the study").click()
        panel.get_by_role("button", name="Change it").wait_for()

    def sheet(self, name, take=None, out=("sheet.csv",)):
        """A sheet lists what is out, so stops are asked for first."""
        if take is not None:
            self.ask(name, take)
        page = self.see(name, "tools")
        if out[0].endswith(".csv"):
            with page.expect_download() as loading:
                page.get_by_role("link", name="Run sheet as a table").click()
            loading.value.save_as(out[0])

    def take_in(self, name, file):
        page = self.see(name, "tools")
        panel = page.locator("section.panel", has_text="Results from a table")
        panel.get_by_label("File").set_input_files(file)
        panel.get_by_role("button", name="Look first").click()
        panel.locator(".price").wait_for()
        panel.get_by_role("button", name="Take them").click()
        panel.locator(".price").wait_for(state="detached")

    # Parts of them.

    def _open(self, name, number):
        self.see(name)
        self.page.wait_for_selector(".stop")
        if self.page.locator(".chip").count():
            self.page.locator(".chip", has_text=re.compile(rf"^{number}\b")).click()
        self.page.get_by_role("heading", name=f"Trial {number}", exact=True).wait_for()

    def _visit(self, visit):
        self.page.get_by_label("Note").fill(visit.get("why", [""])[0])
        if {"actual", "spent", "count", "variance"} & set(visit):
            self.page.get_by_text("Was something different?").click()
        self._place(self.page.locator(".outcome"), visit.get("actual", ()))
        for key, label in (
            ("spent", "What the leg really cost"),
            ("count", "Number of results"),
            ("variance", "variance"),
        ):
            if key in visit:
                self.page.get_by_label(label).fill(visit[key][0])

    def _place(self, within, settings):
        for axis, value in (one.split("=") for one in settings):
            field = within.get_by_label(axis)
            if field.evaluate("one => one.tagName") == "SELECT":
                field.select_option(label=value)
            else:
                field.fill(value)

    def _closed(self, number):
        """Wait until the outcome is with the server and the card no longer shows the trial."""
        self.page.wait_for_function(
            """number => !document.querySelector('.outbox')
                && ![...document.querySelectorAll('.stop h2, .chip')]
                    .some(one => one.textContent.match(/\\d+/)?.[0] === number)""",
            arg=number,
        )
