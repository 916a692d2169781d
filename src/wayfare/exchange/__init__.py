"""Studies in and out: tables for spreadsheets, JSON of the whole study, waypoints, and a sheet of paper."""

from wayfare.exchange.archive import export_json, import_json
from wayfare.exchange.csv import export_csv
from wayfare.exchange.imports import Imported, Preview, PreviewRow, import_csv, read_results
from wayfare.exchange.log import log_csv
from wayfare.exchange.navigation import export_geojson, export_gpx, export_qgc
from wayfare.exchange.route_table import RouteTable, route_csv
from wayfare.exchange.runsheet import hand_out, run_sheet, sheet_csv
from wayfare.exchange.signature import check_signature, make_key, read_key, sign
from wayfare.exchange.table import TableFormat, read_format
from wayfare.exchange.workbook import export_xlsx, sheet_xlsx

__all__ = [
    "Imported",
    "Preview",
    "PreviewRow",
    "RouteTable",
    "TableFormat",
    "check_signature",
    "export_csv",
    "export_geojson",
    "export_gpx",
    "export_json",
    "export_qgc",
    "export_xlsx",
    "hand_out",
    "import_csv",
    "import_json",
    "log_csv",
    "make_key",
    "read_format",
    "read_key",
    "read_results",
    "route_csv",
    "run_sheet",
    "sheet_csv",
    "sheet_xlsx",
    "sign",
]
