"""No mail costs much: work is counted, and grows at most as the mail does."""

from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, target
from hypothesis import strategies as st

from pbm_oust.mail.inbound import Envelope, open_inbound
from pbm_oust.mail.reading import UnreadableMail
from pbm_oust.service.table import VOCABULARY, parse_line, without_passwords
from pbm_oust.store.home import Home
from tests.hostile.costly import COSTLY
from tests.support.home_by_mail import ADDRESS, ALICE, BOB, NOON, copy_of, home_of, new_id
from tests.support.limits import UNLIMITED
from tests.support.mails import mail
from tests.support.rings import examples, fast_if
from tests.support.steps import Work, work_of

SMALL, LARGE = 400, 800
MOST_STEPS = 1_000_000
"""More steps than any of these mails may take: less than 250 ms on a small machine."""
MOST_STEPS_OF_TEXT = 500_000


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Home:
    path = tmp_path_factory.mktemp("begun")
    line = "oust challenge alice bob wonderland -size=19"
    return home_of(path, ALICE, BOB, mails=[(ALICE, line), (ALICE, "help"), (ALICE, "nonsense")])


@pytest.fixture
def home(begun: Home, tmp_path: Path) -> Home:
    return copy_of(begun, tmp_path / "home")


@pytest.fixture(scope="module")
def searched(begun: Home, tmp_path_factory: pytest.TempPathFactory) -> Home:
    return copy_of(begun, tmp_path_factory.mktemp("searched") / "home")


def cost(home: Home, name: str, size: int) -> Work:
    """Return the work of taking a mail of some kind and size."""
    costly = COSTLY[name]
    data = mail(
        f"From: {ALICE}",
        f"Subject: {costly.line(size)}",
        new_id(),
        *costly.headers(size),
        text=costly.text(size),
    )
    inbound = open_inbound(home, ADDRESS, lambda: NOON)

    def take() -> None:
        with suppress(UnreadableMail):
            inbound.take(data, Envelope(ALICE, (ADDRESS,)))

    return work_of(take)


@pytest.mark.parametrize("name", fast_if(lambda name: name.startswith("a message"), COSTLY))
def test_work_grows_at_most_as_a_mail_does(name: str, home: Home) -> None:
    cost(home, name, 1)
    nothing, small, large = (cost(home, name, size).steps for size in (1, SMALL, LARGE))
    assert large - nothing <= 2.5 * max(small - nothing, nothing)


@pytest.mark.parametrize("name", fast_if(lambda name: name.startswith("several"), COSTLY))
@pytest.mark.parametrize("size", [LARGE, 4_000])
def test_every_mail_ends_after_bounded_work_or_is_refused(name: str, size: int, home: Home) -> None:
    work = cost(home, name, size)
    assert work.steps < MOST_STEPS
    assert work.scrypts <= 2


PIECES = st.sampled_from([*sorted(VOCABULARY), "D4", "17", "#9", "-size=5", "alice", "secretword"])
LINES = st.tuples(
    st.lists(PIECES | st.text(max_size=8), min_size=1, max_size=12).map(" ".join),
    st.integers(1, 200),
).map(lambda drawn: " ".join([drawn[0]] * drawn[1])[:5_000])


@pytest.mark.slow
@examples(60)
@given(st.sampled_from(["", "message alice wonderland bob", "multiple", "help"]), LINES, LINES)
def test_no_mail_is_found_that_costs_much(
    searched: Home, line: str, subject: str, text: str
) -> None:
    inbound = open_inbound(searched, ADDRESS, lambda: NOON, UNLIMITED)
    data = mail(f"From: {ALICE}", f"Subject: {line or subject[:4000]}", new_id(), text=text)

    def take() -> None:
        with suppress(UnreadableMail):
            inbound.take(data, Envelope(ALICE, (ADDRESS,)))

    work = work_of(take)
    target(float(work.steps))
    assert work.steps < MOST_STEPS
    assert work.scrypts <= 2


@examples(25)
@given(LINES)
def test_no_text_is_found_that_costs_much_to_read_or_to_mask(text: str) -> None:
    steps = work_of(lambda: (parse_line(text), without_passwords(text))).steps
    target(float(steps))
    assert steps < MOST_STEPS_OF_TEXT
