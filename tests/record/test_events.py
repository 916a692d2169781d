"""Events written as text and read back."""

import json
import math
import struct
from collections.abc import Mapping
from datetime import UTC, datetime

import numpy as np
import pytest
from attrs import NOTHING, evolve, fields, has
from hypothesis import given
from hypothesis import strategies as st

from wayfare.errors import StoreError
from wayfare.record.events import (
    Amended,
    Asked,
    Changed,
    Failed,
    Inserted,
    Planned,
    Reassigned,
    Replanned,
    Returned,
    Skipped,
    Told,
    read_event,
    write_event,
)
from wayfare.record.stamp import Stamp

ODD_FLOATS = (0.0, -0.0, 5e-324, -2.2250738585072e-308, 0.1, 1 / 3, math.pi, -1e300, 2.0**53 + 2)
STAMP = Stamp(datetime(2026, 11, 18, 20, 0, 0, 1, UTC), "Zoë", "cli", "0.3.0")
finite = st.floats(allow_nan=False, allow_infinity=False)


def one_of_each():
    """Return events of all kinds, with and without what may be left out."""
    notes = {"step": "map", "lengths": [0.1, 0.2], "deep": {"none": None, "yes": True, "text": "ü"}}
    bare = [
        Planned([[0.1, -0.0], [1 / 3, 5e-324]], [0.0, 0.25], np.array([1, 0]), 3, notes, 7, "1.2"),
        Asked(0, 0, 0.5, "boat", "a"),
        Told(0, -1.5, "b"),
        Told(1, 2.0, "c", (0.5, -0.0), 3.25, ((1, 3.25), (2, 0.1))),
        Failed(2, "broke", "d"),
        Failed(3, "", "e", (0.5, 0.5), 0.0, ((3, 0.0),)),
        Skipped(4, "rain", "f"),
        Skipped(5, "", "g", ((6, 1.0),)),
        Inserted(6, (0.5, 0.75), 0.25, "", "h"),
        Inserted(7, (0.5, 0.75), 0.0, "", "i", True),
        Amended(7, None, "typo", "j"),
        Amended(7, -0.0, "", "k", (1.0, 2.0), 5.0, ((7, 5.0),)),
        Planned([[0.5, 0.5]], [0.1], np.array([0]), 3, {}, 7, "1.2", (120,)),
        Asked(8, 0, 0.5, "boat", "n", 120),
        Told(8, 1 / 3, "o", None, None, (), "two were lost", 118, 5e-324),
        Inserted(9, (0.5, 0.75), 0.25, "", "p", False, 2**53),
        Amended(8, 0.1, "", "q", None, None, (), 2, 0.0),
        Planned([[0.5, 0.5], [0.1, 0.2]], [0.1, 3.0], np.array([0, 1]), 3, {}, 7, "1.2", (), (1,), (0,)),
        Asked(10, 1, 3.0, "drone", "r", 1, True),
        Inserted(11, (0.5, 0.75), 0.25, "", "s", False, 1, True),
        Told(10, 1.0, "t", measured={"pressure": 9.2, "ü": -0.0}),
        Amended(10, 1.0, "", "u", measured={"pressure": 5e-324}),
        Changed({"trials": 60, "budget": None, "axis": [{"name": "ü", "low": -0.0, "high": 1 / 3}]}, True, "so", "v"),
        Changed({}, False, "", "w"),
        Replanned(None, "", "l"),
        Replanned((0.25, 0.5), "moved by crane", "m"),
        Reassigned(0, "", "v"),
        Told(1, 2.0, "c", (0.5, -0.0), ways_home=((0, 1 / 3),)),
        Failed(3, "", "e", (0.5, 0.5), ways_home=((2, 0.0),)),
        Skipped(5, "", "g", ways_home=((6, 1.0),)),
        Amended(7, -0.0, "", "k", (1.0, 2.0), ways_home=((1, 5.0),)),
        Returned(0.25, "", "v"),
        Returned(5e-324, "rain", "w", 1 / 3, True),
    ]
    return [*bare, *(evolve(event, stamp=STAMP) for event in bare)]


def same(one, other):
    """Return whether two events, or their fields, are equal to the last bit."""
    if type(one) in (float, np.float64):
        return type(other) in (float, np.float64) and struct.pack("d", one) == struct.pack("d", other)
    if isinstance(one, np.ndarray) and isinstance(other, np.ndarray):
        return (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
    if isinstance(one, tuple | list) and isinstance(other, tuple | list):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, Mapping) and isinstance(other, Mapping):
        return list(one) == list(other) and same(list(one.values()), list(other.values()))
    if has(type(one)) and type(one) is type(other):
        return all(same(getattr(one, field.name), getattr(other, field.name)) for field in fields(type(one)))
    return one == other


@pytest.mark.parametrize("event", one_of_each(), ids=lambda event: type(event).__name__)
def test_every_event_is_one_line_of_ascii_and_comes_back_equal(event):
    text = write_event(event)
    assert text.isascii()
    assert "\n" not in text
    assert same(read_event(text), event)


@given(finite, finite, st.text(), st.lists(finite, min_size=1, max_size=4))
def test_any_number_comes_back_bit_for_bit_and_any_text_letter_for_letter(value, spent, request, place):
    event = Told(3, value, request, tuple(place), spent, ((3, spent),))
    assert same(read_event(write_event(event)), event)


