"""Studies in and out: tables for spreadsheets, JSON of the whole study, waypoints, and a sheet of paper."""

from wayfare.exchange.archive import export_json, import_json
from wayfare.exchange.export import export_csv
from wayfare.exchange.geojson import export_geojson
from wayfare.exchange.gpx import export_gpx
from wayfare.exchange.handout import hand_out
from wayfare.exchange.imports import Imported, import_csv
from wayfare.exchange.itinerary import Itinerary, route_csv
from wayfare.exchange.qgc import export_qgc
from wayfare.exchange.runsheet import run_sheet, sheet_csv

__all__ = [
    "Imported",
    "Itinerary",
    "export_csv",
    "export_geojson",
    "export_gpx",
    "export_json",
    "export_qgc",
    "hand_out",
    "import_csv",
    "import_json",
    "route_csv",
    "run_sheet",
    "sheet_csv",
]
