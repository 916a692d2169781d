"""The command line of the benchmark of the belief, from the root of the project.

``python -m benchmarks.belief calibrate`` measures how often intervals hold the truth; ``... calibrate --help``
``python -m benchmarks.belief find`` measures what studies find; ``... find --help``
``python -m benchmarks.belief variants`` shows why the model is as it is, on functions used for choosing
``python -m benchmarks.belief page`` runs nothing: it fills docs/belief.md from the committed results
"""

import sys
from importlib import import_module
from pathlib import Path

# The modules of benchmarks/ import each other by their plain names.
sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

COMMANDS = {
    "calibrate": "belief.calibration",
    "find": "belief.finding",
    "variants": "belief.variants",
    "page": "belief.page",
}
"""The module of each command; its ``main(arguments)`` returns the exit code."""


def main(arguments: list[str] | None = None) -> int:
    command, *rest = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if command in ("-h", "--help"):
        print(__doc__)
        return 0
    if command not in COMMANDS:
        print(f"Error: there is no command {command!r}; choose {', '.join(COMMANDS)}", file=sys.stderr)
        return 2
    code: int = import_module(COMMANDS[command]).main(rest)
    return code


if __name__ == "__main__":
    sys.exit(main())
