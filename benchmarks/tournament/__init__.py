"""The tournament: on one set of functions a default method is searched, on another it is reported.

``python -m benchmarks.tournament develop`` or ``... report`` from the root of the project. The modules are
imported as ``tournament.…``, with ``benchmarks/`` on the path.
"""
