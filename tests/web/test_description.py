"""docs/openapi.json is what the routes and their types say today.

``python -m tests.web.test_description`` writes it anew.
"""

import json
import re
from pathlib import Path

from wayfare.web.openapi import description
from wayfare.web.routes import ROUTES

PAGE = Path(__file__).parents[2] / "docs" / "openapi.json"


def as_text():
    return json.dumps(description(), indent=1) + "\n"


def test_description_in_the_docs_is_that_of_today():
    assert PAGE.read_text() == as_text(), "python -m tests.web.test_description writes it anew"


def test_every_route_is_described_and_every_reference_leads_somewhere():
    described = description()
    assert described["openapi"] == "3.1.0"
    for one in ROUTES:
        operation = described["paths"][one.path][one.method.lower()]
        assert operation["summary"], one.path
        names = {part["name"] for part in operation["parameters"] if part["in"] == "path"}
        assert names == set(re.findall(r"{(\w+)}", one.path))
    named = [operation["operationId"] for methods in described["paths"].values() for operation in methods.values()]
    assert len(set(named)) == len(named)
    for kind, name in set(re.findall(r'"#/components/(\w+)/(\w+)"', json.dumps(described))):
        assert described["components"][kind][name]


if __name__ == "__main__":
    PAGE.write_text(as_text())
