"""The command line: parses, calls the library and prints. Results go to stdout, all else to stderr."""

from wayfare.cli.main import main

__all__ = ["main"]
