"""A signature: RFC 4231's own examples, and not a bit of a file or of the signature can change unseen."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wayfare.errors import InvalidInput
from wayfare.exchange import check_signature, make_key, read_key, sign
from wayfare.exchange.signature import LARGEST, key_id, mac_of

# RFC 4231, section 4: key, data, HMAC-SHA-256; of case 5 the first 128 bits.
RFC = [
    ("0b" * 20, b"Hi There".hex(), "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
    (
        b"Jefe".hex(),
        b"what do ya want for nothing?".hex(),
        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
    ),
    ("aa" * 20, "dd" * 50, "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
    (bytes(range(1, 26)).hex(), "cd" * 50, "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
    ("0c" * 20, b"Test With Truncation".hex(), "a3b6167473100ee06e0c796c2955552b"),
    (
        "aa" * 131,
        b"Test Using Larger Than Block-Size Key - Hash Key First".hex(),
        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
    ),
    (
        "aa" * 131,
        (
            b"This is a test using a larger than block-size key and a larger than block-size data. "
            b"The key needs to be hashed before being used by the HMAC algorithm."
        ).hex(),
        "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
    ),
]
KEY = read_key(b"k" * 32)
DATA = b"number,state\n0,told\n"


def signed(data=DATA, key=KEY, **changes):
    about = {"file": "snar.csv", "study": "snar", "events": 3, "head": "ab" * 32, "who": ("ana", "cli")}
    return sign(data, key, **(about | changes))


@pytest.mark.parametrize(("key", "data", "mac"), RFC)
def test_the_code_of_a_message_is_that_of_the_standard(key, data, mac):
    assert mac_of(bytes.fromhex(key), bytes.fromhex(data)).hex()[: len(mac)] == mac


@given(st.binary(max_size=200), st.binary(min_size=32, max_size=99).map(bytes.strip).filter(lambda key: len(key) > 31))
def test_what_was_signed_is_sound_and_says_what_was_said(data, key):
    found = check_signature(data, signed(data, key), key)
    assert found.is_sound
    assert (found.statement.study, found.statement.events, found.by, found.key) == ("snar", 3, "ana", key_id(key))
    assert found.at.endswith("Z")


@given(st.data())
def test_no_bit_of_the_file_can_change(drawn):
    text = signed()
    bit = drawn.draw(st.integers(0, 8 * len(DATA) - 1))
    other = bytearray(DATA)
    other[bit // 8] ^= 1 << bit % 8
    assert "its content was changed" in check_signature(bytes(other), text, KEY).findings[0]
    for more in (DATA[:-1], DATA + b"\n", b""):
        assert not check_signature(more, text, KEY).is_sound


@given(st.data())
def test_no_character_of_the_signature_can_change_what_it_says(drawn):
    """But for blanks between its parts, every change is found."""
    text = signed()
    at = drawn.draw(st.integers(0, len(text) - 1))
    other = drawn.draw(st.characters(codec="ascii"))
    changed = text[:at] + other + text[at + 1 :]
    found = check_signature(DATA, changed, KEY)
    same = json.loads(text)
    try:
        is_same = json.loads(changed) == same or json.loads(changed) == same | {"mac": same["mac"].upper()}
    except ValueError:
        is_same = False
    hexadecimal = changed.lower() == text.lower() and '"mac"' in changed
    assert found.is_sound is is_same or (found.is_sound and hexadecimal)


@pytest.mark.parametrize("name", ["file", "study", "events", "head", "at", "by", "via", "app", "sha256", "algorithm"])
def test_nothing_that_is_said_can_be_changed_or_left_out(name):
    form = json.loads(signed())
    other = {"events": 4, "at": "2001-01-01T00:00:00.000000Z", "via": "web", "sha256": "0" * 64}.get(name, "other")
    for forged in ({**form, name: other}, {key: value for key, value in form.items() if key != name}):
        assert not check_signature(DATA, json.dumps(forged), KEY).is_sound
    assert not check_signature(DATA, json.dumps({**form, "more": 1}), KEY).is_sound
    assert check_signature(DATA, json.dumps(dict(reversed(form.items()))), KEY).is_sound


def test_another_key_is_named_and_a_forged_one_found():
    other = read_key(b"o" * 32)
    found = check_signature(DATA, signed(), other)
    assert found.findings == (f"it was signed with another key, {key_id(KEY)!r}, not with {key_id(other)!r}",)
    forged = json.dumps(json.loads(signed(key=other)) | {"key": key_id(KEY)})
    assert "forged" in check_signature(DATA, forged, KEY).findings[0]


HOSTILE = [
    "",
    "x",
    "null",
    "[]",
    "{}",
    "[" * 100_000,
    '{"format": "wayfare signature", "version": 1}',
    '{"format": "wayfare signature", "version": 2}',
    "1" * (LARGEST + 1),
    "\0",
    '{"a": NaN}',
    '{"mac": "\ud800"}',
]


@pytest.mark.parametrize("text", HOSTILE)
def test_what_is_no_signature_is_said_to_be_none(text):
    found = check_signature(DATA, text, KEY)
    assert found.findings == ("the signature is not one of wayfare's, or it is damaged",)
    assert found.statement is None


@pytest.mark.parametrize(
    ("name", "value"), [("mac", 3), ("mac", "xy"), ("events", "3"), ("events", True), ("key", None)]
)
def test_fields_of_another_kind_are_refused_in_words(name, value):
    form = json.loads(signed()) | {name: value}
    assert "damaged" in check_signature(DATA, json.dumps(form), KEY).findings[0]


def test_a_key_is_long_enough_and_blanks_around_it_do_not_count():
    for short in (b"", b"x" * 31, b" " * 99):
        with pytest.raises(InvalidInput, match="a key has 32 bytes at least"):
            read_key(short)
    assert read_key(b" " + b"x" * 32 + b"\r\n") == b"x" * 32


def test_keys_are_all_different_and_their_ids_do_not_tell_them():
    keys = {make_key() for _ in range(50)}
    assert len(keys) == 50
    for key in keys:
        assert len(bytes.fromhex(key)) == 32
        assert key_id(read_key(key.encode())) not in key
