"""What programs ask of any site is there, and our schemas."""

import json
import re
import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from pbm_oust.board.notation import parse_time
from tests.support.home_by_mail import home_of
from tests.support.server import ROOT
from tests.support.website import Website, website


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Website]:
    home = tmp_path_factory.mktemp("site") / "home"
    home_of(home)
    with website(home) as served:
        yield served


def test_security_txt_names_a_person_and_an_end(pages: Website) -> None:
    got = pages.get("/.well-known/security.txt")
    assert got.headers["content-type"] == "text/plain; charset=utf-8"
    fields = dict(line.split(": ", 1) for line in got.text.splitlines())
    assert re.fullmatch(r"mailto:postmaster@[a-z.]+", fields["Contact"])
    left = parse_time(fields["Expires"]) - datetime.now(UTC)
    assert timedelta(days=170) < left < timedelta(days=365)
    assert fields["Preferred-Languages"] == "en, fr"


def test_the_icon_is_there_for_programs_that_know_no_svg(pages: Website) -> None:
    got = pages.get("/favicon.ico")
    assert got.headers["content-type"] == "image/x-icon"
    assert struct.unpack("<HHH", got.content[:6]) == (0, 1, 1)
    size, at = struct.unpack("<II", got.content[14:22])
    png = got.content[at:]
    assert len(png) == size
    assert png.startswith(b"\x89PNG\r\n")
    assert struct.unpack(">II", png[16:24]) == (32, 32)


def test_the_schemas_are_those_of_the_docs(pages: Website) -> None:
    got = pages.get("/schemas.json")
    assert got.headers["content-type"] == "application/schema+json"
    assert json.loads(got.text) == json.loads((ROOT / "docs" / "schemas.json").read_text())


def test_they_are_kept_for_a_day(pages: Website) -> None:
    for path in ("/.well-known/security.txt", "/favicon.ico", "/schemas.json"):
        assert pages.get(path).headers["cache-control"] == "public, max-age=86400"