@given(finite, st.dictionaries(st.text(), finite | st.sampled_from(ODD_FLOATS), max_size=4))
def test_measured_numbers_come_back_bit_for_bit_in_their_order(value, measured):
    """Whatever the names and numbers; and with none, the text is that of an event of an earlier version."""
    for event in (Told(3, value, "a", measured=measured), Amended(3, value, "", "a", measured=measured)):
        text = write_event(event)
        assert same(read_event(text), event)
        assert ('"measured"' in text) == bool(measured)


def test_an_event_with_measured_numbers_is_a_value():
    """It equals its like, can be kept in a set, and nothing can be written into it."""
    events = [Told(3, 0.5, "a", measured={"p": number}) for number in (1.0, 1.0, 2.0)]
    assert events[0] == events[1] != events[2]
    assert len(set(events)) == 2
    with pytest.raises(TypeError):
        events[0].measured["p"] = 3.0


@pytest.mark.parametrize("value", ODD_FLOATS)
def test_odd_numbers_keep_every_bit(value):
    back = read_event(write_event(Told(0, value, "a")))
    assert struct.pack("d", back.value) == struct.pack("d", value)


def test_what_stands_at_its_default_is_not_written():
    text = '{"kind":"told","number":3,"value":0.5,"request":"a"}'
    assert write_event(Told(3, 0.5, "a")) == text


def test_a_stamp_is_written_after_all_else_and_makes_no_event_another():
    """The text begins as that of an event of an earlier version, and comparing looks past the stamp."""
    event = evolve(Told(3, 0.5, "a"), stamp=STAMP)
    ended = ',"at":"2026-11-18T20:00:00.000001Z","by":"Zo\\u00eb","via":"cli","app":"0.3.0"}'
    assert write_event(event) == write_event(Told(3, 0.5, "a")).removesuffix("}") + ended
    assert event == Told(3, 0.5, "a")
    assert hash(event) == hash(Told(3, 0.5, "a"))


def test_the_events_tested_use_every_field():
    events = one_of_each()
    for kind in {type(event) for event in events}:
        for one in fields(kind):
            if (kind, one.name) == (Changed, "spec"):
                continue  # worked out when it is read, and never written
            given = [getattr(event, one.name) for event in events if type(event) is kind]
            assert one.default is NOTHING or any(value != one.default for value in given), (kind, one.name)


def test_a_plan_read_back_is_read_only():
    plan = read_event(write_event(one_of_each()[0]))
    for array in (plan.stops, plan.legs, plan.picked):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf"), np.int64(3), object()])
def test_what_json_cannot_hold_is_refused_when_written(bad):
    plan = Planned([[0.0]], [0.0], np.array([0]), 0, {"step": bad}, 0, "1")
    with pytest.raises(StoreError, match="planned"):
        write_event(plan)


def test_only_events_are_written():
    with pytest.raises(StoreError, match="not an event"):
        write_event("told")


GOOD = json.loads(write_event(Told(3, 0.5, "a", (0.5,), 1.0, ((3, 1.0),))))
ASKED = json.loads(write_event(Asked(0, 0, 0.5, "boat", "a")))
PLAN = json.loads(write_event(one_of_each()[0]))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        "3",
        "null",
        "[]",
        "{}",
        '{"kind":"moved"}',
        '{"kind":["told"]}',
        '{"kind":"told"}',
        "[" * 100_000,
        *(
            json.dumps(GOOD | change)
            for change in (
                {"number": -1},
                {"number": 1.5},
                {"number": True},
                {"number": "3"},
                {"value": None},
                {"value": "0.5"},
                {"value": True},
                {"value": float("nan")},
                {"value": [0.5]},
                {"request": None},
                {"request": 3},
                {"actual": 0.5},
                {"actual": ["x"]},
                {"legs": [[3]]},
                {"legs": [3]},
                {"legs": None},
                {"colour": "red"},
                {"measured": None},
                {"measured": [["p", 1.0]]},
                {"measured": {"p": None}},
                {"measured": {"p": "1"}},
                {"measured": {"p": True}},
                {"measured": {"p": float("nan")}},
            )
        ),
        *(
            json.dumps(GOOD | {"at": "2026-11-18T20:00:00.000001Z", "by": "", "via": "", "app": ""} | change)
            for change in (
                {"at": 3},
                {"at": "2026-11-18"},
                {"at": "2026-13-18T20:00:00.000001Z"},
                {"at": "2026-11-18T20:00:00.000001+"},
                {"by": None},
                {"via": 3},
                {"app": ["0.3.0"]},
            )
        ),
        json.dumps(GOOD | {"at": "2026-11-18T20:00:00.000001Z"}),
        json.dumps(GOOD | {"by": "ana"}),
        json.dumps(GOOD).replace("0.5", "1e999"),
        json.dumps({key: value for key, value in GOOD.items() if key != "request"}),
        json.dumps(ASKED | {"worker": None}),
        *(
            json.dumps(PLAN | change)
            for change in (
                {"stops": [1.0, 2.0]},
                {"stops": [[1.0], [1.0, 2.0]]},
                {"stops": [["a"]]},
                {"legs": [[1.0]]},
                {"picked": [0.5]},
                {"picked": [-1]},
                {"notes": []},
                {"seed": None},
            )
        ),
    ],
    ids=lambda text: str(text)[:40],
)
def test_a_malformed_event_is_a_store_error_and_nothing_else(text):
    with pytest.raises(StoreError, match="not an event") as caught:
        read_event(text)
    assert len(str(caught.value)) < 400


def test_an_event_with_no_reason_still_has_one_when_read():
    assert read_event(write_event(Failed(0, "", "a"))) == Failed(0, "", "a")
