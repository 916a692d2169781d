"""A store is not written where two computers may both believe that they have its lock."""

import pytest

import wayfare as wf
from wayfare._core.settings import NETWORK_STORE as TRUSTED
from wayfare.errors import StoreError
from wayfare.store import SqliteStore, filesystem
from wayfare.store.filesystem import file_system
from wayfare.testing.store import FORM, line

LOCAL = "22 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw"


@pytest.fixture
def mounts(tmp_path, monkeypatch):
    """Say what is mounted where."""

    def say(*lines):
        file = tmp_path / "mountinfo"
        file.write_text("\n".join((LOCAL, *lines)) + "\n")
        filesystem._mounted.cache_clear()
        monkeypatch.setattr(filesystem, "MOUNTS", file)

    monkeypatch.delenv(TRUSTED, raising=False)
    say()
    return say


def mounted(point, kind):
    return f"40 22 0:50 / {point} rw,relatime - {kind} server:/export rw,vers=4.2"


@pytest.mark.parametrize("kind", ["nfs", "nfs4", "cifs", "smb3", "fuse.sshfs", "fuse.rclone", "lustre"])
def test_a_network_file_system_is_refused_before_anything_is_written(tmp_path, mounts, kind):
    folder = tmp_path / "share"
    folder.mkdir()
    mounts(mounted(folder, kind))
    with pytest.raises(StoreError, match=rf"network file system \({kind}\).*local disk.*{TRUSTED}=trusted"):
        SqliteStore(folder / "lab.db").create("hill", FORM)
    assert not list(folder.iterdir())


def test_a_store_that_came_to_lie_there_can_be_read_and_not_written(tmp_path, mounts):
    store = SqliteStore(tmp_path / "lab.db")
    store.create("hill", FORM)
    store.append("hill", 0, [line(0)])
    before = store.path.read_bytes()
    mounts(mounted(tmp_path, "nfs4"))
    assert store.read("hill").events == [line(0)]
    with pytest.raises(StoreError, match="network file system"):
        store.append("hill", 1, [line(1)])
    assert store.path.read_bytes() == before


def test_a_user_who_knows_better_says_so(tmp_path, mounts, monkeypatch):
    mounts(mounted(tmp_path, "nfs4"))
    monkeypatch.setenv(TRUSTED, "yes")
    with pytest.raises(StoreError, match="trusted"):
        SqliteStore(tmp_path / "lab.db").create("hill", FORM)
    monkeypatch.setenv(TRUSTED, "trusted")
    SqliteStore(tmp_path / "lab.db").create("hill", FORM)


@pytest.mark.parametrize("kind", ["ext4", "xfs", "btrfs", "tmpfs", "overlay", "9p", "fuseblk", "fuse.gocryptfs", "zfs"])
def test_a_local_file_system_is_written(tmp_path, mounts, kind):
    mounts(mounted(tmp_path, kind))
    assert file_system(tmp_path / "lab.db") == kind
    SqliteStore(tmp_path / "lab.db").create("hill", FORM)


def test_the_nearest_mount_counts_and_of_several_at_one_point_the_last(tmp_path, mounts):
    share, disk = tmp_path / "share", tmp_path / "share" / "disk"
    disk.mkdir(parents=True)
    (tmp_path / "shared").mkdir()
    mounts(mounted(disk, "ext4"), mounted(share, "ext3"), mounted(share, "nfs"))
    assert [file_system(folder / "lab.db") for folder in (share, disk, tmp_path / "shared", tmp_path)] == [
        *("nfs", "ext4", "ext4"),
        "ext4",
    ]


def test_a_link_is_followed_to_where_the_file_is(tmp_path, mounts):
    share = tmp_path / "share"
    share.mkdir()
    (tmp_path / "here").symlink_to(share)
    (tmp_path / "lab.db").symlink_to(share / "lab.db")
    mounts(mounted(share, "nfs"))
    assert file_system(tmp_path / "here" / "lab.db") == file_system(tmp_path / "lab.db") == "nfs"


def test_odd_names_and_odd_lines_are_read(tmp_path, mounts):
    share = tmp_path / "a b\tc"
    share.mkdir()
    mounts("", "nonsense", "1 2 3 - 4", mounted(str(share).replace(" ", "\\040").replace("\t", "\\011"), "nfs"))
    assert file_system(share / "lab.db") == "nfs"


def test_where_nothing_says_what_is_mounted_nothing_is_refused(tmp_path, mounts, monkeypatch):
    monkeypatch.setattr(filesystem, "MOUNTS", tmp_path / "none")
    assert file_system(tmp_path / "lab.db") is None
    SqliteStore(tmp_path / "lab.db").create("hill", FORM)


def test_a_study_says_it_to_its_user(tmp_path, mounts):
    mounts(mounted(tmp_path, "cifs"))
    with pytest.raises(wf.StoreError, match="two computers may write at once"):
        wf.Study.create(
            wf.Space(wf.Real("x", 0, 1)),
            direction="maximize",
            travel=wf.Euclidean(),
            trials=3,
            store=tmp_path / "lab.db",
        )
