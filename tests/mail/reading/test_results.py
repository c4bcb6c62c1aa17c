"""Headers of RFC 8601 are read whole, or not at all."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.mail.reading.results import MethodResult, NotReadable, parse_results

PASSED = ("example.com", (MethodResult("spf", "pass", {"smtp.mailfrom": ("example.net",)}),))


@pytest.mark.parametrize(
    "text",
    [
        "example.com; spf=pass smtp.mailfrom=example.net",
        " Example.COM 1 ;\tSPF = Pass  smtp . mailfrom =Example.NET ",
        "example.com (a (b) \\) c); spf/1=pass (of (it)) smtp.mailfrom=(x)example.net(y)",
        'example.com;spf=pass reason="a; b=c (d" smtp.mailfrom="example.net"',
        "example.com; spf=pass reason=good smtp.mailfrom=example.net",
    ],
)
def test_one_result_is_read_however_it_is_written(text: str) -> None:
    assert parse_results(text) == PASSED


def test_nothing_found_is_no_result() -> None:
    assert parse_results("example.com; none") == ("example.com", ())


def test_values_may_be_what_signatures_look_like() -> None:
    text = 'a.b; dkim=pass header.d=x.org header.b=aB/+g== header.i=@x.org header.i="q\\" r"@x.org'
    (result,) = parse_results(text)[1]
    assert result.properties == {
        "header.d": ("x.org",),
        "header.b": ("ab/+g==",),
        "header.i": ("@x.org", '"q\\" r"@x.org'),
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "example.com",
        "example.com;",
        "example.com 2; none",
        "example.com; none; spf=pass",
        "example.com; spf",
        "example.com; spf=",
        "example.com; spf=pass smtp",
        "example.com; spf=pass smtp.mailfrom",
        'example.com; spf=pass smtp.mailfrom="a',
        "example.com; spf=pass (a",
        "example.com; spf=pass )",
        "example.com; spf=pass smtp.mailfrom=a\\b",
        "example.com; spf=pass smtp.mailfrom=bücher.example",
        "(example.com) ; spf=pass",
    ],
)
def test_anything_else_is_not_readable(text: str) -> None:
    with pytest.raises(NotReadable):
        parse_results(text)


@given(st.text(st.sampled_from(' ()";=.@\\ax'), max_size=30))
def test_what_stands_in_a_comment_or_in_quotes_is_no_result(text: str) -> None:
    escaped = "".join(f"\\{each}" for each in text)
    assert parse_results(f"example.com; spf=none ({escaped})")[1] == (
        MethodResult("spf", "none", {}),
    )
    (result,) = parse_results(f'example.com; spf=none smtp.mailfrom="{escaped}"')[1]
    assert result.properties == {"smtp.mailfrom": (text,)}
