"""The variables of the environment that wayfare reads: all of them, and nothing else of the environment.

Each stands in for an argument or an option that is left out. docs/reference/settings.md shows them.
"""

import os

STORE, USER, KEY, NETWORK_STORE = "WAYFARE_STORE", "WAYFARE_USER", "WAYFARE_KEY", "WAYFARE_NETWORK_STORE"
STATE = "XDG_STATE_HOME"
SETTINGS = {
    STORE: "The file or database that keeps the studies, for commands without `--store`; else `wayfare.db` here.",
    USER: "Who makes the moves, kept with each, where `--as` or `by=` does not say; else the login name.",
    KEY: "The key file of signed exports, for commands without `--key`.",
    NETWORK_STORE: "`trusted` says that locks hold on a network file system; else no store is written on one.",
    STATE: "The folder of the locks on workers' names (`wayfare worker`, `study.run`); else `~/.local/state`.",
}
"""What each variable says."""


def setting(name: str) -> str:
    """Return the value of an environment variable; empty if it is not set."""
    return os.environ.get(name, "").strip()
