"""A signature over an exported file: someone who holds the key made it, and not a byte of it was changed since.

It is an HMAC-SHA-256 (RFC 2104) with the bytes of a key file, written beside the file as ``FILE.sig``. To check such a
signature takes the key, and the key makes any other: it convinces only people who trust each other with it. A public
signature, which anyone can check and one person can make, is left to programs made for it: the file is an ordinary one.
"""

import hashlib
import hmac
import json
import secrets
from typing import Any

from attrs import asdict, field, frozen

from wayfare.errors import InvalidInput
from wayfare.record.stamp import Author, check_stamp, stamp_form, stamped, take_stamp

FORMAT, VERSION, ALGORITHM = "wayfare signature", 1, "hmac-sha256"
ENDING = ".sig"
LEAST_KEY, MOST_KEY = 32, 65_536
"""Bytes of a key."""
LARGEST = 100_000
"""Bytes of a signature file."""


@frozen
class Statement:
    """The signed facts about a file.

    Attributes:
        file: its name, without the folder.
        sha256: digest of its content.
        study: the study that was exported.
        events: how many events it had.
        head: the head of its chain after these, by which ``verify`` knows it again; empty if its store has none.
    """

    file: str
    sha256: str
    study: str
    events: int
    head: str = ""


@frozen
class Checked:
    """The result of ``check_signature``.

    Attributes:
        statement: what was signed; None if that cannot be read.
        at: when it was signed, by the clock of that computer; empty if unknown.
        by: who signed, as they said.
        key: the id of the key, the same for the same key.
        findings: everything that is wrong.
    """

    statement: Statement | None = None
    at: str = ""
    by: str = ""
    key: str = ""
    findings: tuple[str, ...] = field(factory=tuple)

    @property
    def is_sound(self) -> bool:
        """Whether the file is the one that was signed, with this key."""
        return not self.findings


def make_key() -> str:
    """Return a new key, 256 random bits as a line of text, to be kept in a file that only signers can read."""
    return f"{secrets.token_hex(LEAST_KEY)}\n"


def read_key(data: bytes) -> bytes:
    """Return the key in the content of a key file: its bytes without blanks and line ends around them."""
    key = data.strip()
    if not LEAST_KEY <= len(key) <= MOST_KEY:
        raise InvalidInput(
            f"a key has {LEAST_KEY} bytes at least, this one has {len(key)}; `wayfare key FILE` makes one"
        )
    return key


def mac_of(key: bytes, message: bytes) -> bytes:
    """Return the HMAC-SHA-256 of a message."""
    return hmac.digest(key, message, "sha256")


def key_id(key: bytes) -> str:
    """Return a name for a key, which does not tell the key."""
    return hashlib.sha256(b"wayfare key\n" + key).hexdigest()[:16]


def sign(
    data: bytes, key: bytes, *, file: str, study: str, events: int, head: str = "", who: Author = (None, "python")
) -> str:
    """Return the signature of a file, as the text of the file beside it.

    Args:
        data: content of the file.
        key: from ``read_key``.
        file: its name.
        study: that was exported.
        events: how many events it had.
        head: of its chain, if its store has one.
        who: signs, and by which way.
    """
    statement = Statement(file, hashlib.sha256(data).hexdigest(), study, events, head)
    form = {"format": FORMAT, "version": VERSION, "algorithm": ALGORITHM, "key": key_id(key), **asdict(statement)}
    form |= stamp_form(stamped(who))
    return json.dumps({**form, "mac": mac_of(key, _message(form)).hex()}, indent=1) + "\n"


def check_signature(data: bytes, signature: str, key: bytes) -> Checked:
    """Return whether a file is the one that was signed with a key, and what was said of it.

    Args:
        data: content of the file.
        signature: text of the file beside it.
        key: from ``read_key``.
    """
    try:
        form = _read(signature)
        mac, algorithm = bytes.fromhex(form.pop("mac")), form["algorithm"]
        message, used = _message(form), form["key"]
    except (AttributeError, KeyError, TypeError, ValueError, RecursionError):
        return Checked(findings=("the signature is not one of wayfare's, or it is damaged",))
    if algorithm != ALGORITHM:
        return Checked(findings=(f"the signature is of another kind, {str(algorithm)[:40]!r}",))
    if used != key_id(key):
        return Checked(findings=(f"it was signed with another key, {str(used)[:40]!r}, not with {key_id(key)!r}",))
    if not hmac.compare_digest(mac_of(key, message), mac):
        return Checked(findings=("the signature was changed, or forged by someone who does not have the key",))
    # Only now is what it says worth reading.
    statement = Statement(*(form[one] for one in ("file", "sha256", "study", "events", "head")))
    stamp = take_stamp(dict(form))
    same = hmac.compare_digest(hashlib.sha256(data).hexdigest(), statement.sha256)
    findings = () if same else ("the file is not the one that was signed: its content was changed",)
    return Checked(statement, stamp.time, stamp.by, used, findings)


def _message(form: dict[str, Any]) -> bytes:
    """Return the bytes that are signed: the same for the same content, however the file is laid out."""
    return f"{FORMAT} {VERSION}\n{json.dumps(form, sort_keys=True, separators=(',', ':'), allow_nan=False)}".encode()


def _read(text: str) -> dict[str, Any]:
    """Return the plain data of a signature; raise ``ValueError`` for what cannot be one."""
    form = json.loads(text) if len(text) <= LARGEST else None
    if not isinstance(form, dict) or (form.get("format"), form.get("version")) != (FORMAT, VERSION):
        raise ValueError("not a signature")
    kinds = {"file": str, "sha256": str, "study": str, "events": int, "head": str, "key": str, "mac": str}
    if not all(type(form[name]) is kind for name, kind in kinds.items()):
        raise ValueError("not a signature")
    check_stamp(take_stamp(dict(form)))
    return form
