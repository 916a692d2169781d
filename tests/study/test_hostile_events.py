"""Events that no study wrote, with sound digests around them: refused when read, or harmless in every report."""

import json
from copy import deepcopy
from pathlib import Path

import pytest

import wayfare as wf
from wayfare.errors import StoreError, WayfareError
from wayfare.exchange import export_csv, export_json
from wayfare.store import MemoryStore, SqliteStore

STORES = Path(__file__).parents[1] / "golden" / "stores"
GONE = object()
NONSENSE = (None, -1, 1e308, 10**30, "\ud800", [], [0.1] * 7, {"a": 1}, True, GONE)


def opened(form, events):
    store = MemoryStore()
    store.create("study", form, [json.dumps(event) for event in events])
    return wf.Study.open(store, "study")


def kept(name):
    store = SqliteStore(STORES / f"{name}.db")
    form, events = store.read(name)
    return form, [json.loads(event) for event in events]


def parts(value, path=()):
    """Yield the paths of all parts of an event, of long lists the ends only."""
    if path:
        yield path
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, part in pairs:
        if not isinstance(value, list) or key in (0, len(value) - 1):
            yield from parts(part, (*path, key))


def spoilt(event, path, nonsense):
    event = deepcopy(event)
    at = event
    for key in path[:-1]:
        at = at[key]
    if nonsense is GONE:
        del at[path[-1]]
    else:
        at[path[-1]] = nonsense
    return event


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mishaps-reactor", "trip-mishaps"])
def test_nonsense_in_any_part_of_an_event_is_refused_or_harmless(name):
    form, events = kept(name)
    first = {}  # one event of each kind, with each set of keys
    for number, event in enumerate(events):
        first.setdefault((event["kind"], *sorted(event)), number)
    refused = harmless = 0
    for number in first.values():
        for path in parts(events[number]):
            for nonsense in NONSENSE:
                changed = [*events]
                changed[number] = spoilt(events[number], path, nonsense)
                try:
                    study = opened(form, changed)
                except WayfareError:
                    refused += 1
                    continue
                for report in (wf.Study.log, wf.Study.ledger, wf.Study.route, export_csv, export_json):
                    try:
                        str(report(study))
                    except WayfareError:
                        refused += 1
                harmless += 1
    assert refused > 500
    assert harmless > 50


def test_a_position_of_other_axes_is_refused_when_it_is_read():
    form, events = kept("mishaps-reactor")
    number = next(n for n, event in enumerate(events) if event["kind"] == "replanned" and event["position"])
    events[number]["position"] *= 2
    with pytest.raises(StoreError, match="cannot be replayed"):
        opened(form, events)
