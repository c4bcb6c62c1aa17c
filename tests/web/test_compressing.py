"""Pages are compressed, but for those whose forms hold what others must not learn."""

import gzip
from pathlib import Path

from pbm_oust.web import addresses
from pbm_oust.web.ground import STATIC
from tests.support.home_by_mail import ALICE
from tests.web.every_page import MISSING_PAGES, PAGES, furnished

SMALL = 500
"""The bytes of responses that are too small to be compressed."""


def test_every_page_that_may_be_kept_is_compressed_and_no_other(tmp_path: Path) -> None:
    with furnished(tmp_path / "home", "english") as here:
        browser = here.signed_in(ALICE)
        cookie = "; ".join(f"{name}={value}" for name, value in browser.cookies.items())
        seen = set[bool]()
        paths = {"/", addresses.SIGN_IN, *PAGES, *MISSING_PAGES, *STATIC.values()}
        for path in sorted(each for each in paths if "{" not in each):
            plain = here.site.get(path, cookie=cookie)
            small = here.site.get(path, cookie=cookie, accept_encoding="gzip")
            is_own = "no-store" in plain.headers.get("cache-control", "")
            is_secret = is_own and b"<form" in plain.content
            is_squeezed = small.headers.get("content-encoding") == "gzip"
            is_text = not plain.headers.get("content-type", "").startswith("image/png")
            assert is_squeezed is (is_text and not is_secret and len(plain.content) >= SMALL), path
            content = gzip.decompress(small.content) if is_squeezed else small.content
            assert len(content) == len(plain.content), path
            assert int(small.headers["content-length"]) == len(small.content)
            assert not is_squeezed or "Accept-Encoding" in small.headers["vary"]
            seen.add(is_squeezed)
        assert seen == {True, False}


def test_a_browser_that_has_a_compressed_page_is_told_so(tmp_path: Path) -> None:
    with furnished(tmp_path / "home", "english") as here:
        got = here.site.get("/oust/1", accept_encoding="gzip")
        tag = got.headers["etag"]
        again = here.site.get("/oust/1", accept_encoding="gzip", if_none_match=tag)
        assert (again.status, again.content, again.headers["etag"]) == (304, b"", tag)
