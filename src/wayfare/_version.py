"""The version, on its own so that what writes it down need not import everything."""

__version__ = "0.1.0.dev0"
