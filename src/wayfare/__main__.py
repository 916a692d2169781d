"""The command line, as ``python -m wayfare``."""

from wayfare.cli import main

main()
