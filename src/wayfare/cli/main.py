"""``wayfare``: the table of its commands.

A command is imported when it is run, so that ``wayfare --version`` and ``wayfare --help`` answer at once: numpy and
the library behind it are not loaded for them.
"""

from pathlib import Path

import click

from wayfare._version import __version__
from wayfare.cli.group import Commands, Later
from wayfare.cli.input import STORE_AT, as_option

# Name: where the command is, and its line in the help, which is the first sentence of its own help.
COMMANDS = {
    "init": ("init:init", "Write a study file to begin with."),
    "new": ("studies:new", "Begin the study that a TOML file describes."),
    "list": ("studies:list_studies", "List the studies in the store, oldest first."),
    "rename": ("studies:rename", "Give the study NAME the new name NEW."),
    "archive": ("studies:archive", "Hide the study NAME from list; it is kept and still works."),
    "delete": ("studies:delete", "Delete the study NAME for good, with all its results."),
    "methods": ("studies:methods", "List the methods: what each does, and where it comes from."),
    "ask": ("moves:ask", "Say where to go next."),
    "worker": ("worker:worker", "Measure the stops of the study NAME by a program, until none is left."),
    "insert": ("moves:insert", "Go to an extra place now; the rest of the route stays."),
    "change": ("change:change", "Change the study NAME: its bounds, values, limits, cost, method."),
    "replan": ("moves:replan", "Drop the rest of the route and plan a new one."),
    "go-home": ("moves:go_home", "Go home now: pay the way home, and begin the next day or trip."),
    "tell": ("moves:tell", "Record what was found at trial NUMBER."),
    "fail": ("moves:fail", "Record that trial NUMBER was visited, but has no value."),
    "skip": ("moves:skip", "Record that trial NUMBER was not visited."),
    "amend": ("moves:amend", "Correct trial NUMBER: its value, what was measured, its place, its cost."),
    "plan": ("reports:plan", "Show the route ahead, stop by stop."),
    "status": ("reports:status", "Show how far a study has come and where the traveller stands."),
    "trials": ("reports:trials", "List the trials handed out so far, with what became of them."),
    "log": ("log:log", "Show what was changed, from what to what, why, by whom, when."),
    "why": ("reports:why", "Say why trial NUMBER was chosen."),
    "importance": ("reports:importance", "Show how much each axis matters."),
    "progress": ("reports:progress", "Say what is still to be gained, and what more trials would buy."),
    "best": ("reports:best", "Show the best place, beside the best result observed."),
    "predict": ("reports:predict", "Show what is believed at places, and how sure that is."),
    "ledger": ("reports:ledger", "Show what the movement cost, and what ordering it saved."),
    "drift": ("reports:drift", "Say whether results change with time."),
    "plot": ("exchange:plot", "Draw the study NAME, over an earlier picture if there is one."),
    "export": ("exchange:export", "Write down the study NAME, as CSV, JSON or .xlsx."),
    "check": ("signature:check", "Check that FILE is what `export --signed` wrote."),
    "key": ("signature:key", "Make a key to sign with, in the new FILE."),
    "import": ("imports:import_file", "Add the rows of a CSV or .xlsx FILE to a study, or make one from JSON."),
    "sheet": ("exchange:sheet", "Write a run sheet of the trials that are out."),
    "waypoints": ("exchange:waypoints", "Write down the route ahead as waypoints."),
    "order": ("order:order", "Put the places of a CSV FILE in a short visiting order."),
    "backup": ("upkeep:backup", "Copy the store to the new file TARGET, as it is at one moment."),
    "copy": ("upkeep:copy", "Copy all studies of a store to another, event for event."),
    "restore": ("upkeep:restore", "Put the backup SOURCE in the place of the store."),
    "upgrade": ("upkeep:upgrade", "Bring the store to the format of this version."),
    "verify": ("upkeep:verify", "Check the store from end to end."),
    "doctor": ("upkeep:doctor", "Look whether the machine, the store and its studies are sound."),
    "serve": ("serve:serve", "Show the studies of a store in a browser, on this machine or in its network."),
    "mcp": ("mcp:mcp", "Serve the studies of a store to an assistant, by the Model Context Protocol."),
    "users": ("serve:users", "Say who may use the page of a store, and in which role."),
    "demo": ("demo:demo", "Spend one working day at a reactor, with and without planned routes."),
    "bench": ("bench:bench", "Compare methods on benchmark problems."),
}


SECTIONS = {
    "Begin": ("init", "new", "list", "methods", "demo"),
    "At the bench": ("ask", "tell", "fail", "skip", "amend", "insert", "replan", "go-home", "change", "worker"),
    "What is ahead, and what was found": (
        "plan",
        "status",
        "trials",
        "best",
        "predict",
        "progress",
        "why",
        "importance",
        "drift",
        "ledger",
        "log",
        "plot",
    ),
    "Files": ("sheet", "import", "export", "waypoints", "order", "check", "key"),
    "The store": (
        "serve",
        "users",
        "mcp",
        "rename",
        "archive",
        "delete",
        "backup",
        "restore",
        "copy",
        "upgrade",
        "verify",
        "doctor",
    ),
    "Research": ("bench",),
}
"""The commands as the help lists them; within a section, those first that are needed first."""


@click.group(cls=Commands)
@click.version_option(__version__, prog_name="wayfare", message="%(prog)s %(version)s")
@click.option("--store", type=STORE_AT, help="The file or database that keeps the studies, for any command.")
@as_option
@click.pass_context
def main(context: click.Context, store: Path | str | None) -> None:
    """Plan experiments when moving between them costs something."""
    context.obj = store


for _name, (_target, _help) in COMMANDS.items():
    main.add_command(Later(_name, f"wayfare.cli.{_target}", short_help=_help))
main.sections = SECTIONS
