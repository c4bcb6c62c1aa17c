"""Whatever stands in a mail: what is quoted is never taken for the sender's own words."""

import codecs
import encodings.aliases
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pbm_oust.mail.reading import read_mail
from pbm_oust.mail.reading.body import unflowed
from pbm_oust.mail.reading.html import text_of_html
from pbm_oust.mail.reading.own_text import own_text
from tests.fuzz.targets import TARGETS
from tests.support.mails import FROM, mail

COMMAND = "oust move 17 alice wonderland A1"
WORDS = st.lists(
    st.sampled_from(["Good", "luck", "D4", "I", "lost", "yes"]), min_size=1, max_size=9
)
OWN = st.lists(WORDS.map(" ".join), min_size=1, max_size=4).map("\n".join)
LINES = st.lists(st.text(st.characters(exclude_characters="\r\n\0"), max_size=40), max_size=6)
ATTRIBUTIONS = st.sampled_from(
    [
        "On Fri, Nov 20, 2026 at 3:36 PM pbm_oust <pbmserv@example.org> wrote:",
        "Am Fr., 20. Nov. 2026 um 15:36 Uhr schrieb pbm_oust <pbmserv@example.org>:",
        "pt., 20 lis 2026 o 15:36 pbm_oust <pbmserv@example.org> napisa\u0142(a):",
        "2026\u5e7411\u670820\u65e5(\u91d1) 15:36 pbm_oust <pbmserv@example.org>:",
    ]
)


def quoted(lines: list[str], mark: str = "> ") -> str:
    return "\n".join(f"{mark}{line}" for line in (*lines, COMMAND))


@given(OWN, ATTRIBUTIONS, LINES, st.sampled_from([">", "> ", ">> ", " > ", "AL> "]))
def test_only_what_stands_above_a_quote_is_read(
    own: str, attribution: str, lines: list[str], mark: str
) -> None:
    assert own_text(f"{own}\n\n{attribution}\n\n{quoted(lines, mark)}\n").whole == own


@given(OWN, ATTRIBUTIONS, LINES)
def test_only_what_stands_below_a_quote_is_read(
    own: str, attribution: str, lines: list[str]
) -> None:
    assert own_text(f"{attribution}\n{quoted(lines)}\n\n{own}\n").whole == own


@given(OWN, ATTRIBUTIONS, LINES)
def test_what_follows_an_attribution_unmarked_is_not_read(
    own: str, attribution: str, lines: list[str]
) -> None:
    text = "\n".join((own, "", attribution, "", COMMAND, *lines))
    assert own_text(text).whole == own


@given(OWN, LINES)
def test_a_quoted_block_of_html_is_not_read(own: str, lines: list[str]) -> None:
    escaped = "<br>".join(line.replace("&", "&amp;").replace("<", "&lt;") for line in lines)
    html = (
        f"<div>{own.replace(chr(10), '<br>')}</div><blockquote>{escaped}<p>{COMMAND}</blockquote>"
    )
    assert own_text(text_of_html(html)).whole == own


@given(st.lists(st.text(st.sampled_from("ab >-"), max_size=12), max_size=6))
def test_a_fixed_text_is_left_as_it_is_by_flowing_it(lines: list[str]) -> None:
    fixed = [line.rstrip().lstrip(" >") for line in lines]
    stuffed = "\n".join(f" {line}" for line in fixed)
    assert unflowed(stuffed, drops_space=False) == "\n".join(fixed)


@given(st.binary(max_size=200), st.sampled_from(["text/html", "text/plain; format=flowed"]))
@settings(deadline=None)
def test_any_bytes_are_read_as_any_kind_of_text(data: bytes, kind: str) -> None:
    read_mail(mail(FROM, f"Content-Type: {kind}", text=data)).text.encode()


def charsets() -> list[str]:
    """The charsets that Python knows, without codecs that make other things of text."""
    found = []
    for name in sorted(set(encodings.aliases.aliases.values())):
        with suppress(LookupError):
            "x".encode(name)
            found.append(name)
    return [name for name in found if name not in NONE_OF_MAIL]


NONE_OF_MAIL = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined")


@pytest.mark.parametrize("charset", charsets())
def test_a_text_in_every_charset_that_python_knows_is_read(charset: str) -> None:
    kind = f"Content-Type: text/plain; charset={charset}"
    encoding = "Content-Transfer-Encoding: base64"
    body = codecs.encode("Good luck".encode(charset), "base64")
    assert read_mail(mail(FROM, kind, encoding, text=body)).text == "Good luck"


CORPUS = Path(__file__).parents[2] / "fuzz" / "corpus"
INPUTS = [(path.parent.name, path.name) for path in sorted(CORPUS.glob("*/*"))]
"""What `scripts/fuzz` has found, or begins with."""


@pytest.mark.parametrize(("target", "name"), INPUTS)
def test_an_input_that_was_found_breaks_no_promise(target: str, name: str) -> None:
    TARGETS[target]((CORPUS / target / name).read_bytes())
