"""Studies in and out: a CSV table of the trials for spreadsheets, and JSON that holds the whole study."""

from wayfare.exchange.archive import export_json, import_json
from wayfare.exchange.export import export_csv
from wayfare.exchange.imports import Imported, import_csv
from wayfare.exchange.itinerary import Itinerary, route_csv

__all__ = ["Imported", "Itinerary", "export_csv", "export_json", "import_csv", "import_json", "route_csv"]
