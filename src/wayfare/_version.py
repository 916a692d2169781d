"""The version, on its own so that what writes it down need not import everything."""

__version__ = "0.2.0"
