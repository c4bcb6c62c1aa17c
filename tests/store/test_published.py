"""A folder of files for others: what is written again, what is removed, and what is left alone."""

import json
import os
from pathlib import Path

import apsw
import pytest

from pbm_oust.store.disk import Disk
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.published import LIST, OWN, NotPublished, Piece, Published, published


def piece(path: str, text: str = "", made_from: str = "") -> Piece:
    """Return a file that says a text, by default its path."""
    return Piece(path, (text or path).encode, made_from)


def paths_in(folder: Path) -> set[str]:
    """Return the files and folders in a folder, but not the list of its files."""
    found = (path.relative_to(folder) for path in folder.rglob("*"))
    return {str(path) for path in found if path.parts[0] != OWN}


def test_a_part_has_the_files_that_were_published_last(tmp_path: Path) -> None:
    with published(tmp_path / "out", Disk()) as folder:
        assert folder.publish("17", [piece("oust/17.html"), piece("oust/17/past/1")]) == 2
        assert folder.publish("17", [piece("oust/17.html", "changed")]) == 1
        assert paths_in(tmp_path / "out") == {"oust", "oust/17.html"}
        assert (tmp_path / "out" / "oust" / "17.html").read_text() == "changed"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_what_root_publishes_belongs_to_the_owner_of_the_folder(tmp_path: Path) -> None:
    def owners() -> set[tuple[int, int]]:
        found = [path.lstat() for path in (tmp_path / "out").rglob("*")]
        return {(each.st_uid, each.st_gid) for each in found}

    (tmp_path / "out").mkdir()
    os.chown(tmp_path / "out", 4711, 4712)
    with published(tmp_path / "out", Disk()) as folder:
        folder.publish("17", [piece("oust/17.html")])
        assert owners() == {(4711, 4712)}
    os.chown(tmp_path / "out" / OWN / LIST, 0, 0)
    with published(tmp_path / "out", Disk()):
        assert owners() == {(4711, 4712)}


def test_a_list_that_cannot_be_opened_is_a_fault_that_names_it(tmp_path: Path) -> None:
    (tmp_path / "out" / OWN / LIST).mkdir(parents=True)
    with pytest.raises(DatabaseFault, match=LIST), published(tmp_path / "out", Disk()):
        pass


def test_a_file_that_says_the_same_is_not_touched(tmp_path: Path) -> None:
    with published(tmp_path / "out", Disk()) as folder:
        folder.publish("17", [piece("17")])
        os.utime(tmp_path / "out" / "17", ns=(1, 1))
        assert folder.publish("17", [piece("17")]) == 0
    assert (tmp_path / "out" / "17").stat().st_mtime_ns == 1


def test_a_file_is_not_made_again_from_the_same_thing_unless_it_is_gone(tmp_path: Path) -> None:
    with published(tmp_path / "out", Disk()) as folder:
        folder.publish("17", [piece("17", "first", "thing")])
        assert folder.publish("17", [piece("17", "second", "thing")]) == 0
        (tmp_path / "out" / "17").unlink()
        assert folder.publish("17", [piece("17", "third", "thing")]) == 1
        assert folder.publish("17", [piece("17", "fourth", "another thing")]) == 1


def test_a_part_is_made_from_nothing_until_it_is_sealed(tmp_path: Path) -> None:
    with published(tmp_path / "out", Disk()) as folder:
        folder.publish("17", [piece("17")])
        assert folder.made_from("17") == ""
        folder.seal({"17": "thing"})
        assert folder.made_from("17") == "thing"
    with published(tmp_path / "out", Disk()) as folder:
        assert folder.made_from("17") == "thing"
        folder.publish("17", [piece("17")])
        assert folder.made_from("17") == ""


def test_what_was_written_before_an_end_in_between_is_known(tmp_path: Path) -> None:
    def broken() -> bytes:
        raise KeyboardInterrupt

    with published(tmp_path / "out", Disk()) as folder, pytest.raises(KeyboardInterrupt):
        folder.publish("17", [piece("17"), Piece("17.svg", broken), piece("17.png")])
    assert paths_in(tmp_path / "out") == {"17"}
    with published(tmp_path / "out", Disk()) as folder:
        assert folder.parts() == {"17"}
        folder.remove("17")
        assert folder.parts() == set()
    assert paths_in(tmp_path / "out") == set()


def test_two_processes_may_write_different_parts(tmp_path: Path) -> None:
    with published(tmp_path / "out", Disk()) as folder:
        other = Published(tmp_path / "out", Disk())
        other.publish("18", [piece("18")])
        other.close()
        assert folder.parts() == {"18"}


def test_a_second_export_into_a_folder_is_refused_meanwhile(tmp_path: Path) -> None:
    with (
        published(tmp_path / "out", Disk()),
        pytest.raises(NotPublished, match="another process"),
        published(tmp_path / "out", Disk()),
    ):
        pass


def test_a_list_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    with published(tmp_path / "out", Disk()):
        pass
    (tmp_path / "out" / OWN / LIST).write_bytes(b"no list" * 1000)
    with (
        pytest.raises(DatabaseFault, match=LIST),
        published(tmp_path / "out", Disk()),
    ):
        pass


def test_what_a_dead_process_was_writing_is_removed(tmp_path: Path) -> None:
    with published(tmp_path / "out", Disk()):
        draft = tmp_path / "out" / OWN / ".17.html.4711.0.draft"
        draft.write_text("half")
    with published(tmp_path / "out", Disk()):
        assert not draft.exists()


def test_nothing_outside_of_the_folder_is_removed_whatever_the_list_says(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    for kept in (outside, tmp_path / "kept"):
        kept.mkdir()
        (kept / "note").write_text("mine")
    with published(tmp_path / "out", Disk()) as folder:
        (tmp_path / "out" / "linked").symlink_to(outside)
        files = ["../kept/note", "a/../../kept/note", str(tmp_path / "kept" / "note"), "a/.."]
        files.append("linked/note")
        listed = json.dumps(dict.fromkeys(files, ""))
        rows = apsw.Connection(str(tmp_path / "out" / OWN / LIST))
        rows.execute("INSERT INTO parts VALUES ('17', '', ?)", [listed])
        rows.close()
        folder.remove("17")
    assert [(kept / "note").read_text() for kept in (outside, tmp_path / "kept")] == ["mine"] * 2
