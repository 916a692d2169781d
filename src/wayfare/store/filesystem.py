"""Whether the file system below a store keeps its promises: locks that hold, and writes that stay written.

On a network file system two machines may both believe that they have the lock, and then both write. SQLite warns of it
and cannot notice; so a store is not written there unless the user says so.
"""

import os
import re
from functools import lru_cache
from pathlib import Path

from wayfare._core.settings import NETWORK_STORE, setting
from wayfare.errors import StoreError

MOUNTS = Path("/proc/self/mountinfo")
"""Where Linux says what is mounted; there is none elsewhere, and nothing is refused."""
NETWORK = {
    *("afs", "auristorfs", "beegfs", "ceph", "ceph-fuse", "cifs", "coda", "curlftpfs", "davfs", "davfs2", "fhgfs"),
    *("gcsfuse", "glusterfs", "goofys", "google-drive-ocamlfuse", "gpfs", "httpfs", "juicefs", "lustre", "mfs"),
    *("moosefs", "ncpfs", "nfs", "nfs4", "onedriver", "orangefs", "pvfs2", "rclone", "s3fs", "smb2", "smb3", "smbfs"),
    *("smbnetfs", "sshfs"),
}
"""File systems that other machines may write to, as Linux calls them; some with "fuse." in front."""


def check_local(path: Path) -> None:
    """Refuse to write a store on a network file system, unless the user vouches for its locks."""
    kind = file_system(path)
    if kind is not None and kind.removeprefix("fuse.") in NETWORK and setting(NETWORK_STORE) != "trusted":
        raise StoreError(
            f"{path} is on a network file system ({kind}), where two computers may write at once and lose results; "
            f"keep the store on a local disk and back it up there, or set {NETWORK_STORE}=trusted if its locks hold"
        )


def file_system(path: Path) -> str | None:
    """Return the kind of file system that a file is on, or would be; None if that is unknown."""
    folder = os.path.dirname(os.path.realpath(path) if os.path.islink(path) else path)
    try:
        device = os.stat(folder).st_dev
    except OSError:
        device = 0
    return _mounted(folder, device, MOUNTS)


@lru_cache(maxsize=256)
def _mounted(folder: str, device: int, mounts: Path) -> str | None:
    """Return the type of the file system of a folder; ``device`` is there so that another one is looked up again."""
    folder = os.path.realpath(folder)
    try:
        lines = mounts.read_text(encoding="utf-8", errors="surrogateescape").splitlines()
    except OSError:
        return None
    found, kind = "", None
    for line in lines:
        # "36 35 98:0 /root /mnt rw,noatime master:1 - ext4 /dev/sda1 rw": optional fields end with the dash.
        fields, _, rest = line.partition(" - ")
        if len(words := fields.split(" ")) < 5 or not rest:
            continue
        point = re.sub(r"\\([0-7]{3})", lambda octal: chr(int(octal[1], 8)), words[4])
        # Of several at one point, the last hides the others.
        if len(point) >= len(found) and (folder == point or folder.startswith(f"{point.rstrip('/')}/")):
            found, kind = point, rest.split(" ")[0]
    return kind
