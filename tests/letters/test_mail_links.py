"""Links that begin a mail, as programs of different minds read them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.letters.html import mail_link
from tests.support.pages import as_a_form, by_rfc

REPLY = "pbmserv+oust.17.12.alice.abcdefghijklmnop@example.com"


@pytest.mark.parametrize("subject", ["D4", "pass", "swap"])
def test_a_link_is_read_alike_whether_a_plus_is_taken_for_a_space_or_not(
    subject: str,
) -> None:
    link = mail_link(REPLY, subject)
    assert "+" not in link
    for read in (by_rfc, as_a_form):
        assert read(link) == (REPLY, subject)


@given(st.text(), st.text(min_size=1))
def test_whatever_stands_in_a_link_comes_back_and_needs_no_escaping(
    local: str, subject: str
) -> None:
    link = mail_link(f"{local}@example.com".replace("\ud800", ""), subject)
    assert not set(link) & set("<>\"'& \n")
    assert by_rfc(link) == (f"{local}@example.com", subject)
